/* rc_upstream: requests to providers, over pooled connections of HTTP/1.1, plain or TLS.
 *
 *   start ─► QUEUED ─► DIALING ─► SENDING ─► HEAD ─► BODY ─► on_end
 *              │          │          │         │       │
 *              └──────────┴──────────┴─────────┴───────┴──► on_failure
 *
 * One rc_upstream a loop; nothing here is shared between threads. It decides nothing: it says what
 * happened, in types. The one thing that it does by itself is to dial again when a pooled
 * connection turns out to be closed before a byte of the request was sent, or before one reached
 * the peer, which nobody can tell from having dialled at once.
 *
 * Each call ends with exactly one of on_end and on_failure, or with rc_upstream_cancel. None of
 * them is called from inside rc_upstream_start. After that the call's storage is the owner's again,
 * also from inside the callback. */
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
#include "net/tls/tls.h"

typedef struct rc_upstream rc_upstream;
typedef struct rc_upstream_call rc_upstream_call;

typedef struct rc_upstream_settings {
    uint32_t max_connections; /* of one origin, those being dialled included */
    uint32_t max_idle;        /* of one origin */
    uint32_t max_requests;    /* on one connection */
    uint32_t max_queued;      /* calls that wait for a connection of one origin */
    uint32_t max_origins;
    uint32_t idle_ms;        /* how long a connection rests before it is closed */
    uint32_t age_ms;         /* how old it gets */
    uint32_t queue_ms;       /* how long a call waits for a connection */
    uint32_t next_dial_ms;   /* when the next address is tried beside a slow one */
    uint32_t stale_check_ms; /* a connection that rested so long is looked at before it is used: one
                               system call more */
    uint32_t send_high_bytes; /* pushed and not yet sent: above it the owner should wait ... */
    uint32_t send_low_bytes;  /* ... until it is below this one */
    rc_http1_limits limits;
    rc_resolve_settings resolve;
    rc_tls *tls; /* borrows until closed; NULL: made when first needed, with the system's store */
    rc_alloc alloc;
    /* May this address be connected to? NULL: rc_origin_allows. */
    bool (*allow)(void *ctx, const rc_origin *origin, const rc_address *address);
    void *allow_ctx;
    /* A connection has ended its handshake; ssl: borrows during the call. NULL: nobody asks. */
    void (*on_secure)(void *ctx, const rc_origin *origin, const SSL *ssl);
    void *secure_ctx;
    /* Opens a connection in place of dialling: gives a stream socket, or -1. NULL: all are
     * dialled. */
    int (*open)(void *ctx, const rc_origin *origin);
    void *open_ctx;
} rc_upstream_settings;

/* 128 connections and 64 idle ones an origin, 10,000 requests a connection, 1,024 queued, 256
 * origins, 55 s, 10 min, 5 s, 250 ms, 100 ms, 256 KiB, 64 KiB; malloc. */
rc_upstream_settings rc_upstream_settings_default(void);

/* The head of a response. All of it views what lives during on_head alone, but until its end: also
 * when on_head cancels the call. */
typedef struct rc_upstream_head {
    int status;
    bool was_reused;        /* the connection had carried a request before */
    const rc_http1 *reader; /* its facts: rc_http1_name(reader, bytes, i), ... */
    const char *bytes;
} rc_upstream_head;

typedef struct rc_upstream_handler {
    /* 1xx are not told. */
    void (*on_head)(void *ctx, const rc_upstream_head *head);
    /* A piece of the body, without its framing; a view until on_body returns, also when on_body
     * cancels the call. */
    void (*on_body)(void *ctx, rc_str piece);
    /* The response is whole. is_kept: the connection goes back to the pool. */
    void (*on_end)(void *ctx, bool is_kept);
    /* failure: views during the call alone. */
    void (*on_failure)(void *ctx, const rc_upstream_failure *failure);
    /* Push again: less than send_low_bytes are left. NULL: nothing is pushed. */
    void (*on_drained)(void *ctx);
} rc_upstream_handler;

typedef struct rc_upstream_request {
    rc_str head;            /* the whole of it, ready to send. Borrows until the call's end */
    rc_str body;            /* what of it is there, as it is to be sent. Borrows as well */
    rc_str more[2];         /* goes on behind it, so that a changed body need not be copied */
    bool is_body_open;      /* more is pushed; rc_upstream_finish ends it */
    bool is_bodiless;       /* HEAD: the response has no body whatever it says */
    uint32_t connect_ms;    /* names, connection and handshake; 0: no end, as for the others */
    uint32_t first_byte_ms; /* from the end of the request to the first byte of the body */
    uint32_t idle_ms;       /* from then on between two reads; and while the peer takes nothing */
} rc_upstream_request;

/* Ready to start calls. settings: copies. RC_E_NOMEM. */
rc_status rc_upstream_new(uv_loop_t *loop, const rc_upstream_settings *settings,
                          rc_upstream **ret_upstream);

/* Closes everything: calls under way fail with SHUTDOWN from inside; on_closed comes from the loop
 * when the last handle is closed and all memory is given back. upstream: takes. */
void rc_upstream_close(rc_upstream *upstream, void (*on_closed)(void *ctx), void *ctx);

/* Starts a call in the caller's storage. origin, request: copy (the bytes of head and body are
 * borrowed). handler, ctx: borrow until the end. NONE; else why not, and nothing was started:
 * QUEUE_FULL, TOO_MANY_ORIGINS, NO_MEMORY, SHUTDOWN. */
rc_upstream_kind rc_upstream_start(rc_upstream_call *call, rc_upstream *upstream,
                                   const rc_origin *origin, const rc_upstream_request *request,
                                   const rc_upstream_handler *handler, void *ctx);

typedef enum rc_upstream_push_result {
    RC_PUSH_OK = 0,
    RC_PUSH_FULL = 1,   /* taken; wait for on_drained */
    RC_PUSH_REFUSED = 2 /* not taken, the call is lost: four times send_high_bytes wait already,
                           there is no memory, or the body was finished. Cancel it. */
} rc_upstream_push_result;

/* More of the body; it is sent at once or copied. What comes after the call's end, or after the
 * peer stopped reading, is dropped as RC_PUSH_OK: the response tells. */
rc_upstream_push_result rc_upstream_push(rc_upstream_call *call, rc_str bytes);

/* The body is whole. */
void rc_upstream_finish(rc_upstream_call *call);

/* Backpressure: stops and restarts reading. What was already read, at most 64 KiB, still comes. No
 * time limit runs while paused. */
void rc_upstream_pause(rc_upstream_call *call);
void rc_upstream_resume(rc_upstream_call *call);

/* Ends the call at any moment, also inside a callback and after its end; its connection is reset.
 * No callback comes after it. call: zeroed storage is allowed. */
void rc_upstream_cancel(rc_upstream_call *call);

/* Is it between start and end? call: zeroed storage is allowed. */
bool rc_upstream_is_live(const rc_upstream_call *call);

/* Is the request with the kernel, all of it? Then its bytes are not needed any more. */
static inline bool rc_upstream_is_sent(const rc_upstream_call *call);

/* What there is now, and what there was since the start. */
typedef struct rc_upstream_counts {
    uint32_t calls;
    uint32_t queued;
    uint32_t connections; /* open or being dialled */
    uint32_t idle;
    uint32_t origins;
    uint64_t dialled;
    uint64_t reused;
    uint64_t redialled; /* a pooled connection was closed before the request reached the peer */
    uint64_t resumed;   /* TLS handshakes that went on with an earlier session */
} rc_upstream_counts;

rc_upstream_counts rc_upstream_count(const rc_upstream *upstream);

/* Bytes that wait to be sent: not yet pushed views, copies. */
#define RC_UPSTREAM_VIEWS 4
typedef struct rc_upstream_out {
    rc_str views[RC_UPSTREAM_VIEWS]; /* what is left of head and body */
    char *bytes;                     /* pushed */
    size_t len;
    size_t capacity;
} rc_upstream_out;

/* The caller's storage; the fields are private. */
struct rc_upstream_call {
    uint8_t state;
    bool was_reused;
    bool is_open; /* the body goes on */
    bool is_sent; /* the request is with the kernel, all of it */
    bool is_full; /* the owner waits for on_drained */
    bool is_paused;
    bool is_starved;     /* there was no memory to send it */
    bool is_send_broken; /* the peer takes no more; the response may still come */
    bool is_redialled;   /* a pooled connection was lost, and the request is sent anew */
    uint8_t interims;    /* 1xx so far */
    rc_upstream *upstream;
    struct rc_pool *pool;
    struct rc_link *link;
    struct rc_dial *dial;
    rc_upstream_call *next, *prev;             /* of the live ones */
    rc_upstream_call *queue_next, *queue_prev; /* of those that wait */
    uint64_t queued_until_ms;
    const rc_upstream_handler *handler;
    void *ctx;
    rc_upstream_request request;
    rc_upstream_out out;
    uint64_t accepted; /* bytes of the request that the connection took */
    uint64_t received; /* bytes of the response */
    uint64_t body_bytes;
    size_t waited_bytes; /* in the write queue when the timer last looked */
    char *head;          /* the first bytes of a response, until its head is whole */
    size_t head_len;
    size_t head_capacity;
    rc_http1 reader;
};

static inline bool rc_upstream_is_sent(const rc_upstream_call *call)
{
    return call->is_sent && !call->is_send_broken;
}

#endif
