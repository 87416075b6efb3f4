/* Converts the options of explain into facts about the failure, and reads the rules file. Called by
 * explain.c, explanation.c and jsonl.c. */
#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/explain/explain.h"
#include "render/wrap.h"
#include "sys/file.h"

/* Maximum number of bytes that are read from a rules file. The library's own limit is lower, so
 * that the library reports a file that is too large. */
#define RULES_MAX_BYTES ((size_t)1 << 20)

static rc_str value_of(const rc_args *args, int option)
{
    return rc_str_c(args->values[option]);
}

static int refuse_header(rc_cli *cli, const char *value)
{
    rc_cli_err_prefix(cli, "explain");
    rc_cli_text(&cli->err, "--header must be 'Name: value', not ");
    rc_cli_err_quote(cli, rc_str_c(value));
    rc_buf_push_byte(&cli->err, '\n');
    return rc_cli_usage(cli, "explain");
}

static bool read_header(const char *text, rc_header *ret_header)
{
    rc_str all = rc_str_c(text);
    /* Starts at 1, because ":status" begins with a colon. */
    size_t colon = rc_str_find_byte(all, ':', 1);
    rc_str name = rc_str_trim(rc_str_slice(all, 0, colon));
    if (colon == RC_STR_NPOS || name.len == 0)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~')
            return false;
    }
    *ret_header = (rc_header){name, rc_str_trim(rc_str_slice(all, colon + 1, all.len))};
    return true;
}

static bool is_enough(const rc_failure *failure)
{
    return failure->status != 0 || failure->header_count > 0 ||
           failure->transport != RC_TRANSPORT_NONE || failure->exit_status != 0;
}

int rc_explain_overrides_read(rc_cli *cli, const rc_args *args, rc_explain_overrides *ret_overrides)
{
    rc_failure failure = {
        .provider = value_of(args, EXPLAIN_PROVIDER),
        .model = value_of(args, EXPLAIN_MODEL),
        .family = rc_family_parse(value_of(args, EXPLAIN_FAMILY)),
        .status = (int)args->numbers[EXPLAIN_STATUS],
        .transport = rc_transport_parse(value_of(args, EXPLAIN_TRANSPORT)),
        .phase = rc_phase_parse(value_of(args, EXPLAIN_PHASE)),
        .exit_status = (int)args->numbers[EXPLAIN_EXIT],
        .context_window = args->numbers[EXPLAIN_WINDOW],
    };
    const char *replayable = args->values[EXPLAIN_REPLAYABLE];
    if (replayable != NULL)
        failure.replay = strcmp(replayable, "yes") == 0 ? RC_REPLAY_YES : RC_REPLAY_NO;
    for (size_t i = 0; i < args->repeated_count; i++) {
        const char *value = args->repeated[i];
        if (!read_header(value, &ret_overrides->headers[failure.header_count++]))
            return refuse_header(cli, value);
    }
    failure.headers = ret_overrides->headers;
    ret_overrides->failure = failure;
    ret_overrides->has_exit = args->values[EXPLAIN_EXIT] != NULL;
    ret_overrides->is_enough = is_enough(&failure);
    return RC_EXIT_OK;
}

static bool has_header(const rc_failure *failure, rc_str name)
{
    for (size_t i = 0; i < failure->header_count; i++) {
        if (rc_str_eq_nocase(failure->headers[i].name, name))
            return true;
    }
    return false;
}

static void apply_headers(const rc_failure *own, rc_failure *failure, rc_header *scratch)
{
    size_t count = 0;
    if (own->header_count == 0)
        return;
    for (size_t i = 0; i < own->header_count; i++)
        scratch[count++] = own->headers[i];
    for (size_t i = 0; i < failure->header_count && count < RC_EXPLAIN_HEADERS_MAX; i++) {
        if (!has_header(own, failure->headers[i].name))
            scratch[count++] = failure->headers[i];
    }
    failure->headers = scratch;
    failure->header_count = count;
}

void rc_explain_overrides_apply(const rc_explain_overrides *overrides, rc_failure *failure,
                                rc_header *scratch)
{
    const rc_failure *own = &overrides->failure;
    if (own->provider.len > 0)
        failure->provider = own->provider;
    if (own->model.len > 0)
        failure->model = own->model;
    if (own->family != RC_FAMILY_NONE)
        failure->family = own->family;
    if (own->status != 0)
        failure->status = own->status;
    if (own->transport != RC_TRANSPORT_NONE)
        failure->transport = own->transport;
    if (own->phase != RC_PHASE_NONE)
        failure->phase = own->phase;
    if (own->replay != RC_REPLAY_BY_FAMILY)
        failure->replay = own->replay;
    if (overrides->has_exit)
        failure->exit_status = own->exit_status;
    if (own->context_window != 0)
        failure->context_window = own->context_window;
    apply_headers(own, failure, scratch);
}

/* ---- rules file ---- */

static rc_str shown_path(const char *path)
{
    bool is_stdin = path == NULL || strcmp(path, "-") == 0;
    return is_stdin ? RC_STR("<stdin>") : rc_str_c(path);
}

int rc_explain_unreadable(rc_cli *cli, const char *path, int error)
{
    rc_str shown = shown_path(path);
    rc_cli_err_prefix(cli, "explain");
    rc_cli_text(&cli->err, "cannot read ");
    if (shown.len > 0)
        rc_cli_err_name(cli, shown);
    else
        rc_cli_text(&cli->err, "a file without a name");
    rc_cli_text(&cli->err, ": ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&cli->err, '\n');
    return error == RC_FILE_NO_MEMORY ? RC_EXIT_INTERNAL : RC_EXIT_NO_INPUT;
}

/* Returns the message of a fault without the position at its start, because the caller prints the
 * position after the file name. */
static rc_str message_of(const rc_rules_fault *fault)
{
    char scratch[96];
    rc_buf position;
    rc_buf_init_fixed(&position, scratch, sizeof scratch);
    rc_buf_push(&position, RC_STR("line "));
    rc_buf_push_u64(&position, fault->line);
    rc_buf_push(&position, RC_STR(", column "));
    rc_buf_push_u64(&position, fault->column);
    rc_buf_push(&position, RC_STR(": "));
    rc_str text = rc_str_c(fault->text);
    bool has_place = rc_str_starts_with(text, rc_buf_get(&position));
    return rc_str_slice(text, has_place ? rc_buf_get(&position).len : 0, text.len);
}

/* Prints a fault of a rules file as "FILE:LINE:COLUMN: message"; returns the exit status. */
static int refuse_rules(rc_cli *cli, const char *path, const rc_rules_fault *fault)
{
    rc_cli_err_name(cli, shown_path(path));
    rc_buf_push_byte(&cli->err, ':');
    rc_buf_push_u64(&cli->err, fault->line);
    rc_buf_push_byte(&cli->err, ':');
    rc_buf_push_u64(&cli->err, fault->column);
    rc_cli_text(&cli->err, ": ");
    rc_cli_err_name(cli, message_of(fault));
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_DATA;
}

static int parse_rules(rc_cli *cli, const char *path, rc_str text, rc_rules **ret_rules)
{
    rc_rules_fault fault = {.line = 1, .column = 1};
    rc_status status = rc_rules_parse(text, &cli->alloc, ret_rules, &fault);
    if (status == RC_E_NOMEM)
        return rc_explain_unreadable(cli, path, RC_FILE_NO_MEMORY);
    return status == RC_OK ? RC_EXIT_OK : refuse_rules(cli, path, &fault);
}

int rc_explain_load_rules(rc_cli *cli, const char *path, rc_rules **ret_rules)
{
    rc_buf bytes;
    rc_buf_init(&bytes, &cli->alloc, RULES_MAX_BYTES);
    bool is_stdin = strcmp(path, "-") == 0;
    int error = is_stdin ? rc_fd_read(cli->calls, RC_FD_STDIN, &bytes)
                         : rc_file_read(cli->calls, path, &bytes);
    int result = error != 0 ? rc_explain_unreadable(cli, path, error)
                            : parse_rules(cli, path, rc_buf_get(&bytes), ret_rules);
    if (error == RC_FILE_TOO_LARGE)
        result = RC_EXIT_DATA;
    rc_buf_done(&bytes);
    return result;
}

int rc_explain_check_rules(rc_cli *cli, const char *path)
{
    rc_rules *rules = NULL;
    int result = rc_explain_load_rules(cli, path, &rules);
    if (result != RC_EXIT_OK)
        return result;
    rc_str shown = shown_path(path);
    size_t count = rc_rules_count(rules);
    rc_rules_free(rules);
    rc_visible_push(&cli->out, shown, cli->out_terminal.has_utf8);
    rc_cli_text(&cli->out, ": ");
    rc_buf_push_u64(&cli->out, count);
    rc_cli_text(&cli->out, count == 1 ? " rule" : " rules");
    rc_cli_text(&cli->out, ", all of them can match\n");
    return RC_EXIT_OK;
}
