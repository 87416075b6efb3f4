/* Judges any bytes as the response of any endpoint. The verdict does not depend on the split of the
 * body, has a code or an error only where it may, and the buffers stay below their ceilings, also
 * when the body is too large to be held and when there is no memory. The first three bytes decide
 * the request and the head. */
#include <stdint.h>
#include <stdlib.h>

#include "support/fail_alloc.h"
#include "support/judge_run.h"

#define HELD_MAX ((size_t)256 << 10)
#define SMALL_HELD_MAX ((size_t)64)
#define CUTS_MAX ((size_t)48)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static rc_response_request request_of(const uint8_t *data)
{
    return (rc_response_request){
        .endpoint = rc_endpoint_at(data[0] % RC_ENDPOINT_COUNT),
        .is_stream = (data[1] & 1) != 0,
        .is_stream_unknown = (data[1] & 2) != 0,
        .is_sse = (data[1] & 4) != 0,
        .is_free = (data[1] & 8) != 0,
    };
}

static rc_response_facts head_of(const uint8_t *data, size_t body_len)
{
    static const char *const types[] = {"application/json", "text/event-stream", "text/plain", ""};
    static const int statuses[] = {200, 200, 200, 204, 304, 503, 199, 299};
    return (rc_response_facts){
        .status = statuses[(data[2] >> 2) % 8],
        .content_type = rc_str_c(types[data[2] % 4]),
        .is_bodiless = (data[1] & 16) != 0,
        .has_length = (data[1] & 32) != 0,
        .length_bytes = body_len,
        .is_compressed = (data[1] & 64) != 0,
        .is_coding_known = (data[1] & 128) != 0,
    };
}

/* Judges the body in pieces. step: size of a piece. cut: offset at which the first piece ends. */
static void judge(judge_run *run, const uint8_t *data, rc_str body, size_t cut, size_t step,
                  size_t held_max, const rc_alloc *alloc)
{
    const rc_response_request request = request_of(data);
    const rc_response_facts head = head_of(data, body.len);
    judge_run_init(run, &request, &head, held_max, alloc);
    judge_run_push(run, rc_str_slice(body, 0, cut));
    for (size_t at = cut; at < body.len; at += step)
        judge_run_push(run, rc_str_slice(body, at, at + step < body.len ? at + step : body.len));
    judge_run_end(run);
}

static void check_text(const judge_run *run)
{
    char memory[RC_RESPONSE_MISSHAPE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_response_push_misshape(&run->response, run->verdict.kind, &text);
    check(rc_buf_status(&text) == RC_OK);
}

static void check_verdict(const judge_run *run)
{
    const rc_response *response = &run->response;
    const rc_response_verdict *verdict = &run->verdict;
    const bool is_shape =
        verdict->result == RC_RESPONSE_ERROR_EVENT || verdict->result == RC_RESPONSE_MISSHAPEN;
    check((verdict->error.len > 0) == (verdict->result == RC_RESPONSE_ERROR_EVENT));
    check(!is_shape || (response->expected != RC_EXPECT_ANY && response->mode == RC_MODE_WHOLE));
    check(verdict->code == RC_CODE_NONE || verdict->result == RC_RESPONSE_GOOD ||
          verdict->result == RC_RESPONSE_MISSHAPEN);
    check(verdict->result != RC_RESPONSE_GOOD || response->mode != RC_MODE_ERROR);
    check(response->mode != RC_MODE_STREAM || verdict->result == RC_RESPONSE_GOOD);
    check(!(response->has_length && response->is_decoded));
    check(rc_buf_get(&run->held).len <= 2 * run->held_max);
    check(rc_buf_get(&run->scratch).len <= JUDGE_SCRATCH_MAX);
    if (verdict->result == RC_RESPONSE_MISSHAPEN)
        check_text(run);
}

static void check_split(const judge_run *whole, const uint8_t *data, rc_str body, size_t cut,
                        size_t step, const rc_alloc *alloc)
{
    judge_run split;
    judge(&split, data, body, cut, step, HELD_MAX, alloc);
    check(judge_run_is_same(whole, &split));
    judge_run_done(&split);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fail_alloc memory = {0};
    fail_alloc nothing = {.fail_at = 1, .for_good = true};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const rc_alloc no_alloc = fail_alloc_of(&nothing);
    judge_run whole;
    judge_run other;
    if (size < 3 || size > HELD_MAX)
        return 0;
    const rc_str body = rc_str_make((const char *)data + 3, size - 3);
    judge(&whole, data, body, body.len, 1, HELD_MAX, &alloc);
    check_verdict(&whole);
    check(memory.peak_bytes <= 2 * HELD_MAX + JUDGE_SCRATCH_MAX);
    check_split(&whole, data, body, 0, 1, &alloc);
    for (size_t cut = 1; cut < body.len && cut <= CUTS_MAX; cut++)
        check_split(&whole, data, body, cut, body.len, &alloc);
    judge_run_done(&whole);

    judge(&other, data, body, body.len, 1, SMALL_HELD_MAX, &alloc);
    check_verdict(&other);
    judge_run_done(&other);
    judge(&other, data, body, 0, 7, SMALL_HELD_MAX, &alloc);
    check_verdict(&other);
    judge_run_done(&other);
    judge(&other, data, body, 0, 7, HELD_MAX, &no_alloc);
    check_verdict(&other);
    judge_run_done(&other);
    check(memory.live == 0 && !memory.is_broken);
    return 0;
}
