/* Reads responses of OpenAI's Responses API and passes them on as pieces (piece.h). Called by the
 * translator.
 *
 * A stream repeats its content: in the deltas, in the events *.done, and in the last event. Content
 * that came as deltas is read from the deltas only; an item without deltas is read from the first
 * event that has it whole. */
#include "base/str.h"
#include "dialect/translate/output.h"
#include "json/members.h"
#include "json/reader.h"

static bool type_is(rc_str object, const char *type)
{
    return rc_json_is_text(rc_json_member_text(object, RC_STR("type")), rc_str_c(type));
}

/* Returns the position of the item that an event is about. */
static uint32_t index_of(rc_str event)
{
    rc_json_raw_value index;
    int64_t number = 0;
    bool is_found = rc_json_member_find(event, RC_STR("output_index"), &index) &&
                    rc_json_to_i64(index.raw, &number) == RC_OK && number >= 0 &&
                    number < INT32_MAX;
    return is_found ? (uint32_t)number : 0;
}

/* The sets of items have one bit for each position; positions above the last bit share it, and
 * their content is read from deltas only. */
static uint64_t bit_of(uint32_t index)
{
    return UINT64_C(1) << (index < RC_OUTPUT_CALLS_MAX ? index : RC_OUTPUT_CALLS_MAX - 1);
}

static rc_status push_close(rc_output_reader *reader, rc_block_kind block, uint32_t index)
{
    rc_piece piece = {.kind = RC_PIECE_CLOSE, .block = block, .key = index};
    return rc_output_push(reader, &piece);
}

/* ---- calls ---- */

static bool is_custom(rc_str item)
{
    return type_is(item, "custom_tool_call");
}

static rc_status open_call(rc_output_reader *reader, rc_str item, uint32_t index)
{
    rc_piece piece = {.kind = RC_PIECE_OPEN,
                      .block = RC_BLOCK_CALL,
                      .key = index,
                      .id = rc_json_member_text(item, RC_STR("call_id")),
                      .name = rc_json_member_text(item, RC_STR("name")),
                      .is_custom = is_custom(item)};
    if (piece.name.len == 0)
        return RC_E_SYNTAX;
    reader->begun |= bit_of(index);
    return rc_output_push(reader, &piece);
}

static rc_status push_arguments(rc_output_reader *reader, rc_str raw, uint32_t index)
{
    rc_piece piece = {.kind = RC_PIECE_DELTA, .block = RC_BLOCK_CALL, .key = index, .text = raw};
    if (raw.len == 0)
        return RC_OK;
    reader->has_deltas |= bit_of(index);
    return rc_output_push(reader, &piece);
}

/* Reads a call that is whole: the parts that have not been read from other events. */
static rc_status read_call(rc_output_reader *reader, rc_str item, uint32_t index)
{
    rc_status status = RC_OK;
    rc_str key = is_custom(item) ? RC_STR("input") : RC_STR("arguments");
    if ((reader->begun & bit_of(index)) == 0)
        status = open_call(reader, item, index);
    if (status == RC_OK && (reader->has_deltas & bit_of(index)) == 0)
        status = push_arguments(reader, rc_json_member_text(item, key), index);
    return status == RC_OK ? push_close(reader, RC_BLOCK_CALL, index) : status;
}

/* ---- items ---- */

/* Passes on the texts of a list of parts as a block. */
static rc_status read_texts(rc_output_reader *reader, rc_block_kind block, rc_str item,
                            const char *name)
{
    rc_json_raw_value list;
    rc_status status = RC_OK;
    bool is_first = true;
    if (!rc_json_member_find(item, rc_str_c(name), &list) || list.first != '[')
        return RC_OK;
    rc_json_members m = rc_json_members_begin(list.raw);
    while (status == RC_OK && rc_json_members_next(&m)) {
        bool is_refusal = type_is(m.value.raw, "refusal");
        if (block == RC_BLOCK_THOUGHT && !is_first)
            status = rc_output_push_text(reader, block, RC_STR("\\n\\n"));
        is_first = false;
        if (status == RC_OK)
            status = rc_output_push_text(
                reader, is_refusal ? RC_BLOCK_REFUSAL : block,
                rc_json_member_text(m.value.raw, is_refusal ? RC_STR("refusal") : RC_STR("text")));
    }
    return status;
}

static rc_status read_message(rc_output_reader *reader, rc_str item, uint32_t index)
{
    rc_status status = RC_OK;
    if ((reader->has_deltas & bit_of(index)) == 0)
        status = read_texts(reader, RC_BLOCK_TEXT, item, "content");
    if (status == RC_OK)
        status = push_close(reader, RC_BLOCK_TEXT, index);
    return status == RC_OK ? push_close(reader, RC_BLOCK_REFUSAL, index) : status;
}

static rc_status read_reasoning(rc_output_reader *reader, rc_str item, uint32_t index)
{
    rc_piece piece = {.kind = RC_PIECE_STATE,
                      .block = RC_BLOCK_THOUGHT,
                      .id = rc_json_member_text(item, RC_STR("id")),
                      .text = rc_json_member_text(item, RC_STR("encrypted_content")),
                      .state_kind = RC_SEAL_THOUGHT};
    rc_status status = RC_OK;
    if ((reader->has_deltas & bit_of(index)) == 0) {
        status = read_texts(reader, RC_BLOCK_THOUGHT, item, "summary");
        if (status == RC_OK)
            status = read_texts(reader, RC_BLOCK_THOUGHT, item, "content");
    }
    if (status == RC_OK && piece.text.len > 0)
        status = rc_output_push(reader, &piece);
    return status == RC_OK ? push_close(reader, RC_BLOCK_THOUGHT, index) : status;
}

/* Reads an item that is whole, unless it was read before. */
static rc_status read_item(rc_output_reader *reader, rc_str item, uint32_t index)
{
    bool is_tracked = index < RC_OUTPUT_CALLS_MAX - 1;
    bool is_call = type_is(item, "function_call") || is_custom(item);
    if (is_tracked && (reader->done & bit_of(index)) != 0)
        return RC_OK;
    if (!is_tracked && is_call)
        return push_close(reader, RC_BLOCK_CALL, index);
    reader->done |= bit_of(index);
    if (is_call)
        return read_call(reader, item, index);
    if (!is_tracked && (reader->has_deltas & bit_of(index)) != 0)
        return RC_OK;
    if (type_is(item, "message"))
        return read_message(reader, item, index);
    return type_is(item, "reasoning") ? read_reasoning(reader, item, index) : RC_E_TYPE;
}

/* ---- the whole response ---- */

static rc_str end_reason(rc_str response)
{
    rc_json_raw_value details;
    rc_str status = rc_json_member_text(response, RC_STR("status"));
    if (rc_json_member_find(response, RC_STR("incomplete_details"), &details) &&
        rc_json_member_text(details.raw, RC_STR("reason")).len > 0)
        return rc_json_member_text(details.raw, RC_STR("reason"));
    if (rc_json_is_text(status, RC_STR("incomplete")))
        return RC_STR("max_output_tokens");
    return status.len > 0 ? status : RC_STR("completed");
}

static rc_status read_response(rc_output_reader *reader, rc_str response)
{
    rc_json_raw_value value;
    rc_status status = RC_OK;
    if (rc_json_member_find(response, RC_STR("usage"), &value))
        status = rc_output_push_usage(reader, value.raw);
    if (status == RC_OK && rc_json_member_find(response, RC_STR("output"), &value)) {
        rc_json_members m = rc_json_members_begin(value.raw);
        for (uint32_t i = 0; status == RC_OK && rc_json_members_next(&m); i++)
            if (m.value.first == '{')
                status = read_item(reader, m.value.raw, i);
    }
    if (status == RC_OK)
        status = rc_output_push_finish(reader, end_reason(response));
    return status == RC_OK ? rc_output_push_end(reader) : status;
}

rc_status rc_responses_read_body(rc_output_reader *reader, rc_str body)
{
    rc_json_raw_value output;
    bool has_output = rc_json_member_find(body, RC_STR("output"), &output) && output.first == '[';
    return has_output ? read_response(reader, body) : RC_E_SYNTAX;
}

/* ---- events ---- */

static rc_status on_item_added(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value item;
    if (!rc_json_member_find(event, RC_STR("item"), &item) || item.first != '{')
        return RC_OK;
    if (type_is(item.raw, "function_call") || is_custom(item.raw))
        return open_call(reader, item.raw, index_of(event));
    return type_is(item.raw, "message") || type_is(item.raw, "reasoning") ? RC_OK : RC_E_TYPE;
}

static rc_status on_item_done(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value item;
    if (!rc_json_member_find(event, RC_STR("item"), &item) || item.first != '{')
        return RC_OK;
    return read_item(reader, item.raw, index_of(event));
}

static rc_status on_text_delta(rc_output_reader *reader, rc_str event, rc_block_kind block)
{
    rc_str text = rc_json_member_text(event, RC_STR("delta"));
    if (text.len > 0)
        reader->has_deltas |= bit_of(index_of(event));
    return rc_output_push_text(reader, block, text);
}

static rc_status on_arguments_delta(rc_output_reader *reader, rc_str event)
{
    return push_arguments(reader, rc_json_member_text(event, RC_STR("delta")), index_of(event));
}

/* Reads the whole arguments of a call, unless they came as deltas. */
static rc_status on_arguments_done(rc_output_reader *reader, rc_str event, const char *name)
{
    uint32_t index = index_of(event);
    bool is_repeated = (reader->has_deltas & bit_of(index)) != 0;
    if (is_repeated || (reader->begun & bit_of(index)) == 0 || index >= RC_OUTPUT_CALLS_MAX - 1)
        return RC_OK;
    return push_arguments(reader, rc_json_member_text(event, rc_str_c(name)), index);
}

/* The parts of a summary are paragraphs of one block of reasoning. */
static rc_status on_summary_part(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value index;
    int64_t number = 0;
    if (!rc_json_member_find(event, RC_STR("summary_index"), &index) ||
        rc_json_to_i64(index.raw, &number) != RC_OK || number <= 0)
        return RC_OK;
    return rc_output_push_text(reader, RC_BLOCK_THOUGHT, RC_STR("\\n\\n"));
}

static rc_status on_end(rc_output_reader *reader, rc_str event)
{
    rc_json_raw_value response;
    if (!rc_json_member_find(event, RC_STR("response"), &response) || response.first != '{')
        return RC_E_SYNTAX;
    return read_response(reader, response.raw);
}

rc_status rc_responses_read_event(rc_output_reader *reader, rc_str data)
{
    rc_str type = rc_json_member_text(data, RC_STR("type"));
    rc_piece ping = {.kind = RC_PIECE_PING};
    if (rc_str_eq(type, RC_STR("response.output_text.delta")))
        return on_text_delta(reader, data, RC_BLOCK_TEXT);
    if (rc_str_eq(type, RC_STR("response.function_call_arguments.delta")) ||
        rc_str_eq(type, RC_STR("response.custom_tool_call_input.delta")))
        return on_arguments_delta(reader, data);
    if (rc_str_eq(type, RC_STR("response.reasoning_summary_text.delta")) ||
        rc_str_eq(type, RC_STR("response.reasoning_text.delta")))
        return on_text_delta(reader, data, RC_BLOCK_THOUGHT);
    if (rc_str_eq(type, RC_STR("response.refusal.delta")))
        return on_text_delta(reader, data, RC_BLOCK_REFUSAL);
    if (rc_str_eq(type, RC_STR("response.output_item.added")))
        return on_item_added(reader, data);
    if (rc_str_eq(type, RC_STR("response.output_item.done")))
        return on_item_done(reader, data);
    if (rc_str_eq(type, RC_STR("response.function_call_arguments.done")))
        return on_arguments_done(reader, data, "arguments");
    if (rc_str_eq(type, RC_STR("response.custom_tool_call_input.done")))
        return on_arguments_done(reader, data, "input");
    if (rc_str_eq(type, RC_STR("response.reasoning_summary_part.added")))
        return on_summary_part(reader, data);
    if (rc_str_eq(type, RC_STR("response.completed")) ||
        rc_str_eq(type, RC_STR("response.incomplete")))
        return on_end(reader, data);
    if (rc_str_eq(type, RC_STR("response.failed")) ||
        rc_str_eq(type, RC_STR("response.cancelled")) || rc_str_eq(type, RC_STR("error")))
        return RC_E_SYNTAX;
    bool is_ping = rc_str_eq(type, RC_STR("keepalive")) || rc_str_eq(type, RC_STR("ping"));
    return is_ping ? rc_output_push(reader, &ping) : RC_OK;
}
