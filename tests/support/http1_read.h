/* Reads one message, at once or in pieces, and returns the result. */
#ifndef RC_TEST_HTTP1_READ_H
#define RC_TEST_HTTP1_READ_H

#include "http/http1.h"

typedef struct result {
    rc_http1_fault fault;
    bool is_whole;
    size_t head_bytes;
    size_t used; /* Number of bytes up to the end of the message. */
    char body[512];
    size_t body_len;
} result;

/* Reads a head, with more memory for its fields if it has many. */
static inline rc_http1_event read_head_of_any_size(rc_http1 *reader, rc_str bytes)
{
    static rc_http1_table table;
    const rc_http1_event event = rc_http1_read_head(reader, bytes);
    if (event != RC_HTTP1_FAULT || !rc_http1_needs_table(reader))
        return event;
    rc_http1_restart(reader, &table);
    return rc_http1_read_head(reader, bytes);
}

/* Reads one message in pieces of `step` bytes; 0: in one piece. */
static inline result read_message(rc_http1 *reader, rc_http1_kind kind, rc_str bytes, size_t step,
                                  bool is_closed)
{
    result got = {0};
    size_t len = step == 0 ? bytes.len : 0;
    rc_http1_init(reader, kind, &rc_http1_limits_default);
    rc_http1_event event = RC_HTTP1_MORE;
    while (event == RC_HTTP1_MORE && len <= bytes.len) {
        event = read_head_of_any_size(reader, rc_str_make(bytes.ptr, len));
        if (event == RC_HTTP1_MORE && len == bytes.len)
            break;
        if (event == RC_HTTP1_MORE)
            len = bytes.len - len < step ? bytes.len : len + step;
    }
    got.head_bytes = reader->head_bytes;
    size_t at = reader->head_bytes;
    while (event != RC_HTTP1_FAULT && event != RC_HTTP1_END && reader->is_head_done) {
        rc_str input = rc_str_make(bytes.ptr + at, len - at);
        event = rc_http1_read_body(reader, &input);
        at = (size_t)(input.ptr - bytes.ptr);
        if (event == RC_HTTP1_BODY) {
            assert_true(reader->body.len + got.body_len <= sizeof(got.body));
            memcpy(got.body + got.body_len, reader->body.ptr, reader->body.len);
            got.body_len += reader->body.len;
        }
        if (event == RC_HTTP1_MORE) {
            if (len == bytes.len)
                break;
            len = bytes.len - len < step ? bytes.len : len + step;
        }
    }
    if (is_closed && event != RC_HTTP1_FAULT && event != RC_HTTP1_END)
        event = rc_http1_close(reader);
    got.used = at;
    got.is_whole = event == RC_HTTP1_END;
    got.fault = reader->fault;
    return got;
}

#endif
