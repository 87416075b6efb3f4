/* The header with a credential: reads a client's, writes a provider's. */
#ifndef RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H
#define RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H

#include "base/secret.h"
#include "config/config.h"
#include "dialect/endpoint.h"

/* The token behind "Bearer" in an Authorization value. Empty: another scheme. Views value. */
rc_secret rc_bearer_token(rc_str value);

/* Appends the credential header for a provider; nothing without a key.
 *
 *   wire OPENAI, or auth bearer   authorization: Bearer KEY
 *   ANTHROPIC                     x-api-key: KEY
 *   GEMINI                        x-goog-api-key: KEY
 *
 * wire: the interface of the request, not NATIVE. False: the key has a byte that is not allowed in
 * a header; nothing was appended. */
bool rc_credential_header_push(rc_buf *buf, rc_wire wire, rc_config_auth auth, rc_secret key);

#endif
