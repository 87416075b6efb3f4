/* rc_http1_trailer: checks the field lines after the last chunk, byte by byte.
 *
 *   BEGIN ─► NAME ─► VALUE ─► LINE_CR ─► BEGIN     BEGIN ─► LAST_CR ─► END
 *
 * The trailer's fields are not used, but all parsers must agree on where the trailer ends. So this
 * parser rejects a bare LF as its end, folded lines and empty names, all of which llhttp accepts.
 * This parser also rejects fields for framing, routing and authentication (RFC 9110, section
 * 6.5.1). */
#ifndef RC_HTTP_HTTP1_TRAILER_H
#define RC_HTTP_HTTP1_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#define RC_HTTP1_TRAILER_NAME_MAX 24 /* Greater than the length of each rejected name. */

/* An all-zero struct is ready for the first byte of the trailer. */
typedef struct rc_http1_trailer {
    uint32_t bytes; /* Number of bytes of the trailer that were checked. */
    uint8_t state;
    uint8_t name_len; /* Length of the current name. A longer name counts as
                       * RC_HTTP1_TRAILER_NAME_MAX. */
    char name[RC_HTTP1_TRAILER_NAME_MAX];
} rc_http1_trailer;

typedef enum rc_http1_trailer_result {
    RC_HTTP1_TRAILER_MORE = 0,
    RC_HTTP1_TRAILER_WHOLE = 1,
    RC_HTTP1_TRAILER_BAD = 2,
    RC_HTTP1_TRAILER_LARGE = 3
} rc_http1_trailer_result;

/* Checks the next piece of the trailer. max_bytes: maximum size of the whole trailer. *ret_used is
 * the number of bytes of the piece that belong to the trailer. */
rc_http1_trailer_result rc_http1_trailer_push(rc_http1_trailer *trailer, rc_str piece,
                                              uint32_t max_bytes, size_t *ret_used);

#endif
