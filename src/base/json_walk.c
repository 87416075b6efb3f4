#include "base/json_walk.h"

char rc_json_walk_peek_far(rc_json_walk *w)
{
    for (; w->at < w->text.len; w->at++) {
        char c = w->text.ptr[w->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return c;
    }
    return '\0';
}

bool rc_json_walk_long_string(rc_json_walk *w, rc_str *ret_raw)
{
    size_t from = w->at + 1;
    bool has_high = false;
    size_t end = rc_json_scan_special(w->text, from, &has_high);
    if (end < w->text.len && w->text.ptr[end] == '\\')
        end = w->scan->string_end(w->text, end);
    if (end == w->text.len || w->text.ptr[end] != '"')
        return false;
    *ret_raw = rc_str_make(w->text.ptr + from, end - from);
    w->at = end + 1;
    return true;
}

static bool pass_container(rc_json_walk *w)
{
    size_t end = w->scan->container_end(w->text, w->at + 1);
    if (end == RC_JSON_SCAN_NONE)
        return false;
    w->at = end;
    return true;
}

/* A number or a literal: letters, digits and what numbers have beside them. */
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

bool rc_json_walk_value(rc_json_walk *w, rc_json_walked *ret_value)
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
