/* rc_console: the user's terminal while a command waits: Esc, stops, and one line that is redrawn.
 *
 *   rc_console_poll ──► rc_watch_poll ──┬─ end signal, Esc ──► the caller
 *                                       └─ stop, continue, resize, ended children: handled here */
#ifndef RC_SYS_CONSOLE_H
#define RC_SYS_CONSOLE_H

#include "sys/outlet.h"
#include "sys/status_line.h"
#include "sys/tty.h"
#include "sys/watch.h"

/* The caller's storage: watch, tty, err, line, wants_keys and is_width_fixed are set by the caller,
 * the other members are zero at first. */
typedef struct rc_console {
    rc_watch *watch; /* Borrows, as the next two. */
    rc_tty *tty;     /* Not opened: has no keys. */
    rc_outlet *err;  /* Standard error, which shows the line. */
    rc_status_line line;
    bool wants_keys;     /* Esc is read while the process is in the foreground. */
    bool is_width_fixed; /* A resize does not change the width. */
    bool has_foreground; /* State of the latest check, as has_keys. */
    bool has_keys;
} rc_console;

typedef enum rc_wake {
    RC_WAKE_NONE = 0, /* The time has come, or something that concerns nobody here. */
    RC_WAKE_SIGNAL,   /* An end signal: watch->end_signal. */
    RC_WAKE_ESCAPE,   /* The user pressed Esc. */
    RC_WAKE_FAILED    /* Signals can no longer be read, or poll failed. */
} rc_wake;

/* Finds out whether the process is in the foreground, and then reads keys. Call it every second:
 * the shell may move the process to the foreground without a signal. */
void rc_console_check(rc_console *console);

/* Whether the line is redrawn, instead of printing lines that stay. */
bool rc_console_is_live(const rc_console *console);

/* Draws the line in place of the last one. Nothing is drawn while standard error is blocked: the
 * line would be outdated. line: borrows. */
void rc_console_draw(rc_console *console, rc_str line);

/* Removes the line. Call it before standard error or the same terminal is written to. */
void rc_console_clear(rc_console *console);

/* Waits once for an event until until_ms. */
rc_wake rc_console_poll(rc_console *console, uint64_t until_ms);

/* Removes the line and restores the terminal's modes. Signals are still handled by polls. */
void rc_console_end(rc_console *console);

#endif
