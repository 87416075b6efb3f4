/* rc_upstream_failure: the facts of a failed call to a provider. The functions return the
 * properties of an rc_upstream_kind (the kind of failure). */
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
    /* RC_PHASE_CONNECT, RC_PHASE_SENT or RC_PHASE_HEADERS. Only the owner of the call knows whether
     * bytes of the body were passed on to the client. */
    rc_phase phase;
    bool is_local; /* The failure was caused by this process, not by the provider. */
    /* The connection had carried an earlier request. If `phase` is RC_PHASE_SENT and the connection
     * ended (EOF or reset), the server most probably closed it because it had been idle or open too
     * long. */
    bool was_reused;
    const char *text; /* A message of one line, without secrets. */
    /* For the log: the host, `text`, and the facts of a rejected certificate, which are untrusted
     * input. Empty for kinds of failure that are not in spec/connection.def. */
    rc_str detail;
    /* Time at which the rejected certificate expires or, if it is not valid yet, becomes valid. 0:
     * no certificate was rejected. */
    int64_t certificate_unix_ms;
    uint32_t limit_ms;       /* The time limit that was exceeded; 0: the failure is no timeout. */
    uint64_t bytes_sent;     /* Bytes of the request that were sent. */
    uint64_t bytes_received; /* Bytes of the response that were received. */
    uint64_t body_bytes;     /* Bytes that were passed to on_body. */
} rc_upstream_failure;

/* The next functions return columns of RC_UPSTREAM_KINDS and spec/connection.def. The texts are
 * static. */
const char *rc_upstream_kind_text(rc_upstream_kind kind);
rc_connection_fault rc_upstream_kind_connection(rc_upstream_kind kind);
rc_transport rc_upstream_kind_transport(rc_upstream_kind kind);
bool rc_upstream_kind_is_local(rc_upstream_kind kind);

/* Appends a detail text such as "api.x.com:443: certificate has expired; ..." to `buf`.
 * `certificate` is NULL if no certificate was rejected. origin, text, certificate: borrows during
 * the call. */
void rc_upstream_push_detail(rc_buf *buf, const rc_origin *origin, const char *text,
                             const rc_tls_facts *certificate);

#endif
