/* rc_sse: a reader of server-sent events, a piece at a time (WHATWG HTML, "Server-sent events").
 *
 *   ": ping\n"                         COMMENT   one event a line, so that it is never held back
 *   "event: x\ndata: 1\ndata: 2\n\n"   DATA      up to and with its blank line
 *   "\n"                               BLANK
 *
 * Lines end in LF, CR or CRLF, mixed as they come. A CR at the end of a piece waits for the next
 * byte, which may be its LF, with one exception: where the line before ended in a CR alone, a blank
 * line is closed by its CR at once, and an LF behind it counts as the next event's first byte. So a
 * stream that knows no LF is not one event late.
 *
 * Differences from the standard: bytes that are not UTF-8 are passed on as they are, and an event
 * that the end of the stream cuts off is given, as cut, for the caller to judge. */
#ifndef RC_CODEC_SSE_H
#define RC_CODEC_SSE_H

#include "codec/stream_feed.h"

/* The name of an oversized event is known up to this length. */
#define RC_SSE_NAME_MAX 64

/* The caller's storage. The fields are private. */
typedef struct rc_sse {
    rc_stream_feed feed;
    size_t lf_at; /* the next LF of the piece, its length when there is none; or not known */
    rc_stream_event_type ended;
    uint8_t line;       /* what the line is, so far */
    uint8_t bom;        /* bytes of a byte order mark that were passed over; 3: no more */
    bool has_field;     /* the event has a line that is not a comment */
    bool is_after_cr;   /* a line ended in a CR, perhaps with an LF to come */
    bool was_lone_cr;   /* the line before ended in a CR alone */
    bool is_lf_skipped; /* an LF that comes now belongs to a CR that was not waited for */
    uint8_t name_len;
    char name[RC_SSE_NAME_MAX]; /* of the oversized event under way */
} rc_sse;

/* room: borrows, see rc_stream_feed_init. max_bytes: of one event; RC_STREAM_EVENT_MAX_BYTES. */
void rc_sse_init(rc_sse *sse, rc_buf *scratch, size_t max_bytes);

/* The next piece, once pull has said that it needs one. piece: borrows until then. */
void rc_sse_push(rc_sse *sse, rc_str piece);

/* The next event, valid until the next call. False: push more; *ret_event is not touched. */
bool rc_sse_pull(rc_sse *sse, rc_stream_event *ret_event);

/* The stream has ended, and pull has given everything: what is left, if anything. */
bool rc_sse_end(rc_sse *sse, rc_stream_event *ret_event);

#endif
