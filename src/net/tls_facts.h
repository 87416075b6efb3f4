/* rc_tls_facts: what can be told of a connection's TLS, for people. */
#ifndef RC_NET_TLS_FACTS_H
#define RC_NET_TLS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include <openssl/ssl.h>

typedef struct rc_tls_facts {
    char version[16];      /* "TLSv1.3" */
    char issuer[128];      /* the name of whoever signed the certificate; all end in NUL */
    int64_t until_unix_ms; /* when it expires; 0: it does not say so properly */
} rc_tls_facts;

/* Of a connection whose handshake has ended. False: the peer has shown no certificate, which a
 * checked connection always has. ssl: borrows. */
bool rc_tls_facts_read(const SSL *ssl, rc_tls_facts *ret_facts);

#endif
