/* Tests of a call from begin to end: the first entry, effects on other calls, waits, breakers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* Sets up a breaker that opens at the first failure, for one second. */
static void turn_breaker_on(call_fixture *w)
{
    w->shared.settings.breaker = (rc_breaker_settings){
        .window_ms = 10000, .min_calls = 1, .failure_pct = 1, .open_ms = 1000, .open_max_ms = 1000};
}

/* --- begin --- */

static void test_first_attempt(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.options.deadline_at_ms = w.now_ms + 700;
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_int_equal(action.entry, 0);
    assert_int_equal(action.target, 0);
    assert_int_equal(action.credential, RC_NO_TARGET);
    assert_int_equal(action.from_entry, 0);
    assert_int_equal(action.attempt, 1);
    assert_int_equal(action.max_attempts, 3);
    assert_int_equal(action.deadline_at_ms, w.now_ms + 700);
    assert_int_equal(fixture_in_flight(&w), 1);
    expect_action(rc_call_on_success(&w.call, w.now_ms + 5), RC_DO_DELIVER, RC_WHY_SUCCEEDED);
    assert_int_equal(fixture_in_flight(&w), 0);
    assert_true(rc_call_is_done(&w.call));
}

static void test_closed_entries_are_skipped(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.options.needs = RC_NEED_VISION;
    w.entries[0].capabilities = RC_NEED_TOOLS;
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 50);
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_int_equal(action.entry, 2);
    assert_int_equal(w.skips.count, 2);
    assert_int_equal(w.skips.list[0].reason, RC_WHY_SKIP_CAPABILITY);
    assert_int_equal(w.skips.list[1].reason, RC_WHY_SKIP_COOLING);
    assert_int_equal(w.skips.list[1].until_ms, w.now_ms + 50);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(w.skips.count, 0); /* the list has only the skips of the latest input */
}

static void test_no_entry_is_open(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.options.needs = RC_NEED_VISION;
    w.entries[0].capabilities = RC_NEED_TOOLS;
    rc_shared_cool_down_target(&w.shared, 0, w.now_ms + 10); /* this target opens first, but lacks a
                                                                needed capability */
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 90);
    rc_shared_cool_down_target(&w.shared, 2, w.now_ms + 70);
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    assert_int_equal(action.at_ms, w.now_ms + 70);
    assert_int_equal(action.target, RC_NO_TARGET);
    assert_int_equal(action.attempt, 0);
    assert_false(action.is_retry_exhausted);
    assert_int_equal(w.skips.count, 3);
}

static void test_no_entry_is_capable(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.options.needs = RC_NEED_VISION | RC_NEED_TOOLS | RC_NEED_STREAMING;
    w.entries[0].capabilities = RC_NEED_TOOLS;
    w.entries[1].capabilities = RC_NEED_VISION;
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_STOP, RC_WHY_NONE_CAPABLE);
    assert_int_equal(action.missing, RC_NEED_STREAMING);
    w.options.needs = RC_NEED_VISION | RC_NEED_TOOLS;
    assert_int_equal(fixture_begin(&w).missing, RC_NEED_VISION);
}

static void test_begin_after_the_deadline_stops(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.options.deadline_at_ms = w.now_ms;
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_STOP, RC_WHY_DEADLINE_PASSED);
    assert_false(action.is_retry_exhausted);
    assert_int_equal(fixture_in_flight(&w), 0);
}

static void test_the_budget_of_the_policy_is_a_deadline(void **state)
{
    (void)state;
    const uint64_t deadlines[] = {RC_UNLIMITED, 1000400, 1000600};
    const uint64_t expected[] = {1000500, 1000400, 1000500};
    for (size_t i = 0; i < 3; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.policy.budget_ms = 500;
        w.options.deadline_at_ms = deadlines[i];
        assert_int_equal(fixture_begin(&w).deadline_at_ms, expected[i]);
    }
}

static void test_no_options(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 0); /* the chain has all entries */
    rc_call_init(&w.call, &w.plan, &w.shared, NULL, w.now_ms);
    rc_action action = rc_call_begin(&w.call, w.now_ms, 0);
    expect_action(action, RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_true(action.deadline_at_ms == RC_UNLIMITED);
    fixture_fail(&w, RC_CODE_OVERLOADED, 1);
    assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 1).entry, 2);
}

static void test_assumed_cooldown_does_not_close_the_only_target(void **state)
{
    (void)state;
    for (uint16_t count = 1; count <= 2; count++) {
        call_fixture w;
        fixture_init(&w, count);
        rc_cooldown_assume(&w.targets[0].cooldown, w.now_ms + 1000);
        assert_int_equal(fixture_begin(&w).entry, count - 1);
    }
    /* An entry without the needed capabilities is not an alternative. */
    call_fixture w;
    fixture_init(&w, 2);
    w.options.needs = RC_NEED_TOOLS;
    w.entries[1].capabilities = 0;
    rc_cooldown_assume(&w.targets[0].cooldown, w.now_ms + 1000);
    assert_int_equal(fixture_begin(&w).entry, 0);
    /* An enforced cooldown applies to every call. */
    fixture_init(&w, 1);
    rc_shared_cool_down_target(&w.shared, 0, w.now_ms + 1000);
    expect_action(fixture_begin(&w), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
}

static void test_more_skips_than_fit_are_counted(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 0);
    rc_chain_entry entries[RC_SKIPS_MAX + 4];
    for (uint16_t i = 0; i < RC_SKIPS_MAX + 4; i++)
        entries[i] = (rc_chain_entry){.target = 0, .capabilities = EVERYTHING};
    w.plan.entries = entries;
    w.plan.entry_count = RC_SKIPS_MAX + 4;
    rc_shared_set_service(&w.shared, 0, false);
    expect_action(fixture_begin(&w), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    assert_int_equal(w.skips.count, RC_SKIPS_MAX + 4);
}

/* --- attempt counts --- */

static void test_max_attempts_counts_the_whole_call(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.policy.max_calls = 5;
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    rc_shared_set_refresh(&w.shared, 1, true);
    assert_int_equal(fixture_begin(&w).max_attempts, 3);
    rc_action action = fixture_fail(&w, RC_CODE_RATE_LIMITED, 9000);
    assert_int_equal(action.attempt, 2);
    assert_int_equal(action.max_attempts, 4); /* the attempt with another credential is not
                                                 counted */
    action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(action, RC_DO_REFRESH, RC_WHY_REFRESH);
    assert_int_equal(action.max_attempts, 5); /* the attempt with a refreshed credential is not
                                                 counted, either */
    action = rc_call_on_refreshed(&w.call, true, w.now_ms, 1);
    assert_int_equal(action.attempt, 3);
    assert_int_equal(action.max_attempts, 5);
    action = fixture_fail(&w, RC_CODE_OVERLOADED, 9000);
    assert_int_equal(action.entry, 1);
    assert_int_equal(action.attempt, 4);
    assert_int_equal(action.max_attempts, 5); /* three more attempts are left, but no more calls */
    action = rc_call_on_success(&w.call, w.now_ms);
    assert_int_equal(action.attempt, 4);
    assert_int_equal(action.max_attempts, 5);
    /* The rule for this code allows fewer attempts than were already made. */
    fixture_init(&w, 1);
    w.policy.rules[0] = w.policy.default_rule;
    w.policy.rules[0].max_attempts = 1;
    rc_code_set_add(&w.policy.rules[0].codes, RC_CODE_CONNECTION_RESET);
    w.policy.rule_count = 1;
    fixture_begin(&w);
    action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    fixture_wake(&w, &action);
    action = fixture_fail(&w, RC_CODE_CONNECTION_RESET, NO_HINT);
    expect_action(action, RC_DO_STOP, RC_WHY_ATTEMPTS_SPENT);
    assert_int_equal(action.attempt, 2);
    assert_int_equal(action.max_attempts, 2);
}

/* --- effects of a failure on other calls --- */

static void test_cooldowns_keep_the_later_end(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 9000);
    rc_call other;
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
    w.targets[0].cooldown.enforced_until_ms = 0;
    rc_call_begin(&other, w.now_ms, 1);
    w.targets[0].cooldown.enforced_until_ms = w.now_ms + 9000;
    rc_failure_facts failure = fixture_failure(RC_CODE_OVERLOADED, 4000);
    rc_action wait = rc_call_on_failure(&other, &failure, w.now_ms, 1);
    assert_int_equal(w.targets[0].cooldown.enforced_until_ms, w.now_ms + 9000);
    /* The call waits for the end of the shared cooldown, not only for the time of its own hint. */
    assert_in_range(wait.at_ms, w.now_ms + 9000, w.now_ms + 10000);
}

/* The member cooled_for is the code of the failure whose cooldown ends last. */
static void test_cooled_for_is_the_longest_cause(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 9000);
    assert_int_equal(w.targets[0].cooled_for, RC_CODE_OVERLOADED);
    rc_shared_cool_down_target(&w.shared, 0, w.now_ms + 1000);
    assert_int_equal(w.targets[0].cooled_for, RC_CODE_OVERLOADED);
    /* A cooldown that an operator has set has no code. */
    rc_shared_cool_down_target(&w.shared, 0, w.now_ms + 90000);
    assert_int_equal(w.targets[0].cooled_for, RC_CODE_NONE);
    w.targets[0].cooled_for = RC_CODE_OVERLOADED;
    rc_shared_clear_target(&w.shared, 0, w.now_ms);
    assert_int_equal(w.targets[0].cooled_for, RC_CODE_NONE);

    fixture_init(&w, 1);
    rc_cooldown_enforce(&w.targets[0].cooldown, w.now_ms + 60000);
    w.targets[0].cooled_for = RC_CODE_RATE_LIMITED;
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 9000);
    assert_int_equal(w.targets[0].cooled_for, RC_CODE_RATE_LIMITED);
}

static void test_calls_share_cooldowns(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 9000);
    rc_call other;
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
    assert_int_equal(rc_call_begin(&other, w.now_ms, 1).entry, 1);
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms + 9000);
    assert_int_equal(rc_call_begin(&other, w.now_ms + 9000, 1).entry, 0);
}

static void test_cooldowns_without_a_hint(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    assert_int_equal(w.targets[0].cooldown.assumed_until_ms,
                     w.now_ms + w.shared.settings.cooldown_ms);
    assert_int_equal(w.targets[0].cooldown.enforced_until_ms, 0);
    fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
    assert_int_equal(w.targets[1].cooldown.enforced_until_ms,
                     w.now_ms + w.shared.settings.exhausted_ms);
    fixture_init(&w, 2);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(w.targets[0].cooldown.assumed_until_ms, 0);
}

static void test_a_rejected_credential_is_dead(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(action, RC_DO_TRY,
                  RC_WHY_NEXT_CREDENTIAL); /* one rejected key does not make the request fail */
    assert_int_equal(action.credential, 1);
    assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), RC_CREDENTIAL_DEAD);
    rc_call_on_success(&w.call, w.now_ms);
    for (int i = 0; i < 3; i++) { /* the rotation skips the dead key */
        assert_int_equal(fixture_begin(&w).credential, 1);
        rc_call_on_cancel(&w.call, w.now_ms);
    }
}

/* A report of another system may claim any category for its code. */
static void test_capacity_follows_the_code(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    rc_failure_facts failure = fixture_failure(RC_CODE_CONTENT_FILTER, NO_HINT);
    failure.category = RC_CATEGORY_CAPACITY;
    expect_action(rc_call_on_failure(&w.call, &failure, w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_NOT_RETRYABLE);
    assert_int_equal(w.targets[0].cooldown.enforced_until_ms, 0);
    fixture_begin(&w);
    failure = fixture_failure(RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
    failure.category = RC_CATEGORY_CONFIGURATION;
    expect_action(rc_call_on_failure(&w.call, &failure, w.now_ms, 1), RC_DO_TRY,
                  RC_WHY_COOLING_NEXT_TARGET);
}

/* --- waits --- */

static void test_an_early_wake_repeats_the_wait(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_action again = rc_call_on_wake(&w.call, wait.at_ms - 1, 1);
    expect_action(again, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(again.at_ms, wait.at_ms);
    expect_action(rc_call_on_wake(&w.call, wait.at_ms, 1), RC_DO_TRY, RC_WHY_WOKE);
}

static void test_a_late_wake(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.options.deadline_at_ms = w.now_ms + 5000;
    w.policy.min_remaining_ms = 100;
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_call copy = w.call;
    expect_action(rc_call_on_wake(&copy, w.now_ms + 4900, 1), RC_DO_STOP, RC_WHY_TOO_LITTLE_LEFT);
    rc_action action = rc_call_on_wake(&w.call, w.now_ms + 5000, 1);
    expect_action(action, RC_DO_STOP, RC_WHY_DEADLINE_PASSED);
    assert_true(action.is_retry_exhausted);
}

static void test_closed_at_waking_takes_the_next_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.entries[0].max_attempts = 3;
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 1);
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_COOLING_NEXT_TARGET);
    assert_int_equal(action.entry, 1);
    assert_int_equal(w.skips.count, 1);
    assert_int_equal(w.skips.list[0].reason, RC_WHY_SKIP_COOLING);
}

static void test_closed_at_waking_without_another_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_set_tokens(&w, 2);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 7000);
    uint64_t until_ms = wait.at_ms + 7000;
    wait = fixture_wake(&w, &wait);
    expect_action(wait, RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    assert_in_range(wait.at_ms, until_ms, until_ms + 999);
    assert_int_equal(wait.attempt, 1); /* no call was made, and no further token was taken */
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms), 1);
    rc_call copy = w.call;
    expect_action(fixture_wake(&w, &wait), RC_DO_TRY, RC_WHY_WOKE);
    /* The second wait counts as an attempt, although no call was made. */
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 500);
    rc_action action = rc_call_on_wake(&copy, wait.at_ms, 1);
    expect_action(action, RC_DO_STOP, RC_WHY_ATTEMPTS_SPENT);
    assert_int_equal(action.at_ms, wait.at_ms + 500);
}

static void test_closed_for_too_long(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_call copy = w.call;
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 60001);
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_STOP, RC_WHY_DELAY_TOO_LONG);
    assert_int_equal(action.at_ms, wait.at_ms + 60001);
    rc_shared_cool_down_target(&w.shared, 0, RC_UNLIMITED);
    expect_action(rc_call_on_wake(&copy, wait.at_ms, 1), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    /* A failure during a long cooldown of the target also stops the call. */
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_shared_cool_down_target(&w.shared, 0, RC_UNLIMITED);
    expect_action(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_STOP,
                  RC_WHY_ALL_UNAVAILABLE);
}

/* Calls that wait for the same breaker must not all return at the same moment. */
static void test_waiters_are_spread(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 7000);
    uint32_t in_tenth[10] = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        rc_call copy = w.call;
        rc_action again = rc_call_on_wake(&copy, wait.at_ms, i * UINT64_C(0x9e3779b97f4a7c15));
        assert_in_range(again.at_ms, wait.at_ms + 7000, wait.at_ms + 7999);
        in_tenth[(again.at_ms - wait.at_ms - 7000) / 100]++;
    }
    for (size_t i = 0; i < 10; i++)
        assert_in_range(in_tenth[i], 50, 200);
}

static void test_a_full_target_is_waited_for(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_shared_set_limit(&w.shared, 0, 1);
    assert_true(rc_limiter_take(&w.targets[0].limiter));
    wait = fixture_wake(&w, &wait);
    expect_action(wait, RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    assert_int_equal(w.skips.list[0].reason, RC_WHY_SKIP_BUSY);
    assert_int_equal(wait.wait_ms, 1000);
    rc_limiter_put(&w.targets[0].limiter);
    expect_action(fixture_wake(&w, &wait), RC_DO_TRY, RC_WHY_WOKE);
}

/* --- breaker --- */

static void test_a_breaker_that_opens_moves_the_call(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    turn_breaker_on(&w);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_TRY,
                  RC_WHY_COOLING_NEXT_TARGET);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_OPEN);
}

static void test_a_cancelled_probe_is_released(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    turn_breaker_on(&w);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    w.now_ms += 2000;
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_true(w.targets[0].breaker.is_probing);
    rc_call second;
    rc_call_init(&second, &w.plan, &w.shared, NULL, w.now_ms);
    expect_action(rc_call_begin(&second, w.now_ms, 1), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    rc_call_on_cancel(&w.call, w.now_ms);
    assert_false(w.targets[0].breaker.is_probing);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_HALF_OPEN);
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    rc_call_on_success(&w.call, w.now_ms + 1);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_CLOSED);
}

static void test_first_content_ends_a_probe(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    turn_breaker_on(&w);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    w.now_ms += 2000;
    fixture_begin(&w);
    w.now_ms += 300;
    rc_call_on_commit(&w.call, w.now_ms);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_CLOSED);
    rc_call second;
    rc_call_init(&second, &w.plan, &w.shared, NULL, w.now_ms);
    expect_action(rc_call_begin(&second, w.now_ms, 1), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    /* A failure at the end of a stream does not count against a target whose probe succeeded at the
     * beginning of the stream. */
    w.now_ms += 60000;
    fixture_fail(&w, RC_CODE_STREAM_INTERRUPTED, NO_HINT);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_CLOSED);
    rc_call_on_success(&second, w.now_ms);
    assert_int_equal(fixture_in_flight(&w), 0);
}

static void test_failures_from_before_closing_do_not_reopen(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    turn_breaker_on(&w);
    rc_call old;
    rc_call_init(&old, &w.plan, &w.shared, NULL, w.now_ms);
    rc_call_begin(&old, w.now_ms, 1);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    w.now_ms += 2000;
    fixture_begin(&w);
    rc_call_on_success(&w.call, w.now_ms);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_CLOSED);
    rc_failure_facts failure = fixture_failure(RC_CODE_NETWORK_TIMEOUT, NO_HINT);
    rc_call_on_failure(&old, &failure, w.now_ms + 1, 1);
    assert_int_equal(w.targets[0].breaker.state, RC_BREAKER_CLOSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_attempt),
        cmocka_unit_test(test_closed_entries_are_skipped),
        cmocka_unit_test(test_no_entry_is_open),
        cmocka_unit_test(test_no_entry_is_capable),
        cmocka_unit_test(test_begin_after_the_deadline_stops),
        cmocka_unit_test(test_the_budget_of_the_policy_is_a_deadline),
        cmocka_unit_test(test_no_options),
        cmocka_unit_test(test_assumed_cooldown_does_not_close_the_only_target),
        cmocka_unit_test(test_more_skips_than_fit_are_counted),
        cmocka_unit_test(test_max_attempts_counts_the_whole_call),
        cmocka_unit_test(test_cooldowns_keep_the_later_end),
        cmocka_unit_test(test_cooled_for_is_the_longest_cause),
        cmocka_unit_test(test_calls_share_cooldowns),
        cmocka_unit_test(test_cooldowns_without_a_hint),
        cmocka_unit_test(test_a_rejected_credential_is_dead),
        cmocka_unit_test(test_capacity_follows_the_code),
        cmocka_unit_test(test_an_early_wake_repeats_the_wait),
        cmocka_unit_test(test_a_late_wake),
        cmocka_unit_test(test_closed_at_waking_takes_the_next_target),
        cmocka_unit_test(test_closed_at_waking_without_another_target),
        cmocka_unit_test(test_closed_for_too_long),
        cmocka_unit_test(test_waiters_are_spread),
        cmocka_unit_test(test_a_full_target_is_waited_for),
        cmocka_unit_test(test_a_breaker_that_opens_moves_the_call),
        cmocka_unit_test(test_a_cancelled_probe_is_released),
        cmocka_unit_test(test_first_content_ends_a_probe),
        cmocka_unit_test(test_failures_from_before_closing_do_not_reopen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
