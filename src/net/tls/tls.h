/* rc_tls: the client side of TLS, without sockets: the caller passes received bytes in and sends
 * the bytes that the functions write into a buffer.
 *
 *   socket ─► input ─► SSL ─► plain text          no socket is used here: output is written to
 *   socket ◄─ sink  ◄─ SSL ◄─ plain text          the loop's sink, which the caller flushes at once
 *
 * The minimum version is TLS 1.2. The peer's certificate is always verified against the trust store
 * and the host name. An idle connection uses no memory except OpenSSL's own state. */
#ifndef RC_NET_TLS_TLS_H
#define RC_NET_TLS_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/ssl.h>

#include <recourse/str.h>

#include "codec/origin.h"
#include "net/failure_kind.h"
#include "net/tls/facts.h"

typedef struct rc_tls rc_tls;

typedef struct rc_tls_settings {
    const char *ca_file;    /* PEM file with trusted certificates, may be NULL. */
    rc_str ca_pem;          /* Trusted certificates as PEM text, may be empty. */
    bool is_without_system; /* Only the certificates in ca_file and ca_pem are trusted, not those in
                             * the system's store. */
} rc_tls_settings;

/* Creates the context that all connections of a process share; any thread may use it. On failure
 * returns NULL and sets *ret_why to the reason, a static text. The result: gives; rc_tls_free frees
 * it. settings: borrows during the call. */
rc_tls *rc_tls_new(const rc_tls_settings *settings, const char **ret_why);
void rc_tls_free(rc_tls *tls);

/* Size of the sink: enough for all messages that a handshake sends at once, or for four records. */
#define RC_TLS_SINK_BYTES ((size_t)80 << 10)
#define RC_TLS_PLAIN_BYTES ((size_t)16 << 10)

/* A buffer for encrypted output. Each loop has one sink, which is empty between calls. */
typedef struct rc_tls_sink {
    size_t len;
    char bytes[RC_TLS_SINK_BYTES];
    char record[RC_TLS_PLAIN_BYTES]; /* Buffer in which the pieces of a record's plain text are
                                      * joined. */
} rc_tls_sink;

/* The reason for which a handshake failed. */
typedef struct rc_tls_failure {
    rc_upstream_kind kind;
    const char *text;     /* Static; NULL selects the text of `kind`. */
    bool has_certificate; /* A certificate was rejected; `certificate` has its facts. */
    rc_tls_facts certificate;
} rc_tls_failure;

/* The TLS state of one connection. */
typedef struct rc_tls_wire {
    SSL *ssl; /* OpenSSL's connection; NULL for a connection without TLS. */
    rc_str input;
    rc_tls_sink *sink;
    SSL_SESSION **session;   /* The place where sessions are stored, so that a later connection can
                              * resume them; borrows. */
    rc_tls_failure *failure; /* The place where the facts of a rejected certificate are stored. NULL
                              * except during the handshake. */
} rc_tls_wire;

typedef enum rc_tls_event {
    RC_TLS_MORE = 0,   /* More input is needed. */
    RC_TLS_DONE = 1,   /* The handshake is complete, or bytes were decrypted. */
    RC_TLS_CLOSED = 2, /* The peer sent close_notify. */
    RC_TLS_FAILED = 3
} rc_tls_event;

/* Initialises the TLS state of a connection. Returns false if there is no memory. If *session is
 * not NULL, the connection resumes that session. tls, origin: borrows during the call. sink,
 * session: borrows until rc_tls_wire_done. */
bool rc_tls_wire_init(rc_tls_wire *wire, const rc_tls *tls, const rc_origin *origin,
                      rc_tls_sink *sink, SSL_SESSION **session);
void rc_tls_wire_done(rc_tls_wire *wire);

/* Continues the handshake with wire->input. If the result is RC_TLS_FAILED, *ret_failure is set. */
rc_tls_event rc_tls_wire_handshake(rc_tls_wire *wire, rc_tls_failure *ret_failure);
bool rc_tls_wire_was_resumed(const rc_tls_wire *wire);

/* Decrypts the next piece of wire->input. If the result is RC_TLS_FAILED, *ret_kind and the static
 * text *ret_text are set. */
rc_tls_event rc_tls_wire_read(rc_tls_wire *wire, char *bytes, size_t size, size_t *ret_len,
                              rc_upstream_kind *ret_kind, const char **ret_text);

/* Encrypts at most one record into the sink, which must have space for it. Returns the number of
 * bytes used, or 0 on failure. */
size_t rc_tls_wire_write(rc_tls_wire *wire, rc_str bytes);
static inline bool rc_tls_sink_has_space(const rc_tls_sink *sink)
{
    return RC_TLS_SINK_BYTES - sink->len >= RC_TLS_PLAIN_BYTES + 1024;
}

/* Writes a close_notify into the sink. */
void rc_tls_wire_end(rc_tls_wire *wire);

#endif
