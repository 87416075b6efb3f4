/* rc_loop: one event loop of the gateway. It accepts clients' requests and sends them to providers.
 *
 *   client ──► rc_server ──► rc_exchange ──► rc_upstream | rc_demo ──► provider
 *                               │  ▲
 *                               ▼  │ actions
 *                             rc_call ◄──► rc_hub ◄── other loops, admin
 *
 * Only the loop's own thread calls these functions. */
#ifndef RC_GATEWAY_LOOP_LOOP_H
#define RC_GATEWAY_LOOP_LOOP_H

#include <uv.h>

#include "gateway/observe/exchange_summary.h"
#include "gateway/observe/loop_stats.h"
#include "net/server/server.h"

typedef struct rc_hub rc_hub;
typedef struct rc_loop rc_loop;
typedef struct rc_sys_calls rc_sys_calls;

typedef struct rc_loop_settings {
    rc_loop_stats *stats;      /* Borrows until on_stopped. NULL: not published. */
    rc_hub *hub;               /* Borrows until on_stopped. Has a snapshot. */
    uint32_t loop_number;      /* From 0. Chooses the metrics shard that this loop writes. */
    const rc_sys_calls *calls; /* Borrows. */
    rc_alloc alloc;
    rc_exchange_observer observer;
    void (*on_stopped)(void *ctx); /* The loop is freed. NULL: not called. */
    void *ctx;
} rc_loop_settings;

/* Makes a loop that does not listen yet. uv_loop: borrows until on_stopped. settings: copies. NULL:
 * out of memory; run the uv loop once more so that half-opened handles are closed. */
rc_loop *rc_loop_new(uv_loop_t *uv_loop, const rc_loop_settings *settings);

/* Listens at an address. host: borrows. share: whether other loops listen there too. See
 * rc_server_listen_tcp. */
rc_listen_result rc_loop_listen(rc_loop *loop, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening);

/* Listens on a socket that is open already. See rc_server_listen_fd. */
rc_listen_result rc_loop_listen_fd(rc_loop *loop, int fd, rc_listening *ret_listening);

/* Serves a connection that is open already. See rc_server_adopt. */
bool rc_loop_adopt(rc_loop *loop, int fd);

/* Accepts no more requests and gives those in progress up to drain_ms to finish; then as
 * rc_loop_close. */
void rc_loop_stop(rc_loop *loop);

/* Closes all connections at once. on_stopped follows, and the loop is freed then. May follow
 * rc_loop_stop, and may be called twice. */
void rc_loop_close(rc_loop *loop);

#endif
