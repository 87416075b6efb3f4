/* The key of an operation as people write it: "01KE8V3Q5W-8ST".
 *
 * A key is a time in ms (48 bits) and 15 bits that tell operations of one millisecond apart. Its
 * text is the ten letters with which the operation's id begins, a dash, and three letters for the
 * rest. It is short enough for a table, and a page of a list goes on behind it. */
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

/* The key of a text, in letters of either case. False: it is none. text: borrows. */
bool rc_operation_key_parse(rc_str text, int64_t *ret_key);

/* The letters of an id or the beginning of one: without "rep_", or "req_" as a client was told it.
 * Views text. */
rc_str rc_operation_key_letters(rc_str text);

/* The keys that an id can have which begins as prefix does: of such a head and up to 26 letters, or
 * of the letters alone, in either case. False: no id begins like that. prefix: borrows. */
bool rc_operation_key_range(rc_str prefix, int64_t *ret_first, int64_t *ret_last);

#endif
