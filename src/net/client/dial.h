/* rc_dial: from an origin to a connection that is ready for a request.
 *
 *   RESOLVING ─► CONNECTING ─► SHAKING ─► the call has it
 *        └───────────┴────────────┴─────► the call fails
 *
 * Addresses are tried in the order in which the resolver gives them: the next one when one fails,
 * or beside it when it takes longer than next_dial_ms. The first that connects is taken. */
#ifndef RC_NET_CLIENT_DIAL_H
#define RC_NET_CLIENT_DIAL_H

#include "net/client/link.h"

/* For the call, which has a place in the pool. Always ends from the loop, with rc_upstream_attach
 * or rc_upstream_fail, unless it is cancelled. NULL: no memory. */
rc_dial *rc_dial_new(rc_upstream_call *call);

/* At any moment; nothing comes after it. */
void rc_dial_cancel(rc_dial *dial);

/* The certificate that was refused; NULL: none was, or there is no dial. Views dial. */
const rc_tls_facts *rc_dial_refused_certificate(const rc_dial *dial);

/* Events of its links. */
void rc_dial_on_bytes(rc_link *link);
void rc_dial_on_end(rc_link *link, bool is_reset);

#endif
