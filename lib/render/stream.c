/* Writes an error as the last server-sent events of a stream. Called by the gateway and the CLI.
 * The data is one line of JSON, so that no text of a report can begin a new line. The events of
 * each dialect:
 *
 *   openai-chat       data without an event name, and no [DONE] after it: the SDKs raise an
 *                     exception for a chunk with "error". The other members of a chunk are for
 *                     clients that reject a chunk without these members
 *   openai-responses  "event: error" with the flat members that the API documents (code, message,
 *                     param, sequence_number) and the nested "error" for which the SDKs raise an
 *                     exception; then "event: response.failed", for clients that know no other
 *                     event of a failure
 *   anthropic         "event: error" with the body of an error response
 *   gemini            data without an event name, with "error" as its first member, as the Python
 *                     SDK expects; then the body of an error response without "data:", which the
 *                     other SDKs read as an error. No blank line follows this body. At the end of
 *                     the stream, some clients raise an error because of the remaining data;
 *                     clients that parse events ignore it
 *   problem           "event: error" with the body of an error response */
#include "render/dialect.h"
#include "report/view.h"
#include "report/view_json.h"

/* Returns the sequence number of the error event. Clients that check the sequence numbers reject an
 * event without one. The gateway stores the number of the next event of the stream in the report's
 * context. */
static int64_t sequence_number(const rc_report *report)
{
    const rc_context_entry *entry = rc_report_context_get(report, RC_STR("sequence_number"));
    const bool is_number = entry && entry->kind == RC_VALUE_INT;
    return is_number && entry->number > 0 && entry->number < INT64_MAX ? entry->number : 0;
}

static void push_responses_event(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("type"), RC_STR("error"));
    rc_json_member_i64(&w, RC_STR("sequence_number"), sequence_number(report));
    rc_json_member_string(&w, RC_STR("code"), rc_render_openai_code(report));
    rc_view_json_member(&w, view, RC_STR("message"), rc_render_message(report));
    rc_render_openai_param(&w, report, view);
    rc_json_key(&w, RC_STR("error"));
    rc_json_object_begin(&w);
    rc_render_openai_error(&w, report, view);
    rc_json_object_end(&w);
    rc_json_object_end(&w);
}

/* Writes the response object with the known members. The gateway stores the response's id in the
 * report's context. */
static void push_failed_response(rc_json_writer *w, const rc_report *report, rc_view view)
{
    const rc_context_entry *id = rc_report_context_get(report, RC_STR("response_id"));
    const bool has_id = id && id->kind == RC_VALUE_STRING && id->text.len;
    rc_json_key(w, RC_STR("response"));
    rc_json_object_begin(w);
    rc_view_json_member(w, view, RC_STR("id"), has_id ? id->text : rc_report_id(report));
    rc_json_member_string(w, RC_STR("object"), RC_STR("response"));
    rc_json_member_string(w, RC_STR("status"), RC_STR("failed"));
    rc_json_key(w, RC_STR("error"));
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("code"), rc_render_openai_code(report));
    rc_view_json_member(w, view, RC_STR("message"), rc_render_message(report));
    rc_json_object_end(w);
    rc_json_key(w, RC_STR("incomplete_details"));
    rc_json_null(w);
    rc_view_json_member(w, view, RC_STR("model"), rc_report_model(report));
    rc_json_key(w, RC_STR("output"));
    rc_json_array_begin(w);
    rc_json_array_end(w);
    rc_json_object_end(w);
}

static void push_failed_event(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("type"), RC_STR("response.failed"));
    rc_json_member_i64(&w, RC_STR("sequence_number"), sequence_number(report) + 1);
    push_failed_response(&w, report, view);
    rc_json_object_end(&w);
}

static void push_responses(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_buf_push(buf, RC_STR("event: error\ndata: "));
    push_responses_event(buf, report, view);
    rc_buf_push(buf, RC_STR("\n\nevent: response.failed\ndata: "));
    push_failed_event(buf, report, view);
    rc_buf_push(buf, RC_STR("\n\n"));
}

/* The lines end in CR LF, like all lines of Google's streams, because Google's Go SDK finds no
 * events in a stream whose lines end differently. */
static void push_gemini(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_buf_push(buf, RC_STR("data: "));
    rc_render_body(report, RC_DIALECT_GEMINI, view, buf);
    rc_buf_push(buf, RC_STR("\r\n\r\n"));
    rc_render_body(report, RC_DIALECT_GEMINI, view, buf);
}

/* Writes the error as a chunk of a stream. "error" is the first member, as go-openai expects. The
 * members id, model and choices are required by Mistral's SDK (mistralai), which rejects data
 * without them; the finish reason "error" is one of Mistral's. `created` is a string and not a
 * number, so that clients that try several schemas (Vercel's AI SDK) read the data as an error and
 * not as a chunk. */
static void push_chat(rc_buf *buf, const rc_report *report, rc_view view)
{
    const rc_str model = rc_report_model(report);
    const rc_str id = rc_report_id(report);
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("error"));
    rc_json_object_begin(&w);
    rc_render_openai_error(&w, report, view);
    rc_json_object_end(&w);
    rc_view_json_member(&w, view, RC_STR("id"), id.len > 0 ? id : RC_STR("error"));
    rc_json_member_string(&w, RC_STR("object"), RC_STR("chat.completion.chunk"));
    rc_json_member_string(&w, RC_STR("created"), RC_STR("0"));
    rc_view_json_member(&w, view, RC_STR("model"), model.len > 0 ? model : RC_STR("unknown"));
    rc_json_key(&w, RC_STR("choices"));
    rc_json_raw(&w, RC_STR("[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]"));
    rc_json_object_end(&w);
}

/* Claude Code detects an overload in a stream by the text "overloaded_error" in err.message. If an
 * event has no top-level message, the JSON of the event becomes err.message. For an overload, the
 * event is therefore written without a top-level message. */
static void push_anthropic(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_render_anthropic_members(&w, report, view, !rc_render_is_overload(report));
    rc_view_json_member_report(&w, view, RC_STR("recourse"), report);
    rc_json_object_end(&w);
}

rc_status rc_render_stream_frame(const rc_report *report, rc_dialect dialect, rc_view view,
                                 rc_buf *buf)
{
    switch (dialect) {
    case RC_DIALECT_OPENAI_RESPONSES:
        push_responses(buf, report, rc_view_checked(view));
        return rc_buf_status(buf);
    case RC_DIALECT_GEMINI:
        push_gemini(buf, report, view);
        return rc_buf_status(buf);
    case RC_DIALECT_OPENAI_CHAT:
        rc_buf_push(buf, RC_STR("data: "));
        push_chat(buf, report, rc_view_checked(view));
        break;
    case RC_DIALECT_ANTHROPIC:
        rc_buf_push(buf, RC_STR("event: error\ndata: "));
        push_anthropic(buf, report, rc_view_checked(view));
        break;
    case RC_DIALECT_PROBLEM:
    default:
        rc_buf_push(buf, RC_STR("event: error\ndata: "));
        rc_render_body(report, dialect, view, buf);
        break;
    }
    rc_buf_push(buf, RC_STR("\n\n"));
    return rc_buf_status(buf);
}
