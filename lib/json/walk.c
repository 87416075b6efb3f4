/* JSON walk: skips values. Called by the member search and the dialect code. */
#include "json/walk.h"

size_t rc_json_walk_space_end(rc_str text, size_t at)
{
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            break;
    }
    return at;
}

size_t rc_json_walk_string_end(rc_str text, size_t at, const rc_json_scan *scan)
{
    bool has_high = false;
    size_t end = rc_json_scan_special(text, at, &has_high);
    if (end < text.len && text.ptr[end] == '\\')
        end = scan->string_end(text, end);
    return end < text.len && text.ptr[end] == '"' ? end : RC_JSON_SCAN_NONE;
}

static bool pass_container(rc_json_walk *w)
{
    size_t end = w->scan->container_end(w->text, w->at + 1);
    if (end == RC_JSON_SCAN_NONE)
        return false;
    w->at = end;
    return true;
}

/* Skips a number or a literal without validating it: the run of letters, digits and the characters
 * - + . at the current position. */
static bool pass_scalar(rc_json_walk *w)
{
    size_t from = w->at;
    for (; w->at < w->text.len; w->at++) {
        char c = w->text.ptr[w->at];
        if (!rc_ascii_is_alnum(c) && c != '-' && c != '+' && c != '.')
            break;
    }
    rc_str word = rc_str_slice(w->text, from, w->at);
    switch (w->text.ptr[from]) {
    case 'n':
        return rc_str_eq(word, RC_STR("null"));
    case 't':
        return rc_str_eq(word, RC_STR("true"));
    case 'f':
        return rc_str_eq(word, RC_STR("false"));
    default:
        return word.len > 0 && (rc_ascii_is_digit(word.ptr[0]) || word.ptr[0] == '-');
    }
}

bool rc_json_walk_value(rc_json_walk *w, rc_json_raw_value *ret_value)
{
    ret_value->first = rc_json_walk_peek(w);
    size_t from = w->at;
    if (from == w->text.len)
        return false;
    if (ret_value->first == '"')
        return rc_json_walk_string(w, &ret_value->raw);
    bool is_container = ret_value->first == '{' || ret_value->first == '[';
    if (!(is_container ? pass_container(w) : pass_scalar(w)))
        return false;
    ret_value->raw = rc_str_make(w->text.ptr + from, w->at - from);
    return true;
}
