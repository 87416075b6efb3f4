/* rc_buf: a byte buffer that grows up to a ceiling.
 *
 * A failure (out of memory, ceiling reached) is sticky: all later pushes do nothing, so it is
 * enough to check the status once, at the end. Bytes pushed before the failure stay readable. If
 * the bytes of a push do not fit, none of them is added. */
#ifndef RECOURSE_BUF_H
#define RECOURSE_BUF_H

#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* A buffer in the caller's storage. Its fields are private. */
typedef struct rc_buf {
    rc_alloc alloc;
    char *ptr;
    size_t len;
    size_t size;      /* number of bytes allocated at `ptr` */
    size_t max_bytes; /* the ceiling: maximum length of the contents, in bytes */
    rc_status status;
    bool is_fixed; /* `ptr` is memory of the caller, which is never grown or freed */
} rc_buf;

/* Initialises an empty buffer with a ceiling of max_bytes. alloc: copies the struct. Memory is
 * allocated only when the first bytes are pushed or reserved. */
RC_API void rc_buf_init(rc_buf *buf, const rc_alloc *alloc, size_t max_bytes);

/* Initialises an empty buffer in memory of the caller. The buffer never allocates. memory: borrows
 * `size` bytes until rc_buf_done. */
RC_API void rc_buf_init_fixed(rc_buf *buf, void *memory, size_t size);

/* Frees the memory. `buf` may be NULL, have a failed status, or have been freed by rc_buf_done
 * already. */
RC_API void rc_buf_done(rc_buf *buf);

/* Empties the buffer and resets its status to RC_OK. The buffer's memory stays allocated. */
RC_API void rc_buf_reset(rc_buf *buf);

/* Allocates space for `extra` more bytes, so that pushing that many bytes cannot fail. Returns
 * RC_OK, RC_E_NOMEM or RC_E_TOO_LARGE; a failure is sticky. */
RC_API rc_status rc_buf_reserve(rc_buf *buf, size_t extra);

/* rc_buf_push appends a string, rc_buf_push_byte one byte, and the other two append a number in
 * decimal. bytes: copies; must not be a view of this buffer, because the push may move the buffer's
 * memory. The four functions return RC_OK, RC_E_NOMEM or RC_E_TOO_LARGE; a failure is sticky. */
RC_API rc_status rc_buf_push(rc_buf *buf, rc_str bytes);
RC_API rc_status rc_buf_push_byte(rc_buf *buf, char byte);
RC_API rc_status rc_buf_push_u64(rc_buf *buf, uint64_t value);
RC_API rc_status rc_buf_push_i64(rc_buf *buf, int64_t value);

/* Returns the bytes pushed so far. The result views the buffer and is valid until the next push,
 * rc_buf_reserve, rc_buf_reset or rc_buf_done. */
RC_API rc_str rc_buf_get(const rc_buf *buf);

/* Returns RC_OK, or the first failure since rc_buf_init or rc_buf_reset. */
RC_API rc_status rc_buf_status(const rc_buf *buf);

RC_END_DECLS

#endif
