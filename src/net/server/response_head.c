/* Serialises the heads of responses. Called by connection_run.c and responder.c. */
#include "net/server/connection.h"

/* Reason phrases, sorted by status. A status that is not in the table gets no reason phrase, which
 * is optional (RFC 9112, section 4). */
static const struct {
    int status;
    rc_str line;
} lines[] = {
#define LINE(status, phrase)                                   \
    {                                                          \
        status, RC_STR_INIT("HTTP/1.1 " #status phrase "\r\n") \
    }
    LINE(200, " OK"),
    LINE(201, " Created"),
    LINE(202, " Accepted"),
    LINE(204, " No Content"),
    LINE(304, " Not Modified"),
    LINE(400, " Bad Request"),
    LINE(401, " Unauthorized"),
    LINE(402, " Payment Required"),
    LINE(403, " Forbidden"),
    LINE(404, " Not Found"),
    LINE(405, " Method Not Allowed"),
    LINE(408, " Request Timeout"),
    LINE(409, " Conflict"),
    LINE(413, " Content Too Large"),
    LINE(414, " URI Too Long"),
    LINE(415, " Unsupported Media Type"),
    LINE(422, " Unprocessable Content"),
    LINE(429, " Too Many Requests"),
    LINE(431, " Request Header Fields Too Large"),
    LINE(500, " Internal Server Error"),
    LINE(501, " Not Implemented"),
    LINE(502, " Bad Gateway"),
    LINE(503, " Service Unavailable"),
    LINE(504, " Gateway Timeout"),
    LINE(505, " HTTP Version Not Supported"),
#undef LINE
};

void rc_response_push_status_line(rc_connection *c, int status)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (lines[i].status == status) {
            rc_connection_push(c, lines[i].line);
            return;
        }
    rc_connection_push(c, RC_STR("HTTP/1.1 "));
    rc_response_push_number(c, (uint64_t)status);
    rc_connection_push(c, RC_STR(" \r\n"));
}

void rc_response_push_number(rc_connection *c, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    rc_connection_push(c, rc_str_make(digits + at, sizeof(digits) - at));
}

void rc_response_push_chunk_size(rc_connection *c, size_t size)
{
    char digits[18];
    size_t at = sizeof(digits);
    digits[--at] = '\n';
    digits[--at] = '\r';
    do {
        digits[--at] = "0123456789abcdef"[size & 15];
        size >>= 4;
    } while (size > 0);
    rc_connection_push(c, rc_str_make(digits + at, sizeof(digits) - at));
}

/* The token characters of RFC 9110, section 5.6.2: one bit per character, 32 bits per element. */
static const uint32_t token_chars[8] = {
    0, 0x03ff6cfa, /* ! # $ % & ' * + - . and digits */
    0xc7fffffe,    /* A to Z, ^ _ */
    0x57ffffff,    /* ` a to z | ~ */
};

static bool is_token_char(char c)
{
    unsigned char byte = (unsigned char)c;
    return (token_chars[byte >> 5] >> (byte & 31) & 1) != 0;
}

/* Returns whether eight bytes contain neither a control character nor DEL. Returns false also for a
 * tab, which is allowed, so the caller then checks byte by byte. */
static bool is_plain_word(const char *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t highs = ones << 7;
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    uint64_t del = word ^ (ones * 0x7f);
    uint64_t is_low = (word - ones * 0x20) & ~word & highs;
    uint64_t is_del = (del - ones) & ~del & highs;
    return (is_low | is_del) == 0;
}

static bool is_value(rc_str value)
{
    size_t at = 0;
    while (value.len - at >= 8 && is_plain_word(value.ptr + at))
        at += 8;
    for (; at < value.len; at++) {
        unsigned char c = (unsigned char)value.ptr[at];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static bool is_reserved(rc_str name)
{
    switch (name.len) {
    case 10:
        return rc_http1_is_name(name, RC_STR("connection")) ||
               rc_http1_is_name(name, RC_STR("keep-alive"));
    case 14:
        return rc_http1_is_name(name, RC_STR("content-length"));
    case 17:
        return rc_http1_is_name(name, RC_STR("transfer-encoding"));
    default:
        return false;
    }
}

bool rc_response_is_field(const rc_header *field)
{
    for (size_t i = 0; i < field->name.len; i++)
        if (!is_token_char(field->name.ptr[i]))
            return false;
    return field->name.len > 0 && !is_reserved(field->name) && is_value(field->value);
}
