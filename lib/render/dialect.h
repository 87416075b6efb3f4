/* Error objects of the clients' API dialects, shared by response bodies and stream frames. */
#ifndef RC_RENDER_DIALECT_H
#define RC_RENDER_DIALECT_H

#include <recourse/render.h>

#include "json/writer.h"

/* One row of spec/dialects.def. */
typedef struct rc_dialect_error {
    rc_code code;
    const char *id; /* Constant name of the code, such as "RATE_LIMITED". */
    const char *openai_type;
    const char *openai_code;
    const char *anthropic_type;
    const char *gemini_status;
} rc_dialect_error;

/* Returns the row of a code; for NONE, UNKNOWN and codes outside the table a server error row.
 * Never NULL. */
const rc_dialect_error *rc_dialect_error_get(rc_code code);

/* Returns the report's message, else the code's; never empty. The result is a view. */
rc_str rc_render_message(const rc_report *report);

/* Returns the status that the dialect's own API uses for this code if it differs from the table:
 * Anthropic's 529 for an overload (503 elsewhere), Google's 429 for an exhausted quota (402
 * elsewhere). Otherwise returns `status`. */
int rc_dialect_status(rc_dialect dialect, rc_code code, int status);

/* Returns the HTTP status of the response. A status that is not an error status becomes 500, since
 * the body describes an error. */
int rc_render_status(const rc_report *report, rc_dialect dialect);

/* Returns the reason phrase of an HTTP status as a static string; "Client Error" or "Server Error"
 * for an unknown one. */
rc_str rc_http_phrase(int status);

/* Writes the members of OpenAI's error object: message, type, param, code, and the report under
 * "recourse", because OpenAI's SDKs pass on only this object. */
void rc_render_openai_error(rc_json_writer *w, const rc_report *report, rc_view view);

/* Writes the members of Anthropic's body: type, error, request_id. has_message adds a top-level
 * message, the only text that its JavaScript SDK shows as err.message; without one, err.message is
 * the whole body as JSON. */
void rc_render_anthropic_members(rc_json_writer *w, const rc_report *report, rc_view view,
                                 bool has_message);

/* Whether the report is an overload in Anthropic's dialect. */
bool rc_render_is_overload(const rc_report *report);

/* Returns the value of "code": the provider's own code if the client can fix the request, else the
 * table's. The result is a view. */
rc_str rc_render_openai_code(const rc_report *report);

/* Writes the member "param": the parameter that the provider named if the view shows it, else
 * null. */
void rc_render_openai_param(rc_json_writer *w, const rc_report *report, rc_view view);

/* Finds the report in a body written by rc_render_body or in the data of an error event: the object
 * under "recourse", at the top or, in OpenAI's dialects, inside "error". False: there is none.
 * body: borrows. *ret_report views body. */
bool rc_dialect_find_report(rc_str body, rc_str *ret_report);

/* Writes the members of a problem details object (RFC 9457). */
void rc_render_problem_members(rc_json_writer *w, const rc_report *report, rc_view view);

#endif
