/* Complete HTTP/1.1 error response: status line, headers and body. Called by the CLI's output
 * formats. */
#include <recourse/render.h>

#include "base/str.h"
#include "render/dialect.h"

/* Size of the buffer for status line and headers. headers.c limits the size of every header value,
 * so the nine header lines are much shorter than this. */
#define HEAD_MAX 2048u

static const struct {
    int status;
    const char *phrase;
} PHRASES[] = {
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
    {511, "Network Authentication Required"},
    {529, "Site Is Overloaded"},
};

rc_str rc_http_phrase(int status)
{
    for (size_t i = 0; i < sizeof PHRASES / sizeof *PHRASES; i++) {
        if (PHRASES[i].status == status)
            return rc_str_c(PHRASES[i].phrase);
    }
    return status < 500 ? RC_STR("Client Error") : RC_STR("Server Error");
}

static void push_head(rc_buf *buf, const rc_report *report, rc_dialect dialect, size_t body_bytes)
{
    int status = rc_render_status(report, dialect);
    rc_buf_push(buf, RC_STR("HTTP/1.1 "));
    rc_buf_push_i64(buf, status);
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, rc_http_phrase(status));
    rc_buf_push(buf, RC_STR("\r\n"));
    rc_render_headers(report, dialect, buf);
    rc_buf_push(buf, RC_STR("content-length: "));
    rc_buf_push_u64(buf, body_bytes);
    rc_buf_push(buf, RC_STR("\r\n\r\n"));
}

/* Writes the body first and then moves it behind the headers, because the headers contain the
 * body's length. Rendering the body twice would take more time, and a second buffer would need
 * memory that a caller with a fixed buffer may not have. */
rc_status rc_render_http(const rc_report *report, rc_dialect dialect, rc_view view, rc_buf *buf)
{
    size_t start = rc_buf_get(buf).len;
    if (rc_render_body(report, dialect, view, buf) != RC_OK)
        return rc_buf_status(buf);
    size_t body_bytes = rc_buf_get(buf).len - start;

    char memory[HEAD_MAX];
    rc_buf head;
    rc_buf_init_fixed(&head, memory, sizeof memory);
    push_head(&head, report, dialect, body_bytes);
    rc_str text = rc_buf_get(&head);

    if (rc_buf_push(buf, text) != RC_OK)
        return rc_buf_status(buf);
    memmove(buf->ptr + start + text.len, buf->ptr + start, body_bytes);
    memcpy(buf->ptr + start, text.ptr, text.len);
    return RC_OK;
}
