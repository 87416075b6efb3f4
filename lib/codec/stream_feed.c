#include "codec/stream_feed.h"

#include "base/str.h"

/* What a stream's first bytes are must be known before they are given away. */
#define LEAST_MAX_BYTES ((size_t)16)

void rc_stream_feed_init(rc_stream_feed *feed, rc_buf *scratch, size_t max_bytes)
{
    *feed = (rc_stream_feed){
        .scratch = scratch,
        .max_bytes = max_bytes > LEAST_MAX_BYTES ? max_bytes : LEAST_MAX_BYTES,
    };
    rc_buf_reset(scratch);
}

void rc_stream_feed_push(rc_stream_feed *feed, rc_str piece)
{
    feed->offset += feed->piece.len;
    feed->piece = piece;
    feed->at = 0;
    feed->from = 0;
}

/* Leaves the last bytes in the room, and forgets its failure. */
static void cut_scratch(rc_buf *scratch, size_t most)
{
    const rc_str all = rc_buf_get(scratch);
    const size_t kept = all.len < most ? all.len : most;
    if (kept > 0)
        memmove(scratch->ptr, all.ptr + all.len - kept, kept);
    rc_buf_reset(scratch);
    scratch->len = kept;
}

void rc_stream_feed_begin(rc_stream_feed *feed)
{
    if (feed->is_scratch_consumed)
        cut_scratch(feed->scratch, feed->is_oversized ? RC_STREAM_TAIL_MAX : 0);
    feed->is_scratch_consumed = false;
}

/* The tail of an oversized event goes on with these bytes, which may be the room's. Without memory
 * there is none. */
static rc_str keep_tail(rc_stream_feed *feed, rc_str bytes)
{
    const size_t from = bytes.len > RC_STREAM_TAIL_MAX ? bytes.len - RC_STREAM_TAIL_MAX : 0;
    const rc_str last = rc_str_slice(bytes, from, bytes.len);
    if (bytes.len > 0 && bytes.ptr == feed->scratch->ptr)
        return last;
    cut_scratch(feed->scratch, RC_STREAM_TAIL_MAX - last.len);
    if (rc_buf_push(feed->scratch, last) != RC_OK)
        rc_buf_reset(feed->scratch);
    return rc_buf_get(feed->scratch);
}

/* What stands first in an oversized event, if these bytes, up to `to`, are its first ones. */
static rc_str head_of(const rc_stream_feed *feed, size_t to, rc_str raw)
{
    if (!feed->is_oversized || feed->offset + to - raw.len != feed->begin)
        return rc_str_make(NULL, 0);
    return rc_str_slice(raw, 0, raw.len < feed->max_bytes ? raw.len : feed->max_bytes);
}

/* An event whose last byte so far is the one in front of `to`. */
static void start_event(rc_stream_feed *feed, size_t to, rc_str raw, rc_stream_event *ret_event)
{
    const rc_str tail = feed->is_oversized ? keep_tail(feed, raw) : rc_str_make(NULL, 0);
    *ret_event = (rc_stream_event){
        .type = RC_STREAM_EVENT_PART,
        .begin = feed->begin,
        .end = feed->offset + to,
        .raw = raw,
        .retry_ms = -1,
        .is_oversized = feed->is_oversized,
        .head = head_of(feed, to, raw),
        .tail = tail,
    };
}

static rc_str take_piece(rc_stream_feed *feed, size_t to)
{
    rc_str bytes = rc_str_slice(feed->piece, feed->from, to);
    feed->from = to;
    return bytes;
}

static rc_str take_scratch(rc_stream_feed *feed)
{
    feed->is_scratch_consumed = true;
    return rc_buf_get(feed->scratch);
}

/* The event goes over the ceiling: what the room holds has to go. The head is filled up first, so
 * that it is the same however the stream was cut. */
static rc_stream_feed_result pull_head(rc_stream_feed *feed, size_t to, rc_stream_event *ret_event)
{
    size_t held = rc_buf_get(feed->scratch).len;
    size_t missing = feed->max_bytes > held ? feed->max_bytes - held : 0;
    size_t more = missing < to - feed->from ? missing : to - feed->from;
    if (rc_buf_push(feed->scratch, rc_str_slice(feed->piece, feed->from, feed->from + more)) ==
        RC_OK)
        feed->from += more;
    start_event(feed, feed->from, take_scratch(feed), ret_event);
    return RC_STREAM_FEED_HEAD;
}

static void close_event(rc_stream_feed *feed)
{
    feed->has_end = false;
    feed->is_scratch_consumed |= feed->is_oversized; /* the tail */
    feed->is_oversized = false;
    feed->begin = feed->offset + feed->end;
}

/* The bytes up to `to` go into the room. False: they do not fit, and the event is oversized. */
static bool keep(rc_stream_feed *feed, size_t to)
{
    if (feed->offset + to - feed->begin <= feed->max_bytes &&
        rc_buf_push(feed->scratch, rc_str_slice(feed->piece, feed->from, to)) == RC_OK) {
        feed->from = to;
        return true;
    }
    feed->is_oversized = true;
    feed->is_scratch_consumed = true; /* what it holds is given next, and its failure forgotten */
    return false;
}

static rc_stream_feed_result pull_end(rc_stream_feed *feed, rc_stream_event *ret_event)
{
    size_t to = feed->end;
    bool is_held = !feed->is_oversized && rc_buf_get(feed->scratch).len > 0;
    if (is_held && !keep(feed, to))
        return pull_head(feed, to, ret_event);
    if (feed->offset + to - feed->begin > feed->max_bytes)
        feed->is_oversized = true;
    rc_str raw = is_held ? take_scratch(feed) : take_piece(feed, to);
    start_event(feed, to, raw, ret_event);
    close_event(feed);
    return RC_STREAM_FEED_WHOLE;
}

rc_stream_feed_result rc_stream_feed_pull(rc_stream_feed *feed, rc_stream_event *ret_event)
{
    if (feed->has_end)
        return pull_end(feed, ret_event);
    size_t to = feed->piece.len;
    if (feed->from == to)
        return RC_STREAM_FEED_NONE;
    bool is_first = !feed->is_oversized;
    if (is_first && keep(feed, to))
        return RC_STREAM_FEED_NONE;
    if (is_first && rc_buf_get(feed->scratch).len > 0)
        return pull_head(feed, to, ret_event);
    start_event(feed, to, take_piece(feed, to), ret_event);
    return is_first ? RC_STREAM_FEED_HEAD : RC_STREAM_FEED_PART;
}

bool rc_stream_feed_end(rc_stream_feed *feed, rc_stream_event *ret_event)
{
    if (feed->offset + feed->piece.len == feed->begin)
        return false;
    feed->end = feed->piece.len;
    const rc_str rest = feed->is_oversized ? rc_str_make(NULL, 0) : take_scratch(feed);
    start_event(feed, feed->end, rest, ret_event);
    ret_event->is_cut = true;
    close_event(feed);
    return true;
}
