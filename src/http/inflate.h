/* rc_inflate: decompresses a body piece by piece.
 *
 *   step(input) ──► PIECE ──► PIECE ──► ... ──► MORE      all input was used
 *                     └──────────────────────► DAMAGED | NO_MEMORY, for all later calls
 *
 * Memory is bounded for every input: 16 KiB for the piece and about 40 KiB for zlib, from the given
 * allocator. A gzip body may have several members, one after the other (RFC 1952, section 2.2). If
 * other bytes follow the end, the result is RC_INFLATE_DAMAGED, because the meaning of these bytes
 * is unknown. */
#ifndef RC_HTTP_INFLATE_H
#define RC_HTTP_INFLATE_H

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "http/coding.h"

#define RC_INFLATE_PIECE_BYTES ((size_t)16 << 10)

typedef struct rc_inflate rc_inflate;

typedef enum rc_inflate_result {
    RC_INFLATE_MORE = 0, /* All input was used; more input is needed. */
    RC_INFLATE_PIECE =
        1, /* *ret_piece is set; the caller must call again with the remaining input. */
    RC_INFLATE_DAMAGED = 2,
    RC_INFLATE_NO_MEMORY = 3
} rc_inflate_result;

/* Creates a decompressor for RC_CODING_GZIP or RC_CODING_DEFLATE. Returns NULL if there is no
 * memory. The result: gives; rc_inflate_free frees it. alloc: copies the struct. */
rc_inflate *rc_inflate_new(rc_coding coding, const rc_alloc *alloc);

/* Frees the decompressor. inflater: takes and frees it; may be NULL. */
void rc_inflate_free(rc_inflate *inflater);

/* Decompresses the next piece and moves *input past the bytes used. *ret_piece is set only if the
 * result is RC_INFLATE_PIECE, and views the inflater until the next call. */
rc_inflate_result rc_inflate_step(rc_inflate *inflater, rc_str *input, rc_str *ret_piece);

/* Returns whether the body would be complete if no more input followed. An empty body is
 * complete. */
bool rc_inflate_is_whole(const rc_inflate *inflater);

#endif
