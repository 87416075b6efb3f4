/* Requests that come back to this gateway through a provider (request loops). */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_REQUEST_LOOP_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_REQUEST_LOOP_H

typedef struct rc_builder rc_builder;
typedef struct rc_exchange rc_exchange;

void rc_exchange_refuse_request_loop(rc_exchange *exchange);
/* If a gateway behind the provider has refused the request as a loop, sets a message that names
 * this provider. The exchange must have a report. */
void rc_exchange_describe_request_loop(const rc_exchange *exchange, rc_builder *builder);

#endif
