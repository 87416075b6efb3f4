/* Readers of single settings. Called by the request readers of all dialects. */
#include "dialect/translate/read.h"

#include "base/str.h"

/* ---- numbers ---- */

void rc_read_temperature(rc_conversation *c, const rc_json_raw_value *value)
{
    c->temperature = rc_read_number(c, value);
    rc_read_feature(c, RC_FEATURE_TEMPERATURE);
}

void rc_read_top_p(rc_conversation *c, const rc_json_raw_value *value)
{
    c->top_p = rc_read_number(c, value);
    rc_read_feature(c, RC_FEATURE_TOP_P);
}

void rc_read_top_k(rc_conversation *c, const rc_json_raw_value *value)
{
    c->top_k = rc_read_number(c, value);
    rc_read_feature(c, RC_FEATURE_TOP_K);
}

void rc_read_seed(rc_conversation *c, const rc_json_raw_value *value)
{
    c->seed = rc_read_number(c, value);
    rc_read_feature(c, RC_FEATURE_SEED);
}

static void note_penalty(rc_conversation *c, const rc_json_raw_value *value)
{
    if (!rc_str_eq(value->raw, RC_STR("0")))
        rc_read_feature(c, RC_FEATURE_PENALTIES);
}

void rc_read_presence_penalty(rc_conversation *c, const rc_json_raw_value *value)
{
    c->presence_penalty = rc_read_number(c, value);
    note_penalty(c, value);
}

void rc_read_frequency_penalty(rc_conversation *c, const rc_json_raw_value *value)
{
    c->frequency_penalty = rc_read_number(c, value);
    note_penalty(c, value);
}

void rc_read_max_tokens(rc_conversation *c, const rc_json_raw_value *value)
{
    c->max_tokens = rc_read_count(value);
    if (c->max_tokens < 0)
        rc_read_fail(c, "max_tokens");
    rc_read_feature(c, RC_FEATURE_MAX_TOKENS);
}

/* ---- streams and calls ---- */

void rc_read_stream(rc_conversation *c, const rc_json_raw_value *value)
{
    c->is_stream = value->first == 't';
}

void rc_read_parallel(rc_conversation *c, const rc_json_raw_value *value)
{
    c->is_parallel_off = value->first == 'f';
    if (c->is_parallel_off)
        rc_read_feature(c, RC_FEATURE_PARALLEL_OFF);
}

/* ---- accounts ---- */

void rc_read_user(rc_conversation *c, const rc_json_raw_value *value)
{
    c->user = rc_read_json_span(c, value);
    rc_read_feature(c, RC_FEATURE_USER);
}

void rc_read_metadata(rc_conversation *c, const rc_json_raw_value *value)
{
    c->metadata = rc_read_json_span(c, value);
    rc_read_feature(c, RC_FEATURE_METADATA);
}

void rc_read_verbosity(rc_conversation *c, const rc_json_raw_value *value)
{
    c->verbosity = rc_read_json_span(c, value);
    rc_read_feature(c, RC_FEATURE_VERBOSITY);
}

void rc_read_service_tier(rc_conversation *c, const rc_json_raw_value *value)
{
    c->service_tier = rc_read_json_span(c, value);
    if (!rc_json_value_is(value, RC_STR("auto")))
        rc_read_feature(c, RC_FEATURE_SERVICE_TIER);
}

/* ---- choice of tools in OpenAI's dialects ---- */

static rc_choice choice_of(rc_str word)
{
    if (rc_json_is_text(word, RC_STR("auto")))
        return RC_CHOICE_AUTO;
    if (rc_json_is_text(word, RC_STR("none")))
        return RC_CHOICE_NONE;
    return rc_json_is_text(word, RC_STR("required")) ? RC_CHOICE_REQUIRED : RC_CHOICE_UNSET;
}

/* Returns the name of the tool that a choice or an allowed tool names. */
static rc_str tool_name_of(rc_str object)
{
    rc_json_raw_value body;
    if (rc_json_member_find(object, RC_STR("function"), &body) ||
        rc_json_member_find(object, RC_STR("custom"), &body))
        return rc_json_member_text(body.raw, RC_STR("name"));
    return rc_json_member_text(object, RC_STR("name"));
}

static void read_allowed_tools(rc_conversation *c, rc_str object)
{
    rc_json_raw_value allowed;
    rc_json_raw_value tools;
    if (rc_json_member_find(object, RC_STR("allowed_tools"), &allowed) && allowed.first == '{')
        object = allowed.raw;
    c->choice = choice_of(rc_json_member_text(object, RC_STR("mode")));
    c->has_allowed_tools = true;
    rc_read_feature(c, RC_FEATURE_TOOL_CHOICE);
    if (!rc_json_member_find(object, RC_STR("tools"), &tools) || tools.first != '[') {
        rc_read_fail(c, "tool_choice");
        return;
    }
    rc_json_members m = rc_json_members_begin(tools.raw);
    while (rc_json_members_next(&m))
        if (m.value.first == '{')
            rc_read_allowed(c, tool_name_of(m.value.raw));
}

void rc_read_openai_choice(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first == '"') {
        c->choice = choice_of(value->raw);
        if (c->choice == RC_CHOICE_UNSET)
            rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    } else if (rc_read_type_is(value->raw, "allowed_tools")) {
        read_allowed_tools(c, value->raw);
    } else if (rc_read_type_is(value->raw, "function") || rc_read_type_is(value->raw, "custom")) {
        c->choice = RC_CHOICE_NAMED;
        c->choice_name = rc_read_span(c, tool_name_of(value->raw));
    } else {
        rc_read_feature(c, RC_FEATURE_TOOLS_SERVER);
    }
}

/* ---- tools and schemas in OpenAI's dialects ---- */

void rc_read_openai_function(rc_conversation *c, rc_tool_decl *tool, rc_str function)
{
    rc_json_members m = rc_json_members_begin(function);
    while (rc_json_members_next(&m)) {
        if (rc_json_is_text(m.key, RC_STR("name")) && m.value.first == '"')
            tool->name = rc_read_span(c, m.value.raw);
        else if (rc_json_is_text(m.key, RC_STR("description")) && m.value.first == '"')
            tool->description = rc_read_span(c, m.value.raw);
        else if (rc_json_is_text(m.key, RC_STR("parameters")) && m.value.first == '{')
            tool->schema = rc_read_span(c, m.value.raw);
        else if (rc_json_is_text(m.key, RC_STR("format")) && m.value.first == '{')
            tool->format = rc_read_span(c, m.value.raw);
        else if (rc_json_is_text(m.key, RC_STR("strict")) && m.value.first != 'n')
            tool->strict = m.value.first == 't' ? RC_TRUE : RC_FALSE;
        else if (m.value.first != 'n' && !rc_json_is_text(m.key, RC_STR("type")))
            rc_read_feature(c, RC_FEATURE_TOOLS_OPTIONS);
    }
    if (tool->name.len == 0)
        rc_read_fail(c, "name");
    if (tool->strict == RC_TRUE)
        rc_read_feature(c, RC_FEATURE_TOOLS_STRICT);
}

void rc_read_openai_schema(rc_conversation *c, rc_str format)
{
    rc_json_raw_value value;
    c->schema_name = rc_read_span(c, rc_json_member_text(format, RC_STR("name")));
    c->schema_description = rc_read_span(c, rc_json_member_text(format, RC_STR("description")));
    if (rc_json_member_find(format, RC_STR("strict"), &value))
        c->schema_strict = value.first == 't' ? RC_TRUE : RC_FALSE;
    if (rc_json_member_find(format, RC_STR("schema"), &value) && value.first == '{') {
        c->format = RC_OUTPUT_SCHEMA;
        c->schema = rc_read_span(c, value.raw);
        rc_read_feature(c, RC_FEATURE_SCHEMA);
    } else {
        c->format = RC_OUTPUT_JSON;
        rc_read_feature(c, RC_FEATURE_JSON_OBJECT);
    }
}

void rc_read_image_detail(rc_conversation *c, rc_part *part, rc_str detail)
{
    if (part == NULL || detail.len == 0 || rc_json_is_text(detail, RC_STR("auto")))
        return;
    if (rc_json_is_text(detail, RC_STR("low")))
        part->detail = RC_IMAGE_DETAIL_LOW;
    else if (rc_json_is_text(detail, RC_STR("high")))
        part->detail = RC_IMAGE_DETAIL_HIGH;
    else
        part->detail = RC_IMAGE_DETAIL_ORIGINAL;
    rc_read_feature(c, RC_FEATURE_IMAGE_DETAIL);
}
