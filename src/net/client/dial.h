/* rc_dial: opens one connection to an origin and makes it ready for a request.
 *
 *   RESOLVING ─► CONNECTING ─► HANDSHAKING ─► rc_upstream_attach
 *        └───────────┴───────────────┴──────► rc_upstream_fail
 *
 * Addresses are tried in the resolver's order: the next one when an address fails, or in parallel
 * when an address takes longer than next_dial_ms. The first connection that opens is used; the
 * others are closed. */
#ifndef RC_NET_CLIENT_DIAL_H
#define RC_NET_CLIENT_DIAL_H

#include "net/client/link.h"

/* Starts a dial for a call whose connection the pool has already counted. The dial ends from the
 * loop, with rc_upstream_attach or rc_upstream_fail, unless it is cancelled. call: borrows. NULL:
 * no memory. */
rc_dial *rc_dial_new(rc_upstream_call *call);

/* Cancels and frees the dial at any moment; no callback follows. */
void rc_dial_cancel(rc_dial *dial);

/* The certificate that verification rejected; NULL: none, or dial is NULL. Views dial. */
const rc_tls_facts *rc_dial_refused_certificate(const rc_dial *dial);

/* Events of the dial's links. */
void rc_dial_on_bytes(rc_link *link);
void rc_dial_on_end(rc_link *link, bool is_reset);

#endif
