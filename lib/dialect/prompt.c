/* Prompts: writes the request body for a prompt in each dialect. Called by
 * src/client/client_call_request.c and src/cli/call/prompt.c. */
#include "dialect/prompt.h"

#include "base/str.h"
#include "codec/base64.h"
#include "dialect/tool_calls.h"
#include "json/writer.h"

/* ---- images ---- */

rc_str rc_prompt_image_type(rc_str bytes)
{
    if (rc_str_starts_with(bytes, RC_STR("\x89PNG\r\n\x1a\n")))
        return RC_STR("image/png");
    if (rc_str_starts_with(bytes, RC_STR("\xff\xd8\xff")))
        return RC_STR("image/jpeg");
    if (rc_str_starts_with(bytes, RC_STR("GIF87a")) || rc_str_starts_with(bytes, RC_STR("GIF89a")))
        return RC_STR("image/gif");
    if (rc_str_starts_with(bytes, RC_STR("RIFF")) &&
        rc_str_eq(rc_str_slice(bytes, 8, 12), RC_STR("WEBP")))
        return RC_STR("image/webp");
    return rc_str_make(NULL, 0);
}

/* Writes a member whose value is a string of `before`, `media_type`, `after` and the bytes in
 * base64. Base64 needs no escaping, so the value is written directly into the buffer. */
static void put_base64(rc_json_writer *w, rc_str key, rc_str before, rc_str media_type,
                       rc_str after, rc_str bytes)
{
    rc_json_key(w, key);
    rc_json_raw(w, RC_STR("\""));
    rc_buf_push(w->buf, before);
    rc_buf_push(w->buf, media_type);
    rc_buf_push(w->buf, after);
    rc_base64_push(w->buf, bytes);
    rc_buf_push_byte(w->buf, '"');
}

/* ---- tools ---- */

/* Writes the arguments of a call as an object, which Anthropic and Gemini require. Arguments that
 * are not an object are replaced by an empty object; the tool's result reports the error to the
 * model. */
static void put_arguments(rc_json_writer *w, rc_str key, const rc_tool_call *call)
{
    rc_json_key(w, key);
    rc_json_raw(w, rc_tool_call_has_object(call) ? call->arguments : RC_STR("{}"));
}

/* Writes name, description and JSON schema of a tool. */
static void put_tool(rc_json_writer *w, const rc_tool *tool, rc_str schema_key)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("name"), tool->name);
    if (tool->description.len > 0)
        rc_json_member_string(w, RC_STR("description"), tool->description);
    rc_json_key(w, schema_key);
    rc_json_raw(w, tool->schema.len > 0 ? tool->schema : RC_STR("{\"type\":\"object\"}"));
    rc_json_object_end(w);
}

/* Returns whether the text of the turn is written. If the turn has tool calls or results, an empty
 * text is left out, because servers reject an empty text there. */
static bool has_text(const rc_prompt_turn *turn)
{
    return turn->text.len > 0 || (turn->call_count == 0 && turn->result_count == 0);
}

/* ---- OpenAI ---- */

static void put_chat_image(rc_json_writer *w, const rc_prompt_image *image)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("image_url"));
    rc_json_key(w, RC_STR("image_url"));
    rc_json_object_begin(w);
    put_base64(w, RC_STR("url"), RC_STR("data:"), image->media_type, RC_STR(";base64,"),
               image->bytes);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

static void put_text_part(rc_json_writer *w, rc_str text)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("text"));
    rc_json_member_string(w, RC_STR("text"), text);
    rc_json_object_end(w);
}

/* Writes the content of a turn. Content that is only text is written as a plain string, which every
 * server accepts. */
static void put_chat_content(rc_json_writer *w, const rc_prompt_turn *turn)
{
    rc_json_key(w, RC_STR("content"));
    if (!has_text(turn)) {
        rc_json_null(w);
        return;
    }
    if (turn->image_count == 0) {
        rc_json_string(w, turn->text);
        return;
    }
    rc_json_array_begin(w);
    for (size_t i = 0; i < turn->image_count; i++)
        put_chat_image(w, &turn->images[i]);
    put_text_part(w, turn->text);
    rc_json_array_end(w);
}

static void put_chat_calls(rc_json_writer *w, const rc_prompt_turn *turn)
{
    if (turn->call_count == 0)
        return;
    rc_json_key(w, RC_STR("tool_calls"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < turn->call_count; i++) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("id"), turn->calls[i].id);
        rc_json_member_string(w, RC_STR("type"), RC_STR("function"));
        rc_json_key(w, RC_STR("function"));
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("name"), turn->calls[i].name);
        rc_json_member_string(w, RC_STR("arguments"), turn->calls[i].arguments);
        rc_json_object_end(w);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

/* Writes each tool result of the turn as a separate message. */
static void put_chat_results(rc_json_writer *w, const rc_prompt_turn *turn)
{
    for (size_t i = 0; i < turn->result_count; i++) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"), RC_STR("tool"));
        rc_json_member_string(w, RC_STR("tool_call_id"), turn->results[i].id);
        rc_json_member_string(w, RC_STR("content"), turn->results[i].text);
        rc_json_object_end(w);
    }
}

static void put_chat_turn(rc_json_writer *w, const rc_prompt_turn *turn)
{
    put_chat_results(w, turn);
    if (turn->result_count > 0 && turn->text.len == 0 && turn->image_count == 0)
        return;
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("role"), turn->is_model ? RC_STR("assistant") : RC_STR("user"));
    put_chat_content(w, turn);
    put_chat_calls(w, turn);
    rc_json_object_end(w);
}

static void put_chat_messages(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_key(w, RC_STR("messages"));
    rc_json_array_begin(w);
    if (prompt->system.len > 0) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"), RC_STR("system"));
        rc_json_member_string(w, RC_STR("content"), prompt->system);
        rc_json_object_end(w);
    }
    for (size_t i = 0; i < prompt->turn_count; i++)
        put_chat_turn(w, &prompt->turns[i]);
    rc_json_array_end(w);
}

static void put_chat_tools(rc_json_writer *w, const rc_prompt *prompt)
{
    if (prompt->tool_count == 0)
        return;
    rc_json_key(w, RC_STR("tools"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->tool_count; i++) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("type"), RC_STR("function"));
        rc_json_key(w, RC_STR("function"));
        put_tool(w, &prompt->tools[i], RC_STR("parameters"));
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void put_temperature(rc_json_writer *w, const rc_prompt *prompt)
{
    if (prompt->temperature.len == 0)
        return;
    rc_json_key(w, RC_STR("temperature"));
    rc_json_raw(w, prompt->temperature);
}

static void put_chat(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_member_string(w, RC_STR("model"), prompt->model);
    put_chat_messages(w, prompt);
    put_chat_tools(w, prompt);
    if (prompt->max_tokens > 0)
        rc_json_member_i64(w,
                           prompt->has_completion_limit ? RC_STR("max_completion_tokens")
                                                        : RC_STR("max_tokens"),
                           prompt->max_tokens);
    put_temperature(w, prompt);
    if (!prompt->is_stream)
        return;
    rc_json_member_bool(w, RC_STR("stream"), true);
    if (!prompt->wants_usage)
        return;
    rc_json_key(w, RC_STR("stream_options"));
    rc_json_object_begin(w);
    rc_json_member_bool(w, RC_STR("include_usage"), true);
    rc_json_object_end(w);
}

/* ---- Anthropic ---- */

static void put_message_image(rc_json_writer *w, const rc_prompt_image *image)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("image"));
    rc_json_key(w, RC_STR("source"));
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("base64"));
    rc_json_member_string(w, RC_STR("media_type"), image->media_type);
    put_base64(w, RC_STR("data"), RC_STR(""), RC_STR(""), RC_STR(""), image->bytes);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

static void put_message_call(rc_json_writer *w, const rc_tool_call *call)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("tool_use"));
    rc_json_member_string(w, RC_STR("id"), call->id);
    rc_json_member_string(w, RC_STR("name"), call->name);
    put_arguments(w, RC_STR("input"), call);
    rc_json_object_end(w);
}

static void put_message_result(rc_json_writer *w, const rc_tool_result *result)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("type"), RC_STR("tool_result"));
    rc_json_member_string(w, RC_STR("tool_use_id"), result->id);
    rc_json_member_string(w, RC_STR("content"), result->text);
    if (result->is_error)
        rc_json_member_bool(w, RC_STR("is_error"), true);
    rc_json_object_end(w);
}

static void put_message_content(rc_json_writer *w, const rc_prompt_turn *turn)
{
    rc_json_key(w, RC_STR("content"));
    if (turn->image_count == 0 && turn->call_count == 0 && turn->result_count == 0) {
        rc_json_string(w, turn->text);
        return;
    }
    rc_json_array_begin(w);
    for (size_t i = 0; i < turn->result_count; i++)
        put_message_result(w, &turn->results[i]);
    for (size_t i = 0; i < turn->image_count; i++)
        put_message_image(w, &turn->images[i]);
    if (has_text(turn))
        put_text_part(w, turn->text);
    for (size_t i = 0; i < turn->call_count; i++)
        put_message_call(w, &turn->calls[i]);
    rc_json_array_end(w);
}

static void put_messages(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_key(w, RC_STR("messages"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->turn_count; i++) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"),
                              prompt->turns[i].is_model ? RC_STR("assistant") : RC_STR("user"));
        put_message_content(w, &prompt->turns[i]);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void put_message_tools(rc_json_writer *w, const rc_prompt *prompt)
{
    if (prompt->tool_count == 0)
        return;
    rc_json_key(w, RC_STR("tools"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->tool_count; i++)
        put_tool(w, &prompt->tools[i], RC_STR("input_schema"));
    rc_json_array_end(w);
}

static void put_anthropic(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_member_string(w, RC_STR("model"), prompt->model);
    rc_json_member_i64(w, RC_STR("max_tokens"),
                       prompt->max_tokens > 0 ? prompt->max_tokens : RC_PROMPT_TOKENS_DEFAULT);
    if (prompt->system.len > 0)
        rc_json_member_string(w, RC_STR("system"), prompt->system);
    put_messages(w, prompt);
    put_message_tools(w, prompt);
    put_temperature(w, prompt);
    if (prompt->is_stream)
        rc_json_member_bool(w, RC_STR("stream"), true);
}

/* ---- Gemini ---- */

static void put_part(rc_json_writer *w, rc_str text)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("text"), text);
    rc_json_object_end(w);
}

static void put_gemini_image(rc_json_writer *w, const rc_prompt_image *image)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("inlineData"));
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("mimeType"), image->media_type);
    put_base64(w, RC_STR("data"), RC_STR(""), RC_STR(""), RC_STR(""), image->bytes);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

/* Writes a tool call as a part. The signature is a member of the part, not of the object
 * functionCall inside the part. */
static void put_gemini_call(rc_json_writer *w, const rc_tool_call *call)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("functionCall"));
    rc_json_object_begin(w);
    if (call->id.len > 0)
        rc_json_member_string(w, RC_STR("id"), call->id);
    rc_json_member_string(w, RC_STR("name"), call->name);
    put_arguments(w, RC_STR("args"), call);
    rc_json_object_end(w);
    if (call->signature.len > 0)
        rc_json_member_string(w, RC_STR("thoughtSignature"), call->signature);
    rc_json_object_end(w);
}

static void put_gemini_result(rc_json_writer *w, const rc_tool_result *result)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("functionResponse"));
    rc_json_object_begin(w);
    if (result->id.len > 0)
        rc_json_member_string(w, RC_STR("id"), result->id);
    rc_json_member_string(w, RC_STR("name"), result->name);
    rc_json_key(w, RC_STR("response"));
    rc_json_object_begin(w);
    rc_json_member_string(w, result->is_error ? RC_STR("error") : RC_STR("output"), result->text);
    rc_json_object_end(w);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

static void put_gemini_tools(rc_json_writer *w, const rc_prompt *prompt)
{
    if (prompt->tool_count == 0)
        return;
    rc_json_key(w, RC_STR("tools"));
    rc_json_array_begin(w);
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("functionDeclarations"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->tool_count; i++)
        put_tool(w, &prompt->tools[i], RC_STR("parametersJsonSchema"));
    rc_json_array_end(w);
    rc_json_object_end(w);
    rc_json_array_end(w);
}

static void put_parts(rc_json_writer *w, const rc_prompt_turn *turn)
{
    rc_json_key(w, RC_STR("parts"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < turn->result_count; i++)
        put_gemini_result(w, &turn->results[i]);
    for (size_t i = 0; i < turn->image_count; i++)
        put_gemini_image(w, &turn->images[i]);
    if (has_text(turn))
        put_part(w, turn->text);
    for (size_t i = 0; i < turn->call_count; i++)
        put_gemini_call(w, &turn->calls[i]);
    rc_json_array_end(w);
}

static void put_contents(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_key(w, RC_STR("contents"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->turn_count; i++) {
        const rc_prompt_turn *turn = &prompt->turns[i];
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"), turn->is_model ? RC_STR("model") : RC_STR("user"));
        put_parts(w, turn);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void put_gemini(rc_json_writer *w, const rc_prompt *prompt)
{
    put_contents(w, prompt);
    put_gemini_tools(w, prompt);
    if (prompt->system.len > 0) {
        rc_json_key(w, RC_STR("systemInstruction"));
        rc_json_object_begin(w);
        rc_json_key(w, RC_STR("parts"));
        rc_json_array_begin(w);
        put_part(w, prompt->system);
        rc_json_array_end(w);
        rc_json_object_end(w);
    }
    if (prompt->max_tokens == 0 && prompt->temperature.len == 0)
        return;
    rc_json_key(w, RC_STR("generationConfig"));
    rc_json_object_begin(w);
    if (prompt->max_tokens > 0)
        rc_json_member_i64(w, RC_STR("maxOutputTokens"), prompt->max_tokens);
    put_temperature(w, prompt);
    rc_json_object_end(w);
}

/* ---- the body ---- */

rc_status rc_prompt_push_body(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    switch (dialect) {
    case RC_DIALECT_ANTHROPIC:
        put_anthropic(&w, prompt);
        break;
    case RC_DIALECT_GEMINI:
        put_gemini(&w, prompt);
        break;
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_OPENAI_RESPONSES:
    case RC_DIALECT_PROBLEM:
        put_chat(&w, prompt);
        break;
    }
    rc_json_object_end(&w);
    return rc_buf_status(buf);
}
