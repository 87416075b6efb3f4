/* Writes a conversation as a request of Google's Gemini API (generateContent). Called by
 * rc_translation_write. The turns are written by request_turns.c. */
#include "dialect/gemini/request_write.h"

#include "base/str.h"
#include "dialect/translate/schema.h"

/* ---- tools ---- */

static void put_tool(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_object_begin(&w->json);
    rc_write_tool_name(w, "name", tool->name);
    rc_write_string(w, "description", tool->description);
    if (tool->schema.len > 0) {
        rc_json_key(&w->json, RC_STR("parametersJsonSchema"));
        rc_json_raw(&w->json, RC_STR(""));
        rc_schema_write(rc_write_text(w, tool->schema), rc_schema_rules_of_tool(tool, w->dialect),
                        w->json.buf);
    }
    rc_json_object_end(&w->json);
}

static void put_allowed_names(rc_request_writer *w)
{
    size_t count = 0;
    const rc_span *allowed = rc_conversation_allowed(w->c, &count);
    bool is_named = w->c->choice == RC_CHOICE_NAMED;
    if (!is_named && !w->c->has_allowed_tools)
        return;
    rc_json_key(&w->json, RC_STR("allowedFunctionNames"));
    rc_json_array_begin(&w->json);
    if (is_named)
        rc_write_tool_name_value(w, w->c->choice_name);
    for (size_t i = 0; !is_named && i < count; i++)
        rc_write_tool_name_value(w, allowed[i]);
    rc_json_array_end(&w->json);
}

static void put_choice(rc_request_writer *w)
{
    const char *mode = "AUTO";
    if (w->c->choice == RC_CHOICE_UNSET && !w->c->has_allowed_tools)
        return;
    if (w->c->choice == RC_CHOICE_NONE)
        mode = "NONE";
    else if (w->c->choice == RC_CHOICE_REQUIRED || w->c->choice == RC_CHOICE_NAMED)
        mode = "ANY";
    else if (w->c->has_allowed_tools)
        mode = "VALIDATED"; /* Gemini accepts a list of names in the modes ANY and VALIDATED */
    rc_json_key(&w->json, RC_STR("toolConfig"));
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("functionCallingConfig"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "mode", mode);
    put_allowed_names(w);
    rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

static void put_tools(rc_request_writer *w)
{
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(w->c, &count);
    if (count == 0)
        return;
    rc_json_key(&w->json, RC_STR("tools"));
    rc_json_array_begin(&w->json);
    rc_json_object_begin(&w->json);
    rc_json_key(&w->json, RC_STR("functionDeclarations"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        put_tool(w, &tools[i]);
    rc_json_array_end(&w->json);
    rc_json_object_end(&w->json);
    rc_json_array_end(&w->json);
    put_choice(w);
}

/* ---- settings ---- */

static void put_stops(rc_request_writer *w)
{
    if (w->c->stop_count == 0)
        return;
    rc_json_key(&w->json, RC_STR("stopSequences"));
    rc_json_array_begin(&w->json);
    for (size_t i = 0; i < w->c->stop_count; i++)
        rc_json_string_escaped(&w->json, rc_write_text(w, w->c->stops[i]));
    rc_json_array_end(&w->json);
}

static void put_format(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    if (c->format == RC_OUTPUT_TEXT)
        return;
    rc_write_word(w, "responseMimeType", "application/json");
    if (c->format != RC_OUTPUT_SCHEMA)
        return;
    rc_json_key(&w->json, RC_STR("responseJsonSchema"));
    rc_json_raw(&w->json, RC_STR(""));
    rc_schema_write(rc_write_text(w, c->schema),
                    rc_schema_rules_of_response(c->is_schema_gemini, w->dialect), w->json.buf);
}

static const char *level_of(rc_effort effort)
{
    switch (effort) {
    case RC_EFFORT_UNSET:
    case RC_EFFORT_NONE:
    case RC_EFFORT_MINIMAL:
        return "MINIMAL";
    case RC_EFFORT_LOW:
        return "LOW";
    case RC_EFFORT_MEDIUM:
        return "MEDIUM";
    case RC_EFFORT_HIGH:
    case RC_EFFORT_XHIGH:
    case RC_EFFORT_MAX:
        break;
    }
    return "HIGH";
}

static void put_thinking(rc_request_writer *w)
{
    const rc_translation_plan *plan = w->plan;
    bool is_off = plan->thinking == RC_PLAN_THINKING_BUDGET && plan->thought_budget == 0;
    bool is_seen =
        w->c->sees_thoughts && !is_off && (plan->target->facts.flags & RC_MODEL_REASONING) != 0;
    if (plan->thinking == RC_PLAN_THINKING_UNSET && !is_seen)
        return;
    rc_json_key(&w->json, RC_STR("thinkingConfig"));
    rc_json_object_begin(&w->json);
    if (is_seen)
        rc_json_member_bool(&w->json, RC_STR("includeThoughts"), true);
    if (plan->thinking == RC_PLAN_THINKING_WORD)
        rc_write_word(w, "thinkingLevel", level_of(plan->effort));
    else if (plan->thinking == RC_PLAN_THINKING_BUDGET)
        rc_write_count(w, "thinkingBudget", plan->thought_budget);
    rc_json_object_end(&w->json);
}

static void put_config(rc_request_writer *w)
{
    const rc_conversation *c = w->c;
    rc_json_key(&w->json, RC_STR("generationConfig"));
    rc_json_object_begin(&w->json);
    rc_write_count(w, "maxOutputTokens", w->plan->max_tokens);
    put_stops(w);
    if (w->plan->has_temperature)
        rc_write_raw(w, "temperature", c->temperature);
    if (w->plan->has_top_p)
        rc_write_raw(w, "topP", c->top_p);
    if (w->plan->has_top_k)
        rc_write_raw(w, "topK", c->top_k);
    rc_write_raw(w, "seed", c->seed);
    rc_write_raw(w, "presencePenalty", c->presence_penalty);
    rc_write_raw(w, "frequencyPenalty", c->frequency_penalty);
    put_format(w);
    put_thinking(w);
    rc_json_object_end(&w->json);
}

void rc_gemini_write_request(rc_request_writer *w)
{
    rc_json_object_begin(&w->json);
    rc_gemini_write_turns(w);
    put_tools(w);
    put_config(w);
    rc_json_object_end(&w->json);
}
