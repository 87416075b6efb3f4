/* rc_upstream: sends requests to providers over pooled HTTP/1.1 connections, with or without TLS.
 *
 *   start ─► QUEUED ─► DIALING ─► SENDING ─► HEAD ─► BODY ─► on_end
 *              │          │          │         │       │
 *              └──────────┴──────────┴─────────┴───────┴──► on_failure
 *
 * One rc_upstream belongs to one event loop; threads share nothing. rc_upstream applies no retry
 * policy and only reports the outcome. A request is sent again in one case: a pooled connection was
 * closed before a byte of the request was sent or reached the server. The result is the same as if
 * a new connection had been used from the start.
 *
 * Each call ends with exactly one of on_end, on_failure and rc_upstream_cancel. No callback is
 * called from inside rc_upstream_start. As soon as on_end or on_failure is called, or
 * rc_upstream_cancel returns, the storage of the call belongs to its owner again. */
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
    uint32_t max_connections; /* Maximum number of connections per origin (scheme, host and port),
                               * including dials. */
    uint32_t max_idle;        /* Maximum number of idle connections per origin. */
    uint32_t max_requests;    /* Maximum number of requests per connection. */
    uint32_t max_queued;      /* Maximum number of calls per origin that wait for a connection. */
    uint32_t max_origins;
    uint32_t idle_ms;         /* An idle connection is closed after this time. */
    uint32_t age_ms;          /* A connection is not reused after this age. */
    uint32_t queue_ms;        /* Longest wait of a queued call. */
    uint32_t next_dial_ms;    /* If an address has not connected after this time, the next address
                               * is tried in parallel. */
    uint32_t stale_check_ms;  /* A connection that was idle for this time is checked, with a system
                               * call, before it is reused. */
    uint32_t send_high_bytes; /* rc_upstream_push returns RC_PUSH_FULL if more pushed bytes than
                               * this number are unsent. */
    uint32_t send_low_bytes;  /* on_drained is called when fewer pushed bytes than this number are
                               * unsent. */
    rc_http1_limits limits;
    rc_resolve_settings resolve;
    /* The TLS context; borrows until the upstream is closed. If NULL, a context with the system's
     * trust store is created on first use. */
    rc_tls *tls;
    rc_alloc alloc;
    /* Returns whether the client may connect to this address. If the callback is NULL,
     * rc_origin_allows decides. */
    bool (*allow)(void *ctx, const rc_origin *origin, const rc_address *address);
    void *allow_ctx;
    /* Called after each TLS handshake; may be NULL. ssl: borrows during the call. */
    void (*on_secure)(void *ctx, const rc_origin *origin, const SSL *ssl);
    void *secure_ctx;
    /* Returns a connected stream socket, which is used instead of a new connection and then belongs
     * to the upstream; returns -1 on failure. The callback may be NULL. */
    int (*open)(void *ctx, const rc_origin *origin);
    void *open_ctx;
} rc_upstream_settings;

/* Returns the defaults: 128 connections per origin, of which 64 may be idle, 10,000 requests per
 * connection, 1,024 queued calls per origin, 256 origins; idle_ms 55 s, age_ms 10 min, queue_ms 5
 * s, next_dial_ms 250 ms, stale_check_ms 100 ms; send_high_bytes 256 KiB, send_low_bytes 64 KiB;
 * the allocator is malloc. */
rc_upstream_settings rc_upstream_settings_default(void);

/* The head of a response. The members are views that are valid until on_head returns, even if
 * on_head cancels the call. */
typedef struct rc_upstream_head {
    int status;
    bool was_reused;        /* The connection had carried an earlier request. */
    const rc_http1 *reader; /* The parsed head, for rc_http1_name(reader, bytes, i) and the like. */
    const char *bytes;
} rc_upstream_head;

/* The callbacks of the call's owner. on_drained may be NULL. */
typedef struct rc_upstream_handler {
    /* Called when the head of the final response has arrived. 1xx responses are skipped. */
    void (*on_head)(void *ctx, const rc_upstream_head *head);
    /* Called for each piece of the body. `piece` has no chunk framing, and is a view until on_body
     * returns, even if on_body cancels the call. */
    void (*on_body)(void *ctx, rc_str piece);
    /* Called when the response is complete. is_kept: the connection goes back to the pool. */
    void (*on_end)(void *ctx, bool is_kept);
    /* Called when the call has failed. `failure` and its members are valid only during the
     * callback. */
    void (*on_failure)(void *ctx, const rc_upstream_failure *failure);
    /* Called when fewer than send_low_bytes are unsent, so that the owner may push again. May be
     * NULL if the owner never pushes. */
    void (*on_drained)(void *ctx);
} rc_upstream_handler;

/* One request. A time limit of 0 ms means no limit. */
typedef struct rc_upstream_request {
    rc_str head;            /* The whole head as it is sent; borrows until the call's end. */
    rc_str body;            /* The body or its first part; borrows until the call's end. */
    rc_str more[2];         /* Two more parts of the body, sent after `body`, so that an edited body
                             * need not be copied; borrows until the call's end. */
    bool is_body_open;      /* The owner will push more of the body; rc_upstream_finish ends the
                             * body. */
    bool is_bodiless;       /* A HEAD request, whose response has no body. */
    uint32_t connect_ms;    /* Limit for name resolution, connection and TLS handshake together. */
    uint32_t first_byte_ms; /* Time limit from the end of the request to the first byte of the
                             * response's body. */
    uint32_t idle_ms;       /* Time limit between two reads after the first byte, and for the time
                             * in which the server accepts no byte of the request. */
} rc_upstream_request;

/* Creates an upstream. Returns RC_OK, or RC_E_NOMEM if nothing was created. settings: copies the
 * struct. loop: borrows until on_closed. *ret_upstream: gives the upstream, which rc_upstream_close
 * frees. */
rc_status rc_upstream_new(uv_loop_t *loop, const rc_upstream_settings *settings,
                          rc_upstream **ret_upstream);

/* Closes the upstream. Inside this function active calls fail with RC_UPSTREAM_SHUTDOWN. on_closed
 * is called from the loop when the last handle is closed and all memory is freed. upstream:
 * takes. */
void rc_upstream_close(rc_upstream *upstream, void (*on_closed)(void *ctx), void *ctx);

/* Starts a call in the caller's storage. Returns RC_UPSTREAM_NONE, or the reason for which the call
 * was not started: RC_UPSTREAM_QUEUE_FULL, RC_UPSTREAM_TOO_MANY_ORIGINS, RC_UPSTREAM_NO_MEMORY or
 * RC_UPSTREAM_SHUTDOWN. origin, request: copies the structs, but borrows the bytes of head and
 * body. handler, ctx: borrows until the call's end. */
rc_upstream_kind rc_upstream_start(rc_upstream_call *call, rc_upstream *upstream,
                                   const rc_origin *origin, const rc_upstream_request *request,
                                   const rc_upstream_handler *handler, void *ctx);

typedef enum rc_upstream_push_result {
    RC_PUSH_OK = 0,
    RC_PUSH_FULL = 1, /* The bytes were accepted, but the owner should now wait for on_drained. */
    /* The bytes were not accepted, because four times send_high_bytes are unsent, there is no
     * memory, or the body was finished. The owner must cancel the call. */
    RC_PUSH_REFUSED = 2
} rc_upstream_push_result;

/* Appends to the body. Bytes that cannot be sent at once are copied. After the call's end, or after
 * the server stopped reading, the bytes are dropped and the function returns RC_PUSH_OK; the owner
 * learns the outcome from the response. bytes: copies. */
rc_upstream_push_result rc_upstream_push(rc_upstream_call *call, rc_str bytes);

/* Ends the body of a request with is_body_open. */
void rc_upstream_finish(rc_upstream_call *call);

/* Backpressure: rc_upstream_pause stops reading, rc_upstream_resume restarts it. After
 * rc_upstream_pause, on_body may still get up to 64 KiB that were read before. No time limit runs
 * during a pause. */
void rc_upstream_pause(rc_upstream_call *call);
void rc_upstream_resume(rc_upstream_call *call);

/* Ends the call and resets its connection; no callback follows. May be called at any moment: inside
 * a callback, after the call's end, and for storage that is all zero. */
void rc_upstream_cancel(rc_upstream_call *call);

/* Gives an owner the fields of the response head for the time after the call's end. May be called
 * in on_head. Returns the memory of the fields if the head has many of them, else NULL. The result:
 * gives; the owner frees it with the allocator of the upstream. */
rc_http1_table *rc_upstream_take_table(rc_upstream_call *call);

/* Prepares the storage of a call that may never be started, so that the functions for all-zero
 * storage may be called. */
static inline void rc_upstream_call_init(rc_upstream_call *call);

/* Returns whether the call has started and not ended. The storage may be all zero. */
bool rc_upstream_is_live(const rc_upstream_call *call);

/* Returns whether the kernel has accepted the whole request, so that its bytes are no longer
 * needed. */
static inline bool rc_upstream_is_sent(const rc_upstream_call *call);

/* Counters. Counters of an upstream. The first members are current numbers, the others totals since
 * the start. */
typedef struct rc_upstream_counts {
    uint32_t calls;
    uint32_t queued;
    uint32_t connections; /* Number of connections, including dials. */
    uint32_t idle;
    uint32_t origins;
    uint64_t dialled;
    uint64_t reused;
    uint64_t redialled; /* Number of requests that were sent again, because a pooled connection was
                         * closed before the request reached the server. */
    uint64_t resumed;   /* Number of TLS handshakes that resumed an earlier session. */
} rc_upstream_counts;

rc_upstream_counts rc_upstream_count(const rc_upstream *upstream);

/* The bytes of a request that are not sent yet. */
#define RC_UPSTREAM_VIEWS 4
typedef struct rc_upstream_out {
    rc_str views[RC_UPSTREAM_VIEWS]; /* The unsent parts of head, body and `more`. */
    char *bytes;                     /* Copies of unsent pushed bytes. */
    size_t len;
    size_t capacity;
} rc_upstream_out;

/* A call. A call is in its owner's storage. The members are private. */
struct rc_upstream_call {
    uint8_t state;
    bool was_reused;
    bool is_open; /* The owner may push more of the body. */
    bool is_sent; /* The request has no unsent bytes. */
    bool is_full; /* rc_upstream_push has returned RC_PUSH_FULL; the owner waits for on_drained. */
    bool is_paused;
    bool is_starved;     /* There was no memory to send the request, so the call will fail from the
                          * loop. */
    bool is_send_broken; /* Sending failed; the response may still arrive. */
    bool is_redialled;   /* The request was sent again, because a pooled connection was lost. */
    uint8_t interims;    /* Number of 1xx responses so far. */
    rc_upstream *upstream;
    struct rc_pool *pool;
    struct rc_link *link;
    struct rc_dial *dial;
    rc_upstream_call *next, *prev;             /* Neighbours in the upstream's list of live
                                                * calls. */
    rc_upstream_call *queue_next, *queue_prev; /* Neighbours in the pool's queue. */
    uint64_t queued_until_ms;
    const rc_upstream_handler *handler;
    void *ctx;
    rc_upstream_request request;
    rc_upstream_out out;
    uint64_t accepted; /* Number of bytes of the request that the connection has accepted. */
    uint64_t received; /* Number of bytes of the response that were received. */
    uint64_t body_bytes;
    size_t waited_bytes; /* libuv's write queue size when the deadline was set. */
    char *head;          /* The bytes of the response's head while it is incomplete. */
    size_t head_len;
    size_t head_capacity;
    rc_http1_table *table; /* Fields of a head with many fields; freed at the call's end. */
    rc_http1 reader;
};

static inline void rc_upstream_call_init(rc_upstream_call *call)
{
    call->state = 0;
    call->is_sent = false;
    call->accepted = 0;
    call->table = NULL;
}

static inline bool rc_upstream_is_sent(const rc_upstream_call *call)
{
    return call->is_sent && !call->is_send_broken;
}

#endif
