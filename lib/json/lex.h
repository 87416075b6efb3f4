/* The words of JSON: strings, numbers, literals, and what stands in their place in damaged text.
 *
 * Each function reads the word at `at` (at < text.len), writes its token and notes its first fault,
 * if there was none before. */
#ifndef RC_JSON_LEX_H
#define RC_JSON_LEX_H

#include "json/reader.h"

/* The string whose opening quote stands at `at`. A strict string ends at its first fault; a
 * tolerant one at its closing quote or at the end of the text. */
void rc_json_lex_string(rc_str text, size_t at, bool is_tolerant, rc_json_token *ret_token,
                        rc_json_fault *fault);

/* The value of the string whose content begins at `at`, in one pass, if the string is by the book.
 * Gives a view of the text, or of room where it had escapes: room must have text.len - at +
 * RC_JSON_VALUE_SLACK bytes reserved, and what was in it before stays. Returns the offset of the
 * closing quote; RC_JSON_SCAN_NONE: look at it with rc_json_lex_string. */
#define RC_JSON_VALUE_SLACK ((size_t)32)
size_t rc_json_lex_value(rc_str text, size_t at, rc_buf *scratch, rc_str *ret_value);

/* The number or literal at `at`, by the book. */
void rc_json_lex_scalar(rc_str text, size_t at, rc_json_token *ret_token, rc_json_fault *fault);

/* Tolerant only. What is neither a string nor a container: a number or a literal where it is one,
 * else a bare word, given as a string with a fault. A key ends at white space; a value goes on to
 * the end of the phrase, so that {"error": Bad Gateway} keeps its message. */
void rc_json_lex_bare(rc_str text, size_t at, bool is_key, rc_json_token *ret_token,
                      rc_json_fault *fault);

/* Tolerant only. Can a bare word begin with c? Other bytes that belong nowhere are passed over. */
bool rc_json_lex_is_bare_start(char c);

#endif
