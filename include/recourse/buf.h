/* rc_buf: bytes that grow up to a ceiling.
 *
 * A failure (no memory, ceiling reached) sticks: later pushes do nothing, and the caller checks
 * once, at the end. What was pushed before the failure stays readable. A push that does not fit
 * adds nothing of itself. */
#ifndef RECOURSE_BUF_H
#define RECOURSE_BUF_H

#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* The caller's storage. The fields are private; use the functions. */
typedef struct rc_buf {
    rc_alloc alloc;
    char *ptr;
    size_t len;
    size_t size;      /* bytes at ptr */
    size_t max_bytes; /* the ceiling */
    rc_status status;
    bool is_fixed; /* ptr is the caller's memory */
} rc_buf;

/* Starts an empty buffer that allocates from alloc (copies) and never holds more than max_bytes.
 * Allocates nothing yet. */
RC_API void rc_buf_init(rc_buf *buf, const rc_alloc *alloc, size_t max_bytes);

/* Starts an empty buffer in memory (borrows; size bytes) that never allocates. */
RC_API void rc_buf_init_fixed(rc_buf *buf, void *memory, size_t size);

/* Gives the memory back. Takes a buffer in any state, also twice, also NULL. */
RC_API void rc_buf_done(rc_buf *buf);

/* Empties the buffer and forgets a failure. Keeps the memory. */
RC_API void rc_buf_reset(rc_buf *buf);

/* Makes room for extra bytes without adding any, so that later pushes of that much cannot fail.
 * RC_E_NOMEM, RC_E_TOO_LARGE; both stick. */
RC_API rc_status rc_buf_reserve(rc_buf *buf, size_t extra);

/* Appends (copies; must not be a view of the same buffer, which may move). RC_E_NOMEM,
 * RC_E_TOO_LARGE; both stick. */
RC_API rc_status rc_buf_push(rc_buf *buf, rc_str bytes);
RC_API rc_status rc_buf_push_byte(rc_buf *buf, char byte);
RC_API rc_status rc_buf_push_u64(rc_buf *buf, uint64_t value);
RC_API rc_status rc_buf_push_i64(rc_buf *buf, int64_t value);

/* What is in it so far; views the buffer, valid until the next push, reset or done. */
RC_API rc_str rc_buf_get(const rc_buf *buf);

/* RC_OK, or the first failure since init or reset. */
RC_API rc_status rc_buf_status(const rc_buf *buf);

RC_END_DECLS

#endif
