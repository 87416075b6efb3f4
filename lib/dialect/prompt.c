/* Prompts: writes the request body in each dialect. Called by src/client/client_call.c. */
#include "dialect/prompt.h"

#include "base/str.h"
#include "codec/base64.h"
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

/* Writes a member whose value is before, media_type, after and the bytes in base64. Base64 needs no
 * escaping, so it is written directly into the buffer. */
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

/* Writes the content of a turn. Text without images is a plain string, which every server accepts.
 */
static void put_content(rc_json_writer *w, const rc_prompt_turn *turn,
                        void (*put_image)(rc_json_writer *, const rc_prompt_image *))
{
    rc_json_key(w, RC_STR("content"));
    if (turn->image_count == 0) {
        rc_json_string(w, turn->text);
        return;
    }
    rc_json_array_begin(w);
    for (size_t i = 0; i < turn->image_count; i++)
        put_image(w, &turn->images[i]);
    put_text_part(w, turn->text);
    rc_json_array_end(w);
}

static void put_messages(rc_json_writer *w, const rc_prompt *prompt, rc_str system,
                         void (*put_image)(rc_json_writer *, const rc_prompt_image *))
{
    rc_json_key(w, RC_STR("messages"));
    rc_json_array_begin(w);
    if (system.len > 0) {
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"), RC_STR("system"));
        rc_json_member_string(w, RC_STR("content"), system);
        rc_json_object_end(w);
    }
    for (size_t i = 0; i < prompt->turn_count; i++) {
        const rc_prompt_turn *turn = &prompt->turns[i];
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"),
                              turn->is_model ? RC_STR("assistant") : RC_STR("user"));
        put_content(w, turn, put_image);
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
    put_messages(w, prompt, prompt->system, put_chat_image);
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

static void put_anthropic(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_member_string(w, RC_STR("model"), prompt->model);
    rc_json_member_i64(w, RC_STR("max_tokens"),
                       prompt->max_tokens > 0 ? prompt->max_tokens : RC_PROMPT_TOKENS_DEFAULT);
    if (prompt->system.len > 0)
        rc_json_member_string(w, RC_STR("system"), prompt->system);
    put_messages(w, prompt, RC_STR(""), put_message_image);
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

static void put_contents(rc_json_writer *w, const rc_prompt *prompt)
{
    rc_json_key(w, RC_STR("contents"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < prompt->turn_count; i++) {
        const rc_prompt_turn *turn = &prompt->turns[i];
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("role"), turn->is_model ? RC_STR("model") : RC_STR("user"));
        rc_json_key(w, RC_STR("parts"));
        rc_json_array_begin(w);
        for (size_t k = 0; k < turn->image_count; k++)
            put_gemini_image(w, &turn->images[k]);
        put_part(w, turn->text);
        rc_json_array_end(w);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void put_gemini(rc_json_writer *w, const rc_prompt *prompt)
{
    put_contents(w, prompt);
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
