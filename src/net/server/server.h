/* rc_server: the HTTP/1.1 server: listening sockets, client connections, requests.
 *
 *   listening socket ─► connection ─► responder ─► handler (the owner)
 *                                         ▲            │ responder.h
 *                                         └────────────┘
 *
 * A server belongs to one loop and is used from that loop's thread only. It makes no decision about
 * a request: it calls the handler, in this order:
 *
 *   on_request  (on_body ... on_body_end, on_drained ...)  on_done | on_disconnect
 *
 * on_done: the kernel accepted the whole response. on_disconnect: it did not; the argument says
 * why. Exactly one of the two ends each request; a request that the handler aborts gets neither.
 * Callbacks are called from the loop and never from inside a function of this header or of
 * responder.h, so a handler may call these functions anywhere.
 *
 * Memory: an idle connection uses about 1 KiB; all connections share one read buffer. An active one
 * buffers at most max(limits.head_bytes, read_bytes) of input and write_max_bytes of output. */
#ifndef RC_NET_SERVER_SERVER_H
#define RC_NET_SERVER_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include <uv.h>

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

#include "http/http1.h"
#include "net/server/listen_set.h"

#define RC_LISTENERS_MAX 8
/* A request body may take 2 ms for each byte, beyond body_idle_ms: 500 bytes per second. */
#define RC_BODY_BYTE_MS 2u

typedef struct rc_server rc_server;
typedef struct rc_connection rc_connection;
typedef struct rc_responder rc_responder; /* One request and its response: responder.h. */

/* Limits of a server. A time of 0 means no limit. */
typedef struct rc_server_settings {
    rc_http1_limits limits;
    uint32_t max_connections;
    uint32_t head_ms;          /* Longest time from the opening of the connection to its first
                                * complete head. */
    uint32_t silent_ms;        /* After this time without a complete head a connection may be
                                * evicted for a new one; 0: at once. */
    uint32_t body_idle_ms;     /* Longest time between pieces of a body that is not paused. The
                                * whole body may take this time plus RC_BODY_BYTE_MS for each
                                * byte. */
    uint32_t keep_alive_ms;    /* Longest idle time between two requests. */
    uint32_t write_idle_ms;    /* Longest time in which the client accepts no byte of the queued
                                * output. */
    uint32_t linger_ms;        /* Time for the client to read the last response before the
                                * connection is closed. */
    uint32_t write_high_bytes; /* rc_responder_write returns false when the queue has reached this
                                * size. */
    uint32_t write_low_bytes;  /* on_drained is called when the queue falls to this size. */
    uint32_t write_max_bytes;  /* A larger queue closes the connection: the handler ignored
                                * write_high_bytes. */
    uint32_t read_bytes;       /* Maximum number of bytes of one read. */
    uint32_t discard_bytes;    /* Maximum of a request body that is read and dropped after the
                                * response; a longer body closes the connection. */
    uint32_t linger_bytes;     /* Input dropped after the last response, for a client that sends
                                * everything before it reads. */
} rc_server_settings;

/* Defaults: 4096 connections; head 10 s, silent 250 ms, body 60 s, keep-alive 75 s, write 60 s,
 * linger 5 s; write high 256 KiB, low 64 KiB, max 16 MiB; read 64 KiB, discard 256 KiB, linger 64
 * MiB. */
extern const rc_server_settings rc_server_settings_default;

/* Why a request ended without a complete response. */
#define RC_DISCONNECTS(X)                                            \
    X(NONE, "")                                                      \
    X(CLIENT, "the client closed the connection")                    \
    X(BODY_TIMEOUT, "the client stopped sending its body")           \
    X(WRITE_TIMEOUT, "the client stopped taking the answer")         \
    X(FAULT, "the request's body is malformed")                      \
    X(LENGTH, "the answer has another length than its head says")    \
    X(OVERFLOW, "the answer was written faster than it can be sent") \
    X(MEMORY, "no memory")                                           \
    X(SERVER, "the server was closed")

typedef enum rc_disconnect_reason {
#define RC_DISCONNECT_ENUM(ID, text) RC_DISCONNECT_##ID,
    RC_DISCONNECTS(RC_DISCONNECT_ENUM)
#undef RC_DISCONNECT_ENUM
} rc_disconnect_reason;

typedef struct rc_disconnect {
    rc_disconnect_reason why;
    rc_http1_fault fault; /* Set if why is RC_DISCONNECT_FAULT. */
    const char *text;
} rc_disconnect;

/* An error response that the server sends without the handler. */
typedef struct rc_refusal {
    int status;
    rc_http1_fault fault; /* NONE: the request did not arrive in time. */
    const char *text;
    rc_str target; /* The request's target (views); empty if it has not been parsed. */
} rc_refusal;

/* The handler's callbacks; ctx is the one passed to rc_server_init. on_drained, render_refusal and
 * on_stopped may be NULL. */
typedef struct rc_server_handler {
    /* A head has arrived. reader, head: views until this returns; see rc_responder_keep_head. */
    void (*on_request)(void *ctx, rc_responder *responder, const rc_http1 *reader,
                       const char *head);
    /* A piece of the body (views). Not called after the response's end. */
    void (*on_body)(void *ctx, rc_responder *responder, rc_str piece);
    /* The request is complete; also called for a request without a body. */
    void (*on_body_end)(void *ctx, rc_responder *responder);
    /* The output queue has fallen to write_low_bytes after rc_responder_write returned false. */
    void (*on_drained)(void *ctx, rc_responder *responder);
    /* The kernel has accepted the whole response. The responder ends with this call. */
    void (*on_done)(void *ctx, rc_responder *responder);
    /* The request ended without a complete response. The responder ends with this call. */
    void (*on_disconnect)(void *ctx, rc_responder *responder, const rc_disconnect *gone);
    /* Writes the body of an error response, and its header lines: Content-Type and others, each
     * with CR LF, without Connection, Content-Length and Transfer-Encoding. If they do not fit, or
     * the callback is NULL, refusal->text is sent as plain text. */
    void (*render_refusal)(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);
    /* After rc_server_stop or rc_server_close: everything is closed and the server's storage may be
     * freed. */
    void (*on_stopped)(void *ctx);
} rc_server_handler;

typedef struct rc_server_stats {
    uint64_t accepted;
    uint64_t requests;
    uint64_t refused; /* Requests that were malformed or too slow. */
    uint64_t evicted; /* Connections without a running request that were closed for new ones. */
    uint64_t accept_pauses; /* Pauses for lack of file descriptors, memory or connection slots. */
    uint32_t connections;   /* Connections currently open. */
} rc_server_stats;

/* Private from here to rc_server_init. */
typedef struct rc_list_node {
    struct rc_list_node *prev, *next;
} rc_list_node;

typedef struct rc_free_list {
    void *first;
    size_t size; /* Bytes of each item. */
    uint32_t count;
    uint32_t max;
} rc_free_list;

typedef struct rc_listener {
    uv_poll_t poll;
    rc_server *server;
    int fd;
    char *path; /* Path of a unix socket created by this server; NULL for other sockets. */
} rc_listener;

typedef enum rc_deadline_kind {
    RC_DEADLINE_HEAD = 0,
    RC_DEADLINE_KEEP_ALIVE = 1,
    RC_DEADLINE_BODY = 2,
    RC_DEADLINE_WRITE = 3,
    RC_DEADLINE_LINGER = 4,
    RC_DEADLINE_PEER_CHECK = 5,
    RC_DEADLINE_COUNT = 6,
    RC_DEADLINE_NONE = RC_DEADLINE_COUNT
} rc_deadline_kind;

struct rc_server {
    uv_loop_t *loop;
    rc_alloc alloc;
    rc_server_settings settings;
    const rc_server_handler *handler;
    void *ctx;
    char *read_buffer;

    uv_prepare_t before_sleep; /* Settles the connections whose handlers have acted. */
    uv_idle_t awake; /* Active while kicked connections remain: the loop does not sleep. */
    uv_timer_t timer;
    uv_timer_t accept_retry;
    uint64_t timer_at_ms;
    bool is_final_poll; /* A deadline has passed: sockets are polled once more before the timer
                         * acts. */
    uint32_t handles;   /* Handles that are not closed yet. */

    rc_list_node connections;
    rc_list_node kicked;
    rc_list_node waiting[RC_DEADLINE_COUNT]; /* One list per deadline kind, each in the order of its
                                              * deadlines. */
    rc_free_list free_connections;
    rc_free_list free_responders;
    rc_free_list free_blocks;
    rc_free_list free_heads; /* Head copies up to RC_HEAD_COPY_BYTES; longer ones are allocated
                              * singly. */

    rc_listener listeners[RC_LISTENERS_MAX];
    uint32_t listener_count;
    bool is_accept_paused;
    bool is_full; /* Accepting is paused until a connection closes. */

    bool wants_stop;
    bool wants_close;
    bool is_stopping;
    bool is_closing_down;
    rc_server_stats stats;
};

/* Starts a server without listening sockets. loop, handler: borrows until on_stopped. alloc,
 * settings: copies. RC_E_NOMEM: nothing was started; no stop is needed. */
rc_status rc_server_init(rc_server *server, uv_loop_t *loop, const rc_alloc *alloc,
                         const rc_server_settings *settings, const rc_server_handler *handler,
                         void *ctx);

typedef enum rc_listen_result {
    RC_LISTEN_OK = 0,
    RC_LISTEN_ADDRESS = 1,   /* Neither an IP address nor localhost; or an unusable path. */
    RC_LISTEN_IN_USE = 2,    /* The address is in use. */
    RC_LISTEN_DENIED = 3,    /* Permission denied. */
    RC_LISTEN_NO_SOCKET = 4, /* The descriptor passed in is not a listening socket. */
    RC_LISTEN_EXHAUSTED = 5, /* No memory, descriptor or listener slot (RC_LISTENERS_MAX). */
    RC_LISTEN_OTHER = 6
} rc_listen_result;

/* The outcome of a listen call. */
typedef struct rc_listening {
    rc_listen_result result;
    uint16_t port;  /* The bound port, also when port 0 was requested; 0 for a unix socket. */
    char text[128]; /* The error message; empty on success. */
    rc_listen_address at;
} rc_listening;

/* Whether several sockets of this process listen at one address and share its connections
 * (SO_REUSEPORT). The address is never shared with another process. */
typedef enum rc_listen_share {
    RC_LISTEN_ALONE = 0,
    RC_LISTEN_FIRST = 1, /* The first of several sockets. IN_USE: another process listens at the
                          * address. */
    RC_LISTEN_MORE = 2   /* Shares the address of the socket opened with RC_LISTEN_FIRST. */
} rc_listen_share;

/* Listens at a TCP address. host: an IP address or "localhost" (127.0.0.1); borrows. */
rc_listen_result rc_server_listen_tcp(rc_server *server, const char *host, uint16_t port,
                                      rc_listen_share share, rc_listening *ret_listening);

/* Listens at a unix socket. path: copies. A socket file without a listener is replaced; the path is
 * removed when the server stops. mode: file permissions, set before a client can connect. */
rc_listen_result rc_server_listen_unix(rc_server *server, const char *path, unsigned mode,
                                       rc_listening *ret_listening);

/* Listens at fd, a socket that is already listening. Takes fd if the result is RC_LISTEN_OK. */
rc_listen_result rc_server_listen_fd(rc_server *server, int fd, rc_listening *ret_listening);

/* Adds an open connection, such as one end of a socket pair. Takes fd, also on failure. False: no
 * memory, or the server is stopping. */
bool rc_server_adopt(rc_server *server, int fd);

/* Accepts no more connections, closes idle ones and lets the others finish: their responses carry
 * "Connection: close". on_stopped is called at the end. May be called repeatedly, and before
 * rc_server_close. */
void rc_server_stop(rc_server *server);

/* Cuts all connections: on_disconnect for each request, then on_stopped. */
void rc_server_close(rc_server *server);

/* Returns a view of the counters. */
static inline const rc_server_stats *rc_server_get_stats(const rc_server *server)
{
    return &server->stats;
}

/* The English sentence for a reason; static. */
const char *rc_disconnect_text(rc_disconnect_reason why);

#endif
