/* Maps OpenSSL errors to rc_upstream_kind. */
#ifndef RC_NET_TLS_FAILURE_H
#define RC_NET_TLS_FAILURE_H

#include <stdbool.h>

#include <openssl/ssl.h>

#include "net/failure_kind.h"

/* Returns the kind of the failure that just occurred, from the certificate verification and the
 * thread's error queue. *ret_text: set to a static string that says more, or left unchanged. ssl:
 * borrows. */
rc_upstream_kind rc_tls_failure_kind(SSL *ssl, const char **ret_text);

#endif
