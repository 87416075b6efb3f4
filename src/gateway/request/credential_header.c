/* Reads and writes credential headers. Called by client_headers.c, outbound.c,
 * src/gateway/admin/guard.c and src/cli/doctor/net.c. */
#include "gateway/request/credential_header.h"

#include "base/buf_add.h"
#include "base/str.h"

rc_secret rc_bearer_token(rc_str value)
{
    rc_str scheme = RC_STR("bearer ");
    if (!rc_str_starts_with_nocase(value, scheme))
        return (rc_secret){NULL, 0};
    return rc_secret_make(rc_str_trim(rc_str_slice(value, scheme.len, value.len)));
}

static rc_str name_of(rc_wire wire, rc_config_auth auth)
{
    if (auth == RC_AUTH_BEARER || wire == RC_WIRE_OPENAI)
        return RC_STR("authorization: Bearer ");
    return wire == RC_WIRE_ANTHROPIC ? RC_STR("x-api-key: ") : RC_STR("x-goog-api-key: ");
}

bool rc_credential_header_push(rc_buf *buf, rc_wire wire, rc_config_auth auth, rc_secret key)
{
    if (key.len == 0)
        return true;
    if (!rc_secret_is_token(key))
        return false;
    rc_buf_add(buf, name_of(wire, auth));
    rc_secret_push(buf, key);
    rc_buf_add(buf, RC_STR("\r\n"));
    return true;
}
