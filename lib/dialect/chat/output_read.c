/* Reads responses of OpenAI's Chat Completions API and passes them on as pieces (piece.h). Called
 * by the translator. */
#include "base/str.h"
#include "dialect/chat/call_state.h"
#include "dialect/translate/identifier.h"
#include "dialect/translate/output.h"
#include "json/members.h"
#include "json/reader.h"

/* Returns the key of the call with this index. Some servers send the index 0 for all calls: a part
 * with a name and another id than the latest call of the same index begins a call with a key of its
 * own. */
static uint32_t key_of_index(rc_output_reader *reader, uint32_t index, rc_str id, rc_str name)
{
    uint64_t hash = id.len > 0 ? rc_identifier_hash(id) : 0;
    if ((reader->begun & UINT64_C(1) << index) == 0) {
        reader->latest_index = index;
        reader->latest_key = index;
        reader->latest_id = hash;
        return index;
    }
    if (index != reader->latest_index)
        return index;
    if (name.len > 0 && hash != 0 && reader->latest_id != 0 && hash != reader->latest_id) {
        reader->latest_key = RC_OUTPUT_CALLS_MAX + ++reader->next_key;
        reader->latest_id = hash;
    }
    return reader->latest_key;
}

/* Returns the key of a tool call: its index, or a number that increases with each id if the
 * provider sends no index. */
static uint32_t key_of(rc_output_reader *reader, rc_str call, rc_str id, rc_str name)
{
    rc_json_raw_value index;
    int64_t number = 0;
    if (rc_json_member_find(call, RC_STR("index"), &index) &&
        rc_json_to_i64(index.raw, &number) == RC_OK && number >= 0 && number < RC_OUTPUT_CALLS_MAX)
        return key_of_index(reader, (uint32_t)number, id, name);
    if (id.len > 0)
        reader->next_key++;
    return RC_OUTPUT_CALLS_MAX + reader->next_key;
}

/* Returns whether this part is the first of its call: the first part with its index, or, if the
 * provider sends no index, a part with an id. */
static bool begins_call(rc_output_reader *reader, uint32_t key, rc_str id)
{
    if (key >= RC_OUTPUT_CALLS_MAX)
        return id.len > 0;
    uint64_t bit = UINT64_C(1) << key;
    bool begins = (reader->begun & bit) == 0;
    reader->begun |= bit;
    return begins;
}

/* Passes on the state of a call, which Gemini's OpenAI-compatible endpoint sends. */
static rc_status push_state(rc_output_reader *reader, rc_str raw)
{
    rc_piece piece = {
        .kind = RC_PIECE_STATE, .block = RC_BLOCK_THOUGHT, .text = raw, .state_kind = RC_SEAL_CALL};
    rc_piece close = {.kind = RC_PIECE_CLOSE, .block = RC_BLOCK_THOUGHT};
    if (raw.len == 0)
        return RC_OK;
    rc_status status = rc_output_push(reader, &piece);
    return status == RC_OK ? rc_output_push(reader, &close) : status;
}

/* Reads a tool call. is_whole: the call comes from a whole body, where each element is a complete
 * call, with or without an index; otherwise this is one part of a call in a stream. */
static rc_status read_call(rc_output_reader *reader, rc_str call, bool is_whole)
{
    rc_json_raw_value body;
    bool is_custom = rc_json_member_find(call, RC_STR("custom"), &body);
    if (!is_custom && !rc_json_member_find(call, RC_STR("function"), &body))
        return RC_OK;
    rc_str id = rc_json_member_text(call, RC_STR("id"));
    rc_piece piece = {
        .kind = RC_PIECE_OPEN, .block = RC_BLOCK_CALL, .id = id, .is_custom = is_custom};
    piece.name = rc_json_member_text(body.raw, RC_STR("name"));
    piece.key = is_whole ? reader->next_key++ : key_of(reader, call, id, piece.name);
    rc_status status = RC_OK;
    if (is_whole || begins_call(reader, piece.key, id)) {
        status = push_state(reader, rc_chat_call_state(call));
        if (status == RC_OK)
            status = rc_output_push(reader, &piece);
    }
    piece.kind = RC_PIECE_DELTA;
    if (rc_json_member_find(body.raw, is_custom ? RC_STR("input") : RC_STR("arguments"), &body)) {
        piece.text = body.raw;
        piece.is_value = body.first != '"'; /* some servers send the arguments as an object */
    }
    if (status == RC_OK && piece.text.len > 0)
        status = rc_output_push(reader, &piece);
    piece.kind = RC_PIECE_CLOSE;
    return status == RC_OK && is_whole ? rc_output_push(reader, &piece) : status;
}

static rc_status read_calls(rc_output_reader *reader, rc_str message, bool is_whole)
{
    rc_json_raw_value calls;
    rc_status status = RC_OK;
    if (!rc_json_member_find(message, RC_STR("tool_calls"), &calls))
        return RC_OK;
    rc_json_members m = rc_json_members_begin(calls.raw);
    while (status == RC_OK && rc_json_members_next(&m))
        if (m.value.first == '{')
            status = read_call(reader, m.value.raw, is_whole);
    return status;
}

/* Reads one part of a content list. Mistral's reasoning is a part with a list of texts. */
static rc_status read_part(rc_output_reader *reader, rc_str part)
{
    rc_json_raw_value list;
    rc_str type = rc_json_member_text(part, RC_STR("type"));
    if (rc_json_is_text(type, RC_STR("text")))
        return rc_output_push_text(reader, RC_BLOCK_TEXT,
                                   rc_json_member_text(part, RC_STR("text")));
    if (!rc_json_is_text(type, RC_STR("thinking")))
        return RC_E_TYPE;
    rc_status status = RC_OK;
    if (!rc_json_member_find(part, RC_STR("thinking"), &list) || list.first != '[')
        return rc_output_push_text(reader, RC_BLOCK_THOUGHT,
                                   rc_json_member_text(part, RC_STR("thinking")));
    rc_json_members m = rc_json_members_begin(list.raw);
    while (status == RC_OK && rc_json_members_next(&m))
        if (m.value.first == '{')
            status = rc_output_push_text(reader, RC_BLOCK_THOUGHT,
                                         rc_json_member_text(m.value.raw, RC_STR("text")));
    return status;
}

/* Reads the content of a message or a delta: a text, or a list of parts. */
static rc_status read_content(rc_output_reader *reader, rc_str message)
{
    rc_json_raw_value content;
    rc_status status = RC_OK;
    if (!rc_json_member_find(message, RC_STR("content"), &content))
        return RC_OK;
    if (content.first == '"')
        return rc_output_push_text(reader, RC_BLOCK_TEXT, content.raw);
    if (content.first != '[')
        return RC_OK;
    rc_json_members m = rc_json_members_begin(content.raw);
    while (status == RC_OK && rc_json_members_next(&m))
        if (m.value.first == '{')
            status = read_part(reader, m.value.raw);
    return status;
}

/* Reads a message or a delta. Compatible servers use two different names for the visible
 * reasoning. */
static rc_status read_message(rc_output_reader *reader, rc_str message, bool is_whole)
{
    rc_str thought = rc_json_member_text(message, RC_STR("reasoning_content"));
    if (thought.len == 0)
        thought = rc_json_member_text(message, RC_STR("reasoning"));
    rc_status status = rc_output_push_text(reader, RC_BLOCK_THOUGHT, thought);
    if (status == RC_OK)
        status = read_content(reader, message);
    if (status == RC_OK)
        status = rc_output_push_text(reader, RC_BLOCK_REFUSAL,
                                     rc_json_member_text(message, RC_STR("refusal")));
    return status == RC_OK ? read_calls(reader, message, is_whole) : status;
}

static rc_status read_choice(rc_output_reader *reader, rc_str choice, bool is_whole)
{
    rc_json_raw_value message;
    rc_status status = RC_OK;
    rc_str key = is_whole ? RC_STR("message") : RC_STR("delta");
    if (rc_json_member_find(choice, key, &message) && message.first == '{')
        status = read_message(reader, message.raw, is_whole);
    else if (is_whole)
        return RC_E_SYNTAX;
    rc_str reason = rc_json_member_text(choice, RC_STR("finish_reason"));
    return status == RC_OK && reason.len > 0 ? rc_output_push_finish(reader, reason) : status;
}

/* Reads the first choice only, because requests for several choices are not translated. */
static rc_status read_completion(rc_output_reader *reader, rc_str body, bool is_whole)
{
    rc_json_raw_value value;
    rc_status status = RC_OK;
    if (rc_json_member_find(body, RC_STR("choices"), &value)) {
        rc_json_members m = rc_json_members_begin(value.raw);
        if (rc_json_members_next(&m) && m.value.first == '{')
            status = read_choice(reader, m.value.raw, is_whole);
    }
    if (status == RC_OK && rc_json_member_find(body, RC_STR("usage"), &value))
        status = rc_output_push_usage(reader, value.raw);
    return status;
}

rc_status rc_chat_read_event(rc_output_reader *reader, rc_str data)
{
    if (rc_str_eq(rc_str_trim(data), RC_STR("[DONE]")))
        return rc_output_push_end(reader);
    return read_completion(reader, data, false);
}

rc_status rc_chat_read_body(rc_output_reader *reader, rc_str body)
{
    rc_status status = read_completion(reader, body, true);
    return status == RC_OK ? rc_output_push_end(reader) : status;
}
