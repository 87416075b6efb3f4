/* A faster parser than llhttp for the usual form of heads and chunks, which nearly all messages
 * have. */
#ifndef RC_HTTP_HTTP1_PLAIN_H
#define RC_HTTP_HTTP1_PLAIN_H

#include "http/http1.h"

/* Reads a complete head in the usual form. `bytes` is the message from its first byte on. Returns
 * false if llhttp must read the head; this function may then have changed reader->fields. */
bool rc_http1_read_plain(rc_http1 *reader, rc_str bytes);

/* Reads a complete chunk without extensions that is not the last chunk, and moves *input past it.
 * Returns false if llhttp must read the chunk. *ret_body views the input. */
bool rc_http1_read_plain_chunk(rc_str *input, rc_str *ret_body);

#endif
