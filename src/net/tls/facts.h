/* rc_tls_facts: the facts of a TLS connection that are shown to people. The names come from the
 * server; each character other than printable ASCII is replaced by "?". */
#ifndef RC_NET_TLS_FACTS_H
#define RC_NET_TLS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

typedef struct rc_tls_facts {
    char version[16];      /* Protocol version, such as "TLSv1.3". All strings of this struct are
                            * NUL-terminated. */
    char names[160];       /* Host names in the certificate, as many as fit. */
    char subject[128];     /* Owner of the certificate. */
    char issuer[128];      /* Issuer of the certificate. */
    int64_t from_unix_ms;  /* Start of validity; 0: the date cannot be read. */
    int64_t until_unix_ms; /* End of validity; 0: the date cannot be read. */
} rc_tls_facts;

/* Reads the facts of a connection after its handshake. Returns false if the server sent no
 * certificate; a verified server always sends one. ssl: borrows during the call. */
bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts);

/* Reads the facts of a certificate without a connection; `version` stays empty. certificate:
 * borrows during the call. */
void rc_tls_facts_of(const X509 *certificate, rc_tls_facts *ret_facts);

#endif
