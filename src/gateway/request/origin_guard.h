/* Guards against requests from web pages of other sites, by Host and Origin. Used by the admin
 * server and by exchanges. Pure. */
#ifndef RC_GATEWAY_REQUEST_ORIGIN_GUARD_H
#define RC_GATEWAY_REQUEST_ORIGIN_GUARD_H

#include "http/http1.h"

/* Extracts the host of "host", "host:1" or "[::1]:1". ret_host: views. False: another form. */
bool rc_host_split(rc_str value, rc_str *ret_host);

/* True: an IP address, which DNS rebinding cannot redirect. */
bool rc_host_is_address(rc_str host);

/* True: localhost, 127.0.0.1 or [::1]. */
bool rc_host_is_local(rc_str host);

typedef enum rc_origin_verdict {
    RC_ORIGIN_ALLOWED = 0,    /* From a program, or from a page of this machine. */
    RC_ORIGIN_CROSS_SITE = 1, /* From a page of another site. */
    RC_ORIGIN_REBOUND = 2     /* From a page whose host name was rebound to this address. */
} rc_origin_verdict;

/* Determines whether a web page of another site sent the request. A browser sends Origin with every
 * POST, but not with a GET to the page's own site; then Host is that site's name, which is neither
 * an address nor ours. listen: our HOST:PORT. head, listen: borrows. */
rc_origin_verdict rc_origin_guard_check(const rc_http1 *reader, const char *head, rc_str listen);

#endif
