/* rc_stream_feed: collects the bytes of the current event for the stream readers.
 *
 * A reader scans a piece of the stream and reports where an event ends. The feed provides the
 * event's bytes in one of three ways:
 *
 *   the event lies in one piece       a view of the piece; nothing is copied
 *   it spans several pieces           the pieces are joined in the scratch buffer
 *   it is above the ceiling           returned in parts as they arrive; its last bytes are stored
 *                                     in the scratch buffer
 *
 * The events never depend on how the stream was split into pieces. The parts of an oversized event
 * do depend on the split. */
#ifndef RC_CODEC_STREAM_FEED_H
#define RC_CODEC_STREAM_FEED_H

#include <recourse/buf.h>

#include "codec/stream_event.h"

typedef struct rc_stream_feed {
    rc_buf *scratch;
    size_t max_bytes;
    rc_str piece;
    size_t at;       /* offset in the piece up to which the reader has scanned */
    size_t from;     /* offset in the piece up to which bytes were returned or stored in
                        `scratch` */
    size_t end;      /* offset in the piece of the end of the event; valid if has_end */
    uint64_t offset; /* offset of the piece in the stream */
    uint64_t begin;  /* offset of the event in the stream */
    bool has_end;
    bool is_oversized;
    bool is_scratch_consumed; /* the bytes in `scratch` were returned; the next call removes them */
} rc_stream_feed;

/* Initialises a feed. scratch: borrows for as long as the feed and its events are used. The scratch
 * buffer must have space for one event, and once more for the event's data if it has several lines.
 * `max_bytes` is the ceiling of a whole event, at least 16. */
void rc_stream_feed_init(rc_stream_feed *feed, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece. The previous piece must have been read completely. piece: borrows until the
 * piece has been read completely. */
void rc_stream_feed_push(rc_stream_feed *feed, rc_str piece);

/* Releases the bytes of the previous event in the scratch buffer. A reader calls this function
 * first whenever its caller requests the next event. */
void rc_stream_feed_begin(rc_stream_feed *feed);

/* Records that the event ends at offset `end` of the piece. */
static inline void rc_stream_feed_set_end(rc_stream_feed *feed, size_t end)
{
    feed->end = end;
    feed->has_end = true;
}

typedef enum rc_stream_feed_result {
    RC_STREAM_FEED_NONE, /* no bytes: the event continues in the next piece */
    RC_STREAM_FEED_HEAD, /* the first part of an oversized event; unless memory ran out, it has at
                            least max_bytes bytes */
    RC_STREAM_FEED_PART, /* a later part of an oversized event */
    RC_STREAM_FEED_WHOLE /* the whole event, or its last part; the next event begins after it */
} rc_stream_feed_result;

/* The reader calls this function when it has scanned to the end of the event (has_end) or of the
 * piece. *ret_event receives the available bytes of the event. The function sets the members type
 * (to PART), begin, end, raw, head, tail and is_oversized, and clears all other members. */
rc_stream_feed_result rc_stream_feed_pull(rc_stream_feed *feed, rc_stream_event *ret_event);

/* Returns whether the next event begins at feed->at. */
static inline bool rc_stream_feed_is_between(const rc_stream_feed *feed)
{
    return !feed->has_end && feed->from == feed->at && feed->offset + feed->at == feed->begin;
}

/* Writes the event from feed->at to offset `end` of the piece to *ret_event, as rc_stream_feed_pull
 * would. The caller has checked that rc_stream_feed_is_between is true and that the event is
 * shorter than the ceiling. */
static inline void rc_stream_feed_pull_inline(rc_stream_feed *feed, size_t end,
                                              rc_stream_event *ret_event)
{
    const rc_str raw = rc_str_make(feed->piece.ptr + feed->at, end - feed->at);
    *ret_event = (rc_stream_event){
        .begin = feed->begin, .end = feed->offset + end, .raw = raw, .retry_ms = -1};
    feed->at = end;
    feed->from = end;
    feed->end = end;
    feed->begin = ret_event->end;
}

/* Ends the stream and writes the remaining bytes to *ret_event as an event with is_cut. Returns
 * false if no bytes remain. */
bool rc_stream_feed_end(rc_stream_feed *feed, rc_stream_event *ret_event);

#endif
