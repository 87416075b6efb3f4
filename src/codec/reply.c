#include "codec/reply.h"

#include "base/json_find.h"
#include "base/str.h"
#include "base/utf8.h"

/* What is kept of an error. */
#define ERROR_MAX_BYTES ((size_t)1 << 20)
#define DEPTH_MAX 64

/* ---- JSON ---- */

/* Tolerant: a character that is none costs that character, and not the text around it. */
static bool begin(rc_json_reader *reader, rc_str text, rc_json_type type)
{
    const rc_json_limits limits = {
        .max_bytes = text.len, .max_depth = DEPTH_MAX, .is_tolerant = true};
    rc_json_reader_init(reader, text, &limits);
    return rc_json_reader_next(reader).type == type;
}

/* The whole value of a member; empty: there is none. */
static rc_str member(rc_str object, rc_str key)
{
    rc_json_reader reader;
    rc_json_token token;
    if (object.len == 0 || !begin(&reader, object, RC_JSON_OBJECT_BEGIN))
        return rc_str_make(NULL, 0);
    while ((token = rc_json_reader_next(&reader)).type == RC_JSON_KEY) {
        const bool is_it = rc_json_raw_eq(token.raw, token.has_escapes, key);
        token = rc_json_reader_next(&reader);
        const size_t end = rc_json_reader_skip(&reader);
        if (is_it)
            return rc_str_slice(object, token.offset, end);
    }
    return rc_str_make(NULL, 0);
}

static bool is_word(rc_str value, rc_str word)
{
    return value.len == word.len + 2 && value.ptr[0] == '"' &&
           rc_str_eq(rc_str_slice(value, 1, value.len - 1), word);
}

static bool begin_array(rc_json_reader *reader, rc_str array)
{
    return array.len > 0 && array.ptr[0] == '[' && begin(reader, array, RC_JSON_ARRAY_BEGIN);
}

/* The next element, all of it. False: there is none, or the array is damaged. */
static bool next_element(rc_json_reader *reader, rc_str *ret_element)
{
    const rc_json_token token = rc_json_reader_next(reader);
    if (token.type == RC_JSON_ARRAY_END || token.type == RC_JSON_END || token.type == RC_JSON_ERROR)
        return false;
    *ret_element = rc_str_slice(reader->text, token.offset, rc_json_reader_skip(reader));
    return true;
}

static rc_str first_element(rc_str array)
{
    rc_json_reader reader;
    rc_str element = {NULL, 0};
    if (begin_array(&reader, array))
        (void)next_element(&reader, &element);
    return element;
}

/* ---- text ---- */

static void take_string(rc_reply *reply, rc_str value)
{
    if (value.len > 2 && value.ptr[0] == '"')
        (void)rc_json_unescape(rc_str_slice(value, 1, value.len - 1), &reply->text);
}

/* Of parts: those that have a text, and are no thoughts. */
static void take_parts(rc_reply *reply, rc_str array)
{
    rc_json_reader reader;
    rc_str part;
    if (!begin_array(&reader, array))
        return;
    while (next_element(&reader, &part))
        if (!rc_str_eq(member(part, RC_STR("thought")), RC_STR("true")))
            take_string(reply, member(part, RC_STR("text")));
}

/* A string, or a list of parts. */
static void take_content(rc_reply *reply, rc_str content)
{
    take_string(reply, content);
    take_parts(reply, content);
}

static void take_chat(rc_reply *reply, rc_str data)
{
    static const rc_str places[] = {RC_STR_INIT("delta"), RC_STR_INIT("message")};
    const rc_str choice = first_element(member(data, RC_STR("choices")));
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const rc_str place = member(choice, places[i]);
        take_content(reply, member(place, RC_STR("content")));
        take_string(reply, member(place, RC_STR("refusal")));
    }
}

/* The events of a stream; or a message, which is a whole answer. */
static void take_anthropic(rc_reply *reply, rc_str data)
{
    const rc_str type = member(data, RC_STR("type"));
    if (is_word(type, RC_STR("content_block_delta")))
        take_string(reply, member(member(data, RC_STR("delta")), RC_STR("text")));
    else if (is_word(type, RC_STR("content_block_start")))
        take_string(reply, member(member(data, RC_STR("content_block")), RC_STR("text")));
    else if (is_word(type, RC_STR("message_start")))
        take_parts(reply, member(member(data, RC_STR("message")), RC_STR("content")));
    else if (is_word(type, RC_STR("message")))
        take_parts(reply, member(data, RC_STR("content")));
}

static void take_gemini(rc_reply *reply, rc_str data)
{
    const rc_str candidate = first_element(member(data, RC_STR("candidates")));
    take_parts(reply, member(member(candidate, RC_STR("content")), RC_STR("parts")));
}

static void take_text(rc_reply *reply, rc_str data)
{
    rc_buf_reset(&reply->text);
    if (reply->watch.dialect == RC_STREAM_ANTHROPIC)
        take_anthropic(reply, data);
    else if (reply->watch.dialect == RC_STREAM_GEMINI)
        take_gemini(reply, data);
    else
        take_chat(reply, data);
    const rc_str text = rc_buf_get(&reply->text);
    reply->is_lost |= rc_buf_status(&reply->text) != RC_OK;
    reply->text_bytes += text.len;
    if (text.len > 0)
        reply->handler->on_text(reply->ctx, text);
}

/* ---- events ---- */

static void keep_error(rc_reply *reply, rc_str data)
{
    if (rc_buf_get(&reply->error).len == 0)
        (void)rc_buf_push(&reply->error, rc_str_slice(data, 0, ERROR_MAX_BYTES));
}

static void take_data(rc_reply *reply, const rc_stream_event *event)
{
    const uint64_t text_bytes = reply->text_bytes;
    const rc_str data = event->has_data ? event->data : event->raw;
    rc_stream_seen seen;
    rc_stream_watch_step(&reply->watch, event, &seen);
    if (seen.kinds & RC_STREAM_ERROR) {
        keep_error(reply, data);
        return;
    }
    /* Half an event is none, and what is no JSON has no text that could be trusted. */
    if (event->is_cut || seen.kinds & RC_STREAM_DAMAGED)
        return;
    take_text(reply, data);
    reply->has_reasoning |= seen.kinds & RC_STREAM_CONTENT && reply->text_bytes == text_bytes;
}

static void take_comment(rc_reply *reply, const rc_stream_event *event)
{
    const rc_str line = rc_str_trim(event->raw);
    if (reply->handler->on_comment != NULL && line.len > 0)
        reply->handler->on_comment(reply->ctx, rc_str_trim(rc_str_slice(line, 1, line.len)));
}

static void take(rc_reply *reply, const rc_stream_event *event)
{
    rc_stream_seen seen;
    if (event->type == RC_STREAM_EVENT_DATA && !event->is_oversized) {
        take_data(reply, event);
        return;
    }
    rc_stream_watch_step(&reply->watch, event, &seen);
    reply->is_lost |= event->is_oversized && !event->is_idle;
    if (event->type == RC_STREAM_EVENT_COMMENT && !event->is_oversized)
        take_comment(reply, event);
}

/* ---- the whole ---- */

void rc_reply_init(rc_reply *reply, rc_stream_dialect dialect, bool is_stream,
                   const rc_reply_handler *handler, void *ctx, const rc_alloc *alloc)
{
    memset(reply, 0, offsetof(rc_reply, sse));
    reply->is_stream = is_stream;
    reply->handler = handler;
    reply->ctx = ctx;
    rc_stream_watch_init(&reply->watch, dialect);
    rc_buf_init(&reply->room, alloc, is_stream ? 2 * RC_STREAM_EVENT_MAX_BYTES : RC_REPLY_BODY_MAX);
    rc_buf_init(&reply->text, alloc, RC_REPLY_BODY_MAX);
    rc_buf_init(&reply->error, alloc, ERROR_MAX_BYTES);
    if (is_stream)
        rc_sse_init(&reply->sse, &reply->room, RC_STREAM_EVENT_MAX_BYTES);
}

void rc_reply_done(rc_reply *reply)
{
    rc_buf_done(&reply->room);
    rc_buf_done(&reply->text);
    rc_buf_done(&reply->error);
}

void rc_reply_push(rc_reply *reply, rc_str piece)
{
    rc_stream_event event;
    if (!reply->is_stream) {
        (void)rc_buf_push(&reply->room, piece);
        return;
    }
    rc_sse_push(&reply->sse, piece);
    while (rc_sse_pull(&reply->sse, &event))
        take(reply, &event);
}

static rc_stream_end end_stream(rc_reply *reply, rc_stream_body body)
{
    rc_stream_event event;
    while (rc_sse_end(&reply->sse, &event))
        take(reply, &event);
    return rc_stream_watch_end(&reply->watch, body);
}

/* An object that is closed is all there is, whatever the transport knows of it. */
static bool is_closed(rc_str body)
{
    return rc_json_find(body, NULL, 0, false) == RC_OK;
}

static rc_stream_end end_body(rc_reply *reply, bool has_length)
{
    const rc_str body = rc_utf8_without_mark(rc_buf_get(&reply->room));
    const bool is_orderly = has_length || is_closed(body);
    const rc_stream_event event = {
        .type = RC_STREAM_EVENT_DATA,
        .end = body.len,
        .raw = body,
        .data = body,
        .retry_ms = -1,
        .has_data = true,
        .is_cut = !is_orderly,
    };
    reply->is_lost |= rc_buf_status(&reply->room) != RC_OK;
    if (rc_str_trim(body).len == 0)
        return RC_STREAM_END_EMPTY;
    take_data(reply, &event);
    if (reply->watch.has_error)
        return RC_STREAM_END_ERRORED;
    if (reply->watch.damaged > 0 || !is_orderly || reply->is_lost)
        return RC_STREAM_END_TRUNCATED;
    return RC_STREAM_END_COMPLETE;
}

rc_stream_end rc_reply_end(rc_reply *reply, rc_stream_body body)
{
    return reply->is_stream ? end_stream(reply, body)
                            : end_body(reply, body == RC_STREAM_BODY_WHOLE);
}
