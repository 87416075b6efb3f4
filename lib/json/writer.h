/* rc_json_writer: writes JSON to an rc_buf and adds commas and indentation.
 *
 * The output is always valid UTF-8: invalid bytes become U+FFFD. Failures are recorded in the
 * buffer's status and are sticky, so that the caller checks rc_buf_status only once, at the end.
 * Nesting above the ceiling, or an end without a begin, is RC_E_TOO_LARGE. */
#ifndef RC_JSON_WRITER_H
#define RC_JSON_WRITER_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_JSON_WRITER_DEPTH_MAX 512

typedef struct rc_json_writer {
    rc_buf *buf;
    uint32_t depth;
    uint32_t indent; /* number of spaces per nesting level; 0: compact, on one line */
    bool has_items[RC_JSON_WRITER_DEPTH_MAX + 1];
    bool is_after_key;
} rc_json_writer;

/* A key that was formatted at compile time, including comma and colon: ,"name": */
typedef struct rc_json_ready_key {
    char text[33]; /* a copy always has 32 bytes; it begins at text + 1 if no comma is needed */
    uint8_t len;
} rc_json_ready_key;
#define RC_JSON_READY_KEY(name)            \
    {                                      \
        ",\"" name "\":", sizeof(name) + 3 \
    }

/* Initialises a writer. buf: borrows for as long as the writer is used. */
void rc_json_writer_init(rc_json_writer *w, rc_buf *buf, uint32_t indent);

/* These functions begin and end containers and write keys and values. Texts are copied. */
void rc_json_object_begin(rc_json_writer *w);
void rc_json_object_end(rc_json_writer *w);
void rc_json_array_begin(rc_json_writer *w);
void rc_json_array_end(rc_json_writer *w);

void rc_json_key(rc_json_writer *w, rc_str key);
void rc_json_string(rc_json_writer *w, rc_str value);
/* Writes a string without escaping. The caller guarantees that no character needs an escape. */
void rc_json_string_verbatim(rc_json_writer *w, rc_str name);
/* Writes a ready key. Requires that an object is open and that the writer is compact (indent 0). */
void rc_json_ready_key_push(rc_json_writer *w, const rc_json_ready_key *key);
void rc_json_i64(rc_json_writer *w, int64_t value);
void rc_json_u64(rc_json_writer *w, uint64_t value);
void rc_json_bool(rc_json_writer *w, bool value);
void rc_json_null(rc_json_writer *w);

/* Writes a value that is already JSON; the caller guarantees that it is valid. */
void rc_json_raw(rc_json_writer *w, rc_str json);

/* Write a key or a string whose text is already escaped, such as one that was read from JSON. */
void rc_json_key_escaped(rc_json_writer *w, rc_str raw);
void rc_json_string_escaped(rc_json_writer *w, rc_str raw);
void rc_json_member_escaped(rc_json_writer *w, rc_str key, rc_str raw);

/* Each of these functions writes a key and its value. */
void rc_json_member_string(rc_json_writer *w, rc_str key, rc_str value);
void rc_json_member_i64(rc_json_writer *w, rc_str key, int64_t value);
void rc_json_member_bool(rc_json_writer *w, rc_str key, bool value);

/* Appends `value` in quotes and escaped. Characters without a short escape such as \n are written
 * as \uXXXX if rc_utf8_is_unsafe returns true for them (control characters including C1 and DEL,
 * U+2028, U+2029, bidirectional controls, invisible characters). */
void rc_json_push_quoted(rc_buf *buf, rc_str value);
/* Appends `value` escaped in the same way, without quotes. */
void rc_json_push_escaped(rc_buf *buf, rc_str value);

/* Returns the number of bytes that rc_json_push_quoted writes for character `cp`, whose UTF-8 has
 * `len` bytes. */

size_t rc_json_escaped_len(uint32_t cp, size_t len);

#endif
