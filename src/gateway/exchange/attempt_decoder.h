/* rc_attempt_decoder: decompresses the response of an attempt. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_DECODER_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_DECODER_H

#include "gateway/exchange/attempt.h"
#include "http/coding.h"

/* rc_attempt_decoder_begin begins to decompress a response. rc_attempt_decoder_on_body handles a
 * compressed piece. The attempt may be over afterwards. */
void rc_attempt_decoder_begin(rc_attempt *attempt, rc_coding coding);
void rc_attempt_decoder_on_body(rc_attempt *attempt, rc_str piece);
/* Handles the end of the compressed body. Returns true if the caller must continue with the end of
 * the response; false if the decoder handles the end later or the attempt is over. */
bool rc_attempt_decoder_on_end(rc_attempt *attempt);
/* Handles a failure of the transport. Returns true if the caller must handle the failure now; false
 * if the decoder handles it after the pending data. failure: copies the struct. */
bool rc_attempt_decoder_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);
/* Returns whether compressed data is pending and the client can take more data. The attempt must
 * have a decoder. */
bool rc_attempt_decoder_is_due(const rc_attempt *attempt);
/* Decompresses pending data. */
void rc_attempt_decoder_turn(rc_attempt *attempt);
/* Stops decompressing. The attempt may have no decoder. */
void rc_attempt_decoder_stop(rc_attempt *attempt);

#endif
