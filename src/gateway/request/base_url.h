/* rc_base_url_mistake: a path that no endpoint has because the client's base URL is wrong. The
 * rows are in spec/base_urls.def. Pure. */
#ifndef RC_GATEWAY_REQUEST_BASE_URL_H
#define RC_GATEWAY_REQUEST_BASE_URL_H

#include <recourse/buf.h>

#include "gateway/request/endpoint.h"

/* Longer paths are nobody's mistake that could be told in a sentence. */
#define RC_BASE_URL_MISTAKE_MAX 512u

typedef struct rc_base_url_mistake {
    rc_endpoint_match match; /* what was meant; views room */
    rc_str path;             /* its path; views room */
    char scratch[RC_BASE_URL_MISTAKE_MAX];
} rc_base_url_mistake;

/* What a path without an endpoint was meant to be. path: without its query; borrows. False: nothing
 * that is known. ret_mistake views itself and must not be copied. */
bool rc_base_url_mistake_find(rc_str path, rc_base_url_mistake *ret_mistake);

/* Behind http://HOST in the base URL of clients of a dialect; static. */
rc_str rc_base_url_suffix(rc_dialect dialect);
/* Appends a base URL; and all of them, each with `before` in front and `behind` it. host: of the
 * request, as it names us; borrows. One that is empty or long is told as HOST. */
void rc_base_url_push(rc_buf *buf, rc_dialect dialect, rc_str host);
void rc_base_url_push_all(rc_buf *buf, rc_str host, rc_str before, rc_str after);
/* These clients, as a sentence names them; static. */
rc_str rc_base_url_clients(rc_dialect dialect);

#endif
