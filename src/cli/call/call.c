/* `recourse call`: one request, its answer, and what it took. */
#include "cli/call/call.h"

#include <string.h>
#include <sys/prctl.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "sys/file.h"

/* Of the prompt. */
#define TEXT_MAX_BYTES ((size_t)16 << 20)
#define IMAGE_MAX_BYTES ((size_t)20 << 20)
#define RESPONSE_MAX_BYTES ((size_t)64 << 20)
#define TOKEN_MAX_BYTES ((size_t)4096)
/* Of what waits to be written: our words; the answer, for a reader who takes his time. */
#define ERR_MAX_BYTES ((size_t)2 << 20)
#define OUT_MAX_BYTES ((size_t)64 << 20)

static void open_caller(rc_caller *c)
{
    const rc_alloc *alloc = &c->cli->alloc;
    rc_buf_init(&c->text, alloc, TEXT_MAX_BYTES);
    rc_buf_init(&c->token, alloc, TOKEN_MAX_BYTES);
    rc_buf_init(&c->response_text, alloc, RESPONSE_MAX_BYTES);
    for (size_t i = 0; i < RC_CALLER_IMAGES_MAX; i++)
        rc_buf_init(&c->image_bytes[i], alloc, IMAGE_MAX_BYTES);
}

static void close_caller(rc_caller *c)
{
    rc_report_free(c->report);
    rc_report_free(c->own_report);
    rc_secret_wipe_buf(&c->token);
    rc_buf_done(&c->token);
    rc_buf_done(&c->text);
    rc_buf_done(&c->response_text);
    for (size_t i = 0; i < RC_CALLER_IMAGES_MAX; i++)
        rc_buf_done(&c->image_bytes[i]);
    rc_snapshot_input_done(&c->snapshot_input, &c->cli->alloc);
}

/* A shell that runs us in a loop goes on unless we die of what was meant for all of it. */
static void die_by_signal(const rc_caller *c)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    const bool has_output = rc_buf_get(&c->cli->err).len > 0 || rc_buf_get(&c->cli->out).len > 0;
    if ((c->signal != SIGINT && c->signal != SIGQUIT) || has_output)
        return;
    sigemptyset(&action.sa_mask);
    c->calls->signal_action(c->signal, &action, NULL);
    c->calls->raise(c->signal, false);
}

/* A full disk or a lost server can show as late as this. */
static int close_out(rc_caller *c)
{
    const bool is_shared = !c->out.is_own;
    const int early = c->out.error;
    const int late = rc_outlet_done(&c->out);
    if (early != 0 || late != 0)
        return early != 0 ? early : late;
    return is_shared && c->format == RC_CALLER_HUMAN ? rc_fd_close(c->calls, RC_FD_STDOUT) : 0;
}

/* From here on signals are heard, and the terminal is ours to ask for keys. */
static int run_watched(rc_caller *c)
{
    const int error = rc_watch_init(&c->watch, c->calls);
    if (error != 0) {
        rc_cli_err_prefix(c->cli, "call");
        rc_cli_text(&c->cli->err, "signals cannot be watched: ");
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
    /* Whether all of the answer was wanted shows when it is read: before it is summed up. */
    rc_caller_flush(c);
    int result = rc_caller_show_result(c);
    rc_caller_flush(c);
    const int lost = close_out(c);
    if (lost != 0 && result == RC_EXIT_OK)
        result = rc_cli_output_lost(c->cli, lost);
    (void)rc_outlet_done(&c->err_outlet);
    rc_watch_done(&c->watch);
    return result;
}

/* The first line of what was said, without who says it. */
static rc_str first_line(rc_str text)
{
    const rc_str by = RC_STR("recourse call: ");
    const rc_str line = rc_str_slice(text, 0, rc_str_find_byte(text, '\n', 0));
    return rc_str_starts_with(line, by) ? rc_str_slice(line, by.len, line.len) : line;
}

/* A configuration has its faults on several lines, with their places. */
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

/* What went wrong before anything was asked. A mistake in the options is told in words, as
 * everywhere; for a program that reads JSON, everything else is data. */
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
        rc_cli_text(&cli->err, "there is no memory for it\n");
        return RC_EXIT_INTERNAL;
    }
    memset(c, 0, sizeof *c);
    c->cli = cli;
    c->calls = cli->calls;
    /* No core has a key in it, and nobody looks into the process. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    rc_fd_hold_standard(c->calls);
    open_caller(c);
    const int result = run_prepared(c, args);
    close_caller(c);
    die_by_signal(c);
    cli->alloc.put(cli->alloc.ctx, c, sizeof *c);
    return result;
}
