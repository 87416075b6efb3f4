/* The head that nearly every message has, and the chunk that nearly every stream has, without the
 * state machine that all the others need. */
#ifndef RC_HTTP_HTTP1_PLAIN_H
#define RC_HTTP_HTTP1_PLAIN_H

#include "http/http1.h"

/* Reads a head that is whole and in which nothing is out of the ordinary. bytes begin with the
 * message's first byte. False: llhttp must read it; nothing was decided, but fields may have been
 * written to. */
bool rc_http1_read_plain(rc_http1 *reader, rc_str bytes);

/* Reads a chunk that is whole, without extensions and not the last one; *input is moved past it.
 * False: llhttp must read it. */
bool rc_http1_read_plain_chunk(rc_str *input, rc_str *ret_body);

#endif
