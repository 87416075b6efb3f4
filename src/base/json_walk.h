/* rc_json_walk: passing along a JSON text by its quotes and brackets, for those who look for a few
 * members and pass over the rest. No tree, no validation of what is passed over. Each step is false
 * where the text is damaged or ends. */
#ifndef RC_BASE_JSON_WALK_H
#define RC_BASE_JSON_WALK_H

#include "base/json_scan.h"
#include "base/str.h"

typedef struct rc_json_walk {
    rc_str text;
    size_t at;
    const rc_json_scan *scan;
} rc_json_walk;

/* A value that was passed over. */
typedef struct rc_json_walked {
    char first; /* its first byte, which tells its type */
    rc_str raw; /* of a string: between the quotes, with its escapes; else all of it */
} rc_json_walked;

/* text: borrows until the last value was used. */
static inline rc_json_walk rc_json_walk_begin(rc_str text)
{
    return (rc_json_walk){.text = text, .scan = rc_json_scan_best()};
}

/* The next byte that is not white space; NUL, which is nowhere valid, at the end of the text. */
static inline char rc_json_walk_peek(rc_json_walk *w)
{
    for (; w->at < w->text.len; w->at++) {
        char c = w->text.ptr[w->at];
        if (c != ' ' && c != '\n' && c != '\r' && c != '\t')
            return c;
    }
    return '\0';
}

static inline bool rc_json_walk_byte(rc_json_walk *w, char wanted)
{
    if (rc_json_walk_peek(w) != wanted)
        return false;
    w->at++;
    return true;
}

/* The string whose opening quote the walk stands at. */
static inline bool rc_json_walk_string(rc_json_walk *w, rc_str *ret_raw)
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

/* A key and its colon. */
static inline bool rc_json_walk_key(rc_json_walk *w, rc_str *ret_raw)
{
    return rc_json_walk_peek(w) == '"' && rc_json_walk_string(w, ret_raw) &&
           rc_json_walk_byte(w, ':');
}

/* The next value, whatever it is. */
bool rc_json_walk_value(rc_json_walk *w, rc_json_walked *ret_value);

#endif
