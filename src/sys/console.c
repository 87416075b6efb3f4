/* The user's terminal while a command waits. Called by recourse call and recourse exec. */
#include "sys/console.h"

#include "sys/file.h"
#include "sys/process/process.h"

/* Maximum number of bytes of the line with its control sequences. */
#define LINE_BYTES ((size_t)4096 + RC_STATUS_LINE_EXTRA)

void rc_console_check(rc_console *console)
{
    console->has_foreground = rc_tty_is_ours(console->tty);
    console->has_keys =
        console->wants_keys && console->has_foreground && rc_tty_keys_begin(console->tty);
}

bool rc_console_is_live(const rc_console *console)
{
    return console->line.is_live && console->has_foreground;
}

/* ---- the line ---- */

void rc_console_clear(rc_console *console)
{
    char scratch[RC_STATUS_LINE_EXTRA];
    rc_buf buf;
    if (!console->line.is_drawn)
        return;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_status_line_erase(&console->line, &buf);
    rc_outlet_push(console->err, rc_buf_get(&buf));
    console->err->is_mid_line = false;
}

void rc_console_draw(rc_console *console, rc_str line)
{
    char scratch[LINE_BYTES];
    rc_buf buf;
    const bool was_drawn = console->line.is_drawn;
    if (!rc_console_is_live(console) || !rc_outlet_is_empty(console->err))
        return;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_status_line_draw(&console->line, &buf, line);
    if (!was_drawn)
        rc_outlet_begin_line(console->err);
    console->line.is_drawn = rc_outlet_push(console->err, rc_buf_get(&buf)) || was_drawn;
}

/* ---- signals and keys ---- */

static void suspend(rc_console *console)
{
    rc_console_clear(console);
    rc_tty_keys_end(console->tty);
    rc_watch_suspend(console->watch);
    rc_console_check(console);
}

/* Sets key mode again after a stop, because the shell may have changed the terminal's modes in the
 * meantime. */
static void on_continue(rc_console *console)
{
    rc_tty_keys_forget(console->tty);
    rc_console_check(console);
}

static void on_resize(rc_console *console)
{
    const int columns = console->watch->calls->columns(RC_FD_STDERR);
    if (columns > 0 && !console->is_width_fixed)
        console->line.width = (unsigned)columns;
}

static rc_wake read_signals(rc_console *console)
{
    int signal = rc_watch_signal(console->watch);
    for (; signal > 0; signal = rc_watch_signal(console->watch)) {
        if (rc_signal_is_end(signal))
            return RC_WAKE_SIGNAL;
        if (signal == SIGTSTP)
            suspend(console);
        else if (signal == SIGCONT)
            on_continue(console);
        else if (signal == SIGWINCH)
            on_resize(console);
        else if (signal == SIGCHLD)
            rc_process_reap(console->watch->calls);
    }
    return signal == 0 ? RC_WAKE_NONE : RC_WAKE_FAILED;
}

rc_wake rc_console_poll(rc_console *console, uint64_t until_ms)
{
    struct pollfd fds[2] = {
        {.fd = console->watch->signal_fd, .events = POLLIN},
        {.fd = console->has_keys ? console->tty->fd : -1, .events = POLLIN},
    };
    if (rc_watch_poll(console->watch, fds, 2, until_ms) != 0)
        return RC_WAKE_FAILED;
    const rc_wake wake = fds[0].revents != 0 ? read_signals(console) : RC_WAKE_NONE;
    if (wake != RC_WAKE_NONE || fds[1].revents == 0 || !console->has_keys)
        return wake;
    return rc_tty_read_escape(console->tty) ? RC_WAKE_ESCAPE : RC_WAKE_NONE;
}

void rc_console_end(rc_console *console)
{
    rc_console_clear(console);
    rc_tty_keys_end(console->tty);
    console->wants_keys = console->has_keys = false;
}
