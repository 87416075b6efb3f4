/* Reads a request of Google's Gemini API (generateContent) into a conversation. Called by
 * rc_conversation_read. Parts are read by request_parts.c. */
#include "dialect/gemini/request_read.h"

#include "base/str.h"
#include "dialect/gemini/member.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows), rc_gemini_is_key

/* ---- turns ---- */

static void read_part(rc_conversation *c, rc_str part)
{
    rc_gemini_read_part(c, part);
}

static void read_content(rc_conversation *c, rc_str content)
{
    rc_json_raw_value parts;
    rc_str role = rc_gemini_text(content, "role");
    if (rc_gemini_is_word(role, "model"))
        rc_read_turn(c, RC_ROLE_ASSISTANT);
    else if (role.len == 0 || rc_gemini_is_word(role, "user") ||
             rc_gemini_is_word(role, "function"))
        rc_read_turn(c, RC_ROLE_USER);
    else
        rc_read_fail(c, "role");
    if (!rc_gemini_find(content, "parts", &parts))
        return;
    if (parts.first == '{') /* a single part without a list is also accepted */
        read_part(c, parts.raw);
    else
        rc_read_objects(c, &parts, "parts", read_part);
}

static void read_contents(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first == '{')
        read_content(c, value->raw);
    else
        rc_read_objects(c, value, "contents", read_content);
}

static void read_system(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_raw_value parts;
    rc_read_turn(c, RC_ROLE_SYSTEM);
    if (value->first == '"') {
        rc_read_text(c, value->raw);
        return;
    }
    if (value->first != '{') {
        rc_read_fail(c, "systemInstruction");
        return;
    }
    if (!rc_gemini_find(value->raw, "parts", &parts))
        return;
    if (parts.first == '{')
        read_part(c, parts.raw);
    else
        rc_read_objects(c, &parts, "parts", read_part);
}

/* ---- tools ---- */

static void read_function(rc_conversation *c, rc_str object)
{
    rc_tool_decl *tool = rc_read_tool(c);
    rc_json_members m = rc_json_members_begin(object);
    if (tool == NULL)
        return;
    while (rc_json_members_next(&m)) {
        bool is_text = m.value.first == '"';
        if (rc_gemini_is_key(m.key, RC_STR("name")) && is_text) {
            tool->name = rc_read_span(c, m.value.raw);
        } else if (rc_gemini_is_key(m.key, RC_STR("description")) && is_text) {
            tool->description = rc_read_span(c, m.value.raw);
        } else if (rc_gemini_is_key(m.key, RC_STR("parametersJsonSchema")) &&
                   m.value.first == '{') {
            tool->schema = rc_read_span(c, m.value.raw);
            tool->is_gemini_schema = false;
        } else if (rc_gemini_is_key(m.key, RC_STR("parameters")) && m.value.first == '{' &&
                   tool->schema.len == 0) {
            tool->schema = rc_read_span(c, m.value.raw);
            tool->is_gemini_schema = true;
        } else if (m.value.first != 'n') {
            rc_read_feature(c, RC_FEATURE_TOOLS_OPTIONS);
        }
    }
    if (tool->name.len == 0)
        rc_read_fail(c, "name");
}

static void read_tool(rc_conversation *c, rc_str object)
{
    rc_json_members m = rc_json_members_begin(object);
    while (c->status == RC_OK && rc_json_members_next(&m)) {
        if (m.value.first == 'n')
            continue;
        if (rc_gemini_is_key(m.key, RC_STR("functionDeclarations")))
            rc_read_objects(c, &m.value, "functionDeclarations", read_function);
        else
            rc_read_feature(c, RC_FEATURE_TOOLS_SERVER);
    }
}

static void read_tools(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first == '{')
        read_tool(c, value->raw);
    else
        rc_read_objects(c, value, "tools", read_tool);
}

static void read_mode(rc_conversation *c, const rc_json_raw_value *value)
{
    if (rc_gemini_is_word(value->raw, "ANY"))
        c->choice = RC_CHOICE_REQUIRED;
    else if (rc_gemini_is_word(value->raw, "NONE"))
        c->choice = RC_CHOICE_NONE;
    else if (rc_gemini_is_word(value->raw, "AUTO"))
        c->choice = RC_CHOICE_AUTO;
    else if (rc_gemini_is_word(value->raw, "VALIDATED"))
        rc_read_feature(c, RC_FEATURE_TOOLS_STRICT);
    else if (!rc_gemini_is_word(value->raw, "MODE_UNSPECIFIED"))
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

static void read_allowed(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_members m = rc_json_members_begin(value->raw);
    while (value->first == '[' && rc_json_members_next(&m)) {
        if (m.value.first != '"')
            continue;
        rc_read_allowed(c, m.value.raw);
        c->has_allowed_tools = true;
    }
}

/* One allowed tool that must be called is a named tool, and a list of allowed tools is a choice of
 * tools. */
static void settle_choice(rc_conversation *c)
{
    size_t count = 0;
    const rc_span *allowed = rc_conversation_allowed(c, &count);
    if (count == 0)
        return;
    if (count == 1 && c->choice == RC_CHOICE_REQUIRED) {
        c->choice = RC_CHOICE_NAMED;
        c->choice_name = allowed[0];
        c->has_allowed_tools = false;
        rc_buf_reset(&c->allowed_buf);
    } else {
        rc_read_feature(c, RC_FEATURE_TOOL_CHOICE);
    }
}

static const rc_member_row calling_rows[] = {
    RC_MEMBER_READ("mode", read_mode),
    RC_MEMBER_READ("allowedFunctionNames", read_allowed),
    RC_MEMBER_FEATURE("streamFunctionCallArguments", TOOLS_OPTIONS),
};

static void read_calling(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members_by(c, value->raw, ROWS(calling_rows));
    settle_choice(c);
}

static const rc_member_row tool_config_rows[] = {
    RC_MEMBER_READ("functionCallingConfig", read_calling),
    RC_MEMBER_FEATURE("retrievalConfig", TOOLS_SERVER),
};

static void read_tool_config(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members_by(c, value->raw, ROWS(tool_config_rows));
}

/* ---- settings ---- */

static void read_candidates(rc_conversation *c, const rc_json_raw_value *value)
{
    if (!rc_str_eq(value->raw, RC_STR("1")))
        rc_read_feature(c, RC_FEATURE_N);
}

static void read_mime_type(rc_conversation *c, const rc_json_raw_value *value)
{
    if (rc_json_value_is(value, RC_STR("application/json"))) {
        if (c->format == RC_OUTPUT_TEXT)
            c->format = RC_OUTPUT_JSON;
    } else if (!rc_json_value_is(value, RC_STR("text/plain"))) {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT); /* a media type such as text/x.enum */
    }
}

static void read_schema(rc_conversation *c, const rc_json_raw_value *value, bool is_gemini)
{
    if (value->first != '{') {
        rc_read_fail(c, "responseSchema");
        return;
    }
    c->format = RC_OUTPUT_SCHEMA;
    c->schema = rc_read_span(c, value->raw);
    c->is_schema_gemini = is_gemini;
}

static void read_gemini_schema(rc_conversation *c, const rc_json_raw_value *value)
{
    if (c->format != RC_OUTPUT_SCHEMA)
        read_schema(c, value, true);
}

static void read_json_schema(rc_conversation *c, const rc_json_raw_value *value)
{
    read_schema(c, value, false);
}

static void read_modalities(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_members m = rc_json_members_begin(value->raw);
    while (rc_json_members_next(&m))
        if (!rc_gemini_is_word(m.value.raw, "TEXT"))
            rc_read_feature(c, RC_FEATURE_MODALITIES);
}

static void read_include_thoughts(rc_conversation *c, const rc_json_raw_value *value)
{
    c->sees_thoughts = value->first == 't';
}

static void read_budget(rc_conversation *c, const rc_json_raw_value *value)
{
    int64_t budget = rc_read_count(value);
    if (budget < 0) /* -1: the model decides how much it reasons */
        return;
    c->thought_budget = budget;
    if (budget == 0)
        c->effort = RC_EFFORT_NONE;
    rc_read_feature(c, RC_FEATURE_BUDGET);
}

static void read_level(rc_conversation *c, const rc_json_raw_value *value)
{
    static const struct {
        const char *word;
        rc_effort effort;
    } levels[] = {{"MINIMAL", RC_EFFORT_MINIMAL},
                  {"LOW", RC_EFFORT_LOW},
                  {"MEDIUM", RC_EFFORT_MEDIUM},
                  {"HIGH", RC_EFFORT_HIGH}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!rc_gemini_is_word(value->raw, levels[i].word))
            continue;
        c->effort = levels[i].effort;
        rc_read_feature(c, RC_FEATURE_EFFORT);
        return;
    }
    if (!rc_gemini_is_word(value->raw, "THINKING_LEVEL_UNSPECIFIED"))
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

static const rc_member_row thinking_rows[] = {
    RC_MEMBER_READ("includeThoughts", read_include_thoughts),
    RC_MEMBER_READ("thinkingBudget", read_budget),
    RC_MEMBER_READ("thinkingLevel", read_level),
};

static void read_thinking(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members_by(c, value->raw, ROWS(thinking_rows));
}

static const rc_member_row config_rows[] = {
    RC_MEMBER_READ("temperature", rc_read_temperature),
    RC_MEMBER_READ("topP", rc_read_top_p),
    RC_MEMBER_READ("topK", rc_read_top_k),
    RC_MEMBER_READ("seed", rc_read_seed),
    RC_MEMBER_READ("presencePenalty", rc_read_presence_penalty),
    RC_MEMBER_READ("frequencyPenalty", rc_read_frequency_penalty),
    RC_MEMBER_READ("maxOutputTokens", rc_read_max_tokens),
    RC_MEMBER_READ("stopSequences", rc_read_stops),
    RC_MEMBER_READ("candidateCount", read_candidates),
    RC_MEMBER_READ("responseMimeType", read_mime_type),
    RC_MEMBER_READ("responseSchema", read_gemini_schema),
    RC_MEMBER_READ("responseJsonSchema", read_json_schema),
    RC_MEMBER_READ("_responseJsonSchema", read_json_schema),
    RC_MEMBER_READ("responseModalities", read_modalities),
    RC_MEMBER_READ("thinkingConfig", read_thinking),
    RC_MEMBER_FEATURE("responseLogprobs", LOGPROBS),
    RC_MEMBER_FEATURE("logprobs", LOGPROBS),
    RC_MEMBER_FEATURE("speechConfig", MODALITIES),
    RC_MEMBER_FEATURE("imageConfig", MODALITIES),
};

static void read_config(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members_by(c, value->raw, ROWS(config_rows));
    if (c->format == RC_OUTPUT_SCHEMA)
        rc_read_feature(c, RC_FEATURE_SCHEMA);
    else if (c->format == RC_OUTPUT_JSON)
        rc_read_feature(c, RC_FEATURE_JSON_OBJECT);
}

static void read_labels(rc_conversation *c, const rc_json_raw_value *value)
{
    c->metadata = rc_read_json_span(c, value);
    rc_read_feature(c, RC_FEATURE_METADATA);
}

static const rc_member_row rows[] = {
    RC_MEMBER_IGNORED("model"),
    RC_MEMBER_IGNORED("systemInstruction"), /* read before the other members, because the system
                                               text precedes the contents */
    RC_MEMBER_READ("contents", read_contents),
    RC_MEMBER_READ("tools", read_tools),
    RC_MEMBER_READ("toolConfig", read_tool_config),
    RC_MEMBER_READ("generationConfig", read_config),
    RC_MEMBER_READ("labels", read_labels),
    RC_MEMBER_READ("serviceTier", rc_read_service_tier),
    RC_MEMBER_FEATURE("safetySettings", SAFETY),
    RC_MEMBER_FEATURE("cachedContent", STATE),
};

void rc_gemini_read_request(rc_conversation *c, rc_str body)
{
    rc_json_raw_value system;
    c->wants_usage = true;
    c->takes_state = true;
    if (rc_gemini_find(body, "systemInstruction", &system))
        read_system(c, &system);
    rc_read_members_by(c, body, ROWS(rows));
    rc_gemini_link_results(c);
}
