/* `recourse exec -- CMD ARG...`: the state of one run, and the functions that its files share.
 *
 *            ┌──────────── rc_call: try, wait or stop ◄────────────┐
 *            ▼                                                     │
 *   exec.c: run it ──► sys/process ──► exit status, end of stderr ─┴─► report.c: rc_classify
 *            │                         and a report, if it gave one ──► inner.c
 *            └─ wait ──► wait.c: the line, Esc, signals
 *
 *   messages.c: messages for a person; events.c: JSON lines; both are queued and never block */
#ifndef RC_CLI_EXEC_EXEC_H
#define RC_CLI_EXEC_EXEC_H

#include <recourse/call.h>
#include <recourse/id.h>
#include <recourse/report.h>

#include "cli/exec/events.h"
#include "cli/explain/detect.h"
#include "cli/options.h"
#include "sys/process/process.h"

/* Indexes of the options in the command's table. */
enum {
    EXEC_POLICY,
    EXEC_CONFIG,
    EXEC_TRIES,
    EXEC_BUDGET,
    EXEC_EVENTS,
    EXEC_JSON_EVENTS,
    EXEC_QUIET,
    EXEC_COLOUR,
    EXEC_WIDTH,
    EXEC_COUNT
};

/* RC_EXIT_OS is EX_OSERR of sysexits.h: a system call failed. RC_EXIT_INTERRUPTED is the status
 * that a shell gives after Ctrl-C. */
#define RC_EXIT_OS 71
#define RC_EXIT_INTERRUPTED 130
/* The exit status that timeout(1) uses for a command that ran too long. */
#define RC_EXIT_TIMED_OUT 124

#define RC_EXEC_ATTEMPTS_MAX 1000

/* One attempt as the report lists it. `reason` is a static text. */
typedef struct rc_exec_attempt {
    rc_code code;
    int64_t started_unix_ms;
    int64_t duration_ms;
    int64_t wait_ms; /* Wait before the next attempt; -1: none. */
    const char *reason;
} rc_exec_attempt;

/* State of one run of the command. */
typedef struct rc_exec {
    rc_cli *cli;
    const rc_sys_calls *calls;
    const char *const *argv;
    bool is_quiet;
    bool is_single; /* --tries 1: standard input need not be stored for a replay. */
    bool is_json;   /* Standard error gets events instead of messages. */
    unsigned width;
    bool has_colour;

    rc_policy policy;
    rc_chain_entry entry;
    rc_plan plan;
    rc_target target;
    rc_shared shared;
    rc_call call;
    uint64_t deadline_at_ms;

    rc_watch watch;
    rc_tty tty;
    rc_stdin input;
    rc_tail tail;
    rc_tail inner;        /* The end of the text that the command wrote to RECOURSE_REPORT_FD. */
    rc_outlet err_outlet; /* Standard error of the command and of exec. */
    int report_fd;        /* Pipe to an outer exec for the report; -1: none. */
    int end_signal;       /* Signal by which exec must end; 0: none. */

    rc_process_end end;      /* The end of the latest attempt: exit status or signal. */
    const rc_report *report; /* Report of the latest attempt; NULL: the attempt succeeded. */
    int exit_status;
    int cancel_signal;   /* Signal that cancelled the run; 0: none. */
    bool is_cancelled;   /* The user cancelled a wait. */
    const char *refusal; /* The reason for which standard input cannot be replayed; NULL: standard
                          * input can be replayed. */

    rc_exec_attempt attempts[RC_REPORT_ATTEMPTS_MAX]; /* The latest attempts. */
    size_t attempt_count;
    rc_id_maker ids;
    rc_id run_id; /* Correlation id of all events; empty: no entropy. */

    rc_exec_events events;
    rc_detected detected;
    rc_buf cleaned;
} rc_exec;

/* exec.c: the command's run function; returns the exit status. */
int rc_exec_run(rc_cli *cli, const rc_args *args);

/* options.c: reads the options into x; all other members of x except cli and calls are zero.
 * Returns RC_EXIT_OK, or the exit status with the reason in err. */
int rc_exec_read_options(rc_exec *x, const rc_args *args);

/* policy.c: reads the policy with this name into x; the result is as for rc_exec_read_options.
 * name: NULL selects the default policy. path: the configuration; NULL selects the default one,
 * which is loaded only for a name that is no preset. name, path: borrows during the call. */
int rc_exec_read_policy(rc_exec *x, const char *name, const char *path);

/* report.c: gives the report of the latest attempt, never NULL. */
const rc_report *rc_exec_judge(rc_exec *x);

/* Gives the report of the whole run with its attempts, never NULL. action: borrows during the call;
 * the last action of the call. */
const rc_report *rc_exec_finish(rc_exec *x, const rc_action *action);

/* Returns the facts about the latest failure by which the policy decides. */
rc_failure_facts rc_exec_failure_facts(const rc_exec *x);

/* Returns a new id; empty if the system has no entropy. */
rc_id rc_exec_id(rc_exec *x);

/* wait.c: waits until the time of the action. Returns true when this time has come, false if the
 * user cancelled the wait; x->cancel_signal then has the signal, or 0 for Esc. */
bool rc_exec_wait(rc_exec *x, const rc_action *action);

/* messages.c: rc_exec_err_prefix begins a line in the buffer `err`; rc_exec_push_err queues the
 * content of the buffer for standard error, starting on a new line. */
void rc_exec_err_prefix(rc_exec *x, const char *text);
void rc_exec_push_err(rc_exec *x);

/* inner.c: gives the report that the command itself wrote, to RECOURSE_REPORT_FD or in an event on
 * standard error; NULL: the command wrote none. */
const rc_report *rc_exec_inner_report(rc_exec *x);

/* Open, write and close the pipe RECOURSE_REPORT_FD, on which an outer exec expects a report.
 * Without this variable the functions have no effect. */
void rc_exec_outer_open(rc_exec *x);
void rc_exec_outer_write(rc_exec *x, const rc_report *report);
void rc_exec_outer_close(rc_exec *x);

#endif
