/* The audit record of an exchange. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_AUDIT_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_AUDIT_H

#include <stdint.h>

typedef struct rc_exchange rc_exchange;

/* Stores the record. The answer is an input: at once, or when the store has acknowledged it. */
void rc_exchange_record(rc_exchange *exchange);
/* The deadline due_ms has passed, or the loop stops, and the record is not acknowledged. */
void rc_exchange_on_record_late(rc_exchange *exchange, uint64_t due_ms);
/* Reports the request to metrics and on_record, once. Must be called while the client's head is
 * still there. */
void rc_exchange_count(rc_exchange *exchange);

#endif
