/* How a call to a provider can fail: what is ours alone is here, the reasons of connections are in
 * spec/connection.def. */
#ifndef RC_NET_CLIENT_FAILURE_H
#define RC_NET_CLIENT_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/classify.h>

#include "codec/origin.h"
#include "net/tls/facts.h"

/* Name, is it ours (the provider is not to blame), words. */
#define RC_UPSTREAM_KINDS(X)                                                \
    X(NONE, false, "")                                                      \
    X(SHUTDOWN, true, "the gateway is closing")                             \
    X(NO_MEMORY, true, "there is no memory for the call")                   \
    X(NO_DESCRIPTOR, true, "the process has too many open files")           \
    X(TOO_MANY_ORIGINS, true, "too many providers are in use")              \
    X(QUEUE_FULL, true, "too many calls wait for a connection")             \
    X(QUEUE_TIMEOUT, true, "no connection became free in time")             \
    X(ADDRESS_REFUSED, true,                                                \
      "the host's address is not one to connect to; private_network: true " \
      "allows those of your own network")                                   \
    X(MALFORMED, false, "the response is not proper HTTP")

typedef enum rc_upstream_kind {
#define RC_UPSTREAM_ENUM(ID, is_local, text) RC_UPSTREAM_##ID,
    RC_UPSTREAM_KINDS(RC_UPSTREAM_ENUM)
#undef RC_UPSTREAM_ENUM
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    RC_UPSTREAM_##ID,
#include "spec/connection.def"
} rc_upstream_kind;

#define RC_UPSTREAM_DETAIL_BYTES ((size_t)1024)

typedef struct rc_upstream_failure {
    rc_upstream_kind kind;
    rc_connection_fault connection;
    rc_transport transport;
    rc_phase phase;   /* CONNECT, SENT or HEADERS; whether anything was passed on is the owner's */
    bool is_local;    /* the provider is not to blame */
    bool was_reused;  /* the connection had carried a request before: with SENT and EOF or RESET it
                        had most probably timed out on the other side */
    const char *text; /* one line, without secrets */
    rc_str detail;    /* for the log: where, the text, and what is known of a certificate that was
                         refused, which are a stranger's words. Empty: of what is ours */
    int64_t certificate_unix_ms; /* the end of its time, or the beginning where that is yet to come;
                                    0: of no certificate */
    uint32_t limit_ms;           /* of a timeout: how long there was; 0: of anything else */
    uint64_t bytes_sent;         /* of the request */
    uint64_t bytes_received;     /* of the response */
    uint64_t body_bytes;         /* of them told by on_body */
} rc_upstream_failure;

const char *rc_upstream_kind_text(rc_upstream_kind kind);
rc_connection_fault rc_upstream_kind_connection(rc_upstream_kind kind);
rc_transport rc_upstream_kind_transport(rc_upstream_kind kind);
bool rc_upstream_kind_is_local(rc_upstream_kind kind);

/* "api.x.com:443: certificate has expired; ...". origin, shown: borrow; shown: NULL for none. */
void rc_upstream_push_detail(rc_buf *buf, const rc_origin *origin, const char *text,
                             const rc_tls_facts *certificate);

#endif
