/* rc_console: the user's terminal while a command waits. Reads the Esc key, handles Ctrl-Z
 * (stopping the process), and shows one line that is redrawn in place.
 *
 *   rc_console_poll ──► rc_watch_poll ──┬─ end signal, Esc ──► the caller
 *                                       └─ stop, continue, resize, ended children: handled here */
#ifndef RC_SYS_CONSOLE_H
#define RC_SYS_CONSOLE_H

#include "sys/outlet.h"
#include "sys/status_line.h"
#include "sys/tty.h"
#include "sys/watch.h"

/* Lives in the caller's storage. The caller sets `watch`, `tty`, `err`, `line`, `wants_keys` and
 * `is_width_fixed`, and zeroes the other members. */
typedef struct rc_console {
    rc_watch *watch; /* The console borrows `watch`, `tty` and `err`. */
    rc_tty *tty;     /* The terminal. Keys are read from it if it is open. */
    rc_outlet *err;  /* Standard error, on which the line is drawn. */
    rc_status_line line;
    bool wants_keys;     /* The Esc key is read while the process is in the foreground. */
    bool is_width_fixed; /* A resize does not change the width. */
    bool has_foreground; /* Result of the latest rc_console_check. */
    bool has_keys;
} rc_console;

typedef enum rc_wake {
    RC_WAKE_NONE = 0, /* The time until_ms has passed, or an event happened that the caller need not
                       * handle. */
    RC_WAKE_SIGNAL,   /* An end signal arrived; watch->end_signal has its number. */
    RC_WAKE_ESCAPE,   /* The user pressed Esc. */
    RC_WAKE_FAILED    /* Signals can no longer be read, or poll(2) failed. */
} rc_wake;

/* Checks whether the process is in the foreground. Keys are read only while the process is in the
 * foreground. The caller calls rc_console_check every second, because the shell may move the
 * process to the foreground without a signal. */
void rc_console_check(rc_console *console);

/* Returns whether the line is redrawn in place. If the terminal cannot redraw a line, the caller
 * prints separate lines instead. */
bool rc_console_is_live(const rc_console *console);

/* Draws `line` in place of the previous line. Nothing is drawn while standard error accepts no
 * bytes, because the line would be outdated when it appeared. line: borrows during the call. */
void rc_console_draw(rc_console *console, rc_str line);

/* Removes the line. Must be called before the caller writes to standard error or to the same
 * terminal. */
void rc_console_clear(rc_console *console);

/* Waits for one event, until the time until_ms at the latest. */
rc_wake rc_console_poll(rc_console *console, uint64_t until_ms);

/* Removes the line and restores the terminal's modes. Later polls still handle signals. */
void rc_console_end(rc_console *console);

#endif
