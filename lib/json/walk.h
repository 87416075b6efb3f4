/* rc_json_walk: a cursor over JSON text that follows quotes and brackets, for code that reads a few
 * members and skips the others.
 *
 * A walk builds no tree and does not validate skipped values. Each step returns false if the text
 * is malformed or ends. */
#ifndef RC_JSON_WALK_H
#define RC_JSON_WALK_H

#include "base/str.h"
#include "json/scan.h"

typedef struct rc_json_walk {
    rc_str text;
    size_t at;
    const rc_json_scan *scan;
} rc_json_walk;

/* A value as a view of the text. */
typedef struct rc_json_raw_value {
    char first; /* the first byte, which determines the type */
    rc_str raw; /* for a string, the text between the quotes, with its escapes; for other types, the
                   whole value */
} rc_json_raw_value;

/* Begins a walk at the start of text. text: borrows for as long as the walk and its values are
 * used. */
static inline rc_json_walk rc_json_walk_begin(rc_str text)
{
    return (rc_json_walk){.text = text, .scan = rc_json_scan_best()};
}

/* The next two functions are for rare cases. Their parameters are members of the walk instead of a
 * pointer to the walk, so that the compiler can store the walk in registers. */

/* Returns the offset of the first byte from `at` on that is not white space, or text.len if there
 * is no such byte. */
size_t rc_json_walk_space_end(rc_str text, size_t at);
/* Returns the offset of the quote that closes the string whose content begins at `at`. Returns
 * RC_JSON_SCAN_NONE if no quote closes the string or the string contains a control character. */
size_t rc_json_walk_string_end(rc_str text, size_t at, const rc_json_scan *scan);

/* Advances over white space and returns the next byte without consuming it. At the end of the text
 * the result is NUL, which is never valid in JSON. */
static inline char rc_json_walk_peek(rc_json_walk *w)
{
    if (w->at < w->text.len && (unsigned char)w->text.ptr[w->at] > ' ')
        return w->text.ptr[w->at];
    w->at = rc_json_walk_space_end(w->text, w->at); /* white space is rare, because programs write
                                                       compact JSON */
    return w->at < w->text.len ? w->text.ptr[w->at] : '\0';
}

/* Consumes white space and the byte `wanted`. Returns false if another byte follows. */
static inline bool rc_json_walk_byte(rc_json_walk *w, char wanted)
{
    if (rc_json_walk_peek(w) != wanted)
        return false;
    w->at++;
    return true;
}

/* Consumes the string at the current position, which must be its opening quote. *ret_raw views the
 * escaped text between the quotes. */
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

/* Consumes a key and its colon. *ret_raw views the escaped text between the quotes. */
static inline bool rc_json_walk_key(rc_json_walk *w, rc_str *ret_raw)
{
    return rc_json_walk_peek(w) == '"' && rc_json_walk_string(w, ret_raw) &&
           rc_json_walk_byte(w, ':');
}

/* Consumes the next value of any type. */
bool rc_json_walk_value(rc_json_walk *w, rc_json_raw_value *ret_value);

#endif
