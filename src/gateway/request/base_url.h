/* rc_base_url_mistake: a request path that matches no endpoint, probably because the client has a
 * wrong base URL. The known mistakes are in spec/base_urls.def. The functions are pure. */
#ifndef RC_GATEWAY_REQUEST_BASE_URL_H
#define RC_GATEWAY_REQUEST_BASE_URL_H

#include <recourse/buf.h>

#include "dialect/endpoint.h"

/* Paths with more bytes are not examined. */
#define RC_BASE_URL_MISTAKE_MAX 512u

typedef struct rc_base_url_mistake {
    rc_endpoint_match match; /* The endpoint that the client meant. Views (points into)
                                `scratch`. */
    rc_str path;             /* The corrected path. Views (points into) `scratch`. */
    char scratch[RC_BASE_URL_MISTAKE_MAX];
} rc_base_url_mistake;

/* Finds the endpoint that a client meant by a path that matches no endpoint. path: without its
 * query; borrows during the call. Returns false if the path shows no known mistake. ret_mistake
 * points into itself, so it must not be copied. */
bool rc_base_url_mistake_find(rc_str path, rc_base_url_mistake *ret_mistake);

/* Returns the path that follows http://HOST in the base URL for clients of this dialect, such as
 * "/v1". The text is static. */
rc_str rc_base_url_suffix(rc_dialect dialect);
/* rc_base_url_push: appends the base URL of one dialect. rc_base_url_push_all: appends the base
 * URLs of all dialects, each between the texts `before` and `after`. host: borrows during the call;
 * the Host header of the request. An empty or long host is written as "HOST". */
void rc_base_url_push(rc_buf *buf, rc_dialect dialect, rc_str host);
void rc_base_url_push_all(rc_buf *buf, rc_str host, rc_str before, rc_str after);
/* Returns the name of this dialect's clients for a message, such as "OpenAI's clients". The text is
 * static. */
rc_str rc_base_url_clients(rc_dialect dialect);

#endif
