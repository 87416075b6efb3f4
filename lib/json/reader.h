/* rc_json_reader: a pull reader over bytes that are all in memory. It allocates nothing, copies
 * nothing and says where each token stands.
 *
 *            next()                        skip()
 *   text ──► OBJECT_BEGIN KEY STRING ...   passes over the value just announced, with SIMD
 *
 * Two modes:
 *   strict     RFC 8259. The first fault is an RC_JSON_ERROR token; every later call repeats it.
 *
 *   tolerant   the reader goes on through damage (raw newlines and control characters in strings,
 *              stray or missing commas and colons, unknown escapes, bare words, strings in single
 *              quotes, mismatched or missing closers, bytes that belong nowhere, text behind the
 *              value) and through truncation. The first fault is kept in `fault`, so the caller
 *              can say so. The input is never rejected, and every call makes progress.
 *
 * Whatever the text, the tokens of the tolerant mode are those of a well-formed document: every
 * open container is closed by an END token, an unfinished string is given as far as it goes, a key
 * without a value gets a NULL and a value without a key an empty KEY (tokens of no length, put
 * where they are missing). A bare word is a STRING with the word as raw. There are at most 2 tokens
 * a byte and one for each open container.
 *
 * Defined in both modes: duplicate keys are all reported, in order (the caller decides: our
 * decoders refuse them when strict and let the last one win when tolerant). Invalid UTF-8 in a
 * string is a fault (RC_E_SYNTAX) in strict mode; in tolerant mode it is passed on as it is, and
 * rc_json_unescape replaces it by U+FFFD. A lone surrogate escape is U+FFFD in tolerant mode, a
 * fault in strict mode. A byte order mark in front is passed over in tolerant mode, without a
 * fault.
 *
 * In strict mode RC_E_TRUNCATED is exact: it is the fault of all texts, and only those, that more
 * bytes could have made valid. */
#ifndef RC_JSON_READER_H
#define RC_JSON_READER_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* The nesting that the reader can hold at most (one bit a level). */
#define RC_JSON_DEPTH_MAX 512

typedef enum rc_json_type {
    RC_JSON_OBJECT_BEGIN,
    RC_JSON_OBJECT_END,
    RC_JSON_ARRAY_BEGIN,
    RC_JSON_ARRAY_END,
    RC_JSON_KEY,
    RC_JSON_STRING,
    RC_JSON_NUMBER,
    RC_JSON_TRUE,
    RC_JSON_FALSE,
    RC_JSON_NULL,
    RC_JSON_END,  /* the whole text was read */
    RC_JSON_ERROR /* strict mode, or too deep in either mode: see rc_json_reader.fault */
} rc_json_type;

typedef struct rc_json_token {
    rc_json_type type;
    rc_str raw; /* views the text: of a string or key, what is between the quotes, still escaped;
                   else the lexeme */
    bool has_escapes; /* raw is not yet the value: it has a backslash or invalid UTF-8; use
                         rc_json_unescape */
    size_t offset;    /* of the token's first byte, the opening quote included */
    size_t end;       /* one past its last byte, the closing quote included */
} rc_json_token;

typedef struct rc_json_fault {
    rc_status status; /* RC_OK: none. RC_E_SYNTAX, RC_E_TRUNCATED, RC_E_TOO_DEEP, RC_E_TOO_LARGE */
    size_t offset;
    const char *message; /* static, one phrase: "expected a comma", "text ends inside a string" */
} rc_json_fault;

typedef struct rc_json_reader {
    rc_str text;
    size_t at;
    uint32_t depth;
    uint32_t max_depth;
    bool is_tolerant;
    uint8_t state; /* private */
    rc_json_fault fault;
    uint64_t is_object[RC_JSON_DEPTH_MAX / 64]; /* one bit an open container */
} rc_json_reader;

typedef struct rc_json_limits {
    size_t max_bytes;   /* a longer text is RC_E_TOO_LARGE: strict at once; tolerant as the fault
                           that is kept, and read as if truncated there */
    uint32_t max_depth; /* at most RC_JSON_DEPTH_MAX; deeper is RC_E_TOO_DEEP in both modes */
    bool is_tolerant;
} rc_json_limits;

/* text: borrows until the last token was used. */
void rc_json_reader_init(rc_json_reader *reader, rc_str text, const rc_json_limits *limits);

/* The next token. After END or ERROR the same one again. */
rc_json_token rc_json_reader_next(rc_json_reader *reader);

/* Passes over the value whose first token `next` has just returned: for a container up to and with
 * its END, for a scalar nothing; after a KEY, the key's whole value. What is passed over is not
 * validated, in either mode: inside a container only strings and brackets are looked at, both kinds
 * of bracket count alike, and max_depth does not apply. Returns the offset one past the value. A
 * truncated container or string: the end of the text, with the fault noted. */
size_t rc_json_reader_skip(rc_json_reader *reader);

/* Appends the value of a raw string (between its quotes) as UTF-8: escapes resolved, invalid UTF-8
 * and lone surrogates replaced by U+FFFD. An unknown or unfinished escape stays as it is, but \' is
 * an apostrophe. Returns the buffer's status. */
rc_status rc_json_unescape(rc_str raw, rc_buf *buf);

/* Is the raw string (escapes and all) equal to the plain text? No allocation. */
bool rc_json_raw_eq(rc_str raw, bool has_escapes, rc_str plain);

/* The number as an int64: RC_E_TYPE when it has a fraction or an exponent or is no number,
 * RC_E_RANGE when it does not fit. */
rc_status rc_json_to_i64(rc_str raw, int64_t *ret_value);

/* The number as a double, correctly rounded for up to 15 significant digits and |exponent| <= 22,
 * else within 1 ulp (no strtod: it depends on the locale). Too large: RC_E_RANGE. Too small: zero,
 * as everywhere. Not a number: RC_E_TYPE. */
rc_status rc_json_to_double(rc_str raw, double *ret_value);

/* Line and column (both from 1; columns count characters) of an offset. A line ends with \n, \r\n
 * or \r. An offset inside a character is the character's, one behind the text the text's end. */
typedef struct rc_json_position {
    size_t line;
    size_t column;
} rc_json_position;
rc_json_position rc_json_position_of(rc_str text, size_t offset);

#endif
