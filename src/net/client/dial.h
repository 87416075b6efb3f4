/* rc_dial: opens one connection to an origin (scheme, host and port) and makes it ready for a
 * request.
 *
 *   RESOLVING ─► CONNECTING ─► HANDSHAKING ─► rc_upstream_attach
 *        └───────────┴───────────────┴──────► rc_upstream_fail
 *
 * Addresses are tried in the resolver's order. The next address is tried when an address has
 * failed, or in parallel when an address takes longer than next_dial_ms. The first connection that
 * opens is used; the other connections are closed. */
#ifndef RC_NET_CLIENT_DIAL_H
#define RC_NET_CLIENT_DIAL_H

#include "net/client/link.h"

/* Starts a dial for a call; the pool has already counted the connection. Returns NULL if there is
 * no memory. A dial that is not cancelled ends with rc_upstream_attach or rc_upstream_fail, called
 * from the event loop. call: borrows until the dial ends. */
rc_dial *rc_dial_new(rc_upstream_call *call);

/* Cancels and frees the dial. May be called at any moment; no callback follows. */
void rc_dial_cancel(rc_dial *dial);

/* Returns the facts of the certificate that verification rejected, a view into `dial`. Returns NULL
 * if no certificate was rejected or `dial` is NULL. */
const rc_tls_facts *rc_dial_refused_certificate(const rc_dial *dial);

/* rc_link calls rc_dial_on_bytes and the next functions for the events of a link that is being
 * dialled. */
void rc_dial_on_bytes(rc_link *link);
void rc_dial_on_end(rc_link *link, bool is_reset);

#endif
