/* Fast path for the head of nearly every message and the chunk of nearly every stream, without
 * llhttp's state machine. */
#ifndef RC_HTTP_HTTP1_PLAIN_H
#define RC_HTTP_HTTP1_PLAIN_H

#include "http/http1.h"

/* Reads a complete head in the usual form. bytes: the message from its first byte on. False: llhttp
 * must read it; reader->fields may have been overwritten. */
bool rc_http1_read_plain(rc_http1 *reader, rc_str bytes);

/* Reads a complete chunk without extensions that is not the last one; moves *input past it.
 * *ret_body: views the input. False: llhttp must read it. */
bool rc_http1_read_plain_chunk(rc_str *input, rc_str *ret_body);

#endif
