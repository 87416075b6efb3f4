/* rc_gate: one loop of the gateway. Clients on one side, providers on the other.
 *
 *   client ──► rc_server ──► rc_gate_job ──► rc_upstream | rc_demo ──► provider
 *                               │  ▲
 *                               ▼  │ actions
 *                             rc_call ◄──► rc_gate_world ◄── other loops, admin
 *
 * The loop's thread alone uses it. */
#ifndef RC_GATEWAY_GATE_H
#define RC_GATEWAY_GATE_H

#include <uv.h>

#include "gateway/plan.h"
#include "gateway/world.h"
#include "net/server.h"
#include "store/record.h"
#include "sys/calls.h"

typedef struct rc_gate rc_gate;

/* How a request ended, for whoever keeps count. Views during the call alone. */
typedef struct rc_gate_record {
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
    bool was_begun;          /* content had been passed on when it failed */
    bool is_committed;       /* content was passed on, however it ended */
    const rc_report *report; /* NULL: it went well */
} rc_gate_record;

/* A provider's limit is nearly used up. Views during the call alone. */
typedef struct rc_gate_quota {
    rc_str request_id; /* whose answer said so */
    rc_str target;     /* "provider/model" */
    rc_str credential; /* an id; empty: no key was used */
    const rc_quota *quota;
    int64_t unix_ms;
} rc_gate_quota;

/* How a loop is doing: written by its thread, read by any. */
typedef struct rc_gate_pulse {
    atomic_uint connections;
    atomic_uint in_flight;
    atomic_uint upstream_idle;
    atomic_uint upstream_busy;
    atomic_ullong requests;
    atomic_ullong stalls;
} rc_gate_pulse;

typedef struct rc_gate_settings {
    rc_gate_pulse *pulse;      /* borrows until stopped; NULL: nobody wants to know */
    rc_gate_world *world;      /* borrows until stopped; it has plans */
    uint32_t loop_number;      /* from 0: whose shard of the metrics it writes */
    const rc_sys_calls *calls; /* borrows */
    rc_alloc alloc;
    /* NULL: nobody wants to know. */
    void (*on_record)(void *record_ctx, const rc_gate_record *record);
    /* A budget nears its end, is used up, or has somebody wait. scope: views. */
    void (*on_budget)(void *record_ctx, const rc_spend_news *news, rc_str scope);
    /* A provider says that one of its limits is nearly used up: once until it renews. */
    void (*on_quota)(void *record_ctx, const rc_gate_quota *news);
    void *record_ctx;
    void (*on_stopped)(void *ctx); /* nothing is left of it; NULL: nobody waits */
    void *ctx;
} rc_gate_settings;

/* A gateway that does not listen yet. NULL: no memory; the loop has to run once more. loop: borrows
 * until stopped. settings: copies. */
rc_gate *rc_gate_new(uv_loop_t *loop, const rc_gate_settings *settings);

/* host: borrows. share: other loops listen there too. See rc_server_listen_tcp. */
rc_listen_result rc_gate_listen(rc_gate *gate, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening);

/* A socket that listens already. See rc_server_listen_fd. */
rc_listen_result rc_gate_listen_fd(rc_gate *gate, int fd, rc_listening *ret_listening);

/* A connection that is open already. See rc_server_adopt. */
bool rc_gate_adopt(rc_gate *gate, int fd);

/* Takes no more requests and lets those under way finish, for drain_ms at most; then as close. */
void rc_gate_stop(rc_gate *gate);

/* Cuts everything off. on_stopped follows; the gateway is freed then. May follow stop, and come
 * again. */
void rc_gate_close(rc_gate *gate);

#endif
