/* Handles the response of a provider (head, body and end) and sends it to the client. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_RESPONSE_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_RESPONSE_H

#include "gateway/exchange/attempt.h"

extern const rc_upstream_handler rc_attempt_upstream_handler;

/* Begins to send this attempt's content to the client; afterwards no other attempt can start.
 * Returns false if sending failed and the exchange is over. */
bool rc_attempt_commit(rc_attempt *attempt, rc_http1_framing framing, uint64_t length);
void rc_attempt_write(rc_attempt *attempt, rc_str bytes);
/* Sends the response head to the client, with the framing and length given to rc_attempt_commit. */
void rc_attempt_begin_response(rc_attempt *attempt);
/* Called when the attempt has succeeded and everything except the bytes in `held` was sent. */
void rc_attempt_deliver(rc_attempt *attempt);

/* Handles a piece of the (decompressed) body. The attempt may be over afterwards. */
void rc_attempt_on_body(rc_attempt *attempt, rc_str piece);
/* rc_attempt_on_body_end handles the end of a complete body, rc_attempt_on_failure a failure of the
 * call. */
void rc_attempt_on_body_end(rc_attempt *attempt);
void rc_attempt_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);

#endif
