/* The text form of an operation's key: "01KE8V3Q5W-8ST".
 *
 * A key is a time in ms (48 bits) and 15 bits that distinguish operations of one millisecond. The
 * text of a key is the first ten letters of the operation's id, a dash, and three letters for the
 * 15 bits. The text is short enough for a table. A key is also the position from which the next
 * page of a list continues. */
#ifndef RC_STORE_OPERATION_KEY_H
#define RC_STORE_OPERATION_KEY_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_OPERATION_KEY_LOW_BITS 15
#define RC_OPERATION_KEY_TEXT_LEN 14

/* Appends the text of a key. */
void rc_operation_key_push(rc_buf *buf, int64_t key);

/* Parses a key; the case of letters is ignored. Returns false if the text is not a key. text:
 * borrows during the call. */
bool rc_operation_key_parse(rc_str text, int64_t *ret_key);

/* Returns an id, or the beginning of an id, without its "rep_" or "req_". Ids that clients get have
 * "req_". The result views (points into) text. */
rc_str rc_operation_key_letters(rc_str text);

/* Computes the range of keys of all operations whose id begins with prefix. prefix: up to 26
 * letters of either case, with or without "rep_" or "req_"; borrows during the call. Returns false
 * if no id can begin with prefix. */
bool rc_operation_key_range(rc_str prefix, int64_t *ret_first, int64_t *ret_last);

#endif
