/* Base64 encoding (RFC 4648, section 4). */
#ifndef RC_CODEC_BASE64_H
#define RC_CODEC_BASE64_H

#include <recourse/buf.h>
#include <recourse/str.h>

/* Appends bytes in base64, with padding. bytes: borrows during the call. Returns the buffer's
 * status. */
rc_status rc_base64_push(rc_buf *buf, rc_str bytes);

#endif
