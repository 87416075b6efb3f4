/* Writes pieces as responses of Google's Gemini API. Called by the translator.
 *
 *   stream  one event for each delta of a text and for each complete call · finishReason with
 *           usageMetadata
 *   whole   one response at END
 *
 * A call that is not complete has not begun for a client of this dialect. */
#include "base/str.h"
#include "dialect/translate/output.h"
#include "json/reader.h"

/* index in `texts` of the buffer for the parts of a whole body */
#define PARTS 0

static const char *finish_reason(const rc_output_writer *w)
{
    switch (w->finish) {
    case RC_STREAM_FINISH_LENGTH:
    case RC_STREAM_FINISH_CONTEXT:
        return "MAX_TOKENS";
    case RC_STREAM_FINISH_FILTER:
    case RC_STREAM_FINISH_REFUSAL:
        return "SAFETY";
    case RC_STREAM_FINISH_NONE:
    case RC_STREAM_FINISH_UNKNOWN:
    case RC_STREAM_FINISH_GOOD:
    case RC_STREAM_FINISH_TOOL:
    case RC_STREAM_FINISH_ERROR:
        break;
    }
    return w->has_refusal && w->call_count == 0 ? "SAFETY" : "STOP";
}

/* Gemini's output count does not include the tokens of reasoning. */
static void put_usage(rc_output_writer *w)
{
    int64_t input = rc_output_count(w->usage.input);
    int64_t output = rc_output_count(w->usage.output);
    int64_t reasoning = rc_output_count(w->usage.reasoning);
    rc_json_key(&w->json, RC_STR("usageMetadata"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("promptTokenCount"), input);
    rc_json_member_i64(&w->json, RC_STR("candidatesTokenCount"),
                       rc_output_count(output - reasoning));
    rc_json_member_i64(&w->json, RC_STR("totalTokenCount"), input + output);
    if (w->usage.cached > 0)
        rc_json_member_i64(&w->json, RC_STR("cachedContentTokenCount"), w->usage.cached);
    if (reasoning > 0)
        rc_json_member_i64(&w->json, RC_STR("thoughtsTokenCount"), reasoning);
    rc_json_object_end(&w->json);
}

/* ---- events ---- */

static void begin_candidate(rc_output_writer *w)
{
    rc_json_key(&w->json, RC_STR("candidates"));
    rc_json_array_begin(&w->json);
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("parts"));
    rc_json_array_begin(&w->json);
}

static void end_candidate(rc_output_writer *w, const char *reason)
{
    rc_json_array_end(&w->json);
    rc_json_member_string(&w->json, RC_STR("role"), RC_STR("model"));
    rc_json_object_end(&w->json);
    if (reason != NULL)
        rc_json_member_string(&w->json, RC_STR("finishReason"), rc_str_c(reason));
    rc_json_member_i64(&w->json, RC_STR("index"), 0);
    rc_json_object_end(&w->json);
    rc_json_array_end(&w->json);
    if (reason != NULL)
        put_usage(w);
    rc_json_member_string(&w->json, RC_STR("modelVersion"), w->facts.model);
}

static void put_event(rc_output_writer *w, rc_str part)
{
    w->has_started = true;
    rc_output_begin_event(w, "");
    begin_candidate(w);
    rc_json_raw(&w->json, part);
    end_candidate(w, NULL);
    rc_output_end_event(w);
}

/* ---- parts ---- */

/* Appends the state that waits for a part, if any, as a member of this part. */
static void push_state(rc_output_writer *w, rc_buf *buf)
{
    rc_str state = rc_buf_get(&w->state);
    if (state.len == 0)
        return;
    rc_buf_push(buf, RC_STR(",\"thoughtSignature\":\""));
    rc_buf_push(buf, state);
    rc_buf_push_byte(buf, '"');
    rc_buf_reset(&w->state);
}

static void push_text_head(rc_buf *buf, bool is_thought)
{
    rc_buf_push(buf, is_thought ? RC_STR("{\"thought\":true,\"text\":\"") : RC_STR("{\"text\":\""));
}

static void push_call(rc_output_writer *w, rc_buf *buf, rc_str args)
{
    rc_buf_push(buf, rc_buf_get(&w->calls));
    rc_buf_push(buf, args);
    rc_buf_push_byte(buf, '}');
    push_state(w, buf);
    rc_buf_push_byte(buf, '}');
}

/* Stores the head of a call until its arguments are complete. */
static void keep_call_head(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf_reset(&w->calls);
    rc_buf_reset(&w->arguments);
    rc_buf_push(&w->calls, RC_STR("{\"functionCall\":{\"id\":\""));
    rc_buf_push(&w->calls, piece->id);
    rc_buf_push(&w->calls, RC_STR("\",\"name\":\""));
    rc_buf_push(&w->calls, piece->name);
    rc_buf_push(&w->calls, RC_STR("\",\"args\":"));
}

/* Begins a part of a whole body. */
static void begin_kept_part(rc_output_writer *w)
{
    if (w->block_count++ > 0)
        rc_buf_push_byte(&w->texts[PARTS], ',');
}

/* ---- pieces ---- */

static void on_open(rc_output_writer *w, const rc_piece *piece)
{
    w->has_refusal = w->has_refusal || piece->block == RC_BLOCK_REFUSAL;
    w->has_text = false;
    if (piece->block == RC_BLOCK_CALL)
        keep_call_head(w, piece);
}

static void on_delta(rc_output_writer *w, const rc_piece *piece)
{
    bool is_thought = piece->block == RC_BLOCK_THOUGHT;
    rc_buf *buf = &w->texts[PARTS];
    if (piece->block == RC_BLOCK_CALL) {
        if (piece->is_value)
            rc_buf_push(&w->arguments, piece->text);
        else
            rc_json_unescape(piece->text, &w->arguments);
        return;
    }
    if (w->facts.is_stream) {
        rc_buf_reset(buf);
        push_text_head(buf, is_thought);
    } else if (!w->has_text) {
        begin_kept_part(w);
        push_text_head(buf, is_thought);
    }
    w->has_text = true;
    rc_buf_push(buf, piece->text);
    if (!w->facts.is_stream)
        return;
    rc_buf_push_byte(buf, '"');
    if (!is_thought)
        push_state(w, buf);
    rc_buf_push_byte(buf, '}');
    put_event(w, rc_buf_get(buf));
}

static void close_call(rc_output_writer *w)
{
    rc_str args = rc_output_object(w);
    rc_buf *buf = &w->texts[PARTS];
    if (args.len == 0)
        return; /* rc_output_finish decides whether this is a failure */
    w->call_count++;
    if (!w->facts.is_stream) {
        begin_kept_part(w);
        push_call(w, buf, args);
        return;
    }
    rc_buf_reset(buf);
    push_call(w, buf, args);
    put_event(w, rc_buf_get(buf));
}

static void on_close(rc_output_writer *w, const rc_piece *piece)
{
    if (piece->block == RC_BLOCK_CALL) {
        close_call(w);
    } else if (!w->facts.is_stream && w->has_text) {
        rc_buf_push_byte(&w->texts[PARTS], '"');
        if (piece->block != RC_BLOCK_THOUGHT)
            push_state(w, &w->texts[PARTS]);
        rc_buf_push_byte(&w->texts[PARTS], '}');
    }
}

/* Stores the state for the next part that is not a thought. */
static void on_state(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf_reset(&w->state);
    rc_buf_push(&w->state, piece->text);
}

/* Appends the last part, which is an empty text. The last part has the model's opaque state
 * (thoughtSignature) if no earlier part has it. */
static void push_last_part(rc_output_writer *w)
{
    rc_buf *buf = &w->texts[PARTS];
    bool has_state = rc_buf_get(&w->state).len > 0;
    if (w->facts.is_stream)
        rc_buf_reset(buf);
    else if (has_state || w->block_count == 0)
        begin_kept_part(w);
    else
        return;
    rc_buf_push(buf, RC_STR("{\"text\":\"\""));
    push_state(w, buf);
    rc_buf_push_byte(buf, '}');
}

static void on_end(rc_output_writer *w)
{
    push_last_part(w);
    if (w->facts.is_stream) {
        w->has_started = true;
        rc_output_begin_event(w, "");
    } else {
        rc_json_writer_init(&w->json, w->out, 0);
        rc_json_object_begin(&w->json);
    }
    begin_candidate(w);
    rc_json_raw(&w->json, rc_buf_get(&w->texts[PARTS]));
    end_candidate(w, finish_reason(w));
    if (w->facts.is_stream)
        rc_output_end_event(w);
    else
        rc_json_object_end(&w->json);
    if (w->facts.is_stream && w->facts.is_array)
        rc_buf_push(w->out, RC_STR("]"));
}

rc_status rc_gemini_write_piece(rc_output_writer *w, const rc_piece *piece)
{
    switch (piece->kind) {
    case RC_PIECE_OPEN:
        on_open(w, piece);
        break;
    case RC_PIECE_DELTA:
        on_delta(w, piece);
        break;
    case RC_PIECE_STATE:
        on_state(w, piece);
        break;
    case RC_PIECE_CLOSE:
        on_close(w, piece);
        break;
    case RC_PIECE_FINISH:
        return rc_output_finish(w, piece->finish);
    case RC_PIECE_USAGE:
        w->usage = piece->usage;
        break;
    case RC_PIECE_END:
        on_end(w);
        break;
    case RC_PIECE_PING:
        if (w->facts.is_stream && w->has_started && !w->facts.is_array)
            rc_buf_push(w->out, RC_STR(": ping\n\n"));
        break;
    case RC_PIECE_START:
        break;
    }
    return rc_output_writer_status(w);
}
