/* Table entry of `recourse call`: options and help. */
#include "cli/call/call.h"

static const rc_option call_options[CALL_COUNT] = {
    [CALL_MODEL] = {.name = "model",
                    .value_name = "NAME",
                    .help = "a route's model, or PROVIDER/MODEL (default: the one that the "
                            "configuration names, if it names one)"},
    [CALL_SYSTEM] = {.name = "system",
                     .value_name = "TEXT",
                     .help = "what the model is to be told before the prompt"},
    [CALL_IMAGE] = {.name = "image",
                    .value_name = "FILE",
                    .help = "a PNG, JPEG, GIF or WebP to send with the prompt; up to 8 times"},
    [CALL_MAX_TOKENS] =
        {.name = "max-tokens",
         .value_name = "N",
         .min = 1,
         .max = 10000000,
         .help = "the longest answer, in tokens (default: the model's; of Anthropic's 4096)"},
    [CALL_TEMPERATURE] = {.name = "temperature",
                          .value_name = "T",
                          .help = "0 to 2 (default: the model's)"},
    [CALL_NO_STREAM] = {.name = "no-stream", .help = "ask for the answer in one piece"},
    [CALL_DEADLINE] =
        {.name = "deadline",
         .value_name = "TIME",
         .help =
             "how long it may take in all, retries included, as 60s or 5m (default: the route's)"},
    [CALL_POLICY] = {.shared = RC_OPTION_POLICY},
    [CALL_DIALECT] = {.name = "dialect",
                      .value_name = "NAME",
                      .values = RC_NAMES("openai", "anthropic", "gemini"),
                      .help = "how to ask: openai, anthropic or gemini (default: as the providers "
                              "of the route do; openai where they differ, and with --via)"},
    [CALL_CONFIG] = {.shared = RC_OPTION_CONFIG},
    [CALL_VIA] = {.name = "via",
                  .value_name = "URL",
                  .help = "the gateway to call through (default: none is needed)"},
    [CALL_TOKEN_FILE] = {.name = "token-file",
                         .value_name = "FILE",
                         .help = "the token for that gateway (default: RECOURSE_TOKEN)"},
    [CALL_INSECURE] = {.name = "insecure",
                       .help = "let --via use plain http:// to another machine"},
    [CALL_FORMAT] = {.shared = RC_OPTION_FORMAT,
                     .help = "human (default: the answer as it comes), json or markdown (all of it "
                             "at the end, also what failed)"},
    [CALL_AGENT] = {.shared = RC_OPTION_AGENT,
                    .help = "for a program: json, not a word on standard error; a failure is "
                            "{\"error\":true,...}"},
    [CALL_QUIET] = {.shared = RC_OPTION_QUIET,
                    .help = "say nothing about retries, nor what it took"},
    [CALL_COLOUR] = {.shared = RC_OPTION_COLOR},
    [CALL_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert(CALL_COUNT <= RC_OPTIONS_MAX, "the options fit the arguments");

const rc_command rc_command_call = {
    .name = "call",
    .summary = "ask a model once, with retries and fallback",
    .operands = "[PROMPT|-]...",
    .operand_max = RC_OPERANDS_MAX,
    .text = "Sends one request and writes the answer to standard output as it comes. Retries, "
            "switches and waits are shown on standard error while they happen; the last line says "
            "what it took. Esc or Ctrl-C ends it at any moment.\n\n"
            "The prompt is what stands on the command line; - is standard input, and so is no "
            "prompt at all. No gateway is needed: the same routes, policies and records work in "
            "this process. With --via the call goes through one.\n\n"
            "The exit status is that of the error (`recourse errors`): 75 may be tried again, 77 "
            "is a key, 65 the request, 124 the deadline; 130 after Esc or Ctrl-C.",
    .examples = "  recourse call --model demo-retry hello             # no key needed\n"
                "  recourse call --model gpt-4o \"Why is the sky blue?\"\n"
                "  git diff | recourse call --model claude-sonnet-4-5 \"Review this:\" -\n"
                "  recourse call --model gemini/gemini-2.5-flash --image cat.png \"What is it?\"\n"
                "  recourse call --via http://127.0.0.1:8787 --model fast --deadline 30s hi\n"
                "  recourse call --agent --model gpt-4o <prompt.txt | jq -r .text\n",
    .options = call_options,
    .option_count = CALL_COUNT,
    .repeatable = "image",
    .run = rc_caller_run,
};
