/* rc_tls: the client's side of TLS, bytes in and bytes out.
 *
 *   socket ─► input ─► SSL ─► plain text          no socket is touched here: what is to be sent
 *   socket ◄─ sink  ◄─ SSL ◄─ plain text          lands in the loop's sink, to be flushed at once
 *
 * TLS 1.2 and above; the peer's certificate is checked against the system's store and the host's
 * name, always. Nothing is kept for a resting connection but OpenSSL's own state. */
#ifndef RC_NET_TLS_TLS_H
#define RC_NET_TLS_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/ssl.h>

#include <recourse/str.h>

#include "codec/origin.h"
#include "net/client/failure.h"
#include "net/tls/facts.h"

typedef struct rc_tls rc_tls;

typedef struct rc_tls_settings {
    const char *ca_file;    /* trusted beside the system's store; NULL: none */
    rc_str ca_pem;          /* the same as text */
    bool is_without_system; /* trusts these alone */
} rc_tls_settings;

/* What all connections of a process share; any thread may use it. settings: borrows during the
 * call. NULL, and *ret_why says why not (a static string). Gives. */
rc_tls *rc_tls_new(const rc_tls_settings *settings, const char **ret_why);
void rc_tls_free(rc_tls *tls);

/* Room for a full flight or four records. */
#define RC_TLS_SINK_BYTES ((size_t)80 << 10)
#define RC_TLS_PLAIN_BYTES ((size_t)16 << 10)

/* What is to be sent; one a loop, empty between calls. */
typedef struct rc_tls_sink {
    size_t len;
    char bytes[RC_TLS_SINK_BYTES];
    char record[RC_TLS_PLAIN_BYTES]; /* to put one together in */
} rc_tls_sink;

/* Why it failed. */
typedef struct rc_tls_failure {
    rc_upstream_kind kind;
    const char *text;     /* static; NULL: the kind's own */
    bool has_certificate; /* a certificate was refused: */
    rc_tls_facts certificate;
} rc_tls_failure;

/* One connection. */
typedef struct rc_tls_wire {
    SSL *ssl; /* NULL: a plain connection */
    rc_str input;
    rc_tls_sink *sink;
    SSL_SESSION **session;   /* where a session to go on with later is put */
    rc_tls_failure *failure; /* during the handshake alone: where a refused certificate is noted */
} rc_tls_wire;

typedef enum rc_tls_event {
    RC_TLS_MORE = 0,   /* the input is used up */
    RC_TLS_DONE = 1,   /* handshake: it has ended; else bytes were moved */
    RC_TLS_CLOSED = 2, /* the peer ended its side rightly */
    RC_TLS_FAILED = 3
} rc_tls_event;

/* tls, origin: borrow during the call; sink, session: until done. *session is tried when it is not
 * NULL. False: no memory. */
bool rc_tls_wire_init(rc_tls_wire *wire, const rc_tls *tls, const rc_origin *origin,
                      rc_tls_sink *sink, SSL_SESSION **session);
void rc_tls_wire_done(rc_tls_wire *wire);

/* Goes on with the handshake, reading wire->input. FAILED: ret_failure. */
rc_tls_event rc_tls_wire_handshake(rc_tls_wire *wire, rc_tls_failure *ret_failure);
bool rc_tls_wire_was_resumed(const rc_tls_wire *wire);

/* The next piece of plain text in wire->input. FAILED: ret_kind, ret_text (static). */
rc_tls_event rc_tls_wire_read(rc_tls_wire *wire, char *bytes, size_t size, size_t *ret_len,
                              rc_upstream_kind *ret_kind, const char **ret_text);

/* Encrypts one record at most into the sink, which must have room. Gives the bytes used; 0: failed.
 */
size_t rc_tls_wire_write(rc_tls_wire *wire, rc_str bytes);
static inline bool rc_tls_sink_has_space(const rc_tls_sink *sink)
{
    return RC_TLS_SINK_BYTES - sink->len >= RC_TLS_PLAIN_BYTES + 1024;
}

/* Says goodbye, into the sink. */
void rc_tls_wire_end(rc_tls_wire *wire);

#endif
