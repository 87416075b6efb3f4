/* The environment of rc_call for tests: three targets, four credentials, no randomness, a clock
 * that the test sets. Included by the tests of call, chain and hedge. */
#ifndef RC_SUPPORT_CALL_FIXTURE_H
#define RC_SUPPORT_CALL_FIXTURE_H

#include <recourse/hedge.h>

#define FIXTURE_TARGETS 3
#define FIXTURE_CREDENTIALS 4
#define EVERYTHING UINT32_MAX
#define NO_HINT INT64_C(-1)

typedef struct call_fixture {
    rc_shared shared;
    rc_target targets[FIXTURE_TARGETS];
    rc_credential credentials[FIXTURE_CREDENTIALS];
    rc_policy policy;
    rc_chain_entry entries[FIXTURE_TARGETS];
    rc_plan plan;
    rc_call_options options;
    rc_skips skips;
    rc_call call;
    uint64_t now_ms;
} call_fixture;

/* Returns a policy with three attempts, one second apart. The breaker and the retry budget are off;
 * tests that need them switch them on. */
static inline rc_policy fixture_policy(void)
{
    return (rc_policy){.name = "test",
                       .enabled = true,
                       .hint = RC_HINT_EXACT,
                       .max_calls = 10,
                       .budget_ms = RC_UNLIMITED,
                       .default_rule = {.max_attempts = 3,
                                        .backoff = RC_BACKOFF_FIXED,
                                        .jitter = RC_JITTER_NONE,
                                        .factor_milli = 1000,
                                        .base_ms = 1000,
                                        .max_delay_ms = 60000}};
}

/* Sets up a chain of `chain_count` targets without credentials, at the time 1000000 ms. */
static inline void fixture_init(call_fixture *w, uint16_t chain_count)
{
    *w = (call_fixture){.now_ms = 1000000};
    rc_shared_settings settings = rc_shared_settings_default();
    settings.retry_budget.burst = 0;
    settings.breaker.min_calls = 0;
    rc_shared_init(&w->shared, &settings, w->targets, FIXTURE_TARGETS, w->credentials,
                   FIXTURE_CREDENTIALS, w->now_ms);
    w->policy = fixture_policy();
    for (uint16_t i = 0; i < FIXTURE_TARGETS; i++)
        w->entries[i] = (rc_chain_entry){.target = i, .capabilities = EVERYTHING};
    w->plan = (rc_plan){.policy = &w->policy,
                        .entries = w->entries,
                        .entry_count = FIXTURE_TARGETS,
                        .chain_count = chain_count,
                        .overflow_to = RC_NO_TARGET};
    w->options = (rc_call_options){.deadline_at_ms = RC_UNLIMITED, .skips = &w->skips};
}

static inline rc_action fixture_begin(call_fixture *w)
{
    rc_call_init(&w->call, &w->plan, &w->shared, &w->options, w->now_ms);
    return rc_call_begin(&w->call, w->now_ms, 1);
}

static inline rc_failure_facts fixture_failure(rc_code code, int64_t hint_ms)
{
    rc_failure_facts failure = rc_failure_facts_of_code(code);
    failure.retry_after_ms = hint_ms;
    return failure;
}

static inline rc_action fixture_fail(call_fixture *w, rc_code code, int64_t hint_ms)
{
    rc_failure_facts failure = fixture_failure(code, hint_ms);
    return rc_call_on_failure(&w->call, &failure, w->now_ms, 1);
}

static inline rc_action fixture_fail_limit(call_fixture *w, rc_code code, rc_limit_kind kind,
                                           int64_t hint_ms)
{
    rc_failure_facts failure = fixture_failure(code, hint_ms);
    failure.limit_kind = kind;
    return rc_call_on_failure(&w->call, &failure, w->now_ms, 1);
}

static inline void expect_action(rc_action action, rc_action_kind kind, rc_reason reason)
{
    assert_string_equal(rc_reason_name(action.reason), rc_reason_name(reason));
    assert_int_equal(action.kind, kind);
}

static inline void expect_stop(rc_action action, rc_reason reason, bool is_exhausted)
{
    expect_action(action, RC_DO_STOP, reason);
    assert_int_equal(action.is_retry_exhausted, is_exhausted);
}

/* Advances the clock to the end of a WAIT and wakes the call. */
static inline rc_action fixture_wake(call_fixture *w, const rc_action *wait)
{
    w->now_ms = wait->at_ms;
    return rc_call_on_wake(&w->call, w->now_ms, 1);
}

static inline uint32_t fixture_in_flight(const call_fixture *w)
{
    uint32_t count = 0;
    for (uint16_t i = 0; i < FIXTURE_TARGETS; i++)
        count += w->targets[i].limiter.in_flight;
    return count;
}

/* Sets a retry budget that has this number of tokens and gains nearly none. */
static inline void fixture_set_tokens(call_fixture *w, uint32_t tokens)
{
    w->shared.settings.retry_budget = (rc_retry_budget_settings){
        .ratio_milli = 0, .floor_per_s = 0, .burst = tokens ? tokens : 1};
    rc_retry_budget_init(&w->shared.retry_budget, &w->shared.settings.retry_budget, w->now_ms);
    if (tokens == 0)
        rc_retry_budget_take(&w->shared.retry_budget, w->now_ms);
}

#endif
