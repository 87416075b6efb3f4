/* rc_sse: an incremental reader of server-sent events (WHATWG HTML, "Server-sent events").
 *
 *   ": ping\n"                         COMMENT   one event per line, never delayed
 *   "event: x\ndata: 1\ndata: 2\n\n"   DATA      up to and including its blank line
 *   "\n"                               BLANK
 *
 * Lines end in LF, CR or CRLF in any mixture. After a CR at the end of a piece the reader waits for
 * the next byte, which may be the LF of a CRLF. In a stream without any LF this rule would delay
 * events, so it has one exception: if the previous line ended in a CR alone, the CR of a blank line
 * ends the event at once, and an LF after this CR becomes the first byte of the next event.
 *
 * Differences from the standard: bytes that are not UTF-8 are passed on unchanged, and an event
 * that the end of the stream truncates is returned with is_cut set. */
#ifndef RC_CODEC_SSE_H
#define RC_CODEC_SSE_H

#include "codec/stream_feed.h"

/* Maximum length of the name that is stored for an event above the ceiling (oversized), in
 * bytes. */
#define RC_SSE_NAME_MAX 64

/* The state of a reader in the caller's storage. The fields are private. */
typedef struct rc_sse {
    rc_stream_feed feed;
    size_t lf_at; /* offset of the next LF in the piece; the piece's length: the piece has no
                     further LF; -1: not known */
    rc_stream_event_type ended; /* type of the latest event that has ended */
    uint8_t line;               /* type of the current line as far as it was read: one of the LINE_
                                   constants in sse.c */
    uint8_t bom;        /* number of bytes of a byte order mark that were skipped; 3: a mark is no
                           longer possible */
    bool has_field;     /* the event has a line that is not a comment */
    bool is_after_cr;   /* the latest line ended in a CR, and the LF of a CRLF may follow */
    bool was_lone_cr;   /* the previous line ended in a CR alone */
    bool is_lf_skipped; /* the line has ended with a CR; if the next byte is an LF, it belongs to
                           this CR */
    uint8_t name_len;
    char name[RC_SSE_NAME_MAX]; /* name of the current oversized event */
} rc_sse;

/* Initialises a reader. scratch: borrows for as long as the reader and its events are used
 * (rc_stream_feed_init). max_bytes: the ceiling of one event, usually RC_STREAM_EVENT_MAX_BYTES. */
void rc_sse_init(rc_sse *sse, rc_buf *scratch, size_t max_bytes);

/* Adds the next piece of the stream. Called after rc_sse_pull has returned false. piece: borrows
 * until rc_sse_pull returns false again. */
void rc_sse_push(rc_sse *sse, rc_str piece);

/* Writes the next event to *ret_event and returns true. The event is valid until the next call.
 * Returns false, without changing *ret_event, if the next piece is needed. */
bool rc_sse_pull(rc_sse *sse, rc_stream_event *ret_event);

/* Ends the stream and writes the remaining bytes as an event to *ret_event. Called after
 * rc_sse_pull has returned false. Returns false if no bytes remain. */
bool rc_sse_end(rc_sse *sse, rc_stream_event *ret_event);

#endif
