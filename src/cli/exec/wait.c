/* The wait before a retry: draws the countdown line; Esc and signals end the wait at once. Called
 * by exec.c. */
#include "cli/exec/exec.h"
#include "sys/console.h"
#include "ui/wait_line.h"

#define SECOND_MS 1000u
#define LINE_BYTES 512

typedef struct waiting {
    rc_exec *x;
    rc_console console;
    rc_wait_line line;
    uint64_t at_ms;
} waiting;

static void draw(waiting *w)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    const uint64_t now_ms = w->x->watch.now_ms;
    w->line.left_ms = w->at_ms > now_ms ? w->at_ms - now_ms : 0;
    w->line.has_keys = w->console.has_keys;
    w->line.width = rc_status_line_columns(&w->console.line);
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_wait_line_push(&buf, &w->line);
    rc_console_draw(&w->console, rc_buf_get(&buf));
}

/* Prints one line about the wait if standard error cannot be redrawn: a file, a log, a dumb
 * terminal. */
static void push_plain_line(const waiting *w)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_wait_line_push_plain(&buf, "exec", &w->line);
    rc_outlet_begin_line(&w->x->err_outlet);
    rc_outlet_push(&w->x->err_outlet, rc_buf_get(&buf));
}

static uint64_t next_tick(const waiting *w)
{
    uint64_t now_ms = w->x->watch.now_ms;
    if (w->at_ms <= now_ms)
        return now_ms;
    uint64_t part_ms = (w->at_ms - now_ms) % SECOND_MS;
    bool is_ticking = w->console.line.is_live || w->x->tty.fd >= 0;
    return is_ticking ? now_ms + (part_ms > 0 ? part_ms : SECOND_MS) : w->at_ms;
}

static rc_wake step(waiting *w)
{
    rc_console_check(&w->console);
    draw(w);
    return rc_console_poll(&w->console, next_tick(w));
}

bool rc_exec_wait(rc_exec *x, const rc_action *action)
{
    const rc_terminal *terminal = &x->cli->err_terminal;
    const bool is_verbose = !x->is_quiet && !x->is_json;
    waiting w = {
        .x = x,
        .console = {.watch = &x->watch,
                    .tty = &x->tty,
                    .err = &x->err_outlet,
                    .line = {.is_live = is_verbose && terminal->can_redraw,
                             .width = x->width > 0 ? x->width : terminal->width},
                    .wants_keys = true,
                    .is_width_fixed = x->width > 0},
        .at_ms = action->at_ms,
        .line = {.retry = action->attempt,
                 .max_retries = action->max_attempts - 1,
                 .left_ms = action->wait_ms,
                 .code = rc_report_code(x->report),
                 .has_utf8 = terminal->has_utf8},
    };
    rc_console_check(&w.console);
    if (is_verbose && !rc_console_is_live(&w.console))
        push_plain_line(&w);
    rc_wake wake = step(&w);
    while (wake == RC_WAKE_NONE && x->watch.now_ms < w.at_ms)
        wake = step(&w);
    rc_console_end(&w.console);
    if (wake == RC_WAKE_FAILED)
        x->refusal = "the wait failed";
    x->is_cancelled = wake == RC_WAKE_SIGNAL || wake == RC_WAKE_ESCAPE;
    x->cancel_signal = wake == RC_WAKE_SIGNAL ? x->watch.end_signal : 0;
    return wake == RC_WAKE_NONE;
}
