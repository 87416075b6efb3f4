/* Requests that a client repeats after a final error. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_REPEAT_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_REPEAT_H

typedef struct rc_exchange rc_exchange;

/* Counts a complete request if it repeats an earlier request that got a final error. */
void rc_exchange_check_repeat(rc_exchange *exchange);
/* Stores the hash of a request that got a final error. */
void rc_exchange_note_final_error(const rc_exchange *exchange);

#endif
