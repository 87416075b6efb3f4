/* `recourse exec -- CMD ARG...`: what its parts share.
 *
 *            ┌──────────── rc_call: try, wait or stop ◄────────────┐
 *            ▼                                                     │
 *   exec.c: run it ──► sys/process ──► exit status, end of stderr ─┴─► exec_report.c: rc_judge
 *            │                         and a report, if it gave one ──► exec_inner.c
 *            └─ wait ──► exec_wait.c: the line, Esc, signals
 *
 *   exec_talk.c: all our words, exec_events.c: JSON lines; both in queues that nobody waits for */
#ifndef RC_CLI_EXEC_EXEC_H
#define RC_CLI_EXEC_EXEC_H

#include <recourse/call.h>
#include <recourse/id.h>
#include <recourse/report.h>

#include "cli/exec/events.h"
#include "cli/explain/detect.h"
#include "cli/options.h"
#include "sys/process/process.h"

/* The options, by their place in the table. */
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

/* sysexits.h: the system failed us; and what a shell gives after Ctrl-C. */
#define RC_EXIT_OS 71
#define RC_EXIT_INTERRUPTED 130
/* As timeout(1) does. */
#define RC_EXIT_TIMED_OUT 124

#define RC_EXEC_ATTEMPTS_MAX 1000

/* One try, for the report. The reasons are static texts. */
typedef struct rc_exec_attempt {
    rc_code code;
    int64_t started_unix_ms;
    int64_t duration_ms;
    int64_t wait_ms; /* before the next one; -1: none */
    const char *reason;
} rc_exec_attempt;

/* One run of the command. */
typedef struct rc_exec {
    rc_cli *cli;
    const rc_sys_calls *calls;
    const char *const *argv;
    bool is_quiet;
    bool is_single; /* one try was asked for: input need not be kept */
    bool is_json;   /* events on standard error, in place of words */
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
    rc_tail inner;        /* what the command wrote where RECOURSE_REPORT_FD says */
    rc_outlet err_outlet; /* standard error: the command's and ours */
    int report_fd;        /* where whoever started us wants our report; -1: nowhere */
    int end_signal;       /* the signal that we end with as the command did; 0: none */

    rc_process_end end;      /* of the latest try */
    const rc_report *report; /* what it means; NULL: it worked */
    int exit_status;
    int cancel_signal;   /* a signal; 0: none */
    bool is_cancelled;   /* by the person who waits */
    const char *refusal; /* why there is no other try although there could be; NULL */

    rc_exec_attempt attempts[RC_REPORT_ATTEMPTS_MAX]; /* the latest */
    size_t attempt_count;
    rc_id_maker ids;
    rc_id run_id; /* the correlation of all events; empty without entropy */

    rc_exec_events events;
    rc_detected detected;
    rc_buf cleaned;
} rc_exec;

/* exec.c. The command. */
int rc_exec_run(rc_cli *cli, const rc_args *args);

/* exec_options.c. Reads the options into x, which is zero but for cli and
 * calls. RC_EXIT_OK, or the exit status with the reason in err. */
int rc_exec_read_options(rc_exec *x, const rc_args *args);

/* exec_policy.c. The policy of that name into x; the same results. name: NULL for the default.
 * path: NULL for the configuration that is found, if it is needed. Both borrow. */
int rc_exec_read_policy(rc_exec *x, const char *name, const char *path);

/* exec_report.c. What the latest try means; never NULL, the caller's to free. */
const rc_report *rc_exec_judge(rc_exec *x);

/* The report of the whole run, with its tries. Never NULL, the caller's to free. action: the last
 * one, borrows. */
const rc_report *rc_exec_finish(rc_exec *x, const rc_action *action);

/* What the policy needs to know of the latest failure. */
rc_failure_facts rc_exec_failure_facts(const rc_exec *x);

/* An id; empty without entropy. */
rc_id rc_exec_id(rc_exec *x);

/* exec_wait.c. Waits until the action's time. True: it has come. False: cancelled, and x says by
 * whom. */
bool rc_exec_wait(rc_exec *x, const rc_action *action);

/* exec_talk.c. Begins a line on err; the words go out with rc_exec_push_err, on a line of their
 * own. */
void rc_exec_err_prefix(rc_exec *x, const char *text);
void rc_exec_push_err(rc_exec *x);

/* Writes what is queued, until there is nothing left or a signal says that nobody wants it. */
void rc_exec_flush(rc_exec *x);

/* exec_inner.c. The report that the command itself gave: where RECOURSE_REPORT_FD says, else in an
 * event among its words. NULL: none. The caller's to free. */
const rc_report *rc_exec_inner_report(rc_exec *x);

/* Takes the place that whoever started us wants a report at, if any; and writes ours there. */
void rc_exec_outer_open(rc_exec *x);
void rc_exec_outer_write(rc_exec *x, const rc_report *report);
void rc_exec_outer_close(rc_exec *x);

#endif
