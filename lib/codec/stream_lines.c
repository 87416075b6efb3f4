/* Reader for NDJSON streams. Called by tests and fuzz targets; the gateway does not use this reader
 * yet. */
#include "codec/stream_lines.h"

#include "base/str.h"

void rc_stream_lines_init(rc_stream_lines *lines, rc_buf *scratch, size_t max_bytes)
{
    rc_stream_feed_init(&lines->feed, scratch, max_bytes);
}

void rc_stream_lines_push(rc_stream_lines *lines, rc_str piece)
{
    rc_stream_feed_push(&lines->feed, piece);
}

static void finish_event(rc_stream_event *event)
{
    if (event->is_oversized) {
        event->type = RC_STREAM_EVENT_DATA;
        return;
    }
    event->data = rc_str_trim(event->raw);
    event->has_data = event->data.len > 0;
    event->type = event->has_data ? RC_STREAM_EVENT_DATA : RC_STREAM_EVENT_BLANK;
}

bool rc_stream_lines_pull(rc_stream_lines *lines, rc_stream_event *ret_event)
{
    rc_stream_feed *feed = &lines->feed;
    rc_stream_feed_begin(feed);
    if (!feed->has_end) {
        size_t lf = rc_str_find_byte(feed->piece, '\n', feed->at);
        feed->at = lf == RC_STR_NPOS ? feed->piece.len : lf + 1;
        if (lf != RC_STR_NPOS)
            rc_stream_feed_set_end(feed, feed->at);
    }
    rc_stream_feed_result result = rc_stream_feed_pull(feed, ret_event);
    if (result == RC_STREAM_FEED_WHOLE)
        finish_event(ret_event);
    return result != RC_STREAM_FEED_NONE;
}

bool rc_stream_lines_end(rc_stream_lines *lines, rc_stream_event *ret_event)
{
    rc_stream_feed_begin(&lines->feed);
    if (!rc_stream_feed_end(&lines->feed, ret_event))
        return false;
    finish_event(ret_event);
    return true;
}
