/* Reads a response in arbitrary pieces and records the result. Each piece is separate memory that
 * is freed after it was read. */
#ifndef TESTS_SUPPORT_REPLY_RUN_H
#define TESTS_SUPPORT_REPLY_RUN_H

#include <recourse/stdlib.h>

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "dialect/response_reader.h"

typedef struct response_run {
    rc_buf text;
    rc_buf comments; /* comments of the stream, one per line */
    rc_buf reasoning;
    rc_buf calls;      /* tool calls, one per line: "id|name|arguments|signature" */
    size_t call_count; /* number of tool calls, including those that were not delivered */
    rc_stream_end end;
    rc_stream_finish finish;
    rc_usage_count usage;
    rc_buf error;
    bool is_incomplete;
    bool has_reasoning;
} response_run;

static inline void response_run_on_text(void *ctx, rc_str text)
{
    rc_buf_push(&((response_run *)ctx)->text, text);
}

static inline void response_run_on_comment(void *ctx, rc_str comment)
{
    rc_buf_push(&((response_run *)ctx)->comments, comment);
    rc_buf_push_byte(&((response_run *)ctx)->comments, '\n');
}

static inline void response_run_on_reasoning(void *ctx, rc_str text)
{
    rc_buf_push(&((response_run *)ctx)->reasoning, text);
}

static inline void response_run_on_tool_call(void *ctx, const rc_tool_call *call)
{
    rc_buf *calls = &((response_run *)ctx)->calls;
    const rc_str texts[] = {call->id, call->name, call->arguments, call->signature};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        rc_buf_push(calls, i > 0 ? RC_STR("|") : RC_STR(""));
        rc_buf_push(calls, texts[i]);
    }
    rc_buf_push_byte(calls, '\n');
}

/* Reads a whole response. piece_len: size of the pieces; 0: one piece. alloc: used by the reader;
 * the result has separate memory. */
static inline response_run response_run_do(rc_stream_dialect dialect, bool is_stream, rc_str body,
                                           size_t piece_len, bool is_orderly, const rc_alloc *alloc)
{
    static const rc_response_handler handler = {
        .on_text = response_run_on_text,
        .on_comment = response_run_on_comment,
        .on_reasoning = response_run_on_reasoning,
        .on_tool_call = response_run_on_tool_call,
    };
    const rc_alloc own = rc_alloc_stdlib();
    const size_t max_bytes = (size_t)64 << 20;
    response_run run = {.end = 0};
    rc_response_reader response;
    rc_buf_init(&run.text, &own, max_bytes);
    rc_buf_init(&run.comments, &own, max_bytes);
    rc_buf_init(&run.reasoning, &own, max_bytes);
    rc_buf_init(&run.calls, &own, max_bytes);
    rc_buf_init(&run.error, &own, max_bytes);
    rc_response_reader_init(&response, dialect, is_stream, &handler, &run, alloc);
    for (size_t at = 0; at < body.len;) {
        const size_t left = body.len - at;
        const size_t len = piece_len == 0 || piece_len > left ? left : piece_len;
        char *piece = malloc(len);
        if (piece == NULL)
            abort();
        memcpy(piece, body.ptr + at, len);
        rc_response_reader_push(&response, rc_str_make(piece, len));
        free(piece);
        at += len;
    }
    run.end =
        rc_response_reader_end(&response, is_orderly ? RC_STREAM_BODY_WHOLE : RC_STREAM_BODY_CUT);
    run.finish = response.watch.finish;
    run.usage = rc_usage_reported(&response.watch.usage);
    run.is_incomplete = response.is_incomplete;
    run.has_reasoning = response.has_reasoning;
    run.call_count = response.calls.count;
    rc_buf_push(&run.error, rc_buf_get(&response.error));
    rc_response_reader_done(&response);
    return run;
}

static inline bool response_run_is_same(const response_run *a, const response_run *b)
{
    return a->end == b->end && a->finish == b->finish && a->is_incomplete == b->is_incomplete &&
           a->has_reasoning == b->has_reasoning &&
           memcmp(&a->usage, &b->usage, sizeof a->usage) == 0 &&
           rc_str_eq(rc_buf_get(&a->text), rc_buf_get(&b->text)) &&
           rc_str_eq(rc_buf_get(&a->comments), rc_buf_get(&b->comments)) &&
           rc_str_eq(rc_buf_get(&a->reasoning), rc_buf_get(&b->reasoning)) &&
           rc_str_eq(rc_buf_get(&a->calls), rc_buf_get(&b->calls)) &&
           rc_str_eq(rc_buf_get(&a->error), rc_buf_get(&b->error));
}

static inline void response_run_done(response_run *run)
{
    rc_buf_done(&run->text);
    rc_buf_done(&run->comments);
    rc_buf_done(&run->reasoning);
    rc_buf_done(&run->calls);
    rc_buf_done(&run->error);
}

#endif
