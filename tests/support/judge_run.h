/* Judges one response with rc_response, in pieces, as the gateway does. */
#ifndef TESTS_SUPPORT_JUDGE_RUN_H
#define TESTS_SUPPORT_JUDGE_RUN_H

#include <recourse/alloc.h>

#include <string.h>

#include "base/str.h"
#include "exchange/response.h"

#define JUDGE_SCRATCH_MAX ((size_t)2 << 20)

typedef struct judge_run {
    rc_response response;
    rc_response_verdict verdict; /* The verdict on the response; GOOD for a stream in the expected
                                    shape and for a relay. */
    bool is_judged;              /* The body was too large, so it was judged by its first bytes. */
    size_t held_max;
    uint64_t received_bytes;
    rc_buf held;
    rc_buf scratch;
} judge_run;

/* held_max: maximum number of bytes that are buffered; a larger body is judged by its first
 * bytes. */
static inline void judge_run_init(judge_run *run, const rc_response_request *request,
                                  const rc_response_facts *head, size_t held_max,
                                  const rc_alloc *alloc)
{
    memset(run, 0, sizeof *run);
    run->held_max = held_max;
    rc_buf_init(&run->held, alloc, 2 * held_max);
    rc_buf_init(&run->scratch, alloc, JUDGE_SCRATCH_MAX);
    rc_response_init(&run->response, request);
    rc_response_on_head(&run->response, head);
}

static inline void judge_run_hold(judge_run *run, rc_str piece)
{
    rc_buf_push(&run->held, piece);
    const bool is_kept = rc_buf_status(&run->held) == RC_OK;
    if (run->is_judged || (is_kept && rc_buf_get(&run->held).len <= run->held_max))
        return;
    run->is_judged = true;
    run->verdict = rc_response_judge_start(&run->response, rc_buf_get(&run->held), &run->scratch);
}

static inline void judge_run_push(judge_run *run, rc_str piece)
{
    run->received_bytes += piece.len;
    if (piece.len == 0 || run->is_judged)
        return;
    if (run->response.mode == RC_MODE_STREAM &&
        !rc_response_is_in_shape(&run->response, &piece, &run->held))
        judge_run_hold(run, piece);
    else if (run->response.mode == RC_MODE_WHOLE)
        judge_run_hold(run, piece);
}

static inline void judge_run_end(judge_run *run)
{
    if (run->is_judged)
        return;
    if (run->response.mode == RC_MODE_WHOLE)
        run->verdict =
            rc_response_judge_whole(&run->response, rc_buf_get(&run->held), &run->scratch);
    else if (run->response.mode == RC_MODE_ERROR ||
             (run->response.mode == RC_MODE_RELAY &&
              rc_response_is_missing(&run->response, run->received_bytes)))
        run->verdict.result = RC_RESPONSE_ERROR;
}

static inline bool judge_run_is_same(const judge_run *a, const judge_run *b)
{
    const rc_usage_count usages[] = {rc_usage_reported(&a->response.usage),
                                     rc_usage_reported(&b->response.usage)};
    return a->response.mode == b->response.mode && a->response.finish == b->response.finish &&
           a->response.is_watched == b->response.is_watched &&
           a->response.watch.content_bytes == b->response.watch.content_bytes &&
           a->response.watch.finish == b->response.watch.finish &&
           a->response.usage.weight == b->response.usage.weight &&
           usages[0].input == usages[1].input && usages[0].output == usages[1].output &&
           a->verdict.result == b->verdict.result && a->verdict.code == b->verdict.code &&
           a->verdict.kind == b->verdict.kind && rc_str_eq(a->verdict.error, b->verdict.error);
}

static inline void judge_run_done(judge_run *run)
{
    rc_buf_done(&run->held);
    rc_buf_done(&run->scratch);
}

#endif
