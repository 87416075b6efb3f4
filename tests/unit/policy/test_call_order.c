/* Tests of the order of decisions: each step with its reason, and the precedence of the steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* --- steps 1 and 2 --- */

static void test_cancellation_precedes_all(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.options.deadline_at_ms = w.now_ms + 10;
    fixture_begin(&w);
    rc_call_on_commit(&w.call, w.now_ms);
    w.now_ms += 100;
    expect_stop(fixture_fail(&w, RC_CODE_TURN_CANCELLED, NO_HINT), RC_WHY_CANCELLED, false);
}

static void test_overflow_is_compacted(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT), RC_DO_COMPACT,
                  RC_WHY_OVERFLOW_COMPACT);
}

static void test_overflow_goes_to_the_larger_target_once(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.plan.overflow_to = 2;
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT);
    expect_action(action, RC_DO_TRY, RC_WHY_OVERFLOW_TO_LARGER);
    assert_int_equal(action.entry, 2);
    assert_int_equal(action.from_entry, 0);
    assert_int_equal(action.attempt, 2);
    expect_action(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT), RC_DO_COMPACT,
                  RC_WHY_OVERFLOW_COMPACT);
}

/* An entry with the same target has the same context window. */
static void test_overflow_does_not_go_to_the_same_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.plan.overflow_to = 2;
    w.entries[2].target = 0;
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT), RC_DO_COMPACT,
                  RC_WHY_OVERFLOW_COMPACT);
}

/* Only the larger target can serve the context, so an assumed cooldown does not close it. */
static void test_assumed_cooldown_does_not_close_the_larger_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.plan.overflow_to = 2;
    rc_cooldown_assume(&w.targets[2].cooldown, w.now_ms + 1000);
    fixture_begin(&w);
    assert_int_equal(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT).entry, 2);
    fixture_init(&w, 3);
    w.plan.overflow_to = 1;
    rc_cooldown_assume(&w.targets[1].cooldown, w.now_ms + 1000);
    fixture_begin(&w);
    assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 1000).entry, 2);
}

static void test_the_call_stays_at_the_larger_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.plan.overflow_to = 1;
    fixture_begin(&w);
    assert_int_equal(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT).entry, 1);
    for (int i = 0; i < 2; i++) {
        rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
        expect_action(fixture_wake(&w, &wait), RC_DO_TRY, RC_WHY_WOKE);
    }
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_ATTEMPTS_SPENT, true);
}

/* Conditions that forbid the attempt at the larger target. */
static void test_overflow_compacts_if_the_larger_target_is_not_allowed(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        w.plan.overflow_to = 2;
        w.options.deadline_at_ms = w.now_ms + 1000;
        w.options.needs = RC_NEED_TOOLS;
        fixture_begin(&w);
        if (i == 0)
            rc_call_on_commit(&w.call, w.now_ms);
        if (i == 1)
            w.now_ms += 1000;
        if (i == 2)
            w.policy.max_calls = 1;
        if (i == 3)
            fixture_set_tokens(&w, 0);
        if (i == 4)
            w.policy.enabled = false;
        if (i == 5)
            rc_code_set_add(&w.policy.never_retry_on, RC_CODE_CONTEXT_OVERFLOW);
        if (i == 6)
            rc_shared_cool_down_target(&w.shared, 2, w.now_ms + 1);
        if (i == 7)
            w.entries[2].capabilities = RC_NEED_VISION;
        expect_action(fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT), RC_DO_COMPACT,
                      RC_WHY_OVERFLOW_COMPACT);
        assert_int_equal(w.skips.count, i >= 6);
    }
}

/* --- step 3 --- */

static void test_committed_precedes_everything_but_overflow(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_PROVIDER_5XX, RC_CODE_INVALID_REQUEST, RC_CODE_AUTH_FAILED,
                             RC_CODE_QUOTA_EXHAUSTED};
    for (size_t i = 0; i < 4; i++) {
        call_fixture w;
        fixture_init(&w, 3);
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        w.credentials[0].can_refresh = true;
        w.credentials[1].can_refresh = true;
        fixture_begin(&w);
        rc_call_on_commit(&w.call, w.now_ms);
        expect_stop(fixture_fail(&w, codes[i], NO_HINT), RC_WHY_COMMITTED, false);
    }
}

static void test_non_retryable_failure_stops(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_INVALID_REQUEST, RC_CODE_CONTENT_FILTER, RC_CODE_AUTH_FAILED,
                             RC_CODE_OUTCOME_UNKNOWN, RC_CODE_UNCLASSIFIED,   RC_CODE_RUN_TIMEOUT};
    for (size_t i = 0; i < 6; i++) {
        call_fixture w;
        fixture_init(&w, 3);
        w.policy.enabled = false; /* the reason of the failure takes precedence over that of the
                                     policy */
        fixture_begin(&w);
        expect_stop(fixture_fail(&w, codes[i], 5000), RC_WHY_NOT_RETRYABLE, false);
    }
}

static void test_policy_refuses_a_retry(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_PROVIDER_5XX, RC_CODE_QUOTA_EXHAUSTED};
    for (size_t i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 3);
        w.policy.enabled = false;
        fixture_begin(&w);
        expect_stop(fixture_fail(&w, codes[i], NO_HINT), RC_WHY_DISABLED, false);

        fixture_init(&w, 3);
        rc_code_set_add(&w.policy.never_retry_on, codes[i]);
        fixture_begin(&w);
        expect_stop(fixture_fail(&w, codes[i], NO_HINT), RC_WHY_EXCLUDED, false);
    }
    call_fixture w;
    fixture_init(&w, 3);
    rc_code_set_add(&w.policy.retry_on, RC_CODE_RATE_LIMITED);
    fixture_begin(&w);
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_EXCLUDED, false);
    /* Capacity codes lead to another target even if retry_on does not list them. */
    fixture_init(&w, 3);
    rc_code_set_add(&w.policy.retry_on, RC_CODE_RATE_LIMITED);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT), RC_DO_TRY,
                  RC_WHY_COOLING_NEXT_TARGET);
}

static void test_retries_exhausted_by_an_inner_layer(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.policy.retry_exhausted = i;
        fixture_begin(&w);
        rc_failure_facts failure = fixture_failure(RC_CODE_PROVIDER_5XX, NO_HINT);
        failure.is_retry_exhausted = true;
        rc_action action = rc_call_on_failure(&w.call, &failure, w.now_ms, 1);
        if (i == 0)
            expect_stop(action, RC_WHY_ALREADY_EXHAUSTED, true);
        else
            expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
    }
}

/* If a target must not be retried, other targets may still be used. */
static void test_an_exhausted_target_does_not_exclude_other_targets(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    rc_failure_facts failure = fixture_failure(RC_CODE_PROVIDER_5XX, NO_HINT);
    failure.is_retry_exhausted = true;
    rc_action action = rc_call_on_failure(&w.call, &failure, w.now_ms, 1);
    expect_action(action, RC_DO_TRY, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    assert_int_equal(action.entry, 1);
    expect_stop(rc_call_on_failure(&w.call, &failure, w.now_ms, 1), RC_WHY_ALREADY_EXHAUSTED, true);
}

/* --- step 4 --- */

/* The limits are checked in this order and before any switch: deadline, calls, retry budget,
 * remaining time. */
static void test_spent_limits_stop(void **state)
{
    (void)state;
    const rc_reason reasons[] = {RC_WHY_DEADLINE_PASSED, RC_WHY_CALLS_SPENT,
                                 RC_WHY_RETRY_BUDGET_SPENT, RC_WHY_TOO_LITTLE_LEFT};
    for (int first = 0; first < 4; first++) {
        call_fixture w;
        fixture_init(&w, 3);
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        w.options.deadline_at_ms = w.now_ms + 1000;
        w.policy.max_calls = first <= 1 ? 1 : 10;
        w.policy.min_remaining_ms = 999;
        fixture_begin(&w);
        if (first <= 2)
            fixture_set_tokens(&w, 0);
        w.now_ms += first == 0 ? 1000 : 1;
        rc_action action = fixture_fail(&w, RC_CODE_RATE_LIMITED, 300);
        expect_stop(action, reasons[first], first < 3);
        assert_int_equal(action.at_ms, w.now_ms + 300);
    }
}

static void test_refusal_precedes_spent_limits(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.policy.max_calls = 1;
    w.options.deadline_at_ms = w.now_ms + 1;
    fixture_begin(&w);
    w.now_ms += 1;
    expect_stop(fixture_fail(&w, RC_CODE_INVALID_REQUEST, NO_HINT), RC_WHY_NOT_RETRYABLE, false);
}

/* --- step 5 --- */

static void test_another_credential(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_RATE_LIMITED, RC_CODE_QUOTA_EXHAUSTED};
    const rc_credential_state states[] = {RC_CREDENTIAL_COOLING, RC_CREDENTIAL_EXHAUSTED};
    for (size_t i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        w.entries[0].max_attempts = 1; /* the attempt with another credential is not counted */
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        rc_action first = fixture_begin(&w);
        assert_int_equal(first.credential, 0);
        rc_action action = fixture_fail(&w, codes[i], 20000);
        expect_action(action, RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
        assert_int_equal(action.entry, 0);
        assert_int_equal(action.credential, 1);
        assert_int_equal(action.from_credential, 0);
        assert_int_equal(action.attempt, 2);
        assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), states[i]);
        /* Both credentials cool down, so the next target is tried. */
        action = fixture_fail(&w, codes[i], 20000);
        assert_int_equal(action.entry, 1);
        assert_int_equal(action.from_entry, 0);
    }
}

static void test_no_other_credential_for_failures_of_the_target(void **state)
{
    (void)state;
    const rc_limit_kind kinds[] = {RC_LIMIT_KIND_CONCURRENCY, RC_LIMIT_KIND_MODEL_CAPACITY};
    for (size_t i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        fixture_begin(&w);
        rc_action action = fixture_fail_limit(&w, RC_CODE_RATE_LIMITED, kinds[i], 5000);
        expect_action(action, RC_DO_TRY, RC_WHY_COOLING_NEXT_TARGET);
        assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms),
                         RC_CREDENTIAL_HEALTHY);
        assert_int_equal(w.targets[0].cooldown.enforced_until_ms, w.now_ms + 5000);
    }
    call_fixture w;
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_TRY,
                  RC_WHY_FAILED_NEXT_TARGET);
    /* The call goes to the other target even if no credential cools down. */
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    fixture_begin(&w);
    expect_action(fixture_fail_limit(&w, RC_CODE_RATE_LIMITED, RC_LIMIT_KIND_CONCURRENCY, 0),
                  RC_DO_TRY, RC_WHY_FAILED_NEXT_TARGET);
}

/* A hint of 0 sets no cooldown. The limit of switches then prevents that a call uses the
 * credentials in turn for ever. */
static void test_each_credential_is_tried_once_between_waits(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 3, NULL);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_RATE_LIMITED, 0), RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
    expect_action(fixture_fail(&w, RC_CODE_RATE_LIMITED, 0), RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
    rc_action wait = fixture_fail(&w, RC_CODE_RATE_LIMITED, 0);
    expect_action(wait, RC_DO_WAIT, RC_WHY_HINT);
    assert_int_equal(wait.wait_ms, 0);
    expect_action(fixture_wake(&w, &wait), RC_DO_TRY, RC_WHY_WOKE);
    expect_action(fixture_fail(&w, RC_CODE_RATE_LIMITED, 0), RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
}

/* --- step 6 --- */

static void test_next_target_after_spent_attempts(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.entries[0].max_attempts = 2;
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(wait.max_attempts, 2);
    fixture_wake(&w, &wait);
    rc_action action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(action, RC_DO_TRY, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    assert_int_equal(action.entry, 1);
    assert_int_equal(action.attempt, 3);
    assert_int_equal(action.max_attempts, 5); /* two attempts at the first target and three at this
                                                 one */
    for (uint32_t i = 0; i < 2; i++) {
        wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        assert_int_equal(wait.max_attempts, 5);
        action = fixture_wake(&w, &wait);
        expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
        assert_int_equal(action.attempt, 4 + i);
        assert_int_equal(action.max_attempts, 5);
    }
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_ATTEMPTS_SPENT, true);
}

static void test_a_call_leaves_a_target_that_begins_to_cool_down(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_RATE_LIMITED, RC_CODE_OVERLOADED, RC_CODE_MODEL_LOADING,
                             RC_CODE_PROVIDER_5XX};
    for (size_t i = 0; i < 4; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        fixture_begin(&w);
        rc_action action = fixture_fail(&w, codes[i], 3000);
        expect_action(action, RC_DO_TRY, RC_WHY_COOLING_NEXT_TARGET);
        assert_int_equal(w.targets[0].cooldown.enforced_until_ms, w.now_ms + 3000);
        assert_int_equal(w.targets[0].cooled_for, codes[i]);
    }
}

static void test_a_call_does_not_leave_a_target_at_its_limit(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.entries[0].max_attempts = 3;
    fixture_begin(&w);
    assert_true(rc_limiter_take(&w.targets[0].limiter)); /* another call, admitted before the limit
                                                            was set */
    rc_shared_set_limit(&w.shared, 0, 1);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(wait.entry, 0);
}

/* The backoff of each target begins with the base. */
static void test_the_next_target_does_not_inherit_the_waits(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < 50; i++) {
        uint64_t entropy = i * UINT64_C(0x9e3779b97f4a7c15);
        call_fixture w;
        fixture_init(&w, 2);
        w.entries[0].max_attempts = 3;
        w.policy.default_rule.jitter = RC_JITTER_DECORRELATED;
        fixture_begin(&w);
        rc_failure_facts failure = fixture_failure(RC_CODE_PROVIDER_5XX, NO_HINT);
        for (int k = 0; k < 2; k++) {
            rc_action wait = rc_call_on_failure(&w.call, &failure, w.now_ms, ~entropy);
            fixture_wake(&w, &wait);
        }
        assert_int_equal(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry, 1);
        uint64_t wait_ms = rc_call_on_failure(&w.call, &failure, w.now_ms, entropy).wait_ms;
        assert_int_equal(wait_ms, rc_backoff_wait(&w.policy.default_rule, 1, 0, entropy));
    }
}

static void test_waits_at_this_target_without_an_alternative(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    rc_shared_set_service(&w.shared, 1, false);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_RATE_LIMITED, 3000);
    expect_action(wait, RC_DO_WAIT, RC_WHY_HINT);
    assert_int_equal(wait.wait_ms, 3000);
    assert_int_equal(w.skips.count, 1);
    assert_int_equal(w.skips.list[0].entry, 1);
    assert_int_equal(w.skips.list[0].reason, RC_WHY_SKIP_OUT_OF_SERVICE);
}

static void test_capacity_has_no_second_attempt(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
    expect_stop(action, RC_WHY_CAPACITY_SPENT, true);
    assert_int_equal(action.at_ms, w.now_ms + w.shared.settings.exhausted_ms);
    /* A hint of 0 does not cause a retry, either. */
    fixture_init(&w, 2);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, 0), RC_DO_TRY,
                  RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    expect_stop(fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, 0), RC_WHY_CAPACITY_SPENT, true);
}

static void test_attempts_spent_names_the_time_to_retry(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.entries[0].max_attempts = 1;
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 70000); /* longer than the call can wait */
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_OVERLOADED, 90000);
    expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
    assert_int_equal(action.at_ms, w.now_ms + 70000);
}

/* --- steps 7 and 8 --- */

static void test_the_wait(void **state)
{
    (void)state;
    static const struct {
        rc_hint_use use;
        int64_t hint_ms;
        uint64_t wait_ms;
        rc_reason reason;
    } cases[] = {
        {RC_HINT_EXACT, NO_HINT, 1000, RC_WHY_BACKOFF},
        {RC_HINT_EXACT, 0, 0, RC_WHY_HINT},
        {RC_HINT_EXACT, 1, 1, RC_WHY_HINT},
        {RC_HINT_EXACT, 37123, 37123, RC_WHY_HINT},
        {RC_HINT_EXACT, 60000, 60000, RC_WHY_HINT},
        {RC_HINT_EXTEND, NO_HINT, 1000, RC_WHY_BACKOFF},
        {RC_HINT_EXTEND, 0, 1000, RC_WHY_BACKOFF},
        {RC_HINT_EXTEND, 999, 1000, RC_WHY_BACKOFF},
        {RC_HINT_EXTEND, 1000, 1000, RC_WHY_HINT},
        {RC_HINT_EXTEND, 1001, 1001, RC_WHY_HINT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.policy.hint = cases[i].use;
        fixture_begin(&w);
        rc_action wait = fixture_fail(&w, RC_CODE_RATE_LIMITED, cases[i].hint_ms);
        expect_action(wait, RC_DO_WAIT, cases[i].reason);
        assert_int_equal(wait.wait_ms, cases[i].wait_ms);
        assert_int_equal(wait.at_ms, w.now_ms + cases[i].wait_ms);
        assert_true(rc_call_validate(&w.call));
    }
}

static void test_a_hint_that_is_too_long_fails_fast(void **state)
{
    (void)state;
    const int64_t hints[] = {60001, INT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.options.deadline_at_ms =
            w.now_ms + 100; /* the hint, which is too long, is checked before the deadline */
        fixture_begin(&w);
        rc_action action = fixture_fail(&w, RC_CODE_RATE_LIMITED, hints[i]);
        expect_stop(action, RC_WHY_DELAY_TOO_LONG, false);
        assert_int_equal(action.wait_ms, hints[i]);
        assert_int_equal(action.at_ms, w.now_ms + (uint64_t)hints[i]);
    }
}

static void test_no_wait_past_the_deadline(void **state)
{
    (void)state;
    static const struct {
        uint64_t left_ms, min_ms;
        rc_reason reason;
    } cases[] = {{1000, 0, RC_WHY_WAIT_PAST_DEADLINE},
                 {1001, 0, RC_WHY_BACKOFF},
                 {1500, 500, RC_WHY_TOO_LITTLE_LEFT},
                 {1501, 500, RC_WHY_BACKOFF}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.options.deadline_at_ms = w.now_ms + cases[i].left_ms;
        w.policy.min_remaining_ms = cases[i].min_ms;
        fixture_begin(&w);
        rc_action action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        expect_action(action, cases[i].reason == RC_WHY_BACKOFF ? RC_DO_WAIT : RC_DO_STOP,
                      cases[i].reason);
        assert_int_equal(action.wait_ms, 1000);
        assert_int_equal(action.at_ms, w.now_ms + 1000);
        assert_false(action.is_retry_exhausted);
    }
}

static void test_every_extra_call_costs_one_token(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    fixture_set_tokens(&w, 3);
    fixture_begin(&w);
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms), 3);
    fixture_fail(&w, RC_CODE_RATE_LIMITED, 5000); /* uses the other credential */
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms), 2);
    fixture_fail(&w, RC_CODE_RATE_LIMITED, 5000); /* uses the other target */
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms), 1);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms), 0);
    expect_action(fixture_wake(&w, &wait), RC_DO_TRY, RC_WHY_WOKE);
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_RETRY_BUDGET_SPENT, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cancellation_precedes_all),
        cmocka_unit_test(test_overflow_is_compacted),
        cmocka_unit_test(test_overflow_goes_to_the_larger_target_once),
        cmocka_unit_test(test_overflow_does_not_go_to_the_same_target),
        cmocka_unit_test(test_assumed_cooldown_does_not_close_the_larger_target),
        cmocka_unit_test(test_the_call_stays_at_the_larger_target),
        cmocka_unit_test(test_overflow_compacts_if_the_larger_target_is_not_allowed),
        cmocka_unit_test(test_committed_precedes_everything_but_overflow),
        cmocka_unit_test(test_non_retryable_failure_stops),
        cmocka_unit_test(test_policy_refuses_a_retry),
        cmocka_unit_test(test_retries_exhausted_by_an_inner_layer),
        cmocka_unit_test(test_an_exhausted_target_does_not_exclude_other_targets),
        cmocka_unit_test(test_spent_limits_stop),
        cmocka_unit_test(test_refusal_precedes_spent_limits),
        cmocka_unit_test(test_another_credential),
        cmocka_unit_test(test_no_other_credential_for_failures_of_the_target),
        cmocka_unit_test(test_each_credential_is_tried_once_between_waits),
        cmocka_unit_test(test_next_target_after_spent_attempts),
        cmocka_unit_test(test_a_call_leaves_a_target_that_begins_to_cool_down),
        cmocka_unit_test(test_a_call_does_not_leave_a_target_at_its_limit),
        cmocka_unit_test(test_the_next_target_does_not_inherit_the_waits),
        cmocka_unit_test(test_waits_at_this_target_without_an_alternative),
        cmocka_unit_test(test_capacity_has_no_second_attempt),
        cmocka_unit_test(test_attempts_spent_names_the_time_to_retry),
        cmocka_unit_test(test_the_wait),
        cmocka_unit_test(test_a_hint_that_is_too_long_fails_fast),
        cmocka_unit_test(test_no_wait_past_the_deadline),
        cmocka_unit_test(test_every_extra_call_costs_one_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
