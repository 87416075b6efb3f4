/* The error code, limit and HTTP status of each outcome. Called by request.c and rivals.c. */
#include "sim/outcome.h"

typedef struct outcome_row {
    rc_code code;
    rc_limit_kind limit_kind;
    int status[RC_SIM_DIALECT_COUNT];
} outcome_row;

static const outcome_row rows[RC_SIM_OUTCOME_COUNT] = {
    [RC_SIM_OUTCOME_SERVED] = {RC_CODE_NONE, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_SIM_OUTCOME_OUTAGE] = {RC_CODE_OVERLOADED, RC_LIMIT_KIND_NONE, {503, 503}},
    [RC_SIM_OUTCOME_ERROR] = {RC_CODE_PROVIDER_5XX, RC_LIMIT_KIND_NONE, {500, 500}},
    [RC_SIM_OUTCOME_OVERLOAD] = {RC_CODE_OVERLOADED, RC_LIMIT_KIND_MODEL_CAPACITY, {503, 529}},
    [RC_SIM_OUTCOME_REFUSED] = {RC_CODE_CONNECTION_FAILED, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_SIM_OUTCOME_RESET] = {RC_CODE_CONNECTION_RESET, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_SIM_OUTCOME_TIMEOUT] = {RC_CODE_NETWORK_TIMEOUT, RC_LIMIT_KIND_NONE, {0, 0}},
    [RC_SIM_OUTCOME_CUT_EMPTY] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_SIM_OUTCOME_CUT] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
    [RC_SIM_OUTCOME_QUOTA] = {RC_CODE_QUOTA_EXHAUSTED, RC_LIMIT_KIND_BALANCE, {429, 400}},
    [RC_SIM_OUTCOME_REQUESTS] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_REQUESTS, {429, 429}},
    [RC_SIM_OUTCOME_TOKENS] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_TOKENS, {429, 429}},
    [RC_SIM_OUTCOME_CONCURRENCY] = {RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_CONCURRENCY, {429, 429}},
    [RC_SIM_OUTCOME_OVERDUE] = {RC_CODE_STREAM_INTERRUPTED, RC_LIMIT_KIND_NONE, {200, 200}},
};

bool rc_sim_outcome_has_content(rc_sim_outcome_kind kind)
{
    return kind == RC_SIM_OUTCOME_CUT || kind == RC_SIM_OUTCOME_OVERDUE;
}

int rc_sim_outcome_status(rc_sim_outcome_kind kind, rc_sim_dialect dialect)
{
    return rows[kind].status[dialect];
}

int64_t rc_sim_outcome_hint_ms(int64_t wait_ms)
{
    return wait_ms < 0 ? -1 : (wait_ms + 999) / 1000 * 1000;
}

static void add_fact(rc_limit_facts *facts, rc_limit_axis axis, const rc_sim_stated *stated)
{
    if (stated->limit > 0)
        facts->list[facts->count++] = (rc_limit_fact){.axis = axis,
                                                      .limit = stated->limit,
                                                      .remaining = stated->remaining,
                                                      .reset_ms = stated->reset_ms};
}

rc_limit_facts rc_sim_outcome_limit_facts(const rc_sim_outcome *outcome)
{
    rc_limit_facts facts = {0};
    add_fact(&facts, RC_LIMIT_REQUESTS, &outcome->requests);
    add_fact(&facts, RC_LIMIT_TOKENS, &outcome->tokens);
    return facts;
}

rc_failure_facts rc_sim_outcome_failure_facts(rc_sim_outcome_kind kind, int64_t wait_ms)
{
    rc_failure_facts facts = rc_failure_facts_of_code(rows[kind].code);
    facts.limit_kind = rows[kind].limit_kind;
    facts.retry_after_ms = rc_sim_outcome_hint_ms(wait_ms);
    return facts;
}
