/* Stream feed: collects the bytes of the current event. Called by the readers sse.c,
 * stream_array.c, stream_lines.c. */
#include "codec/stream_feed.h"

#include "base/str.h"

/* Minimum of the ceiling in bytes, so that the readers can recognise the first bytes of a stream,
 * such as a byte order mark, before the feed returns these bytes. */
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

/* Shortens the scratch buffer to its last bytes, at most `most` bytes, and resets its status. */
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

/* Extends the tail of an oversized event by `bytes`, which may be in the scratch buffer. Returns
 * the tail, or an empty view if no memory is available. */
static rc_str extend_tail(rc_stream_feed *feed, rc_str bytes)
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

/* Returns the head of an oversized event if `raw`, which ends at offset `to`, contains the event's
 * first bytes. Otherwise returns an empty view. */
static rc_str head_of(const rc_stream_feed *feed, size_t to, rc_str raw)
{
    if (!feed->is_oversized || feed->offset + to - raw.len != feed->begin)
        return rc_str_make(NULL, 0);
    return rc_str_slice(raw, 0, raw.len < feed->max_bytes ? raw.len : feed->max_bytes);
}

/* Fills in the members of an event. `to` is the offset in the piece of the end of the bytes that
 * are available. */
static void start_event(rc_stream_feed *feed, size_t to, rc_str raw, rc_stream_event *ret_event)
{
    const rc_str tail = feed->is_oversized ? extend_tail(feed, raw) : rc_str_make(NULL, 0);
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

/* Returns the first part of an event that exceeds the ceiling: the bytes in the scratch buffer. The
 * bytes up to the ceiling are added first, so that the head of the event does not depend on how the
 * stream was split. */
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
    feed->is_scratch_consumed |= feed->is_oversized; /* the scratch buffer contains the tail of the
                                                        event */
    feed->is_oversized = false;
    feed->begin = feed->offset + feed->end;
}

/* Appends the bytes up to offset `to` of the piece to the scratch buffer. Returns false if the
 * bytes do not fit; the event is then oversized. */
static bool store(rc_stream_feed *feed, size_t to)
{
    if (feed->offset + to - feed->begin <= feed->max_bytes &&
        rc_buf_push(feed->scratch, rc_str_slice(feed->piece, feed->from, to)) == RC_OK) {
        feed->from = to;
        return true;
    }
    feed->is_oversized = true;
    feed->is_scratch_consumed = true; /* the bytes in the scratch buffer are returned next; then the
                                         buffer's status is reset */
    return false;
}

static rc_stream_feed_result pull_end(rc_stream_feed *feed, rc_stream_event *ret_event)
{
    size_t to = feed->end;
    bool is_held = !feed->is_oversized && rc_buf_get(feed->scratch).len > 0;
    if (is_held && !store(feed, to))
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
    if (is_first && store(feed, to))
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
