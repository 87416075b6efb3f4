/* Writes pieces as responses of OpenAI's Chat Completions API. Called by the translator.
 *
 *   stream  role · deltas (the first of a call has index, id and name) · finish · usage, if it was
 *           requested · [DONE]
 *   whole   one chat.completion at END */
#include "base/str.h"
#include "dialect/translate/output.h"

static const char *finish_reason(const rc_output_writer *w)
{
    switch (w->finish) {
    case RC_STREAM_FINISH_LENGTH:
    case RC_STREAM_FINISH_CONTEXT:
        return "length";
    case RC_STREAM_FINISH_FILTER:
    case RC_STREAM_FINISH_REFUSAL:
        return "content_filter";
    case RC_STREAM_FINISH_NONE:
    case RC_STREAM_FINISH_UNKNOWN:
    case RC_STREAM_FINISH_GOOD:
    case RC_STREAM_FINISH_TOOL:
    case RC_STREAM_FINISH_ERROR:
        break;
    }
    return w->call_count > 0 ? "tool_calls" : "stop";
}

static void put_usage(rc_output_writer *w)
{
    int64_t input = rc_output_count(w->usage.input);
    int64_t output = rc_output_count(w->usage.output);
    rc_json_key(&w->json, RC_STR("usage"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("prompt_tokens"), input);
    rc_json_member_i64(&w->json, RC_STR("completion_tokens"), output);
    rc_json_member_i64(&w->json, RC_STR("total_tokens"), input + output);
    rc_json_key(&w->json, RC_STR("prompt_tokens_details"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("cached_tokens"), rc_output_count(w->usage.cached));
    rc_json_object_end(&w->json);
    rc_json_key(&w->json, RC_STR("completion_tokens_details"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("reasoning_tokens"), rc_output_count(w->usage.reasoning));
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

static void put_head(rc_output_writer *w, const char *object)
{
    rc_json_key(&w->json, RC_STR("id"));
    rc_json_raw(&w->json, RC_STR("\"chatcmpl-"));
    rc_buf_push(w->out, w->facts.request_id);
    rc_buf_push_byte(w->out, '"');
    rc_json_member_string(&w->json, RC_STR("object"), rc_str_c(object));
    rc_json_member_i64(&w->json, RC_STR("created"), w->facts.created_s);
    rc_json_member_string(&w->json, RC_STR("model"), w->facts.model);
}

/* ---- streams ---- */

static void begin_chunk(rc_output_writer *w)
{
    rc_output_begin_event(w, "");
    put_head(w, "chat.completion.chunk");
    rc_json_key(&w->json, RC_STR("choices"));
    rc_json_array_begin(&w->json);
}

static void begin_delta(rc_output_writer *w)
{
    begin_chunk(w);
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("index"), 0);
    rc_json_key(&w->json, RC_STR("delta"));
    rc_json_object_begin(&w->json);
}

static void end_delta(rc_output_writer *w, const char *reason)
{
    rc_json_object_end(&w->json);
    rc_json_key(&w->json, RC_STR("finish_reason"));
    if (reason != NULL)
        rc_json_string(&w->json, rc_str_c(reason));
    else
        rc_json_null(&w->json);
    rc_json_object_end(&w->json);
    rc_json_array_end(&w->json);
    rc_output_end_event(w);
}

static void put_role(rc_output_writer *w)
{
    if (w->has_started)
        return;
    w->has_started = true;
    begin_delta(w);
    rc_json_member_string(&w->json, RC_STR("role"), RC_STR("assistant"));
    rc_json_member_string(&w->json, RC_STR("content"), RC_STR(""));
    end_delta(w, NULL);
}

static void put_text_delta(rc_output_writer *w, rc_str key, rc_str raw)
{
    put_role(w);
    begin_delta(w);
    rc_json_member_escaped(&w->json, key, raw);
    end_delta(w, NULL);
}

static void begin_call_delta(rc_output_writer *w)
{
    begin_delta(w);
    rc_json_key(&w->json, RC_STR("tool_calls"));
    rc_json_array_begin(&w->json);
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("index"), (int64_t)w->call_count - 1);
}

static void end_call_delta(rc_output_writer *w)
{
    rc_json_object_end(&w->json);
    rc_json_array_end(&w->json);
    end_delta(w, NULL);
}

static rc_str call_type(bool is_custom)
{
    return is_custom ? RC_STR("custom") : RC_STR("function");
}

static rc_str call_input(bool is_custom)
{
    return is_custom ? RC_STR("input") : RC_STR("arguments");
}

static void put_call_open(rc_output_writer *w, const rc_piece *piece)
{
    put_role(w);
    w->call_count++;
    begin_call_delta(w);
    rc_json_member_escaped(&w->json, RC_STR("id"), piece->id);
    rc_json_member_string(&w->json, RC_STR("type"), call_type(piece->is_custom));
    if (rc_buf_get(&w->state).len > 0) {
        rc_json_key(&w->json, RC_STR("extra_content"));
        rc_json_raw(&w->json, RC_STR("{\"google\":{\"thought_signature\":\""));
        rc_buf_push(w->out, rc_buf_get(&w->state));
        rc_buf_push(w->out, RC_STR("\"}}"));
        rc_buf_reset(&w->state);
    }
    rc_json_key(&w->json, call_type(piece->is_custom));
    rc_json_object_begin(&w->json);
    rc_json_member_escaped(&w->json, RC_STR("name"), piece->name);
    rc_json_member_string(&w->json, call_input(piece->is_custom), RC_STR(""));
    rc_json_object_end(&w->json);
    end_call_delta(w);
}

static void put_arguments_delta(rc_output_writer *w, const rc_piece *piece)
{
    begin_call_delta(w);
    rc_json_key(&w->json, call_type(w->is_custom));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, call_input(w->is_custom));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_output_push_arguments(w->out, piece);
    rc_buf_push_byte(w->out, '"');
    rc_json_object_end(&w->json);
    end_call_delta(w);
}

static void put_delta(rc_output_writer *w, const rc_piece *piece)
{
    switch (piece->block) {
    case RC_BLOCK_TEXT:
        put_text_delta(w, RC_STR("content"), piece->text);
        break;
    case RC_BLOCK_THOUGHT:
        put_text_delta(w, RC_STR("reasoning_content"), piece->text);
        break;
    case RC_BLOCK_REFUSAL:
        put_text_delta(w, RC_STR("refusal"), piece->text);
        break;
    case RC_BLOCK_CALL:
        put_arguments_delta(w, piece);
        break;
    }
}

static void put_stream_end(rc_output_writer *w)
{
    put_role(w);
    begin_delta(w);
    end_delta(w, finish_reason(w));
    if (w->facts.wants_usage) {
        begin_chunk(w);
        rc_json_array_end(&w->json);
        put_usage(w);
        rc_output_end_event(w);
    }
    rc_buf_push(w->out, RC_STR("data: [DONE]\n\n"));
}

/* ---- whole bodies ---- */

static void keep_call_open(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf_push(&w->calls, w->call_count++ > 0 ? RC_STR(",{\"id\":\"") : RC_STR("{\"id\":\""));
    rc_buf_push(&w->calls, piece->id);
    if (rc_buf_get(&w->state).len > 0) {
        rc_buf_push(&w->calls,
                    RC_STR("\",\"extra_content\":{\"google\":{\"thought_signature\":\""));
        rc_buf_push(&w->calls, rc_buf_get(&w->state));
        rc_buf_push(&w->calls, RC_STR("\"}},\"type\":\""));
        rc_buf_reset(&w->state);
    } else {
        rc_buf_push(&w->calls, RC_STR("\",\"type\":\""));
    }
    rc_buf_push(&w->calls, call_type(piece->is_custom));
    rc_buf_push(&w->calls, RC_STR("\",\""));
    rc_buf_push(&w->calls, call_type(piece->is_custom));
    rc_buf_push(&w->calls, RC_STR("\":{\"name\":\""));
    rc_buf_push(&w->calls, piece->name);
    rc_buf_push(&w->calls, RC_STR("\",\""));
    rc_buf_push(&w->calls, call_input(piece->is_custom));
    rc_buf_push(&w->calls, RC_STR("\":\""));
}

static void keep_delta(rc_output_writer *w, const rc_piece *piece)
{
    if (piece->block == RC_BLOCK_CALL)
        rc_output_push_arguments(&w->calls, piece);
    else
        rc_buf_push(&w->texts[piece->block], piece->text);
}

static void put_kept(rc_output_writer *w, rc_str key, const rc_buf *text)
{
    if (rc_buf_get(text).len > 0)
        rc_json_member_escaped(&w->json, key, rc_buf_get(text));
}

static void put_message(rc_output_writer *w)
{
    rc_json_key(&w->json, RC_STR("message"));
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("role"), RC_STR("assistant"));
    rc_json_key(&w->json, RC_STR("content"));
    if (rc_buf_get(&w->texts[RC_BLOCK_TEXT]).len > 0)
        rc_json_string_escaped(&w->json, rc_buf_get(&w->texts[RC_BLOCK_TEXT]));
    else
        rc_json_null(&w->json);
    put_kept(w, RC_STR("reasoning_content"), &w->texts[RC_BLOCK_THOUGHT]);
    rc_json_key(&w->json, RC_STR("refusal"));
    if (rc_buf_get(&w->texts[RC_BLOCK_REFUSAL]).len > 0)
        rc_json_string_escaped(&w->json, rc_buf_get(&w->texts[RC_BLOCK_REFUSAL]));
    else
        rc_json_null(&w->json);
    if (w->call_count > 0) {
        rc_json_key(&w->json, RC_STR("tool_calls"));
        rc_json_raw(&w->json, RC_STR("["));
        rc_buf_push(w->out, rc_buf_get(&w->calls));
        rc_buf_push_byte(w->out, ']');
    }
    rc_json_object_end(&w->json);
}

static void put_body(rc_output_writer *w)
{
    rc_json_writer_init(&w->json, w->out, 0);
    rc_json_object_begin(&w->json);
    put_head(w, "chat.completion");
    rc_json_key(&w->json, RC_STR("choices"));
    rc_json_array_begin(&w->json);
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("index"), 0);
    put_message(w);
    rc_json_key(&w->json, RC_STR("logprobs"));
    rc_json_null(&w->json);
    rc_json_member_string(&w->json, RC_STR("finish_reason"), rc_str_c(finish_reason(w)));
    rc_json_object_end(&w->json);
    rc_json_array_end(&w->json);
    put_usage(w);
    rc_json_object_end(&w->json);
}

/* ---- pieces ---- */

static void on_open(rc_output_writer *w, const rc_piece *piece)
{
    w->has_arguments = false;
    w->is_custom = piece->is_custom;
    if (piece->block != RC_BLOCK_CALL)
        return;
    if (w->facts.is_stream)
        put_call_open(w, piece);
    else
        keep_call_open(w, piece);
}

static void on_delta(rc_output_writer *w, const rc_piece *piece)
{
    w->has_arguments = true;
    if (w->facts.is_stream)
        put_delta(w, piece);
    else
        keep_delta(w, piece);
}

/* Writes an empty object as the arguments of a call that has none. */
static void on_close(rc_output_writer *w, const rc_piece *piece)
{
    rc_piece nothing = {.block = RC_BLOCK_CALL, .text = RC_STR("{}")};
    if (piece->block != RC_BLOCK_CALL)
        return;
    if (!w->has_arguments && !w->is_custom)
        on_delta(w, &nothing);
    if (!w->facts.is_stream)
        rc_buf_push(&w->calls, RC_STR("\"}}"));
}

rc_status rc_chat_write_piece(rc_output_writer *w, const rc_piece *piece)
{
    switch (piece->kind) {
    case RC_PIECE_OPEN:
        on_open(w, piece);
        break;
    case RC_PIECE_DELTA:
        on_delta(w, piece);
        break;
    case RC_PIECE_CLOSE:
        on_close(w, piece);
        break;
    case RC_PIECE_FINISH:
        w->finish = piece->finish;
        break;
    case RC_PIECE_USAGE:
        w->usage = piece->usage;
        break;
    case RC_PIECE_END:
        if (w->facts.is_stream)
            put_stream_end(w);
        else
            put_body(w);
        break;
    case RC_PIECE_PING:
        if (w->facts.is_stream && w->has_started)
            rc_buf_push(w->out, RC_STR(": ping\n\n"));
        break;
    case RC_PIECE_STATE:
        rc_buf_reset(&w->state); /* the next call gets the state */
        rc_buf_push(&w->state, piece->text);
        break;
    case RC_PIECE_START:
        break;
    }
    return rc_output_writer_status(w);
}
