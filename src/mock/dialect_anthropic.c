/* Anthropic's messages: a stream of indexed content blocks. Called by response.c and
 * response_step.c. */
#include "mock/dialect.h"
#include "mock/error.h"

static const char *stop_reason(const rc_mock_response *a)
{
    static const char *const names[] = {"end_turn", "max_tokens", "tool_use"};
    return names[a->finish];
}

/* Returns the index of the text block: 1 after a thinking block, otherwise 0. */
static uint64_t text_block_index(const rc_mock_response *a)
{
    return a->thought_len > 0 ? 1 : 0;
}

static void event_begin(rc_json_writer *w, rc_buf *buf, const char *type)
{
    rc_mock_event_begin(w, buf, type);
    rc_mock_string(w, "type", type);
}

static void event_end(rc_json_writer *w, rc_buf *buf)
{
    rc_json_object_end(w);
    rc_mock_event_end(buf);
}

static void push_usage(const rc_mock_response *a, rc_json_writer *w, uint64_t output)
{
    rc_mock_object(w, "usage");
    rc_mock_number(w, "input_tokens", a->input_tokens);
    rc_mock_number(w, "cache_creation_input_tokens", 0);
    rc_mock_number(w, "cache_read_input_tokens", 0);
    rc_mock_number(w, "output_tokens", output);
    rc_json_object_end(w);
}

static void push_top(const rc_mock_response *a, rc_json_writer *w)
{
    rc_mock_id(w, "id", "msg_", a);
    rc_mock_string(w, "type", "message");
    rc_mock_string(w, "role", "assistant");
    rc_mock_string(w, "model", a->model);
}

static void begin(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    event_begin(&w, buf, "message_start");
    rc_mock_object(&w, "message");
    push_top(a, &w);
    rc_mock_array(&w, "content");
    rc_json_array_end(&w);
    rc_mock_null(&w, "stop_reason");
    rc_mock_null(&w, "stop_sequence");
    push_usage(a, &w, a->counted_tokens);
    rc_json_object_end(&w);
    event_end(&w, buf);
}

/* ---- blocks ---- */

static void block_begin(const rc_mock_response *a, rc_buf *buf, uint64_t index, const char *type)
{
    rc_json_writer w;
    event_begin(&w, buf, "content_block_start");
    rc_mock_number(&w, "index", index);
    rc_mock_object(&w, "content_block");
    rc_mock_string(&w, "type", type);
    if (rc_mock_response_is_tool(a)) {
        rc_mock_id(&w, "id", "toolu_", a);
        rc_mock_string(&w, "name", a->tool);
        rc_mock_object(&w, "input");
        rc_json_object_end(&w);
    } else {
        rc_mock_string(&w, type, "");
    }
    rc_json_object_end(&w);
    event_end(&w, buf);
}

static void block_end(rc_buf *buf, uint64_t index)
{
    rc_json_writer w;
    event_begin(&w, buf, "content_block_stop");
    rc_mock_number(&w, "index", index);
    event_end(&w, buf);
}

static void push_delta(rc_buf *buf, uint64_t index, const char *type, const char *key, rc_str piece)
{
    rc_json_writer w;
    event_begin(&w, buf, "content_block_delta");
    rc_mock_number(&w, "index", index);
    rc_mock_object(&w, "delta");
    rc_mock_string(&w, "type", type);
    rc_json_member_string(&w, rc_str_c(key), piece);
    rc_json_object_end(&w);
    event_end(&w, buf);
}

static void thought(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    if (a->text_at == 0)
        block_begin(a, buf, 0, "thinking");
    push_delta(buf, 0, "thinking_delta", "thinking", piece);
}

/* Writes the event that precedes the first piece of text. */
static void text_begin(const rc_mock_response *a, rc_buf *buf)
{
    if (a->thought_len > 0) {
        push_delta(buf, 0, "signature_delta", "signature", RC_STR("bW9jaw=="));
        block_end(buf, 0);
    }
    block_begin(a, buf, text_block_index(a), "text");
}

static void text(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    if (a->text_at == a->thought_len)
        text_begin(a, buf);
    push_delta(buf, text_block_index(a), "text_delta", "text", piece);
}

static void tool(rc_mock_response *a, uint32_t part, rc_buf *buf)
{
    if (part == 0)
        block_begin(a, buf, 0, "tool_use");
    push_delta(buf, 0, "input_json_delta", "partial_json", rc_mock_tool_part(part));
}

/* ---- end ---- */

static void finish(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    if (!rc_mock_response_is_tool(a) && rc_mock_response_text(a).len == 0)
        text_begin(a, buf);
    block_end(buf, text_block_index(a));
    event_begin(&w, buf, "message_delta");
    rc_mock_object(&w, "delta");
    rc_mock_string(&w, "stop_reason", stop_reason(a));
    rc_mock_null(&w, "stop_sequence");
    rc_json_object_end(&w);
    rc_mock_object(&w, "usage");
    rc_mock_number(&w, "output_tokens", a->output_tokens);
    rc_json_object_end(&w);
    event_end(&w, buf);
}

static void terminator(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    (void)a;
    event_begin(&w, buf, "message_stop");
    event_end(&w, buf);
}

static void error(rc_mock_response *a, rc_buf *buf)
{
    rc_buf_push(buf, RC_STR("event: error\ndata: "));
    rc_mock_error_push(a, buf);
    rc_mock_event_end(buf);
}

static void ping(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    (void)a;
    event_begin(&w, buf, "ping");
    event_end(&w, buf);
}

/* ---- one body ---- */

static void push_content(const rc_mock_response *a, rc_json_writer *w)
{
    rc_json_object_begin(w);
    if (rc_mock_response_is_tool(a)) {
        rc_mock_string(w, "type", "tool_use");
        rc_mock_id(w, "id", "toolu_", a);
        rc_mock_string(w, "name", a->tool);
        rc_json_key(w, RC_STR("input"));
        rc_json_raw(w, rc_mock_tool_arguments());
    } else {
        rc_mock_string(w, "type", "text");
        rc_json_member_string(w, RC_STR("text"), rc_mock_response_text(a));
    }
    rc_json_object_end(w);
}

static void whole(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    push_top(a, &w);
    rc_mock_array(&w, "content");
    if (a->thought_len > 0) {
        rc_json_object_begin(&w);
        rc_mock_string(&w, "type", "thinking");
        rc_json_member_string(&w, RC_STR("thinking"), rc_mock_response_thoughts(a));
        rc_mock_string(&w, "signature", "bW9jaw==");
        rc_json_object_end(&w);
    }
    push_content(a, &w);
    rc_json_array_end(&w);
    rc_mock_string(&w, "stop_reason", stop_reason(a));
    rc_mock_null(&w, "stop_sequence");
    push_usage(a, &w, a->output_tokens);
    rc_json_object_end(&w);
}

const rc_mock_dialect rc_mock_dialect_anthropic = {
    .begin_tokens = 1,
    .begin = begin,
    .thought = thought,
    .text = text,
    .tool = tool,
    .finish = finish,
    .terminator = terminator,
    .error = error,
    .keepalive = ping,
    .whole = whole,
};
