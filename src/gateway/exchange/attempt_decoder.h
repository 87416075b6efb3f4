/* rc_attempt_decoder: decompresses the response of an attempt. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_DECODER_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_DECODER_H

#include "gateway/exchange/attempt.h"
#include "http/coding.h"

/* rc_attempt_decoder_begin begins to decompress a response. rc_attempt_decoder_on_body handles a
 * compressed piece. The attempt may be over afterwards. */
void rc_attempt_decoder_begin(rc_attempt *attempt, rc_coding coding);
void rc_attempt_decoder_on_body(rc_attempt *attempt, rc_str piece);
/* Handles the end of the body. True: the caller continues with the end of the response. False: the
 * end is handled later, or the attempt is over. */
bool rc_attempt_decoder_on_end(rc_attempt *attempt);
/* Handles a failure of the transport. True: the caller handles the failure now. False: the failure
 * is handled after the waiting data. failure: copies the struct. */
bool rc_attempt_decoder_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure);
/* Returns whether data is waiting to be decompressed and the client can take it. Only for an
 * attempt with a decoder. */
bool rc_attempt_decoder_is_due(const rc_attempt *attempt);
/* Decompresses waiting data. */
void rc_attempt_decoder_turn(rc_attempt *attempt);
/* Stops decompressing. Allowed without a decoder. */
void rc_attempt_decoder_stop(rc_attempt *attempt);

#endif
