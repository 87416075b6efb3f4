/* rc_stream_event: one event of a stream, in any format.
 *
 * Three readers produce events: rc_sse (server-sent events), rc_stream_array (one JSON array) and
 * rc_stream_lines (one JSON text per line). All three readers are used in the same way:
 *
 *   push(piece) ──► pull() ──► event, event, ... ──► false: the piece was read completely
 *   end()       ──► the remaining bytes when the stream ends
 *
 * The concatenation of the raw bytes of all events is exactly the stream, however the stream was
 * split into pieces. A relay can therefore delay, forward or drop whole events and always knows
 * which bytes the client has received. */
#ifndef RC_CODEC_STREAM_EVENT_H
#define RC_CODEC_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* The default ceiling of an event. A larger (oversized) event is passed on in parts and not
 * parsed. */
#define RC_STREAM_EVENT_MAX_BYTES ((size_t)1 << 20)

/* Maximum number of bytes at the end of an oversized event that are stored. The number is large
 * enough for Gemini's finish reason with the web search results that follow it. */
#define RC_STREAM_TAIL_MAX ((size_t)64 << 10)

typedef enum rc_stream_event_type {
    RC_STREAM_EVENT_DATA = 1, /* an event with SSE fields, or a JSON text */
    RC_STREAM_EVENT_COMMENT,  /* a comment line before an event */
    RC_STREAM_EVENT_BLANK,    /* an empty line that does not end an event, or white space after the
                                 end of the array */
    RC_STREAM_EVENT_PART,     /* a part of an oversized event whose end has not arrived */
    RC_STREAM_EVENT_CLOSE     /* the bracket that closes the array (rc_stream_array) */
} rc_stream_event_type;

typedef struct rc_stream_event {
    rc_stream_event_type type;
    uint64_t begin;   /* offset of the event in the stream */
    uint64_t end;     /* offset after the event's last byte, including the blank line; for a PART,
                         the offset after the bytes so far */
    rc_str raw;       /* the bytes before `end` that no earlier event contained: the whole event, or
                         a part of an oversized one; views the piece or the scratch buffer */
    rc_str name;      /* SSE event name; empty: none */
    rc_str id;        /* SSE id; empty: none */
    rc_str data;      /* the data; several SSE data lines are joined by newlines */
    int64_t retry_ms; /* SSE retry field in milliseconds; -1: none */
    bool has_data;
    bool is_oversized; /* the event is above the ceiling or too large for the scratch buffer; `data`
                          is empty, and `name` is set only if it precedes the data */
    bool is_cut;       /* the stream ended inside the event */
    bool is_idle;      /* PART: the part belongs to a comment, or to white space after the end of
                          the array */
    bool is_element;   /* the event is an element of an array, whose end is an event CLOSE */
    rc_str head;       /* first bytes of an oversized event, up to the ceiling; empty if this event
                          or PART does not contain them; views `raw` */
    rc_str tail;       /* last bytes of an oversized event, at most RC_STREAM_TAIL_MAX */
} rc_stream_event;

/* Returns an event whose data is a whole response body, as the only event of a stream. body: views
 * for as long as the event is used. */
static inline rc_stream_event rc_stream_event_of_body(rc_str body, bool is_cut)
{
    return (rc_stream_event){
        .type = RC_STREAM_EVENT_DATA,
        .end = body.len,
        .raw = body,
        .data = body,
        .retry_ms = -1,
        .has_data = true,
        .is_cut = is_cut,
    };
}

#endif
