/* The client's limits of requests, tokens and requests in flight. For the files of this folder. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_LIMITS_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_LIMITS_H

#include "gateway/exchange/exchange_private.h"

/* Starts the request against the limits of its client. Returns false if a limit has no room; the
 * request was then refused. The body must have been read, as far as it has arrived. */
bool rc_exchange_take_limits(rc_exchange *exchange);

/* Ends the request: its slot becomes free, and the tokens of its attempts replace the estimate.
 * Does nothing if the client has no limits. The steps must still exist. */
void rc_exchange_release_limits(rc_exchange *exchange);

#endif
