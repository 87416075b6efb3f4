/* Finds members of Google's JSON in both spellings. Called by the readers of lib/dialect/gemini. */
#include "dialect/gemini/member.h"

#include "base/str.h"

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool rc_gemini_is_key(rc_str raw, rc_str name)
{
    size_t at = 0;
    for (size_t i = 0; i < name.len; i++, at++) {
        if (at + 1 < raw.len && is_upper(name.ptr[i]) && raw.ptr[at] == '_' &&
            raw.ptr[at + 1] == rc_ascii_lower(name.ptr[i])) {
            at++;
            continue;
        }
        if (at >= raw.len || raw.ptr[at] != name.ptr[i])
            return rc_json_is_text(raw, name); /* the key may have escapes */
    }
    return at == raw.len;
}

bool rc_gemini_find(rc_str object, const char *name, rc_json_raw_value *ret_value)
{
    rc_json_members m = rc_json_members_begin(object);
    while (rc_json_members_next(&m)) {
        if (m.value.first == 'n' || !rc_gemini_is_key(m.key, rc_str_c(name)))
            continue;
        *ret_value = m.value;
        return true;
    }
    return false;
}

rc_str rc_gemini_text(rc_str object, const char *name)
{
    rc_json_raw_value value;
    bool is_found = rc_gemini_find(object, name, &value) && value.first == '"';
    return is_found ? value.raw : rc_str_make(NULL, 0);
}

bool rc_gemini_is_word(rc_str raw, const char *word)
{
    return rc_str_eq_nocase(raw, rc_str_c(word));
}
