/* The wait before a retry: draws the countdown line and handles Esc and signals, which end the wait
 * at once. Called by exec.c. */
#include <signal.h>

#include "cli/exec/exec.h"
#include "sys/file.h"
#include "ui/wait_line.h"

#define SECOND_MS 1000u
#define LINE_BYTES 512

typedef struct waiting {
    rc_exec *x;
    rc_wait_line line;
    uint64_t at_ms;
    bool can_draw;     /* Standard error is a terminal whose lines can be redrawn. */
    bool is_drawn;     /* The status line is on the screen. */
    bool has_terminal; /* The process is in the terminal's foreground. */
    bool is_keyless;   /* The terminal no longer delivers keys. */
    bool is_over;
    bool is_elapsed; /* The wait ended because its time has come. */
} waiting;

/* ---- countdown line ---- */

static void clear(waiting *w)
{
    if (!w->is_drawn)
        return;
    rc_outlet_push(&w->x->err_outlet, RC_STR("\r\x1b[K"));
    w->x->err_outlet.is_mid_line = false;
    w->is_drawn = false;
}

/* Redraws the line. Skipped while standard error is blocked: the line would be outdated. */
static void draw(waiting *w)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    if (!w->can_draw || !w->has_terminal || !rc_outlet_is_empty(&w->x->err_outlet))
        return;
    uint64_t now_ms = w->x->watch.now_ms;
    w->line.left_ms = w->at_ms > now_ms ? w->at_ms - now_ms : 0;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_buf_push(&buf, RC_STR("\r"));
    rc_wait_line_push(&buf, &w->line);
    rc_buf_push(&buf, RC_STR("\x1b[K"));
    if (!w->is_drawn)
        rc_outlet_begin_line(&w->x->err_outlet);
    w->is_drawn = rc_outlet_push(&w->x->err_outlet, rc_buf_get(&buf)) || w->is_drawn;
}

/* Prints one permanent line where nothing can be redrawn: a file, a log, a dumb terminal. */
static void push_plain_line(const waiting *w)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_wait_line_push_plain(&buf, "exec", &w->line);
    rc_outlet_begin_line(&w->x->err_outlet);
    rc_outlet_push(&w->x->err_outlet, rc_buf_get(&buf));
}

/* ---- signals and keys ---- */

static void stop_waiting(waiting *w, int signal)
{
    w->is_over = true;
    w->x->is_cancelled = true;
    w->x->cancel_signal = signal;
}

/* Called every second: the shell may move the process to the foreground without a signal. */
static void check_terminal(waiting *w)
{
    rc_tty *tty = &w->x->tty;
    w->has_terminal = rc_tty_is_ours(tty);
    w->line.has_keys = w->has_terminal && !w->is_keyless && rc_tty_keys_begin(tty);
}

static void suspend(waiting *w)
{
    clear(w);
    rc_tty_keys_end(&w->x->tty);
    rc_watch_suspend(&w->x->watch);
    check_terminal(w);
}

static void on_resize(waiting *w)
{
    int columns = w->x->calls->columns(RC_FD_STDERR);
    if (columns > 0)
        w->line.width = (unsigned)columns - 1;
}

/* The shell may have changed the terminal's modes while we were stopped: set them again. */
static void on_continue(waiting *w)
{
    rc_tty_keys_forget(&w->x->tty);
    w->is_keyless = false;
    check_terminal(w);
}

static void on_signals(waiting *w)
{
    int signal = rc_watch_signal(&w->x->watch);
    while (signal > 0 && !w->is_over) {
        if (rc_signal_is_end(signal))
            stop_waiting(w, signal);
        else if (signal == SIGTSTP)
            suspend(w);
        else if (signal == SIGCHLD)
            rc_process_reap(w->x->calls);
        else if (signal == SIGWINCH)
            on_resize(w);
        else if (signal == SIGCONT)
            on_continue(w);
        signal = rc_watch_signal(&w->x->watch);
    }
    if (signal >= 0)
        return;
    w->x->refusal = "signals cannot be read";
    w->is_over = true;
}

static void on_key(waiting *w)
{
    rc_keypress key = rc_tty_read_key(&w->x->tty);
    if (key == RC_KEYPRESS_ESCAPE)
        stop_waiting(w, 0);
    else if (key == RC_KEYPRESS_CLOSED)
        w->is_keyless = true;
}

static uint64_t next_tick(const waiting *w)
{
    uint64_t now_ms = w->x->watch.now_ms;
    if (w->at_ms <= now_ms)
        return now_ms;
    uint64_t part_ms = (w->at_ms - now_ms) % SECOND_MS;
    bool is_ticking = w->can_draw || w->x->tty.fd >= 0;
    return is_ticking ? now_ms + (part_ms > 0 ? part_ms : SECOND_MS) : w->at_ms;
}

static void step(waiting *w)
{
    check_terminal(w);
    draw(w);
    struct pollfd fds[2] = {
        {.fd = w->x->watch.signal_fd, .events = POLLIN},
        {.fd = w->line.has_keys ? w->x->tty.fd : -1, .events = POLLIN},
    };
    if (rc_watch_poll(&w->x->watch, fds, 2, next_tick(w)) != 0) {
        w->x->refusal = "the wait cannot be kept";
        w->is_over = true;
        return;
    }
    if (fds[0].revents != 0)
        on_signals(w);
    if (!w->is_over && fds[1].revents != 0)
        on_key(w);
    if (!w->is_over && w->x->watch.now_ms >= w->at_ms)
        w->is_over = w->is_elapsed = true;
}

bool rc_exec_wait(rc_exec *x, const rc_action *action)
{
    unsigned width = x->width > 0 ? x->width : x->cli->err_terminal.width;
    waiting w = {
        .x = x,
        .at_ms = action->at_ms,
        .line = {.retry = action->attempt,
                 .max_retries = action->max_attempts - 1,
                 .left_ms = action->wait_ms,
                 .code = rc_report_code(x->report),
                 .has_utf8 = x->cli->err_terminal.has_utf8,
                 .width =
                     width > 1 ? width - 1 : 1}, /* Some terminals wrap after the last column. */
    };
    bool is_verbose = !x->is_quiet && !x->is_json;
    w.can_draw = is_verbose &&
                 rc_wait_line_is_live(x->cli->err_terminal.is_tty, x->cli->calls->getenv("TERM"));
    check_terminal(&w);
    if (is_verbose && !(w.can_draw && w.has_terminal))
        push_plain_line(&w);
    while (!w.is_over)
        step(&w);
    clear(&w);
    rc_tty_keys_end(&x->tty);
    return w.is_elapsed;
}
