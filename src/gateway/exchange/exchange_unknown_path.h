/* Requests whose path is no endpoint of this gateway. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_UNKNOWN_PATH_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_UNKNOWN_PATH_H

typedef struct rc_exchange rc_exchange;

/* Refuses the request. The advice depends on the form of the path: an endpoint with another base
 * URL, an endpoint that only providers have, or any other path. */
void rc_exchange_refuse_unknown_path(rc_exchange *exchange);

#endif
