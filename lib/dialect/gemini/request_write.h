/* The turns of a Gemini request: functions that request_write.c uses. */
#ifndef RC_DIALECT_GEMINI_REQUEST_WRITE_H
#define RC_DIALECT_GEMINI_REQUEST_WRITE_H

#include "dialect/translate/write.h"

/* Writes the members systemInstruction and contents. */
void rc_gemini_write_turns(rc_request_writer *w);

#endif
