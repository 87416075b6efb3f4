/* One run of a command: from its start until none of its processes is left.
 *
 *   start ──► RUNNING ──exit──► CLEARING ──all gone──► DRAINING ──► end
 *               │  ▲               │ SIGTERM, then SIGKILL  │ output left in the pipe
 *       stopped └──┘ continued     ▼ to leftovers           ▼
 *
 * The command has its own process group. The group gets the terminal's foreground if we hold it and
 * our input and output are both terminals, or when the command needs it. Its standard output is
 * ours. Its standard error is a pipe that is copied to ours, and its tail is kept. End signals are
 * forwarded to the group; a group that does not end within the grace period, or before a second
 * signal, is killed. Leftovers are the processes that remain in the group, and those that became
 * our children in our session. */
#ifndef RC_SYS_PROCESS_PROCESS_H
#define RC_SYS_PROCESS_PROCESS_H

#include <recourse/str.h>

#include "sys/process/input.h"
#include "sys/tty.h"
#include "sys/watch.h"

/* The variable that names the descriptor on which a command can report its failure: one JSON object
 * per line; the last line counts. */
#define RC_REPORT_FD_NAME "RECOURSE_REPORT_FD"

/* The last bytes of a command's output. */
#define RC_TAIL_BYTES ((size_t)16 << 10)
#define RC_TAIL_MAX ((size_t)64 << 10)

typedef struct rc_tail {
    size_t keep; /* Capacity in bytes, up to RC_TAIL_MAX; 0: RC_TAIL_BYTES. */
    size_t len;
    char bytes[2 * RC_TAIL_MAX];
} rc_tail;

void rc_tail_reset(rc_tail *tail);
void rc_tail_push(rc_tail *tail, rc_str bytes);
rc_str rc_tail_get(const rc_tail *tail); /* Gives the last bytes; views tail. */

typedef struct rc_process_options {
    const char *const *argv; /* The command and its arguments; ends with NULL. */
    rc_stdin *input;
    rc_outlet *error_outlet; /* Receives the command's standard error; attached to the watch. */
    rc_tail *tail;           /* Receives the end of its standard error. */
    rc_tail *report;         /* Receives the end of its report (RC_REPORT_FD_NAME). */
    uint64_t deadline_at_ms; /* When the command is ended; RC_WATCH_NEVER: no deadline. */
    uint64_t grace_ms;       /* Time between the end signal and SIGKILL. */
} rc_process_options;

typedef struct rc_process_end {
    int error; /* Why the command could not be started or watched: the errno number; else 0. */
    const char *failed_step; /* If error is set: the step that failed, such as "start it". */
    bool is_started;
    int status; /* As in a shell: 0 to 255, or 128 + signal. A command that was not started: 126 or
                 * 127, or 0 if that was not its fault. */
    int killed_by; /* The signal that killed it; 0: it exited. */
    int signal;    /* The end signal that was forwarded; 0: none. */
    bool is_over_deadline;
    bool had_terminal; /* The command had the foreground: Ctrl-C went to it directly. */
} rc_process_end;

/* Runs a command to its end. watch, tty, options: borrows. */
rc_process_end rc_process_run(rc_watch *watch, rc_tty *tty, const rc_process_options *options);

/* Reaps adopted processes that have ended. */
void rc_process_reap(const rc_sys_calls *calls);

#endif
