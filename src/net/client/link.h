/* rc_link: one connection.
 *
 *   DIALING ─► BUSY ◄─► IDLE       any of them ─► CLOSED, freed when libuv has let go of it
 *
 * It reads into the loop's one buffer, so a resting link holds none. Writing is tried at once; only
 * what the kernel does not take is queued. The timer is lazy: a deadline that moves back costs a
 * store, and the timer finds out when it fires. */
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
    rc_pool *pool;          /* of which it takes a place; NULL while dialling */
    rc_dial *dial;          /* DIALING */
    rc_upstream_call *call; /* BUSY */
    rc_link *next, *prev;   /* IDLE: the newer and the older one */
    uint64_t opened_at_ms;
    uint64_t idle_at_ms;
    uint64_t deadline_ms; /* 0: none */
    uint64_t armed_ms;    /* when the timer fires; 0: not set */
    size_t queued_bytes;  /* given to libuv since its queue was last empty */
    uint64_t given_bytes; /* to the kernel or to libuv, since it was opened */
    uint64_t first_byte;  /* of these, where the latest request begins */
    uint64_t read_bytes;  /* since it was opened */
    uint32_t requests;
    uint32_t writes; /* in libuv's queue */
    uint8_t state;
    uint8_t handles;
    bool is_reading;
    bool has_written; /* the kernel took a byte since the latest request began */
    bool is_reset;    /* a write was refused, which takes the error away from the read to come */
    bool is_final_poll;
    bool is_queueing; /* copies are queued even if the kernel would take them at once */
};

/* NULL: no memory. */
rc_link *rc_link_new(rc_upstream *upstream);

/* At any moment, any number of times. A reset tells the peer at once that nobody listens. */
void rc_link_close(rc_link *link, bool is_reset);

bool rc_link_start_reading(rc_link *link);
void rc_link_stop_reading(rc_link *link);

/* Sends; what the kernel does not take is queued, as a copy or as views of bytes that stay. Gives
 * how much was taken: all of it, but for TLS, which stops when the kernel does. RESET: the peer
 * takes no more. */
rc_upstream_kind rc_link_send(rc_link *link, const rc_str *pieces, size_t count, bool is_copied,
                              size_t *ret_taken);

/* Sends what TLS has put into the sink. */
rc_upstream_kind rc_link_flush(rc_link *link);

/* 0: none. */
void rc_link_set_deadline(rc_link *link, uint64_t at_ms);

/* Has the peer closed, or sent what nobody asked for? One system call. */
bool rc_link_is_stale(const rc_link *link);

/* Had the peer closed its side before a byte of the latest request arrived there? has_ended: its
 * end was read. False: no, or it is not known. One system call. */
bool rc_link_is_unreached(const rc_link *link, bool has_ended);

/* Goes through what wire.input holds; the handshake is over. */
void rc_link_read_tls(rc_link *link);

#endif
