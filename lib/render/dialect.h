/* Error objects in the dialects of client APIs (OpenAI, Anthropic, Gemini, RFC 9457), for response
 * bodies and stream events. */
#ifndef RC_RENDER_DIALECT_H
#define RC_RENDER_DIALECT_H

#include <recourse/render.h>

#include "json/writer.h"

/* One row of spec/dialects.def. */
typedef struct rc_dialect_error {
    rc_code code;
    const char *id; /* The code's name in capitals, such as "RATE_LIMITED". */
    const char *openai_type;
    const char *openai_code;
    const char *anthropic_type;
    const char *gemini_status;
} rc_dialect_error;

/* Returns the row of a code. For RC_CODE_NONE and codes outside the table, returns a row for a
 * server error. The row is static and never NULL. */
const rc_dialect_error *rc_dialect_error_get(rc_code code);

/* Returns the report's message, or the message of its code if the report has none. The result is
 * never empty. The result views (points into) the report or static text. */
rc_str rc_render_message(const rc_report *report);

/* Returns the HTTP status that the dialect's own API uses for this code, if that status differs
 * from spec/errors.def: Anthropic's 529 for an overload (503 elsewhere), Google's 429 for an
 * exhausted quota (402 elsewhere). Otherwise returns `status`. */
int rc_dialect_status(rc_dialect dialect, rc_code code, int status);

/* Returns the HTTP status of the response. A status outside 400 to 599 becomes 500, because the
 * body describes an error. */
int rc_render_status(const rc_report *report, rc_dialect dialect);

/* Returns the reason phrase of an HTTP status as a static string; "Client Error" or "Server Error"
 * for an unknown status. */
rc_str rc_http_phrase(int status);

/* Writes the members of OpenAI's error object: message, type, param, code, and the report under
 * "recourse", because OpenAI's SDKs pass on only this object. */
void rc_render_openai_error(rc_json_writer *w, const rc_report *report, rc_view view);

/* Writes the members of Anthropic's error body: type, error, request_id. If `has_message`, also
 * writes a top-level message, which Anthropic's JavaScript SDK uses as err.message. Without a
 * top-level message, err.message of that SDK is the whole body as JSON. */
void rc_render_anthropic_members(rc_json_writer *w, const rc_report *report, rc_view view,
                                 bool has_message);

/* Returns whether the error's type in Anthropic's dialect is overloaded_error. */
bool rc_render_is_overload(const rc_report *report);

/* Returns the value of "code" in OpenAI's error object: the provider's own code if the client can
 * fix the request, otherwise the code in spec/dialects.def. The result views (points into) the
 * report or static text. */
rc_str rc_render_openai_code(const rc_report *report);

/* Writes the member "param" with the request parameter that the provider named; null if the
 * provider named none. */
void rc_render_openai_param(rc_json_writer *w, const rc_report *report, rc_view view);

/* Finds the report in a body written by rc_render_body, or in the data of an error event: the
 * object under "recourse", at the top level or, in OpenAI's dialects, inside "error". Returns false
 * if the body contains no report. body: borrows during the call. *ret_report views (points into)
 * `body`. */
bool rc_dialect_find_report(rc_str body, rc_str *ret_report);

/* Writes the members of a problem details object (RFC 9457). */
void rc_render_problem_members(rc_json_writer *w, const rc_report *report, rc_view view);

#endif
