/* JSON lexer: strings, numbers, literals, and the unquoted (bare) words of malformed text.
 *
 * Each function reads the lexeme at offset `at`, which must be below text.len, and writes its
 * token. If *fault has no fault yet, the first fault of the lexeme is recorded there. */
#ifndef RC_JSON_LEX_H
#define RC_JSON_LEX_H

#include "json/reader.h"

/* Reads the string whose opening quote is at `at`. In strict mode reading ends at the first fault,
 * in tolerant mode at the closing quote or at the end of the text. */
void rc_json_lex_string(rc_str text, size_t at, bool is_tolerant, rc_json_token *ret_token,
                        rc_json_fault *fault);

/* Reads and unescapes, in one pass, the string whose content begins at `at`, if the string is valid
 * JSON. *ret_value views the text; if the string has escapes, it views the value that was appended
 * to `scratch`. The caller must have reserved text.len - at + RC_JSON_VALUE_SLACK bytes in
 * `scratch`. Returns the offset of the closing quote, or RC_JSON_SCAN_NONE if the string is
 * malformed, in which case the caller uses rc_json_lex_string. */
#define RC_JSON_VALUE_SLACK ((size_t)32)
size_t rc_json_lex_value(rc_str text, size_t at, rc_buf *scratch, rc_str *ret_value);

/* Reads the number or literal at `at` as RFC 8259 defines it. */
void rc_json_lex_scalar(rc_str text, size_t at, rc_json_token *ret_token, rc_json_fault *fault);

/* Tolerant mode: reads a lexeme that is neither a string nor a container. A number or literal is
 * returned as such. Any other text is a bare word, which is returned as a STRING with a fault. A
 * bare word that is a key ends at white space. A bare word that is a value extends to the end of
 * the phrase, so that the message in {"error": Bad Gateway} is read completely. */
void rc_json_lex_bare(rc_str text, size_t at, bool is_key, rc_json_token *ret_token,
                      rc_json_fault *fault);

/* Tolerant mode: returns whether a bare word can begin with c. The reader skips a byte that cannot
 * begin a lexeme. */
bool rc_json_lex_is_bare_start(char c);

#endif
