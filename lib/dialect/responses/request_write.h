/* The items of a Responses request: functions that request_write.c uses. */
#ifndef RC_DIALECT_RESPONSES_REQUEST_WRITE_H
#define RC_DIALECT_RESPONSES_REQUEST_WRITE_H

#include "dialect/translate/write.h"

/* Writes the members instructions and input. */
void rc_responses_write_items(rc_request_writer *w);

#endif
