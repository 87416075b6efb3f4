/* Checks the trailer of a chunked message. Called by http1.c. */
#include "http/http1_trailer.h"

#include "base/str.h"

enum {
    BEGIN = 0,
    NAME,
    VALUE,
    LINE_CR,
    LAST_CR,
    END
};

/* Names of fields that a trailer must not have (RFC 9110, section 6.5.1). */
static const char *const refused[] = {
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
};

static bool is_refused(const rc_http1_trailer *trailer)
{
    const rc_str name = rc_str_make(trailer->name, trailer->name_len);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (rc_str_eq(name, rc_str_c(refused[i])))
            return true;
    return false;
}

static void add_to_name(rc_http1_trailer *trailer, char c)
{
    if (trailer->name_len < RC_HTTP1_TRAILER_NAME_MAX)
        trailer->name[trailer->name_len++] = rc_ascii_lower(c);
}

static bool is_text(char c)
{
    const unsigned char byte = (unsigned char)c;
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

static bool begin(rc_http1_trailer *trailer, char c)
{
    trailer->name_len = 0;
    trailer->state = c == '\r' ? LAST_CR : NAME;
    add_to_name(trailer, c);
    return c == '\r' || (is_text(c) && c != ':' && c != ' ' && c != '\t');
}

static bool step(rc_http1_trailer *trailer, char c)
{
    switch (trailer->state) {
    case BEGIN:
        return begin(trailer, c);
    case NAME:
        if (c == ':') {
            trailer->state = VALUE;
            return !is_refused(trailer);
        }
        add_to_name(trailer, c);
        return is_text(c) && c != ' ' && c != '\t';
    case VALUE:
        if (c == '\r')
            trailer->state = LINE_CR;
        return c == '\r' || is_text(c);
    case LINE_CR:
        trailer->state = BEGIN;
        return c == '\n';
    case LAST_CR:
        trailer->state = END;
        return c == '\n';
    default:
        return false;
    }
}

rc_http1_trailer_result rc_http1_trailer_push(rc_http1_trailer *trailer, rc_str piece,
                                              uint32_t max_bytes, size_t *ret_used)
{
    *ret_used = 0;
    while (trailer->state != END && *ret_used < piece.len) {
        if (trailer->bytes++ >= max_bytes)
            return RC_HTTP1_TRAILER_LARGE;
        if (!step(trailer, piece.ptr[*ret_used]))
            return RC_HTTP1_TRAILER_BAD;
        ++*ret_used;
    }
    return trailer->state == END ? RC_HTTP1_TRAILER_WHOLE : RC_HTTP1_TRAILER_MORE;
}
