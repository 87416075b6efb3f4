/* Reads a request of OpenAI's Chat Completions API into a conversation. Called by
 * rc_conversation_read. */
#include "dialect/translate/read.h"

#include "base/str.h"
#include "dialect/chat/call_state.h"

#define ROWS(rows) rows, sizeof(rows) / sizeof *(rows)

/* ---- content parts ---- */

static void read_image(rc_conversation *c, rc_str part)
{
    rc_json_raw_value image;
    rc_str url = {0};
    if (rc_json_member_find(part, RC_STR("image_url"), &image))
        url = image.first == '{' ? rc_json_member_text(image.raw, RC_STR("url")) : image.raw;
    if (url.len == 0) {
        rc_read_fail(c, "image_url");
        return;
    }
    size_t before = rc_read_position(c);
    rc_read_media_url(c, RC_PART_IMAGE, url);
    if (image.first == '{')
        rc_read_image_detail(c, rc_read_added(c, before),
                             rc_json_member_text(image.raw, RC_STR("detail")));
}

static void read_file(rc_conversation *c, rc_str part)
{
    rc_json_raw_value file;
    bool is_object = rc_json_member_find(part, RC_STR("file"), &file) && file.first == '{';
    rc_str data = is_object ? rc_json_member_text(file.raw, RC_STR("file_data")) : rc_str_c(NULL);
    if (!is_object) {
        rc_read_fail(c, "file");
        return;
    }
    if (data.len == 0) {
        rc_read_feature(c, RC_FEATURE_FILE_ID);
        return;
    }
    size_t before = rc_read_position(c);
    if (rc_str_starts_with_nocase(data, RC_STR("data:")))
        rc_read_media_url(c, RC_PART_FILE, data);
    else
        rc_read_media(c, RC_PART_FILE, rc_str_c(NULL), data);
    rc_part *added = rc_read_added(c, before);
    if (added != NULL)
        added->id = rc_read_span(c, rc_json_member_text(file.raw, RC_STR("filename")));
}

static void read_audio(rc_conversation *c, rc_str part)
{
    rc_json_raw_value audio;
    if (!rc_json_member_find(part, RC_STR("input_audio"), &audio) || audio.first != '{') {
        rc_read_fail(c, "input_audio");
        return;
    }
    rc_read_media(c, RC_PART_AUDIO, rc_json_member_text(audio.raw, RC_STR("format")),
                  rc_json_member_text(audio.raw, RC_STR("data")));
}

static void read_refusal(rc_conversation *c, rc_str raw)
{
    rc_part *part = raw.len > 0 ? rc_read_part(c, RC_PART_REFUSAL) : NULL;
    if (part != NULL)
        part->content = rc_read_span(c, raw);
}

static void read_part(rc_conversation *c, rc_str part)
{
    if (rc_read_type_is(part, "text"))
        rc_read_text(c, rc_json_member_text(part, RC_STR("text")));
    else if (rc_read_type_is(part, "image_url"))
        read_image(c, part);
    else if (rc_read_type_is(part, "input_audio"))
        read_audio(c, part);
    else if (rc_read_type_is(part, "file"))
        read_file(c, part);
    else if (rc_read_type_is(part, "refusal"))
        read_refusal(c, rc_json_member_text(part, RC_STR("refusal")));
    else
        rc_read_feature(c, rc_read_type_is(part, "video_url") ? RC_FEATURE_VIDEO
                                                              : RC_FEATURE_UNKNOWN_CONTENT);
}

/* Reads the content of a message, which is a text or a list of parts. Each part gets `flags`. */
static void read_content(rc_conversation *c, const rc_json_raw_value *content, uint8_t flags)
{
    size_t before = rc_read_position(c);
    if (content->first == '"')
        rc_read_text(c, content->raw);
    else if (content->first != '[')
        rc_read_fail(c, "content");
    rc_json_members m = rc_json_members_begin(content->raw);
    while (content->first == '[' && c->status == RC_OK && rc_json_members_next(&m)) {
        if (m.value.first == '{')
            read_part(c, m.value.raw);
        else
            rc_read_fail(c, "content");
    }
    rc_read_add_flags(c, before, flags);
}

/* ---- calls ---- */

static void read_call(rc_conversation *c, rc_str call)
{
    rc_json_raw_value body;
    bool is_custom = rc_read_type_is(call, "custom");
    rc_part *part = rc_read_part(c, RC_PART_CALL);
    if (part == NULL)
        return;
    if (!rc_json_member_find(call, is_custom ? RC_STR("custom") : RC_STR("function"), &body) ||
        body.first != '{') {
        rc_read_fail(c, "tool_calls");
        return;
    }
    rc_str arguments = is_custom ? RC_STR("input") : RC_STR("arguments");
    part->flags = is_custom ? RC_PART_IS_CUSTOM : 0;
    part->id = rc_read_span(c, rc_json_member_text(call, RC_STR("id")));
    part->name = rc_read_span(c, rc_json_member_text(body.raw, RC_STR("name")));
    part->content = rc_read_span(c, rc_json_member_text(body.raw, arguments));
    part->state = rc_read_span(c, rc_chat_call_state(call));
    if (part->name.len == 0)
        rc_read_fail(c, "name");
    if (is_custom)
        rc_read_feature(c, RC_FEATURE_TOOLS_CUSTOM);
}

static void read_calls(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "tool_calls", read_call);
}

/* ---- turns ---- */

static void read_tool_message(rc_conversation *c, rc_str message)
{
    rc_json_raw_value content;
    rc_read_turn(c, RC_ROLE_USER);
    rc_part *part = rc_read_part(c, RC_PART_RESULT);
    if (part == NULL)
        return;
    part->id = rc_read_span(c, rc_json_member_text(message, RC_STR("tool_call_id")));
    part->name = rc_read_span(c, rc_json_member_text(message, RC_STR("name")));
    if (part->id.len == 0)
        rc_read_fail(c, "tool_call_id");
    if (rc_json_member_find(message, RC_STR("content"), &content))
        read_content(c, &content, RC_PART_IS_IN_RESULT);
}

static void read_assistant(rc_conversation *c, rc_str message)
{
    rc_json_raw_value value;
    rc_read_turn(c, RC_ROLE_ASSISTANT);
    rc_str thought = rc_json_member_text(message, RC_STR("reasoning_content"));
    if (thought.len > 0) {
        rc_part *part = rc_read_part(c, RC_PART_THOUGHT);
        if (part != NULL)
            part->content = rc_read_span(c, thought);
    }
    if (rc_json_member_find(message, RC_STR("content"), &value))
        read_content(c, &value, 0);
    read_refusal(c, rc_json_member_text(message, RC_STR("refusal")));
    if (rc_json_member_find(message, RC_STR("tool_calls"), &value))
        read_calls(c, &value);
    if (rc_json_member_find(message, RC_STR("function_call"), &value))
        rc_read_feature(c, RC_FEATURE_FUNCTIONS);
    if (rc_json_member_find(message, RC_STR("audio"), &value))
        rc_read_feature(c, RC_FEATURE_FILE_ID);
}

static void read_plain_message(rc_conversation *c, rc_str message, rc_role role)
{
    rc_json_raw_value content;
    rc_read_turn(c, role);
    if (rc_json_member_find(message, RC_STR("content"), &content))
        read_content(c, &content, 0);
    else
        rc_read_fail(c, "content");
}

static void read_message(rc_conversation *c, rc_str message)
{
    rc_str role = rc_json_member_text(message, RC_STR("role"));
    bool is_tool = rc_json_is_text(role, RC_STR("tool"));
    if (is_tool)
        read_tool_message(c, message);
    else if (rc_json_is_text(role, RC_STR("assistant")))
        read_assistant(c, message);
    else if (rc_json_is_text(role, RC_STR("user")))
        read_plain_message(c, message, RC_ROLE_USER);
    else if (rc_json_is_text(role, RC_STR("system")))
        read_plain_message(c, message, RC_ROLE_SYSTEM);
    else if (rc_json_is_text(role, RC_STR("developer")))
        read_plain_message(c, message, RC_ROLE_DEVELOPER);
    else if (rc_json_is_text(role, RC_STR("function")))
        rc_read_feature(c, RC_FEATURE_FUNCTIONS);
    else
        rc_read_fail(c, "role");
    if (!is_tool && rc_json_member_text(message, RC_STR("name")).len > 0)
        rc_read_feature(c, RC_FEATURE_NAME);
}

static void read_messages(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "messages", read_message);
}

/* ---- tools ---- */

static void read_tool(rc_conversation *c, rc_str object)
{
    rc_json_raw_value body;
    bool is_custom = rc_read_type_is(object, "custom");
    if (!is_custom && !rc_read_type_is(object, "function")) {
        rc_read_feature(c, RC_FEATURE_TOOLS_SERVER);
        return;
    }
    if (!rc_json_member_find(object, is_custom ? RC_STR("custom") : RC_STR("function"), &body) ||
        body.first != '{') {
        rc_read_fail(c, "tools");
        return;
    }
    rc_tool_decl *tool = rc_read_tool(c);
    if (tool == NULL)
        return;
    tool->is_custom = is_custom;
    rc_read_openai_function(c, tool, body.raw);
    if (is_custom)
        rc_read_feature(c, RC_FEATURE_TOOLS_CUSTOM);
}

static void read_tools(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_read_objects(c, value, "tools", read_tool);
}

/* ---- settings ---- */

static void read_stream_options(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_raw_value usage;
    c->wants_usage =
        rc_json_member_find(value->raw, RC_STR("include_usage"), &usage) && usage.first == 't';
}

static void read_n(rc_conversation *c, const rc_json_raw_value *value)
{
    if (!rc_str_eq(value->raw, RC_STR("1")))
        rc_read_feature(c, RC_FEATURE_N);
}

static void read_json_schema(rc_conversation *c, rc_str format)
{
    rc_json_raw_value body;
    if (!rc_json_member_find(format, RC_STR("json_schema"), &body) || body.first != '{') {
        rc_read_fail(c, "response_format");
        return;
    }
    rc_read_openai_schema(c, body.raw);
}

static void read_response_format(rc_conversation *c, const rc_json_raw_value *value)
{
    if (rc_read_type_is(value->raw, "json_schema")) {
        read_json_schema(c, value->raw);
    } else if (rc_read_type_is(value->raw, "json_object")) {
        c->format = RC_OUTPUT_JSON;
        rc_read_feature(c, RC_FEATURE_JSON_OBJECT);
    } else if (!rc_read_type_is(value->raw, "text")) {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
    }
}

static void read_modalities(rc_conversation *c, const rc_json_raw_value *value)
{
    rc_json_members m = rc_json_members_begin(value->raw);
    while (rc_json_members_next(&m))
        if (!rc_json_value_is(&m.value, RC_STR("text")))
            rc_read_feature(c, RC_FEATURE_MODALITIES);
}

static void read_store(rc_conversation *c, const rc_json_raw_value *value)
{
    c->store = value->first == 't' ? RC_TRUE : RC_FALSE;
    if (c->store == RC_TRUE)
        rc_read_feature(c, RC_FEATURE_STORE);
}

static const rc_member_row rows[] = {
    RC_MEMBER_IGNORED("model"),
    RC_MEMBER_READ("messages", read_messages),
    RC_MEMBER_READ("stream", rc_read_stream),
    RC_MEMBER_READ("stream_options", read_stream_options),
    RC_MEMBER_READ("max_tokens", rc_read_max_tokens),
    RC_MEMBER_READ("max_completion_tokens", rc_read_max_tokens),
    RC_MEMBER_READ("temperature", rc_read_temperature),
    RC_MEMBER_READ("top_p", rc_read_top_p),
    RC_MEMBER_READ("top_k", rc_read_top_k),
    RC_MEMBER_READ("stop", rc_read_stops),
    RC_MEMBER_READ("seed", rc_read_seed),
    RC_MEMBER_READ("presence_penalty", rc_read_presence_penalty),
    RC_MEMBER_READ("frequency_penalty", rc_read_frequency_penalty),
    RC_MEMBER_READ("n", read_n),
    RC_MEMBER_READ("tools", read_tools),
    RC_MEMBER_READ("tool_choice", rc_read_openai_choice),
    RC_MEMBER_READ("parallel_tool_calls", rc_read_parallel),
    RC_MEMBER_READ("response_format", read_response_format),
    RC_MEMBER_READ("reasoning_effort", rc_read_effort),
    RC_MEMBER_READ("verbosity", rc_read_verbosity),
    RC_MEMBER_READ("modalities", read_modalities),
    RC_MEMBER_READ("store", read_store),
    RC_MEMBER_READ("user", rc_read_user),
    RC_MEMBER_READ("metadata", rc_read_metadata),
    RC_MEMBER_READ("service_tier", rc_read_service_tier),
    RC_MEMBER_FEATURE("audio", MODALITIES),
    RC_MEMBER_FEATURE("logprobs", LOGPROBS),
    RC_MEMBER_FEATURE("top_logprobs", LOGPROBS),
    RC_MEMBER_FEATURE("logit_bias", LOGIT_BIAS),
    RC_MEMBER_FEATURE("prediction", PREDICTION),
    RC_MEMBER_FEATURE("functions", FUNCTIONS),
    RC_MEMBER_FEATURE("function_call", FUNCTIONS),
    RC_MEMBER_FEATURE("web_search_options", TOOLS_SERVER),
};

void rc_chat_read_request(rc_conversation *c, rc_str body)
{
    c->takes_state = true;
    c->sees_thoughts = true; /* Chat clients receive the reasoning as reasoning_content, which other
                                clients ignore. */
    rc_read_members(c, body, ROWS(rows));
}
