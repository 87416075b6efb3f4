/* Base64 (RFC 4648): encoding by section 4, encoding and decoding by section 5 (base64url). */
#ifndef RC_CODEC_BASE64_H
#define RC_CODEC_BASE64_H

#include <stdbool.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends bytes in base64, with padding. bytes: borrows during the call. Returns the buffer's
 * status. */
rc_status rc_base64_push(rc_buf *buf, rc_str bytes);

/* Appends bytes in base64url, without padding. bytes: borrows during the call. Returns the buffer's
 * status. */
rc_status rc_base64url_push(rc_buf *buf, rc_str bytes);
/* Appends the bytes that the text encodes in base64url without padding. Returns false, after
 * appending any number of bytes, if the text is malformed or the buffer has failed. */
bool rc_base64url_decode(rc_str text, rc_buf *buf);

#endif
