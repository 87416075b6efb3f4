/* Response reader: extracts text, reasoning and tool calls of a model's response. Called by
 * src/client/client_call.c and src/client/client_call_report.c. */
#include "dialect/response_reader.h"

#include "base/str.h"
#include "base/utf8.h"
#include "json/find.h"

/* Maximum number of bytes of an error body that are stored. */
#define ERROR_MAX_BYTES ((size_t)1 << 20)
#define DEPTH_MAX 64

/* ---- JSON ---- */

/* Starts a reader in tolerant mode, so that the text around an invalid character is not lost.
 * Returns whether the first token has the given type. */
static bool begin(rc_json_reader *reader, rc_str text, rc_json_type type)
{
    const rc_json_limits limits = {
        .max_bytes = text.len, .max_depth = DEPTH_MAX, .is_tolerant = true};
    rc_json_reader_init(reader, text, &limits);
    return rc_json_reader_next(reader).type == type;
}

/* Returns the whole value of a member of an object; empty if the object does not have the
 * member. */
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

/* Reads the next element of an array as a whole. Returns false at the end of the array, or if the
 * array is malformed. */
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

/* Returns the value of the member "index"; `fallback` if the object has no valid index. */
static int64_t index_of(rc_str object, int64_t fallback)
{
    int64_t index = 0;
    return rc_json_to_i64(member(object, RC_STR("index")), &index) == RC_OK && index >= 0
               ? index
               : fallback;
}

/* ---- text and reasoning ---- */

static void take_string(rc_buf *buf, rc_str value)
{
    if (value.len > 2 && value.ptr[0] == '"')
        (void)rc_json_unescape(rc_str_slice(value, 1, value.len - 1), buf);
}

/* ---- tool calls ---- */

/* Adds a part of a tool call. `arguments`: the JSON value of the arguments; if it is a string, the
 * string is a piece of the arguments' text. */
static void take_call(rc_response_reader *response, int64_t key, rc_str object, rc_str function,
                      rc_str arguments, rc_str signature)
{
    rc_tool_calls *calls = &response->calls;
    const rc_str id = member(object, RC_STR("id"));
    const rc_str name = member(function, RC_STR("name"));
    if (response->handler->on_tool_call == NULL)
        return; /* Tool calls that the caller does not handle do not count towards the size limit of
                 * the response. */
    rc_tool_call_parts *parts = rc_tool_calls_find(calls, key, id, name.len > 0);
    if (parts == NULL)
        return;
    if (rc_buf_get(&parts->name).len == 0)
        rc_tool_calls_add_string(calls, &parts->name, name);
    rc_tool_calls_add_string(calls, &parts->signature, signature);
    if (arguments.len > 0 && arguments.ptr[0] == '{')
        rc_tool_calls_add_object(calls, &parts->arguments, arguments);
    else
        rc_tool_calls_add_string(calls, &parts->arguments, arguments);
}

static void take_chat_calls(rc_response_reader *response, rc_str array)
{
    rc_json_reader reader;
    rc_str call;
    int64_t position = 0;
    if (!begin_array(&reader, array))
        return;
    for (; next_element(&reader, &call); position++) {
        const rc_str function = member(call, RC_STR("function"));
        take_call(response, index_of(call, position), call, function,
                  member(function, RC_STR("arguments")), RC_STR(""));
    }
}

static bool is_empty_object(rc_str json)
{
    return json.len >= 2 && json.ptr[0] == '{' &&
           rc_str_trim(rc_str_slice(json, 1, json.len - 1)).len == 0;
}

/* Adds the tool call in a content block of Anthropic. The block is complete, or it is the beginning
 * of a streamed block with an empty input. */
static void take_block_call(rc_response_reader *response, int64_t key, rc_str block)
{
    const rc_str input = member(block, RC_STR("input"));
    const bool is_empty = key != RC_TOOL_CALLS_NO_KEY && is_empty_object(input);
    if (is_word(member(block, RC_STR("type")), RC_STR("tool_use")))
        take_call(response, key, block, block, is_empty ? RC_STR("") : input, RC_STR(""));
}

/* ---- the content of each dialect ---- */

/* Reads the parts of a message's content: text, reasoning and tool calls. */
static void take_parts(rc_response_reader *response, rc_str array)
{
    rc_json_reader reader;
    rc_str part;
    if (!begin_array(&reader, array))
        return;
    while (next_element(&reader, &part)) {
        const bool is_thought = rc_str_eq(member(part, RC_STR("thought")), RC_STR("true"));
        const rc_str call = member(part, RC_STR("functionCall"));
        take_string(is_thought ? &response->reasoning : &response->text,
                    member(part, RC_STR("text")));
        take_string(&response->reasoning, member(part, RC_STR("thinking")));
        take_block_call(response, RC_TOOL_CALLS_NO_KEY, part);
        if (call.len > 0)
            take_call(response, RC_TOOL_CALLS_NO_KEY, call, call, member(call, RC_STR("args")),
                      member(part, RC_STR("thoughtSignature")));
    }
}

static void take_chat(rc_response_reader *response, rc_str data)
{
    static const rc_str keys[] = {RC_STR_INIT("delta"), RC_STR_INIT("message")};
    const rc_str choice = first_element(member(data, RC_STR("choices")));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const rc_str holder = member(choice, keys[i]);
        const rc_str content = member(holder, RC_STR("content"));
        const rc_str reasoning = member(holder, RC_STR("reasoning_content"));
        take_string(&response->reasoning,
                    reasoning.len > 0 ? reasoning : member(holder, RC_STR("reasoning")));
        take_string(&response->text, content);
        take_parts(response, content);
        take_string(&response->text, member(holder, RC_STR("refusal")));
        take_chat_calls(response, member(holder, RC_STR("tool_calls")));
    }
}

static void take_block_delta(rc_response_reader *response, rc_str data)
{
    const rc_str delta = member(data, RC_STR("delta"));
    take_string(&response->text, member(delta, RC_STR("text")));
    take_string(&response->reasoning, member(delta, RC_STR("thinking")));
    if (is_word(member(delta, RC_STR("type")), RC_STR("input_json_delta")))
        take_call(response, index_of(data, 0), RC_STR(""), RC_STR(""),
                  member(delta, RC_STR("partial_json")), RC_STR(""));
}

/* Reads a stream event of Anthropic's API, or a message object, which is a whole response. */
static void take_anthropic(rc_response_reader *response, rc_str data)
{
    const rc_str type = member(data, RC_STR("type"));
    if (is_word(type, RC_STR("content_block_delta"))) {
        take_block_delta(response, data);
    } else if (is_word(type, RC_STR("content_block_start"))) {
        const rc_str block = member(data, RC_STR("content_block"));
        take_string(&response->text, member(block, RC_STR("text")));
        take_string(&response->reasoning, member(block, RC_STR("thinking")));
        take_block_call(response, index_of(data, 0), block);
    } else if (is_word(type, RC_STR("message_start"))) {
        take_parts(response, member(member(data, RC_STR("message")), RC_STR("content")));
    } else if (is_word(type, RC_STR("message"))) {
        take_parts(response, member(data, RC_STR("content")));
    }
}

static void take_gemini(rc_response_reader *response, rc_str data)
{
    const rc_str candidate = first_element(member(data, RC_STR("candidates")));
    take_parts(response, member(member(candidate, RC_STR("content")), RC_STR("parts")));
}

static void take_content(rc_response_reader *response, rc_str data)
{
    rc_buf_reset(&response->text);
    rc_buf_reset(&response->reasoning);
    if (response->watch.dialect == RC_STREAM_ANTHROPIC)
        take_anthropic(response, data);
    else if (response->watch.dialect == RC_STREAM_GEMINI)
        take_gemini(response, data);
    else
        take_chat(response, data);
    const rc_str text = rc_buf_get(&response->text);
    const rc_str reasoning = rc_buf_get(&response->reasoning);
    response->is_incomplete |= rc_buf_status(&response->text) != RC_OK ||
                               rc_buf_status(&response->reasoning) != RC_OK ||
                               response->calls.is_incomplete;
    response->text_bytes += text.len;
    if (reasoning.len > 0 && response->handler->on_reasoning != NULL)
        response->handler->on_reasoning(response->ctx, reasoning);
    if (text.len > 0)
        response->handler->on_text(response->ctx, text);
}

/* Delivers the tool calls to the caller. Calls without a name are left out, because they belong to
 * tools that the provider runs itself. A response that reached its token limit may end inside a
 * call, so calls with incomplete arguments are left out of such a response. */
static void deliver_calls(rc_response_reader *response)
{
    const bool is_cut = response->watch.finish == RC_STREAM_FINISH_LENGTH;
    if (response->is_incomplete || response->watch.lost > 0 ||
        response->handler->on_tool_call == NULL)
        return;
    for (size_t i = 0; i < response->calls.count; i++) {
        const rc_tool_call call = rc_tool_calls_get(&response->calls, i);
        if (call.name.len > 0 && (!is_cut || rc_tool_call_has_object(&call)))
            response->handler->on_tool_call(response->ctx, &call);
    }
}

/* ---- events ---- */

static void store_error(rc_response_reader *response, rc_str data)
{
    if (rc_buf_get(&response->error).len == 0)
        (void)rc_buf_push(&response->error, rc_str_slice(data, 0, ERROR_MAX_BYTES));
}

static void take_data(rc_response_reader *response, const rc_stream_event *event)
{
    const uint64_t text_bytes = response->text_bytes;
    const rc_str data = event->has_data ? event->data : event->raw;
    rc_stream_event_info info;
    rc_stream_watch_step(&response->watch, event, &info);
    if (info.kinds & RC_STREAM_ERROR) {
        store_error(response, data);
        return;
    }
    /* content of an event that was truncated or is malformed is not used */
    if (event->is_cut || info.kinds & RC_STREAM_DAMAGED)
        return;
    take_content(response, data);
    response->has_reasoning |= info.kinds & RC_STREAM_CONTENT && response->text_bytes == text_bytes;
}

static void take_comment(rc_response_reader *response, const rc_stream_event *event)
{
    const rc_str line = rc_str_trim(event->raw);
    if (response->handler->on_comment != NULL && line.len > 0)
        response->handler->on_comment(response->ctx, rc_str_trim(rc_str_slice(line, 1, line.len)));
}

static void take(rc_response_reader *response, const rc_stream_event *event)
{
    rc_stream_event_info info;
    if (event->type == RC_STREAM_EVENT_DATA && !event->is_oversized) {
        take_data(response, event);
        return;
    }
    rc_stream_watch_step(&response->watch, event, &info);
    response->is_incomplete |= event->is_oversized && !event->is_idle;
    if (event->type == RC_STREAM_EVENT_COMMENT && !event->is_oversized)
        take_comment(response, event);
}

/* ---- interface ---- */

void rc_response_reader_init(rc_response_reader *response, rc_stream_dialect dialect,
                             bool is_stream, const rc_response_handler *handler, void *ctx,
                             const rc_alloc *alloc)
{
    memset(response, 0, offsetof(rc_response_reader, sse));
    response->is_stream = is_stream;
    response->handler = handler;
    response->ctx = ctx;
    rc_stream_watch_init(&response->watch, dialect);
    rc_buf_init(&response->scratch, alloc,
                is_stream ? 2 * RC_STREAM_EVENT_MAX_BYTES : RC_RESPONSE_BODY_MAX);
    rc_buf_init(&response->text, alloc, RC_RESPONSE_BODY_MAX);
    rc_buf_init(&response->reasoning, alloc, RC_RESPONSE_BODY_MAX);
    rc_buf_init(&response->error, alloc, ERROR_MAX_BYTES);
    rc_tool_calls_init(&response->calls, alloc);
    if (is_stream)
        rc_sse_init(&response->sse, &response->scratch, RC_STREAM_EVENT_MAX_BYTES);
}

void rc_response_reader_done(rc_response_reader *response)
{
    rc_buf_done(&response->scratch);
    rc_buf_done(&response->text);
    rc_buf_done(&response->reasoning);
    rc_tool_calls_done(&response->calls);
    rc_buf_done(&response->error);
}

void rc_response_reader_push(rc_response_reader *response, rc_str piece)
{
    rc_stream_event event;
    if (!response->is_stream) {
        (void)rc_buf_push(&response->scratch, piece);
        return;
    }
    rc_sse_push(&response->sse, piece);
    while (rc_sse_pull(&response->sse, &event))
        take(response, &event);
}

static rc_stream_end end_stream(rc_response_reader *response, rc_stream_body_end body)
{
    rc_stream_event event;
    while (rc_sse_end(&response->sse, &event))
        take(response, &event);
    return rc_stream_watch_end(&response->watch, body);
}

/* Returns whether the body is a complete JSON object. Such an object is the whole body, even if the
 * connection did not end regularly. */
static bool is_closed(rc_str body)
{
    return rc_json_find(body, NULL, 0, false) == RC_OK;
}

static rc_stream_end end_body(rc_response_reader *response, bool has_length)
{
    const rc_str body = rc_utf8_without_bom(rc_buf_get(&response->scratch));
    const bool is_orderly = has_length || is_closed(body);
    const rc_stream_event event = rc_stream_event_of_body(body, !is_orderly);
    response->is_incomplete |= rc_buf_status(&response->scratch) != RC_OK;
    if (rc_str_trim(body).len == 0)
        return RC_STREAM_END_EMPTY;
    take_data(response, &event);
    if (response->watch.has_error)
        return RC_STREAM_END_ERRORED;
    if (response->watch.damaged > 0 || !is_orderly || response->is_incomplete)
        return RC_STREAM_END_TRUNCATED;
    return RC_STREAM_END_COMPLETE;
}

rc_stream_end rc_response_reader_end(rc_response_reader *response, rc_stream_body_end body)
{
    const rc_stream_end end = response->is_stream
                                  ? end_stream(response, body)
                                  : end_body(response, body == RC_STREAM_BODY_WHOLE);
    if (end == RC_STREAM_END_COMPLETE)
        deliver_calls(response);
    return end;
}
