/* The parts of rc_response. */
#ifndef RC_EXCHANGE_RESPONSE_PRIVATE_H
#define RC_EXCHANGE_RESPONSE_PRIVATE_H

#include "exchange/response.h"

/* The shape that the client expects. Needs request and is_called_events. */
rc_expected_shape rc_response_expected_shape(const rc_response *response);

/* True: a body of this kind has the expected shape. */
bool rc_response_fits(const rc_response *response, rc_body_kind kind);

/* Judges the shape of a body, and reads the usage of one that comes in pieces. is_good: it is an
 * object without an error. False: the shape decides nothing. */
bool rc_response_judge_shape(rc_response *response, rc_str body, bool is_good, rc_buf *scratch,
                             rc_response_verdict *ret_verdict);

#endif
