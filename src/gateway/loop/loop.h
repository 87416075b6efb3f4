/* rc_loop: one event loop of the gateway. The loop accepts clients' requests and sends them to
 * providers.
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
    rc_loop_stats *stats;      /* Borrows until on_stopped. NULL: the counters are not published. */
    rc_hub *hub;               /* Borrows until on_stopped. Must already have a snapshot of the
                                * configuration. */
    uint32_t loop_number;      /* Index of this loop, from 0. Chooses the metrics shard that this
                                * loop writes. */
    const rc_sys_calls *calls; /* Borrows until on_stopped. */
    rc_alloc alloc;
    rc_exchange_observer observer;
    void (*on_stopped)(void *ctx); /* Called after the loop was freed; may be NULL. */
    void *ctx;
} rc_loop_settings;

/* Makes a loop that does not listen yet. uv_loop: borrows until on_stopped. settings: copies the
 * struct. Returns NULL if memory runs out; the caller must then run the uv loop once more, so that
 * handles that were already opened are closed. */
rc_loop *rc_loop_new(uv_loop_t *uv_loop, const rc_loop_settings *settings);

/* Listens at an address. host: borrows during the call. share: true if other loops listen at the
 * same address. See rc_server_listen_tcp. */
rc_listen_result rc_loop_listen(rc_loop *loop, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening);

/* Listens on a socket that is open already. See rc_server_listen_fd. */
rc_listen_result rc_loop_listen_fd(rc_loop *loop, int fd, rc_listening *ret_listening);

/* Serves a connection that is open already. See rc_server_adopt. */
bool rc_loop_adopt(rc_loop *loop, int fd);

/* Stops accepting requests. Requests in progress get up to drain_ms to finish; then the loop closes
 * as after rc_loop_close. */
void rc_loop_stop(rc_loop *loop);

/* Closes all connections at once. After that the loop is freed, and on_stopped is called. May be
 * called after rc_loop_stop, and more than once. */
void rc_loop_close(rc_loop *loop);

#endif
