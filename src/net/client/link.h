/* rc_link: one connection to a provider.
 *
 *   DIALING ─► BUSY ◄─► IDLE       any state ─► CLOSED; freed when libuv has closed its handles
 *
 * All links of a loop read into one buffer, so an idle link has no buffer. Each write is tried at
 * once; only bytes that the kernel does not accept are queued. If the deadline moves to a later
 * time, only the new time is stored; when the timer fires too early, it is set to this time. */
#ifndef RC_NET_CLIENT_LINK_H
#define RC_NET_CLIENT_LINK_H

#include "net/client/private.h"

typedef enum rc_link_state {
    RC_LINK_DIALING = 0,
    RC_LINK_BUSY = 1,
    RC_LINK_IDLE = 2,
    RC_LINK_CLOSED = 3
} rc_link_state;

struct rc_link {
    uv_tcp_t tcp;
    uv_timer_t timer;
    uv_connect_t connect;
    rc_tls_wire wire;
    rc_upstream *upstream;
    rc_pool *pool;          /* The pool that counts this link; NULL while dialling. */
    rc_dial *dial;          /* The dial that opens this link; set in state DIALING. */
    rc_upstream_call *call; /* The call that uses this link; set in state BUSY. */
    rc_link *next, *prev;   /* In state IDLE: the next newer and the next older idle link. */
    uint64_t opened_at_ms;
    uint64_t idle_at_ms;
    uint64_t deadline_ms; /* The deadline; 0: no deadline. */
    uint64_t armed_ms;    /* Time at which the timer fires; 0: not set. */
    size_t queued_bytes;  /* Bytes passed to libuv since its queue was last empty. */
    uint64_t given_bytes; /* Bytes that the kernel or libuv has accepted since the link opened. */
    uint64_t first_byte;  /* Value of given_bytes when the latest request began. */
    uint64_t read_bytes;  /* Bytes read since the link opened. */
    uint32_t requests;
    uint32_t writes; /* Number of writes in libuv's queue. */
    uint8_t state;
    uint8_t handles;
    bool is_reading;
    bool has_written; /* The kernel has accepted at least one byte of the latest request. */
    bool is_reset;    /* A write has failed. The next read will not report the error of this
                       * write. */
    bool is_final_poll;
    /* Copied bytes go to libuv's queue even if the kernel would accept them at once. */
    bool is_queueing;
};

/* Returns a new link without a connection, or NULL if there is no memory. The result: gives. */
rc_link *rc_link_new(rc_upstream *upstream);

/* Closes the connection. May be called at any moment and more than once. If is_reset, a TCP reset
 * is sent, so that the server stops at once. */
void rc_link_close(rc_link *link, bool is_reset);

/* rc_link_start_reading and rc_link_stop_reading start and stop reading from the socket.
 * rc_link_start_reading returns false if libuv reported an error. */
bool rc_link_start_reading(rc_link *link);
void rc_link_stop_reading(rc_link *link);

/* Sends the pieces. Bytes that the kernel does not accept are queued: as copies if is_copied is
 * true, otherwise as views of bytes that must stay valid. *ret_taken is the number of bytes sent or
 * queued. Without TLS these are all bytes; with TLS, sending stops when the kernel accepts no more.
 * Returns RC_UPSTREAM_NONE, or a failure, such as RC_UPSTREAM_RESET if the peer has closed the
 * connection. */
rc_upstream_kind rc_link_send(rc_link *link, const rc_str *pieces, size_t count, bool is_copied,
                              size_t *ret_taken);

/* Sends the encrypted bytes that are in the loop's TLS sink. */
rc_upstream_kind rc_link_flush(rc_link *link);

/* Sets the deadline of the link; 0: no deadline. */
void rc_link_set_deadline(rc_link *link, uint64_t at_ms);

/* Returns whether the peer has closed an idle connection, or has sent unexpected bytes. Needs one
 * system call. */
bool rc_link_is_stale(const rc_link *link);

/* Returns whether the server certainly closed its side before a byte of the latest request arrived.
 * has_ended: the server's FIN was read. Needs one system call. */
bool rc_link_is_unreached(const rc_link *link, bool has_ended);

/* Decrypts and handles the bytes in link->wire.input. The handshake of the link must be
 * complete. */
void rc_link_read_tls(rc_link *link);

#endif
