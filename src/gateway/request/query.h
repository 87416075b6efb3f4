/* The query of a request: few parameters matter, credentials go no further. */
#ifndef RC_GATEWAY_REQUEST_QUERY_H
#define RC_GATEWAY_REQUEST_QUERY_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* The value, as written, of the first parameter of this name (which may be written with escapes).
 * Views query; false: there is none. */
bool rc_query_find(rc_str query, rc_str name, rc_str *ret_value);

/* Appends "?" and the query without the parameters that hold a client's credential (key, api_key,
 * api-key, access_token); nothing when none is left. The rest is as it came. */
void rc_query_push(rc_buf *buf, rc_str query);

#endif
