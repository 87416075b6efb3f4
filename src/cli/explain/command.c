/* Table entry of `recourse explain`: options and help. */
#include <recourse/taxonomy.h>

#include "cli/explain/explain.h"
#include "cli/formats.h"

static const char *family_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_FAMILY_TOOL ? rc_family_name((rc_family)(index + 1)) : NULL;
}

static const char *transport_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_TRANSPORT_EOF ? rc_transport_name((rc_transport)(index + 1)) : NULL;
}

static const char *phase_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_PHASE_COMMITTED ? rc_phase_name((rc_phase)(index + 1)) : NULL;
}

static void push_providers(rc_buf *buf, unsigned width)
{
    char scratch[1024];
    rc_buf names;
    rc_buf_init_fixed(&names, scratch, sizeof scratch - 1);
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        rc_cli_text(&names, i > 0 ? ", " : "");
        rc_cli_text(&names, rc_provider_at(i));
    }
    scratch[rc_buf_get(&names).len] = '\0';
    rc_cli_text(buf, "\nProviders:\n");
    rc_help_entry(buf, RC_STR(""), scratch, width);
}

static const rc_option explain_options[EXPLAIN_COUNT] = {
    [EXPLAIN_PROVIDER] = {.name = "provider",
                          .value_name = "NAME",
                          .help = "the provider that responded (default: detected from the input)"},
    [EXPLAIN_MODEL] = {.name = "model", .value_name = "NAME", .help = "the requested model"},
    [EXPLAIN_FAMILY] =
        {.name = "family",
         .value_name = "FAMILY",
         .values = RC_NAMES_OF(family_name_at),
         .help =
             "the kind of call: llm (default), image, audio, embedding, extract, search or tool"},
    [EXPLAIN_STATUS] =
        {.name = "status", .value_name = "N", .min = 100, .max = 999, .help = "the HTTP status"},
    [EXPLAIN_HEADER] = {.name = "header",
                        .value_name = "HEADER",
                        .help = "a header of the response, 'Name: value'; may be repeated"},
    [EXPLAIN_TRANSPORT] =
        {.name = "transport",
         .value_name = "HOW",
         .values = RC_NAMES_OF(transport_name_at),
         .help = "how the transport failed: timeout, connect_refused, dns, tls, reset or eof"},
    [EXPLAIN_PHASE] =
        {.name = "phase",
         .value_name = "PHASE",
         .values = RC_NAMES_OF(phase_name_at),
         .help = "the phase in which the call failed: connect, sent, headers or committed"},
    [EXPLAIN_EXIT] = {.name = "exit",
                      .value_name = "N",
                      .max = 255,
                      .help = "the exit status of a process; the input is its standard error"},
    [EXPLAIN_WINDOW] = {.name = "window",
                        .value_name = "N",
                        .min = 1,
                        .max = 999999999,
                        .help = "the model's context window in tokens"},
    [EXPLAIN_REPLAYABLE] =
        {.name = "replayable",
         .value_name = "Y|N",
         .values = RC_NAMES("yes", "no"),
         .help = "yes or no: whether the request may be sent again even if the provider may have "
                 "carried it out (default: depends on the family)"},
    [EXPLAIN_RULES] = {.name = "rules",
                       .value_name = "FILE",
                       .help = "a file of rules that precede the built-in ones"},
    [EXPLAIN_CHECK_RULES] = {.name = "check-rules",
                             .value_name = "FILE",
                             .help = "check a file of rules and do nothing else"},
    [EXPLAIN_WHY] = {.name = "why",
                     .help =
                         "show how the failure was classified: unwrapped layers, facts and rules"},
    [EXPLAIN_JSONL] = {.name = "jsonl",
                       .help = "read one case per line, write one report per line, in order"},
    [EXPLAIN_FORMAT] = {.shared = RC_OPTION_REPORT_FORMAT,
                        .help = "output format, as in render (default: human)"},
    [EXPLAIN_VIEW] = {.shared = RC_OPTION_VIEW,
                      .help = "the view: user, model or internal (default: internal; for formats "
                              "of clients that of the format)"},
    [EXPLAIN_DIALECT] = {.shared = RC_OPTION_DIALECT,
                         .help = "the body of --format http, as in render"},
    [EXPLAIN_INDENT] = {.shared = RC_OPTION_INDENT},
    [EXPLAIN_COLOUR] = {.shared = RC_OPTION_COLOR},
    [EXPLAIN_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert(EXPLAIN_COUNT <= RC_OPTIONS_MAX, "rc_args has space for all options");

const rc_command rc_command_explain = {
    .name = "explain",
    .summary = "explain a failure: what it means, why, and what to do next",
    .operands = "[FILE|-]",
    .operand_max = 1,
    .text = "Reads an error and recognises its form: the output of curl -i or curl -v, a JSON "
            "body, events of a stream, a log line, a stack trace, an HTML page. Options add facts "
            "and take precedence over recognised ones.",
    .push_more = push_providers,
    .examples = "  curl -isS https://api.example.com/v1/chat/completions | recourse explain\n"
                "  recourse explain --why error.log\n"
                "  recourse explain --status 429 --header 'Retry-After: 20'\n"
                "  recourse explain --transport timeout --phase sent --family image\n"
                "  recourse explain --jsonl failures.jsonl >reports.jsonl\n"
                "  recourse explain --check-rules my.rules\n",
    .options = explain_options,
    .option_count = EXPLAIN_COUNT,
    .repeatable = "header",
    .run = rc_explain_run,
};
