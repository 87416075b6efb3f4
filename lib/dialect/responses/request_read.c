/* Reads a request of OpenAI's Responses API into a conversation. Called by rc_conversation_read. */
#include "dialect/translate/read.h"

#include "base/str.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/* ---- content parts ---- */

static void read_image(rc_conversation *c, rc_str part)
{
    rc_str url = rc_json_member_text(part, RC_STR("image_url"));
    size_t before = rc_read_position(c);
    if (url.len == 0) {
        rc_read_feature(c, RC_FEATURE_FILE_ID);
        return;
    }
    rc_read_media_url(c, RC_PART_IMAGE, url);
    rc_read_image_detail(c, rc_read_added(c, before), rc_json_member_text(part, RC_STR("detail")));
}

static void read_file(rc_conversation *c, rc_str part)
{
    rc_str data = rc_json_member_text(part, RC_STR("file_data"));
    rc_str url = rc_json_member_text(part, RC_STR("file_url"));
    size_t before = rc_read_position(c);
    if (rc_str_starts_with_nocase(data, RC_STR("data:")))
        rc_read_media_url(c, RC_PART_FILE, data);
    else if (data.len > 0)
        rc_read_media(c, RC_PART_FILE, rc_str_c(NULL), data);
    else if (url.len > 0)
        rc_read_media_url(c, RC_PART_FILE, url);
    else
        rc_read_feature(c, RC_FEATURE_FILE_ID);
    rc_part *added = rc_read_added(c, before);
    if (added != NULL)
        added->id = rc_read_span(c, rc_json_member_text(part, RC_STR("filename")));
}

static void read_audio(rc_conversation *c, rc_str part)
{
    rc_json_raw_value audio;
    if (rc_json_member_find(part, RC_STR("input_audio"), &audio) && audio.first == '{')
        rc_read_media(c, RC_PART_AUDIO, rc_json_member_text(audio.raw, RC_STR("format")),
                      rc_json_member_text(audio.raw, RC_STR("data")));
    else
        rc_read_fail(c, "input_audio");
}

static void read_refusal(rc_conversation *c, rc_str raw)
{
    rc_part *part = raw.len > 0 ? rc_read_part(c, RC_PART_REFUSAL) : NULL;
    if (part != NULL)
        part->content = rc_read_span(c, raw);
}

static void read_part(rc_conversation *c, rc_str part)
{
    if (rc_read_type_is(part, "input_text") || rc_read_type_is(part, "output_text") ||
        rc_read_type_is(part, "text"))
        rc_read_text(c, rc_json_member_text(part, RC_STR("text")));
    else if (rc_read_type_is(part, "input_image"))
        read_image(c, part);
    else if (rc_read_type_is(part, "input_file"))
        read_file(c, part);
    else if (rc_read_type_is(part, "input_audio"))
        read_audio(c, part);
    else if (rc_read_type_is(part, "refusal"))
        read_refusal(c, rc_json_member_text(part, RC_STR("refusal")));
    else
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

/* Reads the content of an item, which is a text or a list of parts. Each part gets `flags`. */
static void read_content(rc_conversation *c, const rc_json_raw_value *content, const char *name,
                         uint8_t flags)
{
    size_t before = rc_read_position(c);
    if (content->first == '"')
        rc_read_text(c, content->raw);
    else
        rc_read_objects(c, content, name, read_part);
    rc_read_add_flags(c, before, flags);
}

/* ---- items ---- */

static void read_message(rc_conversation *c, rc_str item)
{
    rc_json_raw_value content;
    rc_str role = rc_json_member_text(item, RC_STR("role"));
    if (rc_json_is_text(role, RC_STR("user")))
        rc_read_turn(c, RC_ROLE_USER);
    else if (rc_json_is_text(role, RC_STR("assistant")))
        rc_read_turn(c, RC_ROLE_ASSISTANT);
    else if (rc_json_is_text(role, RC_STR("system")))
        rc_read_turn(c, RC_ROLE_SYSTEM);
    else if (rc_json_is_text(role, RC_STR("developer")))
        rc_read_turn(c, RC_ROLE_DEVELOPER);
    else
        rc_read_fail(c, "role");
    if (rc_json_member_find(item, RC_STR("content"), &content))
        read_content(c, &content, "content", 0);
    else
        rc_read_fail(c, "content");
}

static void read_call(rc_conversation *c, rc_str item, bool is_custom)
{
    rc_read_turn(c, RC_ROLE_ASSISTANT);
    rc_part *part = rc_read_part(c, RC_PART_CALL);
    if (part == NULL)
        return;
    part->flags = is_custom ? RC_PART_IS_CUSTOM : 0;
    part->id = rc_read_span(c, rc_json_member_text(item, RC_STR("call_id")));
    part->name = rc_read_span(c, rc_json_member_text(item, RC_STR("name")));
    part->content = rc_read_span(
        c, rc_json_member_text(item, is_custom ? RC_STR("input") : RC_STR("arguments")));
    if (part->name.len == 0)
        rc_read_fail(c, "name");
    if (part->id.len == 0)
        rc_read_fail(c, "call_id");
    if (is_custom)
        rc_read_feature(c, RC_FEATURE_TOOLS_CUSTOM);
}

static void read_result(rc_conversation *c, rc_str item, bool is_custom)
{
    rc_json_raw_value output;
    rc_read_turn(c, RC_ROLE_USER);
    rc_part *part = rc_read_part(c, RC_PART_RESULT);
    if (part == NULL)
        return;
    part->flags = is_custom ? RC_PART_IS_CUSTOM : 0;
    part->id = rc_read_span(c, rc_json_member_text(item, RC_STR("call_id")));
    if (part->id.len == 0)
        rc_read_fail(c, "call_id");
    else if (rc_json_member_find(item, RC_STR("output"), &output))
        read_content(c, &output, "output", RC_PART_IS_IN_RESULT);
}

/* Adds reasoning for each text of the list. The first part gets the id and the state. */
static void read_thoughts(rc_conversation *c, rc_str item, rc_str list, bool *has_state)
{
    rc_json_members m = rc_json_members_begin(list);
    while (c->status == RC_OK && rc_json_members_next(&m)) {
        rc_str text = rc_json_member_text(m.value.raw, RC_STR("text"));
        rc_part *part = text.len > 0 ? rc_read_part(c, RC_PART_THOUGHT) : NULL;
        if (part == NULL)
            continue;
        part->content = rc_read_span(c, text);
        if (!*has_state)
            part->state = rc_read_span(c, rc_json_member_text(item, RC_STR("encrypted_content")));
        *has_state = true;
    }
}

static void read_reasoning(rc_conversation *c, rc_str item)
{
    rc_json_raw_value list;
    bool has_state = false;
    rc_read_turn(c, RC_ROLE_ASSISTANT);
    if (rc_json_member_find(item, RC_STR("summary"), &list) && list.first == '[')
        read_thoughts(c, item, list.raw, &has_state);
    if (rc_json_member_find(item, RC_STR("content"), &list) && list.first == '[')
        read_thoughts(c, item, list.raw, &has_state);
    if (has_state)
        return;
    rc_part *part = rc_read_part(c, RC_PART_THOUGHT);
    if (part != NULL)
        part->state = rc_read_span(c, rc_json_member_text(item, RC_STR("encrypted_content")));
}

/* Sets the feature of an item that no other dialect has. */
static void note_other_item(rc_conversation *c, rc_str item)
{
    static const struct {
        const char *type;
        rc_feature feature;
    } others[] = {{"item_reference", RC_FEATURE_STATE},
                  {"compaction", RC_FEATURE_STATE},
                  {"computer_call", RC_FEATURE_TOOLS_TYPED},
                  {"computer_call_output", RC_FEATURE_TOOLS_TYPED},
                  {"local_shell_call", RC_FEATURE_TOOLS_TYPED},
                  {"local_shell_call_output", RC_FEATURE_TOOLS_TYPED},
                  {"shell_call", RC_FEATURE_TOOLS_TYPED},
                  {"shell_call_output", RC_FEATURE_TOOLS_TYPED},
                  {"apply_patch_call", RC_FEATURE_TOOLS_TYPED},
                  {"apply_patch_call_output", RC_FEATURE_TOOLS_TYPED},
                  {"web_search_call", RC_FEATURE_TOOLS_SERVER},
                  {"file_search_call", RC_FEATURE_TOOLS_SERVER},
                  {"code_interpreter_call", RC_FEATURE_TOOLS_SERVER},
                  {"image_generation_call", RC_FEATURE_TOOLS_SERVER},
                  {"mcp_list_tools", RC_FEATURE_TOOLS_SERVER},
                  {"mcp_call", RC_FEATURE_TOOLS_SERVER},
                  {"mcp_approval_request", RC_FEATURE_TOOLS_SERVER},
                  {"mcp_approval_response", RC_FEATURE_TOOLS_SERVER}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!rc_read_type_is(item, others[i].type))
            continue;
        rc_read_feature(c, others[i].feature);
        return;
    }
    rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

static void read_item(rc_conversation *c, rc_str item)
{
    rc_json_raw_value type;
    bool is_message =
        !rc_json_member_find(item, RC_STR("type"), &type) || rc_read_type_is(item, "message");
    if (is_message && rc_json_member_text(item, RC_STR("role")).len > 0)
        read_message(c, item);
    else if (is_message) /* {"id": ...} without a role refers to a stored item */
        rc_read_feature(c, RC_FEATURE_STATE);
    else if (rc_read_type_is(item, "function_call"))
        read_call(c, item, false);
    else if (rc_read_type_is(item, "custom_tool_call"))
        read_call(c, item, true);
    else if (rc_read_type_is(item, "function_call_output"))
        read_result(c, item, false);
    else if (rc_read_type_is(item, "custom_tool_call_output"))
        read_result(c, item, true);
    else if (rc_read_type_is(item, "reasoning"))
        read_reasoning(c, item);
    else
        note_other_item(c, item);
}

static void read_input(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first != '"') {
        rc_read_objects(c, value, "input", read_item);
        return;
    }
    rc_read_turn(c, RC_ROLE_USER);
    rc_read_text(c, value->raw);
}

/* ---- tools ---- */

static void read_tool(rc_conversation *c, rc_str object)
{
    bool is_custom = rc_read_type_is(object, "custom");
    if (!is_custom && !rc_read_type_is(object, "function")) {
        bool is_at_client =
            rc_read_type_is(object, "computer_use_preview") ||
            rc_read_type_is(object, "computer") || rc_read_type_is(object, "local_shell") ||
            rc_read_type_is(object, "shell") || rc_read_type_is(object, "apply_patch");
        rc_read_feature(c, is_at_client ? RC_FEATURE_TOOLS_TYPED : RC_FEATURE_TOOLS_SERVER);
        return;
    }
    rc_tool_decl *tool = rc_read_tool(c);
    if (tool == NULL)
        return;
    tool->is_custom = is_custom;
    rc_read_openai_function(c, tool, object);
    if (is_custom)
        rc_read_feature(c, RC_FEATURE_TOOLS_CUSTOM);
}

static void read_tools(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "tools", read_tool);
}

/* ---- settings ---- */

static void read_format(rc_conversation *c, const rc_json_raw_value *value)
{
    if (rc_read_type_is(value->raw, "json_schema")) {
        rc_read_openai_schema(c, value->raw);
    } else if (rc_read_type_is(value->raw, "json_object")) {
        c->format = RC_OUTPUT_JSON;
        rc_read_feature(c, RC_FEATURE_JSON_OBJECT);
    } else if (!rc_read_type_is(value->raw, "text")) {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    }
}

static const rc_member_row text_rows[] = {
    RC_MEMBER_READ("format", read_format),
    RC_MEMBER_READ("verbosity", rc_read_verbosity),
};

static void read_text_setting(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members(c, value->raw, ROWS(text_rows));
}

static void read_summary(rc_conversation *c, const rc_json_raw_value *value)
{
    c->sees_thoughts = value->first == '"';
}

static const rc_member_row reasoning_rows[] = {
    RC_MEMBER_READ("effort", rc_read_effort),
    RC_MEMBER_READ("summary", read_summary),
    RC_MEMBER_READ("generate_summary", read_summary),
};

static void read_reasoning_setting(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_members(c, value->raw, ROWS(reasoning_rows));
}

/* Most entries of `include` are about tools that run at the provider; a request with such a tool is
 * refused for the tool. */
static void read_include(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_members m = rc_json_members_begin(value->raw);
    while (rc_json_members_next(&m))
        if (rc_json_value_is(&m.value, RC_STR("message.output_text.logprobs")))
            rc_read_feature(c, RC_FEATURE_LOGPROBS);
}

static void read_top_logprobs(rc_conversation *c, const rc_json_raw_value *value)
{
    if (!rc_str_eq(value->raw, RC_STR("0")))
        rc_read_feature(c, RC_FEATURE_LOGPROBS);
}

static void read_store(rc_conversation *c, const rc_json_raw_value *value)
{
    c->store = value->first == 't' ? RC_TRUE : RC_FALSE;
}

static void read_truncation(rc_conversation *c, const rc_json_raw_value *value)
{
    if (!rc_json_value_is(value, RC_STR("disabled")))
        rc_read_feature(c, RC_FEATURE_TRUNCATION);
}

static const rc_member_row rows[] = {
    RC_MEMBER_IGNORED("model"),
    RC_MEMBER_IGNORED("instructions"), /* read before the other members, because the instructions
                                          precede the input */
    RC_MEMBER_READ("input", read_input),
    RC_MEMBER_READ("stream", rc_read_stream),
    RC_MEMBER_IGNORED("stream_options"),
    RC_MEMBER_READ("max_output_tokens", rc_read_max_tokens),
    RC_MEMBER_READ("temperature", rc_read_temperature),
    RC_MEMBER_READ("top_p", rc_read_top_p),
    RC_MEMBER_READ("tools", read_tools),
    RC_MEMBER_READ("tool_choice", rc_read_openai_choice),
    RC_MEMBER_READ("parallel_tool_calls", rc_read_parallel),
    RC_MEMBER_IGNORED("max_tool_calls"), /* limits tools that run at the provider */
    RC_MEMBER_READ("text", read_text_setting),
    RC_MEMBER_READ("reasoning", read_reasoning_setting),
    RC_MEMBER_READ("include", read_include),
    RC_MEMBER_READ("top_logprobs", read_top_logprobs),
    RC_MEMBER_READ("store", read_store),
    RC_MEMBER_READ("truncation", read_truncation),
    RC_MEMBER_READ("user", rc_read_user),
    RC_MEMBER_READ("metadata", rc_read_metadata),
    RC_MEMBER_READ("service_tier", rc_read_service_tier),
    RC_MEMBER_FEATURE("previous_response_id", STATE),
    RC_MEMBER_FEATURE("conversation", STATE),
    RC_MEMBER_FEATURE("prompt", STATE),
    RC_MEMBER_FEATURE("background", STATE),
    RC_MEMBER_FEATURE("context_management", CONTEXT_MANAGEMENT),
};

void rc_responses_read_request(rc_conversation *c, rc_str body)
{
    rc_json_raw_value value;
    c->wants_usage = true;
    c->takes_state = true;
    if (rc_json_member_find(body, RC_STR("instructions"), &value)) {
        rc_read_turn(c, RC_ROLE_SYSTEM);
        if (value.first == '"')
            rc_read_text(c, value.raw);
        else
            read_input(c, &value);
    }
    rc_read_members(c, body, ROWS(rows));
    if (c->store != RC_FALSE) /* responses are stored unless the request says otherwise */
        rc_read_feature(c, RC_FEATURE_STORE);
}
