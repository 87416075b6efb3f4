/* Tests of a rejected credential: only this credential is refreshed and used again, at its own
 * target, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* Two calls use credential 0 of target 0, which has two credentials; a second target is healthy.
 * The first call is rejected and refreshes the credential. */
typedef struct two {
    call_fixture w;
    rc_call second;
} two;

static void init_two(two *t)
{
    fixture_init(&t->w, 2);
    rc_shared_set_pool(&t->w.shared, 0, 0, 2, NULL);
    rc_shared_set_refresh(&t->w.shared, 0, true);
    rc_shared_set_refresh(&t->w.shared, 1, true);
    assert_int_equal(fixture_begin(&t->w).credential, 0);
    t->w.targets[0].next_credential = 0;
    rc_call_init(&t->second, &t->w.plan, &t->w.shared, NULL, t->w.now_ms);
    assert_int_equal(rc_call_begin(&t->second, t->w.now_ms, 1).credential, 0);
    expect_action(fixture_fail(&t->w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_REFRESH, RC_WHY_REFRESH);
}

static rc_action refuse_second(two *t)
{
    rc_failure_facts failure = fixture_failure(RC_CODE_AUTH_FAILED, NO_HINT);
    rc_action wait = rc_call_on_failure(&t->second, &failure, t->w.now_ms, 1);
    expect_action(wait, RC_DO_WAIT, RC_WHY_REFRESH);
    return wait;
}

static rc_action wake_second(two *t, const rc_action *wait)
{
    t->w.now_ms = wait->at_ms;
    rc_action action = rc_call_on_wake(&t->second, t->w.now_ms, 1);
    assert_true(rc_call_validate(&t->second));
    return action;
}

static void test_the_refreshed_key_is_tried(void **state)
{
    (void)state;
    two t;
    init_two(&t);
    rc_action wait = refuse_second(&t);
    rc_action action = rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1);
    expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
    assert_int_equal(action.credential, 0); /* the refreshed credential, not the next one in
                                               rotation */
    assert_int_equal(action.from_credential, 0);
    action = wake_second(&t, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
    assert_int_equal(action.entry, 0);
    assert_int_equal(action.credential, 0);
}

/* The second call waits while the first refreshes; each wait counts as an attempt and takes no
 * token. */
static void test_waits_again_while_another_refreshes(void **state)
{
    (void)state;
    two t;
    init_two(&t);
    fixture_set_tokens(&t.w, 3);
    rc_action wait = refuse_second(&t);
    wait = wake_second(&t, &wait);
    expect_action(wait, RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    assert_int_equal(wait.entry, 0);
    assert_int_equal(rc_retry_budget_tokens(&t.w.shared.retry_budget, t.w.now_ms), 2);
    rc_call copy = t.second;
    rc_action action = wake_second(&t, &wait);
    expect_action(action, RC_DO_STOP, RC_WHY_REFRESH_FAILED);
    assert_false(action.is_retry_exhausted);
    t.second = copy;
    rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1);
    expect_action(wake_second(&t, &wait), RC_DO_TRY, RC_WHY_REFRESHED);
}

/* Both calls continue with the other key and do not use the other target. */
static void test_a_failed_refresh_leads_to_the_other_key(void **state)
{
    (void)state;
    two t;
    init_two(&t);
    rc_action wait = refuse_second(&t);
    rc_action action = rc_call_on_refreshed(&t.w.call, false, t.w.now_ms, 1);
    expect_action(action, RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
    assert_int_equal(action.credential, 1);
    action = wake_second(&t, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
    assert_int_equal(action.entry, 0);
    assert_int_equal(action.credential, 1);
    /* The other key may be refreshed, too; after that no key is left. */
    rc_failure_facts failure = fixture_failure(RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(rc_call_on_failure(&t.second, &failure, t.w.now_ms, 1), RC_DO_REFRESH,
                  RC_WHY_REFRESH);
    expect_action(rc_call_on_refreshed(&t.second, false, t.w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_REFRESH_FAILED);
}

/* A body that cannot be sent again, or a policy that excludes the code, ends the call. */
static void test_conditions_that_forbid_the_other_key(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        w.options.is_unrepeatable = i == 0;
        w.policy.max_calls = i == 1 ? 1 : 10;
        w.policy.enabled = i != 2;
        if (i == 3)
            rc_code_set_add(&w.policy.never_retry_on, RC_CODE_AUTH_FAILED);
        fixture_begin(&w);
        expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP,
                      RC_WHY_NOT_RETRYABLE);
    }
}

/* If the target closes during the refresh, the call waits for it with the fresh key, or ends. */
static void test_waits_for_a_closed_target_after_a_refresh(void **state)
{
    (void)state;
    two t;
    init_two(&t);
    rc_shared_cool_down_target(&t.w.shared, 0, t.w.now_ms + 5000);
    rc_action wait = rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1);
    expect_action(wait, RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    assert_true(wait.at_ms >= t.w.now_ms + 5000);
    assert_int_equal(t.w.skips.count, 1);
    rc_action action = fixture_wake(&t.w, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
    assert_int_equal(action.entry, 0);

    init_two(&t);
    rc_shared_set_service(&t.w.shared, 0, false);
    expect_action(rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_REFRESH_FAILED);
    /* The call waits for the end of an enforced cooldown of its key and uses no other key. */
    init_two(&t);
    rc_shared_cool_down_credential(&t.w.shared, 0, RC_CREDENTIAL_COOLING, t.w.now_ms + 3000);
    wait = rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1);
    expect_action(wait, RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    assert_int_equal(fixture_wake(&t.w, &wait).credential, 0);
    /* An assumed cooldown is ignored, because the call has no alternative. */
    init_two(&t);
    rc_credential_cool_down(&t.w.credentials[0], RC_CREDENTIAL_COOLING, t.w.now_ms + 3000, false);
    expect_action(rc_call_on_refreshed(&t.w.call, true, t.w.now_ms, 1), RC_DO_TRY,
                  RC_WHY_REFRESHED);
}

static void test_no_attempt_before_the_hint(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
        rc_shared_set_refresh(&w.shared, 0, true);
        fixture_begin(&w);
        fixture_set_tokens(&w, 5);
        uint64_t hint_at_ms = w.now_ms + 4000;
        expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, 4000), RC_DO_REFRESH, RC_WHY_REFRESH);
        w.now_ms += i ? 4000 : 100;
        rc_action action = rc_call_on_refreshed(&w.call, true, w.now_ms, 1);
        if (i == 0) {
            expect_action(action, RC_DO_WAIT, RC_WHY_HINT);
            assert_int_equal(action.at_ms, hint_at_ms);
            assert_true(action.attempt < action.max_attempts);
            action = fixture_wake(&w, &action);
        }
        expect_action(action, RC_DO_TRY, RC_WHY_REFRESHED);
        assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, w.now_ms),
                         4); /* one call, one token */
    }
    /* A hint that is longer than the policy allows ends the call; other calls can use the fresh
     * key. */
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    rc_shared_set_refresh(&w.shared, 0, true);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, 60001);
    expect_action(rc_call_on_refreshed(&w.call, true, w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_DELAY_TOO_LONG);
    assert_true(rc_credential_is_usable(&w.credentials[0], false, w.now_ms));
}

/* Conditions that forbid another call also forbid the refresh; AuthFailed is then an ordinary fatal
 * failure. */
static void test_conditions_that_forbid_a_refresh(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
        rc_shared_set_refresh(&w.shared, 0, true);
        w.options.deadline_at_ms = w.now_ms + 1000;
        fixture_begin(&w);
        w.policy.enabled = i != 0;
        if (i == 1)
            rc_code_set_add(&w.policy.never_retry_on, RC_CODE_AUTH_FAILED);
        if (i == 2)
            w.now_ms += 1000;
        if (i == 3)
            w.policy.max_calls = 1;
        if (i == 4)
            fixture_set_tokens(&w, 0);
        w.policy.min_remaining_ms = i == 5 ? 1000 : 0;
        rc_action action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
        expect_action(action, RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
        assert_false(action.is_retry_exhausted);
        /* Another call may still refresh the key. */
        assert_true(rc_credential_is_usable(&w.credentials[0], false, w.now_ms));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_refreshed_key_is_tried),
        cmocka_unit_test(test_waits_again_while_another_refreshes),
        cmocka_unit_test(test_a_failed_refresh_leads_to_the_other_key),
        cmocka_unit_test(test_conditions_that_forbid_the_other_key),
        cmocka_unit_test(test_waits_for_a_closed_target_after_a_refresh),
        cmocka_unit_test(test_no_attempt_before_the_hint),
        cmocka_unit_test(test_conditions_that_forbid_a_refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
