/* Writes the items of a Responses request. Called by request_write.c. */
#include "base/str.h"
#include "dialect/responses/request_write.h"
#include "dialect/translate/identifier.h"

#define ID_HASH_DIGITS 24

/* ---- content parts ---- */

static void put_text(rc_request_writer *w, const rc_part *part)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "input_text");
    rc_write_part_text(w, "text", part);
    rc_json_object_end(&w->json);
}

static void put_image(rc_request_writer *w, const rc_part *part)
{
    static const char *const details[] = {[RC_IMAGE_DETAIL_AUTO] = "auto",
                                          [RC_IMAGE_DETAIL_LOW] = "low",
                                          [RC_IMAGE_DETAIL_HIGH] = "high",
                                          [RC_IMAGE_DETAIL_ORIGINAL] = "original"};
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "input_image");
    if ((part->flags & RC_PART_IS_URL) != 0)
        rc_write_string(w, "image_url", part->content);
    else
        rc_write_data_url(w, "image_url", part, RC_STR("image/png"));
    rc_write_word(w, "detail", details[part->detail]);
    rc_json_object_end(&w->json);
}

static void put_file(rc_request_writer *w, const rc_part *part)
{
    bool is_url = (part->flags & RC_PART_IS_URL) != 0;
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "input_file");
    if (part->id.len > 0)
        rc_write_string(w, "filename", part->id);
    else if (!is_url)
        rc_write_word(w, "filename", "document.pdf");
    if (is_url)
        rc_write_string(w, "file_url", part->content);
    else
        rc_write_data_url(w, "file_data", part, RC_STR("application/pdf"));
    rc_json_object_end(&w->json);
}

static void put_part(rc_request_writer *w, const rc_part *part)
{
    switch ((rc_part_kind)part->kind) {
    case RC_PART_IMAGE:
        put_image(w, part);
        break;
    case RC_PART_FILE:
        put_file(w, part);
        break;
    case RC_PART_TEXT:
        put_text(w, part);
        break;
    case RC_PART_AUDIO: /* a plan with audio is REFUSED */
    case RC_PART_REFUSAL:
    case RC_PART_CALL:
    case RC_PART_RESULT:
    case RC_PART_THOUGHT:
        break;
    }
}

/* ---- messages ---- */

/* Writes a message with one text. */
static void put_message(rc_request_writer *w, const char *role, const rc_part *text)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "role", role);
    rc_write_part_text(w, "content", text);
    rc_json_object_end(&w->json);
}

static bool is_user_content(const rc_part *part)
{
    bool is_in_result = (part->flags & RC_PART_IS_IN_RESULT) != 0;
    return !is_in_result && (rc_write_is_media(part) || part->kind == RC_PART_TEXT);
}

static void put_user_message(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    const rc_part *first = NULL;
    size_t count = 0;
    for (size_t i = from; i < end; i++)
        if (is_user_content(&parts[i]) && count++ == 0)
            first = &parts[i];
    if (first == NULL)
        return;
    if (count == 1 && first->kind == RC_PART_TEXT) {
        put_message(w, "user", first);
        return;
    }
    rc_json_object_begin(&w->json);
    rc_write_word(w, "role", "user");
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_array_begin(&w->json);
    for (size_t i = from; i < end; i++)
        if (is_user_content(&parts[i]))
            put_part(w, &parts[i]);
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
}

/* ---- results ---- */

/* Returns the only text of a result, or NULL if the result has several parts or media. */
static const rc_part *sole_text(const rc_part *parts, size_t from, size_t end)
{
    return end == from + 2 && parts[from + 1].kind == RC_PART_TEXT ? &parts[from + 1] : NULL;
}

static void put_output(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    const rc_part *text = sole_text(parts, from, end);
    bool is_error = (parts[from].flags & RC_PART_IS_ERROR) != 0;
    for (size_t i = from + 1; i < end && is_error; i++)
        if (parts[i].kind == RC_PART_TEXT)
            is_error = !rc_write_says_error(rc_write_text(w, parts[i].content));
    rc_json_key(&w->json, RC_STR("output"));
    if (text != NULL || end == from + 1) {
        rc_json_raw(&w->json, is_error ? RC_STR("\"Error: ") : RC_STR("\""));
        if (text != NULL)
            rc_write_push_text(w, text);
        rc_buf_push_byte(w->json.buf, '"');
        return;
    }
    rc_json_array_begin(&w->json);
    if (is_error)
        rc_json_raw(&w->json, RC_STR("{\"type\":\"input_text\",\"text\":\"Error: \"}"));
    for (size_t i = from + 1; i < end; i++)
        put_part(w, &parts[i]);
    rc_json_array_end(&w->json);
}

static void put_result(rc_request_writer *w, const rc_part *parts, size_t from)
{
    size_t end = rc_write_result_end(w, from);
    const rc_part *call = rc_write_find_call(w, &parts[from]);
    bool is_custom = (parts[from].flags & RC_PART_IS_CUSTOM) != 0 ||
                     (call != NULL && (call->flags & RC_PART_IS_CUSTOM) != 0);
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", is_custom ? "custom_tool_call_output" : "function_call_output");
    rc_write_call_id(w, "call_id", &parts[from]);
    put_output(w, parts, from, end);
    rc_json_object_end(&w->json);
}

static void put_user_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        if (parts[i].kind == RC_PART_RESULT)
            put_result(w, parts, i);
    put_user_message(w, parts, from, end);
}

/* ---- the model's turns ---- */

static void put_call(rc_request_writer *w, const rc_part *part)
{
    bool is_custom = (part->flags & RC_PART_IS_CUSTOM) != 0;
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", is_custom ? "custom_tool_call" : "function_call");
    rc_write_call_id(w, "call_id", part);
    rc_write_tool_name(w, "name", part->name);
    rc_write_arguments_string(w, is_custom ? "input" : "arguments", part);
    rc_json_object_end(&w->json);
}

static void put_reasoning_id(rc_request_writer *w, const rc_seal *seal)
{
    if (seal->id.len > 0) {
        rc_write_plain(w, "id", seal->id);
        return;
    }
    rc_json_key(&w->json, RC_STR("id"));
    rc_json_raw(&w->json, RC_STR("\"rs_"));
    rc_identifier_push_hash(w->json.buf, seal->state, ID_HASH_DIGITS);
    rc_buf_push_byte(w->json.buf, '"');
}

/* Writes reasoning whose state this target made. text: the part that has the visible text, or
 * NULL. */
static void put_reasoning(rc_request_writer *w, const rc_seal *seal, const rc_part *text)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "reasoning");
    put_reasoning_id(w, seal);
    rc_json_key(&w->json, RC_STR("summary"));
    rc_json_array_begin(&w->json);
    if (text != NULL && text->content.len > 0) {
        rc_json_object_begin(&w->json);
        rc_write_word(w, "type", "summary_text");
        rc_write_part_text(w, "text", text);
        rc_json_object_end(&w->json);
    }
    rc_json_array_end(&w->json);
    rc_write_plain(w, "encrypted_content", seal->state);
    rc_json_object_end(&w->json);
}

/* Writes a turn of the model. Chat clients return the state of reasoning with a call, and the
 * visible text in a part of its own. */
static void put_model_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    const rc_part *text = NULL;
    for (size_t i = from; i < end; i++) {
        rc_seal seal;
        bool is_thought = parts[i].kind == RC_PART_THOUGHT;
        bool is_sealed = parts[i].state.len > 0 && rc_write_open_state(w, &parts[i], &seal) &&
                         seal.kind == RC_SEAL_THOUGHT && seal.state.len > 0;
        if (is_sealed)
            put_reasoning(w, &seal, is_thought ? &parts[i] : text);
        if (is_sealed || is_thought)
            text = is_sealed ? NULL : &parts[i];
        if (parts[i].kind == RC_PART_CALL)
            put_call(w, &parts[i]);
        else if (parts[i].kind == RC_PART_TEXT || parts[i].kind == RC_PART_REFUSAL)
            put_message(w, "assistant", &parts[i]);
    }
}

/* ---- system ---- */

static bool is_system(const rc_part *part)
{
    return part->role <= RC_ROLE_DEVELOPER;
}

/* Writes the system texts before the first turn as instructions, with blank lines between them.
 * System messages of a Chat Completions request are written as items instead. Returns the index
 * after the parts that were written. */
static size_t put_instructions(rc_request_writer *w, const rc_part *parts, size_t count)
{
    size_t end = 0;
    while (end < count && is_system(&parts[end]))
        end++;
    if (end == 0 || w->c->dialect == RC_DIALECT_OPENAI_CHAT)
        return 0;
    rc_json_key(&w->json, RC_STR("instructions"));
    rc_json_raw(&w->json, RC_STR("\""));
    for (size_t i = 0; i < end; i++) {
        if (i > 0)
            rc_buf_push(w->json.buf, RC_STR("\\n\\n"));
        rc_write_push_text(w, &parts[i]);
    }
    rc_buf_push_byte(w->json.buf, '"');
    return end;
}

static void put_system_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    bool keeps_role = w->c->dialect == RC_DIALECT_OPENAI_CHAT;
    for (size_t i = from; i < end; i++)
        put_message(w, keeps_role && parts[i].role == RC_ROLE_SYSTEM ? "system" : "developer",
                    &parts[i]);
}

void rc_responses_write_items(rc_request_writer *w)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    size_t first = put_instructions(w, parts, count);
    rc_json_key(&w->json, RC_STR("input"));
    rc_json_array_begin(&w->json);
    for (size_t from = first; from < count;) {
        size_t end = rc_write_turn_end(w, from);
        if (parts[from].role == RC_ROLE_ASSISTANT)
            put_model_turn(w, parts, from, end);
        else if (parts[from].role == RC_ROLE_USER)
            put_user_turn(w, parts, from, end);
        else
            put_system_turn(w, parts, from, end);
        from = end;
    }
    rc_json_array_end(&w->json);
}
