/* Renderers: write a report for people, agents, HTTP clients, logs and telemetry.
 *
 * Each renderer appends to a buffer and returns the buffer's status (RC_OK; RC_E_NOMEM or
 * RC_E_TOO_LARGE, after which the output is incomplete). Renderers take every fact from the report
 * and decide nothing, so all outputs of one report agree. report: borrows. */
#ifndef RECOURSE_RENDER_H
#define RECOURSE_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/json.h>
#include <recourse/report.h>

RC_BEGIN_DECLS

/* The layout of a panel on a terminal. All zero: 80 columns, no colour, ASCII. */
typedef struct rc_panel_style {
    unsigned width; /* columns; 0: 80; limited to 20 .. 200 */
    bool has_colour;
    bool has_utf8; /* the terminal supports UTF-8: box lines and unescaped text; else ASCII with
                      escapes */
    int64_t now_unix_ms; /* to show the ends of waits as wall-clock times; 0: leave them out */
    int32_t utc_offset_s;
    bool is_status_hidden; /* leave the HTTP status out: the report is not sent over HTTP */
} rc_panel_style;

/* Writes a panel for a person: what happened, where, and what to do next. Control characters in the
 * report never reach the terminal. */
RC_API rc_status rc_render_human(const rc_report *report, rc_view view, const rc_panel_style *style,
                                 rc_buf *buf);

/* Write the report for an agent: as JSON {"error":true,"error_type",...,"hint",...}, on one line if
 * indent is 0, or as Markdown. */
RC_API rc_status rc_render_agent_json(const rc_report *report, rc_view view, unsigned indent,
                                      rc_buf *buf);
RC_API rc_status rc_render_markdown(const rc_report *report, rc_view view, rc_buf *buf);

/* The API dialect of an HTTP client. */
typedef enum rc_dialect {
    RC_DIALECT_PROBLEM = 1, /* application/problem+json, RFC 9457 */
    RC_DIALECT_OPENAI_CHAT = 2,
    RC_DIALECT_OPENAI_RESPONSES = 3,
    RC_DIALECT_ANTHROPIC = 4,
    RC_DIALECT_GEMINI = 5
} rc_dialect;

/* Convert between a dialect and its name: "problem", "openai-chat", "openai-responses",
 * "anthropic", "gemini". Parsing returns 0 for an unknown name. Names are static strings. */
RC_API const char *rc_dialect_name(rc_dialect dialect);
RC_API rc_dialect rc_dialect_parse(rc_str name);

/* Writes the error body in the client's dialect. The report in this view is under "recourse": at
 * the top level of the body, but inside "error" in OpenAI's dialects, because the OpenAI SDKs pass
 * on only that object. */
RC_API rc_status rc_render_body(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);
/* Returns the content type of that body. Gives a static string. */
RC_API const char *rc_dialect_content_type(rc_dialect dialect);

/* Writes the error as the last event of a stream that has begun; nothing may follow it. The blank
 * line is included. OPENAI_RESPONSES has two events, "error" and "response.failed". GEMINI has the
 * body once more after the event, without an end of line. PROBLEM is "event: error". */
RC_API rc_status rc_render_stream_frame(const rc_report *report, rc_dialect dialect, rc_view view,
                                        rc_buf *buf);

/* Writes the header lines of the error response, each "name: value\r\n": content-type, retry-after
 * (whole seconds, rounded up) and retry-after-ms, x-should-retry, x-recourse-report-id,
 * x-recourse-error-code, x-recourse-attempts, x-recourse-target, and OpenAI's x-request-id or
 * Anthropic's request-id. CR, LF and NUL in a report's text are never written. */
RC_API rc_status rc_render_headers(const rc_report *report, rc_dialect dialect, rc_buf *buf);

/* Writes a whole HTTP/1.1 response: status line, headers with content-length, body. */
RC_API rc_status rc_render_http(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);

/* Writes a log line for operators: one line of JSON with time, level and event, and a newline. It
 * has at most 1 KiB; fields are cut to fit. now_unix_ms 0: no time. */
RC_API rc_status rc_render_log(const rc_report *report, int64_t now_unix_ms, rc_buf *buf);

/* Writes OpenTelemetry attributes as one flat JSON object: error.type, gen_ai.*,
 * http.response.status_code, recourse.*. */
RC_API rc_status rc_render_otel(const rc_report *report, rc_buf *buf);

RC_END_DECLS

#endif
