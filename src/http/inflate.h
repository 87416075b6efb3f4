/* rc_inflate: a body that came compressed, decoded as it is read.
 *
 *   step(input) ──► PIECE ──► PIECE ──► ... ──► MORE      the input is used up
 *                     └──────────────────────► DAMAGED | NO_MEMORY, from there on always
 *
 * A piece has a ceiling and so has the memory, whatever the input says of itself: 16 KiB for the
 * piece and about 40 KiB for zlib, by the allocator that is passed in. A gzip body may have several
 * members, one behind the other (RFC 1952, section 2.2). What stands behind the end and is none
 * damages it: nobody can say what it was to be. */
#ifndef RC_HTTP_INFLATE_H
#define RC_HTTP_INFLATE_H

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "http/coding.h"

#define RC_INFLATE_PIECE_BYTES ((size_t)16 << 10)

typedef struct rc_inflate rc_inflate;

typedef enum rc_inflate_result {
    RC_INFLATE_MORE = 0,  /* all of the input was used */
    RC_INFLATE_PIECE = 1, /* ask again, with what is left of the input */
    RC_INFLATE_DAMAGED = 2,
    RC_INFLATE_NO_MEMORY = 3
} rc_inflate_result;

/* coding: GZIP or DEFLATE. NULL: no memory. alloc: copies. */
rc_inflate *rc_inflate_new(rc_coding coding, const rc_alloc *alloc);

/* NULL is allowed. coded: takes. */
void rc_inflate_free(rc_inflate *compressed);

/* *input is moved past what was used. *ret_piece: a view until the next call; only of PIECE. */
rc_inflate_result rc_inflate_step(rc_inflate *compressed, rc_str *input, rc_str *ret_piece);

/* May the body end here? One of no byte at all may. */
bool rc_inflate_is_whole(const rc_inflate *compressed);

#endif
