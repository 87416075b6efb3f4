/* rc_exec_events: writes the events of one run as JSON lines to a file, to standard error, or to
 * both.
 *
 *   auto_retry_start, auto_retry_end   each wait and the attempt after it, always in pairs
 *   run:completed or run:failed        the last line; a failure with its report
 *
 * A line is written immediately, or queued until the reader is ready; exec waits for the queue only
 * at the end of the run. After a write error the output is closed with one warning and the command
 * runs on. */
#ifndef RC_CLI_EXEC_EVENTS_H
#define RC_CLI_EXEC_EVENTS_H

#include <recourse/emitter.h>
#include <recourse/id.h>
#include <recourse/report.h>

#include "cli/cli.h"
#include "sys/outlet.h"

/* Caller's storage. All members are private except `file`, an outlet that the caller attaches to
 * its rc_watch (the wait for signals and outputs). */
typedef struct rc_exec_events {
    rc_cli *cli;
    rc_outlet *err_outlet; /* Standard error, which also gets the warnings. */
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

/* Opens the file. path: NULL: no file. is_on_err: events also go to standard error. Returns 0 or an
 * errno value. cli, err_outlet: borrows until rc_exec_events_close. */
int rc_exec_events_open(rc_exec_events *events, rc_cli *cli, rc_outlet *err_outlet,
                        const char *path, bool is_on_err);
void rc_exec_events_close(rc_exec_events *events);

/* Returns whether `error` is the errno value for a pipe or FIFO without a reader. */
bool rc_exec_events_is_unread(int error);

/* Starts a run. id: copies; the correlation id of all events. command: borrows until
 * rc_exec_events_close. */
void rc_exec_events_begin(rc_exec_events *events, const rc_id *id, const char *command,
                          uint64_t now_ms);

/* Writes the events of one action; must be called for every action of the call, in order. report:
 * borrows during the call; the report of the latest failure; NULL: none. */
void rc_exec_events_emit(rc_exec_events *events, const rc_action *action, const rc_report *report);

/* Writes the last event. report: borrows during the call; the report of the whole run; NULL: the
 * command succeeded. */
void rc_exec_events_end(rc_exec_events *events, const rc_report *report, uint64_t now_ms);

/* Prints a warning and closes the file if writing to the file has failed since the last call. */
void rc_exec_events_check(rc_exec_events *events);

#endif
