/* OpenAI's chat completions and the older completions. Called by response.c and response_step.c. */
#include "mock/dialect.h"
#include "mock/error.h"

static const char *finish_reason(const rc_mock_response *a)
{
    static const char *const names[] = {"stop", "length", "tool_calls"};
    return names[a->finish];
}

static void push_usage(const rc_mock_response *a, rc_json_writer *w)
{
    rc_mock_object(w, "usage");
    rc_mock_number(w, "prompt_tokens", a->input_tokens);
    rc_mock_number(w, "completion_tokens", a->output_tokens);
    rc_mock_number(w, "total_tokens", a->input_tokens + a->output_tokens);
    rc_mock_object(w, "prompt_tokens_details");
    rc_mock_number(w, "cached_tokens", 0);
    rc_json_object_end(w);
    rc_mock_object(w, "completion_tokens_details");
    rc_mock_number(w, "reasoning_tokens", a->thought_tokens);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

/* Writes the members up to `choices`, whose array is left open. */
static void push_top(const rc_mock_response *a, rc_json_writer *w, const char *prefix,
                     const char *object)
{
    rc_mock_id(w, "id", prefix, a);
    rc_mock_string(w, "object", object);
    rc_json_member_i64(w, RC_STR("created"), a->created_s);
    rc_mock_string(w, "model", a->model);
    rc_mock_string(w, "system_fingerprint", "fp_mock");
    rc_mock_array(w, "choices");
}

/* ---- chat ---- */

/* Begins a chunk up to `delta`, whose object is left open. */
static void chunk_begin(const rc_mock_response *a, rc_json_writer *w, rc_buf *buf)
{
    rc_mock_event_begin(w, buf, NULL);
    push_top(a, w, "chatcmpl-", "chat.completion.chunk");
    rc_json_object_begin(w);
    rc_mock_number(w, "index", 0);
    rc_mock_object(w, "delta");
}

static void chunk_end(rc_json_writer *w, rc_buf *buf, const char *reason)
{
    rc_json_object_end(w);
    rc_mock_null(w, "logprobs");
    if (reason != NULL)
        rc_mock_string(w, "finish_reason", reason);
    else
        rc_mock_null(w, "finish_reason");
    rc_json_object_end(w);
    rc_json_array_end(w);
    rc_json_object_end(w);
    rc_mock_event_end(buf);
}

static void chat_begin(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    chunk_begin(a, &w, buf);
    rc_mock_string(&w, "role", "assistant");
    rc_mock_string(&w, "content", "");
    chunk_end(&w, buf, NULL);
}

static void chat_thought(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    rc_json_writer w;
    chunk_begin(a, &w, buf);
    rc_json_member_string(&w, RC_STR("reasoning_content"), piece);
    chunk_end(&w, buf, NULL);
}

static void chat_text(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    rc_json_writer w;
    chunk_begin(a, &w, buf);
    rc_json_member_string(&w, RC_STR("content"), piece);
    chunk_end(&w, buf, NULL);
}

/* Writes a tool call or a part of it. If has_name, this is the first part, with id and name. */
static void push_call(const rc_mock_response *a, rc_json_writer *w, bool has_index, bool has_name,
                      rc_str arguments)
{
    rc_mock_array(w, "tool_calls");
    rc_json_object_begin(w);
    if (has_index)
        rc_mock_number(w, "index", 0);
    if (has_name) {
        rc_mock_id(w, "id", "call_", a);
        rc_mock_string(w, "type", "function");
    }
    rc_mock_object(w, "function");
    if (has_name)
        rc_mock_string(w, "name", a->tool);
    rc_json_member_string(w, RC_STR("arguments"), arguments);
    rc_json_object_end(w);
    rc_json_object_end(w);
    rc_json_array_end(w);
}

static void chat_tool(rc_mock_response *a, uint32_t part, rc_buf *buf)
{
    rc_json_writer w;
    chunk_begin(a, &w, buf);
    push_call(a, &w, true, part == 0, rc_mock_tool_part(part));
    chunk_end(&w, buf, NULL);
}

static void chat_finish(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    chunk_begin(a, &w, buf);
    chunk_end(&w, buf, finish_reason(a));
    if (!a->wants_usage)
        return;
    rc_mock_event_begin(&w, buf, NULL);
    push_top(a, &w, "chatcmpl-", "chat.completion.chunk");
    rc_json_array_end(&w);
    push_usage(a, &w);
    rc_json_object_end(&w);
    rc_mock_event_end(buf);
}

static void openai_done(rc_mock_response *a, rc_buf *buf)
{
    (void)a;
    rc_buf_push(buf, RC_STR("data: [DONE]\n\n"));
}

static void openai_error(rc_mock_response *a, rc_buf *buf)
{
    rc_buf_push(buf, RC_STR("data: "));
    rc_mock_error_push(a, buf);
    rc_mock_event_end(buf);
}

static void push_chat_message(const rc_mock_response *a, rc_json_writer *w)
{
    rc_mock_object(w, "message");
    rc_mock_string(w, "role", "assistant");
    if (rc_mock_response_is_tool(a))
        rc_mock_null(w, "content");
    else
        rc_json_member_string(w, RC_STR("content"), rc_mock_response_text(a));
    if (a->thought_len > 0)
        rc_json_member_string(w, RC_STR("reasoning_content"), rc_mock_response_thoughts(a));
    if (rc_mock_response_is_tool(a))
        push_call(a, w, false, true, rc_mock_tool_arguments());
    rc_mock_null(w, "refusal");
    rc_json_object_end(w);
}

static void chat_whole(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    push_top(a, &w, "chatcmpl-", "chat.completion");
    rc_json_object_begin(&w);
    rc_mock_number(&w, "index", 0);
    push_chat_message(a, &w);
    rc_mock_null(&w, "logprobs");
    rc_mock_string(&w, "finish_reason", finish_reason(a));
    rc_json_object_end(&w);
    rc_json_array_end(&w);
    push_usage(a, &w);
    rc_json_object_end(&w);
}

const rc_mock_dialect rc_mock_dialect_chat = {
    .begin = chat_begin,
    .thought = chat_thought,
    .text = chat_text,
    .tool = chat_tool,
    .finish = chat_finish,
    .terminator = openai_done,
    .error = openai_error,
    .keepalive = rc_mock_comment,
    .whole = chat_whole,
};

/* ---- completions ---- */

static void push_choice(rc_json_writer *w, rc_str text, const char *reason)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("text"), text);
    rc_mock_number(w, "index", 0);
    rc_mock_null(w, "logprobs");
    if (reason != NULL)
        rc_mock_string(w, "finish_reason", reason);
    else
        rc_mock_null(w, "finish_reason");
    rc_json_object_end(w);
    rc_json_array_end(w);
}

static void old_event(const rc_mock_response *a, rc_buf *buf, rc_str text, const char *reason)
{
    rc_json_writer w;
    rc_mock_event_begin(&w, buf, NULL);
    push_top(a, &w, "cmpl-", "text_completion");
    push_choice(&w, text, reason);
    rc_json_object_end(&w);
    rc_mock_event_end(buf);
}

static void old_begin(rc_mock_response *a, rc_buf *buf)
{
    old_event(a, buf, RC_STR(""), NULL);
}

static void old_text(rc_mock_response *a, rc_str piece, rc_buf *buf)
{
    old_event(a, buf, piece, NULL);
}

/* The completions API has no tools, so the arguments of the tool call are written as text. */
static void old_tool(rc_mock_response *a, uint32_t part, rc_buf *buf)
{
    old_event(a, buf, rc_mock_tool_part(part), NULL);
}

static const char *old_reason(const rc_mock_response *a)
{
    return a->finish == RC_MOCK_FINISH_LENGTH ? "length" : "stop";
}

static void old_finish(rc_mock_response *a, rc_buf *buf)
{
    old_event(a, buf, RC_STR(""), old_reason(a));
    if (!a->wants_usage)
        return;
    rc_json_writer w;
    rc_mock_event_begin(&w, buf, NULL);
    push_top(a, &w, "cmpl-", "text_completion");
    rc_json_array_end(&w);
    push_usage(a, &w);
    rc_json_object_end(&w);
    rc_mock_event_end(buf);
}

static void old_whole(rc_mock_response *a, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    push_top(a, &w, "cmpl-", "text_completion");
    push_choice(&w,
                rc_mock_response_is_tool(a) ? rc_mock_tool_arguments() : rc_mock_response_text(a),
                old_reason(a));
    push_usage(a, &w);
    rc_json_object_end(&w);
}

const rc_mock_dialect rc_mock_dialect_completions = {
    .begin = old_begin,
    .thought = old_text,
    .text = old_text,
    .tool = old_tool,
    .finish = old_finish,
    .terminator = openai_done,
    .error = openai_error,
    .keepalive = rc_mock_comment,
    .whole = old_whole,
};
