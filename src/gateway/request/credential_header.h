/* The header with a credential: a client's is read, a provider's is written. */
#ifndef RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H
#define RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H

#include "base/secret.h"
#include "config/config.h"
#include "gateway/request/endpoint.h"

/* What stands behind "Bearer" in an Authorization header; empty: it is of another scheme. Views
 * value. */
rc_secret rc_bearer_token(rc_str value);

/* The line for a provider; nothing without a key.
 *
 *   wire OPENAI, or auth bearer   authorization: Bearer KEY
 *   ANTHROPIC                     x-api-key: KEY
 *   GEMINI                        x-goog-api-key: KEY
 *
 * wire: how the request is spoken, not NATIVE. False: the key has a byte that no header can hold;
 * nothing was appended. */
bool rc_credential_header_push(rc_buf *buf, rc_wire wire, rc_config_auth auth, rc_secret key);

#endif
