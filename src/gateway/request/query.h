/* Finds parameters in the query of a request and removes credentials from the query. */
#ifndef RC_GATEWAY_REQUEST_QUERY_H
#define RC_GATEWAY_REQUEST_QUERY_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Finds the first parameter with this name, even if the query writes the name with escapes.
 * ret_value views (points into) query; its escapes are not decoded. Returns false if there is no
 * such parameter. */
bool rc_query_find(rc_str query, rc_str name, rc_str *ret_value);

/* Appends "?" and the query without credentials (key, api_key, api-key, access_token); appends
 * nothing if no parameter is left. Other parameters stay unchanged. */
void rc_query_push(rc_buf *buf, rc_str query);

#endif
