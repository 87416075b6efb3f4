/* Detects requests from web pages of other sites by their Host and Origin headers. Used by the
 * admin server and by exchanges. The functions are pure. */
#ifndef RC_GATEWAY_REQUEST_ORIGIN_GUARD_H
#define RC_GATEWAY_REQUEST_ORIGIN_GUARD_H

#include "http/http1.h"

/* Extracts the host of "host", "host:1" or "[::1]:1". ret_host views (points into) value. Returns
 * false if the value has another form. */
bool rc_host_split(rc_str value, rc_str *ret_host);

/* Whether the host is an IP address, which DNS rebinding cannot redirect. */
bool rc_host_is_address(rc_str host);

/* Whether the host is localhost, 127.0.0.1 or [::1]. */
bool rc_host_is_local(rc_str host);

typedef enum rc_origin_verdict {
    RC_ORIGIN_ALLOWED = 0,    /* Sent by a program, or by a page of this machine. */
    RC_ORIGIN_CROSS_SITE = 1, /* Sent by a page of another site. */
    RC_ORIGIN_REBOUND = 2     /* Sent by a page whose host name DNS rebinding points to this
                                 gateway. */
} rc_origin_verdict;

/* Determines whether a web page of another site sent the request. A browser sends Origin with every
 * POST, but not with a GET to the page's own site. In such a GET after DNS rebinding, Host is the
 * name of the page's site, which is neither an IP address nor the gateway's own name. listen:
 * HOST:PORT of the gateway. reader, head, listen: borrows during the call. */
rc_origin_verdict rc_origin_guard_check(const rc_http1 *reader, const char *head, rc_str listen);

#endif
