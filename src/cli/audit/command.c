/* `recourse audit`: table entry, options and dispatch to the verbs. Called by commands.c. */
#include "cli/audit/audit.h"

#include <string.h>

#include "cli/formats.h"

#define LIMIT_MAX 1000000

/* ---- options and formats of each verb ---- */

#define BIT(option) (UINT32_C(1) << (option))
#define FILTERS                                                                               \
    (BIT(RC_AUDIT_SINCE) | BIT(RC_AUDIT_UNTIL) | BIT(RC_AUDIT_CLIENT) | BIT(RC_AUDIT_ROUTE) | \
     BIT(RC_AUDIT_MODEL) | BIT(RC_AUDIT_TARGET) | BIT(RC_AUDIT_CODE) | BIT(RC_AUDIT_CLASS) |  \
     BIT(RC_AUDIT_OUTCOME) | BIT(RC_AUDIT_REPORT))
#define TIMES (BIT(RC_AUDIT_SINCE) | BIT(RC_AUDIT_UNTIL))
#define COMMON                                                                                 \
    (BIT(RC_AUDIT_STORE) | BIT(RC_AUDIT_CONFIG) | BIT(RC_AUDIT_FORMAT) | BIT(RC_AUDIT_AGENT) | \
     BIT(RC_AUDIT_COLOR) | BIT(RC_AUDIT_WIDTH))

typedef struct verb {
    const char *name;
    int (*run)(rc_audit *audit);
    uint32_t options;
    uint32_t formats; /* Bit set of formats; the lowest bit is the default. */
    uint32_t limit;   /* Default of --limit; 0: no limit. */
    bool takes_id;
} verb;

static const verb verbs[] = {
    {"list", rc_audit_list, COMMON | FILTERS | BIT(RC_AUDIT_LIMIT) | BIT(RC_AUDIT_AFTER),
     BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSON) | BIT(RC_AUDIT_MARKDOWN), 20, false},
    {"show", rc_audit_show, COMMON | BIT(RC_AUDIT_VIEW),
     BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSON) | BIT(RC_AUDIT_MARKDOWN), 0, true},
    {"tail", rc_audit_tail,
     COMMON | (FILTERS & ~TIMES) | BIT(RC_AUDIT_LIMIT) | BIT(RC_AUDIT_FOLLOW),
     BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSONL), 10, false},
    {"stats", rc_audit_stats, COMMON | FILTERS | BIT(RC_AUDIT_BY) | BIT(RC_AUDIT_LIMIT),
     BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSON) | BIT(RC_AUDIT_MARKDOWN), 15, false},
    {"export", rc_audit_export,
     COMMON | FILTERS | BIT(RC_AUDIT_LIMIT) | BIT(RC_AUDIT_AFTER) | BIT(RC_AUDIT_OF) |
         BIT(RC_AUDIT_VIEW),
     BIT(RC_AUDIT_JSONL) | BIT(RC_AUDIT_CSV), 0, false},
    {"check", rc_audit_check, COMMON, BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSON), 0, false},
    {"prune", rc_audit_prune,
     COMMON | BIT(RC_AUDIT_OLDER_THAN) | BIT(RC_AUDIT_BEFORE) | BIT(RC_AUDIT_DRY_RUN) |
         BIT(RC_AUDIT_VACUUM) | BIT(RC_AUDIT_YES),
     BIT(RC_AUDIT_HUMAN) | BIT(RC_AUDIT_JSON), 0, false},
};
#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static const char *const format_names[RC_AUDIT_FORMATS] = {
    [RC_AUDIT_HUMAN] = "human", [RC_AUDIT_JSON] = "json", [RC_AUDIT_MARKDOWN] = "markdown",
    [RC_AUDIT_JSONL] = "jsonl", [RC_AUDIT_CSV] = "csv",
};

static const char *format_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_AUDIT_FORMATS ? format_names[index] : NULL;
}

static const char *verb_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < VERB_COUNT ? verbs[index].name : NULL;
}

/* ---- error messages ---- */

static int refuse_verb(rc_cli *cli, const char *name)
{
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "expected list, show, tail, stats, export, check or prune");
    if (name != NULL) {
        rc_cli_text(&cli->err, ", not ");
        rc_cli_err_quote(cli, rc_str_c(name));
    }
    rc_cli_suggest(cli, "", name != NULL ? rc_nearest(rc_str_c(name), verb_at, NULL) : NULL);
    return rc_cli_usage(cli, "audit");
}

/* Prints "--by cannot be used with list; it can be used with stats". */
static int refuse_option(rc_cli *cli, const verb *v, size_t option)
{
    bool is_first = true;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "--");
    rc_cli_text(&cli->err, rc_command_option(&rc_command_audit, option).name);
    rc_cli_text(&cli->err, " cannot be used with ");
    rc_cli_text(&cli->err, v->name);
    rc_cli_text(&cli->err, "; it can be used with ");
    for (size_t i = 0; i < VERB_COUNT; i++) {
        if ((verbs[i].options & BIT(option)) == 0)
            continue;
        rc_cli_text(&cli->err, is_first ? "" : ", ");
        rc_cli_text(&cli->err, verbs[i].name);
        is_first = false;
    }
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "audit");
}

/* Prints "list has no format csv; it has human, json, markdown". */
static int refuse_format(rc_cli *cli, const verb *v, rc_audit_format format)
{
    bool is_first = true;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, v->name);
    rc_cli_text(&cli->err, " has no format ");
    rc_cli_text(&cli->err, format_names[format]);
    rc_cli_text(&cli->err, "; it has ");
    for (size_t i = 0; i < RC_AUDIT_FORMATS; i++) {
        if ((v->formats & BIT(i)) == 0)
            continue;
        rc_cli_text(&cli->err, is_first ? "" : ", ");
        rc_cli_text(&cli->err, format_names[i]);
        is_first = false;
    }
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "audit");
}

static int refuse_operands(rc_cli *cli, const verb *v)
{
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, v->name);
    rc_cli_text(&cli->err,
                v->takes_id ? " needs the id of an operation or report\n" : " takes no operand\n");
    return rc_cli_usage(cli, "audit");
}

/* ---- parsing of the command line ---- */

static rc_audit_format first_format(uint32_t formats)
{
    uint32_t format = 0;
    while ((formats & BIT(format)) == 0)
        format++;
    return (rc_audit_format)format;
}

/* Returns the format for an agent: Markdown if the verb has this format, else JSON or JSON
 * lines. */
static rc_audit_format agent_format(uint32_t formats)
{
    if ((formats & BIT(RC_AUDIT_MARKDOWN)) != 0)
        return RC_AUDIT_MARKDOWN;
    return (formats & BIT(RC_AUDIT_JSON)) != 0 ? RC_AUDIT_JSON : RC_AUDIT_JSONL;
}

static int read_format(rc_audit *audit, const verb *v)
{
    const char *name = audit->args->values[RC_AUDIT_FORMAT];
    audit->format = audit->args->values[RC_AUDIT_AGENT] != NULL ? agent_format(v->formats)
                                                                : first_format(v->formats);
    for (size_t i = 0; name != NULL && i < RC_AUDIT_FORMATS; i++)
        if (strcmp(name, format_names[i]) == 0)
            audit->format = (rc_audit_format)i;
    if ((v->formats & BIT(audit->format)) == 0)
        return refuse_format(audit->cli, v, audit->format);
    return RC_EXIT_OK;
}

static rc_view read_view(const rc_audit *audit)
{
    const char *name = audit->args->values[RC_AUDIT_VIEW];
    if (name != NULL)
        return rc_view_parse(rc_str_c(name));
    switch (audit->format) {
    case RC_AUDIT_HUMAN:
        return RC_VIEW_USER;
    case RC_AUDIT_MARKDOWN:
        return RC_VIEW_MODEL;
    case RC_AUDIT_JSON:
    case RC_AUDIT_JSONL:
    case RC_AUDIT_CSV:
    case RC_AUDIT_FORMATS:
        break;
    }
    return RC_VIEW_INTERNAL;
}

static int run_verb(rc_cli *cli, const rc_args *args, const verb *v)
{
    rc_store_fault fault = {.kind = RC_STORE_NO_FAULT};
    rc_audit audit = {.cli = cli, .args = args, .limit = v->limit, .fault = &fault};
    for (size_t i = 0; i < RC_AUDIT_OPTIONS; i++)
        if (args->values[i] != NULL && (v->options & BIT(i)) == 0)
            return refuse_option(cli, v, i);
    if ((args->operand_count > 1) != v->takes_id)
        return refuse_operands(cli, v);
    if (args->values[RC_AUDIT_LIMIT] != NULL)
        audit.limit = args->numbers[RC_AUDIT_LIMIT];
    audit.style = rc_args_style(cli, args, &cli->out_terminal);
    int result = read_format(&audit, v);
    if (result != RC_EXIT_OK)
        return result;
    audit.view = read_view(&audit);
    result = rc_audit_filter_read(&audit, v->run == rc_audit_stats ? RC_AUDIT_QUERY_STATS
                                                                   : RC_AUDIT_QUERY_LIST);
    if (result == RC_EXIT_OK && v->run != rc_audit_prune)
        result = rc_audit_open(&audit);
    if (result == RC_EXIT_OK)
        result = v->run(&audit);
    if (result == RC_EXIT_OK && fault.kind != RC_STORE_NO_FAULT) {
        rc_buf_reset(&cli->out);
        result = rc_audit_refuse(&audit, &fault);
    }
    rc_audit_close(&audit);
    return result;
}

static int run_audit(rc_cli *cli, const rc_args *args)
{
    const char *name = args->operand_count > 0 ? args->operands[0] : NULL;
    for (size_t i = 0; name != NULL && i < VERB_COUNT; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return run_verb(cli, args, &verbs[i]);
    return refuse_verb(cli, name);
}

/* ---- table entry ---- */

static const rc_option audit_options[RC_AUDIT_OPTIONS] = {
    [RC_AUDIT_STORE] = {.name = "store",
                        .value_name = "STORE",
                        .help = "the audit to read: a file, or a URL as in the configuration"},
    [RC_AUDIT_CONFIG] = {.shared = RC_OPTION_CONFIG,
                         .help = "the configuration whose store is read"},
    [RC_AUDIT_SINCE] = {.name = "since",
                        .value_name = "TIME",
                        .help = "operations that began at this time or later: 2h (ago), 02:30, "
                                "yesterday, 2026-11-16, RFC 3339"},
    [RC_AUDIT_UNTIL] = {.name = "until",
                        .value_name = "TIME",
                        .help = "operations that began before this time"},
    [RC_AUDIT_CLIENT] = {.name = "client",
                         .value_name = "NAME",
                         .help = "operations of this client"},
    [RC_AUDIT_ROUTE] = {.name = "route", .value_name = "NAME", .help = "operations of this route"},
    [RC_AUDIT_MODEL] = {.name = "model",
                        .value_name = "NAME",
                        .help = "operations that requested this model"},
    [RC_AUDIT_TARGET] = {.name = "target",
                         .value_name = "NAME",
                         .help =
                             "operations with an attempt at this target, such as openai/gpt-4o"},
    [RC_AUDIT_CODE] = {.name = "code",
                       .value_name = "CODE",
                       .help = "operations that ended with this error code"},
    [RC_AUDIT_CLASS] = {.name = "class",
                        .value_name = "CLASS",
                        .help = "operations that ended with an error of this class"},
    [RC_AUDIT_OUTCOME] = {.name = "outcome",
                          .value_name = "OUTCOME",
                          .values = RC_NAMES_OF(rc_audit_outcome_at),
                          .help = "operations with this outcome: succeeded, recovered (after a "
                                  "failed attempt), failed, cancelled, open, notice"},
    [RC_AUDIT_REPORT] = {.name = "report",
                         .value_name = "ID",
                         .help = "the operation that has this report"},
    [RC_AUDIT_LIMIT] = {.name = "limit",
                        .value_name = "N",
                        .min = 1,
                        .max = LIMIT_MAX,
                        .help = "number of operations (default: list 20, tail 10, export all); of "
                                "stats: rows of each table (15)"},
    [RC_AUDIT_AFTER] = {.name = "after",
                        .value_name = "KEY",
                        .help = "the next page: operations after this key"},
    [RC_AUDIT_BY] = {.name = "by",
                     .value_name = "LIST",
                     .help = "of stats: tables by target, class, code, hour, client, route, model "
                             "(default: target,code)"},
    [RC_AUDIT_OF] = {.name = "of",
                     .value_name = "WHAT",
                     .values = RC_NAMES("operations", "attempts"),
                     .help = "of export: operations (default) or attempts"},
    [RC_AUDIT_FOLLOW] = {.name = "follow",
                         .help = "of tail, also -f: print further operations as they end"},
    [RC_AUDIT_OLDER_THAN] = {.name = "older-than",
                             .value_name = "DURATION",
                             .help = "of prune: operations that ended at least this long ago: 90d"},
    [RC_AUDIT_BEFORE] = {.name = "before",
                         .value_name = "TIME",
                         .help = "of prune: operations that ended before this time"},
    [RC_AUDIT_DRY_RUN] = {.name = "dry-run",
                          .help = "of prune: count the operations and delete nothing"},
    [RC_AUDIT_VACUUM] = {.name = "vacuum",
                         .help = "for prune: also shrink the file (stop the gateway first)"},
    [RC_AUDIT_YES] = {.name = "yes", .help = "of prune: accept a time in the future"},
    [RC_AUDIT_FORMAT] = {.shared = RC_OPTION_FORMAT,
                         .values = RC_NAMES_OF(format_at),
                         .help = "human, json or markdown; tail: human, jsonl; export: jsonl, csv; "
                                 "check and prune: human, json"},
    [RC_AUDIT_AGENT] = {.shared = RC_OPTION_AGENT},
    [RC_AUDIT_VIEW] = {.shared = RC_OPTION_VIEW,
                       .help = "view of reports: user, model or internal (everything)"},
    [RC_AUDIT_COLOR] = {.shared = RC_OPTION_COLOR},
    [RC_AUDIT_WIDTH] = {.shared = RC_OPTION_WIDTH},
};

_Static_assert((int)RC_AUDIT_OPTIONS <= RC_OPTIONS_MAX, "rc_args has space for all options");
_Static_assert(RC_AUDIT_OPTIONS <= 32, "each option has a bit");

const rc_command rc_command_audit = {
    .name = "audit",
    .summary = "show recorded requests: failures, attempts, cost",
    .operands = "list|show ID|tail|stats|export|check|prune",
    .operand_max = 2,
    .short_flag = "follow",
    .text =
        "Reads the gateway's audit, also while the gateway runs. Only prune changes the audit.\n"
        "list shows operations, newest first. show prints one operation: every attempt, wait, "
        "switch and skip with its reason, and what to do next; ID is the id of an operation or "
        "report, the beginning of such an id, or the short id that list and tail print. tail shows "
        "the latest "
        "operations, and with -f further ones as they end. stats prints totals and tables. export "
        "writes every column. check reads the whole file and reports whether it is intact. prune "
        "deletes operations that ended before a time; budgets keep their totals. If a gateway "
        "is running, prune asks it to delete. With audit.keep_days set, the gateway also deletes "
        "old "
        "operations by itself, every hour.\n"
        "The store is that of the configuration unless --store names one.",
    .examples = "  recourse audit list --since 2h --outcome failed\n"
                "  recourse audit show 01KE8V3Q5W-8ST\n"
                "  recourse audit show rep_01KE8V3Q5W9D0YJ7M2N4P6R8ST --view internal\n"
                "  recourse audit tail -f --client web\n"
                "  recourse audit stats --since today --by target,hour\n"
                "  recourse audit export --of attempts --format csv --since 1d >attempts.csv\n"
                "  recourse audit prune --older-than 90d --dry-run\n",
    .options = audit_options,
    .option_count = RC_AUDIT_OPTIONS,
    .run = run_audit,
};
