/* How a call to a provider can fail: one table. */
#ifndef RC_NET_UPSTREAM_FAILURE_H
#define RC_NET_UPSTREAM_FAILURE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/classify.h>

/* Name, transport, is it ours (the provider is not to blame), words. */
#define RC_UPSTREAM_KINDS(X)                                                         \
    X(NONE, NONE, false, "")                                                         \
    X(SHUTDOWN, NONE, true, "the gateway is closing")                                \
    X(NO_MEMORY, NONE, true, "there is no memory for the call")                      \
    X(NO_DESCRIPTOR, NONE, true, "the process has too many open files")              \
    X(TOO_MANY_ORIGINS, NONE, true, "too many providers are in use")                 \
    X(QUEUE_FULL, NONE, true, "too many calls wait for a connection")                \
    X(QUEUE_TIMEOUT, NONE, true, "no connection became free in time")                \
    X(DNS_FAILED, DNS, false, "the host's name was not found")                       \
    X(DNS_TIMEOUT, TIMEOUT, false, "the host's name was not found in time")          \
    X(ADDRESS_REFUSED, NONE, true, "the host's address is not one to connect to")    \
    X(CONNECT_REFUSED, CONNECT_REFUSED, false, "the connection was refused")         \
    X(CONNECT_UNREACHABLE, CONNECT_REFUSED, false, "there is no way to the host")    \
    X(CONNECT_FAILED, CONNECT_REFUSED, false, "the connection failed")               \
    X(CONNECT_TIMEOUT, TIMEOUT, false, "the connection was not made in time")        \
    X(TLS_TIMEOUT, TIMEOUT, false, "the TLS handshake did not end in time")          \
    X(TLS_EXPIRED, TLS, false, "the certificate has expired")                        \
    X(TLS_NOT_YET_VALID, TLS, false, "the certificate is not valid yet")             \
    X(TLS_SELF_SIGNED, TLS, false, "the certificate is self-signed")                 \
    X(TLS_UNTRUSTED, TLS, false, "the certificate's issuer is not trusted")          \
    X(TLS_WRONG_HOST, TLS, false, "the certificate is for another host")             \
    X(TLS_REVOKED, TLS, false, "the certificate was revoked")                        \
    X(TLS_CERTIFICATE, TLS, false, "the certificate is not acceptable")              \
    X(TLS_VERSION, TLS, false, "the peer speaks no TLS of version 1.2 or above")     \
    X(TLS_REFUSED, TLS, false, "the peer refused the TLS handshake")                 \
    X(TLS_ALERT, TLS, false, "the peer sent a TLS alert")                            \
    X(TLS_NOT_SPOKEN, TLS, false, "the peer does not speak TLS")                     \
    X(TLS_BROKEN, TLS, false, "TLS failed")                                          \
    X(SEND_TIMEOUT, TIMEOUT, false, "the peer did not take the request in time")     \
    X(FIRST_BYTE_TIMEOUT, TIMEOUT, false, "the response did not begin in time")      \
    X(IDLE_TIMEOUT, TIMEOUT, false, "the response stopped")                          \
    X(RESET, RESET, false, "the connection was reset")                               \
    X(CLOSED, EOF, false, "the connection was closed before the response was whole") \
    X(MALFORMED, NONE, false, "the response is not proper HTTP")

typedef enum rc_upstream_kind {
#define RC_UPSTREAM_ENUM(ID, transport, is_local, text) RC_UPSTREAM_##ID,
    RC_UPSTREAM_KINDS(RC_UPSTREAM_ENUM)
#undef RC_UPSTREAM_ENUM
} rc_upstream_kind;

typedef struct rc_upstream_failure {
    rc_upstream_kind kind;
    rc_transport transport;
    rc_phase phase;   /* CONNECT, SENT or HEADERS; whether anything was passed on is the owner's */
    bool is_local;    /* the provider is not to blame */
    bool was_reused;  /* the connection had carried a request before: with SENT and EOF or RESET it
                        had most probably timed out on the other side */
    const char *text; /* one line, without secrets */
    uint64_t bytes_sent;     /* of the request */
    uint64_t bytes_received; /* of the response */
    uint64_t body_bytes;     /* of them told by on_body */
} rc_upstream_failure;

const char *rc_upstream_kind_text(rc_upstream_kind kind);
rc_transport rc_upstream_kind_transport(rc_upstream_kind kind);
bool rc_upstream_kind_is_local(rc_upstream_kind kind);

#endif
