/* The parts of a Gemini request: functions that request_read.c uses. */
#ifndef RC_DIALECT_GEMINI_REQUEST_READ_H
#define RC_DIALECT_GEMINI_REQUEST_READ_H

#include "dialect/translate/read.h"

/* Adds the part to the current turn. part: one object of the list "parts". */
void rc_gemini_read_part(rc_conversation *c, rc_str part);

/* Connects results without an id with their calls: in the turn before the result, the first call
 * without an id and with the same name whose result has not been read yet. */
void rc_gemini_link_results(rc_conversation *c);

#endif
