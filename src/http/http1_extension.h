/* rc_http1_extension: checks the extensions after the size of a chunk, byte by byte.
 *
 *   START ─► SIZE ─► BEFORE ─► NAMING ─► NAME ─► NAMED ─► VALUING ─► VALUE ─┬─► DONE
 *              │       ▲ ';'                                └─► QUOTED ─────┘
 *              └───────┼──────────────────────────────────────────────────────► DONE
 *                      └── any number of extensions
 *
 * All extensions are ignored, as RFC 9112 requires for unknown ones (section 7.1.1). llhttp fails
 * on extensions with a value in responses, so the caller passes only the size and the end of the
 * line to llhttp. Extensions that violate the grammar are rejected, because all parsers must agree
 * on where the line ends. */
#ifndef RC_HTTP_HTTP1_EXTENSION_H
#define RC_HTTP_HTTP1_EXTENSION_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* An all-zero struct is ready for the first byte of a chunk's size line. */
typedef struct rc_http1_extension {
    uint32_t bytes; /* Number of extension bytes in this line. */
    uint8_t state;
} rc_http1_extension;

typedef enum rc_http1_extension_result {
    RC_HTTP1_EXTENSION_OK = 0,
    RC_HTTP1_EXTENSION_BAD = 1,
    RC_HTTP1_EXTENSION_LARGE = 2
} rc_http1_extension_result;

/* Reads the size line of a chunk, in one or more calls. Moves *input past extension bytes, of which
 * a line may have at most max_bytes. *ret_len is the number of bytes of the remaining input, up to
 * the next extension, that llhttp may read. */
rc_http1_extension_result rc_http1_extension_skip(rc_http1_extension *extension, rc_str *input,
                                                  uint32_t max_bytes, size_t *ret_len);

#endif
