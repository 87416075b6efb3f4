/* rc_upstream_failure: the facts of a failed call to a provider; and the properties of each
 * rc_upstream_kind. */
#ifndef RC_NET_CLIENT_FAILURE_H
#define RC_NET_CLIENT_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/classify.h>

#include "codec/origin.h"
#include "net/failure_kind.h"
#include "net/tls/facts.h"

#define RC_UPSTREAM_DETAIL_BYTES ((size_t)1024)

typedef struct rc_upstream_failure {
    rc_upstream_kind kind;
    rc_connection_fault connection;
    rc_transport transport;
    rc_phase phase; /* CONNECT, SENT or HEADERS. Only the owner can tell whether body bytes were
                     * passed on to the client. */
    bool is_local;  /* The provider is not to blame. */
    /* The connection had carried a request before. If phase is SENT and the connection ended (EOF
     * or RESET), the peer most probably closed it because it had been idle or open too long. */
    bool was_reused;
    const char *text; /* A message of one line, without secrets. */
    /* For the log: the host, the text, and the facts of a rejected certificate, which are untrusted
     * input. Empty for failures without a connection fault. */
    rc_str detail;
    /* When the rejected certificate expires, or becomes valid if that is in the future; 0: no
     * certificate was rejected. */
    int64_t certificate_unix_ms;
    uint32_t limit_ms;       /* The limit that a timeout exceeded; 0: not a timeout. */
    uint64_t bytes_sent;     /* Bytes of the request that were sent. */
    uint64_t bytes_received; /* Bytes of the response that were received. */
    uint64_t body_bytes;     /* Bytes that were passed to on_body. */
} rc_upstream_failure;

/* Columns of RC_UPSTREAM_KINDS and spec/connection.def. The text is static. */
const char *rc_upstream_kind_text(rc_upstream_kind kind);
rc_connection_fault rc_upstream_kind_connection(rc_upstream_kind kind);
rc_transport rc_upstream_kind_transport(rc_upstream_kind kind);
bool rc_upstream_kind_is_local(rc_upstream_kind kind);

/* Writes "api.x.com:443: certificate has expired; ..." into buf. Borrows all; certificate: NULL for
 * none. */
void rc_upstream_push_detail(rc_buf *buf, const rc_origin *origin, const char *text,
                             const rc_tls_facts *certificate);

#endif
