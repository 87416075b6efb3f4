/* Writes a conversation as a request of Anthropic's Messages API. Called by rc_translation_write.
 */
#include "base/str.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/write.h"

/* ---- content blocks ---- */

static void begin_block(rc_request_writer *w, const char *type)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", type);
}

static void put_text(rc_request_writer *w, rc_str raw)
{
    begin_block(w, "text");
    rc_json_member_escaped(&w->json, RC_STR("text"), raw);
    rc_json_object_end(&w->json);
}

static void put_media(rc_request_writer *w, const rc_part *part)
{
    bool is_url = (part->flags & RC_PART_IS_URL) != 0;
    bool is_file = part->kind == RC_PART_FILE;
    begin_block(w, is_file ? "document" : "image");
    rc_json_key(&w->json, RC_STR("source"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", is_url ? "url" : "base64");
    if (!is_url && part->name.len > 0)
        rc_write_string(w, "media_type", part->name);
    else if (!is_url)
        rc_write_word(w, "media_type", is_file ? "application/pdf" : "image/png");
    rc_write_string(w, is_url ? "url" : "data", part->content);
    rc_json_object_end(&w->json);
    if (is_file)
        rc_write_string(w, "title", part->id);
    rc_json_object_end(&w->json);
}

static void put_call(rc_request_writer *w, const rc_part *part)
{
    begin_block(w, "tool_use");
    rc_write_call_id(w, "id", part);
    rc_write_tool_name(w, "name", part->name);
    rc_write_arguments_object(w, "input", part);
    rc_json_object_end(&w->json);
}

static void put_part(rc_request_writer *w, const rc_part *part)
{
    switch ((rc_part_kind)part->kind) {
    case RC_PART_TEXT:
    case RC_PART_REFUSAL:
        begin_block(w, "text");
        rc_write_part_text(w, "text", part);
        rc_json_object_end(&w->json);
        break;
    case RC_PART_IMAGE:
    case RC_PART_FILE:
        put_media(w, part);
        break;
    case RC_PART_CALL:
        put_call(w, part);
        break;
    case RC_PART_AUDIO: /* a plan with audio is REFUSED */
    case RC_PART_RESULT:
    case RC_PART_THOUGHT: /* visible reasoning of other models is left out */
        break;
    }
}

static void put_result(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    begin_block(w, "tool_result");
    rc_write_call_id(w, "tool_use_id", &parts[from]);
    if ((parts[from].flags & RC_PART_IS_ERROR) != 0)
        rc_json_member_bool(&w->json, RC_STR("is_error"), true);
    if (end > from + 1) {
        rc_json_key(&w->json, RC_STR("content"));
        rc_json_array_begin(&w->json);
        for (size_t i = from + 1; i < end; i++)
            put_part(w, &parts[i]);
        rc_json_array_end(&w->json);
    }
    rc_json_object_end(&w->json);
}

/* ---- turns ---- */

/* The message that is being written. All neighbouring messages of one role are written as one
 * message, because Anthropic would join them. */
typedef struct open_message {
    bool is_open;
    bool is_user;
} open_message;

static void close_message(rc_request_writer *w, open_message *open)
{
    if (!open->is_open)
        return;
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
    open->is_open = false;
}

static void begin_message(rc_request_writer *w, const char *role)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "role", role);
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_array_begin(&w->json);
}

static void open_role(rc_request_writer *w, open_message *open, bool is_user)
{
    if (open->is_open && open->is_user == is_user)
        return;
    close_message(w, open);
    begin_message(w, is_user ? "user" : "assistant");
    *open = (open_message){.is_open = true, .is_user = is_user};
}

/* Writes the results of tools first, because each result must directly follow its call. */
static void put_user_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end,
                          open_message *open)
{
    open_role(w, open, true);
    for (size_t i = from; i < end; i++)
        if (parts[i].kind == RC_PART_RESULT)
            put_result(w, parts, i, rc_write_result_end(w, i));
    for (size_t i = from; i < end; i++)
        if ((parts[i].flags & RC_PART_IS_IN_RESULT) == 0)
            put_part(w, &parts[i]);
}

/* Writes reasoning that this target made and signed. text: the part that has the visible text, or
 * NULL. */
static void put_thinking_block(rc_request_writer *w, const rc_seal *seal, const rc_part *text)
{
    bool is_redacted = seal->kind == RC_SEAL_REDACTED;
    begin_block(w, is_redacted ? "redacted_thinking" : "thinking");
    if (!is_redacted && text != NULL)
        rc_write_part_text(w, "thinking", text);
    else if (!is_redacted)
        rc_write_word(w, "thinking", "");
    rc_write_plain(w, is_redacted ? "data" : "signature", seal->state);
    rc_json_object_end(&w->json);
}

static bool open_thinking(rc_request_writer *w, const rc_part *part, rc_seal *ret_seal)
{
    return part->state.len > 0 && rc_write_open_state(w, part, ret_seal) &&
           ret_seal->state.len > 0 &&
           (ret_seal->kind == RC_SEAL_THOUGHT || ret_seal->kind == RC_SEAL_REDACTED);
}

/* Writes the reasoning whose state the client returned with a call or a text. Chat clients return
 * the visible reasoning in another member, which is a part without a state. */
static void put_attached_thinking(rc_request_writer *w, const rc_part *parts, size_t from,
                                  size_t end, open_message *open)
{
    const rc_part *text = NULL;
    rc_seal seal;
    for (size_t i = from; i < end; i++) {
        if (parts[i].kind == RC_PART_THOUGHT && parts[i].state.len == 0)
            text = &parts[i];
        if (parts[i].kind == RC_PART_THOUGHT || !open_thinking(w, &parts[i], &seal))
            continue;
        open_role(w, open, false);
        put_thinking_block(w, &seal, text);
        text = NULL;
    }
}

static void put_model_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end,
                           open_message *open)
{
    rc_seal seal;
    put_attached_thinking(w, parts, from, end, open);
    for (size_t i = from; i < end; i++) {
        bool is_thought = parts[i].kind == RC_PART_THOUGHT;
        if (is_thought && !open_thinking(w, &parts[i], &seal))
            continue;
        open_role(w, open, false);
        if (is_thought)
            put_thinking_block(w, &seal, &parts[i]);
        else
            put_part(w, &parts[i]);
    }
}

static void put_tagged_text(rc_request_writer *w, rc_str raw)
{
    begin_block(w, "text");
    rc_json_key(&w->json, RC_STR("text"));
    rc_json_raw(&w->json, RC_STR("\"<system>"));
    rc_buf_push(w->json.buf, raw);
    rc_buf_push(w->json.buf, RC_STR("</system>\""));
    rc_json_object_end(&w->json);
}

/* Writes a system turn between other turns: as a system message if the model accepts one there,
 * otherwise as text in tags in a user's message. */
static void put_mid_system(rc_request_writer *w, const rc_part *parts, size_t from, size_t end,
                           open_message *open)
{
    if (!w->plan->has_mid_system) {
        open_role(w, open, true);
        for (size_t i = from; i < end; i++)
            put_tagged_text(w, rc_write_text(w, parts[i].content));
        return;
    }
    close_message(w, open);
    begin_message(w, "system");
    for (size_t i = from; i < end; i++)
        put_part(w, &parts[i]);
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
}

static size_t first_turn(const rc_request_writer *w)
{
    size_t count = 0;
    size_t first = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    while (first < count && parts[first].role <= RC_ROLE_DEVELOPER)
        first++;
    return first;
}

static void put_system(rc_request_writer *w)
{
    size_t count = 0;
    size_t first = first_turn(w);
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    if (first == 0)
        return;
    rc_json_key(&w->json, RC_STR("system"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < first; i++)
        put_part(w, &parts[i]);
    rc_json_array_end(&w->json);
}

static void put_messages(rc_request_writer *w)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    open_message open = {.is_open = false};
    rc_json_key(&w->json, RC_STR("messages"));
    rc_json_array_begin(&w->json);
    if ((w->plan->adapted & RC_FEATURE_BIT(FIRST_TURN)) != 0) {
        open_role(w, &open, true);
        put_text(w, RC_STR(RC_WRITE_FIRST_TURN));
    }
    for (size_t from = first_turn(w); from < count;) {
        size_t end = rc_write_turn_end(w, from);
        if (parts[from].role == RC_ROLE_ASSISTANT)
            put_model_turn(w, parts, from, end, &open);
        else if (parts[from].role == RC_ROLE_USER)
            put_user_turn(w, parts, from, end, &open);
        else
            put_mid_system(w, parts, from, end, &open);
        from = end;
    }
    close_message(w, &open);
    rc_json_array_end(&w->json);
}

/* ---- tools ---- */

static void put_tool(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", tool->name);
    rc_write_string(w, "description", tool->description);
    rc_json_key(&w->json, RC_STR("input_schema"));
    rc_json_raw(&w->json, RC_STR(""));
    rc_schema_write(rc_write_text(w, tool->schema), rc_schema_rules_of_tool(tool, w->dialect),
                    w->json.buf);
    if (tool->strict == RC_TRUE)
        rc_json_member_bool(&w->json, RC_STR("strict"), true);
    rc_json_object_end(&w->json);
}

/* Returns whether an earlier call in the history calls the same tool. */
static bool is_repeated(const rc_request_writer *w, const rc_part *parts, size_t at)
{
    rc_str name = rc_write_text(w, parts[at].name);
    for (size_t i = 0; i < at; i++)
        if (parts[i].kind == RC_PART_CALL && rc_str_eq(rc_write_text(w, parts[i].name), name))
            return true;
    return false;
}

/* Declares the tools that the calls of the history name, because Anthropic refuses calls in the
 * history if the request declares no tools. */
static void put_implied_tools(rc_request_writer *w)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    for (size_t i = 0; i < count; i++)
        if (parts[i].kind == RC_PART_CALL && !is_repeated(w, parts, i))
            put_tool(w, &(rc_tool_decl){.name = parts[i].name});
}

static void put_choice(rc_request_writer *w)
{
    static const char *const words[] = {[RC_CHOICE_UNSET] = "auto",
                                        [RC_CHOICE_AUTO] = "auto",
                                        [RC_CHOICE_NONE] = "none",
                                        [RC_CHOICE_REQUIRED] = "any",
                                        [RC_CHOICE_NAMED] = "tool"};
    const rc_conversation *c = w->c;
    if (c->choice == RC_CHOICE_UNSET && !c->is_parallel_off)
        return;
    rc_json_key(&w->json, RC_STR("tool_choice"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", words[c->choice]);
    if (c->choice == RC_CHOICE_NAMED)
        rc_write_tool_name(w, "name", c->choice_name);
    if (c->is_parallel_off && c->choice != RC_CHOICE_NONE)
        rc_json_member_bool(&w->json, RC_STR("disable_parallel_tool_use"), true);
    rc_json_object_end(&w->json);
}

static void put_tools(rc_request_writer *w)
{
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(w->c, &count);
    bool is_implied = (w->c->features & RC_FEATURE_BIT(TOOLS_IMPLIED)) != 0;
    if (count == 0 && !is_implied)
        return;
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        if (rc_write_is_allowed(w, &tools[i]))
            put_tool(w, &tools[i]);
    if (is_implied)
        put_implied_tools(w);
    rc_json_array_end(&w->json);
    if (count > 0)
        put_choice(w);
}

/* ---- settings ---- */

static void put_stops(rc_request_writer *w)
{
    bool has_begun = false;
    for (size_t i = 0; i < w->c->stop_count; i++) {
        rc_str raw = rc_write_text(w, w->c->stops[i]);
        if (rc_write_is_blank(raw))
            continue;
        if (!has_begun) {
            rc_json_key(&w->json, RC_STR("stop_sequences"));
            rc_json_array_begin(&w->json);
        }
        has_begun = true;
        rc_json_string_escaped(&w->json, raw);
    }
    if (has_begun)
        rc_json_array_end(&w->json);
}

static void put_thinking(rc_request_writer *w)
{
    bool is_adaptive = w->plan->thinking == RC_PLAN_THINKING_ADAPTIVE;
    if (!is_adaptive && w->plan->thinking != RC_PLAN_THINKING_BUDGET)
        return;
    rc_json_key(&w->json, RC_STR("thinking"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", is_adaptive ? "adaptive" : "enabled");
    if (is_adaptive)
        rc_write_word(w, "display", w->c->sees_thoughts ? "summarized" : "omitted");
    else
        rc_write_count(w, "budget_tokens", w->plan->thought_budget);
    rc_json_object_end(&w->json);
}

static void put_output_config(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    bool has_effort =
        w->plan->thinking == RC_PLAN_THINKING_ADAPTIVE && w->plan->effort != RC_EFFORT_UNSET;
    if (!has_effort && c->format != RC_OUTPUT_SCHEMA)
        return;
    rc_json_key(&w->json, RC_STR("output_config"));
    rc_json_object_begin(&w->json);
    if (has_effort)
        rc_json_member_escaped(&w->json, RC_STR("effort"), rc_effort_word(w->plan->effort));
    if (c->format == RC_OUTPUT_SCHEMA) {
        rc_json_key(&w->json, RC_STR("format"));
        rc_json_object_begin(&w->json);
        rc_write_word(w, "type", "json_schema");
        rc_json_key(&w->json, RC_STR("schema"));
        rc_json_raw(&w->json, RC_STR(""));
        rc_schema_write(rc_write_text(w, c->schema),
                        rc_schema_rules_of_response(c->is_schema_gemini, w->dialect), w->json.buf);
        rc_json_object_end(&w->json);
    }
    rc_json_object_end(&w->json);
}

void rc_messages_write_request(rc_request_writer *w)
{
    const rc_translation_plan *plan = w->plan;
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("model"), plan->target->model);
    rc_write_count(w, "max_tokens", plan->max_tokens);
    put_system(w);
    put_messages(w);
    put_tools(w);
    put_stops(w);
    if (plan->has_temperature && plan->is_temperature_capped)
        rc_write_count(w, "temperature", 1);
    else if (plan->has_temperature)
        rc_write_raw(w, "temperature", w->c->temperature);
    if (plan->has_top_p)
        rc_write_raw(w, "top_p", w->c->top_p);
    if (plan->has_top_k)
        rc_write_raw(w, "top_k", w->c->top_k);
    put_thinking(w);
    put_output_config(w);
    if (w->c->is_stream)
        rc_json_member_bool(&w->json, RC_STR("stream"), true);
    rc_json_object_end(&w->json);
}
