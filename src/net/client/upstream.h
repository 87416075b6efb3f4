/* rc_upstream: sends requests to providers, over pooled HTTP/1.1 connections, plain or TLS.
 *
 *   start ─► QUEUED ─► DIALING ─► SENDING ─► HEAD ─► BODY ─► on_end
 *              │          │          │         │       │
 *              └──────────┴──────────┴─────────┴───────┴──► on_failure
 *
 * One rc_upstream belongs to one loop; nothing is shared between threads. It applies no policy: it
 * reports what happened. It repeats a request in one case only: a pooled connection turns out to be
 * closed before a byte of the request was sent, or before one reached the peer. The result is the
 * same as if it had used a new connection from the start.
 *
 * Each call ends with exactly one of on_end, on_failure and rc_upstream_cancel. No callback is
 * called from inside rc_upstream_start. When the call has ended, and already inside the callback
 * that ends it, its storage belongs to the owner again. */
#ifndef RC_NET_CLIENT_UPSTREAM_H
#define RC_NET_CLIENT_UPSTREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include <recourse/alloc.h>
#include <recourse/classify.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "codec/origin.h"
#include "http/http1.h"
#include "net/client/failure.h"
#include "net/dns/resolver.h"

typedef struct rc_tls rc_tls;
typedef struct rc_upstream rc_upstream;
typedef struct rc_upstream_call rc_upstream_call;

typedef struct rc_upstream_settings {
    uint32_t max_connections; /* Maximum number of connections per origin, including those being
                               * dialled. */
    uint32_t max_idle;        /* Maximum number of idle connections per origin. */
    uint32_t max_requests;    /* Maximum number of requests per connection. */
    uint32_t max_queued;      /* Maximum number of calls per origin that wait for a connection. */
    uint32_t max_origins;
    uint32_t idle_ms;         /* An idle connection is closed after this time. */
    uint32_t age_ms;          /* A connection is not reused after this age. */
    uint32_t queue_ms;        /* Longest wait of a queued call. */
    uint32_t next_dial_ms;    /* When an address has not connected after this time, the next one is
                               * tried in parallel. */
    uint32_t stale_check_ms;  /* A connection idle for this long is checked before reuse: one more
                               * system call. */
    uint32_t send_high_bytes; /* With more unsent pushed bytes than this, rc_upstream_push returns
                               * RC_PUSH_FULL. */
    uint32_t send_low_bytes;  /* on_drained is called when fewer pushed bytes than this are
                               * unsent. */
    rc_http1_limits limits;
    rc_resolve_settings resolve;
    /* The TLS context; borrows until the upstream is closed. NULL: one is created on first use,
     * with the system's trust store. */
    rc_tls *tls;
    rc_alloc alloc;
    /* Whether the client may connect to this address. NULL: rc_origin_allows decides. */
    bool (*allow)(void *ctx, const rc_origin *origin, const rc_address *address);
    void *allow_ctx;
    /* Called after each TLS handshake; ssl: borrows during the call. NULL: no call. */
    void (*on_secure)(void *ctx, const rc_origin *origin, const SSL *ssl);
    void *secure_ctx;
    /* Opens a connection instead of a dial; returns a stream socket (gives), or -1. NULL:
     * connections are dialled. */
    int (*open)(void *ctx, const rc_origin *origin);
    void *open_ctx;
} rc_upstream_settings;

/* Defaults: 128 connections and 64 idle ones per origin, 10,000 requests per connection, 1,024
 * queued, 256 origins; idle 55 s, age 10 min, queue 5 s, next dial 250 ms, stale check 100 ms; send
 * high 256 KiB, low 64 KiB; the allocator is malloc. */
rc_upstream_settings rc_upstream_settings_default(void);

/* The head of a response. Views that are valid until on_head returns, also if on_head cancels the
 * call. */
typedef struct rc_upstream_head {
    int status;
    bool was_reused;        /* The connection had carried a request before. */
    const rc_http1 *reader; /* The parsed head: rc_http1_name(reader, bytes, i), ... */
    const char *bytes;
} rc_upstream_head;

/* The owner's callbacks; on_drained may be NULL. */
typedef struct rc_upstream_handler {
    /* The final response's head; 1xx responses are skipped. */
    void (*on_head)(void *ctx, const rc_upstream_head *head);
    /* A piece of the body without its framing; views until on_body returns, also if on_body cancels
     * the call. */
    void (*on_body)(void *ctx, rc_str piece);
    /* The response is complete. is_kept: the connection goes back to the pool. */
    void (*on_end)(void *ctx, bool is_kept);
    /* The call failed. failure: views during the call only. */
    void (*on_failure)(void *ctx, const rc_upstream_failure *failure);
    /* Fewer than send_low_bytes are unsent: the owner may push again. NULL: the owner never
     * pushes. */
    void (*on_drained)(void *ctx);
} rc_upstream_handler;

/* One request. A limit of 0 ms means no limit. */
typedef struct rc_upstream_request {
    rc_str head;         /* The whole head, ready to send. Borrows until the call's end. */
    rc_str body;         /* The body or its first part, as it is sent. Borrows until the call's
                          * end. */
    rc_str more[2];      /* Sent after body, so that an edited body need not be copied. Borrows. */
    bool is_body_open;   /* More of the body will be pushed; rc_upstream_finish ends it. */
    bool is_bodiless;    /* A HEAD request: the response has no body. */
    uint32_t connect_ms; /* Limit for name resolution, connection and TLS handshake together. */
    uint32_t first_byte_ms; /* Limit from the end of the request to the first byte of the response's
                             * body. */
    uint32_t idle_ms;       /* Limit between two reads after the first byte; also limits the time in
                             * which the peer accepts no byte of the request. */
} rc_upstream_request;

/* Creates an upstream, ready to start calls (gives). settings: copies. RC_E_NOMEM: nothing was
 * created. */
rc_status rc_upstream_new(uv_loop_t *loop, const rc_upstream_settings *settings,
                          rc_upstream **ret_upstream);

/* Closes everything: active calls fail with SHUTDOWN inside this call; on_closed comes from the
 * loop when the last handle is closed and all memory is freed. upstream: takes. */
void rc_upstream_close(rc_upstream *upstream, void (*on_closed)(void *ctx), void *ctx);

/* Starts a call in the caller's storage. origin, request: copies (head and body bytes: borrows).
 * handler, ctx: borrows until the end. Returns NONE, or why nothing was started: QUEUE_FULL,
 * TOO_MANY_ORIGINS, NO_MEMORY, SHUTDOWN. */
rc_upstream_kind rc_upstream_start(rc_upstream_call *call, rc_upstream *upstream,
                                   const rc_origin *origin, const rc_upstream_request *request,
                                   const rc_upstream_handler *handler, void *ctx);

typedef enum rc_upstream_push_result {
    RC_PUSH_OK = 0,
    RC_PUSH_FULL = 1,   /* Accepted; the owner should wait for on_drained. */
    RC_PUSH_REFUSED = 2 /* Not accepted; cancel the call: four times send_high_bytes wait already,
                         * there is no memory, or the body was finished. */
} rc_upstream_push_result;

/* Appends to the body: sends at once or copies. Bytes pushed after the call's end, or after the
 * peer stopped reading, are dropped with RC_PUSH_OK; the response then shows the outcome. */
rc_upstream_push_result rc_upstream_push(rc_upstream_call *call, rc_str bytes);

/* Ends a body that was pushed. */
void rc_upstream_finish(rc_upstream_call *call);

/* Backpressure: stops and restarts reading. Up to 64 KiB already read are still delivered. No time
 * limit runs while paused. */
void rc_upstream_pause(rc_upstream_call *call);
void rc_upstream_resume(rc_upstream_call *call);

/* Ends the call at any moment, also inside a callback and after its end; resets its connection. No
 * callback follows. call: zeroed storage is allowed. */
void rc_upstream_cancel(rc_upstream_call *call);

/* Whether the call is between start and end. call: zeroed storage is allowed. */
bool rc_upstream_is_live(const rc_upstream_call *call);

/* Whether the kernel has accepted the whole request; its bytes are then no longer needed. */
static inline bool rc_upstream_is_sent(const rc_upstream_call *call);

/* Current numbers, then totals since the start. */
typedef struct rc_upstream_counts {
    uint32_t calls;
    uint32_t queued;
    uint32_t connections; /* Connections that are open or being dialled. */
    uint32_t idle;
    uint32_t origins;
    uint64_t dialled;
    uint64_t reused;
    uint64_t redialled; /* Calls whose pooled connection had been closed before the request reached
                         * the peer. */
    uint64_t resumed;   /* TLS handshakes that resumed an earlier session. */
} rc_upstream_counts;

rc_upstream_counts rc_upstream_count(const rc_upstream *upstream);

/* The unsent bytes of a request. */
#define RC_UPSTREAM_VIEWS 4
typedef struct rc_upstream_out {
    rc_str views[RC_UPSTREAM_VIEWS]; /* The unsent parts of head, body and more. */
    char *bytes;                     /* Copies of pushed bytes. */
    size_t len;
    size_t capacity;
} rc_upstream_out;

/* The caller's storage; the fields are private. */
struct rc_upstream_call {
    uint8_t state;
    bool was_reused;
    bool is_open; /* The owner may push more of the body. */
    bool is_sent; /* No byte of the request is left to send. */
    bool is_full; /* The owner waits for on_drained. */
    bool is_paused;
    bool is_starved;     /* There was no memory to send the request; the call fails from the
                          * loop. */
    bool is_send_broken; /* Sending failed; the response may still come. */
    bool is_redialled;   /* A pooled connection was lost and the request was sent again. */
    uint8_t interims;    /* 1xx responses received so far. */
    rc_upstream *upstream;
    struct rc_pool *pool;
    struct rc_link *link;
    struct rc_dial *dial;
    rc_upstream_call *next, *prev;             /* The upstream's list of live calls. */
    rc_upstream_call *queue_next, *queue_prev; /* Links of the pool's queue. */
    uint64_t queued_until_ms;
    const rc_upstream_handler *handler;
    void *ctx;
    rc_upstream_request request;
    rc_upstream_out out;
    uint64_t accepted; /* Bytes of the request accepted by the connection. */
    uint64_t received; /* Bytes of the response received. */
    uint64_t body_bytes;
    size_t waited_bytes; /* Bytes in the write queue when the deadline was set. */
    char *head;          /* The first bytes of a response until its head is complete. */
    size_t head_len;
    size_t head_capacity;
    rc_http1 reader;
};

static inline bool rc_upstream_is_sent(const rc_upstream_call *call)
{
    return call->is_sent && !call->is_send_broken;
}

#endif
