/* rc_http1_extension: the extensions after the size of a chunk, checked byte by byte.
 *
 *   START ─► SIZE ─► BEFORE ─► NAMING ─► NAME ─► NAMED ─► VALUING ─► VALUE ─┬─► DONE
 *              │       ▲ ';'                                └─► QUOTED ─────┘
 *              └───────┼──────────────────────────────────────────────────────► DONE
 *                      └── any number of extensions
 *
 * This parser recognises no extension and skips them all (RFC 9112, section 7.1.1). In responses
 * llhttp fails on extensions with a value, so llhttp gets only the size and the end of the line.
 * All parsers must agree on where the line ends: extensions that violate the grammar are
 * rejected. */
#ifndef RC_HTTP_HTTP1_EXTENSION_H
#define RC_HTTP_HTTP1_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* Storage filled with zeros is ready for the first byte of a chunk's size line. */
typedef struct rc_http1_extension {
    uint32_t bytes; /* Extension bytes of this line. */
    uint8_t state;
} rc_http1_extension;

typedef enum rc_http1_extension_result {
    RC_HTTP1_EXTENSION_OK = 0,
    RC_HTTP1_EXTENSION_BAD = 1,
    RC_HTTP1_EXTENSION_LARGE = 2
} rc_http1_extension_result;

/* Reads a chunk, beginning with its size line. Moves *input past extensions, of which a line may
 * have max_bytes. *ret_len: bytes of the remaining input that llhttp may read, up to the next
 * extension. */
rc_http1_extension_result rc_http1_extension_skip(rc_http1_extension *extension, rc_str *input,
                                                  uint32_t max_bytes, size_t *ret_len);

#endif
