/* rc_server: the gateway's side towards its clients: listening sockets, connections, HTTP/1.1.
 *
 *   listening socket ─► connection ─► exchange ─► handler (the owner)
 *                                        ▲            │ respond.h
 *                                        └────────────┘
 *
 * A server belongs to one loop and is used from that loop's thread alone. It decides nothing about
 * a request: it tells the handler what came and what happened, in the order
 *
 *   on_request  (on_body ... on_body_end, on_drained ...)  on_done | on_gone
 *
 * on_done: the whole answer went to the kernel. on_gone: it did not, and why. Exactly one of the
 * two ends each exchange, except one that the handler aborts itself: then none comes. Callbacks
 * come from the loop and never from inside a function of this header or of respond.h, so a handler
 * may call those anywhere.
 *
 * Memory: a connection at rest has about 1 KiB; reading uses one buffer for all. One that sends or
 * is sent to has at most limits.head_bytes or read_bytes (the greater one) for what came too early,
 * and write_max_bytes for what does not leave. */
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
/* 500 bytes a second: nobody who wants an answer is slower for long. */
#define RC_BODY_BYTE_MS 2u

typedef struct rc_server rc_server;
typedef struct rc_connection rc_connection;
typedef struct rc_responder rc_responder; /* one request and its answer: respond.h */

/* Times: 0 is no limit. */
typedef struct rc_server_settings {
    rc_http1_limits limits;
    uint32_t max_connections;
    uint32_t head_ms;          /* for a whole head, which begins with the connection */
    uint32_t silent_ms;        /* the same before it makes room for a new one; 0: none */
    uint32_t body_idle_ms;     /* between pieces of a body that is wanted; and for all of it, with
                                * RC_BODY_BYTE_MS more for each byte */
    uint32_t keep_alive_ms;    /* between requests */
    uint32_t write_idle_ms;    /* without the client taking a byte of what waits for it */
    uint32_t linger_ms;        /* for a client to see an answer that it did not wait for */
    uint32_t write_high_bytes; /* rc_responder_write says stop */
    uint32_t write_low_bytes;  /* on_drained says go on */
    uint32_t write_max_bytes;  /* a handler that does not stop loses the connection */
    uint32_t read_bytes;       /* of one read */
    uint32_t discard_bytes;    /* of a body behind its answer; a longer one ends the connection */
    uint32_t linger_bytes;     /* that are dropped, for a client that sends all before it reads */
} rc_server_settings;

/* 4096 connections; 10 s, 250 ms, 60 s, 75 s, 60 s, 5 s; 256 KiB, 64 KiB, 16 MiB, 64 KiB, 256 KiB,
 * 64 MiB. */
extern const rc_server_settings rc_server_settings_default;

/* Why an exchange did not end well. */
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
    rc_http1_fault fault; /* of FAULT */
    const char *text;
} rc_disconnect;

/* What a client is told when no exchange can answer it. */
typedef struct rc_refusal {
    int status;
    rc_http1_fault fault; /* NONE: the request did not come in time */
    const char *text;
    rc_str target; /* as far as it is known; views */
} rc_refusal;

/* A handler's functions; ctx is what init was given. NULL is allowed where said. */
typedef struct rc_server_handler {
    /* A head has come. reader and head (views) are good until this returns; see
     * rc_responder_keep_head. */
    void (*on_request)(void *ctx, rc_responder *exchange, const rc_http1 *reader, const char *head);
    /* A piece of the body (views), not after the answer's end. */
    void (*on_body)(void *ctx, rc_responder *exchange, rc_str piece);
    /* The request is whole; also of one without a body. */
    void (*on_body_end)(void *ctx, rc_responder *exchange);
    /* What waits to be written fell to the low mark, after rc_responder_write had said stop. */
    void (*on_drained)(void *ctx, rc_responder *exchange);
    /* The answer is with the kernel. The exchange is over. */
    void (*on_done)(void *ctx, rc_responder *exchange);
    /* The exchange is over and did not end well. */
    void (*on_disconnect)(void *ctx, rc_responder *exchange, const rc_disconnect *gone);
    /* Writes the page for a refusal, and the lines of its head: its type and others, each with its
     * CR LF, without Connection, Content-Length and Transfer-Encoding. What does not fit, and NULL:
     * the refusal's text, plain. */
    void (*render_refusal)(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);
    /* After rc_server_stop or rc_server_close: nothing is left and the server's storage may go. */
    void (*on_stopped)(void *ctx);
} rc_server_handler;

typedef struct rc_server_stats {
    uint64_t accepted;
    uint64_t requests;
    uint64_t refused;       /* malformed or too slow */
    uint64_t evicted;       /* connections without a request that made room for new ones */
    uint64_t accept_pauses; /* for want of file descriptors or of room */
    uint32_t connections;   /* open now */
} rc_server_stats;

/* From here to the functions: private. */
typedef struct rc_list_node {
    struct rc_list_node *prev, *next;
} rc_list_node;

typedef struct rc_free_list {
    void *first;
    size_t size; /* of each */
    uint32_t count;
    uint32_t max;
} rc_free_list;

typedef struct rc_listener {
    uv_poll_t poll;
    rc_server *server;
    int fd;
    char *path; /* of a unix socket that was made here */
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

    uv_prepare_t before_sleep; /* settles what handlers have asked for */
    uv_idle_t awake;           /* active while more of it is left */
    uv_timer_t timer;
    uv_timer_t accept_retry;
    uint64_t timer_at_ms;
    bool is_final_poll; /* something is due: sockets come first, then the timer again */
    uint32_t handles;   /* that are not closed yet */

    rc_list_node connections;
    rc_list_node kicked;
    rc_list_node waiting[RC_DEADLINE_COUNT]; /* each in the order of its deadlines */
    rc_free_list free_connections;
    rc_free_list free_responders;
    rc_free_list free_blocks;
    rc_free_list free_heads; /* of most requests; longer ones have memory of their own */

    rc_listener listeners[RC_LISTENERS_MAX];
    uint32_t listener_count;
    bool is_accept_paused;
    bool is_full; /* paused until a connection closes */

    bool wants_stop;
    bool wants_close;
    bool is_stopping;
    bool is_closing_down;
    rc_server_stats stats;
};

/* Starts a server without listening sockets. loop, handler: borrow, until on_stopped. alloc,
 * settings: copies. RC_E_NOMEM: nothing was started, nothing needs an end. */
rc_status rc_server_init(rc_server *server, uv_loop_t *loop, const rc_alloc *alloc,
                         const rc_server_settings *settings, const rc_server_handler *handler,
                         void *ctx);

typedef enum rc_listen_result {
    RC_LISTEN_OK = 0,
    RC_LISTEN_ADDRESS = 1,   /* neither an IP address nor localhost; not a usable path */
    RC_LISTEN_IN_USE = 2,    /* somebody listens there */
    RC_LISTEN_DENIED = 3,    /* not allowed */
    RC_LISTEN_NO_SOCKET = 4, /* what was passed does not listen */
    RC_LISTEN_EXHAUSTED = 5, /* memory, descriptors, RC_LISTENERS_MAX */
    RC_LISTEN_OTHER = 6
} rc_listen_result;

/* What came of it. */
typedef struct rc_listening {
    rc_listen_result result;
    uint16_t port;  /* the kernel's choice when 0 was asked for; 0 for a unix socket */
    char text[128]; /* the system's words, when it failed */
    rc_listen_address at;
} rc_listening;

/* Whether other sockets of this process listen at the same address and share the load
 * (SO_REUSEPORT). Those of another process never do. */
typedef enum rc_listen_share {
    RC_LISTEN_ALONE = 0,
    RC_LISTEN_FIRST = 1, /* others follow; in use: somebody else was there */
    RC_LISTEN_MORE = 2   /* joins the first */
} rc_listen_share;

/* host: an IP address or "localhost" (127.0.0.1); borrows. */
rc_listen_result rc_server_listen_tcp(rc_server *server, const char *host, uint16_t port,
                                      rc_listen_share share, rc_listening *ret_listening);

/* path: copies. A socket that nobody listens at any more is replaced; the path is removed at the
 * end. mode: its permissions, in force before the first connection. */
rc_listen_result rc_server_listen_unix(rc_server *server, const char *path, unsigned mode,
                                       rc_listening *ret_listening);

/* fd: takes, when the result is RC_LISTEN_OK. A socket that listens already. */
rc_listen_result rc_server_listen_fd(rc_server *server, int fd, rc_listening *ret_listening);

/* A connection that is open already, as the end of a pair of sockets is. fd: takes, also when it
 * fails. False: there is no memory, or the server is to stop. */
bool rc_server_adopt(rc_server *server, int fd);

/* Takes no more connections, closes those at rest, lets the others finish: their answers say
 * "Connection: close". Ends with on_stopped. May be called again, and before rc_server_close. */
void rc_server_stop(rc_server *server);

/* Cuts everything off: on_gone for each exchange, then on_stopped. */
void rc_server_close(rc_server *server);

static inline const rc_server_stats *rc_server_get_stats(const rc_server *server)
{
    return &server->stats;
}

const char *rc_disconnect_text(rc_disconnect_reason why);

#endif
