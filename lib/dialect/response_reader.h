/* rc_response_reader: a model's answer, read as it comes: its text, why it ended, what it used.
 *
 *   push(piece) ──► on_text, on_comment, ...      a stream: text as soon as its event is whole
 *   end()       ──► how it ended                  a whole body: its text, all of it, now
 *
 * Text is what a person is to read: no reasoning, no call of a tool. */
#ifndef RC_DIALECT_RESPONSE_READER_H
#define RC_DIALECT_RESPONSE_READER_H

#include <recourse/buf.h>

#include "codec/sse.h"
#include "dialect/stream.h"

/* Of a body that is no stream. */
#define RC_RESPONSE_BODY_MAX ((size_t)64 << 20)

typedef struct rc_response_handler {
    /* A piece of text, UTF-8, in whole characters as far as its events have them; views. */
    void (*on_text)(void *ctx, rc_str text);
    /* A comment of the stream, without its colon and white space; views. NULL: nobody wants it. */
    void (*on_comment)(void *ctx, rc_str comment);
} rc_response_handler;

/* The caller's storage. Read what is not private, change nothing. */
typedef struct rc_response_reader {
    rc_stream_watch watch; /* finish, usage, errors */
    uint64_t text_bytes;
    bool has_reasoning; /* content has come that is no text */
    bool is_incomplete; /* text may be missing: an event was too large, or there was no memory */
    rc_buf error;       /* the data of the event, or the body, that says what went wrong */
    bool is_stream;     /* private from here on */
    const rc_response_handler *handler;
    void *ctx;
    rc_buf scratch; /* of events that come in pieces; of a whole body: all of it */
    rc_buf text;    /* of one event */
    rc_sse sse;
} rc_response_reader;

/* dialect: OPENAI_CHAT, ANTHROPIC or GEMINI. handler, ctx: borrow until done. alloc: copies. */
void rc_response_reader_init(rc_response_reader *response, rc_stream_dialect dialect,
                             bool is_stream, const rc_response_handler *handler, void *ctx,
                             const rc_alloc *alloc);
void rc_response_reader_done(rc_response_reader *response);

/* More of the body. piece: borrows. */
void rc_response_reader_push(rc_response_reader *response, rc_str piece);

/* The body has ended. body: what the transport says of that. */
rc_stream_end rc_response_reader_end(rc_response_reader *response, rc_stream_body_end body);

#endif
