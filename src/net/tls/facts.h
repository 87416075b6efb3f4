/* rc_tls_facts: what can be told of a connection's TLS, for people. Names are what the peer shows:
 * whatever is not printable ASCII is a "?" here. */
#ifndef RC_NET_TLS_FACTS_H
#define RC_NET_TLS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

typedef struct rc_tls_facts {
    char version[16];      /* "TLSv1.3"; all end in NUL */
    char names[160];       /* the hosts that the certificate is for, as many as fit */
    char subject[128];     /* whose it is */
    char issuer[128];      /* whoever signed it */
    int64_t from_unix_ms;  /* since when it is valid; 0: it does not say so properly */
    int64_t until_unix_ms; /* when it expires; the same */
} rc_tls_facts;

/* Of a connection whose handshake has ended. False: the peer has shown no certificate, which a
 * checked connection always has. ssl: borrows. */
bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts);

/* Of a certificate alone: the version is left empty. certificate: borrows. */
void rc_tls_facts_of(const X509 *certificate, rc_tls_facts *ret_facts);

#endif
