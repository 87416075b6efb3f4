/* Writes a conversation as a request of OpenAI's Chat Completions API. Called by
 * rc_translation_write. */
#include "base/str.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/write.h"

/* ---- content parts ---- */

static void put_image(rc_request_writer *w, const rc_part *part)
{
    static const char *const details[] = {[RC_IMAGE_DETAIL_LOW] = "low",
                                          [RC_IMAGE_DETAIL_HIGH] = "high",
                                          [RC_IMAGE_DETAIL_ORIGINAL] = "high"};
    rc_write_word(w, "type", "image_url");
    rc_json_key(&w->json, RC_STR("image_url"));
    rc_json_object_begin(&w->json);
    if ((part->flags & RC_PART_IS_URL) != 0)
        rc_write_string(w, "url", part->content);
    else
        rc_write_data_url(w, "url", part, RC_STR("image/png"));
    if (part->detail != RC_IMAGE_DETAIL_AUTO)
        rc_write_word(w, "detail", details[part->detail]);
    rc_json_object_end(&w->json);
}

static void put_file(rc_request_writer *w, const rc_part *part)
{
    rc_write_word(w, "type", "file");
    rc_json_key(&w->json, RC_STR("file"));
    rc_json_object_begin(&w->json);
    if (part->id.len > 0)
        rc_write_string(w, "filename", part->id);
    else
        rc_write_word(w, "filename", "document.pdf");
    rc_write_data_url(w, "file_data", part, RC_STR("application/pdf"));
    rc_json_object_end(&w->json);
}

static void put_audio(rc_request_writer *w, const rc_part *part)
{
    rc_write_word(w, "type", "input_audio");
    rc_json_key(&w->json, RC_STR("input_audio"));
    rc_json_object_begin(&w->json);
    rc_write_string(w, "data", part->content);
    rc_write_string(w, "format", part->name);
    rc_json_object_end(&w->json);
}

static void put_part(rc_request_writer *w, const rc_part *part)
{
    rc_json_object_begin(&w->json);
    switch ((rc_part_kind)part->kind) {
    case RC_PART_IMAGE:
        put_image(w, part);
        break;
    case RC_PART_FILE:
        put_file(w, part);
        break;
    case RC_PART_AUDIO:
        put_audio(w, part);
        break;
    case RC_PART_TEXT:
    case RC_PART_REFUSAL:
    case RC_PART_CALL:
    case RC_PART_RESULT:
    case RC_PART_THOUGHT:
        rc_write_word(w, "type", "text");
        rc_write_part_text(w, "text", part);
        break;
    }
    rc_json_object_end(&w->json);
}

/* The content of one message: those parts between `from` and `end` for which is_selected returns
 * true. */
typedef struct content {
    const rc_part *parts;
    size_t from;
    size_t end;
    bool is_in_result;
} content;

static bool is_selected(const content *of, const rc_part *part)
{
    bool is_in_result = (part->flags & RC_PART_IS_IN_RESULT) != 0;
    bool is_text = part->kind == RC_PART_TEXT;
    /* Images and files of a tool's result are written after all results, in the user's message. */
    if (of->is_in_result)
        return is_in_result && is_text;
    return rc_write_is_media(part) || (is_text && !is_in_result);
}

static size_t count_selected(const content *of, const rc_part **ret_first)
{
    size_t count = 0;
    for (size_t i = of->from; i < of->end; i++) {
        if (!is_selected(of, &of->parts[i]))
            continue;
        if (count++ == 0)
            *ret_first = &of->parts[i];
    }
    return count;
}

/* Writes the member content. One text is a plain string, which every compatible server accepts. */
static void put_content(rc_request_writer *w, const content *of, rc_str prefix)
{
    const rc_part *first = NULL;
    size_t count = count_selected(of, &first);
    rc_json_key(&w->json, RC_STR("content"));
    if (count == 0 || (count == 1 && first->kind == RC_PART_TEXT)) {
        rc_json_raw(&w->json, RC_STR("\""));
        rc_buf_push(w->json.buf, prefix);
        if (count == 1)
            rc_write_push_text(w, first);
        rc_buf_push_byte(w->json.buf, '"');
        return;
    }
    rc_json_array_begin(&w->json);
    if (prefix.len > 0) {
        rc_json_object_begin(&w->json);
        rc_write_word(w, "type", "text");
        rc_json_member_escaped(&w->json, RC_STR("text"), prefix);
        rc_json_object_end(&w->json);
    }
    for (size_t i = of->from; i < of->end; i++)
        if (is_selected(of, &of->parts[i]))
            put_part(w, &of->parts[i]);
    rc_json_array_end(&w->json);
}

/* ---- messages ---- */

static void begin_message(rc_request_writer *w, const char *role)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "role", role);
}

static void put_result(rc_request_writer *w, const rc_part *parts, size_t from)
{
    size_t end = rc_write_result_end(w, from);
    content of = {.parts = parts, .from = from + 1, .end = end, .is_in_result = true};
    const rc_part *first = NULL;
    bool has_text = count_selected(&of, &first) > 0;
    bool is_error = (parts[from].flags & RC_PART_IS_ERROR) != 0;
    bool says_error = has_text && rc_write_says_error(rc_write_text(w, first->content));
    begin_message(w, "tool");
    rc_write_call_id(w, "tool_call_id", &parts[from]);
    put_content(w, &of, is_error && !says_error ? RC_STR("Error: ") : RC_STR(""));
    rc_json_object_end(&w->json);
}

static void put_user_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    content of = {.parts = parts, .from = from, .end = end};
    const rc_part *first = NULL;
    for (size_t i = from; i < end; i++)
        if (parts[i].kind == RC_PART_RESULT)
            put_result(w, parts, i);
    if (count_selected(&of, &first) == 0)
        return;
    begin_message(w, "user");
    put_content(w, &of, RC_STR(""));
    rc_json_object_end(&w->json);
}

/* Writes the state of a call that this target made, which only Gemini's OpenAI-compatible endpoint
 * does. */
static void put_call_state(rc_request_writer *w, const rc_part *with_state)
{
    rc_seal seal;
    if (with_state == NULL || !rc_write_open_state(w, with_state, &seal) ||
        seal.kind != RC_SEAL_CALL || seal.state.len == 0)
        return;
    rc_json_key(&w->json, RC_STR("extra_content"));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("google"));
    rc_json_object_begin(&w->json);
    rc_write_plain(w, "thought_signature", seal.state);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

/* Writes a call. with_state: the part that has the state of the call, or NULL. */
static void put_call(rc_request_writer *w, const rc_part *part, const rc_part *with_state)
{
    bool is_custom = (part->flags & RC_PART_IS_CUSTOM) != 0;
    rc_json_object_begin(&w->json);
    rc_write_call_id(w, "id", part);
    put_call_state(w, with_state);
    rc_write_word(w, "type", is_custom ? "custom" : "function");
    rc_json_key(&w->json, is_custom ? RC_STR("custom") : RC_STR("function"));
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", part->name);
    rc_write_arguments_string(w, is_custom ? "input" : "arguments", part);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

/* Writes the calls of a turn. The state of a call is in the call itself or in the reasoning before
 * it. */
static void put_calls(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    const rc_part *before = NULL;
    for (size_t i = from; i < end; i++) {
        if (parts[i].kind == RC_PART_THOUGHT && parts[i].state.len > 0)
            before = &parts[i];
        if (parts[i].kind != RC_PART_CALL)
            continue;
        put_call(w, &parts[i], parts[i].state.len > 0 ? &parts[i] : before);
        before = NULL;
    }
}

static size_t count_kind(const rc_part *parts, size_t from, size_t end, rc_part_kind kind)
{
    size_t count = 0;
    for (size_t i = from; i < end; i++)
        count += parts[i].kind == kind;
    return count;
}

static void put_refusal(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        if (parts[i].kind != RC_PART_REFUSAL)
            continue;
        rc_write_string(w, "refusal", parts[i].content);
        return;
    }
}

static void put_model_turn(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    content of = {.parts = parts, .from = from, .end = end};
    const rc_part *first = NULL;
    size_t call_count = count_kind(parts, from, end, RC_PART_CALL);
    bool has_text = count_selected(&of, &first) > 0;
    bool has_refusal = count_kind(parts, from, end, RC_PART_REFUSAL) > 0;
    if (!has_text && call_count == 0 && !has_refusal)
        return; /* the turn contains only reasoning, which is not written */
    begin_message(w, "assistant");
    if (has_text)
        put_content(w, &of, RC_STR(""));
    put_refusal(w, parts, from, end);
    if (call_count > 0) {
        rc_json_key(&w->json, RC_STR("tool_calls"));
        rc_json_array_begin(&w->json);
        put_calls(w, parts, from, end);
        rc_json_array_end(&w->json);
    }
    rc_json_object_end(&w->json);
}

/* Writes neighbouring system texts as one message with blank lines between them. */
static void put_system(rc_request_writer *w, const rc_part *parts, size_t from, size_t end)
{
    begin_message(w, "system");
    rc_json_key(&w->json, RC_STR("content"));
    rc_json_raw(&w->json, RC_STR("\""));
    for (size_t i = from; i < end; i++) {
        if (i > from)
            rc_buf_push(w->json.buf, RC_STR("\\n\\n"));
        rc_buf_push(w->json.buf, rc_write_text(w, parts[i].content));
    }
    rc_buf_push_byte(w->json.buf, '"');
    rc_json_object_end(&w->json);
}

static size_t system_end(const rc_part *parts, size_t from, size_t count)
{
    size_t end = from;
    while (end < count && parts[end].role <= RC_ROLE_DEVELOPER)
        end++;
    return end;
}

static void put_messages(rc_request_writer *w)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    rc_json_key(&w->json, RC_STR("messages"));
    rc_json_array_begin(&w->json);
    for (size_t from = 0; from < count;) {
        size_t end = rc_write_turn_end(w, from);
        if (parts[from].role == RC_ROLE_ASSISTANT) {
            put_model_turn(w, parts, from, end);
        } else if (parts[from].role == RC_ROLE_USER) {
            put_user_turn(w, parts, from, end);
        } else {
            end = system_end(parts, from, count);
            put_system(w, parts, from, end);
        }
        from = end;
    }
    rc_json_array_end(&w->json);
}

/* ---- tools ---- */

static void put_function(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_key(&w->json, RC_STR("function"));
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", tool->name);
    rc_write_string(w, "description", tool->description);
    if (tool->schema.len > 0) {
        rc_json_key(&w->json, RC_STR("parameters"));
        rc_json_raw(&w->json, RC_STR(""));
        rc_schema_write(rc_write_text(w, tool->schema), rc_schema_rules_of_tool(tool, w->dialect),
                        w->json.buf);
    }
    if (tool->strict != RC_UNSET)
        rc_json_member_bool(&w->json, RC_STR("strict"), tool->strict == RC_TRUE);
    rc_json_object_end(&w->json);
}

static void put_custom(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_key(&w->json, RC_STR("custom"));
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", tool->name);
    rc_write_string(w, "description", tool->description);
    rc_write_custom_format(w, tool);
    rc_json_object_end(&w->json);
}

static void put_named(rc_request_writer *w, rc_span name)
{
    const char *type = rc_write_is_custom(w, name) ? "custom" : "function";
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", type);
    rc_json_key(&w->json, rc_str_c(type));
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", name);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

static void put_allowed(rc_request_writer *w)
{
    size_t count = 0;
    const rc_span *allowed = rc_conversation_allowed(w->c, &count);
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "allowed_tools");
    rc_json_key(&w->json, RC_STR("allowed_tools"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "mode", w->c->choice == RC_CHOICE_REQUIRED ? "required" : "auto");
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        put_named(w, allowed[i]);
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

static void put_choice(rc_request_writer *w)
{
    static const char *const words[] = {
        [RC_CHOICE_AUTO] = "auto", [RC_CHOICE_NONE] = "none", [RC_CHOICE_REQUIRED] = "required"};
    if (w->c->choice == RC_CHOICE_UNSET && !w->c->has_allowed_tools)
        return;
    rc_json_key(&w->json, RC_STR("tool_choice"));
    if (w->c->has_allowed_tools)
        put_allowed(w);
    else if (w->c->choice == RC_CHOICE_NAMED)
        put_named(w, w->c->choice_name);
    else
        rc_json_string(&w->json, rc_str_c(words[w->c->choice]));
}

static void put_tools(rc_request_writer *w)
{
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(w->c, &count);
    if (count == 0)
        return;
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++) {
        rc_json_object_begin(&w->json);
        rc_write_word(w, "type", tools[i].is_custom ? "custom" : "function");
        if (tools[i].is_custom)
            put_custom(w, &tools[i]);
        else
            put_function(w, &tools[i]);
        rc_json_object_end(&w->json);
    }
    rc_json_array_end(&w->json);
    put_choice(w);
    if (w->c->is_parallel_off)
        rc_json_member_bool(&w->json, RC_STR("parallel_tool_calls"), false);
}

/* ---- settings ---- */

static void put_stops(rc_request_writer *w)
{
    if (w->c->stop_count == 0)
        return;
    rc_json_key(&w->json, RC_STR("stop"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < w->c->stop_count; i++)
        rc_json_string_escaped(&w->json, rc_write_text(w, w->c->stops[i]));
    rc_json_array_end(&w->json);
}

static void put_schema(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    rc_json_key(&w->json, RC_STR("json_schema"));
    rc_json_object_begin(&w->json);
    if (c->schema_name.len > 0)
        rc_write_tool_name(w, "name", c->schema_name);
    else
        rc_write_word(w, "name", "answer");
    rc_write_string(w, "description", c->schema_description);
    rc_json_key(&w->json, RC_STR("schema"));
    rc_json_raw(&w->json, RC_STR(""));
    rc_schema_write(rc_write_text(w, c->schema),
                    rc_schema_rules_of_response(c->is_schema_gemini, w->dialect), w->json.buf);
    rc_json_member_bool(&w->json, RC_STR("strict"), w->plan->is_schema_strict);
    rc_json_object_end(&w->json);
}

static void put_format(rc_request_writer *w)
{
    if (w->c->format == RC_OUTPUT_TEXT)
        return;
    rc_json_key(&w->json, RC_STR("response_format"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", w->c->format == RC_OUTPUT_JSON ? "json_object" : "json_schema");
    if (w->c->format == RC_OUTPUT_SCHEMA)
        put_schema(w);
    rc_json_object_end(&w->json);
}

static void put_sampling(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    if (w->plan->has_temperature)
        rc_write_raw(w, "temperature", c->temperature);
    if (w->plan->has_top_p)
        rc_write_raw(w, "top_p", c->top_p);
    rc_write_raw(w, "seed", c->seed);
    rc_write_raw(w, "presence_penalty", c->presence_penalty);
    rc_write_raw(w, "frequency_penalty", c->frequency_penalty);
}

/* Writes the members that only OpenAI's two dialects have. */
static void put_account(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    if (c->dialect != RC_DIALECT_OPENAI_CHAT && c->dialect != RC_DIALECT_OPENAI_RESPONSES)
        return;
    rc_write_raw(w, "user", c->user);
    rc_write_raw(w, "metadata", c->metadata);
    rc_write_raw(w, "service_tier", c->service_tier);
    rc_write_raw(w, "verbosity", c->verbosity);
    if (c->store != RC_UNSET && w->plan->target->is_openai)
        rc_json_member_bool(&w->json, RC_STR("store"), c->store == RC_TRUE);
}

void rc_chat_write_request(rc_request_writer *w)
{
    const rc_translation_plan *plan = w->plan;
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("model"), plan->target->model);
    put_messages(w);
    rc_write_count(w, plan->target->is_openai ? "max_completion_tokens" : "max_tokens",
                   plan->max_tokens);
    put_tools(w);
    put_stops(w);
    put_sampling(w);
    put_format(w);
    if (plan->thinking == RC_PLAN_THINKING_WORD)
        rc_json_member_escaped(&w->json, RC_STR("reasoning_effort"), rc_effort_word(plan->effort));
    put_account(w);
    if (w->c->is_stream) {
        rc_json_member_bool(&w->json, RC_STR("stream"), true);
        rc_json_key(&w->json, RC_STR("stream_options"));
        rc_json_raw(&w->json, RC_STR("{\"include_usage\":true}"));
    }
    rc_json_object_end(&w->json);
}
