/* The limits of a client under any order of requests, ends, times and new settings: the state stays
 * valid, a refusal names the first millisecond at which the request may start, and no history
 * starts more requests than the limits had and gained.
 *
 *   3 bytes of settings, then steps of three bytes: kind, amount, time */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "policy/admission/client_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static rc_client_limits_settings read_settings(const uint8_t *bytes)
{
    /* 255 stands for the largest limit. */
    return (rc_client_limits_settings){
        .rpm = bytes[0] == 255 ? RC_CLIENT_LIMIT_MAX : bytes[0],
        .tpm = bytes[1] == 255 ? RC_CLIENT_LIMIT_MAX : bytes[1] * UINT64_C(50),
        .max_in_flight = bytes[2] % 16,
    };
}

/* A refusal because of a rate names the first time at which that request may start, if no other
 * request starts before and the number of requests in flight allows it. */
static void check_refusal(const rc_client_limits *limits, const rc_client_need *need,
                          const rc_client_verdict *verdict, uint64_t now_ms)
{
    if (verdict->kind == RC_CLIENT_LIMIT_IN_FLIGHT) {
        check(verdict->ready_ms == 0 && limits->in_flight >= verdict->limit);
        return;
    }
    /* The clock may be behind. */
    now_ms = now_ms > limits->requests.at_ms ? now_ms : limits->requests.at_ms;
    now_ms = now_ms > limits->tokens.at_ms ? now_ms : limits->tokens.at_ms;
    check(verdict->ready_ms > 0);
    const rc_client_limit_kind then =
        rc_client_limits_check(limits, need, now_ms + verdict->ready_ms).kind;
    check(then == RC_CLIENT_LIMIT_NONE || then == RC_CLIENT_LIMIT_IN_FLIGHT);
    const rc_client_limit_kind before =
        rc_client_limits_check(limits, need, now_ms + verdict->ready_ms - 1).kind;
    check(before == RC_CLIENT_LIMIT_REQUESTS || before == RC_CLIENT_LIMIT_TOKENS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_client_limits limits;
    uint64_t estimates[32];
    uint32_t open = 0;
    uint64_t now_ms = 1000;
    uint64_t most_ms = now_ms; /* time up to which `credit` has the gains */
    uint64_t credit = 0;       /* requests that the limit had and gained, in 1/60000 */
    uint64_t started = 0;
    if (size < 3)
        return 0;
    rc_client_limits_settings settings = read_settings(data);
    rc_client_limits_init(&limits);
    rc_client_limits_set(&limits, &settings, now_ms);
    credit = settings.rpm * 60000;
    for (size_t at = 3; at + 3 <= size; at += 3) {
        const uint8_t *step = data + at;
        const rc_client_need need = {.input = step[1] * UINT64_C(40), .max_output = step[2]};
        now_ms += step[2] < 250 ? step[2] * UINT64_C(20) : 0;
        if (step[0] % 8 == 7)
            now_ms -= now_ms > 500 ? 400 : 0; /* a clock that is behind */
        if (now_ms > most_ms) {
            credit += (now_ms - most_ms) * settings.rpm;
            most_ms = now_ms;
        }
        if (step[0] % 8 == 6 && at + 6 <= size) {
            settings = read_settings(step + 3);
            rc_client_limits_set(&limits, &settings, now_ms);
            credit = settings.rpm * 60000;
            started = 0;
            most_ms = limits.requests.at_ms;
        } else if (step[0] % 8 < 4) {
            const rc_client_verdict verdict = rc_client_limits_check(&limits, &need, now_ms);
            if (verdict.kind != RC_CLIENT_LIMIT_NONE) {
                check_refusal(&limits, &need, &verdict, now_ms);
            } else if (open < 32) {
                estimates[open++] = rc_client_limits_start(&limits, &need, now_ms);
                started++;
                check(settings.rpm == 0 || started * 60000 <= credit);
                check(settings.max_in_flight == 0 || limits.in_flight <= settings.max_in_flight);
            }
        } else if (open > 0) {
            rc_client_limits_end(&limits, estimates[--open], step[1] * UINT64_C(40), step[2],
                                 now_ms);
        }
        check(rc_client_limits_validate(&limits));
    }
    return 0;
}
