/* rc_link: one connection to a provider.
 *
 *   DIALING ─► BUSY ◄─► IDLE       any state ─► CLOSED; freed when libuv has closed its handles
 *
 * Links read into one buffer per loop, so an idle link holds no buffer. A write is tried at once;
 * only bytes that the kernel does not accept are queued. The timer is lazy: moving a deadline to a
 * later time only stores it; the timer checks it when it fires. */
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
    rc_dial *dial;          /* The dial that opens this link; set in DIALING. */
    rc_upstream_call *call; /* The call that uses this link; set in BUSY. */
    rc_link *next, *prev;   /* In IDLE: the newer and the older idle link. */
    uint64_t opened_at_ms;
    uint64_t idle_at_ms;
    uint64_t deadline_ms; /* When the timer acts; 0: never. */
    uint64_t armed_ms;    /* When the timer fires; 0: the timer is not set. */
    size_t queued_bytes;  /* Bytes passed to libuv since its queue was last empty. */
    uint64_t given_bytes; /* Bytes accepted by the kernel or libuv since the link opened. */
    uint64_t first_byte;  /* The value of given_bytes at which the latest request began. */
    uint64_t read_bytes;  /* Bytes read since the link opened. */
    uint32_t requests;
    uint32_t writes; /* Number of writes in libuv's queue. */
    uint8_t state;
    uint8_t handles;
    bool is_reading;
    bool has_written; /* The kernel accepted a byte of the latest request. */
    bool is_reset;    /* A write failed; the next read no longer reports this error. */
    bool is_final_poll;
    bool is_queueing; /* Copied bytes go to libuv's queue even if the kernel would accept them at
                       * once. */
};

/* Returns a link without a connection (gives). NULL: no memory. */
rc_link *rc_link_new(rc_upstream *upstream);

/* Closes the connection. May be called at any moment and repeatedly. is_reset: sends a TCP reset,
 * so that the peer stops at once. */
void rc_link_close(rc_link *link, bool is_reset);

/* Starts reading. False: libuv reported an error. */
bool rc_link_start_reading(rc_link *link);
void rc_link_stop_reading(rc_link *link);

/* Sends the pieces. Bytes that the kernel does not accept are queued, as copies or as views of
 * bytes that stay valid. *ret_taken: the number of bytes sent or queued: all of them, except with
 * TLS, where sending stops when the kernel accepts no more. RESET: the peer has closed the
 * connection. */
rc_upstream_kind rc_link_send(rc_link *link, const rc_str *pieces, size_t count, bool is_copied,
                              size_t *ret_taken);

/* Sends the TLS records that wait in the sink. */
rc_upstream_kind rc_link_flush(rc_link *link);

/* Sets the time at which the timer acts; 0: never. */
void rc_link_set_deadline(rc_link *link, uint64_t at_ms);

/* Whether the peer has closed an idle connection, or sent unexpected bytes. One system call. */
bool rc_link_is_stale(const rc_link *link);

/* Whether the peer closed its side before a byte of the latest request arrived. has_ended: the
 * peer's FIN was read. False: no, or unknown. One system call. */
bool rc_link_is_unreached(const rc_link *link, bool has_ended);

/* Decrypts and handles wire.input after the handshake. */
void rc_link_read_tls(rc_link *link);

#endif
