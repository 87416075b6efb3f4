/* Messages of `recourse exec` on standard error, between those of the command. Called by all files
 * of the command. */
#include "cli/exec/exec.h"

/* Time limit for the remaining output after a signal that ends the process. */
#define LAST_FLUSH_MS 500u

void rc_exec_err_prefix(rc_exec *x, const char *text)
{
    rc_cli_err_prefix(x->cli, "exec");
    rc_cli_text(&x->cli->err, text);
}

void rc_exec_push_err(rc_exec *x)
{
    rc_str text = rc_buf_get(&x->cli->err);
    if (text.len == 0)
        return;
    /* The terminal has echoed "^C", so the cursor is not at the start of a line. */
    if (x->end_signal == SIGINT && x->end.had_terminal && x->cli->err_terminal.is_tty)
        x->err_outlet.is_mid_line = true;
    rc_outlet_begin_line(&x->err_outlet);
    /* A message that does not fit the queue stays in err and is written at the very end. */
    if (rc_outlet_push(&x->err_outlet, text))
        rc_buf_reset(&x->cli->err);
}

static bool is_written(const rc_exec *x)
{
    return rc_outlet_is_empty(&x->err_outlet) && rc_outlet_is_empty(&x->events.file);
}

/* Reads all pending signals. Returns true if one of them asks the process to end. */
static bool has_end_signal(rc_exec *x)
{
    bool is_end = false;
    int signal = rc_watch_signal(&x->watch);
    for (; signal > 0; signal = rc_watch_signal(&x->watch)) {
        is_end = is_end || rc_signal_is_end(signal);
        if (signal == SIGTSTP)
            rc_watch_suspend(&x->watch);
    }
    return is_end || signal < 0;
}

void rc_exec_flush(rc_exec *x)
{
    bool is_hurried = x->end.signal != 0 || x->cancel_signal != 0;
    uint64_t until_ms = is_hurried ? x->watch.now_ms + LAST_FLUSH_MS : RC_WATCH_NEVER;
    while (!is_written(x) && x->watch.now_ms < until_ms) {
        struct pollfd fd = {.fd = x->watch.signal_fd, .events = POLLIN};
        if (rc_watch_poll(&x->watch, &fd, 1, until_ms) != 0)
            return;
        if (fd.revents != 0 && has_end_signal(x))
            return;
    }
}
