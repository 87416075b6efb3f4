/* What happens to a command, as events: JSON lines in a file, on standard error, or both.
 *
 *   auto_retry_start, auto_retry_end   each wait and the try behind it, always in pairs
 *   run:completed or run:failed        the last line; a failure with its report
 *
 * Every line goes out at once, or waits in a queue for its reader; nothing waits but the end.
 * A place that cannot be written to is complained of once and then left alone: the command is what
 * matters. */
#ifndef RC_CLI_EXEC_EVENTS_H
#define RC_CLI_EXEC_EVENTS_H

#include <recourse/emitter.h>
#include <recourse/id.h>
#include <recourse/report.h>

#include "cli/cli.h"
#include "sys/process/outlet.h"

/* The caller's storage; the fields are private but for `file`, to be attached to a watch. */
typedef struct rc_exec_events {
    rc_cli *cli;
    rc_outlet *err_outlet; /* standard error, for complaints too */
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

/* path: NULL for no file. 0, or the errno number. cli, talk: borrow until close. */
int rc_exec_events_open(rc_exec_events *events, rc_cli *cli, rc_outlet *err_outlet,
                        const char *path, bool is_on_err);
void rc_exec_events_close(rc_exec_events *events);

/* Is that the errno number of a pipe that nobody reads? */
bool rc_exec_events_is_unread(int error);

/* id: the correlation of all that follows; copies. command: borrows until close. */
void rc_exec_events_begin(rc_exec_events *events, const rc_id *id, const char *command,
                          uint64_t now_ms);

/* Every action of the call, in order. report: of the latest failure; NULL: none. */
void rc_exec_events_emit(rc_exec_events *events, const rc_action *action, const rc_report *report);

/* The end of it: the report of the whole, or NULL when it worked. */
void rc_exec_events_end(rc_exec_events *events, const rc_report *report, uint64_t now_ms);

/* Says so if the file was lost since it was written to last. */
void rc_exec_events_check(rc_exec_events *events);

#endif
