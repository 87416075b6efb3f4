/* rc_sse: an incremental reader of server-sent events (WHATWG HTML, "Server-sent events").
 *
 *   ": ping\n"                         COMMENT   one event per line, so that it is never delayed
 *   "event: x\ndata: 1\ndata: 2\n\n"   DATA      up to and including its blank line
 *   "\n"                               BLANK
 *
 * Lines end in LF, CR or CRLF in any mixture. After a CR at the end of a piece the reader waits for
 * the next byte, which may be the LF of the pair. There is one exception: if the previous line
 * ended in a CR alone, the CR of a blank line ends it at once, and an LF after it counts as the
 * first byte of the next event. So in a stream without any LF no event is delayed.
 *
 * Differences from the standard: bytes that are not UTF-8 are passed on unchanged, and an event
 * that the end of the stream truncates is returned with is_cut set. */
#ifndef RC_CODEC_SSE_H
#define RC_CODEC_SSE_H

#include "codec/stream_feed.h"

/* The longest name that is stored for an oversized event. */
#define RC_SSE_NAME_MAX 64

/* The caller's storage. The fields are private. */
typedef struct rc_sse {
    rc_stream_feed feed;
    size_t lf_at; /* offset of the next LF in the piece; its length: none; -1: not known */
    rc_stream_event_type ended; /* type of the event that ended last */
    uint8_t line;               /* type of the current line so far: LINE_ in sse.c */
    uint8_t bom;        /* bytes of a byte order mark that were skipped; 3: no mark can follow */
    bool has_field;     /* the event has a line that is not a comment */
    bool is_after_cr;   /* a line ended in a CR, and its LF may follow */
    bool was_lone_cr;   /* the previous line ended in a CR alone */
    bool is_lf_skipped; /* an LF that follows now belongs to a CR that ended its line at once */
    uint8_t name_len;
    char name[RC_SSE_NAME_MAX]; /* name of the current oversized event */
} rc_sse;

/* Starts a reader. scratch: borrows, see rc_stream_feed_init. max_bytes: the ceiling of one event,
 * usually RC_STREAM_EVENT_MAX_BYTES. */
void rc_sse_init(rc_sse *sse, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece, after pull has returned false. piece: borrows until pull returns false
 * again. */
void rc_sse_push(rc_sse *sse, rc_str piece);

/* Gives the next event, valid until the next call. Returns false if the next piece is needed; then
 * *ret_event is unchanged. */
bool rc_sse_pull(rc_sse *sse, rc_stream_event *ret_event);

/* Ends the stream, after pull has returned false: gives the remaining bytes as an event. Returns
 * false if there are none. */
bool rc_sse_end(rc_sse *sse, rc_stream_event *ret_event);

#endif
