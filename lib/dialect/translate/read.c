/* Functions that fill a conversation. Called by the request readers of all dialects. */
#include "dialect/translate/read.h"

#include <string.h>

#include "base/str.h"
#include "json/reader.h"

/* ---- members ---- */

static bool is_set(const rc_json_raw_value *value)
{
    bool is_empty_list = value->first == '[' &&
                         rc_str_trim(rc_str_slice(value->raw, 1, value->raw.len - 1)).len == 0;
    return value->first != 'n' && value->first != 'f' && !is_empty_list;
}

static const rc_member_row *row_of(const rc_member_row *rows, size_t count, rc_str key,
                                   rc_member_is_key is_key)
{
    for (size_t i = 0; i < count; i++)
        if (is_key(key, rc_str_c(rows[i].name)))
            return &rows[i];
    return NULL;
}

void rc_read_members_by(rc_conversation *c, rc_str object, const rc_member_row *rows, size_t count,
                        rc_member_is_key is_key)
{
    rc_json_members m = rc_json_members_begin(object);
    while (c->status == RC_OK && rc_json_members_next(&m)) {
        if (m.value.first == 'n')
            continue;
        const rc_member_row *row = row_of(rows, count, m.key, is_key);
        if (row == NULL)
            rc_read_unknown(c, m.key);
        else if (row->read != NULL)
            row->read(c, &m.value);
        else if (is_set(&m.value))
            rc_read_feature(c, row->feature);
    }
}

void rc_read_members(rc_conversation *c, rc_str object, const rc_member_row *rows, size_t count)
{
    rc_read_members_by(c, object, rows, count, rc_json_is_text);
}

void rc_read_objects(rc_conversation *c, const rc_json_raw_value *value, const char *name,
                     void (*read)(rc_conversation *c, rc_str object))
{
    rc_json_members m = rc_json_members_begin(value->raw);
    if (value->first != '[')
        rc_read_fail(c, name);
    while (c->status == RC_OK && rc_json_members_next(&m)) {
        if (m.value.first == '{')
            read(c, m.value.raw);
        else
            rc_read_fail(c, name);
    }
}

bool rc_read_type_is(rc_str object, const char *type)
{
    rc_json_raw_value value;
    return rc_json_member_find(object, RC_STR("type"), &value) &&
           rc_json_value_is(&value, rc_str_c(type));
}

void rc_read_unknown(rc_conversation *c, rc_str key)
{
    if (key.len == 0 || c->unknown_count == RC_CONVERSATION_UNKNOWN_MAX)
        return;
    for (size_t i = 0; i < c->unknown_count; i++)
        if (rc_str_eq(rc_conversation_text(c, c->unknown[i]), key))
            return;
    c->unknown[c->unknown_count++] = rc_read_span(c, key);
}

void rc_read_fail(rc_conversation *c, const char *name)
{
    if (c->status != RC_OK)
        return;
    c->status = RC_E_TYPE;
    c->fault_name = name;
}

/* ---- values ---- */

rc_span rc_read_span(const rc_conversation *c, rc_str view)
{
    if (view.len == 0)
        return (rc_span){0, 0};
    return (rc_span){(uint32_t)(view.ptr - c->body.ptr), (uint32_t)view.len};
}

rc_span rc_read_json_span(const rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first != '"')
        return rc_read_span(c, value->raw);
    /* The span includes the quotes around the content. An empty string has a position, too. */
    return (rc_span){(uint32_t)(value->raw.ptr - c->body.ptr) - 1, (uint32_t)value->raw.len + 2};
}

rc_span rc_read_number(const rc_conversation *c, const rc_json_raw_value *value)
{
    bool is_number = value->first == '-' || rc_ascii_is_digit(value->first);
    return is_number ? rc_read_span(c, value->raw) : (rc_span){0, 0};
}

int64_t rc_read_count(const rc_json_raw_value *value)
{
    int64_t number = -1;
    if (value->first == '"' || rc_json_to_i64(value->raw, &number) != RC_OK)
        return -1;
    return number >= 0 && number <= INT32_MAX ? number : -1;
}

/* ---- parts ---- */

static rc_part *last_part(rc_conversation *c)
{
    return c->parts_buf.len == 0
               ? NULL
               : (rc_part *)(void *)(c->parts_buf.ptr + c->parts_buf.len - sizeof(rc_part));
}

void rc_read_turn(rc_conversation *c, rc_role role)
{
    const rc_part *last = last_part(c);
    c->role = role;
    if (last == NULL)
        c->turn_count = 1;
    else
        c->turn_count = last->role == role ? last->turn + 1 : last->turn + 2;
}

rc_part *rc_read_part(rc_conversation *c, rc_part_kind kind)
{
    rc_part part = {.kind = (uint8_t)kind, .role = (uint8_t)c->role, .turn = c->turn_count - 1};
    if (c->status == RC_OK)
        c->status = rc_buf_push(&c->parts_buf, rc_str_make((const char *)&part, sizeof part));
    return c->status == RC_OK ? last_part(c) : NULL;
}

rc_part *rc_read_added(rc_conversation *c, size_t position)
{
    return position < c->parts_buf.len ? (rc_part *)(void *)(c->parts_buf.ptr + position) : NULL;
}

void rc_read_add_flags(rc_conversation *c, size_t position, uint8_t flags)
{
    for (; position < c->parts_buf.len; position += sizeof(rc_part))
        rc_read_added(c, position)->flags |= flags;
}

void rc_read_text(rc_conversation *c, rc_str raw)
{
    rc_part *part = raw.len > 0 ? rc_read_part(c, RC_PART_TEXT) : NULL;
    if (part != NULL)
        part->content = rc_read_span(c, raw);
}

static void note_media(rc_conversation *c, rc_part_kind kind, rc_str media_type)
{
    bool is_gif = rc_json_is_text(media_type, RC_STR("image/gif"));
    rc_read_feature(c, kind == RC_PART_IMAGE ? RC_FEATURE_IMAGE : RC_FEATURE_PDF);
    if (is_gif)
        rc_read_feature(c, RC_FEATURE_IMAGE_TYPE);
}

rc_part *rc_read_media(rc_conversation *c, rc_part_kind kind, rc_str media_type, rc_str base64)
{
    if (base64.len == 0)
        rc_read_fail(c, "data");
    rc_part *part = rc_read_part(c, kind);
    if (part == NULL)
        return NULL;
    if (kind == RC_PART_AUDIO)
        rc_read_feature(c, RC_FEATURE_AUDIO);
    else
        note_media(c, kind, media_type);
    part->content = rc_read_span(c, base64);
    part->name = rc_read_span(c, media_type);
    return part;
}

/* Splits "data:image/png;base64,AAAA" into media type and content. Returns false if the text is not
 * such a data URL. */
static bool split_data_url(rc_str raw, rc_str *ret_type, rc_str *ret_content)
{
    if (!rc_str_starts_with_nocase(raw, RC_STR("data:")))
        return false;
    size_t comma = rc_str_find_byte(raw, ',', 0);
    rc_str head = rc_str_slice(raw, 5, comma);
    size_t base64 = rc_str_find(head, RC_STR(";base64"), 0);
    if (comma == RC_STR_NPOS || base64 == RC_STR_NPOS)
        return false;
    *ret_type = rc_str_slice(head, 0, rc_str_find_byte(head, ';', 0));
    *ret_content = rc_str_slice(raw, comma + 1, raw.len);
    return true;
}

/* Returns whether the path of the URL, without its query, ends in .gif. */
static bool is_gif_url(rc_str raw)
{
    size_t end = rc_str_find_byte(raw, '?', 0);
    rc_str path = rc_str_slice(raw, 0, end == RC_STR_NPOS ? raw.len : end);
    return path.len > 4 &&
           rc_str_eq_nocase(rc_str_slice(path, path.len - 4, path.len), RC_STR(".gif"));
}

void rc_read_media_url(rc_conversation *c, rc_part_kind kind, rc_str raw)
{
    rc_str media_type;
    rc_str content;
    if (split_data_url(raw, &media_type, &content)) {
        rc_read_media(c, kind, media_type, content);
        return;
    }
    if (rc_str_starts_with_nocase(raw, RC_STR("data:"))) {
        rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
        return;
    }
    if (raw.len == 0)
        rc_read_fail(c, "url");
    rc_part *part = rc_read_part(c, kind);
    if (part == NULL)
        return;
    part->flags = RC_PART_IS_URL;
    part->content = rc_read_span(c, raw);
    note_media(c, kind, is_gif_url(raw) ? RC_STR("image/gif") : RC_STR(""));
}

/* ---- tools, stop sequences, effort ---- */

rc_tool_decl *rc_read_tool(rc_conversation *c)
{
    rc_tool_decl tool = {.strict = RC_UNSET};
    if (c->status == RC_OK)
        c->status = rc_buf_push(&c->tools_buf, rc_str_make((const char *)&tool, sizeof tool));
    if (c->status != RC_OK)
        return NULL;
    rc_read_feature(c, RC_FEATURE_TOOLS);
    return (rc_tool_decl *)(void *)(c->tools_buf.ptr + c->tools_buf.len - sizeof tool);
}

void rc_read_allowed(rc_conversation *c, rc_str name)
{
    rc_span span = rc_read_span(c, name);
    if (c->status == RC_OK)
        c->status = rc_buf_push(&c->allowed_buf, rc_str_make((const char *)&span, sizeof span));
}

static void read_stop(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first != '"') {
        rc_read_fail(c, "stop");
        return;
    }
    rc_read_feature(c, RC_FEATURE_STOP);
    if (c->stop_count == RC_CONVERSATION_STOPS_MAX)
        c->has_too_many_stops = true;
    else if (value->raw.len > 0)
        c->stops[c->stop_count++] = rc_read_span(c, value->raw);
}

void rc_read_stops(rc_conversation *c, const rc_json_raw_value *value)
{
    if (value->first != '[') {
        read_stop(c, value);
        return;
    }
    rc_json_members m = rc_json_members_begin(value->raw);
    while (rc_json_members_next(&m))
        read_stop(c, &m.value);
}

static const struct {
    const char *word;
    rc_effort effort;
} efforts[] = {{"none", RC_EFFORT_NONE}, {"minimal", RC_EFFORT_MINIMAL},
               {"low", RC_EFFORT_LOW},   {"medium", RC_EFFORT_MEDIUM},
               {"high", RC_EFFORT_HIGH}, {"xhigh", RC_EFFORT_XHIGH},
               {"max", RC_EFFORT_MAX}};

void rc_read_effort(rc_conversation *c, const rc_json_raw_value *value)
{
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (!rc_json_value_is(value, rc_str_c(efforts[i].word)))
            continue;
        c->effort = efforts[i].effort;
        rc_read_feature(c, RC_FEATURE_EFFORT);
        return;
    }
    rc_read_feature(c, RC_FEATURE_UNKNOWN_CONTENT);
}

/* ---- after the last part ---- */

void rc_read_finish(rc_conversation *c)
{
    size_t count = 0;
    size_t tool_count = 0;
    bool has_turn = false;
    bool has_calls = false;
    const rc_part *parts = rc_conversation_parts(c, &count);
    rc_conversation_tools(c, &tool_count);
    for (size_t i = 0; i < count; i++) {
        bool is_system = parts[i].role <= RC_ROLE_DEVELOPER;
        has_calls = has_calls || parts[i].kind == RC_PART_CALL || parts[i].kind == RC_PART_RESULT;
        if (is_system && has_turn)
            rc_read_feature(c, RC_FEATURE_SYSTEM_MID);
        if (!has_turn && parts[i].role == RC_ROLE_ASSISTANT)
            rc_read_feature(c, RC_FEATURE_FIRST_TURN);
        has_turn = has_turn || !is_system;
        if (parts[i].kind == RC_PART_THOUGHT)
            rc_read_feature(c, RC_FEATURE_THINKING_HISTORY);
        bool is_media = parts[i].kind >= RC_PART_IMAGE && parts[i].kind <= RC_PART_AUDIO;
        if (is_media && (parts[i].flags & RC_PART_IS_IN_RESULT) != 0)
            rc_read_feature(c, RC_FEATURE_RESULT_MEDIA);
        if (parts[i].kind == RC_PART_RESULT && (parts[i].flags & RC_PART_IS_ERROR) != 0)
            rc_read_feature(c, RC_FEATURE_RESULT_ERROR);
    }
    if (count > 0 && parts[count - 1].role == RC_ROLE_ASSISTANT)
        rc_read_feature(c, RC_FEATURE_PREFILL);
    if (has_calls && tool_count == 0)
        rc_read_feature(c, RC_FEATURE_TOOLS_IMPLIED);
}
