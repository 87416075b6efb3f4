/* rc_stream_event: one event of a stream, whatever the stream is written in.
 *
 * Three readers give them: rc_sse (server-sent events), rc_stream_array (one JSON array that grows)
 * and rc_stream_lines (a JSON text a line). All of them are used in the same way:
 *
 *   push(piece) ──► pull() ──► event, event, ... ──► false: all of the piece was read
 *   end()       ──► what is left when the stream ends
 *
 * The events tile the stream. Put one behind the other, their raw bytes are the stream, byte for
 * byte, whatever the pieces were: a relay can hold them back, forward or drop them and knows
 * exactly what the client has. */
#ifndef RC_CODEC_STREAM_EVENT_H
#define RC_CODEC_STREAM_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* An event above this is not read, unless the caller says otherwise. */
#define RC_STREAM_EVENT_MAX_BYTES ((size_t)1 << 20)

/* What is kept of the end of an event that is not read: Gemini puts what it has found in the web
 * behind the finish reason. */
#define RC_STREAM_TAIL_MAX ((size_t)64 << 10)

typedef enum rc_stream_event_type {
    RC_STREAM_EVENT_DATA = 1, /* fields, or a JSON text */
    RC_STREAM_EVENT_COMMENT,  /* a comment line in front of an event */
    RC_STREAM_EVENT_BLANK,    /* an empty line that closes nothing; white space behind the end */
    RC_STREAM_EVENT_PART,     /* bytes of an oversized event, whose end has not come yet */
    RC_STREAM_EVENT_CLOSE     /* the bracket that closes the array */
} rc_stream_event_type;

typedef struct rc_stream_event {
    rc_stream_event_type type;
    uint64_t begin; /* where the event begins in the stream, and one past its last byte; of a PART:
                       one past the bytes that have come. Its blank line is in it. */
    uint64_t end;
    rc_str raw;  /* the bytes in front of `end` that no event before has given: all of the event,
                    unless it is oversized. Views the piece or the room. */
    rc_str name; /* of SSE; empty: none */
    rc_str id;
    rc_str data;      /* of several data lines, joined by newlines */
    int64_t retry_ms; /* -1: none */
    bool has_data;
    bool is_oversized; /* above the ceiling, or the room could not hold it: there is no data; the
                          name is known if it stands in front */
    bool is_cut;       /* the stream ended inside it */
    bool is_idle;      /* of a PART: it belongs to a comment or to white space behind the end */
    bool is_element;   /* it stands in an array, which is whole once it is closed */
    rc_str head;       /* of an oversized event: its first bytes, up to the ceiling, in the event
                          or PART that has them; else empty. Views raw. */
    rc_str tail;       /* of an oversized event: its last bytes, RC_STREAM_TAIL_MAX at most */
} rc_stream_event;

#endif
