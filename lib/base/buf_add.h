/* Inline variants of the rc_buf_push functions, which cannot be inlined because they are public.
 * The gateway uses the inline variants to write the dozens of short pieces of every request. */
#ifndef RC_BASE_BUF_ADD_H
#define RC_BASE_BUF_ADD_H

#include <stdint.h>
#include <string.h>

#include <recourse/buf.h>

/* Appends bytes without a function call, unless the buffer has to grow. bytes: copies. */
static inline void rc_buf_add(rc_buf *buf, rc_str bytes)
{
    if (buf->status != RC_OK || bytes.len > buf->size - buf->len) {
        (void)rc_buf_push(buf, bytes); /* the result is ignored, because the buffer's status records
                                          a failure */
    } else if (bytes.len > 0) {
        memcpy(buf->ptr + buf->len, bytes.ptr, bytes.len);
        buf->len += bytes.len;
    }
}

static inline void rc_buf_add_byte(rc_buf *buf, char byte)
{
    if (buf->status != RC_OK || buf->size == buf->len)
        (void)rc_buf_push_byte(buf, byte);
    else
        buf->ptr[buf->len++] = byte;
}

/* Appends a number in decimal. The code is fastest for one digit, the common case. */
static inline void rc_buf_add_u64(rc_buf *buf, uint64_t value)
{
    if (value < 10)
        rc_buf_add_byte(buf, (char)('0' + value));
    else
        (void)rc_buf_push_u64(buf, value);
}

#endif
