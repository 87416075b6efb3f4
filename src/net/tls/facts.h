/* rc_tls_facts: the facts of a TLS connection that are shown to people. Names come from the peer:
 * characters other than printable ASCII are replaced by "?". */
#ifndef RC_NET_TLS_FACTS_H
#define RC_NET_TLS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

typedef struct rc_tls_facts {
    char version[16];      /* "TLSv1.3". All strings end in NUL. */
    char names[160];       /* Host names of the certificate, as many as fit. */
    char subject[128];     /* Owner of the certificate. */
    char issuer[128];      /* Issuer of the certificate. */
    int64_t from_unix_ms;  /* Start of validity; 0: unreadable. */
    int64_t until_unix_ms; /* End of validity; 0: unreadable. */
} rc_tls_facts;

/* Facts of a connection after its handshake. False: the peer sent no certificate, which a verified
 * connection always has. ssl: borrows. */
bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts);

/* Facts of a certificate alone: version stays empty. certificate: borrows. */
void rc_tls_facts_of(const X509 *certificate, rc_tls_facts *ret_facts);

#endif
