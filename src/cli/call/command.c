/* Table entry of `recourse call`: options and help. */
#include "cli/call/call.h"

static const rc_option call_options[CALL_COUNT] = {
    [CALL_MODEL] = {.name = "model",
                    .value_name = "NAME",
                    .help = "a route's model, or PROVIDER/MODEL (default: the model of the routes, "
                            "if they name exactly one)"},
    [CALL_SYSTEM] = {.name = "system", .value_name = "TEXT", .help = "the system prompt"},
    [CALL_IMAGE] =
        {.name = "image",
         .value_name = "FILE",
         .help = "a PNG, JPEG, GIF or WebP to send with the prompt; may be repeated up to 8 times"},
    [CALL_MAX_TOKENS] = {.name = "max-tokens",
                         .value_name = "N",
                         .min = 1,
                         .max = 10000000,
                         .help =
                             "limit of output tokens (default: the model's; for Anthropic 4096)"},
    [CALL_TEMPERATURE] = {.name = "temperature",
                          .value_name = "T",
                          .help = "sampling temperature, 0 to 2 (default: the model's)"},
    [CALL_NO_STREAM] = {.name = "no-stream", .help = "request a response that is not streamed"},
    [CALL_DEADLINE] =
        {.name = "deadline",
         .value_name = "TIME",
         .help = "time limit including retries, such as 60s or 5m (default: the route's)"},
    [CALL_POLICY] = {.shared = RC_OPTION_POLICY},
    [CALL_DIALECT] = {.name = "dialect",
                      .value_name = "NAME",
                      .values = RC_NAMES("openai", "anthropic", "gemini"),
                      .help = "the API of the request: openai, anthropic or gemini (default: the "
                              "API of the route's providers; openai if they differ or with --via)"},
    [CALL_CONFIG] = {.shared = RC_OPTION_CONFIG},
    [CALL_VIA] = {.name = "via",
                  .value_name = "URL",
                  .help = "send the call through the gateway at this address"},
    [CALL_TOKEN_FILE] =
        {.name = "token-file",
         .value_name = "FILE",
         .help = "the file with the token for that gateway (default: the variable RECOURSE_TOKEN)"},
    [CALL_INSECURE] = {.name = "insecure",
                       .help = "allow plain http:// to another machine with --via"},
    [CALL_FORMAT] = {.shared = RC_OPTION_FORMAT,
                     .help = "human (default: the response as it arrives), json or markdown (one "
                             "result at the end, also for a failure)"},
    [CALL_AGENT] = {.shared = RC_OPTION_AGENT,
                    .help = "output for a program: json, and nothing on standard error; a failure "
                            "is {\"error\":true,...}"},
    [CALL_QUIET] = {.shared = RC_OPTION_QUIET,
                    .help = "print no messages about retries and no totals"},
    [CALL_COLOUR] = {.shared = RC_OPTION_COLOR},
    [CALL_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert(CALL_COUNT <= RC_OPTIONS_MAX, "rc_args has space for all options");

const rc_command rc_command_call = {
    .name = "call",
    .summary = "send one prompt to a model, with retries and fallback",
    .operands = "[PROMPT|-]...",
    .operand_max = RC_OPERANDS_MAX,
    .text = "Sends one request and writes the response to standard output as it arrives. Retries, "
            "switches and waits are shown on standard error while they happen; the last line has "
            "the totals. Esc or Ctrl-C cancels the call.\n\n"
            "The prompt is the text on the command line; - stands for standard input, which is "
            "also used without any prompt. No gateway is needed: the same routes, policies and "
            "audit work in this process. With --via the call goes through a gateway.\n\n"
            "The exit status is that of the error code (`recourse errors`): 75 can be retried, 77 "
            "a key was rejected, 65 the request is invalid, 124 the deadline passed; 130 after Esc "
            "or Ctrl-C.",
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
