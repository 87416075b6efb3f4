/* Renderers: one report, every reader. Each appends to a buffer and returns the buffer's status
 * (RC_OK, RC_E_NOMEM, RC_E_TOO_LARGE; the output is then incomplete). None of them changes, looks
 * up or decides anything: a report says the same through all of them. report: borrows. */
#ifndef RECOURSE_RENDER_H
#define RECOURSE_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/json.h>
#include <recourse/report.h>

RC_BEGIN_DECLS

/* How a panel is laid out. All zero: 80 columns, no colour, ASCII. */
typedef struct rc_panel_style {
    unsigned width; /* columns; 0: 80; less than 20 is 20, more than 200 is 200 */
    bool has_colour;
    bool has_utf8;       /* the terminal shows UTF-8: box lines, and text as it is; else ASCII, with
                            escapes */
    int64_t now_unix_ms; /* for wall-clock times of waits; 0: leave them out */
    int32_t utc_offset_s;
    bool is_status_hidden; /* nobody gets it as an answer over HTTP: the status is left out */
} rc_panel_style;

/* For a person: what happened, where, what to do next. Control characters in the report never reach
 * the terminal. */
RC_API rc_status rc_render_human(const rc_report *report, rc_view view, const rc_panel_style *style,
                                 rc_buf *buf);

/* For an agent: {"error":true,"error_type",...,"hint",...}; one line when indent is 0. */
RC_API rc_status rc_render_agent_json(const rc_report *report, rc_view view, unsigned indent,
                                      rc_buf *buf);
RC_API rc_status rc_render_markdown(const rc_report *report, rc_view view, rc_buf *buf);

/* For an HTTP client. */
typedef enum rc_dialect {
    RC_DIALECT_PROBLEM = 1, /* application/problem+json, RFC 9457 */
    RC_DIALECT_OPENAI_CHAT = 2,
    RC_DIALECT_OPENAI_RESPONSES = 3,
    RC_DIALECT_ANTHROPIC = 4,
    RC_DIALECT_GEMINI = 5
} rc_dialect;

/* "problem", "openai-chat", "openai-responses", "anthropic", "gemini"; and back (0 when there is no
 * such dialect). */
RC_API const char *rc_dialect_name(rc_dialect dialect);
RC_API rc_dialect rc_dialect_parse(rc_str name);

/* The error body in the client's own dialect, with the report in this view under "recourse": at the
 * top of the body; in OpenAI's dialects inside "error", the only object that its SDKs pass on. */
RC_API rc_status rc_render_body(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);
RC_API const char *rc_dialect_content_type(rc_dialect dialect);

/* The error as the end of a stream that has begun; nothing may follow it. One event, blank line
 * included; OPENAI_RESPONSES: two, "error" and "response.failed". GEMINI: behind the event the body
 * once more, without a line's end. PROBLEM: "event: error". */
RC_API rc_status rc_render_stream_frame(const rc_report *report, rc_dialect dialect, rc_view view,
                                        rc_buf *buf);

/* The header lines that go with it, each "name: value\r\n": content-type, retry-after (whole
 * seconds, rounded up) and retry-after-ms, x-should-retry, x-recourse-report-id,
 * x-recourse-error-code, x-recourse-attempts, x-recourse-target, and OpenAI's x-request-id or
 * Anthropic's request-id. No CR, LF or NUL can come out of a report's text. */
RC_API rc_status rc_render_headers(const rc_report *report, rc_dialect dialect, rc_buf *buf);

/* A whole HTTP/1.1 response: status line, headers with content-length, body. */
RC_API rc_status rc_render_http(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);

/* For an operator: one line of JSON with time, level, event; at most 1 KiB, fields cut to fit, a
 * newline behind it. now_unix_ms 0: no time. */
RC_API rc_status rc_render_log(const rc_report *report, int64_t now_unix_ms, rc_buf *buf);

/* OpenTelemetry attributes as one flat JSON object: error.type, gen_ai.*,
 * http.response.status_code, recourse.*. */
RC_API rc_status rc_render_otel(const rc_report *report, rc_buf *buf);

RC_END_DECLS

#endif
