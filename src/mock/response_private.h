/* A function of response_step.c for response.c. */
#ifndef RC_MOCK_RESPONSE_PRIVATE_H
#define RC_MOCK_RESPONSE_PRIVATE_H

#include "mock/response.h"

/* Sets the first stage. The text, head and body of the response must be ready. */
void rc_mock_response_start_steps(rc_mock_response *response);

#endif
