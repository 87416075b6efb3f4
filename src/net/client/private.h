/* The internal interface of the upstream client's files.
 *
 *   call   one request: sending, reading, its end
 *   pool   the connections of one origin, and the calls that wait for one
 *   dial   from a name to an open connection
 *   link   one connection: socket, TLS, timer
 *
 * Parts listed first call those listed after them; events go up through the functions at the end of
 * this file. A call, its dial and its link point to each other; these pointers are cleared before a
 * callback into the owner. */
#ifndef RC_NET_CLIENT_PRIVATE_H
#define RC_NET_CLIENT_PRIVATE_H

#include "net/client/upstream.h"
#include "net/tls/tls.h"

#define RC_UPSTREAM_READ_BYTES ((size_t)64 << 10)
#define RC_UPSTREAM_POOL_SLOTS 64

typedef struct rc_link rc_link;
typedef struct rc_dial rc_dial;
typedef struct rc_pool rc_pool;

typedef enum rc_call_state {
    RC_CALL_NONE = 0, /* Zeroed storage, or the call has ended. */
    RC_CALL_QUEUED = 1,
    RC_CALL_DIALING = 2,
    RC_CALL_HEAD = 3, /* Sends the request and waits for the response's head. */
    RC_CALL_BODY = 4,
    RC_CALL_WHOLE = 5, /* The response is complete and no byte has followed it. */
    RC_CALL_DIRTY = 6  /* The response is complete, but bytes or an end of the connection followed:
                        * no reuse. */
} rc_call_state;

struct rc_upstream {
    uv_loop_t *loop;
    rc_upstream_settings settings;
    rc_pool *pools[RC_UPSTREAM_POOL_SLOTS];
    rc_upstream_call *live;
    rc_upstream_counts counts;
    rc_resolver resolver;
    rc_tls *tls;
    bool owns_tls;
    rc_tls_sink *sink; /* NULL until a TLS connection is opened; the same holds for `plain`. */
    char *plain;
    uint32_t handles; /* Handles that are open or closing; the resolver counts as one. */
    bool is_closing;
    uv_timer_t close_timer; /* Closed in rc_upstream_close, so that on_closed always comes from the
                             * loop. */
    void (*on_closed)(void *ctx);
    void *closed_ctx;
    char read[RC_UPSTREAM_READ_BYTES];
};

static inline void *rc_upstream_get(const rc_upstream *upstream, size_t size)
{
    return upstream->settings.alloc.get(upstream->settings.alloc.ctx, size);
}
static inline void rc_upstream_put(const rc_upstream *upstream, void *ptr, size_t size)
{
    if (ptr != NULL)
        upstream->settings.alloc.put(upstream->settings.alloc.ctx, ptr, size);
}

/* Counts a closed handle. The last one frees a closing upstream. */
void rc_upstream_on_handle_closed(rc_upstream *upstream);

/* Creates the loop's TLS buffers and context on first use. False: no memory or no trust store. */
bool rc_upstream_has_tls(rc_upstream *upstream);

/* Assigns a connection to the call and sends the request. False: a reused connection was closed
 * before a byte was sent; the call is unchanged. */
bool rc_upstream_attach(rc_upstream_call *call, rc_link *link, bool was_reused);

/* Ends the call: releases everything it holds, then calls on_failure. text: the message; NULL: the
 * kind's own text. */
void rc_upstream_fail(rc_upstream_call *call, rc_upstream_kind kind, const char *text);

/* Ends the call whose response is complete: calls on_end. */
void rc_upstream_succeed(rc_upstream_call *call);

/* Events of a busy link. on_bytes and on_settled may end the call; link->call is then no longer
 * this call. */
void rc_upstream_on_bytes(rc_upstream_call *call, rc_str bytes);
void rc_upstream_on_settled(rc_upstream_call *call);
void rc_upstream_on_peer_end(rc_upstream_call *call, bool is_clean);
/* The connection is lost: sends the request again on a new one if that is safe, else fails the
 * call. */
void rc_upstream_on_lost(rc_upstream_call *call, rc_upstream_kind kind);
void rc_upstream_on_written(rc_upstream_call *call, bool is_ok);
void rc_upstream_on_timer(rc_upstream_call *call);

/* send.c: sends what can be sent. A failed write sets is_send_broken and is not reported yet. */
void rc_upstream_pump(rc_upstream_call *call);
/* Bytes that the kernel has not accepted. */
size_t rc_upstream_unsent(const rc_upstream_call *call);
/* Whether the call waits for the first byte of the body. */
static inline bool rc_upstream_awaits_body(const rc_upstream_call *call)
{
    return call->is_sent && call->body_bytes == 0;
}
/* Sets the link's deadline to the limit of the call's current state. */
void rc_upstream_set_deadline(rc_upstream_call *call);

#endif
