/* rc_response_reader: reads a model's response while it arrives: text, reasoning, tool calls,
 * finish reason, usage.
 *
 *   push(piece) ──► on_text, on_reasoning, on_comment    a stream: for each complete event
 *   end()       ──► on_text, on_reasoning                a whole body: when it is complete
 *               ──► on_tool_call                         a stream and a whole body
 *               ──► how the response ended
 *
 * The text is the part of the response for people, without reasoning and tool calls. Tool calls are
 * delivered when the response is complete, because the calls of a response that was cut off must
 * not be carried out. */
#ifndef RC_DIALECT_RESPONSE_READER_H
#define RC_DIALECT_RESPONSE_READER_H

#include <recourse/buf.h>

#include "codec/sse.h"
#include "dialect/stream.h"
#include "dialect/tool_calls.h"

/* Maximum number of bytes of a body that is not a stream. */
#define RC_RESPONSE_BODY_MAX ((size_t)64 << 20)

typedef struct rc_response_handler {
    /* Receives the UTF-8 text of one event, valid during the call (views). A character that the
     * server splits over two events arrives in two parts. */
    void (*on_text)(void *ctx, rc_str text);
    /* Receives a comment of the stream without its colon and white space, valid during the call
     * (views). The pointer may be NULL. */
    void (*on_comment)(void *ctx, rc_str comment);
    /* Receives a piece of the model's reasoning, valid during the call (views). The pointer may be
     * NULL. */
    void (*on_reasoning)(void *ctx, rc_str text);
    /* Receives one tool call after the other, in their order, valid during the call (views). The
     * pointer may be NULL. */
    void (*on_tool_call)(void *ctx, const rc_tool_call *call);
} rc_response_handler;

/* The state of a reader. The caller provides the storage, may read the members that are not
 * private, and must not change any member. */
typedef struct rc_response_reader {
    rc_stream_watch watch; /* contains the finish reason, the usage and the number of errors */
    uint64_t text_bytes;
    bool has_reasoning; /* the response has content other than text, such as reasoning or a tool
                           call */
    bool is_incomplete; /* text may be missing, because an event was too large or no memory was
                           available */
    rc_buf error;       /* data of the error event, or the body of the error response */
    bool is_stream;     /* this and all following members are private */
    const rc_response_handler *handler;
    void *ctx;
    rc_buf scratch;   /* an event that is split over pieces; if the response is not a stream, the
                         body */
    rc_buf text;      /* text of the current event */
    rc_buf reasoning; /* reasoning of the current event */
    rc_sse sse;
    rc_tool_calls calls;
} rc_response_reader;

/* Initialises a reader. dialect: OPENAI_CHAT, ANTHROPIC or GEMINI. handler, ctx: borrows until
 * rc_response_reader_done. alloc: copies the struct. */
void rc_response_reader_init(rc_response_reader *response, rc_stream_dialect dialect,
                             bool is_stream, const rc_response_handler *handler, void *ctx,
                             const rc_alloc *alloc);
/* Frees the memory of the reader. */
void rc_response_reader_done(rc_response_reader *response);

/* Processes the next piece of the body. piece: borrows during the call. */
void rc_response_reader_push(rc_response_reader *response, rc_str piece);

/* Ends the body and returns how the response ended. `body`: how the transport of the body ended
 * (connection, length). */
rc_stream_end rc_response_reader_end(rc_response_reader *response, rc_stream_body_end body);

#endif
