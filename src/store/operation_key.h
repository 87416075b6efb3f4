/* The text form of an operation's key: "01KE8V3Q5W-8ST".
 *
 * A key is a time in ms (48 bits) and 15 bits that distinguish operations of one millisecond. Its
 * text is the first ten letters of the operation's id, a dash, and three letters for the other
 * bits. It is short enough for a table, and serves as the position from which a list continues. */
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

/* Parses a key, in letters of either case. False: not a key. text: borrows. */
bool rc_operation_key_parse(rc_str text, int64_t *ret_key);

/* Removes "rep_", or "req_" as sent to clients, from an id or its beginning. Views text. */
rc_str rc_operation_key_letters(rc_str text);

/* The range of keys of operations whose id begins with prefix: "rep_" or "req_" and up to 26
 * letters, or the letters alone, in either case. False: no id begins like that. prefix: borrows. */
bool rc_operation_key_range(rc_str prefix, int64_t *ret_first, int64_t *ret_last);

#endif
