/* rc_base_url_mistake: a path without an endpoint that a wrong base URL of the client explains. The
 * rows are in spec/base_urls.def. Pure. */
#ifndef RC_GATEWAY_REQUEST_BASE_URL_H
#define RC_GATEWAY_REQUEST_BASE_URL_H

#include <recourse/buf.h>

#include "dialect/endpoint.h"

/* Longer paths are not examined. */
#define RC_BASE_URL_MISTAKE_MAX 512u

typedef struct rc_base_url_mistake {
    rc_endpoint_match match; /* The endpoint that was meant. Views scratch. */
    rc_str path;             /* The path of that endpoint. Views scratch. */
    char scratch[RC_BASE_URL_MISTAKE_MAX];
} rc_base_url_mistake;

/* Finds the endpoint that a path without one was meant for. path: without its query; borrows.
 * False: no known mistake. ret_mistake views itself and must not be copied. */
bool rc_base_url_mistake_find(rc_str path, rc_base_url_mistake *ret_mistake);

/* The path behind http://HOST in the base URL of this dialect's clients. Static. */
rc_str rc_base_url_suffix(rc_dialect dialect);
/* Appends the base URL of one dialect; of all of them, each with `before` and `after` around it.
 * host: borrows; the request's Host. An empty or long one is shown as HOST. */
void rc_base_url_push(rc_buf *buf, rc_dialect dialect, rc_str host);
void rc_base_url_push_all(rc_buf *buf, rc_str host, rc_str before, rc_str after);
/* The name of this dialect's clients in a sentence. Static. */
rc_str rc_base_url_clients(rc_dialect dialect);

#endif
