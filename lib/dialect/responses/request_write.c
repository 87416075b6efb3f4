/* Writes a conversation as a request of OpenAI's Responses API. Called by rc_translation_write. The
 * items are written by request_items.c. */
#include "dialect/responses/request_write.h"

#include "base/str.h"
#include "dialect/translate/schema.h"

/* ---- tools ---- */

static void put_tool(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", tool->is_custom ? "custom" : "function");
    rc_write_tool_name(w, "name", tool->name);
    rc_write_string(w, "description", tool->description);
    if (tool->is_custom) {
        rc_write_custom_format(w, tool);
    } else {
        rc_json_key(&w->json, RC_STR("parameters"));
        rc_json_raw(&w->json, RC_STR(""));
        rc_schema_write(rc_write_text(w, tool->schema), rc_schema_rules_of_tool(tool, w->dialect),
                        w->json.buf);
        /* Without this member OpenAI would treat the schema as strict. */
        rc_json_member_bool(&w->json, RC_STR("strict"), tool->strict == RC_TRUE);
    }
    rc_json_object_end(&w->json);
}

static void put_named(rc_request_writer *w, rc_span name)
{
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", rc_write_is_custom(w, name) ? "custom" : "function");
    rc_write_tool_name(w, "name", name);
    rc_json_object_end(&w->json);
}

static void put_allowed(rc_request_writer *w)
{
    size_t count = 0;
    const rc_span *allowed = rc_conversation_allowed(w->c, &count);
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "allowed_tools");
    rc_write_word(w, "mode", w->c->choice == RC_CHOICE_REQUIRED ? "required" : "auto");
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        put_named(w, allowed[i]);
    rc_json_array_end(&w->json);
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
    for (size_t i = 0; i < count; i++)
        put_tool(w, &tools[i]);
    rc_json_array_end(&w->json);
    put_choice(w);
    if (w->c->is_parallel_off)
        rc_json_member_bool(&w->json, RC_STR("parallel_tool_calls"), false);
}

/* ---- settings ---- */

static void put_schema(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
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
}

static void put_text_setting(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    if (c->format == RC_OUTPUT_TEXT && c->verbosity.len == 0)
        return;
    rc_json_key(&w->json, RC_STR("text"));
    rc_json_object_begin(&w->json);
    if (c->format != RC_OUTPUT_TEXT) {
        rc_json_key(&w->json, RC_STR("format"));
        rc_json_object_begin(&w->json);
        rc_write_word(w, "type", c->format == RC_OUTPUT_JSON ? "json_object" : "json_schema");
        if (c->format == RC_OUTPUT_SCHEMA)
            put_schema(w);
        rc_json_object_end(&w->json);
    }
    rc_write_raw(w, "verbosity", c->verbosity);
    rc_json_object_end(&w->json);
}

/* Asks a model that reasons for its visible reasoning and its state, if the client can receive
 * them. Models that do not reason refuse both settings. */
static void put_reasoning(rc_request_writer *w)
{
    const rc_translation_plan *plan = w->plan;
    bool reasons = (plan->target->facts.flags & RC_MODEL_REASONING) != 0;
    bool is_seen = reasons && w->c->sees_thoughts;
    bool has_word = plan->thinking == RC_PLAN_THINKING_WORD;
    if (has_word || is_seen) {
        rc_json_key(&w->json, RC_STR("reasoning"));
        rc_json_object_begin(&w->json);
        if (has_word)
            rc_json_member_escaped(&w->json, RC_STR("effort"), rc_effort_word(plan->effort));
        if (is_seen)
            rc_write_word(w, "summary", "auto");
        rc_json_object_end(&w->json);
    }
    if (reasons && w->c->takes_state && plan->target->name.len > 0) {
        rc_json_key(&w->json, RC_STR("include"));
        rc_json_raw(&w->json, RC_STR("[\"reasoning.encrypted_content\"]"));
    }
}

/* Writes the members that only OpenAI's two dialects have. */
static void put_account(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    bool is_openai = c->dialect == RC_DIALECT_OPENAI_CHAT;
    rc_json_member_bool(&w->json, RC_STR("store"), is_openai && c->store == RC_TRUE);
    if (!is_openai)
        return;
    rc_write_raw(w, "user", c->user);
    rc_write_raw(w, "metadata", c->metadata);
    rc_write_raw(w, "service_tier", c->service_tier);
}

void rc_responses_write_request(rc_request_writer *w)
{
    const rc_translation_plan *plan = w->plan;
    rc_json_object_begin(&w->json);
    rc_json_member_string(&w->json, RC_STR("model"), plan->target->model);
    rc_responses_write_items(w);
    rc_write_count(w, "max_output_tokens", plan->max_tokens);
    put_tools(w);
    if (plan->has_temperature)
        rc_write_raw(w, "temperature", w->c->temperature);
    if (plan->has_top_p)
        rc_write_raw(w, "top_p", w->c->top_p);
    put_text_setting(w);
    put_reasoning(w);
    put_account(w);
    if (w->c->is_stream)
        rc_json_member_bool(&w->json, RC_STR("stream"), true);
    rc_json_object_end(&w->json);
}
