/* rc_connection: one client. Private to the server.
 *
 *   IDLE ─► HEAD ─► BODY ─► WAIT ──────┐ answered: IDLE again
 *             │       │ └► DISCARD ────┤ answered before the body's end
 *             │       │                │
 *             └───────┴──► FLUSH ─► LINGER ─► CLOSED
 *
 * Input is handed to the stage's step until a step needs more of it. A handler that is called in a
 * step changes the exchange and never the stage: the step sees it when the handler has returned.
 * What a handler does outside of a step kicks the connection, which is settled before the loop
 * sleeps. */
#ifndef RC_NET_SERVER_CONNECTION_H
#define RC_NET_SERVER_CONNECTION_H

#include <stddef.h>

#include <netinet/in.h>

#include "net/server/responder.h"
#include "net/server/server.h"

typedef enum rc_stage {
    RC_STAGE_IDLE = 0,    /* at rest */
    RC_STAGE_HEAD = 1,    /* a head has begun; nobody was told */
    RC_STAGE_BODY = 2,    /* the handler has it; the body is on its way */
    RC_STAGE_WAIT = 3,    /* the request is whole; the answer is not */
    RC_STAGE_DISCARD = 4, /* the answer is whole; the request is not */
    RC_STAGE_FLUSH = 5,   /* the last bytes go out; input is dropped from here on */
    RC_STAGE_LINGER = 6,  /* our side is shut; the client may still read */
    RC_STAGE_CLOSED = 7
} rc_stage;

/* Bytes that wait to be sent. */
typedef struct rc_block {
    struct rc_block *next;
    const char *data; /* bytes, or the handler's memory */
    size_t at;        /* sent up to here */
    size_t len;
    size_t size;  /* of bytes; 0: the handler's memory */
    size_t space; /* behind them */
    char bytes[];
} rc_block;

#define RC_BLOCK_BYTES (8192 - sizeof(rc_block))
#define RC_HEAD_COPY_BYTES 768u

struct rc_responder {
    rc_connection *connection;
    void *owner;
    const char *head;         /* in on_request, or head_copy */
    char *head_copy;          /* reader.head_bytes long */
    uint64_t body_bytes;      /* of the request's body, so far */
    uint64_t body_wait_ms;    /* that was waited for them */
    uint64_t sent_before;     /* on the connection, when the request came */
    uint64_t left;            /* of an answer with a length */
    rc_http1_framing framing; /* of the answer */
    bool is_with_handler;     /* the handler knows of it and was not told of its end */
    bool is_paused;
    bool is_expecting; /* waits for "100 Continue" */
    bool has_begun;
    bool is_bodiless;
    bool is_ended;
    bool is_aborted;
    rc_http1 reader;
};

struct rc_connection {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } uv;
    union {
        uv_write_t write;
        uv_shutdown_t shutdown; /* never before the last write is done */
    } request;
    rc_server *server;
    rc_list_node all;
    rc_list_node kick;
    rc_list_node wait;
    uint64_t deadline_ms;
    uint64_t deadline_set_at_ms; /* when its deadline was set */
    uint64_t sent_bytes;
    uint64_t discarded_bytes;
    rc_responder *responder; /* of HEAD, BODY, WAIT and DISCARD */
    char *stash;             /* input that was not used yet */
    uint32_t stash_len;
    uint32_t stash_size;
    rc_block *first;
    rc_block *last;
    size_t queued;       /* in the blocks */
    size_t in_flight;    /* of these, what libuv has */
    size_t stalled_left; /* of these, what was left when its deadline was set */
    struct in6_addr peer;
    rc_stage stage;
    rc_deadline_kind deadline_kind;
    rc_disconnect_reason close_reason; /* what ends the connection at the next settling */
    bool is_unix;
    bool is_v4;
    bool is_reading;
    bool is_running;       /* a step is under way */
    bool is_last;          /* the answer is the connection's last */
    bool is_used;          /* has served a request */
    bool is_write_stopped; /* the handler was told to stop writing */
    bool has_moved;        /* bytes came since the deadline was set */
    bool has_eof;          /* the client has shut its side */
    bool is_overrun; /* it sent too much ahead: what comes is dropped, and the answer is the last */
};

/* Links and free lists. */
static inline void rc_list_node_init(rc_list_node *link)
{
    link->prev = link;
    link->next = link;
}
static inline bool rc_list_node_is_alone(const rc_list_node *link)
{
    return link->next == link;
}
static inline void rc_list_node_leave(rc_list_node *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    rc_list_node_init(link);
}
static inline void rc_list_node_join_last(rc_list_node *list, rc_list_node *link)
{
    link->prev = list->prev;
    link->next = list;
    list->prev->next = link;
    list->prev = link;
}
#define RC_LIST_NODE_OWNER(link, type, member) \
    ((type *)(void *)((char *)(link)-offsetof(type, member)))

void *rc_server_get(rc_server *server, rc_free_list *list);
void rc_server_put(rc_server *server, rc_free_list *list, void *item);

/* server.c */
void rc_server_arm(rc_server *server, uint64_t deadline_ms);
void rc_server_handle_closed(rc_server *server); /* a handle's close callback has come */

/* listen.c */
void rc_listen_resume(rc_server *server);
void rc_listen_accept_pending(rc_server *server);
void rc_listen_close(rc_server *server);
void rc_listen_on_retry(uv_timer_t *timer);

/* connection.c. Takes fd; false when there is no memory, fd is closed then. */
bool rc_connection_open(rc_server *server, int fd, const struct sockaddr_storage *peer);
/* Ends it with FIN, or with RST. */
void rc_connection_close(rc_connection *c, bool is_reset);
void rc_connection_settle(rc_connection *c);
void rc_connection_kick(rc_connection *c);
void rc_connection_expire(rc_connection *c, rc_deadline_kind kind);
/* Nothing has come that was not read yet: closing it now cuts nobody off. */
bool rc_connection_is_quiet(const rc_connection *c);
/* Closes the connection that has been at rest longest, or that is late with its head, if there is
 * one. */
bool rc_connection_evict(rc_server *server);
/* When one whose head is not whole will be late; UINT64_MAX: there is none. */
uint64_t rc_connection_evictable_in_ms(const rc_server *server);
void rc_connection_release_responder(rc_connection *c);
/* Tells the handler, if it does not know, and closes. */
void rc_connection_fail(rc_connection *c, rc_disconnect_reason why);

/* connection_run.c */
void rc_connection_run(rc_connection *c, rc_str *input);
void rc_connection_refuse(rc_connection *c, rc_disconnect_reason why, const rc_refusal *refusal);

/* connection_write.c. What does not fit into the last block goes the slower way. */
void rc_connection_push_more(rc_connection *c, rc_str bytes);
static inline void rc_connection_push(rc_connection *c, rc_str bytes)
{
    rc_block *block = c->last;
    if (bytes.len == 0)
        return;
    if (block == NULL || bytes.len > block->space) {
        rc_connection_push_more(c, bytes);
        return;
    }
    memcpy(block->bytes + block->len, bytes.ptr, bytes.len);
    block->len += bytes.len;
    block->space -= bytes.len;
    c->queued += bytes.len;
}
void rc_connection_push_borrowed(rc_connection *c, rc_str bytes);
/* Sends the blocks, bytes and tail at once; copies what the kernel does not take. */
void rc_connection_send(rc_connection *c, rc_str bytes, rc_str tail);
void rc_connection_send_queued(rc_connection *c);
static inline void rc_connection_flush(rc_connection *c)
{
    if (c->queued > 0)
        rc_connection_send_queued(c);
}
void rc_connection_drop_output(rc_connection *c);

/* respond_head.c */
void rc_response_push_status_line(rc_connection *c, int status);
void rc_response_push_number(rc_connection *c, uint64_t number);
void rc_response_push_chunk_size(rc_connection *c, size_t size);
/* May the handler send it? Some are the server's own; no control character leaves. */
bool rc_response_is_field(const rc_header *field);

#endif
