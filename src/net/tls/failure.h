/* What OpenSSL's errors mean. */
#ifndef RC_NET_TLS_FAILURE_H
#define RC_NET_TLS_FAILURE_H

#include <openssl/ssl.h>

#include "net/client/failure.h"

/* The kind of the failure that was just met, from the certificate's check and the thread's error
 * queue. ret_text: a static string that says more, else not touched. */
rc_upstream_kind rc_tls_failure_kind(SSL *ssl, const char **ret_text);

#endif
