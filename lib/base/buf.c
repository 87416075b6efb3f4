/* Growable byte buffer with a ceiling (recourse/buf.h). Used everywhere that text is written. */
#include <recourse/buf.h>

#include <string.h>

/* Size of the first allocation in bytes. Most rendered reports fit after the size has been doubled
 * twice. */
#define FIRST_SIZE 256u

void rc_buf_init(rc_buf *buf, const rc_alloc *alloc, size_t max_bytes)
{
    *buf = (rc_buf){.alloc = *alloc, .max_bytes = max_bytes};
}

void rc_buf_init_fixed(rc_buf *buf, void *memory, size_t size)
{
    *buf = (rc_buf){.ptr = memory, .size = size, .max_bytes = size, .is_fixed = true};
}

void rc_buf_done(rc_buf *buf)
{
    if (!buf)
        return;
    if (buf->ptr && !buf->is_fixed)
        buf->alloc.put(buf->alloc.ctx, buf->ptr, buf->size);
    *buf = (rc_buf){0};
}

void rc_buf_reset(rc_buf *buf)
{
    buf->len = 0;
    buf->status = RC_OK;
}

static rc_status fail(rc_buf *buf, rc_status status)
{
    buf->status = status;
    return status;
}

static rc_status grow(rc_buf *buf, size_t first_size, size_t need)
{
    if (buf->is_fixed || need > buf->max_bytes)
        return fail(buf, RC_E_TOO_LARGE);

    size_t size = buf->size ? buf->size : first_size;
    while (size < need)
        size = size > buf->max_bytes / 2 ? buf->max_bytes : size * 2;
    if (size > buf->max_bytes)
        size = buf->max_bytes;

    char *ptr = buf->alloc.get ? buf->alloc.get(buf->alloc.ctx, size) : NULL;
    if (!ptr)
        return fail(buf, RC_E_NOMEM);
    if (buf->len)
        memcpy(ptr, buf->ptr, buf->len);
    if (buf->ptr)
        buf->alloc.put(buf->alloc.ctx, buf->ptr, buf->size);
    buf->ptr = ptr;
    buf->size = size;
    return RC_OK;
}

/* Allocates space for `extra` more bytes. first_size: size in bytes of the first allocation; the
 * size is doubled until the content fits. */
static rc_status make_space(rc_buf *buf, size_t first_size, size_t extra)
{
    if (buf->status != RC_OK)
        return buf->status;
    if (extra > SIZE_MAX - buf->len)
        return fail(buf, RC_E_TOO_LARGE);
    return grow(buf, first_size, buf->len + extra);
}

/* Returns whether `extra` bytes fit without growing, which is the common case. The function is
 * static, because the compiler cannot inline the public functions, which another library may
 * replace at load time. */
static inline bool has_space(const rc_buf *buf, size_t extra)
{
    return buf->status == RC_OK && extra <= buf->size - buf->len;
}

rc_status rc_buf_reserve(rc_buf *buf, size_t extra)
{
    /* The caller knows the length, so the first allocation is not larger than necessary. */
    const size_t first_size =
        extra < SIZE_MAX / 2 ? extra / FIRST_SIZE * FIRST_SIZE + FIRST_SIZE : FIRST_SIZE;
    return has_space(buf, extra) ? RC_OK : make_space(buf, first_size, extra);
}

rc_status rc_buf_push(rc_buf *buf, rc_str bytes)
{
    rc_status status = has_space(buf, bytes.len) ? RC_OK : make_space(buf, FIRST_SIZE, bytes.len);
    if (status != RC_OK || bytes.len == 0)
        return status;
    memcpy(buf->ptr + buf->len, bytes.ptr, bytes.len);
    buf->len += bytes.len;
    return RC_OK;
}

rc_status rc_buf_push_byte(rc_buf *buf, char byte)
{
    rc_status status = has_space(buf, 1) ? RC_OK : make_space(buf, FIRST_SIZE, 1);
    if (status == RC_OK)
        buf->ptr[buf->len++] = byte;
    return status;
}

/* Appends a number in decimal. All digits are pushed at once, so that a number that does not fit
 * adds no digits. */
static rc_status push_number(rc_buf *buf, bool is_negative, uint64_t magnitude)
{
    char text[21];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (is_negative)
        text[--at] = '-';
    return rc_buf_push(buf, rc_str_make(text + at, sizeof text - at));
}

rc_status rc_buf_push_u64(rc_buf *buf, uint64_t value)
{
    return push_number(buf, false, value);
}

rc_status rc_buf_push_i64(rc_buf *buf, int64_t value)
{
    return push_number(buf, value < 0, value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value);
}

rc_str rc_buf_get(const rc_buf *buf)
{
    return rc_str_make(buf->ptr, buf->len);
}

rc_status rc_buf_status(const rc_buf *buf)
{
    return buf->status;
}
