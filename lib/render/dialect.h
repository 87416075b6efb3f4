/* The words and objects of the clients' dialects, shared by bodies and stream frames. */
#ifndef RC_RENDER_DIALECT_H
#define RC_RENDER_DIALECT_H

#include <recourse/render.h>

#include "json/writer.h"

/* One row of spec/dialects.def. */
typedef struct rc_dialect_error {
    rc_code code;
    const char *id; /* "RATE_LIMITED" */
    const char *openai_type;
    const char *openai_code;
    const char *anthropic_type;
    const char *gemini_status;
} rc_dialect_error;

/* The row of a code; for NONE, UNKNOWN and values that are not in the table one that says server
 * error. Never NULL. */
const rc_dialect_error *rc_dialect_error_get(rc_code code);

/* What to call the error in a sentence: the report's message, else the code's; never empty. Gives a
 * view. */
rc_str rc_render_message(const rc_report *report);

/* The status that the dialect's own API sends for this code, where that differs from the table's:
 * Anthropic's 529 for overload (503 elsewhere), Google's 429 for an exhausted quota (402
 * elsewhere). Else status, as it is. */
int rc_dialect_status(rc_dialect dialect, rc_code code, int status);

/* The status to answer with. One that is no error status cannot carry the body of an error: then it
 * is 500. */
int rc_render_status(const rc_report *report, rc_dialect dialect);

/* The reason phrase of an HTTP status; "Client Error" or "Server Error" for one without. Gives a
 * static string. */
rc_str rc_http_phrase(int status);

/* The members of OpenAI's error: message, type, param, code; and the report under "recourse", since
 * its SDKs hand on nothing but this object. */
void rc_render_openai_error(rc_json_writer *w, const rc_report *report, rc_view view);

/* The members of Anthropic's body: type, error, request_id; and message at the top, the only text
 * that its SDK for JavaScript makes a sentence of. Without one err.message is the whole body as
 * JSON. */
void rc_render_anthropic_members(rc_json_writer *w, const rc_report *report, rc_view view,
                                 bool has_message);

/* Is it an overload in Anthropic's dialect? */
bool rc_render_is_overload(const rc_report *report);

/* The one value of "code": the provider's own where it is for whoever asked, else the table's.
 * Gives a view. */
rc_str rc_render_openai_code(const rc_report *report);

/* The one member "param": what the provider named, where the view has it, else null. */
void rc_render_openai_param(rc_json_writer *w, const rc_report *report, rc_view view);

/* The report in a body that rc_render_body wrote, or in the data of an error event: the object
 * under "recourse", at the top or, in OpenAI's dialects, inside "error". False: there is none.
 * body: borrows. ret_report: a view of it. */
bool rc_dialect_find_report(rc_str body, rc_str *ret_report);

/* The members of a problem details object, RFC 9457. */
void rc_render_problem_members(rc_json_writer *w, const rc_report *report, rc_view view);

#endif
