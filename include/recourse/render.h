/* Renderers: write a report for people, agents, HTTP clients, logs and telemetry.
 *
 * Each renderer appends to a buffer and returns the buffer's status. After RC_E_NOMEM or
 * RC_E_TOO_LARGE the output is incomplete. Renderers take all facts from the report and decide
 * nothing, so the outputs of one report never contradict each other. report, buf: borrows during
 * the call. */
#ifndef RECOURSE_RENDER_H
#define RECOURSE_RENDER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/export.h>
#include <recourse/json.h>
#include <recourse/report.h>

RC_BEGIN_DECLS

/* The layout of a panel on a terminal. A zeroed struct means 80 columns, no colour, ASCII. */
typedef struct rc_panel_style {
    unsigned width; /* width in columns, limited to 20 .. 200; 0 means 80 */
    bool has_colour;
    bool has_utf8; /* true: the panel has box-drawing characters and UTF-8 text; false: ASCII with
                      escapes */
    int64_t now_unix_ms; /* current time, by which the end of a wait is shown as wall-clock time; 0:
                            no wall-clock times are shown */
    int32_t utc_offset_s;
    bool is_status_hidden; /* the HTTP status is not shown, because the report is not sent over
                              HTTP */
} rc_panel_style;

/* Writes a panel for a person. The panel shows what happened, at which provider, and what to do
 * next. Control characters in the report never reach the terminal. */
RC_API rc_status rc_render_human(const rc_report *report, rc_view view, const rc_panel_style *style,
                                 rc_buf *buf);

/* Both functions write the report for an agent. rc_render_agent_json writes JSON,
 * {"error":true,"error_type",...,"hint",...}, on one line if `indent` is 0. rc_render_markdown
 * writes Markdown. */
RC_API rc_status rc_render_agent_json(const rc_report *report, rc_view view, unsigned indent,
                                      rc_buf *buf);
RC_API rc_status rc_render_markdown(const rc_report *report, rc_view view, rc_buf *buf);

/* The API format in which an HTTP client expects errors. */
typedef enum rc_dialect {
    RC_DIALECT_PROBLEM = 1, /* application/problem+json, RFC 9457 */
    RC_DIALECT_OPENAI_CHAT = 2,
    RC_DIALECT_OPENAI_RESPONSES = 3,
    RC_DIALECT_ANTHROPIC = 4,
    RC_DIALECT_GEMINI = 5
} rc_dialect;

/* These functions convert between a dialect and its name: "problem", "openai-chat",
 * "openai-responses", "anthropic", "gemini". rc_dialect_parse returns 0 for an unknown name. Names
 * are static strings. */
RC_API const char *rc_dialect_name(rc_dialect dialect);
RC_API rc_dialect rc_dialect_parse(rc_str name);

/* Writes the error body in the client's dialect. The member "recourse" has the report in the given
 * view. This member is at the top level of the body; in OpenAI's dialects it is inside "error",
 * because the OpenAI SDKs pass on only the "error" object. */
RC_API rc_status rc_render_body(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);
/* Returns the content type of an error body in this dialect. The result is a static string. */
RC_API const char *rc_dialect_content_type(rc_dialect dialect);

/* Writes the error as the last event of an SSE stream that has begun, with the blank line that ends
 * the event. The caller must send nothing after the event. In OPENAI_RESPONSES the error is two
 * events, "error" and "response.failed". In GEMINI the error body is repeated after the event,
 * without an end of line. In PROBLEM the event is "event: error". */
RC_API rc_status rc_render_stream_frame(const rc_report *report, rc_dialect dialect, rc_view view,
                                        rc_buf *buf);

/* Writes the header lines of the error response, each "name: value\r\n": content-type, retry-after
 * (whole seconds, rounded up) and retry-after-ms, x-should-retry, x-recourse-report-id,
 * x-recourse-error-code, x-recourse-attempts, x-recourse-target, and OpenAI's x-request-id or
 * Anthropic's request-id. CR, LF and NUL characters of the report's texts are never written. */
RC_API rc_status rc_render_headers(const rc_report *report, rc_dialect dialect, rc_buf *buf);

/* Writes a whole HTTP/1.1 response: status line, headers with content-length, body. */
RC_API rc_status rc_render_http(const rc_report *report, rc_dialect dialect, rc_view view,
                                rc_buf *buf);

/* Writes a log line for operators: one line of JSON with time, level and event, and a newline. The
 * line has at most 1 KiB; fields are cut to fit. If now_unix_ms is 0, the time is left out. */
RC_API rc_status rc_render_log(const rc_report *report, int64_t now_unix_ms, rc_buf *buf);

/* Writes OpenTelemetry attributes as one flat JSON object: error.type, gen_ai.*,
 * http.response.status_code, recourse.*. */
RC_API rc_status rc_render_otel(const rc_report *report, rc_buf *buf);

RC_END_DECLS

#endif
