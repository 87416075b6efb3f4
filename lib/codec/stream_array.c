/* Reader for a stream that is one JSON array. Called by the gateway for Gemini's streams without
 * alt=sse. */
#include "codec/stream_array.h"

#include "base/str.h"
#include "base/utf8.h"
#include "json/scan.h"

void rc_stream_array_init(rc_stream_array *array, rc_buf *scratch, size_t max_bytes)
{
    *array = (rc_stream_array){.ended = RC_STREAM_EVENT_DATA};
    rc_stream_feed_init(&array->feed, scratch, max_bytes);
}

void rc_stream_array_push(rc_stream_array *array, rc_str piece)
{
    rc_stream_feed_push(&array->feed, piece);
}

/* Continues inside a string, up to the end of the string or of the piece. */
static void pass_string(rc_stream_array *array)
{
    rc_stream_feed *feed = &array->feed;
    if (array->is_escaped) {
        array->is_escaped = false;
        feed->at++;
        return;
    }
    bool has_high = false;
    feed->at = rc_json_scan_special(feed->piece, feed->at, &has_high);
    if (feed->at == feed->piece.len)
        return;
    char c = feed->piece.ptr[feed->at];
    feed->at++;
    array->is_escaped = c == '\\';
    array->is_in_string = c != '"';
}

/* Handles a byte of an element. Returns whether it is the element's last byte. */
static bool pass_element(rc_stream_array *array, char c)
{
    array->feed.at++;
    if (c == '"')
        array->is_in_string = true;
    else if (c == '{' || c == '[')
        array->depth++;
    else if (c == '}' || c == ']')
        array->depth--;
    return array->depth == 0;
}

/* Handles a byte that is between two elements or belongs to a scalar element, which ends before the
 * next separator or bracket. Returns whether an event ends at feed.at. */
static bool pass_between(rc_stream_array *array, char c)
{
    bool is_scalar_end = c == ',' || c == ']' || c == '{' || c == '[';
    if (array->is_in_scalar && is_scalar_end) {
        array->is_in_scalar = false;
        return true;
    }
    array->feed.at++;
    if (c == '[' && !array->is_open) {
        array->is_open = true;
        array->has_bracket = true;
    } else if (c == '{' || c == '[') {
        array->depth = 1;
    } else if (c == ']' && array->is_open) {
        array->is_closed = true;
        array->ended = RC_STREAM_EVENT_CLOSE;
        return true;
    } else if (c != ',' && !rc_ascii_is_space(c)) {
        array->is_in_scalar = true;
        array->is_in_string = c == '"';
    }
    return false;
}

/* Returns whether the white space between elements has reached the ceiling. White space of this
 * length is returned as an event, because otherwise it would be the beginning of an element that
 * may never arrive. */
static bool is_full(const rc_stream_array *array)
{
    const rc_stream_feed *feed = &array->feed;
    return !array->is_in_scalar && feed->offset + feed->at - feed->begin >= feed->max_bytes;
}

/* Scans up to the end of the event or of the piece. */
static void scan(rc_stream_array *array)
{
    rc_stream_feed *feed = &array->feed;
    bool is_end = false;
    while (!is_end && feed->at < feed->piece.len) {
        char c = feed->piece.ptr[feed->at];
        if (array->is_closed)
            feed->at = feed->piece.len;
        else if (array->is_in_string)
            pass_string(array);
        else if (array->depth > 0)
            is_end = pass_element(array, c);
        else
            is_end = is_full(array) || pass_between(array, c);
    }
    if (is_end)
        rc_stream_feed_set_end(feed, feed->at);
}

/* Returns the element without the separator before it. The separator is a comma; before the first
 * element it is the opening bracket of the array. */
static rc_str element_of(const rc_stream_event *event, bool has_bracket)
{
    rc_str raw = event->begin == 0 ? rc_utf8_without_bom(event->raw) : event->raw;
    size_t from = 0;
    for (; from < raw.len; from++) {
        char c = raw.ptr[from];
        if (c == '[' && has_bracket)
            has_bracket = false;
        else if (c != ',' && !rc_ascii_is_space(c))
            break;
    }
    return rc_str_trim(rc_str_slice(raw, from, raw.len));
}

static void finish_event(rc_stream_array *array, rc_stream_event *event)
{
    event->type = array->ended;
    event->is_element = array->is_open;
    array->ended = array->is_closed ? RC_STREAM_EVENT_BLANK : RC_STREAM_EVENT_DATA;
    bool has_bracket = array->has_bracket;
    array->has_bracket = false;
    if (event->is_oversized || event->type != RC_STREAM_EVENT_DATA)
        return;
    event->data = element_of(event, has_bracket);
    event->has_data = event->data.len > 0;
    if (!event->has_data)
        event->type = RC_STREAM_EVENT_BLANK;
}

bool rc_stream_array_pull(rc_stream_array *array, rc_stream_event *ret_event)
{
    rc_stream_feed_begin(&array->feed);
    if (!array->feed.has_end)
        scan(array);
    rc_stream_feed_result result = rc_stream_feed_pull(&array->feed, ret_event);
    if (result == RC_STREAM_FEED_WHOLE)
        finish_event(array, ret_event);
    else if (result != RC_STREAM_FEED_NONE)
        ret_event->is_idle = array->ended == RC_STREAM_EVENT_BLANK;
    return result != RC_STREAM_FEED_NONE;
}

bool rc_stream_array_end(rc_stream_array *array, rc_stream_event *ret_event)
{
    rc_stream_feed_begin(&array->feed);
    if (!rc_stream_feed_end(&array->feed, ret_event))
        return false;
    finish_event(array, ret_event);
    return true;
}
