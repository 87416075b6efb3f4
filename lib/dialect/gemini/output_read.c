/* Reads responses of Google's Gemini API and passes them on as pieces (piece.h). Called by the
 * translator. Each event of a stream has the form of a whole body. */
#include "base/str.h"
#include "dialect/gemini/member.h"
#include "dialect/translate/output.h"

/* Passes on the state of a part as reasoning, which ends with the state. */
static rc_status push_state(rc_output_reader *reader, rc_seal_kind kind, rc_str raw)
{
    rc_piece piece = {
        .kind = RC_PIECE_STATE, .block = RC_BLOCK_THOUGHT, .text = raw, .state_kind = kind};
    rc_piece close = {.kind = RC_PIECE_CLOSE, .block = RC_BLOCK_THOUGHT};
    if (raw.len == 0)
        return RC_OK;
    rc_status status = rc_output_push(reader, &piece);
    return status == RC_OK ? rc_output_push(reader, &close) : status;
}

/* Reads a call, which always is complete. The state of a call is passed on before the call. */
static rc_status read_call(rc_output_reader *reader, rc_str call, rc_str state)
{
    rc_json_raw_value args;
    rc_piece piece = {.kind = RC_PIECE_OPEN, .block = RC_BLOCK_CALL, .key = reader->next_key++};
    piece.id = rc_gemini_text(call, "id");
    piece.name = rc_gemini_text(call, "name");
    if (piece.name.len == 0)
        return RC_E_SYNTAX;
    rc_status status = push_state(reader, RC_SEAL_CALL, state);
    if (status == RC_OK)
        status = rc_output_push(reader, &piece);
    piece.kind = RC_PIECE_DELTA;
    piece.is_value = true;
    if (status == RC_OK && rc_gemini_find(call, "args", &args) && args.first == '{') {
        piece.text = args.raw;
        status = rc_output_push(reader, &piece);
    }
    piece.kind = RC_PIECE_CLOSE;
    return status == RC_OK ? rc_output_push(reader, &piece) : status;
}

static rc_status read_part(rc_output_reader *reader, rc_str part)
{
    rc_json_raw_value value;
    rc_json_raw_value thought;
    rc_str state = rc_gemini_text(part, "thoughtSignature");
    if (rc_gemini_find(part, "functionCall", &value) && value.first == '{')
        return read_call(reader, value.raw, state);
    bool is_text = rc_gemini_find(part, "text", &value) && value.first == '"';
    if (!is_text && state.len == 0) {
        rc_json_members m = rc_json_members_begin(part);
        return rc_json_members_next(&m) ? RC_E_TYPE : RC_OK; /* media, code that was run */
    }
    bool is_thought = rc_gemini_find(part, "thought", &thought) && thought.first == 't';
    rc_status status = RC_OK;
    if (is_text)
        status =
            rc_output_push_text(reader, is_thought ? RC_BLOCK_THOUGHT : RC_BLOCK_TEXT, value.raw);
    return status == RC_OK ? push_state(reader, is_thought ? RC_SEAL_THOUGHT : RC_SEAL_TEXT, state)
                           : status;
}

static rc_status read_candidate(rc_output_reader *reader, rc_str candidate)
{
    rc_json_raw_value content;
    rc_json_raw_value parts;
    rc_status status = RC_OK;
    if (!rc_gemini_find(candidate, "content", &content) || content.first != '{' ||
        !rc_gemini_find(content.raw, "parts", &parts) || parts.first != '[')
        return RC_OK;
    rc_json_members m = rc_json_members_begin(parts.raw);
    while (status == RC_OK && rc_json_members_next(&m))
        if (m.value.first == '{')
            status = read_part(reader, m.value.raw);
    return status;
}

/* Reads the first candidate only, because requests for several candidates are not translated.
 * Returns the reason of the end in *ret_reason; empty if the response continues. */
static rc_status read_response(rc_output_reader *reader, rc_str data, rc_str *ret_reason)
{
    rc_json_raw_value value;
    rc_status status = RC_OK;
    *ret_reason = rc_str_c(NULL);
    if (rc_gemini_find(data, "usageMetadata", &value))
        status = rc_output_push_usage(reader, value.raw);
    if (status == RC_OK && rc_gemini_find(data, "candidates", &value) && value.first == '[') {
        rc_json_members m = rc_json_members_begin(value.raw);
        if (rc_json_members_next(&m) && m.value.first == '{') {
            status = read_candidate(reader, m.value.raw);
            *ret_reason = rc_gemini_text(m.value.raw, "finishReason");
        }
    }
    if (rc_str_eq(*ret_reason, RC_STR("FINISH_REASON_UNSPECIFIED")))
        *ret_reason = rc_str_c(NULL);
    if (rc_gemini_find(data, "promptFeedback", &value) && value.first == '{' &&
        rc_gemini_text(value.raw, "blockReason").len > 0)
        *ret_reason = RC_STR("SAFETY"); /* the prompt was blocked */
    return status;
}

rc_status rc_gemini_read_event(rc_output_reader *reader, rc_str data)
{
    rc_str reason;
    rc_status status = read_response(reader, data, &reason);
    if (status != RC_OK || reason.len == 0)
        return status;
    /* Gemini has no terminator: the event with the reason is the last one. */
    status = rc_output_push_finish(reader, reason);
    return status == RC_OK ? rc_output_push_end(reader) : status;
}

rc_status rc_gemini_read_body(rc_output_reader *reader, rc_str body)
{
    rc_str reason;
    rc_status status = read_response(reader, body, &reason);
    if (status == RC_OK && reason.len > 0)
        status = rc_output_push_finish(reader, reason);
    return status == RC_OK ? rc_output_push_end(reader) : status;
}
