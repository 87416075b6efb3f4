/* rc_pool: the connections of one origin, and the calls that wait for a connection.
 *
 *   begin ──► an idle link, the latest first ────► attach
 *        └──► fewer than max_connections ────────► dial
 *        └──► the queue, first in, first out
 *
 * connection_count covers busy links, idle links and dials. When a connection ends, the first call
 * in the queue starts. */
#ifndef RC_NET_CLIENT_POOL_H
#define RC_NET_CLIENT_POOL_H

#include "net/client/link.h"

struct rc_pool {
    rc_origin origin;
    rc_upstream *upstream;
    rc_pool *next; /* Next pool in the same slot of the hash table. */
    rc_link *newest;
    rc_link *oldest;
    rc_upstream_call *first;
    rc_upstream_call *last;
    uint32_t connection_count;
    uint32_t idle;
    uint32_t queued;
    uint32_t calls; /* Number of calls that use this pool. */
    SSL_SESSION *session;
    uv_timer_t timer; /* Fails queued calls that have waited too long. */
    bool is_timer_on;
};

/* Finds or creates the pool of `origin` and starts the call: on an idle link, with a dial, or in
 * the queue. Returns RC_UPSTREAM_NONE, or the reason for which the call was not started. */
rc_upstream_kind rc_pool_begin(rc_upstream_call *call, const rc_origin *origin);

/* The treatment of the link of a call that ends. RC_POOL_KEEP makes a reusable link idle and closes
 * any other link. */
typedef enum rc_pool_release_mode {
    RC_POOL_KEEP,
    RC_POOL_CLOSE,
    RC_POOL_RESET
} rc_pool_release_mode;
/* Releases the call's link, dial or queue entry. Returns whether the link became idle. */
bool rc_pool_leave(rc_upstream_call *call, rc_pool_release_mode mode);

/* Replaces the call's lost link by a new dial. Returns false, and changes nothing, if there is no
 * memory. */
bool rc_pool_redial(rc_upstream_call *call);

/* Closes an idle link and starts a queued call if there is one. */
void rc_pool_discard(rc_link *link);

/* Closes all idle links and all pools. Called at shutdown. */
void rc_pool_close_all(rc_upstream *upstream);

#endif
