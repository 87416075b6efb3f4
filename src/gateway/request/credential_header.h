/* Reads the credential header of a client and writes the credential header for a provider. */
#ifndef RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H
#define RC_GATEWAY_REQUEST_CREDENTIAL_HEADER_H

#include "base/secret.h"
#include "config/config.h"
#include "dialect/endpoint.h"

/* Returns the token behind "Bearer" in an Authorization value; empty if the scheme is not Bearer.
 * The result views (points into) value. */
rc_secret rc_bearer_token(rc_str value);

/* Appends the credential header for a provider; appends nothing if the key is empty.
 *
 *   wire OPENAI, or auth bearer   authorization: Bearer KEY
 *   ANTHROPIC                     x-api-key: KEY
 *   GEMINI                        x-goog-api-key: KEY
 *
 * wire: the API family of the request; RC_WIRE_NATIVE is not allowed. Returns false, and appends
 * nothing, if the key has a byte that is not allowed in a header. */
bool rc_credential_header_push(rc_buf *buf, rc_wire wire, rc_config_auth auth, rc_secret key);

#endif
