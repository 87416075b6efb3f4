/* What `recourse serve` says while it runs: a line for each request and for each thing that happens
 * to the process.
 *
 *   json          all of it, through a sink that keeps nobody waiting
 *   human, file   the same
 *   human         requests through the sink; events as talk on standard error
 *   off           no requests; events as talk
 *
 * Which of these it is, and where lines go, can change while lines are written: each line is of one
 * way, the one that it found. */
#ifndef RC_CLI_SERVE_LOG_H
#define RC_CLI_SERVE_LOG_H

#include "cli/serve/run.h"

/* Opens it as the configuration says. RC_EXIT_OK; else the exit status, and err says why not. */
int rc_serve_log_open(rc_serve_run *run, const rc_config_log *config);
void rc_serve_log_close(rc_serve_run *run);

/* Another edition may want another file or another format. RC_EXIT_OK; else err says why not, and
 * nothing has changed. The thread of the main loop. */
int rc_serve_log_change(rc_serve_run *run, const rc_config_log *config);

/* Opens the file again under its name, as after it was moved away; one that cannot be opened is
 * told of, and the old one goes on. */
void rc_serve_log_reopen(rc_serve_run *run);

/* Are its lines for programs? */
bool rc_serve_log_is_json(const rc_serve_run *run);

/* Are events lines of it? Then nothing else is said of them. */
bool rc_serve_log_has_events(const rc_serve_run *run);

/* Lines that could not be written so far: all of them, for whatever reason. */
uint64_t rc_serve_log_dropped(rc_serve_run *run);

/* Any thread. text: for people, one line; borrows. */
void rc_serve_log_event(rc_serve_run *run, rc_log_event event, rc_str text);

/* The same, but that lines for people go where those of requests do, too. */
void rc_serve_log_note(rc_serve_run *run, rc_log_event event, rc_str text);
/* A whole line of JSON. line: copies. */
void rc_serve_log_line(rc_serve_run *run, rc_str line);

/* rc_gateway_settings.on_record, on_suppressed, on_store, on_trimmed: any thread. ctx: the
 * rc_serve_run. */
void rc_serve_log_record(void *ctx, const rc_exchange_summary *record);
void rc_serve_log_budget(void *ctx, const rc_ledger_notice *notice, rc_str scope);
void rc_serve_log_quota(void *ctx, const rc_quota_warning *notice);
void rc_serve_log_suppressed(void *ctx, rc_str line);
void rc_serve_log_store(void *ctx, const rc_report *why);
void rc_serve_log_trimmed(void *ctx, const rc_store_prune *prune);

#endif
