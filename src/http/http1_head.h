/* Checks of a head in addition to those of llhttp. */
#ifndef RC_HTTP_HTTP1_HEAD_H
#define RC_HTTP_HTTP1_HEAD_H

#include "base/vec16.h"
#include "http/http1.h"

/* Checks a head that llhttp has read, and sets reader->framing, reader->length and
 * reader->is_kept_alive. */
rc_http1_fault rc_http1_check_head(rc_http1 *reader, const char *head);

/* Sets the framing. has_length, is_chunked: the head has a Content-Length, or the transfer coding
 * "chunked". reader->length must be set before. */
void rc_http1_set_framing(rc_http1 *reader, bool has_length, bool is_chunked);

/* Returns whether `host` is a name, an IPv4 address or a bracketed IPv6 address, with an optional
 * port. */
bool rc_http1_is_host(rc_str host);

/* Returns whether `target` is in origin form (RFC 9112, section 3.2.1): path and query without
 * authority and fragment, and without characters that need escaping. */
bool rc_http1_is_path(rc_str target);

/* Parses a Content-Length of up to 18 digits. Returns false if `text` is not such a number. */
bool rc_http1_read_length(rc_str text, uint64_t *ret_length);

/* Returns whether the message is a response that has no body, even if its head declares one. */
bool rc_http1_has_no_body(const rc_http1 *reader);

/* Returns the first control character from `at` on, or `end` if there is none. */
static inline const char *rc_http1_find_control(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    for (size_t i = 0; i < left; i += RC_VEC16_BYTES) {
        rc_vec16 bytes =
            rc_vec16_load_some(at + i, left - i); /* The load pads the bytes after the end with
                                                   * NUL. */
        uint32_t found = rc_vec16_bits((rc_vec16)(bytes < 0x20) | (rc_vec16)(bytes == 0x7f));
        if (found != 0)
            return at + i + __builtin_ctz(found);
    }
    return end;
}

#endif
