/* rc_response_reader: reads a model's response while it arrives: text, reasoning, tool calls,
 * finish reason, usage.
 *
 *   push(piece) ──► on_text, on_reasoning, on_comment    a stream: for each complete event
 *   end()       ──► on_text, on_reasoning                a whole body: when it is complete
 *               ──► on_tool_call                         a stream and a whole body
 *               ──► how the response ended
 *
 * The text is what a person reads, without reasoning and tool calls. Tool calls are delivered when
 * the response is complete, because the calls of a response that was cut off must not be carried
 * out. */
#ifndef RC_DIALECT_RESPONSE_READER_H
#define RC_DIALECT_RESPONSE_READER_H

#include <recourse/buf.h>

#include "codec/sse.h"
#include "dialect/stream.h"
#include "dialect/tool_calls.h"

/* Maximum bytes of a body that is not a stream. */
#define RC_RESPONSE_BODY_MAX ((size_t)64 << 20)

typedef struct rc_response_handler {
    /* Receives the UTF-8 text of one event, valid during the call (views). A character that the
     * server splits over two events arrives in two parts. */
    void (*on_text)(void *ctx, rc_str text);
    /* Receives a comment of the stream without its colon and white space, valid during the call
     * (views). May be NULL. */
    void (*on_comment)(void *ctx, rc_str comment);
    /* Receives a piece of the model's reasoning, valid during the call (views). May be NULL. */
    void (*on_reasoning)(void *ctx, rc_str text);
    /* Receives one tool call after the other, in their order, valid during the call (views). May be
     * NULL. */
    void (*on_tool_call)(void *ctx, const rc_tool_call *call);
} rc_response_handler;

/* The caller provides the storage. Callers may read the members that are not private, and must not
 * change any. */
typedef struct rc_response_reader {
    rc_stream_watch watch; /* the finish reason, usage and errors */
    uint64_t text_bytes;
    bool has_reasoning; /* there was content other than text */
    bool is_incomplete; /* text may be missing: an event was too large, or there was no memory */
    rc_buf error;       /* data of the error event, or the error body */
    bool is_stream;     /* this and all following members are private */
    const rc_response_handler *handler;
    void *ctx;
    rc_buf scratch;   /* an event that spans pieces, or the body if the response is not a stream */
    rc_buf text;      /* text of one event */
    rc_buf reasoning; /* reasoning of one event */
    rc_sse sse;
    rc_tool_calls calls;
} rc_response_reader;

/* Starts a reader. dialect: OPENAI_CHAT, ANTHROPIC or GEMINI. handler, ctx: borrows until
 * rc_response_reader_done. alloc: copies the struct. */
void rc_response_reader_init(rc_response_reader *response, rc_stream_dialect dialect,
                             bool is_stream, const rc_response_handler *handler, void *ctx,
                             const rc_alloc *alloc);
/* Frees the memory. */
void rc_response_reader_done(rc_response_reader *response);

/* Processes the next piece of the body. piece: borrows during the call. */
void rc_response_reader_push(rc_response_reader *response, rc_str piece);

/* Ends the body and returns how the response ended. `body`: how the transport of the body ended. */
rc_stream_end rc_response_reader_end(rc_response_reader *response, rc_stream_body_end body);

#endif
