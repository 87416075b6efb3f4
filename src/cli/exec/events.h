/* rc_exec_events: events of a command's run as JSON lines, in a file, on standard error, or both.
 *
 *   auto_retry_start, auto_retry_end   each wait and the attempt after it, always in pairs
 *   run:completed or run:failed        the last line; a failure with its report
 *
 * A line is written at once, or queued until its reader is ready; only the end of the run waits for
 * the queue. After a write error the output is closed with one warning: the command has
 * priority. */
#ifndef RC_CLI_EXEC_EVENTS_H
#define RC_CLI_EXEC_EVENTS_H

#include <recourse/emitter.h>
#include <recourse/id.h>
#include <recourse/report.h>

#include "cli/cli.h"
#include "sys/outlet.h"

/* Caller's storage; all members are private except `file`, which is attached to a watch. */
typedef struct rc_exec_events {
    rc_cli *cli;
    rc_outlet *err_outlet; /* Standard error; also receives the warnings. */
    rc_outlet file;
    bool has_file;
    bool is_on_err;
    rc_id id;
    uint64_t next_seq;
    rc_emitter emitter;
    const char *command;
    uint64_t started_ms;
    rc_buf lines;
} rc_exec_events;

/* Opens the file. path: NULL for no file. Returns 0 or an errno value. cli, err_outlet: borrow
 * until close. */
int rc_exec_events_open(rc_exec_events *events, rc_cli *cli, rc_outlet *err_outlet,
                        const char *path, bool is_on_err);
void rc_exec_events_close(rc_exec_events *events);

/* Is that the errno value of a pipe without a reader? */
bool rc_exec_events_is_unread(int error);

/* Starts a run. id: correlation id of all its events; copies. command: borrows until close. */
void rc_exec_events_begin(rc_exec_events *events, const rc_id *id, const char *command,
                          uint64_t now_ms);

/* Emits the events of one action; called for every action of the call, in order. report: that of
 * the latest failure; NULL: none. */
void rc_exec_events_emit(rc_exec_events *events, const rc_action *action, const rc_report *report);

/* Emits the last event. report: that of the whole run; NULL: the command succeeded. */
void rc_exec_events_end(rc_exec_events *events, const rc_report *report, uint64_t now_ms);

/* Warns and closes the file if writing to it has failed since the last call. */
void rc_exec_events_check(rc_exec_events *events);

#endif
