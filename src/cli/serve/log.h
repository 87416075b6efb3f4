/* The log of `recourse serve`: one line per request and per event of the process.
 *
 *   json          requests and events, through the log sink, which never blocks
 *   human, file   like json
 *   human         requests through the sink; events directly on standard error
 *   off           no requests; events directly on standard error
 *
 * A reload can change mode and destination while other threads write lines; a line uses the mode
 * that was set when its formatting began. */
#ifndef RC_CLI_SERVE_LOG_H
#define RC_CLI_SERVE_LOG_H

#include "cli/serve/run.h"

/* Opens the log with the format and file of config. Returns RC_EXIT_OK, or the exit status with the
 * reason in err. */
int rc_serve_log_open(rc_serve_run *run, const rc_config_log *config);
void rc_serve_log_close(rc_serve_run *run);

/* Applies the format and file of a reloaded configuration. Returns RC_EXIT_OK, or the exit status
 * with the reason in err; the log is then unchanged. Must be called on the thread of the main
 * loop. */
int rc_serve_log_change(rc_serve_run *run, const rc_config_log *config);

/* Opens the log file by its name again, for log rotation. If opening fails, logs an event and
 * continues with the old file. */
void rc_serve_log_reopen(rc_serve_run *run);

/* Returns whether requests are logged. */
bool rc_serve_log_is_on(const rc_serve_run *run);

/* Returns whether the format of the log is JSON. */
bool rc_serve_log_is_json(const rc_serve_run *run);

/* Returns whether events go to the log; if not, events go to standard error. */
bool rc_serve_log_has_events(const rc_serve_run *run);

/* Returns the number of log lines that were lost so far for any reason. */
uint64_t rc_serve_log_dropped(rc_serve_run *run);

/* Logs an event. May be called on any thread. text: borrows during the call; one line for
 * people. */
void rc_serve_log_event(rc_serve_run *run, rc_log_event event, rc_str text);

/* Logs an event like rc_serve_log_event, but in the human format the line goes to the destination
 * of request lines. */
void rc_serve_log_note(rc_serve_run *run, rc_log_event event, rc_str text);
/* Queues a complete JSON line. line: copies the text. */
void rc_serve_log_line(rc_serve_run *run, rc_str line);

/* Callbacks of rc_gateway_settings (on_record, on_budget, on_quota, on_suppressed, on_store,
 * on_trimmed); called on any thread. ctx: the rc_serve_run. */
void rc_serve_log_record(void *ctx, const rc_exchange_summary *record);
void rc_serve_log_budget(void *ctx, const rc_ledger_notice *notice, rc_str scope);
void rc_serve_log_quota(void *ctx, const rc_quota_warning *notice);
void rc_serve_log_suppressed(void *ctx, rc_str line);
void rc_serve_log_store(void *ctx, const rc_report *why);
void rc_serve_log_trimmed(void *ctx, const rc_store_prune *prune);

#endif
