/* Tests of the choice of the next target: failover before waits, rounds, targets that do not
 * respond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* After a failure at an entry without max_attempts of its own, the call continues at an entry that
 * was not tried yet. After all entries were tried, the call waits and tries the first open one
 * again, until the attempts of each entry are used up. */
static void test_fails_over_before_it_waits(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.entries[2].max_attempts = 1;
    fixture_begin(&w);
    for (uint32_t round = 0; round < 3; round++) {
        rc_action action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        expect_action(action, RC_DO_TRY,
                      round < 2 ? RC_WHY_FAILED_NEXT_TARGET : RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
        assert_int_equal(action.entry, 1);
        if (round == 0) /* an entry with max_attempts of its own uses them in the first round */
            assert_int_equal(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry, 2);
        action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        assert_true(rc_call_validate(&w.call));
        if (round == 2) {
            expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
            break;
        }
        expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
        assert_true(action.attempt < action.max_attempts);
        action = fixture_wake(&w, &action);
        expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
        assert_int_equal(action.entry, 0);
    }
    assert_int_equal(w.call.calls, 7);
}

/* A later round leaves out entries that would fail in the same way, and does not wait for the hint
 * of another entry. */
static void test_a_later_round_skips_spent_entries(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, 0);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_action wait = fixture_fail(&w, RC_CODE_RATE_LIMITED, 50000);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(wait.wait_ms, 1000);
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
    assert_int_equal(action.entry, 1);
}

/* If a target hangs, half of the time is left for the next target. */
static void test_a_hang_leaves_time_for_the_next(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.options.deadline_at_ms = w.now_ms + 1000;
    assert_int_equal(fixture_begin(&w).begin_by_ms, w.now_ms + 500);
    w.now_ms += 500;
    rc_action action = fixture_fail(&w, RC_CODE_NETWORK_TIMEOUT, NO_HINT);
    assert_int_equal(action.entry, 1);
    assert_int_equal(action.begin_by_ms, w.now_ms + 500); /* all of the remaining time */
    for (int i = 0; i < 5; i++) { /* no other entry exists or may be tried */
        fixture_init(&w, i == 0 ? 1 : 2);
        w.options.deadline_at_ms = i == 1 ? RC_UNLIMITED : w.now_ms + 1000;
        w.options.is_unrepeatable = i == 2;
        if (i == 3)
            rc_code_set_add(&w.policy.never_retry_on, RC_CODE_NETWORK_TIMEOUT);
        if (i == 4)
            rc_shared_set_service(&w.shared, 1, false);
        assert_true(fixture_begin(&w).begin_by_ms == w.options.deadline_at_ms);
    }
}

/* Three calls without a response, however far apart, close a target if the call has an
 * alternative. */
static void test_a_target_without_responses_cools_down(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_CONNECTION_FAILED, RC_CODE_CONNECTION_RESET,
                             RC_CODE_NETWORK_TIMEOUT};
    for (size_t i = 0; i < 3; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        for (int k = 0; k < 3; k++) {
            w.now_ms += 60000;
            assert_int_equal(fixture_begin(&w).entry, 0);
            assert_int_equal(fixture_fail(&w, codes[i], NO_HINT).entry, 1);
            rc_call_on_success(&w.call, w.now_ms);
        }
        assert_int_equal(fixture_begin(&w).entry, 1);
        rc_call_on_success(&w.call, w.now_ms);
        assert_int_equal(w.targets[0].cooled_for, codes[i]);
        /* One call at a time probes the target; if the probe fails, the cooldown becomes longer. */
        w.now_ms += w.shared.settings.cooldown_ms;
        rc_call probe;
        rc_call_init(&probe, &w.plan, &w.shared, &w.options, w.now_ms);
        assert_int_equal(rc_call_begin(&probe, w.now_ms, 1).entry, 0);
        assert_int_equal(fixture_begin(&w).entry, 1);
        rc_call_on_success(&w.call, w.now_ms);
        rc_failure_facts failure = fixture_failure(codes[i], NO_HINT);
        assert_int_equal(rc_call_on_failure(&probe, &failure, w.now_ms, 1).entry, 1);
        rc_call_on_success(&probe, w.now_ms);
        w.now_ms += 2 * (uint64_t)w.shared.settings.cooldown_ms - 1;
        assert_int_equal(fixture_begin(&w).entry, 1);
        rc_call_on_success(&w.call, w.now_ms);
        /* Once the target responds, all calls use it again. */
        w.now_ms++;
        assert_int_equal(fixture_begin(&w).entry, 0);
        rc_call_on_success(&w.call, w.now_ms);
        assert_int_equal(fixture_begin(&w).entry, 0);
        assert_true(rc_shared_validate(&w.shared));
    }
}

/* A target that hung for a minute is not probed every few seconds. */
static void test_cooldown_grows_with_the_time_of_a_hang(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    for (int k = 0; k < 3; k++) {
        fixture_begin(&w);
        w.now_ms += 20000;
        fixture_fail(&w, RC_CODE_NETWORK_TIMEOUT, NO_HINT);
        rc_call_on_success(&w.call, w.now_ms);
    }
    w.now_ms += 199999;
    assert_int_equal(fixture_begin(&w).entry, 1);
    rc_call_on_success(&w.call, w.now_ms);
    w.now_ms++;
    assert_int_equal(fixture_begin(&w).entry, 0);
}

/* A response in between resets the count. A target without an alternative is never closed. */
static void test_responses_reset_the_silence_count(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    for (int k = 0; k < 12; k++) {
        assert_int_equal(fixture_begin(&w).entry, 0);
        fixture_fail(&w, k % 3 == 2 ? RC_CODE_PROVIDER_5XX : RC_CODE_CONNECTION_FAILED, NO_HINT);
        rc_call_on_success(&w.call, w.now_ms);
    }
    fixture_init(&w, 1);
    for (int k = 0; k < 5; k++) {
        expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
        fixture_fail(&w, RC_CODE_CONNECTION_FAILED, NO_HINT);
        rc_call_on_cancel(&w.call, w.now_ms);
    }
    /* If all targets of a chain are closed, the one that opens first is tried. */
    fixture_init(&w, 2);
    rc_cooldown_assume(&w.targets[0].cooldown, w.now_ms + 9000);
    rc_cooldown_assume(&w.targets[1].cooldown, w.now_ms + 4000);
    w.targets[0].cooled_for = RC_CODE_CONNECTION_FAILED;
    w.targets[1].cooled_for = RC_CODE_NETWORK_TIMEOUT;
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_int_equal(action.entry, 1);
}

/* A call without an alternative does not wait for the end of a cooldown for missing responses, and
 * its STOP has no time. */
static void test_cooldown_for_silence_names_no_time(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    for (int i = 0; i < 4; i++) {
        rc_action action = fixture_begin(&w);
        while (action.kind != RC_DO_STOP)
            action = action.kind == RC_DO_WAIT
                         ? fixture_wake(&w, &action)
                         : fixture_fail(&w, RC_CODE_CONNECTION_RESET, NO_HINT);
        expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
        assert_int_equal(action.at_ms, 0);
    }
}

/* The limit of the owner applies, whatever the policy allows. */
static void test_no_more_calls_than_the_owner_allows(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.options.max_calls = 2;
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(wait.max_attempts, 2);
    fixture_wake(&w, &wait);
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_CALLS_SPENT, true);
    assert_true(rc_call_validate(&w.call));
    fixture_init(&w, 1);
    w.options.max_calls = 100;
    w.policy.max_calls = 1;
    fixture_begin(&w);
    expect_stop(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_WHY_CALLS_SPENT, true);
}

/* With the default policy, one overloaded target and a limit of one minute for all waits, the call
 * waits for 5, 10 and 20 s and then ends. */
static void test_sum_of_waits_has_a_limit(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    w.plan.policy = rc_policy_preset(RC_STR("transport"));
    w.options.max_wait_ms = 60000;
    uint64_t began_ms = w.now_ms;
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    while (action.kind == RC_DO_WAIT) {
        action = fixture_wake(&w, &action);
        action = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    }
    expect_stop(action, RC_WHY_WAITS_SPENT, true);
    assert_int_equal(action.attempt, 4);
    assert_in_range(w.now_ms - began_ms, 28000, 60000);
    /* If the hint is longer than the whole limit, the call ends, and the client may wait. */
    fixture_init(&w, 1);
    w.policy.default_rule.max_delay_ms = 300000;
    w.options.max_wait_ms = 60000;
    fixture_begin(&w);
    expect_stop(fixture_fail(&w, RC_CODE_RATE_LIMITED, 90000), RC_WHY_DELAY_TOO_LONG, false);
}

/* An entry that is tried again after a wait, because no other entry is open, belongs to the next
 * round: it gets no additional attempts when the other entries open. */
static void test_attempts_of_an_entry_count_over_all_rounds(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.policy.default_rule.max_attempts = 2;
    w.targets[1].cooldown.assumed_until_ms = w.now_ms + 60000;
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(fixture_wake(&w, &action).entry, 0);
    rc_shared_clear_target(&w.shared, 1, w.now_ms);
    action = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    assert_int_equal(action.entry, 1);
    rc_shared_clear_target(&w.shared, 0, w.now_ms);
    expect_stop(fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT), RC_WHY_ATTEMPTS_SPENT, true);
}

/* An entry with max_attempts of its own that was closed in the first round gets its attempts in a
 * later round. */
static void test_entry_with_own_attempts_gets_them_when_it_opens(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.entries[1].max_attempts = 1;
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 500);
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
    action = fixture_wake(&w, &action);
    if (action.entry == 0)
        action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(action, RC_DO_TRY, RC_WHY_FAILED_NEXT_TARGET);
    assert_int_equal(action.entry, 1);
    action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT); /* but not a second time */
    action = fixture_wake(&w, &action);
    assert_int_equal(action.entry, 0);
    expect_action(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_STOP,
                  RC_WHY_ATTEMPTS_SPENT);
}

/* If all entries are closed, the call waits for the entry that opens first, whichever entry failed
 * last. */
static void test_waits_for_the_entry_that_opens_first(void **state)
{
    (void)state;
    const rc_code last[] = {RC_CODE_OVERLOADED, RC_CODE_RATE_LIMITED, RC_CODE_QUOTA_EXHAUSTED};
    for (size_t i = 0; i < 3; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        fixture_begin(&w);
        assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 3000).entry, 1);
        rc_action action = fixture_fail(&w, last[i], 20000);
        expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
        assert_in_range(action.wait_ms, 3000, 5000);
        assert_true(rc_call_validate(&w.call));
        action = fixture_wake(&w, &action);
        expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
        assert_int_equal(action.entry, 0);
    }
    /* If that wait is too long, the call ends with its failure. */
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 700000);
    expect_stop(fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT), RC_WHY_CAPACITY_SPENT, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fails_over_before_it_waits),
        cmocka_unit_test(test_a_later_round_skips_spent_entries),
        cmocka_unit_test(test_a_hang_leaves_time_for_the_next),
        cmocka_unit_test(test_a_target_without_responses_cools_down),
        cmocka_unit_test(test_cooldown_grows_with_the_time_of_a_hang),
        cmocka_unit_test(test_responses_reset_the_silence_count),
        cmocka_unit_test(test_cooldown_for_silence_names_no_time),
        cmocka_unit_test(test_no_more_calls_than_the_owner_allows),
        cmocka_unit_test(test_sum_of_waits_has_a_limit),
        cmocka_unit_test(test_attempts_of_an_entry_count_over_all_rounds),
        cmocka_unit_test(test_entry_with_own_attempts_gets_them_when_it_opens),
        cmocka_unit_test(test_waits_for_the_entry_that_opens_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
