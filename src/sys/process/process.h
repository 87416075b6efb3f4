/* Runs a command (recourse exec) once: from its start until none of its processes is left.
 *
 *   start ──► RUNNING ──exit──► CLEARING ──all gone──► DRAINING ──► end
 *               │  ▲               │ SIGTERM, then SIGKILL  │ output left in the pipe
 *       stopped └──┘ continued     ▼ to leftovers           ▼
 *
 * The command has its own process group. The group gets the terminal's foreground at its start if
 * we hold the foreground and our input and output are both terminals, otherwise when the command
 * needs the terminal. The command inherits our standard output. Its standard error is a pipe: the
 * bytes are copied to our standard error, and the last of them are stored in a tail. End signals
 * are forwarded to the group; a group that does not end within the grace period, or before a second
 * end signal, is killed. Leftovers are the processes that remain in the group after the command has
 * exited, and processes in our session that became our children. */
#ifndef RC_SYS_PROCESS_PROCESS_H
#define RC_SYS_PROCESS_PROCESS_H

#include <recourse/str.h>

#include "sys/process/input.h"
#include "sys/tty.h"
#include "sys/watch.h"

/* Environment variable with the number of the descriptor to which a command can write a report of
 * its failure: one JSON object per line, of which the last one is used. */
#define RC_REPORT_FD_NAME "RECOURSE_REPORT_FD"

/* The default size and the maximum size of an rc_tail, which stores the last bytes of a command's
 * output. */
#define RC_TAIL_BYTES ((size_t)16 << 10)
#define RC_TAIL_MAX ((size_t)64 << 10)

typedef struct rc_tail {
    size_t keep; /* Capacity in bytes, at most RC_TAIL_MAX. 0: RC_TAIL_BYTES. */
    size_t len;
    char bytes[2 * RC_TAIL_MAX];
} rc_tail;

void rc_tail_reset(rc_tail *tail);
void rc_tail_push(rc_tail *tail, rc_str bytes);
rc_str rc_tail_get(const rc_tail *tail); /* Returns the last bytes: a view into `tail`. */

typedef struct rc_process_options {
    const char *const *argv; /* The command and its arguments; ends with NULL. */
    rc_stdin *input;
    /* Our standard error, to which the command's standard error is copied. `error_outlet` must be
     * attached to the watch. */
    rc_outlet *error_outlet;
    rc_tail *tail;           /* Receives the last bytes of the command's standard error. */
    rc_tail *report;         /* Receives the last bytes of the command's report
                              * (RC_REPORT_FD_NAME). */
    uint64_t deadline_at_ms; /* Time at which the command gets a signal to end. RC_WATCH_NEVER: no
                              * deadline. */
    uint64_t grace_ms;       /* Time between the end signal and SIGKILL. */
} rc_process_options;

typedef struct rc_process_end {
    int error; /* The errno number if the command could not be started or watched. 0: no error. */
    /* The step that failed, such as "start the command". Set if `error` is not 0. */
    const char *failed_step;
    bool is_started;
    int status;    /* Exit status as in a shell: 0 to 255, or 128 + signal. For a command that could
                    * not be started: 126 or 127, or 0 if the command did not cause the failure. */
    int killed_by; /* The signal that killed the command. 0: the command exited. */
    int signal;    /* The end signal that was forwarded to the command. 0: no signal. */
    bool is_over_deadline;
    bool had_terminal; /* The command had the foreground, so that it got Ctrl-C directly. */
} rc_process_end;

/* Runs a command until it and its leftovers have ended. watch, tty, options: borrows during the
 * call. */
rc_process_end rc_process_run(rc_watch *watch, rc_tty *tty, const rc_process_options *options);

/* Reaps all child processes that have ended, including adopted orphans. */
void rc_process_reap(const rc_sys_calls *calls);

#endif
