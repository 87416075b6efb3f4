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
char rc_json_walk_peek_far(rc_json_walk *w);
static inline char rc_json_walk_peek(rc_json_walk *w)
{
    if (w->at < w->text.len && (unsigned char)w->text.ptr[w->at] > ' ')
        return w->text.ptr[w->at];
    return rc_json_walk_peek_far(w); /* what machines write has no space */
}

static inline bool rc_json_walk_byte(rc_json_walk *w, char wanted)
{
    if (rc_json_walk_peek(w) != wanted)
        return false;
    w->at++;
    return true;
}

/* The string whose opening quote the walk stands at. */
bool rc_json_walk_long_string(rc_json_walk *w, rc_str *ret_raw);
static inline bool rc_json_walk_string(rc_json_walk *w, rc_str *ret_raw)
{
    size_t len = rc_json_scan_plain(w->text, w->at + 1);
    if (len == RC_JSON_SCAN_NONE)
        return rc_json_walk_long_string(w, ret_raw);
    *ret_raw = rc_str_make(w->text.ptr + w->at + 1, len);
    w->at += len + 2;
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
