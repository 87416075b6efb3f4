/* What the two files of rc_mock_response share. */
#ifndef RC_MOCK_RESPONSE_PRIVATE_H
#define RC_MOCK_RESPONSE_PRIVATE_H

#include "mock/response.h"

/* Text, head and body are there: the first step is next. */
void rc_mock_response_start_steps(rc_mock_response *response);

#endif
