/* The memory that a client's request uses. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_REQUEST_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_REQUEST_H

typedef struct rc_exchange rc_exchange;

/* No further attempt follows: the body no longer counts towards max_kept_bytes. */
void rc_exchange_uncount_body(rc_exchange *exchange);
/* As rc_exchange_uncount_body, and frees the body. */
void rc_exchange_drop_body(rc_exchange *exchange);
/* Frees the exchange's own plan and releases the rows of its named targets. */
void rc_exchange_release_entries(rc_exchange *exchange);

#endif
