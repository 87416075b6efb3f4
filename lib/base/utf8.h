/* UTF-8: decoding, encoding, validation, safe cutting, display width. */
#ifndef RC_BASE_UTF8_H
#define RC_BASE_UTF8_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_UTF8_REPLACEMENT 0xFFFDu

/* Decodes the character at s.ptr[at]. Sets *ret_len to the number of its bytes (at least 1) and
 * returns the code point. For ill-formed input the result is RC_UTF8_REPLACEMENT and *ret_len the
 * length of the maximal ill-formed prefix (Unicode 15, table 3-8), so that the number of
 * replacements is that of every decoder that follows the standard. `at` must be below s.len. */
uint32_t rc_utf8_decode(rc_str s, size_t at, size_t *ret_len);

/* Returns whether s is well-formed. An encoded U+FFFD in the text is well-formed. */
bool rc_utf8_is_valid(rc_str s);

/* Returns the length of the longest well-formed prefix. */
size_t rc_utf8_valid_prefix(rc_str s);

/* Writes code point `cp` as UTF-8 to `out` and returns the number of bytes, 1 to 4. Surrogates and
 * values above U+10FFFF are written as U+FFFD. */
size_t rc_utf8_encode(uint32_t cp, char out[4]);

/* Returns the largest length, at most `len`, at which s can be cut without splitting a
 * character. */
size_t rc_utf8_cut(rc_str s, size_t len);

/* Returns a view of s without the byte order mark that some programs write at the start of UTF-8
 * text. */
rc_str rc_utf8_without_bom(rc_str s);

/* Returns the number of terminal columns that `cp` takes: 0 (combining, zero width, control), 1, or
 * 2 (East Asian wide, emoji). */
unsigned rc_utf8_width(uint32_t cp);

/* Returns whether `cp` must be escaped when shown to people: control characters (C0, C1, DEL),
 * which can control a terminal; line and paragraph separators; bidirectional controls, which
 * disguise text; and invisible characters (zero width space, word joiner and similar, byte order
 * mark, tags). The result is false for zero width joiner and non-joiner, because scripts and emoji
 * need them. */
bool rc_utf8_is_unsafe(uint32_t cp);

#endif
