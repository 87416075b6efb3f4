/* rc_stream_lines: a stream of JSON texts, one a line (NDJSON), as Ollama sends it. Each line with
 * its LF is an event; a line of white space is BLANK. See codec/stream_event.h. */
#ifndef RC_CODEC_STREAM_LINES_H
#define RC_CODEC_STREAM_LINES_H

#include "codec/stream_feed.h"

/* The caller's storage. The fields are private. */
typedef struct rc_stream_lines {
    rc_stream_feed feed;
} rc_stream_lines;

/* room: borrows, see rc_stream_feed_init. max_bytes: of one line. */
void rc_stream_lines_init(rc_stream_lines *lines, rc_buf *scratch, size_t max_bytes);

/* The next piece, once pull has said that it needs one. piece: borrows until then. */
void rc_stream_lines_push(rc_stream_lines *lines, rc_str piece);

/* The next event, valid until the next call. False: push more; *ret_event is not touched. */
bool rc_stream_lines_pull(rc_stream_lines *lines, rc_stream_event *ret_event);

/* The stream has ended, and pull has given everything: what is left, if anything. A last line
 * without its LF is cut; whether it is whole, its data tells. */
bool rc_stream_lines_end(rc_stream_lines *lines, rc_stream_event *ret_event);

#endif
