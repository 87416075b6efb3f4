/* Iterates over the members of one JSON object or the elements of one array. Called by the
 * translation of requests and responses between dialects (lib/dialect). */
#include "json/members.h"

#include <string.h>

#include "json/reader.h"

rc_json_members rc_json_members_begin(rc_str container)
{
    rc_json_members m = {.walk = rc_json_walk_begin(container)};
    char first = rc_json_walk_peek(&m.walk);
    m.is_object = first == '{';
    m.is_over = first != '{' && first != '[';
    if (!m.is_over)
        m.walk.at++;
    return m;
}

bool rc_json_members_next(rc_json_members *m)
{
    if (m->is_over)
        return false;
    /* No separator precedes the first member; a comma precedes each further one. */
    bool is_there = m->has_begun ? rc_json_walk_byte(&m->walk, ',')
                                 : rc_json_walk_peek(&m->walk) != (m->is_object ? '}' : ']');
    m->has_begun = true;
    m->is_over = !is_there || (m->is_object && !rc_json_walk_key(&m->walk, &m->key)) ||
                 !rc_json_walk_value(&m->walk, &m->value);
    return !m->is_over;
}

bool rc_json_is_text(rc_str raw, rc_str plain)
{
    if (rc_str_eq(raw, plain))
        return true;
    bool has_escapes = raw.len > plain.len && memchr(raw.ptr, '\\', raw.len) != NULL;
    return has_escapes && rc_json_raw_eq(raw, true, plain);
}

bool rc_json_value_is(const rc_json_raw_value *value, rc_str plain)
{
    return value->first == '"' && rc_json_is_text(value->raw, plain);
}

rc_str rc_json_value_text(const rc_json_raw_value *value)
{
    if (value->first != '"')
        return value->raw;
    return rc_str_make(value->raw.ptr - 1, value->raw.len + 2);
}

bool rc_json_member_find(rc_str object, rc_str name, rc_json_raw_value *ret_value)
{
    rc_json_members m = rc_json_members_begin(object);
    while (m.is_object && rc_json_members_next(&m)) {
        if (!rc_json_is_text(m.key, name))
            continue;
        if (m.value.first == 'n')
            return false;
        *ret_value = m.value;
        return true;
    }
    return false;
}

rc_str rc_json_member_text(rc_str object, rc_str name)
{
    rc_json_raw_value value;
    bool is_found = rc_json_member_find(object, name, &value) && value.first == '"';
    return is_found ? value.raw : rc_str_make(NULL, 0);
}
