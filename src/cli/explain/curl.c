/* Reads curl's error lines and verbose output; called by detect.c. */
#include "cli/explain/curl.h"

#include "base/str.h"

/* Exit codes of curl that say how the transport failed (section EXIT CODES of the manual of
 * curl). */
static const struct row {
    unsigned code;
    rc_transport transport;
    rc_phase phase;
} rows[] = {
    {5, RC_TRANSPORT_DNS, RC_PHASE_CONNECT},
    {6, RC_TRANSPORT_DNS, RC_PHASE_CONNECT},
    {7, RC_TRANSPORT_CONNECT_REFUSED, RC_PHASE_CONNECT},
    {16, RC_TRANSPORT_RESET, RC_PHASE_NONE},
    {18, RC_TRANSPORT_EOF, RC_PHASE_HEADERS},
    {28, RC_TRANSPORT_TIMEOUT, RC_PHASE_NONE},
    {35, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {51, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {52, RC_TRANSPORT_EOF, RC_PHASE_SENT},
    {55, RC_TRANSPORT_RESET, RC_PHASE_NONE},
    {56, RC_TRANSPORT_RESET, RC_PHASE_NONE},
    {58, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {60, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {77, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {83, RC_TRANSPORT_TLS, RC_PHASE_CONNECT},
    {92, RC_TRANSPORT_RESET, RC_PHASE_NONE},
};

/* Exit code with --fail and an HTTP error; the message is "The requested URL returned error:
 * 429". */
#define CODE_HTTP_RETURNED 22

/* Parses at most three digits at the start of text. *ret_len: the number of digits. */
static unsigned read_number(rc_str text, size_t *ret_len)
{
    unsigned number = 0;
    size_t len = 0;
    while (len < text.len && len < 3 && rc_ascii_is_digit(text.ptr[len]))
        number = number * 10 + (unsigned)(text.ptr[len++] - '0');
    *ret_len = len;
    return number;
}

/* Derives the phase of a timeout from the message of curl: no connection, no response, or a partial
 * response. */
static rc_phase phase_of_timeout(rc_str text)
{
    if (rc_str_find(text, RC_STR("onnection timed out"), 0) != RC_STR_NPOS ||
        rc_str_find(text, RC_STR("onnect to "), 0) != RC_STR_NPOS ||
        rc_str_find(text, RC_STR("esolving timed out"), 0) != RC_STR_NPOS)
        return RC_PHASE_CONNECT;
    if (rc_str_find(text, RC_STR("with 0 bytes received"), 0) != RC_STR_NPOS ||
        rc_str_find(text, RC_STR("with 0 out of"), 0) != RC_STR_NPOS)
        return RC_PHASE_SENT;
    if (rc_str_find(text, RC_STR("bytes received"), 0) != RC_STR_NPOS)
        return RC_PHASE_COMMITTED;
    return RC_PHASE_NONE;
}

static void take_status(rc_str text, rc_failure *failure)
{
    static const rc_str BEFORE = RC_STR_INIT("returned error: ");
    size_t at = rc_str_find(text, BEFORE, 0);
    size_t len;
    if (at == RC_STR_NPOS || failure->status != 0)
        return;
    unsigned status = read_number(rc_str_slice(text, at + BEFORE.len, text.len), &len);
    if (status >= 100)
        failure->status = (int)status;
}

static void take_line(rc_str line, rc_failure *failure)
{
    size_t len;
    unsigned code = read_number(line, &len);
    if (len == 0 || len == line.len || line.ptr[len] != ')')
        return;
    rc_str text = rc_str_slice(line, len + 1, line.len);
    if (code == CODE_HTTP_RETURNED)
        take_status(text, failure);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code != code || failure->transport != RC_TRANSPORT_NONE)
            continue;
        failure->transport = rows[i].transport;
        if (failure->phase == RC_PHASE_NONE)
            failure->phase = code == 28 ? phase_of_timeout(text) : rows[i].phase;
    }
}

/* Returns the host in a URL or in the value of a Host header, without user and port. */
static rc_str host_in(rc_str value)
{
    size_t scheme = rc_str_find(value, RC_STR("://"), 0);
    rc_str host = scheme == RC_STR_NPOS ? value : rc_str_slice(value, scheme + 3, value.len);
    size_t end = 0;
    while (end < host.len && !rc_ascii_is_space(host.ptr[end]) && host.ptr[end] != '/' &&
           host.ptr[end] != '?' && host.ptr[end] != '#')
        end++;
    host = rc_str_slice(host, 0, end);
    size_t user = rc_str_find_byte(host, '@', 0);
    host = user == RC_STR_NPOS ? host : rc_str_slice(host, user + 1, host.len);
    return rc_str_slice(host, 0, rc_str_find_byte(host, ':', 0));
}

/* Sets the host of the last request in the text. curl -v prints "> Host: api.groq.com", a browser
 * copies "Request URL: https://...". */
static void take_host(rc_str text, rc_failure *failure)
{
    static const rc_str BEFORE[] = {RC_STR_INIT("> Host:"), RC_STR_INIT("Request URL:")};
    for (size_t at = 0; at < text.len;) {
        size_t end = rc_str_find_byte(text, '\n', at);
        rc_str line = rc_str_slice(text, at, end);
        for (size_t i = 0; i < sizeof BEFORE / sizeof *BEFORE; i++) {
            if (rc_str_starts_with_nocase(line, BEFORE[i]))
                failure->host = host_in(rc_str_trim(rc_str_slice(line, BEFORE[i].len, line.len)));
        }
        at = end == RC_STR_NPOS ? text.len : end + 1;
    }
}

void rc_curl_read(rc_str text, rc_failure *failure)
{
    take_host(text, failure);
    static const rc_str MARK = RC_STR_INIT("curl: (");
    size_t last = RC_STR_NPOS;
    for (size_t at = rc_str_find(text, MARK, 0); at != RC_STR_NPOS;
         at = rc_str_find(text, MARK, at + MARK.len)) {
        if (at == 0 || text.ptr[at - 1] == '\n' || text.ptr[at - 1] == '\r')
            last = at;
    }
    if (last == RC_STR_NPOS)
        return;
    size_t end = rc_str_find_byte(text, '\n', last);
    take_line(rc_str_slice(text, last + MARK.len, end), failure);
}
