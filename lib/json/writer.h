/* rc_json_writer: writes JSON to an rc_buf and adds commas and indentation.
 *
 * The output is always valid UTF-8: invalid bytes become U+FFFD. Failures are the buffer's and are
 * sticky; check rc_buf_status once, at the end. Nesting above the ceiling, or an end without a
 * begin, is RC_E_TOO_LARGE. */
#ifndef RC_JSON_WRITER_H
#define RC_JSON_WRITER_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_JSON_WRITER_DEPTH_MAX 512

typedef struct rc_json_writer {
    rc_buf *buf;
    uint32_t depth;
    uint32_t indent; /* spaces per level; 0: compact */
    bool has_items[RC_JSON_WRITER_DEPTH_MAX + 1];
    bool is_after_key;
} rc_json_writer;

/* A key that the compiler has already formatted as ,"name": */
typedef struct rc_json_ready_key {
    char text[33]; /* 32 bytes are copied, from text + 1 if the comma is left out */
    uint8_t len;
} rc_json_ready_key;
#define RC_JSON_READY_KEY(name)            \
    {                                      \
        ",\"" name "\":", sizeof(name) + 3 \
    }

/* Starts a writer. buf: borrows. */
void rc_json_writer_init(rc_json_writer *w, rc_buf *buf, uint32_t indent);

/* Begin and end containers, and write keys and values. Texts are copied. */
void rc_json_object_begin(rc_json_writer *w);
void rc_json_object_end(rc_json_writer *w);
void rc_json_array_begin(rc_json_writer *w);
void rc_json_array_end(rc_json_writer *w);

void rc_json_key(rc_json_writer *w, rc_str key);
void rc_json_string(rc_json_writer *w, rc_str value);
/* Writes a string without escaping; the caller guarantees that none is needed. */
void rc_json_string_verbatim(rc_json_writer *w, rc_str name);
/* Writes a ready key; only for objects of a compact writer. */
void rc_json_ready_key_push(rc_json_writer *w, const rc_json_ready_key *key);
void rc_json_i64(rc_json_writer *w, int64_t value);
void rc_json_u64(rc_json_writer *w, uint64_t value);
void rc_json_bool(rc_json_writer *w, bool value);
void rc_json_null(rc_json_writer *w);

/* Writes a value that is already JSON; the caller guarantees that it is valid. */
void rc_json_raw(rc_json_writer *w, rc_str json);

/* Write a key and its value. */
void rc_json_member_string(rc_json_writer *w, rc_str key, rc_str value);
void rc_json_member_i64(rc_json_writer *w, rc_str key, int64_t value);
void rc_json_member_bool(rc_json_writer *w, rc_str key, bool value);

/* Appends value in quotes, escaped: the short escapes, and \uXXXX for all other characters that
 * rc_utf8_is_unsafe names (control characters including C1 and DEL, U+2028, U+2029, bidirectional
 * controls, invisible characters). */
void rc_json_push_quoted(rc_buf *buf, rc_str value);

/* Returns the bytes that rc_json_push_quoted writes for a character whose UTF-8 has len bytes. */

size_t rc_json_escaped_len(uint32_t cp, size_t len);

#endif
