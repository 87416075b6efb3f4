/* rc_stream_array: an incremental reader of a stream that is one JSON array, as Gemini sends it
 * without alt=sse.
 *
 *   [{"candidates": ...}   DATA    an element, with the bracket or comma before it
 *   ,\r\n{ ... }           DATA
 *   ]                      CLOSE   the array is complete
 *   \n                     BLANK   the bytes after the array, when the stream ends
 *
 * The reader follows strings and brackets and does not validate elements. An object outside an
 * array counts as an element, too, because providers send errors in this form. See
 * codec/stream_event.h. */
#ifndef RC_CODEC_STREAM_ARRAY_H
#define RC_CODEC_STREAM_ARRAY_H

#include "codec/stream_feed.h"

/* The state of a reader in the caller's storage. The fields are private. */
typedef struct rc_stream_array {
    rc_stream_feed feed;
    uint64_t depth; /* nesting depth in the current element; 0: between elements, or in a scalar */
    rc_stream_event_type ended; /* type that the current event has when it ends */
    bool is_open;               /* the array has begun */
    bool is_closed;             /* the array is complete */
    bool has_bracket;           /* the current event contains the array's opening bracket */
    bool is_in_scalar;          /* the current element is a scalar */
    bool is_in_string;
    bool is_escaped; /* the last byte was a backslash that escapes the next one */
} rc_stream_array;

/* Initialises a reader. scratch: borrows for as long as the reader and its events are used
 * (rc_stream_feed_init). max_bytes: the ceiling of one element. */
void rc_stream_array_init(rc_stream_array *array, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece of the stream. Called after rc_stream_array_pull has returned false. piece:
 * borrows until rc_stream_array_pull returns false again. */
void rc_stream_array_push(rc_stream_array *array, rc_str piece);

/* Writes the next event to *ret_event and returns true. The event is valid until the next call.
 * Returns false, without changing *ret_event, if the next piece is needed. */
bool rc_stream_array_pull(rc_stream_array *array, rc_stream_event *ret_event);

/* Ends the stream and writes the remaining bytes as an event to *ret_event. Called after
 * rc_stream_array_pull has returned false. Returns false if no bytes remain. */
bool rc_stream_array_end(rc_stream_array *array, rc_stream_event *ret_event);

#endif
