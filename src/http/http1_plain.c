/* The one-pass parser of heads and chunks in their usual form. Called by http1.c. The parser reads
 * a head of exactly this form:
 *
 *   POST SP path SP HTTP/1.1 CR LF         or GET;  HTTP/1.1 SP status SP reason CR LF
 *   name ":" *SP value CR LF               names of letters, digits, - and _; no tab in a value, no
 *   ...                                    space after it
 *   CR LF
 *
 * A request has one Host field. There is at most one Content-Length (digits), one Transfer-Encoding
 * (chunked) and one Connection (keep-alive, close), and not both Content-Length and
 * Transfer-Encoding. All parsers agree about such a head.
 *
 * The parser also reads a complete chunk of the form
 *
 *   size CR LF bytes CR LF                 size: a few digits, not all of them zeros
 *
 * llhttp and http1_head.c read all other messages, including all faulty ones. For the plain form,
 * llhttp gives the same results as this parser; fuzz targets compare the two. */
#include "http/http1_plain.h"

#include <string.h>

#include "base/vec16.h"
#include "http/http1_head.h"

#define CHUNK_DIGITS_MAX 7u /* A chunk with a longer size never arrives completely in one read. */
/* Names with this length or more are not plain, because SPECIAL_LENS has bits only for shorter
 * lengths. */
#define NAME_MAX_BYTES 64u

typedef struct scan {
    rc_http1 *reader;
    const char *head;
    const char *end; /* End of the bytes that may be read. */
    uint32_t hosts;
    uint32_t lengths;
    uint32_t codings;
    uint32_t connections;
    bool is_closing;
} scan;

static uint32_t offset_of(const scan *s, const char *at)
{
    return (uint32_t)(at - s->head);
}

/* Returns the CR that ends the line, or NULL if the line is incomplete or contains a control
 * character. */
static inline const char *line_end(const char *at, const char *end)
{
    const char *found = rc_http1_find_control(at, end);
    return end - found >= 2 && found[0] == '\r' && found[1] == '\n' ? found : NULL;
}

/* Returns the length of the field name that begins at `at` and ends at its colon. 0: the name is
 * not plain. */
static inline size_t name_len(const char *at, const char *end)
{
    size_t left = (size_t)(end - at);
    for (size_t i = 0; i < left && i < NAME_MAX_BYTES; i += RC_VEC16_BYTES) {
        rc_vec16 bytes = rc_vec16_load_some(at + i, left - i);
        rc_vec16 is_name = rc_vec16_in_range(bytes | 0x20, 'a', 'z') |
                           rc_vec16_in_range(bytes, '0', '9') | (rc_vec16)(bytes == '-') |
                           (rc_vec16)(bytes == '_');
        uint32_t non_name_bits = rc_vec16_bits(~is_name);
        if (non_name_bits == 0)
            continue;
        i += (size_t)__builtin_ctz(non_name_bits);
        return i < left && at[i] == ':' ? i : 0;
    }
    return 0;
}

static bool read_connection(scan *s, rc_str value)
{
    s->is_closing = rc_http1_is_name(value, RC_STR("close"));
    return s->connections++ == 0 &&
           (s->is_closing || rc_http1_is_name(value, RC_STR("keep-alive")));
}

/* Reads the fields that determine framing and connection reuse. Returns false if the head is not
 * plain. */
static bool read_special(scan *s, rc_str name, rc_str value)
{
    switch (name.len) {
    case 4:
        return !rc_http1_is_name(name, RC_STR("host")) ||
               (s->hosts++ == 0 && rc_http1_is_host(value));
    case 7:
        return !rc_http1_is_name(name, RC_STR("upgrade"));
    case 10:
        return !rc_http1_is_name(name, RC_STR("connection")) || read_connection(s, value);
    case 14:
        return !rc_http1_is_name(name, RC_STR("content-length")) ||
               (s->lengths++ == 0 && rc_http1_read_length(value, &s->reader->length));
    case 16:
        return !rc_http1_is_name(name, RC_STR("proxy-connection"));
    case 17:
        return !rc_http1_is_name(name, RC_STR("transfer-encoding")) ||
               (s->codings++ == 0 && rc_http1_is_name(value, RC_STR("chunked")));
    default:
        return true;
    }
}

#define SPECIAL_LENS                                                               \
    (UINT64_C(1) << 4 | UINT64_C(1) << 7 | UINT64_C(1) << 10 | UINT64_C(1) << 14 | \
     UINT64_C(1) << 16 | UINT64_C(1) << 17)

/* Reads the field line that begins at `at`. Returns the start of the next line, or NULL if the line
 * is not plain. */
static inline const char *read_field(scan *s, const char *at, rc_http1_field *field)
{
    size_t name = name_len(at, s->end);
    if (name == 0)
        return NULL;
    const char *value = at + name + 1;
    while (value < s->end && *value == ' ')
        value++;
    const char *end = line_end(value, s->end);
    if (end == NULL || end[-1] == ' ' || value - at > UINT16_MAX)
        return NULL;
    *field = (rc_http1_field){
        .name_at = offset_of(s, at),
        .value_len = (uint32_t)(end - value),
        .name_len = (uint16_t)name,
        .gap = (uint16_t)(value - at - (ptrdiff_t)name),
    };
    bool is_special = (SPECIAL_LENS >> name & 1) != 0;
    if (is_special && !read_special(s, rc_str_make(at, name), rc_str_make(value, field->value_len)))
        return NULL;
    return end + 2;
}

/* Reads all field lines up to the empty line. Returns the start of the body, or NULL if the head is
 * incomplete or not plain. */
static const char *read_fields(scan *s, const char *at)
{
    rc_http1 *reader = s->reader;
    uint32_t most = reader->limits->field_count;
    most = most < reader->field_capacity ? most : reader->field_capacity;
    for (uint32_t count = 0; at != NULL && s->end - at >= 2; count++) {
        if (*at == '\r') {
            reader->field_count = count;
            return at[1] == '\n' ? at + 2 : NULL;
        }
        if (count == most)
            return NULL;
        at = read_field(s, at, &reader->fields[count]);
    }
    return NULL;
}

static bool begins(const char *at, const char *end, rc_str with)
{
    return (size_t)(end - at) >= with.len && memcmp(at, with.ptr, with.len) == 0;
}

/* Reads the request line and returns the start of the field lines. NULL: the request line is not
 * plain. */
static const char *read_request_line(const scan *s)
{
    rc_http1 *reader = s->reader;
    bool is_post = begins(s->head, s->end, RC_STR("POST "));
    if (!is_post && !begins(s->head, s->end, RC_STR("GET ")))
        return NULL;
    const char *target = s->head + (is_post ? 5 : 4);
    const char *space = memchr(target, ' ', (size_t)(s->end - target));
    if (space == NULL || !begins(space, s->end, RC_STR(" HTTP/1.1\r\n")))
        return NULL;
    reader->method = is_post ? HTTP_POST : HTTP_GET;
    reader->target_at = offset_of(s, target);
    reader->target_len = (uint32_t)(space - target);
    return reader->target_len <= reader->limits->target_bytes &&
                   rc_http1_is_path(rc_http1_target(reader, s->head))
               ? space + sizeof(" HTTP/1.1\r\n") - 1
               : NULL;
}

/* Reads the status line and returns the start of the field lines. NULL: the status line is not
 * plain. Interim responses (1xx) count as not plain, because other rules apply to the bytes that
 * follow them. */
static const char *read_status_line(const scan *s)
{
    const char *digits = s->head + sizeof("HTTP/1.1 ") - 1;
    if (s->end - s->head < 13 || !begins(s->head, s->end, RC_STR("HTTP/1.1 ")) || digits[3] != ' ')
        return NULL;
    for (int i = 0; i < 3; i++)
        if (digits[i] < '0' || digits[i] > '9')
            return NULL;
    const char *end = line_end(digits + 4, s->end);
    if (end == NULL || digits[0] < '2')
        return NULL;
    s->reader->status =
        (uint16_t)((digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0'));
    return end + 2;
}

bool rc_http1_read_plain(rc_http1 *reader, rc_str bytes)
{
    size_t most = reader->limits->head_bytes;
    scan s = {
        .reader = reader,
        .head = bytes.ptr,
        .end = bytes.ptr + (bytes.len < most ? bytes.len : most),
    };
    bool is_request = reader->kind == RC_HTTP1_REQUEST;
    const char *at = is_request ? read_request_line(&s) : read_status_line(&s);
    if (at != NULL)
        at = read_fields(&s, at);
    if (at == NULL || (is_request && s.hosts != 1) || (s.lengths > 0 && s.codings > 0))
        return false;
    reader->minor = 1;
    reader->head_bytes = offset_of(&s, at);
    rc_http1_set_framing(reader, s.lengths == 1, s.codings == 1);
    reader->is_kept_alive = !s.is_closing && reader->framing != RC_HTTP1_UNTIL_CLOSE;
    return true;
}

/* Returns the value of a hexadecimal digit. If `c` is no digit, the result is more than 15. */
static inline unsigned hex_of(char c)
{
    const unsigned digit = (unsigned char)c - '0';
    const unsigned letter = ((unsigned char)c | 0x20u) - 'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

bool rc_http1_read_plain_chunk(rc_str *input, rc_str *ret_body)
{
    const char *p = input->ptr;
    const size_t len = input->len;
    size_t size = 0;
    size_t at = 0;
    for (; at < len && at < CHUNK_DIGITS_MAX && hex_of(p[at]) < 16; at++)
        size = size << 4 | hex_of(p[at]);
    if (size == 0 || len - at < size + 4 || p[at] != '\r' || p[at + 1] != '\n')
        return false;
    const char *body = p + at + 2;
    if (body[size] != '\r' || body[size + 1] != '\n')
        return false;
    *ret_body = rc_str_make(body, size);
    *input = rc_str_make(body + size + 2, len - at - size - 4);
    return true;
}
