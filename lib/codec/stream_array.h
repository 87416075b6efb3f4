/* rc_stream_array: a stream that is one JSON array, as Gemini sends it without alt=sse.
 *
 *   [{"candidates": ...}   DATA    an element, with the bracket or the comma in front of it
 *   ,\r\n{ ... }           DATA
 *   ]                      CLOSE   the array is whole
 *   \n                     BLANK   what is behind it, when the stream ends
 *
 * Only strings and brackets are looked at; whether an element is JSON, its reader says. An object
 * that stands in no array is an element as well: an error comes so. See codec/stream_event.h. */
#ifndef RC_CODEC_STREAM_ARRAY_H
#define RC_CODEC_STREAM_ARRAY_H

#include "codec/stream_feed.h"

/* The caller's storage. The fields are private. */
typedef struct rc_stream_array {
    rc_stream_feed feed;
    uint64_t depth; /* of the element under way; 0: none, or one without brackets */
    rc_stream_event_type ended;
    bool is_open; /* the array has begun */
    bool is_closed;
    bool has_bracket;  /* the event under way has the array's opening bracket */
    bool is_in_scalar; /* the element under way has no brackets */
    bool is_in_string;
    bool is_escaped; /* the last byte was a backslash */
} rc_stream_array;

/* room: borrows, see rc_stream_feed_init. max_bytes: of one element. */
void rc_stream_array_init(rc_stream_array *array, rc_buf *scratch, size_t max_bytes);

/* The next piece, once pull has said that it needs one. piece: borrows until then. */
void rc_stream_array_push(rc_stream_array *array, rc_str piece);

/* The next event, valid until the next call. False: push more; *ret_event is not touched. */
bool rc_stream_array_pull(rc_stream_array *array, rc_stream_event *ret_event);

/* The stream has ended, and pull has given everything: what is left, if anything. */
bool rc_stream_array_end(rc_stream_array *array, rc_stream_event *ret_event);

#endif
