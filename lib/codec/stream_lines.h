/* rc_stream_lines: an incremental reader of NDJSON, one JSON text per line, as Ollama sends it.
 *
 * Each line, including its LF, is an event. A line of white space is an event of type BLANK. See
 * codec/stream_event.h. */
#ifndef RC_CODEC_STREAM_LINES_H
#define RC_CODEC_STREAM_LINES_H

#include "codec/stream_feed.h"

/* The state of a reader in the caller's storage. The fields are private. */
typedef struct rc_stream_lines {
    rc_stream_feed feed;
} rc_stream_lines;

/* Initialises a reader. scratch: borrows for as long as the reader and its events are used
 * (rc_stream_feed_init). max_bytes: the ceiling of one line. */
void rc_stream_lines_init(rc_stream_lines *lines, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece of the stream. Called after rc_stream_lines_pull has returned false. piece:
 * borrows until rc_stream_lines_pull returns false again. */
void rc_stream_lines_push(rc_stream_lines *lines, rc_str piece);

/* Writes the next event to *ret_event and returns true. The event is valid until the next call.
 * Returns false, without changing *ret_event, if the next piece is needed. */
bool rc_stream_lines_pull(rc_stream_lines *lines, rc_stream_event *ret_event);

/* Ends the stream and writes the remaining bytes as an event to *ret_event. Called after
 * rc_stream_lines_pull has returned false. Returns false if no bytes remain. A last line without LF
 * is marked is_cut, although its JSON may be complete. */

bool rc_stream_lines_end(rc_stream_lines *lines, rc_stream_event *ret_event);

#endif
