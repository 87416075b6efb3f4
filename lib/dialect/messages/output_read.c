/* Reads responses of Anthropic's Messages API and passes them on as pieces (piece.h). Called by the
 * translator. */
#include "base/str.h"
#include "dialect/translate/output.h"
#include "json/members.h"
#include "json/reader.h"

static bool type_is(rc_str object, const char *type)
{
    return rc_json_is_text(rc_json_member_text(object, RC_STR("type")), rc_str_c(type));
}

/* Returns the kind of a content block. Returns false for a kind that other dialects cannot
 * express. */
static bool block_kind(rc_str block, rc_block_kind *ret_kind)
{
    if (type_is(block, "text"))
        *ret_kind = RC_BLOCK_TEXT;
    else if (type_is(block, "thinking") || type_is(block, "redacted_thinking"))
        *ret_kind = RC_BLOCK_THOUGHT;
    else if (type_is(block, "tool_use"))
        *ret_kind = RC_BLOCK_CALL;
    else
        return false;
    return true;
}

static rc_status open_call(rc_output_reader *reader, uint32_t key, rc_str block)
{
    rc_piece piece = {.kind = RC_PIECE_OPEN,
                      .block = RC_BLOCK_CALL,
                      .key = key,
                      .id = rc_json_member_text(block, RC_STR("id")),
                      .name = rc_json_member_text(block, RC_STR("name"))};
    return rc_output_push(reader, &piece);
}

static rc_status push_state(rc_output_reader *reader, rc_seal_kind kind, rc_str raw)
{
    rc_piece piece = {
        .kind = RC_PIECE_STATE, .block = RC_BLOCK_THOUGHT, .text = raw, .state_kind = kind};
    return raw.len > 0 ? rc_output_push(reader, &piece) : RC_OK;
}

/* Passes on the state of a block of reasoning: its signature, or the data of hidden reasoning. */
static rc_status push_block_state(rc_output_reader *reader, rc_str block)
{
    if (type_is(block, "redacted_thinking"))
        return push_state(reader, RC_SEAL_REDACTED, rc_json_member_text(block, RC_STR("data")));
    return push_state(reader, RC_SEAL_THOUGHT, rc_json_member_text(block, RC_STR("signature")));
}

/* ---- whole bodies ---- */

static rc_status read_block(rc_output_reader *reader, rc_str block)
{
    rc_json_raw_value input;
    rc_block_kind kind;
    rc_status status = RC_OK;
    if (!block_kind(block, &kind))
        return RC_E_TYPE;
    if (kind == RC_BLOCK_TEXT)
        return rc_output_push_text(reader, kind, rc_json_member_text(block, RC_STR("text")));
    if (kind == RC_BLOCK_THOUGHT) {
        status = rc_output_push_text(reader, kind, rc_json_member_text(block, RC_STR("thinking")));
        if (status == RC_OK)
            status = push_block_state(reader, block);
        rc_piece close = {.kind = RC_PIECE_CLOSE, .block = kind};
        return status == RC_OK ? rc_output_push(reader, &close) : status;
    }
    rc_piece piece = {.kind = RC_PIECE_DELTA, .block = kind, .key = reader->next_key++};
    piece.is_value = true;
    status = open_call(reader, piece.key, block);
    if (status == RC_OK && rc_json_member_find(block, RC_STR("input"), &input)) {
        piece.text = input.raw;
        status = rc_output_push(reader, &piece);
    }
    piece.kind = RC_PIECE_CLOSE;
    return status == RC_OK ? rc_output_push(reader, &piece) : status;
}

rc_status rc_messages_read_body(rc_output_reader *reader, rc_str body)
{
    rc_json_raw_value value;
    rc_status status = RC_OK;
    if (rc_json_member_find(body, RC_STR("content"), &value)) {
        rc_json_members m = rc_json_members_begin(value.raw);
        while (status == RC_OK && rc_json_members_next(&m))
            if (m.value.first == '{')
                status = read_block(reader, m.value.raw);
    }
    if (status == RC_OK && rc_json_member_find(body, RC_STR("usage"), &value))
        status = rc_output_push_usage(reader, value.raw);
    rc_str reason = rc_json_member_text(body, RC_STR("stop_reason"));
    if (status == RC_OK && reason.len > 0)
        status = rc_output_push_finish(reader, reason);
    return status == RC_OK ? rc_output_push_end(reader) : status;
}

/* ---- events ---- */

static rc_status on_block_start(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value block;
    rc_json_raw_value index;
    rc_block_kind kind;
    int64_t number = 0;
    if (!rc_json_member_find(event, RC_STR("content_block"), &block) || block.first != '{')
        return RC_OK;
    if (!block_kind(block.raw, &kind))
        return RC_E_TYPE;
    if (rc_json_member_find(event, RC_STR("index"), &index))
        (void)rc_json_to_i64(index.raw, &number);
    reader->is_open = true;
    reader->open_kind = kind;
    reader->open_key = (uint32_t)number;
    if (kind == RC_BLOCK_CALL)
        return open_call(reader, reader->open_key, block.raw);
    rc_str member = kind == RC_BLOCK_TEXT ? RC_STR("text") : RC_STR("thinking");
    rc_status status = rc_output_push_text(reader, kind, rc_json_member_text(block.raw, member));
    return status == RC_OK && kind == RC_BLOCK_THOUGHT ? push_block_state(reader, block.raw)
                                                       : status;
}

static rc_status on_delta(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value delta;
    if (!rc_json_member_find(event, RC_STR("delta"), &delta) || delta.first != '{')
        return RC_OK;
    if (type_is(delta.raw, "text_delta"))
        return rc_output_push_text(reader, RC_BLOCK_TEXT,
                                   rc_json_member_text(delta.raw, RC_STR("text")));
    if (type_is(delta.raw, "thinking_delta"))
        return rc_output_push_text(reader, RC_BLOCK_THOUGHT,
                                   rc_json_member_text(delta.raw, RC_STR("thinking")));
    if (type_is(delta.raw, "signature_delta"))
        return push_state(reader, RC_SEAL_THOUGHT,
                          rc_json_member_text(delta.raw, RC_STR("signature")));
    if (!type_is(delta.raw, "input_json_delta") || !reader->is_open ||
        reader->open_kind != RC_BLOCK_CALL)
        return RC_OK;
    rc_piece piece = {.kind = RC_PIECE_DELTA,
                      .block = RC_BLOCK_CALL,
                      .key = reader->open_key,
                      .text = rc_json_member_text(delta.raw, RC_STR("partial_json"))};
    return piece.text.len > 0 ? rc_output_push(reader, &piece) : RC_OK;
}

static rc_status on_block_stop(rc_output_reader *reader)
{
    rc_piece piece = {
        .kind = RC_PIECE_CLOSE, .block = (rc_block_kind)reader->open_kind, .key = reader->open_key};
    if (!reader->is_open)
        return RC_OK;
    reader->is_open = false;
    return rc_output_push(reader, &piece);
}

static rc_status on_message_start(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value message;
    rc_json_raw_value usage;
    if (rc_json_member_find(event, RC_STR("message"), &message) && message.first == '{' &&
        rc_json_member_find(message.raw, RC_STR("usage"), &usage))
        return rc_output_push_usage(reader, usage.raw);
    return RC_OK;
}

static rc_status on_message_delta(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value value;
    rc_status status = RC_OK;
    if (rc_json_member_find(event, RC_STR("usage"), &value))
        status = rc_output_push_usage(reader, value.raw);
    if (status != RC_OK || !rc_json_member_find(event, RC_STR("delta"), &value) ||
        value.first != '{')
        return status;
    rc_str reason = rc_json_member_text(value.raw, RC_STR("stop_reason"));
    return reason.len > 0 ? rc_output_push_finish(reader, reason) : RC_OK;
}

rc_status rc_messages_read_event(rc_output_reader *reader, rc_str data)
{
    rc_piece ping = {.kind = RC_PIECE_PING};
    if (type_is(data, "content_block_delta"))
        return on_delta(reader, data);
    if (type_is(data, "content_block_start"))
        return on_block_start(reader, data);
    if (type_is(data, "content_block_stop"))
        return on_block_stop(reader);
    if (type_is(data, "message_start"))
        return on_message_start(reader, data);
    if (type_is(data, "message_delta"))
        return on_message_delta(reader, data);
    if (type_is(data, "message_stop"))
        return rc_output_push_end(reader);
    return type_is(data, "ping") ? rc_output_push(reader, &ping) : RC_OK;
}
