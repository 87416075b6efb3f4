/* Maps OpenSSL errors to rc_upstream_kind. */
#ifndef RC_NET_TLS_FAILURE_H
#define RC_NET_TLS_FAILURE_H

#include <stdbool.h>

#include <openssl/ssl.h>

#include "net/failure_kind.h"

/* Returns the kind of the failure that just occurred, from the result of the certificate
 * verification and OpenSSL's error queue of this thread. *ret_text is set to a more precise static
 * text, or left unchanged. ssl: borrows during the call. */
rc_upstream_kind rc_tls_failure_kind(SSL *ssl, const char **ret_text);

#endif
