/* Checks of a head in addition to those of llhttp. Called by http1.c and http1_plain.c; the gateway
 * and net/server call the getters. Two parsers of one connection must agree on where a message ends
 * (RFC 9112, section 11.2), so ambiguous heads are rejected here before the framing is used. */
#include "http/http1_head.h"

#include "base/str.h"

static uint32_t count_of(const rc_http1 *reader, const char *head, rc_str name, rc_str *ret_value)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        if (reader->fields[i].name_len != name.len ||
            !rc_http1_is_name(rc_http1_name(reader, head, i), name))
            continue;
        *ret_value = rc_http1_value(reader, head, i);
        count++;
    }
    return count;
}

rc_str rc_http1_find(const rc_http1 *reader, const char *head, rc_str name)
{
    rc_str value = {NULL, 0};
    return count_of(reader, head, name, &value) == 1 ? value : rc_str_make(NULL, 0);
}

rc_str rc_http1_host(const rc_http1 *reader, const char *head)
{
    return reader->host_len > 0 ? rc_str_make(head + reader->host_at, reader->host_len)
                                : rc_http1_find(reader, head, RC_STR("host"));
}

/* Checks that CR and LF occur only as pairs, that no line begins with white space, and that the
 * head has no other control character than the tab. */
static rc_http1_fault check_bytes(const char *head, uint32_t len)
{
    const char *end = head + len;
    for (const char *at = rc_http1_find_control(head, end); at < end;
         at = rc_http1_find_control(at + 1, end)) {
        if (*at == '\r') {
            if (at + 1 == end || at[1] != '\n')
                return RC_HTTP1_FAULT_LINE_END;
            at++;
            if (at + 1 < end && (at[1] == ' ' || at[1] == '\t'))
                return RC_HTTP1_FAULT_FOLDED;
        } else if (*at == '\n') {
            return RC_HTTP1_FAULT_LINE_END;
        } else if (*at != '\t') {
            return RC_HTTP1_FAULT_CONTROL;
        }
    }
    return RC_HTTP1_FAULT_NONE;
}

/* Checks that the colon directly follows the name, because llhttp accepts a space before the colon
 * in some modes. */
static rc_http1_fault check_names(const rc_http1 *reader, const char *head)
{
    for (uint32_t i = 0; i < reader->field_count; i++) {
        const rc_http1_field *field = &reader->fields[i];
        if (field->name_len == 0 || head[field->name_at + field->name_len] != ':')
            return RC_HTTP1_FAULT_SYNTAX;
        if (head[field->name_at - 1] != '\n')
            return RC_HTTP1_FAULT_SYNTAX;
    }
    return RC_HTTP1_FAULT_NONE;
}

/* Removes the white space after each value, which llhttp does not do. */
static void trim_values(rc_http1 *reader, const char *head)
{
    for (uint32_t i = 0; i < reader->field_count; i++) {
        rc_http1_field *field = &reader->fields[i];
        const char *value = head + rc_http1_value_at(field);
        while (field->value_len > 0 &&
               (value[field->value_len - 1] == ' ' || value[field->value_len - 1] == '\t'))
            field->value_len--;
    }
}

static bool begins(const char *text, size_t len, rc_str with)
{
    return len >= with.len && memcmp(text, with.ptr, with.len) == 0;
}

/* Returns whether the first line is METHOD SP target SP HTTP/1.N CR LF, with single spaces. One
 * empty line before the request line is allowed (RFC 9112, section 2.2). */
static bool is_request_line(const rc_http1 *reader, const char *head)
{
    uint32_t start = begins(head, reader->head_bytes, RC_STR("\r\n")) ? 2 : 0;
    rc_str method = rc_http1_method(reader);
    if (reader->target_at != start + method.len + 1 || head[reader->target_at - 1] != ' ' ||
        !begins(head + start, method.len, method))
        return false;
    uint32_t end = reader->target_at + reader->target_len;
    uint32_t left = reader->head_bytes - end;
    return (begins(head + end, left, RC_STR(" HTTP/1.1\r\n")) ||
            begins(head + end, left, RC_STR(" HTTP/1.0\r\n")));
}

/* Returns whether the first line is HTTP/1.N SP and three digits, followed by CR, or by SP and a
 * reason phrase. */
static bool is_status_line(const rc_http1 *reader, const char *head)
{
    if (reader->head_bytes < 14 || !begins(head, reader->head_bytes, RC_STR("HTTP/1.")) ||
        head[8] != ' ' || (head[12] != ' ' && head[12] != '\r'))
        return false;
    return head[9] >= '1' && head[9] <= '9' && head[10] >= '0' && head[10] <= '9' &&
           head[11] >= '0' && head[11] <= '9';
}

/* A set of characters: one bit per character, 32 bits per element. */
typedef uint32_t char_set[8];

static bool is_all_of(rc_str text, const uint32_t *set)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((set[c >> 5] >> (c & 31) & 1) == 0)
            return false;
    }
    return true;
}

/* The allowed characters are letters, digits and -._~:[]% */
bool rc_http1_is_host(rc_str host)
{
    static const char_set allowed = {0, 0x07ff6020, 0xaffffffe, 0x47fffffe};
    return host.len > 0 &&
           (rc_vec16_is_simple(host.ptr, host.len, '/') || is_all_of(host, allowed));
}

/* The allowed characters are all visible ASCII characters except #"<>\^`{|} */
bool rc_http1_is_path(rc_str target)
{
    static const char_set allowed = {0, 0xaffffff2, 0xafffffff, 0x47fffffe};
    return target.len > 0 && target.ptr[0] == '/' &&
           (rc_vec16_is_simple(target.ptr, target.len, '\0') || is_all_of(target, allowed));
}

static const llhttp_method_t methods[] = {
    HTTP_GET, HTTP_HEAD, HTTP_POST, HTTP_PUT, HTTP_PATCH, HTTP_DELETE, HTTP_OPTIONS,
};

static bool is_method(uint8_t method)
{
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        if (methods[i] == method)
            return true;
    return false;
}

/* Splits a target that is a whole URL, as clients send it to proxies, into host and path. If the
 * URL has no path, the path is "/"; its offset is that of the last slash in "://". */
static bool split_url(rc_http1 *reader, const char *head)
{
    const rc_str scheme = RC_STR("http://");
    const rc_str target = rc_http1_target(reader, head);
    if (target.len <= scheme.len || !rc_http1_is_same(target.ptr, scheme.ptr, scheme.len))
        return false;
    const char *host = target.ptr + scheme.len;
    size_t len = target.len - scheme.len;
    const char *path = memchr(host, '/', len);
    reader->host_at = reader->target_at + (uint32_t)scheme.len;
    reader->host_len = (uint32_t)(path != NULL ? (size_t)(path - host) : len);
    reader->target_at = path != NULL ? reader->host_at + reader->host_len : reader->host_at - 1;
    reader->target_len = path != NULL ? (uint32_t)len - reader->host_len : 1;
    return rc_http1_is_host(rc_str_make(host, reader->host_len));
}

/* Checks that the Host field and the target's host are equal, because software behind the gateway
 * may use either of the two. */
static rc_http1_fault check_host(const rc_http1 *reader, const char *head)
{
    rc_str host = {NULL, 0};
    uint32_t hosts = count_of(reader, head, RC_STR("host"), &host);
    if (hosts == 0)
        return reader->minor == 0 ? RC_HTTP1_FAULT_NONE : RC_HTTP1_FAULT_HOST_MISSING;
    if (hosts > 1 || !rc_http1_is_host(host))
        return RC_HTTP1_FAULT_HOST_INVALID;
    return reader->host_len == 0 || rc_str_eq_nocase(host, rc_http1_host(reader, head))
               ? RC_HTTP1_FAULT_NONE
               : RC_HTTP1_FAULT_HOST_DIFFERS;
}

static rc_http1_fault check_request(rc_http1 *reader, const char *head)
{
    if (!is_method(reader->method))
        return RC_HTTP1_FAULT_METHOD;
    if (!rc_http1_is_path(rc_http1_target(reader, head)) &&
        !(split_url(reader, head) && rc_http1_is_path(rc_http1_target(reader, head))))
        return RC_HTTP1_FAULT_TARGET;
    return check_host(reader, head);
}

bool rc_http1_read_length(rc_str text, uint64_t *ret_length)
{
    uint64_t length = 0;
    if (text.len == 0 || text.len > 18)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
        length = length * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *ret_length = length;
    return true;
}

bool rc_http1_has_no_body(const rc_http1 *reader)
{
    int status = reader->status;
    return reader->kind == RC_HTTP1_RESPONSE &&
           (reader->is_bodiless || status / 100 == 1 || status == 204 || status == 304);
}

void rc_http1_set_framing(rc_http1 *reader, bool has_length, bool is_chunked)
{
    reader->left = reader->length;
    if (rc_http1_has_no_body(reader))
        reader->framing = RC_HTTP1_NO_BODY;
    else if (is_chunked)
        reader->framing = RC_HTTP1_CHUNKED;
    else if (has_length)
        reader->framing = RC_HTTP1_LENGTH;
    else
        reader->framing =
            reader->kind == RC_HTTP1_REQUEST ? RC_HTTP1_NO_BODY : RC_HTTP1_UNTIL_CLOSE;
}

static rc_http1_fault check_framing(rc_http1 *reader, const char *head)
{
    rc_str length = {NULL, 0};
    rc_str coding = {NULL, 0};
    uint32_t lengths = count_of(reader, head, RC_STR("content-length"), &length);
    uint32_t codings = count_of(reader, head, RC_STR("transfer-encoding"), &coding);
    if (lengths > 0 && codings > 0)
        return RC_HTTP1_FAULT_LENGTH_AND_CODING;
    if (lengths > 1)
        return RC_HTTP1_FAULT_LENGTH_REPEATED;
    if (lengths == 1 && !rc_http1_read_length(length, &reader->length))
        return RC_HTTP1_FAULT_LENGTH_INVALID;
    if (codings > 0 && reader->minor == 0)
        return RC_HTTP1_FAULT_CODING_OF_1_0;
    if (codings > 1 || (codings == 1 && !rc_http1_is_name(coding, RC_STR("chunked"))))
        return RC_HTTP1_FAULT_CODING;
    rc_http1_set_framing(reader, lengths == 1, codings == 1);
    return RC_HTTP1_FAULT_NONE;
}

rc_http1_fault rc_http1_check_head(rc_http1 *reader, const char *head)
{
    const llhttp_t *parser = &reader->parser;
    if (parser->http_major != 1 || parser->http_minor > 1)
        return RC_HTTP1_FAULT_VERSION;
    rc_http1_fault fault = check_bytes(head, reader->head_bytes);
    if (fault == RC_HTTP1_FAULT_NONE)
        fault = check_names(reader, head);
    bool has_first_line = reader->kind == RC_HTTP1_REQUEST ? is_request_line(reader, head)
                                                           : is_status_line(reader, head);
    if (fault == RC_HTTP1_FAULT_NONE && !has_first_line)
        fault = RC_HTTP1_FAULT_SYNTAX;
    trim_values(reader, head);
    if (fault == RC_HTTP1_FAULT_NONE && reader->kind == RC_HTTP1_REQUEST)
        fault = check_request(reader, head);
    if (fault == RC_HTTP1_FAULT_NONE && reader->kind == RC_HTTP1_RESPONSE && reader->status == 101)
        fault = RC_HTTP1_FAULT_UPGRADE;
    if (fault == RC_HTTP1_FAULT_NONE)
        fault = check_framing(reader, head);
    reader->is_kept_alive = llhttp_should_keep_alive(parser) != 0;
    return fault;
}
