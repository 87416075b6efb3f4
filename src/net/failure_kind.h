/* rc_upstream_kind: how a call to a provider failed. This header lists failures that this process
 * causes and malformed responses; spec/connection.def lists failures of connections. Used by
 * net/tls and net/client. */
#ifndef RC_NET_FAILURE_KIND_H
#define RC_NET_FAILURE_KIND_H

/* The columns are the name, is_local (true if this process caused the failure, not the provider)
 * and the message. */
#define RC_UPSTREAM_KINDS(X)                                                      \
    X(NONE, false, "")                                                            \
    X(SHUTDOWN, true, "the gateway is closing")                                   \
    X(NO_MEMORY, true, "there is no memory for the call")                         \
    X(NO_DESCRIPTOR, true, "the process has too many open files")                 \
    X(TOO_MANY_ORIGINS, true, "too many providers are in use")                    \
    X(QUEUE_FULL, true, "too many calls wait for a connection")                   \
    X(QUEUE_TIMEOUT, true, "no connection became free in time")                   \
    X(ADDRESS_REFUSED, true,                                                      \
      "connections to the host's address are not allowed; private_network: true " \
      "allows those of your own network")                                         \
    X(MALFORMED, false, "the response is not valid HTTP")

typedef enum rc_upstream_kind {
#define RC_UPSTREAM_ENUM(ID, is_local, text) RC_UPSTREAM_##ID,
    RC_UPSTREAM_KINDS(RC_UPSTREAM_ENUM)
#undef RC_UPSTREAM_ENUM
#define RC_CONNECTION(number, ID, name, TRANSPORT, STAYS, ACTION, advice, text, message, dated, \
                      limit)                                                                    \
    RC_UPSTREAM_##ID,
#include "spec/connection.def"
} rc_upstream_kind;

#endif
