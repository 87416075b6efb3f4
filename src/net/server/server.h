/* rc_server: the HTTP/1.1 server: listening sockets, client connections, requests.
 *
 *   listening socket ─► connection ─► responder ─► handler (the owner)
 *                                         ▲            │ responder.h
 *                                         └────────────┘
 *
 * A server belongs to one event loop and is used only on the thread of that loop. For each request
 * the server calls the handler in this order:
 *
 *   on_request  (on_body ... on_body_end, on_drained ...)  on_done | on_disconnect
 *
 * on_done means that the kernel accepted the whole response; on_disconnect means that it did not,
 * and its argument has the reason. Exactly one of the two ends each request, except a request that
 * the handler aborts. Callbacks are called from the loop and never from inside a function of this
 * header or of responder.h, so a handler may call these functions anywhere.
 *
 * An idle connection uses about 1 KiB of memory; all connections share one read buffer. An active
 * connection buffers at most max(limits.head_bytes, read_bytes) of input and write_max_bytes of
 * output. */
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
/* A request body may take 2 ms for each byte (500 bytes per second) in addition to body_idle_ms. */
#define RC_BODY_BYTE_MS 2u

typedef struct rc_server rc_server;
typedef struct rc_connection rc_connection;
typedef struct rc_responder rc_responder; /* One request and its response; see responder.h. */

/* Limits of a server. A time of 0 means no limit. */
typedef struct rc_server_settings {
    rc_http1_limits limits;
    uint32_t max_connections;
    uint32_t head_ms;          /* Longest time from the opening of the connection until its first
                                * head is complete. */
    uint32_t silent_ms;        /* After this time a connection without a complete head may be
                                * evicted for a new connection. */
    uint32_t body_idle_ms;     /* Longest time between two pieces of a request body that is not
                                * paused. The whole body may take this time plus RC_BODY_BYTE_MS for
                                * each byte. */
    uint32_t keep_alive_ms;    /* Longest idle time between two requests. */
    uint32_t write_idle_ms;    /* Longest time in which the client accepts no byte of the queued
                                * output. */
    uint32_t linger_ms;        /* Time for the client to read the last response before the
                                * connection is closed. */
    uint32_t write_high_bytes; /* rc_responder_write returns false when the queue has reached this
                                * size. */
    uint32_t write_low_bytes;  /* on_drained is called when the queue falls to this size. */
    uint32_t write_max_bytes;  /* If the queue becomes larger, because the handler ignores
                                * write_high_bytes, the connection is closed. */
    uint32_t read_bytes;       /* Maximum number of bytes of one read. */
    uint32_t discard_bytes;    /* Maximum number of bytes of a request body that are read and
                                * dropped after the response. After a longer body the connection is
                                * closed. */
    uint32_t linger_bytes;     /* Maximum number of input bytes dropped after the last response, for
                                * a client that sends everything before it reads. */
} rc_server_settings;

/* The defaults: 4096 connections; head_ms 10 s, silent_ms 250 ms, body_idle_ms 60 s, keep_alive_ms
 * 75 s, write_idle_ms 60 s, linger_ms 5 s; write_high_bytes 256 KiB, write_low_bytes 64 KiB,
 * write_max_bytes 16 MiB; read_bytes 64 KiB, discard_bytes 256 KiB, linger_bytes 64 MiB. */
extern const rc_server_settings rc_server_settings_default;

/* The reasons for which a request ends without a complete response. */
#define RC_DISCONNECTS(X)                                                       \
    X(NONE, "")                                                                 \
    X(CLIENT, "the client closed the connection")                               \
    X(BODY_TIMEOUT, "the client stopped sending its body")                      \
    X(WRITE_TIMEOUT, "the client stopped reading the response")                 \
    X(FAULT, "the request's body is malformed")                                 \
    X(LENGTH, "the length of the response differs from the length in its head") \
    X(OVERFLOW, "the response was written faster than it can be sent")          \
    X(MEMORY, "no memory")                                                      \
    X(SERVER, "the server was closed")

typedef enum rc_disconnect_reason {
#define RC_DISCONNECT_ENUM(ID, text) RC_DISCONNECT_##ID,
    RC_DISCONNECTS(RC_DISCONNECT_ENUM)
#undef RC_DISCONNECT_ENUM
} rc_disconnect_reason;

typedef struct rc_disconnect {
    rc_disconnect_reason why;
    rc_http1_fault fault; /* Set if `why` is RC_DISCONNECT_FAULT. */
    const char *text;
} rc_disconnect;

/* An error response that the server sends without calling the handler. */
typedef struct rc_refusal {
    int status;
    rc_http1_fault fault; /* The fault in the request. RC_HTTP1_FAULT_NONE: the request did not
                           * arrive in time. */
    const char *text;
    rc_str target; /* The request's target (a view). Empty if the target has not been parsed. */
} rc_refusal;

/* The handler's callbacks. `ctx` is the pointer that was passed to rc_server_init. on_drained,
 * render_refusal and on_stopped may be NULL. */
typedef struct rc_server_handler {
    /* Called when the head of a request has arrived. `reader` and `head` are valid until the
     * callback returns; see rc_responder_keep_head. */
    void (*on_request)(void *ctx, rc_responder *responder, const rc_http1 *reader,
                       const char *head);
    /* Called for each piece of the request's body; `piece` is valid during the call. Not called
     * after the response's end. */
    void (*on_body)(void *ctx, rc_responder *responder, rc_str piece);
    /* Called when the request is complete, also if it has no body. */
    void (*on_body_end)(void *ctx, rc_responder *responder);
    /* Called when the output queue has fallen to write_low_bytes after rc_responder_write returned
     * false. */
    void (*on_drained)(void *ctx, rc_responder *responder);
    /* Called when the kernel has accepted the whole response. The responder is invalid
     * afterwards. */
    void (*on_done)(void *ctx, rc_responder *responder);
    /* Called when the request has ended without a complete response. The responder is invalid
     * afterwards. */
    void (*on_disconnect)(void *ctx, rc_responder *responder, const rc_disconnect *gone);
    /* Writes the body of an error response into `page` and its header lines into `lines`:
     * Content-Type and others, each with CR LF, without Connection, Content-Length and
     * Transfer-Encoding. If body or lines do not fit, or the callback is NULL, refusal->text is
     * sent as plain text. */
    void (*render_refusal)(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);
    /* Called after rc_server_stop or rc_server_close, when all connections and handles are closed
     * and the server's storage may be freed. */
    void (*on_stopped)(void *ctx);
} rc_server_handler;

typedef struct rc_server_stats {
    uint64_t accepted;
    uint64_t requests;
    uint64_t refused;       /* Requests that were malformed or too slow. */
    uint64_t evicted;       /* Number of connections without a running request that were closed to
                             * make room for new connections. */
    uint64_t accept_pauses; /* Number of times that accepting paused, because file descriptors,
                             * memory or connection slots were missing. */
    uint32_t connections;   /* Connections currently open. */
} rc_server_stats;

/* All types from here to rc_server_init are private. */
typedef struct rc_list_node {
    struct rc_list_node *prev, *next;
} rc_list_node;

typedef struct rc_free_list {
    void *first;
    size_t size; /* Size of each item in bytes. */
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

    uv_prepare_t before_sleep; /* Settles the kicked connections. */
    uv_idle_t awake; /* Active while the kicked list is not empty, so that the loop does not
                      * sleep. */
    uv_timer_t timer;
    uv_timer_t accept_retry;
    uint64_t timer_at_ms;
    /* A deadline has passed, and the sockets are polled once more before the deadline is
     * enforced. */
    bool is_final_poll;
    uint32_t handles; /* Number of libuv handles that are not closed yet. */

    rc_list_node connections;
    rc_list_node kicked;
    rc_list_node sent; /* Kicked connections whose output was sent early. */
    /* One list per deadline kind, each in the order of the deadlines. */
    rc_list_node waiting[RC_DEADLINE_COUNT];
    rc_free_list free_connections;
    rc_free_list free_responders;
    rc_free_list free_blocks;
    size_t used_blocks;      /* Blocks of this size that contain output. */
    rc_free_list free_heads; /* Copies of heads with up to RC_HEAD_COPY_BYTES bytes. Copies of
                              * longer heads are allocated and freed separately. */

    rc_listener listeners[RC_LISTENERS_MAX];
    uint32_t listener_count;
    bool is_accept_paused;
    bool is_refusing; /* The kernel refuses connections (rc_server_refuse_connections). */
    bool is_full;     /* Accepting is paused until a connection closes. */

    bool wants_stop;
    bool wants_close;
    bool is_stopping;
    bool is_closing_down;
    rc_server_stats stats;
};

/* Starts a server without listening sockets. Returns RC_OK, or RC_E_NOMEM if the server was not
 * started; rc_server_stop is then not needed. loop, handler: borrows until on_stopped. alloc,
 * settings: copies the structs. */
rc_status rc_server_init(rc_server *server, uv_loop_t *loop, const rc_alloc *alloc,
                         const rc_server_settings *settings, const rc_server_handler *handler,
                         void *ctx);

typedef enum rc_listen_result {
    RC_LISTEN_OK = 0,
    RC_LISTEN_ADDRESS = 1,   /* The host is neither an IP address nor localhost, or the path of a
                              * unix socket is unusable. */
    RC_LISTEN_IN_USE = 2,    /* The address is in use. */
    RC_LISTEN_DENIED = 3,    /* Permission denied. */
    RC_LISTEN_NO_SOCKET = 4, /* The given descriptor is not a listening socket. */
    RC_LISTEN_EXHAUSTED = 5, /* No memory, no file descriptor, or RC_LISTENERS_MAX sockets are
                              * already open. */
    RC_LISTEN_OTHER = 6
} rc_listen_result;

/* The outcome of a function that begins to listen. */
typedef struct rc_listening {
    rc_listen_result result;
    uint16_t port;  /* The port to which the socket is bound, also if the caller requested port 0; 0
                     * for a unix socket. */
    char text[128]; /* The error message; empty on success. */
    rc_listen_address at;
} rc_listening;

/* Determines whether several sockets of this process listen at the same address and share the
 * incoming connections (SO_REUSEPORT). The address is never shared with another process. */
typedef enum rc_listen_share {
    RC_LISTEN_ALONE = 0,
    RC_LISTEN_FIRST = 1,   /* The first of several sockets. The result is RC_LISTEN_IN_USE if
                            * another process has the address. */
    RC_LISTEN_MORE = 2,    /* Shares the address of the RC_LISTEN_FIRST socket. */
    RC_LISTEN_PAUSABLE = 3 /* As RC_LISTEN_ALONE; rc_server_refuse_connections keeps the port, even
                            * if the system chose it. */
} rc_listen_share;

/* Listens at a TCP address. `host` is an IP address or "localhost" (127.0.0.1). host: borrows
 * during the call. */
rc_listen_result rc_server_listen_tcp(rc_server *server, const char *host, uint16_t port,
                                      rc_listen_share share, rc_listening *ret_listening);

/* Listens at a unix socket. A socket file on which no process listens is replaced. The socket file
 * is removed when the server stops. mode: the file permissions, which are set before a client can
 * connect. path: copies. */
rc_listen_result rc_server_listen_unix(rc_server *server, const char *path, unsigned mode,
                                       rc_listening *ret_listening);

/* Listens on fd, a socket on which listen(2) was called before. fd: takes ownership if the result
 * is RC_LISTEN_OK. */
rc_listen_result rc_server_listen_fd(rc_server *server, int fd, rc_listening *ret_listening);

/* rc_server_refuse_connections lets the kernel refuse new connections at the server's addresses and
 * closes idle connections. rc_server_accept_connections listens again at the same addresses; it
 * returns false if the system refuses that. The sockets must be RC_LISTEN_PAUSABLE. */
void rc_server_refuse_connections(rc_server *server);
bool rc_server_accept_connections(rc_server *server);

/* Adds an open connection, such as one end of a socket pair. Returns false if there is no memory or
 * the server is stopping. fd: takes ownership, also on failure. */
bool rc_server_adopt(rc_server *server, int fd);

/* Accepts no more connections, closes idle connections and lets running requests finish; their
 * responses have "Connection: close". on_stopped is called when all connections are closed. May be
 * called more than once, and before rc_server_close. */
void rc_server_stop(rc_server *server);

/* Closes all connections at once. on_disconnect is called for each request, then on_stopped. */
void rc_server_close(rc_server *server);

/* Returns a view of the counters. */
static inline const rc_server_stats *rc_server_get_stats(const rc_server *server)
{
    return &server->stats;
}

/* Returns the static text of a reason. */
const char *rc_disconnect_text(rc_disconnect_reason why);

#endif
