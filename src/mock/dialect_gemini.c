/* Gemini's generateContent. A stream consists of server-sent events or is one JSON array. The
 * stream ends after the event with a finish reason; an array then has its closing bracket. Called
 * by response.c and response_step.c. */
#include "mock/dialect.h"
#include "mock/error.h"

/* Begins a response object, which is left open. */
static void response_begin(rc_mock_response *a, rc_json_writer *w, rc_buf *buf)
{
    if (a->is_stream && a->is_array)
        rc_buf_push(buf, a->sequence == 0 ? RC_STR("[") : RC_STR(",\r\n"));
    else if (a->is_stream)
        rc_buf_push(buf, RC_STR("data: "));
    a->sequence++;
    rc_json_writer_init(w, buf, 0);
    rc_json_object_begin(w);
}

static void push_usage(const rc_mock_response *a, rc_json_writer *w, bool is_last)
{
    rc_mock_object(w, "usageMetadata");
    rc_mock_number(w, "promptTokenCount", a->input_tokens);
    if (is_last) {
        rc_mock_number(w, "candidatesTokenCount", a->output_tokens - a->thought_tokens);
        if (a->thought_tokens > 0)
            rc_mock_number(w, "thoughtsTokenCount", a->thought_tokens);
    }
    rc_mock_number(w, "totalTokenCount", a->input_tokens + (is_last ? a->output_tokens : 0));
    rc_json_object_end(w);
}

static void response_end(const rc_mock_response *a, rc_json_writer *w, rc_buf *buf, bool is_last)
{
    push_usage(a, w, is_last);
    rc_mock_string(w, "modelVersion", a->model);
    rc_mock_id(w, "responseId", "", a);
    rc_json_object_end(w);
    if (a->is_stream && !a->is_array)
        rc_buf_push(buf, RC_STR("\r\n\r\n"));
}

/* Begins a candidate up to `parts`, whose array is left open. */
static void candidate_begin(rc_json_writer *w)
{
    rc_mock_array(w, "candidates");
    rc_json_object_begin(w);
    rc_mock_object(w, "content");
    rc_mock_array(w, "parts");
}

static void candidate_end(const rc_mock_response *a, rc_json_writer *w, bool is_last)
{
    rc_json_array_end(w);
    rc_mock_string(w, "role", "model");
    rc_json_object_end(w);
    if (is_last)
        rc_mock_string(w, "finishReason",
                       a->finish == RC_MOCK_FINISH_LENGTH ? "MAX_TOKENS" : "STOP");
    rc_mock_number(w, "index", 0);
    rc_json_object_end(w);
    rc_json_array_end(w);
}

static void push_text(rc_json_writer *w, rc_str piece, bool is_thought)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("text"), piece);
    if (is_thought)
        rc_json_member_bool(w, RC_STR("thought"), true);
    rc_json_object_end(w);
}

static void push_call(const rc_mock_response *a, rc_json_writer *w)
{
    rc_json_object_begin(w);
    rc_mock_object(w, "functionCall");
    rc_mock_string(w, "name", a->tool);
    rc_json_key(w, RC_STR("args"));
    rc_json_raw(w, rc_mock_tool_arguments());
    rc_json_object_end(w);
    rc_json_object_end(w);
}

/* Writes nothing, because the first event of a stream already has content. */
static void begin(rc_mock_response *a, rc_buf *buf)
{
    (void)a;
    (void)buf;
}

static void push_piece(rc_mock_response *a, rc_str piece, bool is_thought, rc_buf *buf)
{
    rc_json_writer w;
    response_begin(a, &w, buf);
    candidate_begin(&w);
    push_text(&w, piece, is_thought);
    candidate_end(a, &w, false);
    response_end(a, &w, buf, false);
}

static void thought(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    push_piece(a, piece, true, buf);
}

static void text(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    push_piece(a, piece, false, buf);
}

/* Gemini does not stream the parts of a tool call: writes nothing for the first part and the whole
 * call for the last. */
static void tool(rc_mock_response *a, uint32_t part, rc_buf *buf)
{
    rc_json_writer w;
    if (part + 1 < RC_MOCK_TOOL_PARTS)
        return;
    response_begin(a, &w, buf);
    candidate_begin(&w);
    push_call(a, &w);
    candidate_end(a, &w, false);
    response_end(a, &w, buf, false);
}

static void finish(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    if (a->plan.wire == RC_MOCK_WIRE_NO_TERMINATOR)
        return;
    response_begin(a, &w, buf);
    candidate_begin(&w);
    push_text(&w, RC_STR(""), false);
    candidate_end(a, &w, true);
    response_end(a, &w, buf, true);
}

static void terminator(rc_mock_response *a, rc_buf *buf)
{
    if (a->is_array)
        rc_buf_push(buf, RC_STR("]"));
}

static void error(rc_mock_response *a, rc_buf *buf)
{
    if (a->is_array)
        rc_buf_push(buf, a->sequence == 0 ? RC_STR("[") : RC_STR(",\r\n"));
    else
        rc_buf_push(buf, RC_STR("data: "));
    rc_mock_error_push(a, buf);
    rc_buf_push(buf, a->is_array ? RC_STR("]") : RC_STR("\r\n\r\n"));
}

/* A JSON array cannot have comments, so the keep-alive is white space between its elements. */
static void keepalive(rc_mock_response *a, rc_buf *buf)
{
    if (a->is_array)
        rc_buf_push(buf, RC_STR("\r\n"));
    else
        rc_mock_comment(a, buf);
}

static void whole(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    response_begin(a, &w, buf);
    candidate_begin(&w);
    if (a->thought_len > 0)
        push_text(&w, rc_mock_response_thoughts(a), true);
    if (rc_mock_response_is_tool(a))
        push_call(a, &w);
    else
        push_text(&w, rc_mock_response_text(a), false);
    candidate_end(a, &w, true);
    response_end(a, &w, buf, true);
}

const rc_mock_dialect rc_mock_dialect_gemini = {
    .begin = begin,
    .thought = thought,
    .text = text,
    .tool = tool,
    .finish = finish,
    .terminator = terminator,
    .error = error,
    .keepalive = keepalive,
    .whole = whole,
};
