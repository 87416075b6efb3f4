/* JSON lexer: strings, numbers, literals, and the bare words of malformed text.
 *
 * Each function reads the lexeme at `at` (at < text.len), writes its token, and records its first
 * fault unless *fault already has one. */
#ifndef RC_JSON_LEX_H
#define RC_JSON_LEX_H

#include "json/reader.h"

/* Reads the string whose opening quote is at `at`. A strict string ends at its first fault; a
 * tolerant one at its closing quote or at the end of the text. */
void rc_json_lex_string(rc_str text, size_t at, bool is_tolerant, rc_json_token *ret_token,
                        rc_json_fault *fault);

/* Reads and unescapes, in one pass, the string whose content begins at `at`, if it is valid JSON.
 * *ret_value views the text, or scratch if the string has escapes; it is appended to scratch, which
 * must have text.len - at + RC_JSON_VALUE_SLACK bytes reserved. Returns the offset of the closing
 * quote, or RC_JSON_SCAN_NONE if the string is malformed: then use rc_json_lex_string. */
#define RC_JSON_VALUE_SLACK ((size_t)32)
size_t rc_json_lex_value(rc_str text, size_t at, rc_buf *scratch, rc_str *ret_value);

/* Reads the number or literal at `at` as RFC 8259 defines it. */
void rc_json_lex_scalar(rc_str text, size_t at, rc_json_token *ret_token, rc_json_fault *fault);

/* Tolerant mode: reads a lexeme that is neither a string nor a container. A number or literal gives
 * its own token; anything else is a bare word, returned as a STRING with a fault. A bare key ends
 * at white space; a bare value extends to the end of the phrase, so that {"error": Bad Gateway}
 * keeps its message. */
void rc_json_lex_bare(rc_str text, size_t at, bool is_key, rc_json_token *ret_token,
                      rc_json_fault *fault);

/* Tolerant mode: returns whether a bare word can begin with c. Other stray bytes are skipped. */
bool rc_json_lex_is_bare_start(char c);

#endif
