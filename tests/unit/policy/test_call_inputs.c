/* Tests of refreshes, inputs in the wrong state, the lock, the hedge entry, and sizes of
 * structs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* --- refreshes --- */

static void init_refresh(call_fixture *w)
{
    fixture_init(w, 2);
    w->entries[0].max_attempts = 1; /* the attempt after a refresh is not counted */
    rc_shared_set_pool(&w->shared, 0, 0, 1, NULL);
    w->credentials[0].can_refresh = true;
    fixture_begin(w);
}

static void test_refresh_once(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    rc_action action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(action, RC_DO_REFRESH, RC_WHY_REFRESH);
    assert_int_equal(action.credential, 0);
    assert_true(w.credentials[0].is_refreshing);
    assert_int_equal(fixture_in_flight(&w), 0);
    action = rc_call_on_refreshed(&w.call, true, w.now_ms + 10, 1);
    expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
    assert_int_equal(action.entry, 0);
    assert_int_equal(action.attempt, 2);
    assert_false(w.credentials[0].is_refreshing);
    assert_true(rc_call_validate(&w.call));
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
    assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), RC_CREDENTIAL_DEAD);
}

static void test_a_refresh_that_fails(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(rc_call_on_refreshed(&w.call, false, w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_REFRESH_FAILED);
    assert_false(w.credentials[0].is_refreshing);
    assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), RC_CREDENTIAL_DEAD);
}

static void test_two_calls_refresh_once(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    rc_call second;
    rc_call_init(&second, &w.plan, &w.shared, NULL, w.now_ms);
    rc_call_begin(&second, w.now_ms, 1);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_failure_facts failure = fixture_failure(RC_CODE_AUTH_FAILED, 4000);
    rc_action wait = rc_call_on_failure(&second, &failure, w.now_ms, 1);
    expect_action(wait, RC_DO_WAIT, RC_WHY_REFRESH);
    assert_int_equal(wait.wait_ms, 4000); /* the attempt does not start before the time of the
                                             hint */
    rc_call_on_refreshed(&w.call, true, w.now_ms + 100, 1);
    rc_action action = rc_call_on_wake(&second, wait.at_ms, 1);
    expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
    assert_int_equal(action.credential, 0);
    assert_true(rc_call_validate(&second));
    failure.retry_after_ms = NO_HINT;
    expect_action(rc_call_on_failure(&second, &failure, wait.at_ms, 1), RC_DO_STOP,
                  RC_WHY_NOT_RETRYABLE);
}

/* A rejected key does not become dead while another call refreshes it. */
static void test_a_key_in_refresh_is_not_killed(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    rc_call second;
    rc_call_init(&second, &w.plan, &w.shared, NULL, w.now_ms);
    rc_call_begin(&second, w.now_ms, 1);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_call_on_refreshed(&w.call, true, w.now_ms, 1);
    rc_failure_facts failure = fixture_failure(RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(rc_call_on_failure(&second, &failure, w.now_ms, 1), RC_DO_REFRESH,
                  RC_WHY_REFRESH);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
    assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), RC_CREDENTIAL_HEALTHY);
}

/* If one call could not refresh a key, the next call does not try to refresh it. */
static void test_a_dead_key_is_not_refreshed(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
    /* A key that became dead during its refresh is healthy with the fresh key. */
    init_refresh(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
    expect_action(rc_call_on_refreshed(&w.call, true, w.now_ms, 1), RC_DO_TRY, RC_WHY_REFRESHED);
}

static void test_each_target_may_refresh(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    rc_shared_set_pool(&w.shared, 1, 1, 1, NULL);
    w.credentials[1].can_refresh = true;
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_call_on_refreshed(&w.call, true, w.now_ms, 1);
    assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 5000).entry, 1);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_REFRESH, RC_WHY_REFRESH);
}

static void test_a_cancel_ends_the_refresh(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(rc_call_on_cancel(&w.call, w.now_ms), RC_DO_STOP, RC_WHY_CANCELLED);
    assert_false(w.credentials[0].is_refreshing);
    expect_action(rc_call_on_refreshed(&w.call, false, w.now_ms, 1), RC_DO_STOP, RC_WHY_CANCELLED);
    assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms), RC_CREDENTIAL_HEALTHY);
}

static void test_content_during_a_wait_or_refresh_is_final(void **state)
{
    (void)state;
    call_fixture w;
    init_refresh(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_call_on_commit(&w.call, w.now_ms);
    expect_action(rc_call_on_refreshed(&w.call, true, w.now_ms, 1), RC_DO_STOP, RC_WHY_COMMITTED);
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_call_on_commit(&w.call, w.now_ms);
    expect_action(fixture_wake(&w, &wait), RC_DO_STOP, RC_WHY_COMMITTED);
}

/* --- inputs in the wrong state --- */

typedef rc_action (*input)(rc_call *call, uint64_t now_ms);

static rc_action feed_begin(rc_call *call, uint64_t now_ms)
{
    return rc_call_begin(call, now_ms, 1);
}

static rc_action feed_failure(rc_call *call, uint64_t now_ms)
{
    rc_failure_facts failure = fixture_failure(RC_CODE_OVERLOADED, 100000);
    return rc_call_on_failure(call, &failure, now_ms, 1);
}

static rc_action feed_wake(rc_call *call, uint64_t now_ms)
{
    return rc_call_on_wake(call, now_ms, 1);
}

static rc_action feed_refreshed(rc_call *call, uint64_t now_ms)
{
    return rc_call_on_refreshed(call, false, now_ms, 1);
}

static const input inputs[] = {feed_begin, rc_call_on_success, feed_failure,
                               feed_wake,  feed_refreshed,     rc_call_on_cancel};
#define INPUTS (sizeof inputs / sizeof *inputs)

/* Brings a call into the state `state`: RC_CALL_NEW, RC_CALL_TRYING, RC_CALL_WAITING or
 * RC_CALL_REFRESHING. */
static void bring_to(call_fixture *w, int state)
{
    init_refresh(w);
    if (state == 0)
        rc_call_on_cancel(&w->call, w->now_ms);
    if (state == 0)
        rc_call_init(&w->call, &w->plan, &w->shared, &w->options, w->now_ms);
    if (state == 2) {
        rc_shared_set_service(&w->shared, 1, false);
        w->entries[0].max_attempts = 3;
        fixture_fail(w, RC_CODE_PROVIDER_5XX, NO_HINT);
    }
    if (state == 3)
        fixture_fail(w, RC_CODE_AUTH_FAILED, NO_HINT);
}

static void test_unexpected_inputs_cancel(void **state)
{
    (void)state;
    const unsigned expected[] = {1u << 0, 1u << 1 | 1u << 2, 1u << 3, 1u << 4};
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < INPUTS; k++) {
            call_fixture w;
            bring_to(&w, i);
            rc_action action = inputs[k](&w.call, w.now_ms);
            assert_true(rc_call_validate(&w.call));
            if (expected[i] >> k & 1)
                continue;
            expect_action(action, RC_DO_STOP, RC_WHY_CANCELLED);
            assert_int_equal(fixture_in_flight(&w), 0);
            assert_false(w.credentials[0].is_refreshing);
            assert_int_equal(rc_credential_state_at(&w.credentials[0], w.now_ms),
                             RC_CREDENTIAL_HEALTHY);
            assert_int_equal(w.targets[0].cooldown.enforced_until_ms, 0);
        }
    }
}

static void test_no_input_changes_a_final_action(void **state)
{
    (void)state;
    for (size_t k = 0; k < INPUTS; k++) {
        call_fixture w;
        fixture_init(&w, 2);
        fixture_begin(&w);
        rc_action last = rc_call_on_success(&w.call, w.now_ms);
        call_fixture before = w;
        for (int i = 0; i < 2; i++) {
            rc_action action = inputs[k](&w.call, w.now_ms + 5);
            assert_int_equal(action.kind, last.kind);
            assert_int_equal(action.reason, last.reason);
            assert_int_equal(action.attempt, last.attempt);
            assert_int_equal(action.at_ms, last.at_ms);
        }
        assert_int_equal(w.call.now_ms, before.call.now_ms);
        assert_int_equal(w.targets[0].cooldown.enforced_until_ms, 0);
        assert_int_equal(fixture_in_flight(&w), 0);
    }
}

static void test_an_earlier_time_is_replaced_by_the_latest(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    rc_failure_facts failure = fixture_failure(RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_action wait = rc_call_on_failure(&w.call, &failure, 10, 1);
    assert_int_equal(wait.at_ms, w.now_ms + 1000);
    expect_action(rc_call_on_wake(&w.call, 10, 1), RC_DO_WAIT, RC_WHY_BACKOFF);
}

/* --- lock, hedge entry, sizes --- */

typedef struct lock_count {
    int held;
    int rounds;
} lock_count;

static void lock(void *ctx)
{
    lock_count *count = ctx;
    assert_int_equal(count->held, 0);
    count->held = 1;
    count->rounds++;
}

static void unlock(void *ctx)
{
    lock_count *count = ctx;
    assert_int_equal(count->held, 1);
    count->held = 0;
}

static void test_each_input_locks_once(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        for (size_t k = 0; k < INPUTS; k++) {
            call_fixture w;
            bring_to(&w, i);
            lock_count count = {0};
            rc_shared_set_lock(&w.shared, &count, lock, unlock);
            count.rounds = 0;
            inputs[k](&w.call, w.now_ms);
            assert_int_equal(count.rounds, 1);
            assert_int_equal(count.held, 0);
            rc_call_hedge_entry(&w.call, w.now_ms);
            assert_int_equal(count.held, 0);
        }
    }
}

static void test_hedge_entry(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.entries[1].target = 0; /* an entry with the same target is not used for a hedge */
    fixture_begin(&w);
    assert_int_equal(rc_call_hedge_entry(&w.call, w.now_ms), 2);
    rc_shared_cool_down_target(&w.shared, 2, w.now_ms + 10);
    assert_int_equal(rc_call_hedge_entry(&w.call, w.now_ms), RC_NO_TARGET);
    assert_int_equal(rc_call_hedge_entry(&w.call, w.now_ms + 10), 2);
    assert_int_equal(w.skips.count, 0);
    rc_call_on_cancel(&w.call, w.now_ms);
    assert_int_equal(rc_call_hedge_entry(&w.call, w.now_ms + 10), RC_NO_TARGET);
}

static void test_validate_finds_faults(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    fixture_begin(&w);
    assert_true(rc_call_validate(&w.call));
    rc_call good = w.call;
    w.call.attempt.is_in_flight = false;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.entry_attempts = 4;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.calls = 11;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.last.max_attempts = 0;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.next_position = 0; /* sets the call back, as if the entry had not been tried */
    assert_false(rc_call_validate(&w.call));
    w.call.next_position = 2;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.state = 2;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.state = 9;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    w.call.attempt.entry = 9;
    assert_false(rc_call_validate(&w.call));
    w.call = good;
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, 500);
    assert_true(rc_call_validate(&w.call));
    w.call.last.at_ms--;
    assert_false(rc_call_validate(&w.call));
}

int main(void)
{
    _Static_assert(sizeof(rc_call) <= 384, "what docs/internals/call.md says");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refresh_once),
        cmocka_unit_test(test_a_refresh_that_fails),
        cmocka_unit_test(test_two_calls_refresh_once),
        cmocka_unit_test(test_a_key_in_refresh_is_not_killed),
        cmocka_unit_test(test_a_dead_key_is_not_refreshed),
        cmocka_unit_test(test_each_target_may_refresh),
        cmocka_unit_test(test_a_cancel_ends_the_refresh),
        cmocka_unit_test(test_content_during_a_wait_or_refresh_is_final),
        cmocka_unit_test(test_unexpected_inputs_cancel),
        cmocka_unit_test(test_no_input_changes_a_final_action),
        cmocka_unit_test(test_an_earlier_time_is_replaced_by_the_latest),
        cmocka_unit_test(test_each_input_locks_once),
        cmocka_unit_test(test_hedge_entry),
        cmocka_unit_test(test_validate_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
