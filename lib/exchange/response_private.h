/* Functions that response.c, response_judge.c and response_shape.c share. */
#ifndef RC_EXCHANGE_RESPONSE_PRIVATE_H
#define RC_EXCHANGE_RESPONSE_PRIVATE_H

#include "exchange/response.h"

/* Returns the shape that the client expects. Reads the members `request` and `is_called_events`. */
rc_expected_shape rc_response_expected_shape(const rc_response *response);

/* Returns whether a body of this kind has the expected shape. */
bool rc_response_fits(const rc_response *response, rc_body_kind kind);

/* Judges the shape of a body of this kind. If the body consists of several events or array
 * elements, reads their usage. `is_good`: the body is an object without an error. Returns false,
 * without writing *ret_verdict, if the shape is as expected or if the verdict does not depend on
 * the shape. */
bool rc_response_judge_shape(rc_response *response, rc_str body, rc_body_kind kind, bool is_good,
                             rc_buf *scratch, rc_response_verdict *ret_verdict);

#endif
