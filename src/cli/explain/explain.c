/* `recourse explain [FILE|-]`: explains a failure. Called from command.c. */
#include "cli/explain/explanation.h"

#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/formats.h"
#include "cli/render/input.h"
#include "sys/file.h"

/* Limit of the size of the input. */
#define INPUT_MAX_BYTES ((size_t)16 << 20)
/* Size of the text that describes the input. */
#define INPUT_TEXT_BYTES 256

/* State of one run. */
typedef struct run {
    rc_cli *cli;
    const rc_args *args;
    const rc_format *format;
    const char *path; /* Input file; NULL: no operand. */
    rc_explain_overrides overrides;
    rc_rules *rules;
    rc_buf input;
    rc_explanation explanation;
    rc_panel_style style; /* Style of the output; its time is the time of the verdict. */
} run;

static bool is_set(const rc_args *args, int option)
{
    return args->values[option] != NULL;
}

/* ---- usage errors ---- */

static int refuse(rc_cli *cli, const char *mode, const char *option)
{
    rc_cli_err_prefix(cli, "explain");
    rc_cli_text(&cli->err, mode);
    rc_cli_text(&cli->err, " takes no ");
    rc_cli_text(&cli->err, option);
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "explain");
}

/* Refuses options that the format would ignore. */
static int check_format(rc_cli *cli, const rc_args *args, const rc_format *format)
{
    char mode[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, mode, sizeof mode - 1);
    rc_cli_text(&buf, "--format ");
    rc_cli_text(&buf, format->name);
    mode[rc_buf_get(&buf).len] = '\0';
    bool is_json = strcmp(format->name, "json") == 0;
    bool is_human = strcmp(format->name, "human") == 0;
    if (is_set(args, EXPLAIN_VIEW) && !format->takes_view)
        return refuse(cli, mode, "--view");
    if (is_set(args, EXPLAIN_DIALECT) && !format->takes_dialect)
        return refuse(cli, mode, "--dialect");
    if (is_set(args, EXPLAIN_INDENT) && !format->takes_indent)
        return refuse(cli, mode, "--indent");
    if (is_set(args, EXPLAIN_WHY) && !is_json && !is_human)
        return refuse(cli, mode, "--why");
    return RC_EXIT_OK;
}

/* Refuses output options with --jsonl, because its output format is fixed, and with --check-rules,
 * because it prints no report. */
static int check_mode(rc_cli *cli, const rc_args *args)
{
    static const int SHOWN[] = {EXPLAIN_WHY, EXPLAIN_FORMAT, EXPLAIN_VIEW, EXPLAIN_DIALECT,
                                EXPLAIN_INDENT};
    static const char *const NAMES[] = {"--why", "--format", "--view", "--dialect", "--indent"};
    bool is_check = is_set(args, EXPLAIN_CHECK_RULES);
    const char *mode = is_check ? "--check-rules" : "--jsonl";
    if (!is_check && !is_set(args, EXPLAIN_JSONL))
        return RC_EXIT_OK;
    for (size_t i = 0; i < sizeof SHOWN / sizeof *SHOWN; i++) {
        if (is_set(args, SHOWN[i]))
            return refuse(cli, mode, NAMES[i]);
    }
    if (is_check && args->operand_count > 0)
        return refuse(cli, mode, "other file");
    if (is_check && is_set(args, EXPLAIN_JSONL))
        return refuse(cli, mode, "--jsonl");
    return RC_EXIT_OK;
}

static int refuse_empty(const run *r)
{
    rc_cli_err_prefix(r->cli, "explain");
    rc_cli_text(&r->cli->err,
                "there is nothing to explain: name a file, pipe an error in, or use an option "
                "such as --status 429\n");
    return rc_cli_usage(r->cli, "explain");
}

/* ---- input ---- */

static bool is_stdin(const run *r)
{
    return r->path == NULL || strcmp(r->path, "-") == 0;
}

static int read_input(run *r)
{
    rc_cli *cli = r->cli;
    int error;
    if (!is_stdin(r)) {
        error = rc_file_read(cli->calls, r->path, &r->input);
    } else {
        bool is_tty = cli->calls->isatty(RC_FD_STDIN) == 1;
        if (is_tty && r->path == NULL && r->overrides.is_enough)
            return RC_EXIT_OK; /* Without input: the options describe the failure. */
        if (is_tty) {
            rc_cli_err_prefix(cli, "explain");
            rc_cli_text(&cli->err, "paste the error here, then press Enter and Ctrl-D\n");
            rc_cli_flush_err(cli);
        }
        error = rc_fd_read(cli->calls, RC_FD_STDIN, &r->input);
    }
    if (error == RC_FILE_TOO_LARGE) {
        rc_cli_err_prefix(cli, "explain");
        rc_cli_text(&cli->err, "only the first 16 MiB are read\n");
        return RC_EXIT_OK;
    }
    return error == 0 ? RC_EXIT_OK : rc_explain_unreadable(cli, r->path, error);
}

static void warn(rc_cli *cli, const char *text)
{
    rc_cli_err_prefix(cli, "explain");
    rc_cli_text(&cli->err, text);
}

/* ---- output ---- */

/* Appends the report in the chosen format of the table in cli/formats.c. */
static void push_format(const run *r, const rc_report *report, rc_buf *buf)
{
    const char *view = r->args->values[EXPLAIN_VIEW];
    /* The default is the internal view, because the user debugs the failure. A format that shows
     * what a client receives (an error body in a dialect) keeps the view of that format. */
    const bool is_for_client = r->format->dialect != 0 || r->format->takes_dialect;
    const rc_view usual = is_for_client ? r->format->view : RC_VIEW_INTERNAL;
    const rc_format_input input = {
        .report = report,
        .view = view != NULL ? rc_view_parse(rc_str_c(view)) : usual,
        .indent = r->args->numbers[EXPLAIN_INDENT],
        .style = r->style,
    };
    rc_format_push(r->format, &input, r->args->values[EXPLAIN_DIALECT], buf);
}

static void push_human(run *r, const rc_report *report, const rc_verdict *verdict)
{
    if (is_set(r->args, EXPLAIN_VIEW))
        push_format(r, report, &r->cli->out);
    else
        rc_explain_panel(report, verdict, &r->style, &r->cli->out);
    if (!is_set(r->args, EXPLAIN_WHY))
        return;
    char scratch[INPUT_TEXT_BYTES];
    rc_buf input_text;
    rc_buf_init_fixed(&input_text, scratch, sizeof scratch);
    rc_buf_push(&input_text, RC_STR("Read as "));
    rc_detected_push(&r->explanation.detected, &input_text);
    rc_buf_push_byte(&input_text, '.');
    rc_reasoning_panel(&r->explanation.reasoning, rc_buf_get(&input_text), &r->style, &r->cli->out);
}

static int push_json_with_why(run *r, const rc_report *report)
{
    rc_buf object;
    rc_buf scratch;
    rc_buf_init(&object, &r->cli->alloc, RC_CLI_OUTPUT_MAX);
    rc_buf_init(&scratch, &r->cli->alloc, RC_CLI_OUTPUT_MAX);
    push_format(r, report, &object);
    rc_reasoning_json(&r->explanation.reasoning, rc_buf_get(&object),
                      r->args->numbers[EXPLAIN_INDENT], &scratch, &r->cli->out);
    rc_buf_push_byte(&r->cli->out, '\n');
    bool is_whole = rc_buf_status(&object) == RC_OK && rc_buf_status(&scratch) == RC_OK;
    rc_buf_done(&object);
    rc_buf_done(&scratch);
    if (is_whole)
        return RC_EXIT_OK;
    rc_buf_reset(&r->cli->out); /* Partial JSON would be useless to a program. */
    return rc_explain_unreadable(r->cli, r->path, RC_FILE_NO_MEMORY);
}

static int push_verdict(run *r, const rc_report *report, const rc_verdict *verdict)
{
    bool is_human = strcmp(r->format->name, "human") == 0;
    if (!is_human && is_set(r->args, EXPLAIN_WHY))
        return push_json_with_why(r, report);
    if (is_human)
        push_human(r, report, verdict);
    else
        push_format(r, report, &r->cli->out);
    return RC_EXIT_OK;
}

/* ---- input that is already a report ---- */

static int show_report(run *r)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_status status = rc_report_decode(r->explanation.detected.report, RC_DECODE_TOLERANT,
                                        &r->cli->alloc, &report, &info);
    if (status != RC_OK)
        return rc_explain_unreadable(r->cli, r->path, RC_FILE_NO_MEMORY);
    warn(r->cli, "the input is a report: it is shown unchanged\n");
    r->style = rc_args_style(r->cli, r->args, &r->cli->out_terminal);
    push_format(r, report, &r->cli->out);
    rc_report_free(report);
    return RC_EXIT_OK;
}

/* ---- failures ---- */

static void warn_left_out(const run *r, const rc_report *report)
{
    if (r->explanation.detected.is_cases)
        warn(r->cli, "the input looks like one case per line: --jsonl explains each line\n");
    if (r->explanation.detected.is_tail)
        warn(r->cli, "the text is long: only its end is classified\n");
    if (rc_report_code(report) != RC_CODE_UNCLASSIFIED || strcmp(r->format->name, "human") != 0)
        return;
    warn(r->cli, is_set(r->args, EXPLAIN_WHY)
                     ? "to add facts, use --status, --header, --provider or --transport\n"
                     : "to add facts, use --status, --header, --provider or --transport; --why "
                       "shows the steps\n");
}

static int explain_failure(run *r)
{
    rc_explanation *e = &r->explanation;
    r->style = rc_args_style(r->cli, r->args, &r->cli->out_terminal);
    const rc_verdict verdict = rc_explanation_judge(e, r->style.now_unix_ms);
    const rc_report *report = rc_explanation_report(e, &verdict, r->cli->calls, &r->cli->alloc);
    int result = push_verdict(r, report, &verdict);
    warn_left_out(r, report);
    rc_report_free(report);
    return result;
}

static int explain_input(run *r)
{
    int result = read_input(r);
    if (result != RC_EXIT_OK)
        return result;
    rc_explanation_read(&r->explanation, rc_buf_get(&r->input));
    if (r->explanation.detected.kind == RC_DETECTED_NOTHING && !r->overrides.is_enough)
        return refuse_empty(r);
    return r->explanation.detected.kind == RC_DETECTED_REPORT ? show_report(r) : explain_failure(r);
}

static int run_one(run *r)
{
    if (is_set(r->args, EXPLAIN_RULES)) {
        int result = rc_explain_load_rules(r->cli, r->args->values[EXPLAIN_RULES], &r->rules);
        if (result != RC_EXIT_OK)
            return result;
        r->explanation.rules = r->rules;
    }
    if (is_set(r->args, EXPLAIN_JSONL))
        return rc_explain_jsonl(r->cli, r->path, &r->overrides, r->rules);
    return explain_input(r);
}

int rc_explain_run(rc_cli *cli, const rc_args *args)
{
    const char *name = args->values[EXPLAIN_FORMAT];
    const rc_format *format = rc_format_find(name != NULL ? name : "human");
    int result = check_mode(cli, args);
    if (result == RC_EXIT_OK)
        result = check_format(cli, args, format);
    if (result != RC_EXIT_OK)
        return result;
    if (is_set(args, EXPLAIN_CHECK_RULES))
        return rc_explain_check_rules(cli, args->values[EXPLAIN_CHECK_RULES]);

    run *r = cli->alloc.get(cli->alloc.ctx, sizeof *r);
    if (r == NULL)
        return rc_explain_unreadable(cli, args->operands[0], RC_FILE_NO_MEMORY);
    memset(r, 0, sizeof *r);
    r->cli = cli;
    r->args = args;
    r->format = format;
    r->path = args->operand_count > 0 ? args->operands[0] : NULL;
    rc_buf_init(&r->input, &cli->alloc, INPUT_MAX_BYTES);
    rc_explanation_init(&r->explanation, INPUT_MAX_BYTES, &cli->alloc);
    r->explanation.overrides = &r->overrides;
    r->explanation.is_traced = is_set(args, EXPLAIN_WHY);
    result = rc_explain_overrides_read(cli, args, &r->overrides);
    if (result == RC_EXIT_OK)
        result = run_one(r);
    rc_rules_free(r->rules);
    rc_explanation_done(&r->explanation);
    rc_buf_done(&r->input);
    cli->alloc.put(cli->alloc.ctx, r, sizeof *r);
    return result;
}
