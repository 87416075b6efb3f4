/* What the files of `recourse serve` share. */
#ifndef RC_CLI_SERVE_RUN_H
#define RC_CLI_SERVE_RUN_H

#include "cli/serve/explain.h"
#include "cli/serve/fixed.h"
#include "cli/serve/serve.h"
#include "gateway/admin/audit.h"
#include "gateway/admin/live.h"
#include "gateway/gateway.h"
#include "gateway/observe/log_line.h"
#include "sys/log_sink.h"

#define RC_SERVE_SIGNALS 10
#define RC_SERVE_REFUSAL_MAX 512
/* sysexits.h: a service is not available. */
#define RC_EXIT_UNAVAILABLE 69

/* By rc_config_log_format, for standard error and for a file. */
#define RC_SERVE_LOG_MODES 8

typedef struct rc_serve_log_mode {
    bool is_on;      /* then there is a sink */
    bool has_events; /* of all that happens, and not of requests alone */
    rc_log_style style;
} rc_serve_log_mode;

typedef struct rc_serve_log {
    rc_serve_log_mode modes[RC_SERVE_LOG_MODES];
    _Atomic(const rc_serve_log_mode *) mode; /* one of them; NULL: it is not open */
    rc_log_sink *sink;                       /* NULL: it was never on */
    _Atomic uint64_t dropped;                /* lines that did not even get to it */
    bool is_unread;                          /* talk's: standard error takes nothing more */
} rc_serve_log;

typedef struct rc_serve_run {
    rc_cli *cli;
    const rc_serve_options *options;
    uv_loop_t loop;
    uv_signal_t signals[RC_SERVE_SIGNALS];
    uv_mutex_t err_lock; /* of lines that come from any thread */
    rc_gateway *gateway; /* NULL: nothing is left of it */
    rc_admin *admin;     /* NULL: there is none, or nothing is left of it */
    rc_admin_live *live; /* the same */
    rc_admin_task_pool works;
    rc_admin_audit audit;
    rc_serve_explain explain;
    rc_serve_log log;
    rc_serve_fixed fixed;
    rc_str needs_restart[RC_SERVE_FIXED_KEYS]; /* keys of the newest edition that need a restart */
    size_t needs_restart_count;
    bool is_stopping;
    bool is_forced; /* asked for a second time */
    int64_t started_unix_ms;
    int64_t loaded_unix_ms;
    bool is_refused;                    /* the latest configuration was */
    char refusal[RC_SERVE_REFUSAL_MAX]; /* its first line */
} rc_serve_run;

/* ---- serve_reload.c ---- */

/* Reads the configuration again. False: why is in refusal, and the old one goes on. action: who
 * wants it, and why, for the audit; borrows. */
bool rc_serve_reload(rc_serve_run *run, const rc_admin_action *action);
/* Tells the log of targets without a price that budgets count. */
void rc_serve_log_unpriced(rc_serve_run *run);

/* ---- serve_signals.c ---- */

/* Hears what does not ask for the end, from the first moment on; it is done when the loop runs. */
void rc_serve_signals_open(rc_serve_run *run);
/* Hears the rest. */
void rc_serve_signals_open_end(rc_serve_run *run);
void rc_serve_signals_close(rc_serve_run *run);

/* ---- serve_state.c ---- */

/* Writes into the log what there is now. */
void rc_serve_log_state(rc_serve_run *run);

/* ---- serve_admin.c ---- */

/* What there is now. As rc_admin_source.look; ctx: the rc_serve_run. */
bool rc_serve_read_state(void *ctx, rc_arena *arena, rc_admin_snapshot *ret_snapshot);

/* ---- serve_force.c ---- */

/* Ends the process soon, whatever it waits for, unless it has ended by then. */
void rc_serve_force_end(void);

/* ---- rc_serve_run.c ---- */

/* Adds the next step to why a configuration cannot be used, where there is one. */
void rc_serve_add_advice(rc_load_error *load_error);
/* Takes no more requests and ends when all are answered. who: wants it, for the log; borrows. */
void rc_serve_drain(rc_serve_run *run, const char *who);

/* "recourse serve: WHAT WHY"; gives the exit status. */
int rc_serve_refuse(rc_cli *cli, const char *what, const char *why, int exit_status);
/* An event: WHAT and the address. */
void rc_serve_log_address(rc_serve_run *run, const char *what, const char *host, uint16_t port);
void rc_serve_push_address(rc_buf *buf, const char *host, uint16_t port);

#endif
