/* What the parts of the upstream client know of each other.
 *
 *   upstream_call  one request: what is sent, what is read, when it is over
 *   pool           the connections of one origin, and the calls that wait for one
 *   dial           from a name to a connection that is ready
 *   link           one connection: socket, TLS, timer
 *
 * Calls go down, events come up through the functions at the end of this file. A call, a dial and a
 * link know each other by pointers that are cleared before a callback into the owner, never after.
 */
#ifndef RC_NET_CLIENT_PRIVATE_H
#define RC_NET_CLIENT_PRIVATE_H

#include "net/client/upstream.h"

#define RC_UPSTREAM_READ_BYTES ((size_t)64 << 10)
#define RC_UPSTREAM_POOL_SLOTS 64

typedef struct rc_link rc_link;
typedef struct rc_dial rc_dial;
typedef struct rc_pool rc_pool;

typedef enum rc_call_state {
    RC_CALL_NONE = 0, /* zeroed storage, or over */
    RC_CALL_QUEUED = 1,
    RC_CALL_DIALING = 2,
    RC_CALL_HEAD = 3, /* sends, and waits for the response's head */
    RC_CALL_BODY = 4,
    RC_CALL_WHOLE = 5, /* the response is there; a look at what is behind it */
    RC_CALL_DIRTY = 6  /* the same, and there was something behind it */
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
    rc_tls_sink *sink; /* NULL until TLS is needed; plain as well */
    char *plain;
    uint32_t handles; /* open or closing, and the resolver */
    bool is_closing;
    uv_timer_t close_timer; /* closes last: the end always comes from the loop */
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

/* A handle was closed. The last one frees a closing upstream. */
void rc_upstream_on_handle_closed(rc_upstream *upstream);

/* What TLS needs of the loop is there, or could not be made. */
bool rc_upstream_has_tls(rc_upstream *upstream);

/* The connection is the call's: the request is sent. False: a reused one was closed before a byte
 * was sent; the call is as before. */
bool rc_upstream_attach(rc_upstream_call *call, rc_link *link, bool was_reused);

/* Ends the call: lets go of what it holds, then tells. text: NULL, the kind's own. */
void rc_upstream_fail(rc_upstream_call *call, rc_upstream_kind kind, const char *text);

/* The response is whole. */
void rc_upstream_succeed(rc_upstream_call *call);

/* Events of a busy link. on_bytes and on_settled may end the call; then link->call is another. */
void rc_upstream_on_bytes(rc_upstream_call *call, rc_str bytes);
void rc_upstream_on_settled(rc_upstream_call *call);
void rc_upstream_on_peer_end(rc_upstream_call *call, bool is_clean);
/* The connection is gone: the request is sent again on a new one where it may be, else the call
 * fails. */
void rc_upstream_on_lost(rc_upstream_call *call, rc_upstream_kind kind);
void rc_upstream_on_written(rc_upstream_call *call, bool is_ok);
void rc_upstream_on_timer(rc_upstream_call *call);

/* upstream_send.c: sends what can be sent; gives up silently when the peer takes no more. */
void rc_upstream_pump(rc_upstream_call *call);
/* Bytes that the kernel has not taken. */
size_t rc_upstream_unsent(const rc_upstream_call *call);
/* Is the first byte of the body what is waited for? */
static inline bool rc_upstream_awaits_body(const rc_upstream_call *call)
{
    return call->is_sent && call->body_bytes == 0;
}
/* When the present step must have ended. */
void rc_upstream_set_deadline(rc_upstream_call *call);

#endif
