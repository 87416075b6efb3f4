/* rc_http1_extension: what stands behind the size of a chunk, checked byte by byte.
 *
 *   START ─► SIZE ─► BEFORE ─► NAMING ─► NAME ─► NAMED ─► VALUING ─► VALUE ─┬─► DONE
 *              │       ▲ ';'                                └─► QUOTED ─────┘
 *              └───────┼──────────────────────────────────────────────────────► DONE
 *                      └── any number of them
 *
 * Nobody here knows an extension, so all are passed over (RFC 9112, section 7.1.1); of a response
 * llhttp, which reads nothing behind one with a value, sees the size and the end of the line.
 * Everybody must agree where that is: what is not formed as the standard says is refused. */
#ifndef RC_HTTP_HTTP1_EXTENSION_H
#define RC_HTTP_HTTP1_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* Zeroed storage is ready for a line's first byte. */
typedef struct rc_http1_extension {
    uint32_t bytes; /* of this line */
    uint8_t state;
} rc_http1_extension;

typedef enum rc_http1_extension_result {
    RC_HTTP1_EXTENSION_OK = 0,
    RC_HTTP1_EXTENSION_BAD = 1,
    RC_HTTP1_EXTENSION_LARGE = 2
} rc_http1_extension_result;

/* More of a chunk, from its line's first byte on. *input is moved past extensions, of which a line
 * may have max_bytes; *ret_len: how much of what is left is to be read, up to the next of them. */
rc_http1_extension_result rc_http1_extension_skip(rc_http1_extension *extension, rc_str *input,
                                                  uint32_t max_bytes, size_t *ret_len);

#endif
