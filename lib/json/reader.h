/* rc_json_reader: a JSON pull reader over text in memory. The reader allocates and copies nothing.
 * Each token has its position in the text.
 *
 *            next()                        skip()
 *   text ──► OBJECT_BEGIN KEY STRING ...   skips the value that next() has begun, with SIMD
 *
 * The reader has two modes:
 *   strict     RFC 8259. The first fault is an RC_JSON_ERROR token; every later call repeats it.
 *
 *   tolerant   the reader continues after malformed input (raw newlines and control characters in
 *              strings, stray or missing commas and colons, unknown escapes, bare words, strings
 *              in single quotes, mismatched or missing closing brackets, stray bytes, text after
 *              the value) and at the end of truncated text. `fault` is the first fault. The
 *              input is never rejected, and every call makes progress.
 *
 * In tolerant mode the tokens are always those of a well-formed document: every open container is
 * closed by an END token, a truncated string is returned up to the end of the text, a key without a
 * value is followed by a NULL, and a value without a key is preceded by an empty KEY. These
 * inserted tokens have length 0. A bare (unquoted) word becomes a STRING whose `raw` is the word.
 * The number of tokens is at most 2 per byte, plus one for each open container.
 *
 * In both modes all duplicate keys are returned, in order, and the caller decides what to do with
 * them. The strict decoders of this library reject duplicates, the tolerant ones use the last
 * value. Invalid UTF-8 in a string is a fault (RC_E_SYNTAX) in strict mode. In tolerant mode `raw`
 * contains the invalid bytes, and rc_json_unescape replaces them by U+FFFD. A lone surrogate escape
 * is a fault in strict mode and U+FFFD in tolerant mode. A byte order mark is skipped without a
 * fault in tolerant mode.
 *
 * In strict mode RC_E_TRUNCATED is returned if and only if appending bytes could make the text
 * valid. */
#ifndef RC_JSON_READER_H
#define RC_JSON_READER_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* Maximum nesting depth of containers that the reader supports; it stores one bit per level. */
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
    RC_JSON_END,  /* the text has ended */
    RC_JSON_ERROR /* a fault in strict mode, or RC_E_TOO_DEEP in either mode; the member `fault` of
                     the reader describes it */
} rc_json_type;

typedef struct rc_json_token {
    rc_json_type type;
    rc_str raw; /* for a string or key, the text between the quotes, with its escapes; for other
                   types, the whole lexeme; views the text */
    bool has_escapes; /* `raw` has a backslash or invalid UTF-8, so rc_json_unescape must be used */
    size_t offset;    /* offset of the first byte, including the opening quote */
    size_t end;       /* offset after the last byte, including the closing quote */
} rc_json_token;

typedef struct rc_json_fault {
    rc_status status; /* RC_OK: no fault; otherwise RC_E_SYNTAX, RC_E_TRUNCATED, RC_E_TOO_DEEP or
                         RC_E_TOO_LARGE */
    size_t offset;
    const char *message; /* one phrase in a static string, such as "expected a comma" or "text ends
                            inside a string" */
} rc_json_fault;

typedef struct rc_json_reader {
    rc_str text;
    size_t at;
    uint32_t depth;
    uint32_t max_depth;
    bool is_tolerant;
    uint8_t state; /* private */
    rc_json_fault fault;
    uint64_t is_object[RC_JSON_DEPTH_MAX / 64]; /* one bit per open container: 1 for an object, 0
                                                   for an array */
} rc_json_reader;

typedef struct rc_json_limits {
    size_t max_bytes;   /* maximum length of the text in bytes; a longer text has the fault
                           RC_E_TOO_LARGE, and the tolerant mode reads only its first max_bytes
                           bytes */
    uint32_t max_depth; /* maximum nesting depth, at most RC_JSON_DEPTH_MAX; deeper nesting has the
                           fault RC_E_TOO_DEEP in both modes */
    bool is_tolerant;
} rc_json_limits;

/* Initialises a reader. text: borrows for as long as the reader and its tokens are used. */
void rc_json_reader_init(rc_json_reader *reader, rc_str text, const rc_json_limits *limits);

/* Returns the next token. After END or ERROR it returns the same token again. */
rc_json_token rc_json_reader_next(rc_json_reader *reader);

/* Skips the value whose first token rc_json_reader_next has just returned. A container is skipped
 * up to and including its END token. After a KEY the whole value of the key is skipped. After a
 * scalar no bytes are skipped. Returns the offset after the value. The skipped text is not
 * validated in either mode: the reader follows strings and brackets only, does not distinguish [ ]
 * from { }, and ignores max_depth. If the value is truncated, the result is the end of the text,
 * and the fault is recorded. */
size_t rc_json_reader_skip(rc_json_reader *reader);

/* Appends the value of a raw string (the text between its quotes) as UTF-8. Escapes are decoded;
 * invalid UTF-8 and lone surrogates become U+FFFD. An unknown or incomplete escape stays unchanged,
 * except that \' becomes an apostrophe. Returns the buffer's status. */
rc_status rc_json_unescape(rc_str raw, rc_buf *buf);

/* Returns whether the value of a raw string, after decoding its escapes, equals `plain`. The
 * function allocates nothing. */
bool rc_json_raw_eq(rc_str raw, bool has_escapes, rc_str plain);

/* Converts a number to int64. Returns RC_E_TYPE if `raw` is not a number or has a fraction or
 * exponent, and RC_E_RANGE if the number does not fit. */
rc_status rc_json_to_i64(rc_str raw, int64_t *ret_value);

/* Converts a number to double. The result is correctly rounded for up to 15 significant digits and
 * |exponent| <= 22, and within 1 ulp otherwise. (strtod is not used, because it depends on the
 * locale.) A value that is too small becomes zero. Returns RC_E_RANGE if the value is too large and
 * RC_E_TYPE if `raw` is not a number. */
rc_status rc_json_to_double(rc_str raw, double *ret_value);

/* The line and column of an offset, both counted from 1; the column is counted in characters. A
 * line ends with \n, \r\n or \r. An offset inside a character is treated as the start of the
 * character, an offset after the text as the end of the text. */
typedef struct rc_json_position {
    size_t line;
    size_t column;
} rc_json_position;
rc_json_position rc_json_position_of(rc_str text, size_t offset);

#endif
