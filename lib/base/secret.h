/* rc_secret: a view of a key or token. It is no rc_str, so that nothing that writes text, JSON or a
 * log takes it: whoever lets one out has to call rc_secret_push, which is easy to look for. */
#ifndef RC_BASE_SECRET_H
#define RC_BASE_SECRET_H

#include <recourse/buf.h>
#include <recourse/str.h>

typedef struct rc_secret {
    const char *hidden; /* read by the functions below alone; may be NULL when len is 0 */
    size_t len;
} rc_secret;

/* text: views. */
static inline rc_secret rc_secret_make(rc_str text)
{
    return (rc_secret){text.ptr, text.len};
}

/* Takes the same time wherever the two differ. Their lengths may show. Two empty ones are not
 * equal: having no token is not having the right one. */
bool rc_secret_eq(rc_secret a, rc_secret b);

/* Visible ASCII alone, at least one byte: fit for a header. */
bool rc_secret_is_token(rc_secret secret);

/* Where it stands in a text, from a place on; RC_STR_NPOS: nowhere, or it is empty. */
size_t rc_secret_find(rc_str text, rc_secret secret, size_t from);

/* Appends it; copies. The buffer has to be wiped afterwards. */
rc_status rc_secret_push(rc_buf *buf, rc_secret secret);

/* Overwrites memory; never left out by the compiler. memory: may be NULL when size is 0. */
void rc_secret_wipe(void *memory, size_t size);

/* Wipes what the buffer holds and empties it. Memory that it grew out of is not reached: reserve
 * enough before a secret is pushed. */
void rc_secret_wipe_buf(rc_buf *buf);

#endif
