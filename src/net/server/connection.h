/* rc_connection: one client connection. Only files of src/net/server use it.
 *
 *   IDLE ─► HEAD ─► BODY ─► WAIT ──────┐ response complete: IDLE again
 *             │       │ └► DISCARD ────┤ response complete before the body's end
 *             │       │                │
 *             └───────┴──► FLUSH ─► LINGER ─► CLOSED
 *
 * Each stage has a step function; rc_connection_run calls step functions until one of them needs
 * more input. A handler that a step calls changes only the responder; when the handler has
 * returned, the step reads the responder and changes the stage. If a handler uses the responder
 * outside of a step, the connection is put on the kicked list. The server settles the connections
 * of this list (rc_connection_settle) before the loop sleeps. */
#ifndef RC_NET_SERVER_CONNECTION_H
#define RC_NET_SERVER_CONNECTION_H

#include <stddef.h>

#include <netinet/in.h>

#include "net/server/responder.h"
#include "net/server/server.h"

typedef enum rc_stage {
    RC_STAGE_IDLE = 0,    /* No request has begun. */
    RC_STAGE_HEAD = 1,    /* A head has begun to arrive; the handler has not been called. */
    RC_STAGE_BODY = 2,    /* The handler has the request; the body is being read. */
    RC_STAGE_WAIT = 3,    /* The request is complete; the response is not. */
    RC_STAGE_DISCARD = 4, /* The response is complete, but the request body is not. */
    RC_STAGE_FLUSH = 5,   /* The last bytes are being sent. From FLUSH on, all input is dropped. */
    RC_STAGE_LINGER = 6,  /* The server has shut down its sending side; the client may still
                           * read. */
    RC_STAGE_CLOSED = 7
} rc_stage;

/* A block of output that waits to be sent. */
typedef struct rc_block {
    struct rc_block *next;
    const char *data; /* Points to `bytes`, or to memory that belongs to the handler. */
    size_t at;        /* Number of bytes of this block that were sent. */
    size_t len;
    size_t size;  /* Capacity of `bytes`; 0: `data` is memory of the handler. */
    size_t space; /* Unused capacity of this block. */
    char bytes[];
} rc_block;

#define RC_BLOCK_BYTES (8192 - sizeof(rc_block))
#define RC_HEAD_COPY_BYTES 768u

struct rc_responder {
    rc_connection *connection;
    void *owner;
    const char *head;         /* The request's head; valid during on_request, later only in
                               * head_copy. */
    char *head_copy;          /* Copy of the head with reader.head_bytes bytes; NULL: there is no
                               * copy. */
    rc_http1_table *table;    /* Fields of a head with many fields; NULL: `reader` has them. */
    uint64_t body_bytes;      /* Bytes of the request body received so far. */
    uint64_t body_wait_ms;    /* Time spent waiting for the request body. */
    uint64_t sent_before;     /* The connection's sent_bytes when the request began. */
    uint64_t left;            /* For a response with a declared length: number of body bytes that
                               * the handler has not written yet. */
    rc_http1_framing framing; /* Framing of the response. */
    bool is_with_handler;     /* on_request was called; neither on_done nor on_disconnect was called
                               * yet. */
    bool is_paused;
    bool is_expecting; /* The client waits for "100 Continue". */
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
        uv_shutdown_t shutdown; /* Request for the shutdown of the sending side. Used only after the
                                 * last write has completed. */
    } request;
    rc_server *server;
    rc_list_node all;
    rc_list_node kick;
    rc_list_node wait;
    uint64_t deadline_ms;
    uint64_t deadline_set_at_ms; /* Loop time at which deadline_ms was set. */
    uint64_t sent_bytes;
    uint64_t discarded_bytes;
    rc_responder *responder; /* The current request and response; set in the stages HEAD, BODY, WAIT
                              * and DISCARD. */
    char *stash;             /* Input that was read before a step could use it. */
    uint32_t stash_len;
    uint32_t stash_size;
    rc_block *first;
    rc_block *last;
    size_t queued;       /* Unsent bytes in the blocks. */
    size_t in_flight;    /* Number of bytes of `queued` that were passed to uv_write. */
    size_t stalled_left; /* libuv's write queue size when RC_DEADLINE_WRITE was set. */
    struct in6_addr peer;
    rc_stage stage;
    rc_deadline_kind deadline_kind;
    rc_disconnect_reason close_reason; /* If set, the next rc_connection_settle closes the
                                        * connection for this reason. */
    bool is_unix;
    bool is_v4;
    bool is_reading;
    bool is_running;       /* A step of this connection is running. */
    bool is_last;          /* The connection is closed after the current response. */
    bool is_used;          /* The connection has served a request. */
    bool is_write_stopped; /* rc_responder_write has returned false; on_drained must be called
                            * later. */
    bool has_moved;        /* Bytes were read since the deadline was set. */
    bool has_eof;          /* The client has shut down its sending side. */
    /* The client has pipelined too many bytes. Further input is dropped, and the current response
     * is the last one. */
    bool is_overrun;
};

/* Initialises a node of a circular, doubly linked list. A node that is in no list points to
 * itself. */
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
/* Moves all items of the list `from` to the end of the list `to`. */
static inline void rc_list_node_move_all(rc_list_node *to, rc_list_node *from)
{
    if (rc_list_node_is_alone(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    rc_list_node_init(from);
}
#define RC_LIST_NODE_OWNER(link, type, member) \
    ((type *)(void *)((char *)(link)-offsetof(type, member)))

/* Returns an item of the list's size, either an item of the free list or new memory; NULL if there
 * is no memory. The result: gives. */
void *rc_server_get(rc_server *server, rc_free_list *list);
/* Puts an item into its free list, or frees the item if the list is full. item: takes. */
void rc_server_put(rc_server *server, rc_free_list *list, void *item);

/* server.c: makes the server's timer fire at deadline_ms at the latest. */
void rc_server_arm(rc_server *server, uint64_t deadline_ms);
void rc_server_handle_closed(rc_server *server); /* Called by the close callback of each handle. */
void rc_server_close_idle(rc_server *server);    /* Closes the connections without a request. */

/* listen.c: accepts connections again after a pause. */
void rc_listen_resume(rc_server *server);
/* Accepts the connections that already wait in the kernel's queues. */
void rc_listen_accept_pending(rc_server *server);
/* Closes the listening sockets and removes the paths of unix sockets. */
void rc_listen_close(rc_server *server);
/* Callback of the timer accept_retry. */
void rc_listen_on_retry(uv_timer_t *timer);

/* connection.c: opens a connection on fd. Returns false and closes fd if there is no memory. fd:
 * takes. */
bool rc_connection_open(rc_server *server, int fd, const struct sockaddr_storage *peer);
/* Closes the connection with a FIN, or with a RST if is_reset. */
void rc_connection_close(rc_connection *c, bool is_reset);
/* Sends queued output, runs the steps on stashed input and sets the next deadline. */
void rc_connection_settle(rc_connection *c);
/* Schedules rc_connection_settle before the loop sleeps. */
void rc_connection_kick(rc_connection *c);
/* Handles a deadline of this kind that has passed. */
void rc_connection_expire(rc_connection *c, rc_deadline_kind kind);
/* Returns whether all received bytes have been processed, so that no request is cut off if the
 * connection is closed now. */
bool rc_connection_is_quiet(const rc_connection *c);
/* Closes one connection to make room for a new one: an idle connection, one whose head is late, or
 * a lingering one. Returns false if no connection may be closed. */
bool rc_connection_evict(rc_server *server);
/* Returns the time until a connection without a complete head may be evicted. UINT64_MAX if there
 * is no such connection. */
uint64_t rc_connection_evictable_in_ms(const rc_server *server);
/* Puts the responder and its head copy into the free lists. */
void rc_connection_release_responder(rc_connection *c);
/* Calls on_disconnect if the handler has the request, then closes the connection. */
void rc_connection_fail(rc_connection *c, rc_disconnect_reason why);

/* connection_run.c: runs the step functions on *input and removes the consumed bytes from
 * *input. */
void rc_connection_run(rc_connection *c, rc_str *input);
/* Ends the request with an error response that the server writes itself. If a response has begun,
 * the connection is reset instead. */
void rc_connection_refuse(rc_connection *c, rc_disconnect_reason why, const rc_refusal *refusal);

/* connection_write.c: appends bytes to the output that do not fit into its last block. bytes:
 * copies. */
void rc_connection_push_more(rc_connection *c, rc_str bytes);
/* Appends bytes to the output. bytes: copies. */
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
/* Appends bytes to the output. bytes: borrows until they are sent or the connection closes. */
void rc_connection_push_borrowed(rc_connection *c, rc_str bytes);
/* Sends the queued blocks, then `bytes`, then `tail`, in one system call. Bytes that the kernel
 * does not accept are copied and queued. */
void rc_connection_send(rc_connection *c, rc_str bytes, rc_str tail);
/* Sends the queued blocks. Bytes that the kernel does not accept wait until the socket is
 * writable. */
void rc_connection_send_queued(rc_connection *c);
static inline void rc_connection_flush(rc_connection *c)
{
    if (c->queued > 0)
        rc_connection_send_queued(c);
}
/* Frees all queued output without sending it. */
void rc_connection_drop_output(rc_connection *c);

/* response_head.c: functions that append parts of a response's head to the output. */
void rc_response_push_status_line(rc_connection *c, int status);
void rc_response_push_number(rc_connection *c, uint64_t number);
void rc_response_push_chunk_size(rc_connection *c, size_t size);
/* Returns whether the handler may send this field: the value has no control characters, and the
 * field is not one of the framing fields, which only the server writes. */
bool rc_response_is_field(const rc_header *field);

#endif
