/* Writes a conversation as a request to a target. The other functions are used by the request
 * writers of all dialects. Called by the gateway for attempts at targets that use another dialect
 * than the client. */
#include "dialect/translate/write.h"

#include "base/str.h"
#include "dialect/translate/dialects.h"
#include "dialect/translate/identifier.h"
#include "dialect/translate/schema.h"
#include "json/members.h"
#include "json/reader.h"

rc_status rc_translation_write(const rc_translation_plan *plan, rc_buf *scratch, rc_buf *buf)
{
    rc_request_writer w = {.plan = plan,
                           .c = plan->conversation,
                           .dialect = plan->target->dialect,
                           .scratch = scratch};
    const rc_translate_functions *functions = rc_translate_functions_of(w.dialect);
    if (functions == NULL)
        return RC_E_ARGUMENT;
    rc_json_writer_init(&w.json, buf, 0);
    functions->write_request(&w);
    return rc_buf_status(buf) != RC_OK ? rc_buf_status(buf) : rc_buf_status(scratch);
}

/* ---- members ---- */

void rc_write_raw(rc_request_writer *w, const char *key, rc_span json)
{
    if (json.len == 0)
        return;
    rc_json_key(&w->json, rc_str_c(key));
    rc_json_raw(&w->json, rc_write_text(w, json));
}

void rc_write_string(rc_request_writer *w, const char *key, rc_span raw)
{
    if (raw.len > 0)
        rc_json_member_escaped(&w->json, rc_str_c(key), rc_write_text(w, raw));
}

void rc_write_word(rc_request_writer *w, const char *key, const char *word)
{
    rc_json_member_escaped(&w->json, rc_str_c(key), rc_str_c(word));
}

void rc_write_count(rc_request_writer *w, const char *key, int64_t value)
{
    if (value >= 0)
        rc_json_member_i64(&w->json, rc_str_c(key), value);
}

/* ---- calls ---- */

void rc_write_tool_name(rc_request_writer *w, const char *key, rc_span raw)
{
    rc_json_key(&w->json, rc_str_c(key));
    rc_write_tool_name_value(w, raw);
}

void rc_write_tool_name_value(rc_request_writer *w, rc_span raw)
{
    rc_json_raw(&w->json, RC_STR("\""));
    rc_tool_name_push(w->json.buf, rc_write_text(w, raw), w->dialect);
    rc_buf_push_byte(w->json.buf, '"');
}

/* Returns the call that the part belongs to: the part itself, or the call of a result. */
static const rc_part *call_of(const rc_request_writer *w, const rc_part *part)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    bool is_linked = part->kind == RC_PART_RESULT && part->call > 0 && part->call <= count;
    return is_linked ? &parts[part->call - 1] : part;
}

void rc_write_call_id(rc_request_writer *w, const char *key, const rc_part *part)
{
    size_t count = 0;
    rc_str raw = rc_write_text(w, part->id);
    const rc_part *call = raw.len > 0 ? part : call_of(w, part);
    rc_json_key(&w->json, rc_str_c(key));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_call_id_push(w->json.buf, rc_write_text(w, call->id), w->dialect, call->turn,
                    (uint32_t)(call - rc_conversation_parts(w->c, &count)));
    rc_buf_push_byte(w->json.buf, '"');
}

const rc_part *rc_write_find_call(const rc_request_writer *w, const rc_part *result)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    const rc_part *linked = call_of(w, result);
    rc_str id = rc_write_text(w, result->id);
    if (linked != result)
        return linked;
    const rc_part *end = parts; /* a result follows its call closely */
    if (result - parts > RC_WRITE_CALL_DISTANCE_MAX)
        end = result - RC_WRITE_CALL_DISTANCE_MAX;
    for (const rc_part *part = result; id.len > 0 && part-- > end;)
        if (part->kind == RC_PART_CALL && rc_str_eq(rc_write_text(w, part->id), id))
            return part;
    return NULL;
}

void rc_write_arguments_object(rc_request_writer *w, const char *key, const rc_part *call)
{
    rc_str raw = rc_write_text(w, call->content);
    rc_json_key(&w->json, rc_str_c(key));
    if (raw.len == 0) {
        rc_json_raw(&w->json, RC_STR("{}"));
        return;
    }
    if ((call->flags & RC_PART_IS_VALUE) != 0) {
        rc_json_raw(&w->json, raw);
        return;
    }
    rc_buf_reset(w->scratch);
    rc_json_unescape(raw, w->scratch);
    if (rc_schema_is_object(rc_buf_get(w->scratch))) {
        rc_json_raw(&w->json, rc_buf_get(w->scratch));
        return;
    }
    rc_json_object_begin(&w->json);
    rc_json_member_escaped(&w->json, RC_STR("arguments"), raw);
    rc_json_object_end(&w->json);
}

void rc_write_arguments_string(rc_request_writer *w, const char *key, const rc_part *call)
{
    rc_str raw = rc_write_text(w, call->content);
    bool is_value = (call->flags & RC_PART_IS_VALUE) != 0;
    rc_json_key(&w->json, rc_str_c(key));
    if (raw.len == 0 && (call->flags & RC_PART_IS_CUSTOM) == 0)
        rc_json_string(&w->json, RC_STR("{}"));
    else if (is_value)
        rc_json_string(&w->json, raw);
    else
        rc_json_string_escaped(&w->json, raw);
}

/* ---- custom tools ---- */

bool rc_write_is_custom(const rc_request_writer *w, rc_span name)
{
    size_t count = 0;
    const rc_tool_decl *tools = rc_conversation_tools(w->c, &count);
    for (size_t i = 0; i < count; i++)
        if (tools[i].is_custom &&
            rc_str_eq(rc_write_text(w, tools[i].name), rc_write_text(w, name)))
            return true;
    return false;
}

void rc_write_custom_format(rc_request_writer *w, const rc_tool_decl *tool)
{
    rc_json_raw_value grammar;
    rc_str format = rc_write_text(w, tool->format);
    bool is_nested = w->dialect == RC_DIALECT_OPENAI_CHAT;
    if (!rc_json_is_text(rc_json_member_text(format, RC_STR("type")), RC_STR("grammar"))) {
        rc_write_raw(w, "format", tool->format);
        return;
    }
    if (rc_json_member_find(format, RC_STR("grammar"), &grammar) && grammar.first == '{')
        format = grammar.raw;
    rc_json_key(&w->json, RC_STR("format"));
    rc_json_object_begin(&w->json);
    rc_write_word(w, "type", "grammar");
    if (is_nested) {
        rc_json_key(&w->json, RC_STR("grammar"));
        rc_json_object_begin(&w->json);
    }
    rc_json_member_escaped(&w->json, RC_STR("syntax"),
                           rc_json_member_text(format, RC_STR("syntax")));
    rc_json_member_escaped(&w->json, RC_STR("definition"),
                           rc_json_member_text(format, RC_STR("definition")));
    if (is_nested)
        rc_json_object_end(&w->json);
    rc_json_object_end(&w->json);
}

/* ---- texts ---- */

void rc_write_push_text(rc_request_writer *w, const rc_part *part)
{
    rc_str text = rc_write_text(w, part->content);
    if ((part->flags & RC_PART_IS_VALUE) != 0)
        rc_json_push_escaped(w->json.buf, text);
    else
        rc_buf_push(w->json.buf, text);
}

void rc_write_part_text(rc_request_writer *w, const char *key, const rc_part *part)
{
    rc_json_key(&w->json, rc_str_c(key));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_write_push_text(w, part);
    rc_buf_push_byte(w->json.buf, '"');
}

/* ---- states ---- */

bool rc_write_open_state(rc_request_writer *w, const rc_part *part, rc_seal *ret_seal)
{
    return rc_translation_plan_open_state(w->plan, part, w->scratch, ret_seal);
}

void rc_write_plain(rc_request_writer *w, const char *key, rc_str plain)
{
    rc_json_member_string(&w->json, rc_str_c(key), plain);
}

/* ---- media ---- */

void rc_write_data_url(rc_request_writer *w, const char *key, const rc_part *part,
                       rc_str type_default)
{
    rc_str type = rc_write_text(w, part->name);
    rc_json_key(&w->json, rc_str_c(key));
    rc_json_raw(&w->json, RC_STR("\"data:"));
    rc_buf_push(w->json.buf, type.len > 0 ? type : type_default);
    rc_buf_push(w->json.buf, RC_STR(";base64,"));
    rc_buf_push(w->json.buf, rc_write_text(w, part->content));
    rc_buf_push_byte(w->json.buf, '"');
}

/* ---- turns ---- */

size_t rc_write_turn_end(const rc_request_writer *w, size_t from)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    size_t end = from;
    while (end < count && parts[end].turn == parts[from].turn)
        end++;
    return end;
}

size_t rc_write_result_end(const rc_request_writer *w, size_t from)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(w->c, &count);
    size_t end = from + 1;
    while (end < count && (parts[end].flags & RC_PART_IS_IN_RESULT) != 0)
        end++;
    return end;
}

bool rc_write_says_error(rc_str raw)
{
    rc_str head = rc_str_slice(raw, 0, 64);
    for (size_t i = 0; i + 5 <= head.len; i++)
        if (rc_str_eq_nocase(rc_str_slice(head, i, i + 5), RC_STR("error")))
            return true;
    return false;
}

bool rc_write_is_blank(rc_str raw)
{
    for (size_t i = 0; i < raw.len; i++) {
        bool is_escape = raw.ptr[i] == '\\' && i + 1 < raw.len &&
                         (raw.ptr[i + 1] == 'n' || raw.ptr[i + 1] == 't' || raw.ptr[i + 1] == 'r');
        if (!is_escape && !rc_ascii_is_space(raw.ptr[i]))
            return false;
        i += is_escape;
    }
    return true;
}

bool rc_write_is_allowed(const rc_request_writer *w, const rc_tool_decl *tool)
{
    size_t count = 0;
    const rc_span *allowed = rc_conversation_allowed(w->c, &count);
    for (size_t i = 0; w->c->has_allowed_tools && i < count; i++)
        if (rc_str_eq(rc_write_text(w, allowed[i]), rc_write_text(w, tool->name)))
            return true;
    return !w->c->has_allowed_tools;
}
