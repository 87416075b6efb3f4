/* rc_json_writer: JSON into an rc_buf, commas and nesting kept by the writer. Output is always
 * valid UTF-8: invalid bytes become U+FFFD. Failures are the buffer's and stick; check
 * rc_buf_status once at the end. Nesting above the ceiling, or an end without a begin, is
 * RC_E_TOO_LARGE. */
#ifndef RC_JSON_WRITER_H
#define RC_JSON_WRITER_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_JSON_WRITER_DEPTH_MAX 512

typedef struct rc_json_writer {
    rc_buf *buf;
    uint32_t depth;
    uint32_t indent; /* spaces a level; 0 is compact */
    bool has_items[RC_JSON_WRITER_DEPTH_MAX + 1];
    bool is_after_key;
} rc_json_writer;

/* A key that is written already, once, by the compiler: ,"name": */
typedef struct rc_json_ready_key {
    char text[33]; /* one more than is copied: the first is left out of a first key */
    uint8_t len;
} rc_json_ready_key;
#define RC_JSON_READY_KEY(name)            \
    {                                      \
        ",\"" name "\":", sizeof(name) + 3 \
    }

/* buf: borrows. */
void rc_json_writer_init(rc_json_writer *w, rc_buf *buf, uint32_t indent);

void rc_json_object_begin(rc_json_writer *w);
void rc_json_object_end(rc_json_writer *w);
void rc_json_array_begin(rc_json_writer *w);
void rc_json_array_end(rc_json_writer *w);

void rc_json_key(rc_json_writer *w, rc_str key);
void rc_json_string(rc_json_writer *w, rc_str value);
/* A string that has nothing to escape (the caller vouches for it). */
void rc_json_string_verbatim(rc_json_writer *w, rc_str name);
/* The same as rc_json_key, in an object of a compact writer. */
void rc_json_ready_key_push(rc_json_writer *w, const rc_json_ready_key *key);
void rc_json_i64(rc_json_writer *w, int64_t value);
void rc_json_u64(rc_json_writer *w, uint64_t value);
void rc_json_bool(rc_json_writer *w, bool value);
void rc_json_null(rc_json_writer *w);

/* A value that is JSON already (the caller vouches for it). */
void rc_json_raw(rc_json_writer *w, rc_str json);

/* A key with its value, in one call. */
void rc_json_member_string(rc_json_writer *w, rc_str key, rc_str value);
void rc_json_member_i64(rc_json_writer *w, rc_str key, int64_t value);
void rc_json_member_bool(rc_json_writer *w, rc_str key, bool value);

/* Appends value between quotes, escaped: the short escapes, \u00XX for the other control characters
 * (C0, C1 and DEL), \u2028, \u2029, the bidirectional controls and what nobody sees: they break
 * terminals, script readers and what people see. */
void rc_json_push_quoted(rc_buf *buf, rc_str value);

/* How many bytes a character of len bytes has there. */
size_t rc_json_escaped_len(uint32_t cp, size_t len);

#endif
