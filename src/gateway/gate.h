/* rc_gate: the gateway. Clients on one side, providers on the other, one loop in between.
 *
 *   client ──► rc_server ──► rc_gate_job ──► rc_upstream | rc_demo ──► provider
 *                               │  ▲
 *                               ▼  │ actions
 *                             rc_call ◄──► rc_shared
 *
 * The loop's thread alone uses it. */
#ifndef RC_GATEWAY_GATE_H
#define RC_GATEWAY_GATE_H

#include <uv.h>

#include "gateway/plan.h"
#include "net/server.h"
#include "sys/calls.h"

typedef struct rc_gate rc_gate;

/* How a request ended, for whoever keeps records. Views during the call alone.
 * */
typedef struct rc_gate_record {
    rc_str method;
    rc_str path;
    rc_str model;    /* as the client named it; empty: it named none */
    rc_str provider; /* that was asked last; empty: none was */
    rc_str target;   /* its model */
    uint32_t attempts;
    int status;              /* that the client got; 0: it left before there was one */
    bool was_begun;          /* content had been passed on when it failed */
    const rc_report *report; /* NULL: it went well */
} rc_gate_record;

typedef struct rc_gate_settings {
    const rc_config *config;   /* borrows until stopped */
    const rc_sys_calls *calls; /* borrows */
    rc_alloc alloc;
    void (*on_record)(void *ctx, const rc_gate_record *record); /* NULL: nobody keeps them */
    void (*on_stopped)(void *ctx); /* nothing is left of the gateway; NULL: nobody waits */
    void *ctx;
} rc_gate_settings;

/* A gateway that does not listen yet. NULL: why is in ret_trouble; the loop has to run once
 * more. loop: borrows until stopped. settings: copies. */
rc_gate *rc_gate_new(uv_loop_t *loop, const rc_gate_settings *settings,
                     rc_gate_trouble *ret_trouble);

/* host: borrows. See rc_server_listen_tcp. */
rc_listen_result rc_gate_listen(rc_gate *gate, const char *host, uint16_t port,
                                rc_listening *ret_listening);

/* Takes no more requests and lets those under way finish, for drain_ms at most; then as close. */
void rc_gate_stop(rc_gate *gate);

/* Cuts everything off. on_stopped follows; the gateway is freed then. May follow stop, and come
 * again. */
void rc_gate_close(rc_gate *gate);

#endif
