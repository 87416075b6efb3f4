/* rc_stream_feed: the bytes of the event under way, for the readers of streams.
 *
 * A reader looks at the bytes of a piece and says where an event ends. Which bytes those are is
 * kept here:
 *
 *   the event lies in the piece      a view of the piece; nothing is copied
 *   it came in several pieces        they are put together in the room
 *   it is above the ceiling          given away in parts as they come; its last bytes are kept in
 *                                    the room
 *
 * What the event is never depends on how it was cut into pieces, only the parts do. */
#ifndef RC_CODEC_STREAM_FEED_H
#define RC_CODEC_STREAM_FEED_H

#include <recourse/buf.h>

#include "codec/stream_event.h"

typedef struct rc_stream_feed {
    rc_buf *scratch;
    size_t max_bytes;
    rc_str piece;
    size_t at;       /* up to where the reader has looked */
    size_t from;     /* up to where bytes were given away or put into the room */
    size_t end;      /* where the event ends, if has_end */
    uint64_t offset; /* of the piece in the stream */
    uint64_t begin;  /* of the event in the stream */
    bool has_end;
    bool is_oversized;
    bool is_scratch_consumed; /* what the room holds was given, and can go at the next call */
} rc_stream_feed;

/* room: borrows until the last event was used; it holds one event, and its data a second time if
 * that came in several lines. max_bytes: of an event, all of it;
 * less than 16 is 16. */
void rc_stream_feed_init(rc_stream_feed *feed, rc_buf *scratch, size_t max_bytes);

/* The next piece; the one before was read. piece: borrows until it was read. */
void rc_stream_feed_push(rc_stream_feed *feed, rc_str piece);

/* To be called first by every pull: forgets what the event before has used. */
void rc_stream_feed_begin(rc_stream_feed *feed);

/* The event ends at `end`, in front of which the reader has looked at everything. */
static inline void rc_stream_feed_set_end(rc_stream_feed *feed, size_t end)
{
    feed->end = end;
    feed->has_end = true;
}

typedef enum rc_stream_feed_result {
    RC_STREAM_FEED_NONE, /* the event goes on in the next piece */
    RC_STREAM_FEED_HEAD, /* the first part of an oversized event: max_bytes of it or more, if there
                            was memory for them */
    RC_STREAM_FEED_PART, /* a later part */
    RC_STREAM_FEED_WHOLE /* the event, or its last part; the next one begins */
} rc_stream_feed_result;

/* What can be given when the reader has come to the event's end, if has_end, or else to the end of
 * the piece. Sets type (PART), begin, end, raw, head, tail and is_oversized of the event and clears
 * the rest. */
rc_stream_feed_result rc_stream_feed_pull(rc_stream_feed *feed, rc_stream_event *ret_event);

/* Does the next event begin where the reader stands? */
static inline bool rc_stream_feed_is_between(const rc_stream_feed *feed)
{
    return !feed->has_end && feed->from == feed->at && feed->offset + feed->at == feed->begin;
}

/* Between two events: the one that ends at `end` of the piece, below the ceiling, as
 * rc_stream_feed_pull gives it. */
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

/* The stream has ended: what is left as an event that is cut. False: nothing is. */
bool rc_stream_feed_end(rc_stream_feed *feed, rc_stream_event *ret_event);

#endif
