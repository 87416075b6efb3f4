/* Reads a request of Anthropic's Messages API into a conversation. Called by
 * rc_conversation_read. */
#include "dialect/translate/read.h"

#include "base/str.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/* Records the feature CACHE_CONTROL if the block has a cache marker. */
static void note_cache(rc_conversation *c, rc_str block)
{
    rc_json_raw_value value;
    if (rc_json_member_find(block, RC_STR("cache_control"), &value))
        rc_read_feature(c, RC_FEATURE_CACHE_CONTROL);
}

/* ---- content blocks ---- */

static void read_blocks(rc_conversation *c, const rc_json_raw_value *content, uint8_t flags);

static void read_text_block(rc_conversation *c, rc_str block, uint8_t flags)
{
    rc_json_raw_value value;
    size_t before = rc_read_position(c);
    rc_read_text(c, rc_json_member_text(block, RC_STR("text")));
    rc_read_add_flags(c, before, flags);
    /* Citations in a response of the history only name the sources of its text, so they are left
     * out without loss. */
    if (c->role == RC_ROLE_USER && rc_json_member_find(block, RC_STR("citations"), &value) &&
        value.first == '{')
        rc_read_feature(c, RC_FEATURE_CITATIONS);
}

static void read_image(rc_conversation *c, rc_str block, uint8_t flags)
{
    rc_json_raw_value source;
    size_t before = rc_read_position(c);
    if (!rc_json_member_find(block, RC_STR("source"), &source) || source.first != '{') {
        rc_read_fail(c, "source");
        return;
    }
    if (rc_read_type_is(source.raw, "base64"))
        rc_read_media(c, RC_PART_IMAGE, rc_json_member_text(source.raw, RC_STR("media_type")),
                      rc_json_member_text(source.raw, RC_STR("data")));
    else if (rc_read_type_is(source.raw, "url"))
        rc_read_media_url(c, RC_PART_IMAGE, rc_json_member_text(source.raw, RC_STR("url")));
    else
        rc_read_feature(c, rc_read_type_is(source.raw, "file") ? RC_FEATURE_FILE_ID
                                                               : RC_FEATURE_UNKNOWN_CONTENT);
    rc_read_add_flags(c, before, flags);
}

static void note_citations(rc_conversation *c, rc_str block)
{
    rc_json_raw_value citations;
    rc_json_raw_value enabled;
    if (rc_json_member_find(block, RC_STR("citations"), &citations) && citations.first == '{' &&
        rc_json_member_find(citations.raw, RC_STR("enabled"), &enabled) && enabled.first == 't')
        rc_read_feature(c, RC_FEATURE_CITATIONS);
}

static void read_document_source(rc_conversation *c, rc_str source, uint8_t flags)
{
    rc_json_raw_value content;
    if (rc_read_type_is(source, "base64")) {
        rc_read_media(c, RC_PART_FILE, rc_json_member_text(source, RC_STR("media_type")),
                      rc_json_member_text(source, RC_STR("data")));
    } else if (rc_read_type_is(source, "url")) {
        rc_read_media_url(c, RC_PART_FILE, rc_json_member_text(source, RC_STR("url")));
    } else if (rc_read_type_is(source, "text")) {
        rc_read_feature(c, RC_FEATURE_DOCUMENT_TEXT);
        rc_read_text(c, rc_json_member_text(source, RC_STR("data")));
    } else if (rc_read_type_is(source, "content") &&
               rc_json_member_find(source, RC_STR("content"), &content)) {
        rc_read_feature(c, RC_FEATURE_DOCUMENT_TEXT);
        read_blocks(c, &content, flags);
    } else {
        rc_read_feature(c, rc_read_type_is(source, "file") ? RC_FEATURE_FILE_ID
                                                           : RC_FEATURE_UNKNOWN_CONTENT);
    }
}

static void read_document(rc_conversation *c, rc_str block, uint8_t flags)
{
    rc_json_raw_value source;
    size_t before = rc_read_position(c);
    if (!rc_json_member_find(block, RC_STR("source"), &source) || source.first != '{') {
        rc_read_fail(c, "source");
        return;
    }
    read_document_source(c, source.raw, flags);
    note_citations(c, block);
    rc_read_add_flags(c, before, flags);
    rc_part *part = rc_read_added(c, before);
    if (part != NULL && part->kind == RC_PART_FILE)
        part->id = rc_read_span(c, rc_json_member_text(block, RC_STR("title")));
}

static void read_thinking(rc_conversation *c, rc_str block)
{
    rc_part *part = rc_read_part(c, RC_PART_THOUGHT);
    if (part == NULL)
        return;
    bool is_redacted = rc_read_type_is(block, "redacted_thinking");
    part->flags = is_redacted ? RC_PART_IS_REDACTED : 0;
    part->content = rc_read_span(c, rc_json_member_text(block, RC_STR("thinking")));
    part->state = rc_read_span(
        c, rc_json_member_text(block, is_redacted ? RC_STR("data") : RC_STR("signature")));
}

static void read_call(rc_conversation *c, rc_str block)
{
    rc_json_raw_value input;
    rc_part *part = rc_read_part(c, RC_PART_CALL);
    if (part == NULL)
        return;
    part->id = rc_read_span(c, rc_json_member_text(block, RC_STR("id")));
    part->name = rc_read_span(c, rc_json_member_text(block, RC_STR("name")));
    part->flags = RC_PART_IS_VALUE;
    if (part->name.len == 0)
        rc_read_fail(c, "name");
    else if (rc_json_member_find(block, RC_STR("input"), &input) && input.first == '{')
        part->content = rc_read_span(c, input.raw);
}

static void read_result(rc_conversation *c, rc_str block)
{
    rc_json_raw_value value;
    rc_part *part = rc_read_part(c, RC_PART_RESULT);
    if (part == NULL)
        return;
    part->id = rc_read_span(c, rc_json_member_text(block, RC_STR("tool_use_id")));
    if (part->id.len == 0)
        rc_read_fail(c, "tool_use_id");
    if (rc_json_member_find(block, RC_STR("is_error"), &value) && value.first == 't')
        part->flags |= RC_PART_IS_ERROR;
    if (rc_json_member_find(block, RC_STR("content"), &value))
        read_blocks(c, &value, RC_PART_IS_IN_RESULT);
}

static void read_block(rc_conversation *c, rc_str block, uint8_t flags)
{
    note_cache(c, block);
    if (rc_read_type_is(block, "text"))
        read_text_block(c, block, flags);
    else if (rc_read_type_is(block, "image"))
        read_image(c, block, flags);
    else if (rc_read_type_is(block, "document"))
        read_document(c, block, flags);
    else if (rc_read_type_is(block, "search_result"))
        rc_read_feature(c, RC_FEATURE_CITATIONS);
    else if (flags == 0 &&
             (rc_read_type_is(block, "thinking") || rc_read_type_is(block, "redacted_thinking")))
        read_thinking(c, block);
    else if (flags == 0 && rc_read_type_is(block, "tool_use"))
        read_call(c, block);
    else if (flags == 0 && rc_read_type_is(block, "tool_result"))
        read_result(c, block);
    else if (rc_read_type_is(block, "server_tool_use") || rc_read_type_is(block, "mcp_tool_use") ||
             rc_read_type_is(block, "web_search_tool_result") ||
             rc_read_type_is(block, "mcp_tool_result"))
        rc_read_feature(c, RC_FEATURE_TOOLS_SERVER);
    else
        rc_read_feature(c, rc_read_type_is(block, "container_upload") ? RC_FEATURE_CONTAINER
                                                                      : RC_FEATURE_UNKNOWN_CONTENT);
}

/* Reads the content of a message, which is a text or a list of blocks. Each part gets `flags`. */
static void read_blocks(rc_conversation *c, const rc_json_raw_value *content, uint8_t flags)
{
    if (content->first == '"') {
        size_t before = rc_read_position(c);
        rc_read_text(c, content->raw);
        rc_read_add_flags(c, before, flags);
        return;
    }
    if (content->first != '[') {
        rc_read_fail(c, "content");
        return;
    }
    rc_json_members m = rc_json_members_begin(content->raw);
    while (c->status == RC_OK && rc_json_members_next(&m)) {
        if (m.value.first == '{')
            read_block(c, m.value.raw, flags);
        else
            rc_read_fail(c, "content");
    }
}

/* ---- turns ---- */

static void read_system(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_turn(c, RC_ROLE_SYSTEM);
    read_blocks(c, value, 0);
}

static void read_message(rc_conversation *c, rc_str message)
{
    rc_json_raw_value value;
    rc_str role = rc_json_member_text(message, RC_STR("role"));
    if (rc_json_is_text(role, RC_STR("user")))
        rc_read_turn(c, RC_ROLE_USER);
    else if (rc_json_is_text(role, RC_STR("assistant")))
        rc_read_turn(c, RC_ROLE_ASSISTANT);
    else if (rc_json_is_text(role, RC_STR("system")))
        rc_read_turn(c, RC_ROLE_SYSTEM);
    else
        rc_read_fail(c, "role");
    if (rc_json_member_find(message, RC_STR("content"), &value))
        read_blocks(c, &value, 0);
    else
        rc_read_fail(c, "content");
}

static void read_messages(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "messages", read_message);
}

/* ---- tools ---- */

static void read_tool_member(rc_conversation *c, rc_tool_decl *tool, rc_str key,
                             const rc_json_raw_value *value)
{
    if (rc_json_is_text(key, RC_STR("name")) && value->first == '"')
        tool->name = rc_read_span(c, value->raw);
    else if (rc_json_is_text(key, RC_STR("description")) && value->first == '"')
        tool->description = rc_read_span(c, value->raw);
    else if (rc_json_is_text(key, RC_STR("input_schema")) && value->first == '{')
        tool->schema = rc_read_span(c, value->raw);
    else if (rc_json_is_text(key, RC_STR("strict")))
        tool->strict = value->first == 't' ? RC_TRUE : RC_FALSE;
    else if (rc_json_is_text(key, RC_STR("cache_control")))
        rc_read_feature(c, RC_FEATURE_CACHE_CONTROL);
    else if (!rc_json_is_text(key, RC_STR("type")))
        rc_read_feature(c, RC_FEATURE_TOOLS_OPTIONS);
}

static void read_tool(rc_conversation *c, rc_str object)
{
    rc_json_raw_value type;
    bool is_typed = rc_json_member_find(object, RC_STR("type"), &type) &&
                    !rc_json_value_is(&type, RC_STR("custom"));
    if (is_typed) {
        /* Tools of the types bash_..., text_editor_... and computer_... run at the client, other
         * built-in tools at Anthropic. */
        bool is_at_client = rc_str_starts_with(type.raw, RC_STR("bash")) ||
                            rc_str_starts_with(type.raw, RC_STR("text_editor")) ||
                            rc_str_starts_with(type.raw, RC_STR("computer")) ||
                            rc_str_starts_with(type.raw, RC_STR("memory"));
        rc_read_feature(c, is_at_client ? RC_FEATURE_TOOLS_TYPED : RC_FEATURE_TOOLS_SERVER);
        return;
    }
    rc_tool_decl *tool = rc_read_tool(c);
    rc_json_members m = rc_json_members_begin(object);
    while (tool != NULL && rc_json_members_next(&m))
        if (m.value.first != 'n')
            read_tool_member(c, tool, m.key, &m.value);
    if (tool != NULL && tool->name.len == 0)
        rc_read_fail(c, "name");
    if (tool != NULL && tool->strict == RC_TRUE)
        rc_read_feature(c, RC_FEATURE_TOOLS_STRICT);
}

static void read_tools(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "tools", read_tool);
}

static void read_tool_choice(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_raw_value member;
    if (value->first != '{') {
        rc_read_fail(c, "tool_choice");
        return;
    }
    if (rc_read_type_is(value->raw, "auto")) {
        c->choice = RC_CHOICE_AUTO;
    } else if (rc_read_type_is(value->raw, "none")) {
        c->choice = RC_CHOICE_NONE;
    } else if (rc_read_type_is(value->raw, "any")) {
        c->choice = RC_CHOICE_REQUIRED;
    } else if (rc_read_type_is(value->raw, "tool")) {
        c->choice = RC_CHOICE_NAMED;
        c->choice_name = rc_read_span(c, rc_json_member_text(value->raw, RC_STR("name")));
    } else {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    }
    if (rc_json_member_find(value->raw, RC_STR("disable_parallel_tool_use"), &member) &&
        member.first == 't') {
        c->is_parallel_off = true;
        rc_read_feature(c, RC_FEATURE_PARALLEL_OFF);
    }
}

/* ---- settings ---- */

static void read_thinking_setting(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_raw_value member;
    if (rc_read_type_is(value->raw, "disabled")) {
        if (c->effort == RC_EFFORT_UNSET)
            c->effort = RC_EFFORT_NONE;
        return;
    }
    c->takes_state = true;
    c->sees_thoughts =
        !rc_json_is_text(rc_json_member_text(value->raw, RC_STR("display")), RC_STR("omitted"));
    if (rc_read_type_is(value->raw, "adaptive")) {
        c->is_adaptive = true;
    } else if (rc_read_type_is(value->raw, "enabled")) {
        if (rc_json_member_find(value->raw, RC_STR("budget_tokens"), &member))
            c->thought_budget = rc_read_count(&member);
        rc_read_feature(c, RC_FEATURE_BUDGET);
    } else {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    }
}

static void read_output_format(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_raw_value schema;
    bool is_schema = rc_read_type_is(value->raw, "json_schema") &&
                     rc_json_member_find(value->raw, RC_STR("schema"), &schema) &&
                     schema.first == '{';
    rc_read_feature(c, is_schema ? RC_FEATURE_SCHEMA : RC_FEATURE_UNKNOWN_CONTENT);
    if (!is_schema)
        return;
    c->format = RC_OUTPUT_SCHEMA;
    c->schema = rc_read_span(c, schema.raw);
    c->schema_strict = RC_TRUE;
}

static const rc_member_row output_rows[] = {
    RC_MEMBER_READ("effort", rc_read_effort),
    RC_MEMBER_READ("format", read_output_format),
};

static void read_output_config(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members(c, value->raw, ROWS(output_rows));
}

static const rc_member_row rows[] = {
    RC_MEMBER_IGNORED("model"),
    RC_MEMBER_READ("messages", read_messages),
    RC_MEMBER_IGNORED("system"), /* read before the other members, because the system text precedes
                                    the messages */
    RC_MEMBER_READ("max_tokens", rc_read_max_tokens),
    RC_MEMBER_READ("stream", rc_read_stream),
    RC_MEMBER_READ("stop_sequences", rc_read_stops),
    RC_MEMBER_READ("temperature", rc_read_temperature),
    RC_MEMBER_READ("top_p", rc_read_top_p),
    RC_MEMBER_READ("top_k", rc_read_top_k),
    RC_MEMBER_READ("tools", read_tools),
    RC_MEMBER_READ("tool_choice", read_tool_choice),
    RC_MEMBER_READ("thinking", read_thinking_setting),
    RC_MEMBER_READ("output_config", read_output_config),
    RC_MEMBER_READ("output_format", read_output_format),
    RC_MEMBER_READ("metadata", rc_read_metadata),
    RC_MEMBER_READ("service_tier", rc_read_service_tier),
    RC_MEMBER_FEATURE("cache_control", CACHE_CONTROL),
    RC_MEMBER_FEATURE("context_management", CONTEXT_MANAGEMENT),
    RC_MEMBER_FEATURE("container", CONTAINER),
    RC_MEMBER_FEATURE("mcp_servers", TOOLS_SERVER),
};

void rc_messages_read_request(rc_conversation *c, rc_str body)
{
    rc_json_raw_value system;
    c->wants_usage = true;
    if (rc_json_member_find(body, RC_STR("system"), &system))
        read_system(c, &system);
    rc_read_members(c, body, ROWS(rows));
}
