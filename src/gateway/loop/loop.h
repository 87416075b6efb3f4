/* rc_loop: one loop of the gateway. Clients on one side, providers on the other.
 *
 *   client ──► rc_server ──► rc_exchange ──► rc_upstream | rc_demo ──► provider
 *                               │  ▲
 *                               ▼  │ actions
 *                             rc_call ◄──► rc_hub ◄── other loops, admin
 *
 * The loop's thread alone uses it. */
#ifndef RC_GATEWAY_LOOP_LOOP_H
#define RC_GATEWAY_LOOP_LOOP_H

#include <uv.h>

#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/server/server.h"
#include "store/record.h"
#include "sys/calls.h"

typedef struct rc_loop rc_loop;

/* How a request ended, for whoever keeps count. Views during the call alone. */
typedef struct rc_exchange_summary {
    rc_str method;
    rc_str path;
    rc_str request_id;
    rc_str client;   /* empty: none is configured */
    rc_str route;    /* empty: it came to none */
    rc_str model;    /* as the client named it; empty: it named none */
    rc_str provider; /* that was asked last; empty: none was */
    rc_str target;   /* its model */
    rc_outcome outcome;
    uint32_t attempts;
    uint32_t switches;
    uint64_t wait_ms;
    uint64_t latency_ms;
    int64_t first_byte_ms; /* until the first byte for the client; -1: there was none */
    uint64_t bytes;        /* of the answer's body */
    int status;            /* that the client got; 0: it left before there was one */
    int64_t tokens_in;     /* of all tries; -1: not known */
    int64_t tokens_out;
    int64_t cost_usd_micro; /* -1: not known */
    bool is_estimated;      /* some of that is */
    rc_str trace_id;        /* empty: none */
    uint32_t client_retry;  /* which of the client's own retries it was; 0: none */
    bool is_stream;
    bool was_partly_sent;    /* content had been passed on when it failed */
    bool is_committed;       /* content was passed on, however it ended */
    const rc_report *report; /* NULL: it went well */
} rc_exchange_summary;

/* A provider's limit is nearly used up. Views during the call alone. */
typedef struct rc_quota_warning {
    rc_str request_id; /* whose answer said so */
    rc_str target;     /* "provider/model" */
    rc_str credential; /* an id; empty: no key was used */
    const rc_quota *quota;
    int64_t unix_ms;
} rc_quota_warning;

/* How a loop is doing: written by its thread, read by any. */
typedef struct rc_loop_stats {
    atomic_uint connections;
    atomic_uint in_flight;
    atomic_uint upstream_idle;
    atomic_uint upstream_busy;
    atomic_ullong requests;
    atomic_ullong stalls;
} rc_loop_stats;

typedef struct rc_loop_settings {
    rc_loop_stats *stats;      /* borrows until stopped; NULL: nobody wants to know */
    rc_hub *hub;               /* borrows until stopped; it has plans */
    uint32_t loop_number;      /* from 0: whose shard of the metrics it writes */
    const rc_sys_calls *calls; /* borrows */
    rc_alloc alloc;
    /* NULL: nobody wants to know. */
    void (*on_record)(void *record_ctx, const rc_exchange_summary *record);
    /* A budget nears its end, is used up, or has somebody wait. scope: views. */
    void (*on_budget)(void *record_ctx, const rc_ledger_notice *notice, rc_str scope);
    /* A provider says that one of its limits is nearly used up: once until it renews. */
    void (*on_quota)(void *record_ctx, const rc_quota_warning *notice);
    void *record_ctx;
    void (*on_stopped)(void *ctx); /* nothing is left of it; NULL: nobody waits */
    void *ctx;
} rc_loop_settings;

/* A gateway that does not listen yet. NULL: no memory; the loop has to run once more. loop: borrows
 * until stopped. settings: copies. */
rc_loop *rc_loop_new(uv_loop_t *loop, const rc_loop_settings *settings);

/* host: borrows. share: other loops listen there too. See rc_server_listen_tcp. */
rc_listen_result rc_loop_listen(rc_loop *loop, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening);

/* A socket that listens already. See rc_server_listen_fd. */
rc_listen_result rc_loop_listen_fd(rc_loop *loop, int fd, rc_listening *ret_listening);

/* A connection that is open already. See rc_server_adopt. */
bool rc_loop_adopt(rc_loop *loop, int fd);

/* Takes no more requests and lets those under way finish, for drain_ms at most; then as close. */
void rc_loop_stop(rc_loop *loop);

/* Cuts everything off. on_stopped follows; the gateway is freed then. May follow stop, and come
 * again. */
void rc_loop_close(rc_loop *loop);

#endif
