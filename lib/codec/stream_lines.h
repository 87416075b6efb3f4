/* rc_stream_lines: an incremental reader of NDJSON, one JSON text per line, as Ollama sends it.
 *
 * Each line, including its LF, is an event; a line of white space is BLANK. See
 * codec/stream_event.h. */
#ifndef RC_CODEC_STREAM_LINES_H
#define RC_CODEC_STREAM_LINES_H

#include "codec/stream_feed.h"

/* The caller's storage. The fields are private. */
typedef struct rc_stream_lines {
    rc_stream_feed feed;
} rc_stream_lines;

/* Starts a reader. scratch: borrows, see rc_stream_feed_init. max_bytes: the ceiling of one line.
 */
void rc_stream_lines_init(rc_stream_lines *lines, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece, after pull has returned false. piece: borrows until pull returns false
 * again. */
void rc_stream_lines_push(rc_stream_lines *lines, rc_str piece);

/* Gives the next event, valid until the next call. Returns false if the next piece is needed; then
 * *ret_event is unchanged. */
bool rc_stream_lines_pull(rc_stream_lines *lines, rc_stream_event *ret_event);

/* Ends the stream, after pull has returned false: gives the remaining bytes as an event. Returns
 * false if there are none. A last line without LF is marked is_cut, though its JSON may be
 * complete. */

bool rc_stream_lines_end(rc_stream_lines *lines, rc_stream_event *ret_event);

#endif
