/* The internal interface of the upstream client's files.
 *
 *   call   one request: sending, reading, its end
 *   pool   the connections of one origin, and the calls that wait for one
 *   dial   from a name to an open connection
 *   link   one connection: socket, TLS, timer
 *
 * Each part calls the parts that follow it in this list. These parts report events with the
 * functions at the end of this file. A call, its dial and its link point to each other. The three
 * pointers are cleared before a callback of the call's owner is called. */
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
    RC_CALL_NONE = 0, /* The storage is all zero, or the call has ended. */
    RC_CALL_QUEUED = 1,
    RC_CALL_DIALING = 2,
    RC_CALL_HEAD = 3, /* Sends the request and waits for the response's head. */
    RC_CALL_BODY = 4,
    RC_CALL_WHOLE = 5, /* The response is complete, and no further bytes have followed. */
    /* The response is complete, but bytes or the end of the connection followed, so that the
     * connection is not reused. */
    RC_CALL_DIRTY = 6
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
    rc_tls_sink *sink; /* Output buffer of TLS, and `plain` for decrypted input. NULL until the
                        * first TLS connection. */
    char *plain;
    /* Number of libuv handles that are open or closing. The resolver counts as one handle. */
    uint32_t handles;
    bool is_closing;
    /* Timer that rc_upstream_close closes even if no other handle is open, so that on_closed is
     * always called from the loop. */
    uv_timer_t close_timer;
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

/* Counts a closed handle. After the last handle, frees the upstream if it is closing. */
void rc_upstream_on_handle_closed(rc_upstream *upstream);

/* Creates the loop's TLS buffers and TLS context on first use. Returns false if there is no memory
 * or no trust store. */
bool rc_upstream_has_tls(rc_upstream *upstream);

/* Assigns a connection to the call and sends the request. Returns false, and leaves the call
 * unchanged, if a reused connection was closed before a byte was sent. */
bool rc_upstream_attach(rc_upstream_call *call, rc_link *link, bool was_reused);

/* Ends the call: releases its connection and memory, then calls on_failure. text: the message; NULL
 * selects the text of `kind`. */
void rc_upstream_fail(rc_upstream_call *call, rc_upstream_kind kind, const char *text);

/* Ends a call whose response is complete, and calls on_end. */
void rc_upstream_succeed(rc_upstream_call *call);

/* rc_link calls the next functions for the events of a busy link. rc_upstream_on_bytes and
 * rc_upstream_on_settled may end the call; link->call is then no longer this call. */
void rc_upstream_on_bytes(rc_upstream_call *call, rc_str bytes);
void rc_upstream_on_settled(rc_upstream_call *call);
void rc_upstream_on_peer_end(rc_upstream_call *call, bool is_clean);
/* Handles the loss of the connection: sends the request again on a new connection if that is safe;
 * otherwise fails the call. */
void rc_upstream_on_lost(rc_upstream_call *call, rc_upstream_kind kind);
void rc_upstream_on_written(rc_upstream_call *call, bool is_ok);
void rc_upstream_on_timer(rc_upstream_call *call);

/* send.c: sends as many bytes as the connection accepts. A write that fails does not fail the call;
 * it only sets is_send_broken. */
void rc_upstream_pump(rc_upstream_call *call);
/* Returns the number of the request's bytes that the kernel has not accepted yet. */
size_t rc_upstream_unsent(const rc_upstream_call *call);
/* Returns whether the call waits for the first byte of the response's body. */
static inline bool rc_upstream_awaits_body(const rc_upstream_call *call)
{
    return call->is_sent && call->body_bytes == 0;
}
/* Sets the link's deadline from the time limit of the call's current state. */
void rc_upstream_set_deadline(rc_upstream_call *call);

#endif
