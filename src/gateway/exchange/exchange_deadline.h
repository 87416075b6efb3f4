/* The deadline of a call, and its description when it has passed; the settings of waits. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_DEADLINE_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_DEADLINE_H

#include <recourse/call.h>
#include <recourse/classify.h>

#include "policy/deadline.h"

typedef struct rc_attempt rc_attempt;
typedef struct rc_builder rc_builder;
typedef struct rc_exchange rc_exchange;

/* Returns all time limits of the request. */
rc_deadline_limits rc_exchange_limits(const rc_exchange *exchange);
/* Returns whether an attempt that ended at the deadline had enough time, so that its failure counts
 * against the target. */
bool rc_attempt_had_time(const rc_attempt *attempt);
/* Sets the deadline that has passed, with its length, as the cause of an attempt's failure. */
void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure);
/* Sets rule, message and advice of a DeadlineExceeded, which name the deadline and its length. */
void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder);
/* Adds the deadline to the context of a report about a wait that would have been too long. */
void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder);
/* Builds the report of a request whose deadline passed while its body arrived. */
void rc_exchange_report_late(rc_exchange *exchange);

/* Sets the options of the waiting queue and of learned limits, and the order of failover in the
 * plan of the exchange. options: borrows during the call. */
void rc_exchange_set_waits(rc_exchange *exchange, rc_call_options *options);
/* Updates the list of waiting requests and the metrics of the queue, after an action of the
 * call. */
void rc_exchange_note_queue(rc_exchange *exchange);
/* Ends a wait in the queue that no action of the call ends. is_late: the deadline has passed. */
void rc_exchange_end_queueing(rc_exchange *exchange, bool is_late);

#endif
