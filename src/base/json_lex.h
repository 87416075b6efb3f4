/* The words of JSON: strings, numbers, literals, and what stands in their place in damaged text. */
#ifndef RC_BASE_JSON_LEX_H
#define RC_BASE_JSON_LEX_H

#include "base/json_reader.h"

/* One word. The fault is the first in it; RC_OK when there is none. */
typedef struct rc_json_lexeme {
    rc_json_type type;
    size_t from; /* the value without its quotes */
    size_t to;
    size_t end; /* one past the last byte, the closing quote included */
    bool has_escapes;
    rc_json_fault fault;
} rc_json_lexeme;

/* The string whose opening quote stands at `at`. A strict string ends at its first fault; a
 * tolerant one at its closing quote or at the end of the text. */
rc_json_lexeme rc_json_lex_string(rc_str text, size_t at, bool is_tolerant);

/* The number or literal at `at`, by the book. */
rc_json_lexeme rc_json_lex_scalar(rc_str text, size_t at);

/* Tolerant only. What is at `at` and neither a string nor a container: a number or a literal where
 * it is one, else a bare word, given as a string with a fault. A key ends at white space; a value
 * goes on to the end of the phrase, so that
 * {"error": Bad Gateway} keeps its message. */
rc_json_lexeme rc_json_lex_bare(rc_str text, size_t at, bool is_key);

/* Tolerant only. Can a bare word begin with c? Other bytes that belong nowhere are passed over. */
bool rc_json_lex_is_bare_start(char c);

#endif
