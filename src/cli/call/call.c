/* `recourse call`: sends one request and prints the response and its totals. Contains the run
 * function of the command, which is called from command.c. */
#include "cli/call/call.h"

#include <string.h>
#include <sys/prctl.h>

#include <recourse/builder.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/error_text.h"
#include "sys/file.h"

/* Limits of the prompt, of one image and of the response. */
#define TEXT_MAX_BYTES ((size_t)16 << 20)
#define IMAGE_MAX_BYTES ((size_t)20 << 20)
#define RESPONSE_MAX_BYTES ((size_t)64 << 20)
/* Limits of output that waits for a slow reader: ERR_MAX_BYTES for messages, OUT_MAX_BYTES for the
 * response. */
#define ERR_MAX_BYTES ((size_t)2 << 20)
#define OUT_MAX_BYTES ((size_t)64 << 20)

void rc_caller_fail(rc_caller *c, rc_code code, rc_str message, rc_str advice)
{
    rc_builder builder;
    rc_builder_init(&builder, &c->cli->alloc, code);
    rc_cli_set_identity(c->cli, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, message);
    const rc_code_info *info = rc_code_get(code);
    if (advice.len > 0 && info != NULL)
        rc_builder_set_action(&builder, info->action, advice);
    if (c->model.len > 0)
        rc_builder_set_model(&builder, c->model);
    rc_report_free(c->report);
    c->report = rc_builder_finish(&builder);
}

static void open_caller(rc_caller *c)
{
    const rc_alloc *alloc = &c->cli->alloc;
    rc_buf_init(&c->text, alloc, TEXT_MAX_BYTES);
    rc_buf_init(&c->response_text, alloc, RESPONSE_MAX_BYTES);
    for (size_t i = 0; i < RC_CALLER_IMAGES_MAX; i++)
        rc_buf_init(&c->image_bytes[i], alloc, IMAGE_MAX_BYTES);
}

static void close_caller(rc_caller *c)
{
    rc_report_free(c->report);
    rc_buf_done(&c->text);
    rc_buf_done(&c->response_text);
    for (size_t i = 0; i < RC_CALLER_IMAGES_MAX; i++)
        rc_buf_done(&c->image_bytes[i]);
    rc_snapshot_input_done(&c->snapshot_input, &c->cli->alloc);
}

static void die_by_signal(const rc_caller *c)
{
    const bool has_output = rc_buf_get(&c->cli->err).len > 0 || rc_buf_get(&c->cli->out).len > 0;
    if ((c->signal == SIGINT || c->signal == SIGQUIT) && !has_output)
        rc_signal_die(c->calls, c->signal, false);
}

/* Closes standard output and returns the first error of writing or closing. The system may report a
 * full disk only on close. */
static int close_out(rc_caller *c)
{
    const bool is_shared = !c->out.is_own;
    const int early = c->out.error;
    const int late = rc_outlet_done(&c->out);
    if (early != 0 || late != 0)
        return early != 0 ? early : late;
    return is_shared && c->format == RC_CALLER_HUMAN ? rc_fd_close(c->calls, RC_FD_STDOUT) : 0;
}

static void flush(rc_caller *c)
{
    const int signal = rc_watch_flush(&c->watch, c->signal != 0);
    if (signal != 0)
        c->signal = signal;
}

/* Runs the call while signals are watched and keys of the terminal are read. */
static int run_watched(rc_caller *c)
{
    const int error = rc_watch_init(&c->watch, c->calls);
    if (error != 0) {
        rc_cli_err_prefix(c->cli, "call");
        rc_cli_text(&c->cli->err, "cannot watch signals: ");
        rc_cli_text(&c->cli->err, rc_sys_error_text(error));
        rc_buf_push_byte(&c->cli->err, '\n');
        return RC_EXIT_INTERNAL;
    }
    rc_outlet_init(&c->err_outlet, c->calls, &c->cli->alloc, RC_FD_STDERR, ERR_MAX_BYTES);
    rc_outlet_init(&c->out, c->calls, &c->cli->alloc, RC_FD_STDOUT, OUT_MAX_BYTES);
    rc_watch_attach(&c->watch, &c->err_outlet);
    rc_watch_attach(&c->watch, &c->out);
    rc_tty_init(&c->tty, c->calls);
    rc_caller_send(c);
    rc_tty_done(&c->tty);
    /* Flushes before the result is shown, because an error while writing the response changes the
     * result. */
    flush(c);
    int result = rc_caller_show_result(c);
    flush(c);
    const int lost = close_out(c);
    if (lost != 0 && result == RC_EXIT_OK)
        result = rc_cli_output_lost(c->cli, lost);
    (void)rc_outlet_done(&c->err_outlet);
    rc_watch_done(&c->watch);
    return result;
}

/* Returns the first line of a message without the prefix "recourse call: ". */
static rc_str first_line(rc_str text)
{
    const rc_str prefix = RC_STR("recourse call: ");
    const rc_str line = rc_str_slice(text, 0, rc_str_find_byte(text, '\n', 0));
    return rc_str_starts_with(line, prefix) ? rc_str_slice(line, prefix.len, line.len) : line;
}

/* Makes a report from the message in err: from all lines for the faults of a configuration, else
 * from the first line. */
static void fail_with_text(rc_caller *c, int result)
{
    const rc_str text = rc_buf_get(&c->cli->err);
    if (result == RC_EXIT_CONFIG)
        rc_caller_fail(c, RC_CODE_CONFIG_SCHEMA_VIOLATION, rc_str_trim(text), RC_STR(""));
    else
        rc_caller_fail(c, RC_CODE_INVALID_REQUEST, first_line(text),
                       result == RC_EXIT_NO_INPUT ? RC_STR("Name a file that can be read.")
                                                  : RC_STR("Correct the command line."));
}

/* Prints a failure from before the request was sent. A usage error in the options is always printed
 * as text. With the formats JSON and Markdown other failures are printed as a report. */
static int show_refusal(rc_caller *c, int result, bool is_of_options)
{
    rc_cli *cli = c->cli;
    if (c->report == NULL && c->format != RC_CALLER_HUMAN &&
        (!is_of_options || result != RC_EXIT_USAGE)) {
        fail_with_text(c, result);
        rc_buf_reset(&cli->err);
        (void)rc_caller_show_result(c);
        return result;
    }
    return c->report != NULL ? rc_caller_show_result(c) : result;
}

static int run_prepared(rc_caller *c, const rc_args *args)
{
    int result = rc_caller_read_options(c, args);
    const bool is_of_options = result != RC_EXIT_OK;
    if (result == RC_EXIT_OK)
        result = rc_caller_choose_target(c);
    if (result == RC_EXIT_OK)
        result = rc_caller_read_images(c, args);
    if (result == RC_EXIT_OK)
        result = rc_caller_read_prompt(c, args);
    return result == RC_EXIT_OK ? run_watched(c) : show_refusal(c, result, is_of_options);
}

int rc_caller_run(rc_cli *cli, const rc_args *args)
{
    rc_caller *c = cli->alloc.get(cli->alloc.ctx, sizeof *c);
    if (c == NULL) {
        rc_cli_err_prefix(cli, "call");
        rc_cli_text(&cli->err, "out of memory\n");
        return RC_EXIT_INTERNAL;
    }
    memset(c, 0, sizeof *c);
    c->cli = cli;
    c->calls = cli->calls;
    /* Disables core dumps and ptrace, because the process holds API keys. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    rc_fd_hold_standard(c->calls);
    open_caller(c);
    const int result = run_prepared(c, args);
    close_caller(c);
    die_by_signal(c);
    cli->alloc.put(cli->alloc.ctx, c, sizeof *c);
    return result;
}
