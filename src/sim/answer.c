#include "sim/answer.h"

typedef struct answer_row {
    rc_code code;
    rc_limit_kind limit_kind;
    int status[RC_SIM_DIALECT_COUNT];
} answer_row;

static const answer_row rows[RC_ANSWER_COUNT] = {
    [RC_ANSWER_SERVED] = {RC_CODE_NONE, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_ANSWER_OUTAGE] = {RC_CODE_OVERLOADED, RC_LIMIT_KIND_NONE, {503, 503}},
    [RC_ANSWER_ERROR] = {RC_CODE_PROVIDER_5XX, RC_LIMIT_KIND_NONE, {500, 500}},
    [RC_ANSWER_OVERLOAD] = {RC_CODE_OVERLOADED, RC_LIMIT_KIND_MODEL_CAPACITY, {503, 529}},
    [RC_ANSWER_REFUSED] = {RC_CODE_CONNECTION_FAILED, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_ANSWER_RESET] = {RC_CODE_CONNECTION_RESET, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_ANSWER_TIMEOUT] = {RC_CODE_NETWORK_TIMEOUT, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_ANSWER_CUT_EMPTY] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_ANSWER_CUT] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_ANSWER_QUOTA] = {RC_CODE_QUOTA_EXHAUSTED, RC_LIMIT_KIND_BALANCE, {429, 400}},
    [RC_ANSWER_REQUESTS] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_REQUESTS, {429, 429}},
    [RC_ANSWER_TOKENS] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_TOKENS, {429, 429}},
    [RC_ANSWER_CONCURRENCY] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_CONCURRENCY, {429, 429}},
    [RC_ANSWER_OVERDUE] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
};

bool rc_sim_answer_has_content(rc_sim_answer_kind kind)
{
    return kind == RC_ANSWER_CUT || kind == RC_ANSWER_OVERDUE;
}

int rc_sim_answer_status(rc_sim_answer_kind kind, rc_sim_dialect dialect)
{
    return rows[kind].status[dialect];
}

int64_t rc_sim_answer_hint_ms(int64_t wait_ms)
{
    return wait_ms < 0 ? -1 : (wait_ms + 999) / 1000 * 1000;
}

rc_setback rc_sim_answer_setback(rc_sim_answer_kind kind, int64_t wait_ms)
{
    rc_setback setback = rc_setback_of_code(rows[kind].code);
    setback.limit_kind = rows[kind].limit_kind;
    setback.retry_after_ms = rc_sim_answer_hint_ms(wait_ms);
    return setback;
}
