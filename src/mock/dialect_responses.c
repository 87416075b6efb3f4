/* OpenAI's Responses API: a stream of numbered events that announce, fill and end items. The last
 * event repeats the whole response. Called by response.c and response_step.c. */
#include "mock/dialect.h"
#include "mock/error.h"

/* Returns the index of the output item with the response: 1 after a reasoning item, otherwise 0. */
static uint64_t index_of_response(const rc_mock_response *a)
{
    return a->thought_len > 0 ? 1 : 0;
}

static bool is_cut_off(const rc_mock_response *a)
{
    return a->finish == RC_MOCK_FINISH_LENGTH;
}

static void event_begin(rc_mock_response *a, rc_json_writer *w, rc_buf *buf, const char *type)
{
    rc_mock_event_begin(w, buf, type);
    rc_mock_string(w, "type", type);
    rc_mock_number(w, "sequence_number", a->sequence++);
}

static void event_end(rc_json_writer *w, rc_buf *buf)
{
    rc_json_object_end(w);
    rc_mock_event_end(buf);
}

/* ---- items ---- */

static void push_text_part(rc_json_writer *w, const char *type, rc_str text)
{
    rc_json_object_begin(w);
    rc_mock_string(w, "type", type);
    rc_json_member_string(w, RC_STR("text"), text);
    if (type[0] == 'o') {
        rc_mock_array(w, "annotations");
        rc_json_array_end(w);
    }
    rc_json_object_end(w);
}

static void push_thoughts(const rc_mock_response *a, rc_json_writer *w, bool is_done)
{
    rc_json_object_begin(w);
    rc_mock_id(w, "id", "rs_", a);
    rc_mock_string(w, "type", "reasoning");
    rc_mock_array(w, "summary");
    if (is_done)
        push_text_part(w, "summary_text", rc_mock_response_thoughts(a));
    rc_json_array_end(w);
    rc_json_object_end(w);
}

static void push_item(const rc_mock_response *a, rc_json_writer *w, bool is_done)
{
    rc_json_object_begin(w);
    if (rc_mock_response_is_tool(a)) {
        rc_mock_id(w, "id", "fc_", a);
        rc_mock_string(w, "type", "function_call");
        rc_mock_id(w, "call_id", "call_", a);
        rc_mock_string(w, "name", a->tool);
        rc_json_member_string(w, RC_STR("arguments"),
                              is_done ? rc_mock_tool_arguments() : RC_STR(""));
    } else {
        rc_mock_id(w, "id", "msg_", a);
        rc_mock_string(w, "type", "message");
        rc_mock_string(w, "role", "assistant");
        rc_mock_array(w, "content");
        if (is_done)
            push_text_part(w, "output_text", rc_mock_response_text(a));
        rc_json_array_end(w);
    }
    rc_mock_string(w, "status",
                   !is_done        ? "in_progress"
                   : is_cut_off(a) ? "incomplete"
                                   : "completed");
    rc_json_object_end(w);
}

/* ---- response object ---- */

static void push_usage(const rc_mock_response *a, rc_json_writer *w)
{
    rc_mock_object(w, "usage");
    rc_mock_number(w, "input_tokens", a->input_tokens);
    rc_mock_object(w, "input_tokens_details");
    rc_mock_number(w, "cached_tokens", 0);
    rc_json_object_end(w);
    rc_mock_number(w, "output_tokens", a->output_tokens);
    rc_mock_object(w, "output_tokens_details");
    rc_mock_number(w, "reasoning_tokens", a->thought_tokens);
    rc_json_object_end(w);
    rc_mock_number(w, "total_tokens", a->input_tokens + a->output_tokens);
    rc_json_object_end(w);
}

static void push_fault(const rc_mock_response *a, rc_json_writer *w)
{
    const rc_mock_error_row *row = rc_mock_error_get(a->plan.error, a->family);
    rc_mock_object(w, "error");
    rc_mock_string(w, "code", row->code[0] != '\0' ? row->code : row->type);
    rc_mock_string(w, "message", a->message[0] != '\0' ? a->message : row->message);
    rc_json_object_end(w);
}

typedef enum response_state {
    STATE_RUNNING,
    STATE_DONE,
    STATE_FAILED
} response_state;

static const char *state_name(const rc_mock_response *a, response_state state)
{
    if (state == STATE_RUNNING)
        return "in_progress";
    if (state == STATE_FAILED)
        return "failed";
    return is_cut_off(a) ? "incomplete" : "completed";
}

/* Writes the members of a response, without its braces. */
static void push_response(const rc_mock_response *a, rc_json_writer *w, response_state state)
{
    const bool is_done = state == STATE_DONE;
    rc_mock_id(w, "id", "resp_", a);
    rc_mock_string(w, "object", "response");
    rc_json_member_i64(w, RC_STR("created_at"), a->created_s);
    rc_mock_string(w, "status", state_name(a, state));
    if (state == STATE_FAILED)
        push_fault(a, w);
    else
        rc_mock_null(w, "error");
    if (is_done && is_cut_off(a)) {
        rc_mock_object(w, "incomplete_details");
        rc_mock_string(w, "reason", "max_output_tokens");
        rc_json_object_end(w);
    } else {
        rc_mock_null(w, "incomplete_details");
    }
    rc_mock_string(w, "model", a->model);
    rc_mock_array(w, "output");
    if (is_done && a->thought_len > 0)
        push_thoughts(a, w, true);
    if (is_done)
        push_item(a, w, true);
    rc_json_array_end(w);
    if (is_done)
        push_usage(a, w);
    else
        rc_mock_null(w, "usage");
}

static void response_event(rc_mock_response *a, rc_buf *buf, const char *type, response_state state)
{
    rc_json_writer w;
    event_begin(a, &w, buf, type);
    rc_mock_object(&w, "response");
    push_response(a, &w, state);
    rc_json_object_end(&w);
    event_end(&w, buf);
}

/* ---- events ---- */

static void begin(rc_mock_response *a, rc_buf *buf)
{
    response_event(a, buf, "response.created", STATE_RUNNING);
    response_event(a, buf, "response.in_progress", STATE_RUNNING);
}

static void item_event(rc_mock_response *a, rc_buf *buf, bool is_thought, bool is_done)
{
    rc_json_writer w;
    event_begin(a, &w, buf, is_done ? "response.output_item.done" : "response.output_item.added");
    rc_mock_number(&w, "output_index", is_thought ? 0 : index_of_response(a));
    rc_json_key(&w, RC_STR("item"));
    if (is_thought)
        push_thoughts(a, &w, is_done);
    else
        push_item(a, &w, is_done);
    event_end(&w, buf);
}

/* Begins an event for a part of an item, up to the value of the part. */
static void part_begin(rc_mock_response *a, rc_json_writer *w, rc_buf *buf, const char *type,
                       bool is_thought)
{
    event_begin(a, w, buf, type);
    rc_mock_id(w, "item_id", is_thought ? "rs_" : rc_mock_response_is_tool(a) ? "fc_" : "msg_", a);
    rc_mock_number(w, "output_index", is_thought ? 0 : index_of_response(a));
    if (is_thought)
        rc_mock_number(w, "summary_index", 0);
    else if (!rc_mock_response_is_tool(a))
        rc_mock_number(w, "content_index", 0);
}

static void part_event(rc_mock_response *a, rc_buf *buf, const char *type, bool is_thought,
                       rc_str text)
{
    rc_json_writer w;
    part_begin(a, &w, buf, type, is_thought);
    rc_json_key(&w, RC_STR("part"));
    push_text_part(&w, is_thought ? "summary_text" : "output_text", text);
    event_end(&w, buf);
}

static void value_event(rc_mock_response *a, rc_buf *buf, const char *type, bool is_thought,
                        const char *key, rc_str value)
{
    rc_json_writer w;
    part_begin(a, &w, buf, type, is_thought);
    rc_json_member_string(&w, rc_str_c(key), value);
    event_end(&w, buf);
}

static void thought(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    if (a->text_at == 0) {
        item_event(a, buf, true, false);
        part_event(a, buf, "response.reasoning_summary_part.added", true, RC_STR(""));
    }
    value_event(a, buf, "response.reasoning_summary_text.delta", true, "delta", piece);
}

static void thought_end(rc_mock_response *a, rc_buf *buf)
{
    rc_str all = rc_mock_response_thoughts(a);
    value_event(a, buf, "response.reasoning_summary_text.done", true, "text", all);
    part_event(a, buf, "response.reasoning_summary_part.done", true, all);
    item_event(a, buf, true, true);
}

/* Writes the events that precede the first piece of text. */
static void text_begin(rc_mock_response *a, rc_buf *buf)
{
    if (a->thought_len > 0)
        thought_end(a, buf);
    item_event(a, buf, false, false);
    part_event(a, buf, "response.content_part.added", false, RC_STR(""));
}

static void text(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    if (a->text_at == a->thought_len)
        text_begin(a, buf);
    value_event(a, buf, "response.output_text.delta", false, "delta", piece);
}

static void tool(rc_mock_response *a, uint32_t part, rc_buf *buf)
{
    if (part == 0)
        item_event(a, buf, false, false);
    value_event(a, buf, "response.function_call_arguments.delta", false, "delta",
                rc_mock_tool_part(part));
}

static void finish(rc_mock_response *a, rc_buf *buf)
{
    if (rc_mock_response_is_tool(a)) {
        value_event(a, buf, "response.function_call_arguments.done", false, "arguments",
                    rc_mock_tool_arguments());
    } else {
        if (rc_mock_response_text(a).len == 0)
            text_begin(a, buf);
        value_event(a, buf, "response.output_text.done", false, "text", rc_mock_response_text(a));
        part_event(a, buf, "response.content_part.done", false, rc_mock_response_text(a));
    }
    item_event(a, buf, false, true);
}

static void terminator(rc_mock_response *a, rc_buf *buf)
{
    response_event(a, buf, is_cut_off(a) ? "response.incomplete" : "response.completed",
                   STATE_DONE);
}

/* Writes the error twice: as an event of its own, and inside the event of the failed response. */
static void error(rc_mock_response *a, rc_buf *buf)
{
    const rc_mock_error_row *row = rc_mock_error_get(a->plan.error, a->family);
    rc_json_writer w;
    event_begin(a, &w, buf, "error");
    rc_mock_object(&w, "error");
    rc_mock_string(&w, "type", row->type);
    if (row->code[0] != '\0')
        rc_mock_string(&w, "code", row->code);
    else
        rc_mock_null(&w, "code");
    rc_mock_string(&w, "message", a->message[0] != '\0' ? a->message : row->message);
    rc_mock_null(&w, "param");
    rc_json_object_end(&w);
    event_end(&w, buf);
    response_event(a, buf, "response.failed", STATE_FAILED);
}

static void whole(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    push_response(a, &w, STATE_DONE);
    rc_json_object_end(&w);
}

const rc_mock_dialect rc_mock_dialect_responses = {
    .begin = begin,
    .thought = thought,
    .text = text,
    .tool = tool,
    .finish = finish,
    .terminator = terminator,
    .error = error,
    .keepalive = rc_mock_comment,
    .whole = whole,
};
