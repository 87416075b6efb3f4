/* The functions that attempt_response.c calls for a streamed response. These functions handle the
 * stream event by event. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_STREAM_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_STREAM_H

#include "gateway/exchange/attempt.h"

typedef struct rc_builder rc_builder;

void rc_attempt_stream_begin(rc_attempt *attempt, bool is_array);
void rc_attempt_stream_on_body(rc_attempt *attempt, rc_str piece);
/* Sends the head of the response and the events that were held back, unless that was done before.
 * Returns false if the exchange is over. */
bool rc_attempt_stream_release(rc_attempt *attempt);
/* Handles the end of the body. failure: the reason if the body was cut; NULL if it is complete. */
void rc_attempt_stream_on_end(rc_attempt *attempt, const rc_upstream_failure *failure);
/* Adds the next sequence number and the response id to a report, for an error event at the end of
 * the stream. builder: borrows during the call. */
void rc_attempt_set_stream_position(const rc_attempt *attempt, rc_builder *builder);

#endif
