/* Writes pieces as responses of Anthropic's Messages API. Called by the translator.
 *
 *   stream  message_start · (content_block_start · deltas · content_block_stop)* · message_delta ·
 *           message_stop, with one block open at a time and indices from 0
 *   whole   one message at END */
#include "base/str.h"
#include "dialect/translate/output.h"
#include "json/reader.h"

/* index in `texts` of the buffer for the content blocks of a whole body */
#define BLOCKS 0

static const char *stop_reason(const rc_output_writer *w)
{
    switch (w->finish) {
    case RC_STREAM_FINISH_LENGTH:
    case RC_STREAM_FINISH_CONTEXT:
        return "max_tokens";
    case RC_STREAM_FINISH_FILTER:
    case RC_STREAM_FINISH_REFUSAL:
        return "refusal";
    case RC_STREAM_FINISH_NONE:
    case RC_STREAM_FINISH_UNKNOWN:
    case RC_STREAM_FINISH_GOOD:
    case RC_STREAM_FINISH_TOOL:
    case RC_STREAM_FINISH_ERROR:
        break;
    }
    if (w->call_count > 0)
        return "tool_use";
    return w->has_refusal ? "refusal" : "end_turn";
}

/* Anthropic's input_tokens does not include cached and written tokens; the input counts of OpenAI
 * and Google include both. */
static void put_input_usage(rc_output_writer *w)
{
    int64_t cached = rc_output_count(w->usage.cached);
    int64_t written = rc_output_count(w->usage.written);
    int64_t input = w->usage.input >= 0 ? w->usage.input : w->facts.input_tokens;
    rc_json_member_i64(&w->json, RC_STR("input_tokens"), rc_output_count(input - cached - written));
    rc_json_member_i64(&w->json, RC_STR("cache_creation_input_tokens"), written);
    rc_json_member_i64(&w->json, RC_STR("cache_read_input_tokens"), cached);
}

static void put_usage(rc_output_writer *w, int64_t output)
{
    rc_json_key(&w->json, RC_STR("usage"));
    rc_json_object_begin(&w->json);
    put_input_usage(w);
    rc_json_member_i64(&w->json, RC_STR("output_tokens"), output);
    rc_json_key(&w->json, RC_STR("output_tokens_details"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("thinking_tokens"), rc_output_count(w->usage.reasoning));
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

static void put_id(rc_output_writer *w)
{
    rc_json_key(&w->json, RC_STR("id"));
    rc_json_raw(&w->json, RC_STR("\"msg_"));
    rc_buf_push(w->out, w->facts.request_id);
    rc_buf_push_byte(w->out, '"');
    rc_json_member_string(&w->json, RC_STR("type"), RC_STR("message"));
    rc_json_member_string(&w->json, RC_STR("role"), RC_STR("assistant"));
    rc_json_member_string(&w->json, RC_STR("model"), w->facts.model);
}

/* ---- content blocks ---- */

/* Writes the first part of a block, with empty content, for content_block_start. */
static void put_block_head(rc_output_writer *w, const rc_piece *piece)
{
    rc_json_object_begin(&w->json);
    switch (piece->block) {
    case RC_BLOCK_TEXT:
    case RC_BLOCK_REFUSAL:
        rc_json_member_string(&w->json, RC_STR("type"), RC_STR("text"));
        rc_json_member_string(&w->json, RC_STR("text"), RC_STR(""));
        break;
    case RC_BLOCK_THOUGHT:
        rc_json_member_string(&w->json, RC_STR("type"), RC_STR("thinking"));
        rc_json_member_string(&w->json, RC_STR("thinking"), RC_STR(""));
        rc_json_member_string(&w->json, RC_STR("signature"), RC_STR(""));
        break;
    case RC_BLOCK_CALL:
        rc_json_member_string(&w->json, RC_STR("type"), RC_STR("tool_use"));
        rc_json_member_escaped(&w->json, RC_STR("id"), piece->id);
        rc_json_member_escaped(&w->json, RC_STR("name"), piece->name);
        rc_json_key(&w->json, RC_STR("input"));
        rc_json_raw(&w->json, RC_STR("{}"));
        break;
    }
    rc_json_object_end(&w->json);
}

/* ---- streams ---- */

static void begin_event(rc_output_writer *w, const char *name)
{
    rc_output_begin_event(w, name);
    rc_json_member_string(&w->json, RC_STR("type"), rc_str_c(name));
}

static void put_message_start(rc_output_writer *w)
{
    if (w->has_started)
        return;
    w->has_started = true;
    begin_event(w, "message_start");
    rc_json_key(&w->json, RC_STR("message"));
    rc_json_object_begin(&w->json);
    put_id(w);
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_raw(&w->json, RC_STR("[]"));
    rc_json_key(&w->json, RC_STR("stop_reason"));
    rc_json_null(&w->json);
    rc_json_key(&w->json, RC_STR("stop_sequence"));
    rc_json_null(&w->json);
    put_usage(w, 0);
    rc_json_object_end(&w->json);
    rc_output_end_event(w);
}

static void begin_block_event(rc_output_writer *w, const char *name)
{
    begin_event(w, name);
    rc_json_member_i64(&w->json, RC_STR("index"), (int64_t)w->block_count - 1);
}

static void put_block_start(rc_output_writer *w, const rc_piece *piece)
{
    put_message_start(w);
    w->block_count++;
    begin_block_event(w, "content_block_start");
    rc_json_key(&w->json, RC_STR("content_block"));
    put_block_head(w, piece);
    rc_output_end_event(w);
}

static void put_delta(rc_output_writer *w, const rc_piece *piece)
{
    static const struct {
        const char *type;
        const char *key;
    } deltas[] = {[RC_BLOCK_TEXT] = {"text_delta", "text"},
                  [RC_BLOCK_THOUGHT] = {"thinking_delta", "thinking"},
                  [RC_BLOCK_REFUSAL] = {"text_delta", "text"},
                  [RC_BLOCK_CALL] = {"input_json_delta", "partial_json"}};
    bool is_state = piece->kind == RC_PIECE_STATE;
    begin_block_event(w, "content_block_delta");
    rc_json_key(&w->json, RC_STR("delta"));
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("type"),
                          rc_str_c(is_state ? "signature_delta" : deltas[piece->block].type));
    rc_json_key(&w->json, rc_str_c(is_state ? "signature" : deltas[piece->block].key));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_output_push_arguments(w->out, piece);
    rc_buf_push_byte(w->out, '"');
    rc_json_object_end(&w->json);
    rc_output_end_event(w);
}

static void put_block_stop(rc_output_writer *w)
{
    begin_block_event(w, "content_block_stop");
    rc_output_end_event(w);
}

static void put_stream_end(rc_output_writer *w)
{
    put_message_start(w);
    begin_event(w, "message_delta");
    rc_json_key(&w->json, RC_STR("delta"));
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("stop_reason"), rc_str_c(stop_reason(w)));
    rc_json_key(&w->json, RC_STR("stop_sequence"));
    rc_json_null(&w->json);
    rc_json_object_end(&w->json);
    put_usage(w, rc_output_count(w->usage.output));
    rc_output_end_event(w);
    begin_event(w, "message_stop");
    rc_output_end_event(w);
}

/* ---- whole bodies ---- */

static void keep_open(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf *buf = &w->texts[BLOCKS];
    if (w->block_count++ > 0)
        rc_buf_push_byte(buf, ',');
    switch (piece->block) {
    case RC_BLOCK_TEXT:
    case RC_BLOCK_REFUSAL:
        rc_buf_push(buf, RC_STR("{\"type\":\"text\",\"text\":\""));
        break;
    case RC_BLOCK_THOUGHT:
        rc_buf_push(buf, RC_STR("{\"type\":\"thinking\",\"thinking\":\""));
        break;
    case RC_BLOCK_CALL:
        rc_buf_push(buf, RC_STR("{\"type\":\"tool_use\",\"id\":\""));
        rc_buf_push(buf, piece->id);
        rc_buf_push(buf, RC_STR("\",\"name\":\""));
        rc_buf_push(buf, piece->name);
        rc_buf_push(buf, RC_STR("\",\"input\":"));
        rc_buf_reset(&w->arguments);
        break;
    }
}

static void keep_delta(rc_output_writer *w, const rc_piece *piece)
{
    if (piece->kind == RC_PIECE_STATE) {
        rc_buf_reset(&w->arguments); /* stores the signature until the block is closed */
        rc_buf_push(&w->arguments, piece->text);
    } else if (piece->block != RC_BLOCK_CALL) {
        rc_buf_push(&w->texts[BLOCKS], piece->text);
    } else if (piece->is_value) {
        rc_buf_push(&w->arguments, piece->text);
    } else {
        rc_json_unescape(piece->text, &w->arguments);
    }
}

static void keep_close(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf *buf = &w->texts[BLOCKS];
    if (piece->block == RC_BLOCK_CALL) {
        rc_str object = rc_output_object(w);
        rc_buf_push(buf, object.len > 0 ? object : RC_STR("{}"));
    } else if (piece->block == RC_BLOCK_THOUGHT) {
        rc_buf_push(buf, RC_STR("\",\"signature\":\""));
        rc_buf_push(buf, rc_buf_get(&w->arguments));
        rc_buf_push_byte(buf, '"');
    } else {
        rc_buf_push_byte(buf, '"');
    }
    rc_buf_push_byte(buf, '}');
    rc_buf_reset(&w->arguments);
}

static void put_body(rc_output_writer *w)
{
    rc_json_writer_init(&w->json, w->out, 0);
    rc_json_object_begin(&w->json);
    put_id(w);
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_raw(&w->json, RC_STR("["));
    rc_buf_push(w->out, rc_buf_get(&w->texts[BLOCKS]));
    rc_buf_push_byte(w->out, ']');
    rc_json_member_string(&w->json, RC_STR("stop_reason"), rc_str_c(stop_reason(w)));
    rc_json_key(&w->json, RC_STR("stop_sequence"));
    rc_json_null(&w->json);
    put_usage(w, rc_output_count(w->usage.output));
    rc_json_object_end(&w->json);
}

/* ---- pieces ---- */

static void on_open(rc_output_writer *w, const rc_piece *piece)
{
    w->call_count += piece->block == RC_BLOCK_CALL;
    w->has_refusal = w->has_refusal || piece->block == RC_BLOCK_REFUSAL;
    if (w->facts.is_stream)
        put_block_start(w, piece);
    else
        keep_open(w, piece);
}

static void on_delta(rc_output_writer *w, const rc_piece *piece)
{
    if (w->facts.is_stream)
        put_delta(w, piece);
    else
        keep_delta(w, piece);
}

static void on_close(rc_output_writer *w, const rc_piece *piece)
{
    if (w->facts.is_stream)
        put_block_stop(w);
    else
        keep_close(w, piece);
}

rc_status rc_messages_write_piece(rc_output_writer *w, const rc_piece *piece)
{
    switch (piece->kind) {
    case RC_PIECE_OPEN:
        on_open(w, piece);
        break;
    case RC_PIECE_DELTA:
    case RC_PIECE_STATE:
        on_delta(w, piece);
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
        if (w->facts.is_stream)
            put_stream_end(w);
        else
            put_body(w);
        break;
    case RC_PIECE_PING:
        if (w->facts.is_stream && w->has_started)
            rc_buf_push(w->out, RC_STR("event: ping\ndata: {\"type\":\"ping\"}\n\n"));
        break;
    case RC_PIECE_START:
        break;
    }
    return rc_output_writer_status(w);
}
