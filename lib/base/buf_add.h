/* Pushing without a call where there is room. rc_buf_push is public, so it is never inlined; what
 * is written in dozens of short pieces for every request is pushed by these. */
#ifndef RC_BASE_BUF_ADD_H
#define RC_BASE_BUF_ADD_H

#include <stdint.h>
#include <string.h>

#include <recourse/buf.h>

static inline void rc_buf_add(rc_buf *buf, rc_str bytes)
{
    if (buf->status != RC_OK || bytes.len > buf->size - buf->len) {
        (void)rc_buf_push(buf, bytes); /* the failure sticks */
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

/* Most of the numbers that are written so have one digit. */
static inline void rc_buf_add_u64(rc_buf *buf, uint64_t value)
{
    if (value < 10)
        rc_buf_add_byte(buf, (char)('0' + value));
    else
        (void)rc_buf_push_u64(buf, value);
}

#endif
