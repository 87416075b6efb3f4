/* What a head must be, beyond what llhttp asks for. */
#ifndef RC_HTTP_HTTP1_HEAD_H
#define RC_HTTP_HTTP1_HEAD_H

#include "base/vec16.h"
#include "http/http1.h"

/* Checks a head that llhttp has read and sets framing, length and is_kept_alive. */
rc_http1_fault rc_http1_check_head(rc_http1 *reader, const char *head);

/* Sets the framing by the headers that are there; length is set before. */
void rc_http1_set_framing(rc_http1 *reader, bool has_length, bool is_chunked);

/* A name, an IPv4 address or an IPv6 one in brackets, and a port perhaps; one of them. */
bool rc_http1_is_host(rc_str host);

/* The path and query of an origin server: no authority, no fragment, nothing that must be escaped
 * (RFC 9112, section 3.2.1). */
bool rc_http1_is_path(rc_str target);

/* Content-Length: up to 18 digits. */
bool rc_http1_read_length(rc_str text, uint64_t *ret_length);

/* A response that has no body whatever its head says. */
bool rc_http1_has_no_body(const rc_http1 *reader);

/* The first control character at or behind `at`, or end. */
static inline const char *rc_http1_find_control(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    for (size_t i = 0; i < left; i += RC_VEC16_BYTES) {
        rc_vec16 bytes = rc_vec16_load_some(at + i, left - i); /* NUL behind the last one */
        uint32_t found = rc_vec16_bits((rc_vec16)(bytes < 0x20) | (rc_vec16)(bytes == 0x7f));
        if (found != 0)
            return at + i + __builtin_ctz(found);
    }
    return end;
}

#endif
