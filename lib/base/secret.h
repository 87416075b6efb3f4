/* rc_secret: a view of a key or token.
 *
 * A secret is not an rc_str, so that no function that writes text, JSON or logs accepts it. Only
 * rc_secret_push writes a secret, so that all places that write secrets are easy to find and
 * review. */
#ifndef RC_BASE_SECRET_H
#define RC_BASE_SECRET_H

#include <recourse/buf.h>
#include <recourse/str.h>

typedef struct rc_secret {
    const char *hidden; /* the bytes, to be used only by the functions below; may be NULL if `len`
                           is 0 */
    size_t len;
} rc_secret;

/* Returns a secret that views text. */
static inline rc_secret rc_secret_make(rc_str text)
{
    return (rc_secret){text.ptr, text.len};
}

/* Compares two secrets in a time that does not depend on the position of their first difference.
 * The time may depend on the lengths of the secrets. Two empty secrets are not equal, so that a
 * missing token never matches. */
bool rc_secret_eq(rc_secret a, rc_secret b);

/* Returns whether the secret is not empty and has only visible ASCII, which a header value
 * requires. */
bool rc_secret_is_token(rc_secret secret);

/* Returns the offset of the secret in text at or after `from`, or RC_STR_NPOS if the secret does
 * not occur or is empty. */
size_t rc_secret_find(rc_str text, rc_secret secret, size_t from);

/* Appends a copy of the secret. The caller must wipe the buffer afterwards. */
rc_status rc_secret_push(rc_buf *buf, rc_secret secret);

/* Overwrites memory with zeros in a way that the compiler cannot remove. `memory` may be NULL if
 * `size` is 0. */
void rc_secret_wipe(void *memory, size_t size);

/* Overwrites the bytes of the buffer and empties it. Memory that the buffer released when it grew
 * is not wiped. Therefore the caller must reserve enough space before pushing a secret. */
void rc_secret_wipe_buf(rc_buf *buf);

#endif
