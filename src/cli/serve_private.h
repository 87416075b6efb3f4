/* What the files of `recourse serve` share. */
#ifndef RC_CLI_SERVE_PRIVATE_H
#define RC_CLI_SERVE_PRIVATE_H

#include "cli/serve.h"
#include "cli/serve_explain.h"
#include "gateway/admin_audit.h"
#include "gateway/admin_live.h"
#include "gateway/gateway.h"
#include "gateway/log_line.h"
#include "sys/log_sink.h"

#define RC_SERVE_SIGNALS 3
#define RC_SERVE_REFUSAL_MAX 512
/* sysexits.h: a service is not available. */
#define RC_EXIT_UNAVAILABLE 69

typedef struct rc_serve_log {
    bool is_on;
    rc_log_style style;
    rc_log_teller teller;
    rc_log_sink *sink;
    _Atomic uint64_t lost; /* lines that did not even get to it */
} rc_serve_log;

typedef struct serve_run {
    rc_cli *cli;
    const rc_serve_options *options;
    uv_loop_t loop;
    uv_signal_t signals[RC_SERVE_SIGNALS];
    uv_mutex_t talk;     /* of lines that come from any thread */
    rc_gateway *gateway; /* NULL: nothing is left of it */
    rc_admin *admin;     /* NULL: there is none, or nothing is left of it */
    rc_admin_live *live; /* the same */
    rc_admin_works works;
    rc_admin_audit audit;
    rc_serve_explain explain;
    rc_serve_log log;
    bool is_stopping;
    int64_t started_unix_ms;
    int64_t loaded_unix_ms;
    bool is_refused;                    /* the latest configuration was */
    char refusal[RC_SERVE_REFUSAL_MAX]; /* its first line */
} serve_run;

/* ---- serve_run.c ---- */

/* Reads the configuration again. */
bool rc_serve_reload(serve_run *run);
/* Takes no more requests and ends when all are answered. who: wants it, for the log; borrows. */
void rc_serve_drain(serve_run *run, const char *who);

/* "recourse serve: WHAT WHY"; gives the exit status. */
int rc_serve_refuse(rc_cli *cli, const char *what, const char *why, int exit_status);
/* An event: WHAT and the address. */
void rc_serve_log_address(serve_run *run, const char *what, const char *host, uint16_t port);
void rc_serve_push_address(rc_buf *buf, const char *host, uint16_t port);

#endif
