/* One run of a command: from its start to the moment when nothing of it is left.
 *
 *   start ──► RUNNING ──exit──► CLEARING ──nothing left──► DRAINING ──► end
 *               │  ▲               │ SIGTERM, then SIGKILL     │ what is still in the pipe
 *       stopped └──┘ continued     ▼ to what stays behind      ▼
 *
 * The command has a process group of its own, which holds the terminal's foreground if we did and
 * both our input and our output are a terminal, or when it asks for it. Its standard output is
 * ours. Its standard error is a pipe that is copied to ours as it comes, with its end kept. Signals
 * that ask for an end are passed on to the group; one that does not end within the grace, or
 * until a second signal, is killed. What stays behind is what is left in the group, and whoever
 * has become our child in our session. */
#ifndef RC_SYS_PROCESS_PROCESS_H
#define RC_SYS_PROCESS_PROCESS_H

#include <recourse/str.h>

#include "sys/process/input.h"
#include "sys/process/watch.h"
#include "sys/tty.h"

/* The variable that names the descriptor on which a command can give the report of its failure:
 * one JSON object in a line; the last line counts. */
#define RC_REPORT_FD_NAME "RECOURSE_REPORT_FD"

/* The end of what a command says. */
#define RC_TAIL_BYTES ((size_t)16 << 10)
#define RC_TAIL_MAX ((size_t)64 << 10)

typedef struct rc_tail {
    size_t keep; /* bytes, up to RC_TAIL_MAX; 0: RC_TAIL_BYTES */
    size_t len;
    char bytes[2 * RC_TAIL_MAX];
} rc_tail;

void rc_tail_reset(rc_tail *tail);
void rc_tail_push(rc_tail *tail, rc_str bytes);
rc_str rc_tail_get(const rc_tail *tail); /* views tail */

typedef struct rc_process_options {
    const char *const *argv; /* ends with NULL */
    rc_stdin *input;
    rc_outlet *error_outlet; /* where its standard error goes; attached to the watch */
    rc_tail *tail;           /* the end of its standard error */
    rc_tail *report;         /* the end of what it wrote as RC_REPORT_FD_NAME says */
    uint64_t deadline_at_ms; /* when it is ended; RC_WATCH_NEVER */
    uint64_t grace_ms;       /* between asking for an end and SIGKILL */
} rc_process_options;

typedef struct rc_process_end {
    int error; /* it could not be started or not be watched: the errno number; else 0 */
    const char *failed_step; /* of an error: what we were about to do, "start it" */
    bool is_started;
    int status; /* as a shell gives it: 0..255, 128 + signal; of what was not started 126 or 127, or
                    0 when that was not the command's fault */
    int killed_by; /* the signal that killed it; 0: it ended by itself */
    int signal;    /* that asked for an end and was passed on; 0: none */
    bool is_over_deadline;
    bool had_terminal; /* it was in the foreground: Ctrl-C was its own */
} rc_process_end;

/* Runs it. watch, tty, plan: borrow. */
rc_process_end rc_process_run(rc_watch *watch, rc_tty *tty, const rc_process_options *options);

/* Takes leave of adopted processes that have ended. */
void rc_process_reap(const rc_sys_calls *calls);

#endif
