/* Secrets: comparison, search and erasure. Called by the gateway for clients' tokens and providers'
 * keys. */
#include "base/secret.h"

#include "base/str.h"
#include "base/vec16.h"

bool rc_secret_eq(rc_secret a, rc_secret b)
{
    if (a.len == 0 || a.len != b.len)
        return false;
    /* The pointers are volatile so that the compiler cannot end the loop at the first
     * difference. */
    const volatile unsigned char *left = (const volatile unsigned char *)a.hidden;
    const volatile unsigned char *right = (const volatile unsigned char *)b.hidden;
    unsigned difference = 0;
    for (size_t i = 0; i < a.len; i++)
        difference |= (unsigned)(left[i] ^ right[i]);
    return difference == 0;
}

bool rc_secret_is_token(rc_secret secret)
{
    const char *end = secret.hidden + secret.len;
    if (secret.len < RC_VEC16_BYTES) {
        const rc_vec16 bytes = rc_vec16_load_part(secret.hidden, secret.len);
        const uint32_t all = (1u << secret.len) - 1;
        return secret.len > 0 && (rc_vec16_bits(rc_vec16_in_range(bytes, '!', '~')) & all) == all;
    }
    /* The last load overlaps the previous one. */
    rc_vec16 visible = rc_vec16_in_range(rc_vec16_load(end - RC_VEC16_BYTES), '!', '~');
    for (const char *at = secret.hidden; at + RC_VEC16_BYTES < end; at += RC_VEC16_BYTES)
        visible &= rc_vec16_in_range(rc_vec16_load(at), '!', '~');
    return rc_vec16_bits(visible) == 0xFFFF;
}

rc_status rc_secret_push(rc_buf *buf, rc_secret secret)
{
    return rc_buf_push(buf, rc_str_make(secret.hidden, secret.len));
}

void rc_secret_wipe(void *memory, size_t size)
{
    if (size == 0)
        return;
    memset(memory, 0, size);
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void rc_secret_wipe_buf(rc_buf *buf)
{
    rc_secret_wipe(buf->ptr, buf->len);
    rc_buf_reset(buf);
}

size_t rc_secret_find(rc_str text, rc_secret secret, size_t from)
{
    if (secret.len == 0)
        return RC_STR_NPOS;
    return rc_str_find(text, rc_str_make(secret.hidden, secret.len), from);
}
