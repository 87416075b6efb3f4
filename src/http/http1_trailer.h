/* rc_http1_trailer: the lines behind the last chunk, checked byte by byte.
 *
 *   BEGIN ─► NAME ─► VALUE ─► LINE_CR ─► BEGIN     BEGIN ─► LAST_CR ─► END
 *
 * Nobody reads the trailer, but everybody must agree where it ends: llhttp takes a bare LF for its
 * end, folded lines and names that are empty. What frames a message, says where it goes or who sent
 * it has no place here (RFC 9110, section 6.5.1). */
#ifndef RC_HTTP_HTTP1_TRAILER_H
#define RC_HTTP_HTTP1_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#define RC_HTTP1_TRAILER_NAME_MAX 24 /* longer than any name that is refused */

/* Zeroed storage is ready. */
typedef struct rc_http1_trailer {
    uint32_t bytes; /* so far */
    uint8_t state;
    uint8_t name_len; /* RC_HTTP1_TRAILER_NAME_MAX: too long to matter */
    char name[RC_HTTP1_TRAILER_NAME_MAX];
} rc_http1_trailer;

typedef enum rc_http1_trailer_result {
    RC_HTTP1_TRAILER_MORE = 0,
    RC_HTTP1_TRAILER_WHOLE = 1,
    RC_HTTP1_TRAILER_BAD = 2,
    RC_HTTP1_TRAILER_LARGE = 3
} rc_http1_trailer_result;

/* More of it, up to its end and max_bytes in all. *ret_used: how much of the piece is of it. */
rc_http1_trailer_result rc_http1_trailer_push(rc_http1_trailer *trailer, rc_str piece,
                                              uint32_t max_bytes, size_t *ret_used);

#endif
