/* rc_pool: the connections of one origin, and the calls that wait for one.
 *
 *   begin ──► an idle link, the latest first ──► attach
 *        └──► a place is free ─────────────────► dial
 *        └──► the queue, first come first served
 *
 * places: links that are busy or idle, and dials; at most max_connections. A place that becomes
 * free goes to the first in the queue. */
#ifndef RC_NET_CLIENT_POOL_H
#define RC_NET_CLIENT_POOL_H

#include "net/client/link.h"

struct rc_pool {
    rc_origin origin;
    rc_upstream *upstream;
    rc_pool *next; /* of the same slot */
    rc_link *newest;
    rc_link *oldest;
    rc_upstream_call *first;
    rc_upstream_call *last;
    uint32_t connection_count;
    uint32_t idle;
    uint32_t queued;
    uint32_t calls; /* that know it */
    SSL_SESSION *session;
    uv_timer_t timer; /* of the queue */
    bool is_timer_on;
};

/* Finds or makes the call's pool and begins: idle link, dial or queue. */
rc_upstream_kind rc_pool_begin(rc_upstream_call *call, const rc_origin *origin);

/* The call is over, or begins again elsewhere: it lets go of link, dial or place in the queue. The
 * link is kept when it may be, closed or reset otherwise. Gives whether it was kept. */
typedef enum rc_pool_release_mode {
    RC_POOL_KEEP,
    RC_POOL_CLOSE,
    RC_POOL_RESET
} rc_pool_release_mode;
bool rc_pool_leave(rc_upstream_call *call, rc_pool_release_mode mode);

/* The call's link is lost: a dial takes its place. False: no memory, and nothing has changed. */
bool rc_pool_redial(rc_upstream_call *call);

/* An idle link is of no more use. */
void rc_pool_discard(rc_link *link);

/* At the end: idle links and the pools themselves. */
void rc_pool_close_all(rc_upstream *upstream);

#endif
