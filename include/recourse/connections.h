/* Generated from spec/connection.def by `make generate`. Do not edit. */
#ifndef RECOURSE_CONNECTIONS_H
#define RECOURSE_CONNECTIONS_H

/* clang-format off */

/* Why a connection failed. The numbers are part of the ABI. */
typedef enum rc_connection_fault {
    RC_CONNECTION_NONE = 0, /* no connection failed, or the cause is not known */
    RC_CONNECTION_DNS_UNKNOWN = 1, /* the host name does not exist */
    RC_CONNECTION_DNS_FAILED = 2, /* the DNS lookup of the host name failed */
    RC_CONNECTION_DNS_TIMEOUT = 3, /* the DNS lookup of the host name timed out */
    RC_CONNECTION_CONNECT_REFUSED = 10, /* the connection was refused */
    RC_CONNECTION_CONNECT_UNREACHABLE = 11, /* the host is unreachable */
    RC_CONNECTION_CONNECT_FAILED = 12, /* the connection failed */
    RC_CONNECTION_CONNECT_TIMEOUT = 13, /* the connection was not established in time */
    RC_CONNECTION_TLS_TIMEOUT = 20, /* the TLS handshake did not finish in time */
    RC_CONNECTION_TLS_EXPIRED = 21, /* the certificate has expired */
    RC_CONNECTION_TLS_NOT_YET_VALID = 22, /* the certificate is not valid yet */
    RC_CONNECTION_TLS_SELF_SIGNED = 23, /* the certificate is self-signed */
    RC_CONNECTION_TLS_UNTRUSTED = 24, /* the certificate's issuer is not trusted */
    RC_CONNECTION_TLS_WRONG_HOST = 25, /* the certificate is for another host */
    RC_CONNECTION_TLS_REVOKED = 26, /* the certificate was revoked */
    RC_CONNECTION_TLS_CERTIFICATE = 27, /* the certificate is not acceptable */
    RC_CONNECTION_TLS_VERSION = 28, /* the peer does not support TLS 1.2 or later */
    RC_CONNECTION_TLS_REFUSED = 29, /* the peer refused the TLS handshake */
    RC_CONNECTION_TLS_CLIENT_CERTIFICATE = 30, /* the peer requires a client certificate */
    RC_CONNECTION_TLS_NOT_SPOKEN = 31, /* the peer does not speak TLS */
    RC_CONNECTION_TLS_ALERT = 32, /* the peer sent a TLS alert */
    RC_CONNECTION_TLS_BROKEN = 33, /* TLS failed */
    RC_CONNECTION_TLS_RESET = 34, /* the connection was reset during the TLS handshake */
    RC_CONNECTION_TLS_CLOSED = 35, /* the connection was closed during the TLS handshake */
    RC_CONNECTION_SEND_TIMEOUT = 40, /* the peer did not accept the request in time */
    RC_CONNECTION_FIRST_BYTE_TIMEOUT = 41, /* the response did not begin in time */
    /* the response did not begin within this target's share of the deadline */
    RC_CONNECTION_SHARE_TIMEOUT = 46,
    RC_CONNECTION_IDLE_TIMEOUT = 42, /* the response stopped */
    RC_CONNECTION_RESET = 43, /* the connection was reset */
    RC_CONNECTION_CLOSED = 44, /* the connection was closed before the response was complete */
    RC_CONNECTION_STALLED = 45, /* the stream stalled */
    RC_CONNECTION_DEADLINE_CLIENT = 50, /* the client's deadline passed */
    RC_CONNECTION_DEADLINE_ROUTE = 51, /* the route's deadline passed */
    RC_CONNECTION_DEADLINE_POLICY = 52, /* the policy's time budget is used up */
    /* the client's deadline passed while its request was being received */
    RC_CONNECTION_DEADLINE_BODY = 53,
    RC_CONNECTION_ANNOUNCED_TIMEOUT = 54, /* the timeout that the client announced has passed */
    /* the timeout that the client announced has passed */
    RC_CONNECTION_ANNOUNCED_READ_TIMEOUT = 55,
    /* the timeout that the client announced has passed */
    RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT = 56,
} rc_connection_fault;

/* clang-format on */

#endif
