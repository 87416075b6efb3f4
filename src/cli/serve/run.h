/* State of a running `recourse serve`, and the functions that its files share. */
#ifndef RC_CLI_SERVE_RUN_H
#define RC_CLI_SERVE_RUN_H

#include "cli/serve/explain.h"
#include "cli/serve/fixed.h"
#include "cli/serve/serve.h"
#include "gateway/admin/audit.h"
#include "gateway/gateway.h"
#include "gateway/observe/log_line.h"
#include "sys/log_sink.h"

typedef struct rc_admin_live rc_admin_live;

#define RC_SERVE_SIGNALS 10
#define RC_SERVE_REFUSAL_MAX 512
/* EX_UNAVAILABLE of sysexits.h. */
#define RC_EXIT_UNAVAILABLE 69

/* Number of log modes: two for each rc_config_log_format, for standard error and for a file. */
#define RC_SERVE_LOG_MODES 8

typedef struct rc_serve_log_mode {
    bool is_on;      /* Request lines are written to the log sink. */
    bool has_events; /* Events go to the sink, too. */
    rc_log_style style;
} rc_serve_log_mode;

typedef struct rc_serve_log {
    rc_serve_log_mode modes[RC_SERVE_LOG_MODES];
    _Atomic(const rc_serve_log_mode *) mode; /* The current mode; NULL: the log is not open. */
    rc_log_sink *sink;                       /* NULL: the log is not open or was always off. */
    _Atomic uint64_t dropped;                /* Lines lost before they reached the sink. */
    bool is_unread; /* The pipe at standard error is full. err_lock guards this. */
} rc_serve_log;

typedef struct rc_serve_run {
    rc_cli *cli;
    const rc_serve_options *options;
    uv_loop_t loop;
    uv_signal_t signals[RC_SERVE_SIGNALS];
    uv_mutex_t err_lock; /* Guards standard error, to which any thread writes. */
    rc_gateway *gateway; /* NULL: not started or stopped. */
    rc_admin *admin;     /* NULL: not configured, or stopped. */
    rc_admin_live *live; /* NULL: not configured, or stopped. */
    rc_admin_task_pool works;
    rc_admin_audit audit;
    rc_serve_explain explain;
    rc_serve_log log;
    rc_serve_fixed fixed;
    rc_str needs_restart[RC_SERVE_FIXED_KEYS]; /* Keys whose change needs a restart. */
    size_t needs_restart_count;
    bool is_stopping;
    bool is_forced; /* A second signal requested the immediate end. */
    int64_t started_unix_ms;
    int64_t loaded_unix_ms;
    bool is_refused;                    /* The latest reload was refused. */
    char refusal[RC_SERVE_REFUSAL_MAX]; /* First line of the reason of the refusal. */
} rc_serve_run;

/* ---- reload.c ---- */

/* Reloads the configuration. Returns false with the reason in run->refusal if that failed; the old
 * configuration then stays in use. action: borrows during the call; the record for the audit, with
 * the requester of the reload. */
bool rc_serve_reload(rc_serve_run *run, const rc_admin_action *action);
/* Logs the targets that a budget applies to but that have no price. */
void rc_serve_log_unpriced(rc_serve_run *run);

/* ---- signals.c ---- */

/* Starts to handle the signals that do not end the process; called at the start. A signal has its
 * effect when the loop runs. */
void rc_serve_signals_open(rc_serve_run *run);
/* Starts to handle the signals that end the process. */
void rc_serve_signals_open_end(rc_serve_run *run);
void rc_serve_signals_close(rc_serve_run *run);

/* ---- state.c ---- */

/* Writes the current state to the log. */
void rc_serve_log_state(rc_serve_run *run);

/* ---- admin.c ---- */

/* Fills a snapshot of the current state: the callback rc_admin_source.fill_snapshot. ctx: the
 * rc_serve_run. */
bool rc_serve_read_state(void *ctx, rc_arena *arena, rc_admin_snapshot *ret_snapshot);

/* ---- force.c ---- */

/* Ends the process after a grace period, even if one of its threads hangs. */
void rc_serve_force_end(void);

/* ---- run.c ---- */

/* Appends advice to a load error, if the error has advice. Defined in reload.c. */
void rc_serve_add_advice(rc_load_error *load_error);
/* Accepts no new requests, and stops the gateway when all requests in flight have ended. requester:
 * borrows during the call; the text for the log. */
void rc_serve_drain(rc_serve_run *run, const char *requester);

/* Prints "recourse serve: MESSAGE DETAIL"; returns exit_status. */
int rc_serve_refuse(rc_cli *cli, const char *message, const char *detail, int exit_status);
/* rc_serve_log_address logs a "listening" event with label and address; rc_serve_push_address
 * appends "HOST:PORT". */
void rc_serve_log_address(rc_serve_run *run, const char *label, const char *host, uint16_t port);
void rc_serve_push_address(rc_buf *buf, const char *host, uint16_t port);

#endif
