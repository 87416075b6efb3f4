/* The error as the last event of a stream: server-sent events whose data is one line of JSON, so
 * that no text of a report can begin a line of its own.
 *
 *   openai-chat        data alone, and no [DONE] behind it: the SDKs raise on a chunk with an
 * "error" member openai-responses   "event: error" with the flat members that the API documents
 * (code, message, param, sequence_number) and the nested "error" that the SDKs raise on; nothing
 * follows, in particular no response.failed, which would need the whole response anthropic "event:
 * error", the body gemini             data alone, "error" as its first member, which is what the
 * SDK looks for problem            "event: error", the body */
#include "core/render_dialect.h"
#include "core/render_json.h"
#include "core/view.h"

/* Clients that know the type of the event refuse it without a number. Who numbers a stream's events
 * says where it stood in the report's context. */
static int64_t sequence_number(const rc_report *report)
{
    const rc_context_entry *entry = rc_report_context_get(report, RC_STR("sequence_number"));
    return entry && entry->kind == RC_VALUE_INT && entry->number > 0 ? entry->number : 0;
}

static void push_responses_event(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    const rc_dialect_words *words = rc_dialect_words_get(rc_report_code(report));
    rc_json_object_begin(&w);
    rc_json_member_string(&w, RC_STR("type"), RC_STR("error"));
    rc_json_member_i64(&w, RC_STR("sequence_number"), sequence_number(report));
    rc_json_member_string(&w, RC_STR("code"), rc_str_c(words->openai_code));
    rc_render_member(&w, view, RC_STR("message"), rc_render_message(report));
    rc_render_openai_param(&w, report, view);
    rc_json_key(&w, RC_STR("error"));
    rc_json_object_begin(&w);
    rc_render_openai_error(&w, report, view);
    rc_json_object_end(&w);
    rc_render_member_report(&w, view, RC_STR("recourse"), report);
    rc_json_object_end(&w);
}

static bool has_event_name(rc_dialect dialect)
{
    return dialect != RC_DIALECT_OPENAI_CHAT && dialect != RC_DIALECT_GEMINI;
}

rc_status rc_render_stream_frame(const rc_report *report, rc_dialect dialect, rc_view view,
                                 rc_buf *buf)
{
    if (has_event_name(dialect))
        rc_buf_push(buf, RC_STR("event: error\n"));
    rc_buf_push(buf, RC_STR("data: "));
    if (dialect == RC_DIALECT_OPENAI_RESPONSES)
        push_responses_event(buf, report, rc_view_checked(view));
    else
        rc_render_body(report, dialect, view, buf);
    rc_buf_push(buf, RC_STR("\n\n"));
    return rc_buf_status(buf);
}
