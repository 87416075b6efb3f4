/* Hosts that requests name, and pages that send them. Shared by the operator's side and the
 * clients'. Pure. */
#ifndef RC_GATEWAY_REQUEST_ORIGIN_GUARD_H
#define RC_GATEWAY_REQUEST_ORIGIN_GUARD_H

#include "http/http1.h"

/* "host", "host:1", "[::1]:1": the host; views. False: it is none of them. */
bool rc_host_split(rc_str value, rc_str *ret_host);

/* An address is no name that somebody else could lead here. */
bool rc_host_is_address(rc_str host);

/* localhost, 127.0.0.1, [::1]. */
bool rc_host_is_local(rc_str host);

typedef enum rc_origin_verdict {
    RC_ORIGIN_ALLOWED = 0,    /* a program's, or a page's of this machine */
    RC_ORIGIN_CROSS_SITE = 1, /* of another site */
    RC_ORIGIN_REBOUND = 2     /* of a site whose name was led here */
} rc_origin_verdict;

/* Whose page has sent a request? A browser says whose with every POST. It does not with a GET from
 * a page to its own site, but then it names that site as the host, which is neither an address nor
 * ours. listen: HOST:PORT of ours; head, listen: borrows. */
rc_origin_verdict rc_origin_guard_check(const rc_http1 *reader, const char *head, rc_str listen);

#endif
