/* The settings of a call for the waiting queue (recourse/queue.h) and for learned rate limits. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_WAIT_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_WAIT_H

#include <recourse/call.h>

typedef struct rc_exchange rc_exchange;

/* Sets the options of the queue and of learned limits, and the order of failover in the plan of the
 * exchange. options: borrows during the call. */
void rc_exchange_set_waits(rc_exchange *exchange, rc_call_options *options);

#endif
