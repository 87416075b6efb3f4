/* The query of a request: finds parameters and removes credentials. */
#ifndef RC_GATEWAY_REQUEST_QUERY_H
#define RC_GATEWAY_REQUEST_QUERY_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Finds the first parameter of this name, which may be written with escapes. ret_value: as written;
 * views query. False: there is none. */
bool rc_query_find(rc_str query, rc_str name, rc_str *ret_value);

/* Appends "?" and the query without credentials (key, api_key, api-key, access_token); nothing if
 * no parameter is left. Other parameters stay unchanged. */
void rc_query_push(rc_buf *buf, rc_str query);

#endif
