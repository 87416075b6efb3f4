/* UTF-8: decode one character, check, repair. */
#ifndef RC_BASE_UTF8_H
#define RC_BASE_UTF8_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_UTF8_REPLACEMENT 0xFFFDu

/* Decodes the character at s.ptr[at]. Sets *ret_len to the bytes it takes (at least 1) and returns
 * the code point. Ill-formed input gives RC_UTF8_REPLACEMENT and the length of the maximal
 * ill-formed prefix (Unicode 15, table 3-8), so that every decoder that follows the standard counts
 * the same number of replacements. at < s.len. */
uint32_t rc_utf8_decode(rc_str s, size_t at, size_t *ret_len);

/* False when there is an ill-formed sequence in s. A U+FFFD that is itself in the text is
 * well-formed. */
bool rc_utf8_is_valid(rc_str s);

/* The length of the longest well-formed prefix. */
size_t rc_utf8_valid_prefix(rc_str s);

/* Bytes of code point cp written to out; 1 to 4. Surrogates and values above U+10FFFF are written
 * as U+FFFD. */
size_t rc_utf8_encode(uint32_t cp, char out[4]);

/* The largest length <= len at which s can be cut without splitting a character. */
size_t rc_utf8_cut(rc_str s, size_t len);

/* The text behind a byte order mark, if it begins with one: it says nothing in UTF-8, and some
 * writers put it there all the same. Views s. */
rc_str rc_utf8_without_bom(rc_str s);

/* Columns that a terminal uses for cp: 0 (combining, zero width), 1 or 2 (East Asian wide, emoji).
 * Control characters: 0. */
unsigned rc_utf8_width(uint32_t cp);

/* Is it better not shown as it is? Control characters (C0, C1, DEL) steer a terminal; line and
 * paragraph separators end lines; bidirectional controls make text look like another one; nobody
 * sees the zero width space, the word joiner and its kin, the byte order mark and the tags. What
 * joins letters and signs is left alone. */
bool rc_utf8_is_unsafe(uint32_t cp);

#endif
