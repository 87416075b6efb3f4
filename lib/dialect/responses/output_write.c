/* Writes pieces as responses of OpenAI's Responses API. Called by the translator.
 *
 *   stream  response.created · response.in_progress · for each item: output_item.added, its parts
 *           and deltas, the same whole, output_item.done · response.completed or .incomplete, with
 *           all items. The events are numbered from 0
 *   whole   one response at END
 *
 * output_items.c writes the items. */
#include "dialect/responses/output_write.h"

#include "base/str.h"

/* ---- the response ---- */

static const char *incomplete_reason(const rc_output_writer *w)
{
    switch (w->finish) {
    case RC_STREAM_FINISH_LENGTH:
    case RC_STREAM_FINISH_CONTEXT:
        return "max_output_tokens";
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
    return NULL;
}

static void put_usage(rc_output_writer *w)
{
    int64_t input = rc_output_count(w->usage.input);
    int64_t output = rc_output_count(w->usage.output);
    rc_json_key(&w->json, RC_STR("usage"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("input_tokens"), input);
    rc_json_key(&w->json, RC_STR("input_tokens_details"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("cached_tokens"), rc_output_count(w->usage.cached));
    rc_json_member_i64(&w->json, RC_STR("cache_write_tokens"), rc_output_count(w->usage.written));
    rc_json_object_end(&w->json);
    rc_json_member_i64(&w->json, RC_STR("output_tokens"), output);
    rc_json_key(&w->json, RC_STR("output_tokens_details"));
    rc_json_object_begin(&w->json);
    rc_json_member_i64(&w->json, RC_STR("reasoning_tokens"), rc_output_count(w->usage.reasoning));
    rc_json_object_end(&w->json);
    rc_json_member_i64(&w->json, RC_STR("total_tokens"), input + output);
    rc_json_object_end(&w->json);
}

static void put_reason(rc_output_writer *w, const char *reason)
{
    rc_json_key(&w->json, RC_STR("incomplete_details"));
    if (reason == NULL) {
        rc_json_null(&w->json);
        return;
    }
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("reason"), rc_str_c(reason));
    rc_json_object_end(&w->json);
}

static void put_null(rc_output_writer *w, const char *name)
{
    rc_json_key(&w->json, rc_str_c(name));
    rc_json_null(&w->json);
}

/* Writes the members of a response. The members that repeat the request's settings have their
 * defaults. */
static void put_response(rc_output_writer *w, bool is_over)
{
    const char *reason = is_over ? incomplete_reason(w) : NULL;
    const char *status = reason != NULL ? "incomplete" : "completed";
    rc_json_key(&w->json, RC_STR("id"));
    rc_json_raw(&w->json, RC_STR("\"resp_"));
    rc_buf_push(w->out, w->facts.request_id);
    rc_buf_push_byte(w->out, '"');
    rc_json_member_string(&w->json, RC_STR("object"), RC_STR("response"));
    rc_json_member_i64(&w->json, RC_STR("created_at"), w->facts.created_s);
    rc_json_member_string(&w->json, RC_STR("status"), rc_str_c(is_over ? status : "in_progress"));
    put_null(w, "error");
    put_reason(w, reason);
    put_null(w, "instructions");
    put_null(w, "max_output_tokens");
    rc_json_member_string(&w->json, RC_STR("model"), w->facts.model);
    rc_json_key(&w->json, RC_STR("output"));
    rc_json_raw(&w->json, RC_STR("["));
    if (is_over)
        rc_buf_push(w->out, rc_buf_get(&w->texts[RC_RESPONSES_ITEMS]));
    rc_buf_push_byte(w->out, ']');
    rc_json_member_bool(&w->json, RC_STR("parallel_tool_calls"), true);
    put_null(w, "previous_response_id");
    rc_json_member_bool(&w->json, RC_STR("store"), false);
    put_null(w, "temperature");
    rc_json_key(&w->json, RC_STR("text"));
    rc_json_raw(&w->json, RC_STR("{\"format\":{\"type\":\"text\"}}"));
    rc_json_member_string(&w->json, RC_STR("tool_choice"), RC_STR("auto"));
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_raw(&w->json, RC_STR("[]"));
    put_null(w, "top_p");
    rc_json_member_string(&w->json, RC_STR("truncation"), RC_STR("disabled"));
    if (is_over)
        put_usage(w);
    rc_json_key(&w->json, RC_STR("metadata"));
    rc_json_raw(&w->json, RC_STR("{}"));
}

static void put_response_event(rc_output_writer *w, const char *name, bool is_over)
{
    rc_responses_begin_event(w, name);
    rc_json_key(&w->json, RC_STR("response"));
    rc_json_object_begin(&w->json);
    put_response(w, is_over);
    rc_json_object_end(&w->json);
    rc_output_end_event(w);
}

void rc_responses_begin(rc_output_writer *w)
{
    if (w->has_started || !w->facts.is_stream)
        return;
    w->has_started = true;
    put_response_event(w, "response.created", false);
    put_response_event(w, "response.in_progress", false);
}

static void put_end(rc_output_writer *w)
{
    if (w->facts.is_stream) {
        rc_responses_begin(w);
        put_response_event(
            w, incomplete_reason(w) == NULL ? "response.completed" : "response.incomplete", true);
        return;
    }
    rc_json_writer_init(&w->json, w->out, 0);
    rc_json_object_begin(&w->json);
    put_response(w, true);
    rc_json_object_end(&w->json);
}

/* ---- pieces ---- */

rc_status rc_responses_write_piece(rc_output_writer *w, const rc_piece *piece)
{
    switch (piece->kind) {
    case RC_PIECE_OPEN:
        rc_responses_begin(w);
        rc_responses_open_item(w, piece);
        break;
    case RC_PIECE_DELTA:
        rc_responses_push_delta(w, piece);
        break;
    case RC_PIECE_STATE:
        rc_buf_reset(&w->state);
        rc_buf_push(&w->state, piece->text);
        break;
    case RC_PIECE_CLOSE:
        rc_responses_close_item(w, piece);
        break;
    case RC_PIECE_FINISH:
        w->finish = piece->finish;
        break;
    case RC_PIECE_USAGE:
        w->usage = piece->usage;
        break;
    case RC_PIECE_END:
        put_end(w);
        break;
    case RC_PIECE_PING:
        if (w->facts.is_stream && w->has_started)
            rc_buf_push(w->out, RC_STR(": ping\n\n"));
        break;
    case RC_PIECE_START:
        break;
    }
    if (w->facts.is_stream &&
        rc_buf_get(&w->texts[RC_RESPONSES_ITEMS]).len > RC_RESPONSES_REPEATED_MAX)
        return RC_E_TOO_LARGE;
    return rc_output_writer_status(w);
}
