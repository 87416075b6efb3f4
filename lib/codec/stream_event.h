/* rc_stream_event: one event of a stream, in any format.
 *
 * Three readers produce events: rc_sse (server-sent events), rc_stream_array (one JSON array) and
 * rc_stream_lines (one JSON text per line). All of them are used in the same way:
 *
 *   push(piece) ──► pull() ──► event, event, ... ──► false: the piece was read completely
 *   end()       ──► the remaining bytes when the stream ends
 *
 * The events tile the stream: the concatenation of their raw bytes is exactly the stream, however
 * it was split into pieces. A relay can therefore hold back, forward or drop whole events and
 * always knows which bytes the client has received. */
#ifndef RC_CODEC_STREAM_EVENT_H
#define RC_CODEC_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* The default ceiling: a larger event is passed on in parts and not parsed. */
#define RC_STREAM_EVENT_MAX_BYTES ((size_t)1 << 20)

/* Bytes that are stored of the end of an oversized event. That is enough for the finish reason of
 * Gemini, which is followed by the web search results. */
#define RC_STREAM_TAIL_MAX ((size_t)64 << 10)

typedef enum rc_stream_event_type {
    RC_STREAM_EVENT_DATA = 1, /* fields, or a JSON text */
    RC_STREAM_EVENT_COMMENT,  /* a comment line before an event */
    RC_STREAM_EVENT_BLANK,    /* an empty line that ends no event; white space after the end */
    RC_STREAM_EVENT_PART,     /* bytes of an oversized event that has not ended yet */
    RC_STREAM_EVENT_CLOSE     /* the bracket that closes the array */
} rc_stream_event_type;

typedef struct rc_stream_event {
    rc_stream_event_type type;
    uint64_t begin;   /* offset of the event in the stream */
    uint64_t end;     /* offset after its last byte, the blank line included; of a PART, after the
                         bytes received so far */
    rc_str raw;       /* the bytes before `end` that no earlier event contained: the whole event,
                         unless it is oversized. Views the piece or the scratch buffer */
    rc_str name;      /* SSE event name; empty: none */
    rc_str id;        /* SSE id; empty: none */
    rc_str data;      /* several data lines are joined by newlines */
    int64_t retry_ms; /* SSE retry field; -1: none */
    bool has_data;
    bool is_oversized; /* above the ceiling, or too large for the scratch buffer: there is no data;
                          the name is set if it precedes the data */
    bool is_cut;       /* the stream ended inside the event */
    bool is_idle;      /* PART: it belongs to a comment or to white space after the end */
    bool is_element;   /* the event is an element of an array, which ends with a CLOSE */
    rc_str head;       /* oversized: its first bytes, up to the ceiling, in the event or PART that
                          contains them; else empty. Views raw */
    rc_str tail;       /* oversized: its last bytes, at most RC_STREAM_TAIL_MAX */
} rc_stream_event;

/* A whole response body as the one event of a stream. body: views. */
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
