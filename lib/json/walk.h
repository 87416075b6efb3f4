/* rc_json_walk: passing along a JSON text by its quotes and brackets, for those who look for a few
 * members and pass over the rest. No tree, no validation of what is passed over. Each step is false
 * where the text is damaged or ends. */
#ifndef RC_JSON_WALK_H
#define RC_JSON_WALK_H

#include "base/str.h"
#include "json/scan.h"

typedef struct rc_json_walk {
    rc_str text;
    size_t at;
    const rc_json_scan *scan;
} rc_json_walk;

/* A value that was passed over. */
typedef struct rc_json_raw_value {
    char first; /* its first byte, which tells its type */
    rc_str raw; /* of a string: between the quotes, with its escapes; else all of it */
} rc_json_raw_value;

/* text: borrows until the last value was used. */
static inline rc_json_walk rc_json_walk_begin(rc_str text)
{
    return (rc_json_walk){.text = text, .scan = rc_json_scan_best()};
}

/* What is rare takes the walk's parts and not the walk, so that a walk need not be in memory. */

/* Where the next byte stands, from `at` on, that is not white space; text.len: there is none. */
size_t rc_json_walk_space_end(rc_str text, size_t at);
/* The quote that closes the string whose content begins at `at`; RC_JSON_SCAN_NONE: there is none,
 * or a control character stands before it. */
size_t rc_json_walk_string_end(rc_str text, size_t at, const rc_json_scan *scan);

/* The next byte that is not white space; NUL, which is nowhere valid, at the end of the text. */
static inline char rc_json_walk_peek(rc_json_walk *w)
{
    if (w->at < w->text.len && (unsigned char)w->text.ptr[w->at] > ' ')
        return w->text.ptr[w->at];
    w->at = rc_json_walk_space_end(w->text, w->at); /* what machines write has no space */
    return w->at < w->text.len ? w->text.ptr[w->at] : '\0';
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
    const size_t from = w->at + 1;
    size_t len = rc_json_scan_plain(w->text, from);
    if (len == RC_JSON_SCAN_NONE) {
        size_t end = rc_json_walk_string_end(w->text, from, w->scan);
        if (end == RC_JSON_SCAN_NONE)
            return false;
        len = end - from;
    }
    *ret_raw = rc_str_make(w->text.ptr + from, len);
    w->at = from + len + 1;
    return true;
}

/* A key and its colon. */
static inline bool rc_json_walk_key(rc_json_walk *w, rc_str *ret_raw)
{
    return rc_json_walk_peek(w) == '"' && rc_json_walk_string(w, ret_raw) &&
           rc_json_walk_byte(w, ':');
}

/* The next value, whatever it is. */
bool rc_json_walk_value(rc_json_walk *w, rc_json_raw_value *ret_value);

#endif
