/* The audit record of an exchange. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_AUDIT_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_AUDIT_H

#include <stdint.h>

typedef struct rc_exchange rc_exchange;

/* Stores the record. The result is fed to the machine as the input STORED, at once or when the
 * store has acknowledged the record. */
void rc_exchange_record(rc_exchange *exchange);
/* Called when the store has not acknowledged the record by the deadline due_ms, or when the loop
 * stops. */
void rc_exchange_on_record_late(rc_exchange *exchange, uint64_t due_ms);
/* Reports the request to metrics and on_record, once. Must be called while the request head is
 * still valid. */
void rc_exchange_count(rc_exchange *exchange);

#endif
