/* Function shared by response.c and response_step.c. */
#ifndef RC_MOCK_RESPONSE_PRIVATE_H
#define RC_MOCK_RESPONSE_PRIVATE_H

#include "mock/response.h"

/* Sets the first stage, once text, head and body are ready. */
void rc_mock_response_start_steps(rc_mock_response *response);

#endif
