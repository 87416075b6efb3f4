/* The reply to the client: reports that the gateway builds, refusals, and the sending of the
 * reply. */
#ifndef RC_GATEWAY_EXCHANGE_EXCHANGE_REPLY_H
#define RC_GATEWAY_EXCHANGE_EXCHANGE_REPLY_H

#include <recourse/builder.h>

#include "policy/outcome.h"

typedef struct rc_exchange rc_exchange;
typedef struct rc_request_fault rc_request_fault;

/* Retry-After, in milliseconds, of a request that is refused because this gateway is full. The
 * value is arbitrary. */
#define RC_EXCHANGE_BUSY_MS 1000

/* Builds the report of a call that has stopped. */
void rc_exchange_report_stop(rc_exchange *exchange);
/* Builds the report of a request that is refused instead of the next attempt. wait_until_ms: the
 * end of a wait that was cut short; 0 if there was no wait. */
void rc_exchange_report_refusal(rc_exchange *exchange, rc_local_outcome outcome,
                                uint64_t wait_until_ms);
/* Refuses the request before any attempt. */
void rc_exchange_refuse(rc_exchange *exchange, rc_local_outcome outcome);
/* Refuses the request as rc_exchange_refuse does, with the caller's message. */
void rc_exchange_refuse_text(rc_exchange *exchange, rc_local_outcome outcome, rc_str message);
/* Refuses the request before any attempt, because this gateway is full. The error Overloaded is
 * sent at once. */
void rc_exchange_shed(rc_exchange *exchange, rc_local_outcome outcome);
/* Refuses the request as rc_exchange_refuse does, with the caller's report. report: takes
 * ownership. */
void rc_exchange_refuse_report(rc_exchange *exchange, const rc_report *report);
void rc_exchange_refuse_fault(rc_exchange *exchange, const rc_request_fault *fault);
/* Makes StoreUnavailable the result, because the record cannot be stored. why: takes ownership. */
void rc_exchange_report_unrecorded(rc_exchange *exchange, const rc_report *why);
/* Begins a report that the gateway builds. message: if it is empty, the report has the message of
 * `outcome`. */
void rc_exchange_begin_outcome(rc_exchange *exchange, rc_builder *builder, rc_local_outcome outcome,
                               rc_str message);
/* Begins a report as rc_exchange_begin_outcome does, with a code instead of an outcome. With
 * RC_CODE_NONE the report gets the code of its cause. */
void rc_exchange_begin_report(rc_exchange *exchange, rc_builder *builder, rc_code code,
                              rc_str message);
/* Writes "clause" as "Clause." into `scratch` and returns that text. If the text does not fit,
 * returns `clause`. */
rc_str rc_exchange_sentence(const char *clause, char *scratch, size_t size);
/* Sends the part of the reply that the machine's `ending` selects. Called after the record was
 * acknowledged. */
void rc_exchange_send_reply(rc_exchange *exchange);

#endif
