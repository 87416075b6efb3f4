/* Tests of closed targets: by an assumed cooldown at the end of the chain, until an operator acts,
 * by dead credentials; and of the failures that close a target. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

/* --- assumed cooldowns --- */

/* Both targets of a chain fail without a hint: the call waits for the time of its policy. */
static void test_assumed_cooldown_does_not_lengthen_the_last_wait(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.policy.default_rule.base_ms = 50;
    w.policy.default_rule.max_delay_ms = 1000; /* shorter than an assumed cooldown */
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT), RC_DO_TRY,
                  RC_WHY_COOLING_NEXT_TARGET);
    rc_action wait = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(wait.wait_ms, 50);
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
    assert_int_equal(action.entry, 1);
    assert_int_equal(w.skips.count, 0); /* no entry was skipped */
    /* For other calls, the assumed cooldown closes the target. */
    rc_call other;
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
    expect_action(rc_call_begin(&other, w.now_ms, 1), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
}

static void test_the_preset_follows_its_schedule(void **state)
{
    (void)state;
    uint64_t min_ms = UINT64_MAX;
    uint64_t max_ms = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        w.plan.policy = rc_policy_preset(RC_STR("transport"));
        fixture_begin(&w);
        fixture_fail(&w, RC_CODE_RATE_LIMITED, NO_HINT);
        rc_failure_facts failure = fixture_failure(RC_CODE_RATE_LIMITED, NO_HINT);
        rc_action wait =
            rc_call_on_failure(&w.call, &failure, w.now_ms, i * UINT64_C(0x9e3779b97f4a7c15));
        expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
        min_ms = wait.wait_ms < min_ms ? wait.wait_ms : min_ms;
        max_ms = wait.wait_ms > max_ms ? wait.wait_ms : max_ms;
    }
    assert_in_range(min_ms, 4000, 4100);
    assert_in_range(max_ms, 5900, 6000);
}

/* The last usable key of a target is used in spite of an assumed cooldown; a key without an assumed
 * cooldown is used first. */
static void test_assumed_key_cooldown_at_the_last_target(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 1, 0, 2, NULL);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, 90000);
    expect_action(fixture_fail(&w, RC_CODE_RATE_LIMITED, NO_HINT), RC_DO_TRY,
                  RC_WHY_NEXT_CREDENTIAL);
    rc_action wait = fixture_fail(&w, RC_CODE_RATE_LIMITED, NO_HINT);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_int_equal(wait.wait_ms, 1000);
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
    assert_true(action.credential < 2);
}

static void test_enforced_cooldown_still_applies(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.policy.default_rule.max_delay_ms = 3000;
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 2000);
    rc_action wait = fixture_fail(&w, RC_CODE_OVERLOADED, NO_HINT);
    expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
    assert_in_range(wait.wait_ms, 2000, 2999);
    rc_shared_cool_down_target(&w.shared, 1, wait.at_ms + 3001);
    expect_action(fixture_wake(&w, &wait), RC_DO_STOP, RC_WHY_DELAY_TOO_LONG);
}

/* --- closed for good --- */

static void test_target_closed_for_good_is_not_waited_for(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
        rc_reason reason = i ? RC_WHY_CREDENTIALS_DEAD : RC_WHY_ALL_UNAVAILABLE;
        fixture_begin(&w);
        rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        if (i == 0)
            rc_shared_set_service(&w.shared, 0, false);
        else
            rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
        rc_action action = fixture_wake(&w, &wait);
        expect_action(action, RC_DO_STOP, reason);
        assert_int_equal(action.at_ms, 0);
        assert_false(action.is_retry_exhausted);
        assert_true(w.skips.list[0].until_ms == RC_UNLIMITED);
        /* The call also stops if the target is taken out of service before the wait. */
        rc_shared_set_service(&w.shared, 0, true);
        rc_shared_revive_credential(&w.shared, 0);
        fixture_begin(&w);
        if (i == 0)
            rc_shared_set_service(&w.shared, 0, false);
        else
            rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
        expect_action(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_STOP, reason);
    }
}

/* Another target will open: the STOP has the time at which it opens, and its reason is not
 * CREDENTIALS_DEAD. */
static void test_another_target_that_opens_later(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 9000);
    fixture_begin(&w);
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
    uint64_t open_at_ms = w.now_ms + 9000;
    rc_action action = fixture_wake(&w, &wait);
    expect_action(action, RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    assert_int_equal(action.at_ms, open_at_ms);
}

/* --- dead credentials at the beginning --- */

#define FIRST_COOLDOWN_MS UINT64_C(30000)

static void test_all_calls_after_a_rejected_key(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
    w.now_ms += FIRST_COOLDOWN_MS - 1;
    rc_action action = fixture_begin(&w);
    expect_action(action, RC_DO_STOP, RC_WHY_CREDENTIALS_DEAD);
    assert_int_equal(action.at_ms, 0);
    assert_false(action.is_retry_exhausted);
    assert_int_equal(w.skips.list[0].reason, RC_WHY_CREDENTIALS_DEAD);
    rc_shared_revive_credential(&w.shared, 0);
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
}

/* The provider may have rejected a key by mistake, so the key is probed after some time. */
static void test_a_rejected_key_is_probed(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    const uint64_t cooldown_ms = FIRST_COOLDOWN_MS;
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    w.now_ms += cooldown_ms - 1;
    expect_action(fixture_begin(&w), RC_DO_STOP, RC_WHY_CREDENTIALS_DEAD);
    w.now_ms++;
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    /* Only one call at a time probes the key. After a probe with a neutral end, the next call is
     * the probe. */
    rc_call other;
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
    expect_action(rc_call_begin(&other, w.now_ms, 1), RC_DO_STOP, RC_WHY_CREDENTIALS_DEAD);
    rc_call_on_cancel(&w.call, w.now_ms);
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP, RC_WHY_NOT_RETRYABLE);
    /* Each rejection makes the next cooldown longer, up to exhausted_ms. */
    w.now_ms += 2 * cooldown_ms - 1;
    expect_action(fixture_begin(&w), RC_DO_STOP, RC_WHY_CREDENTIALS_DEAD);
    w.now_ms++;
    for (int i = 0; i < 10; i++) {
        fixture_begin(&w);
        fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
        w.now_ms += w.shared.settings.exhausted_ms;
    }
    fixture_begin(&w);
    rc_call_on_success(&w.call, w.now_ms);
    assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_HEALTHY);
    /* The beginning of a response is sufficient to revive the key. */
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    w.now_ms += cooldown_ms;
    fixture_begin(&w);
    rc_call_on_commit(&w.call, w.now_ms);
    assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_HEALTHY);
    /* The key is then healthy. Attempts that began before the rejection do not revive a key. */
    rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
    rc_call_begin(&other, w.now_ms, 1);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    rc_call_on_success(&other, w.now_ms);
    assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_DEAD);
    assert_true(rc_shared_validate(&w.shared));
}

/* An exhausted quota for which the provider named no time is probed in the same way; the next key
 * is used in the meantime. */
static void test_an_exhausted_quota_is_probed(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    uint64_t cooldown_ms = FIRST_COOLDOWN_MS;
    for (int i = 0; i < 8; i++) {
        expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
        rc_call other;
        rc_call_init(&other, &w.plan, &w.shared, &w.options, w.now_ms);
        assert_int_equal(rc_call_begin(&other, w.now_ms, 1).kind, i == 0 ? RC_DO_TRY : RC_DO_STOP);
        fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
        if (i == 0) { /* the failure of an attempt in flight does not extend the cooldown */
            rc_failure_facts failure = fixture_failure(RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
            rc_call_on_failure(&other, &failure, w.now_ms, 1);
        }
        w.now_ms += cooldown_ms - 1;
        expect_action(fixture_begin(&w), RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
        w.now_ms++;
        cooldown_ms = cooldown_ms * 2 < w.shared.settings.exhausted_ms
                          ? cooldown_ms * 2
                          : w.shared.settings.exhausted_ms;
    }
    /* After the account was credited, the probe opens the key for all calls. */
    fixture_begin(&w);
    rc_call_on_success(&w.call, w.now_ms);
    assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_HEALTHY);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
    assert_int_equal(w.credentials[0].cooldown.enforced_until_ms, w.now_ms + FIRST_COOLDOWN_MS);
    assert_true(rc_shared_validate(&w.shared));
}

/* The call whose attempt was the probe does not fail: it uses another key or another target. */
static void test_a_failed_probe_does_not_fail_its_call(void **state)
{
    (void)state;
    for (int has_other_key = 0; has_other_key < 2; has_other_key++) {
        call_fixture w;
        fixture_init(&w, 2);
        rc_shared_set_pool(&w.shared, 0, 0, (uint16_t)(1 + has_other_key), NULL);
        fixture_begin(&w);
        fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
        w.now_ms += w.shared.settings.exhausted_ms;
        rc_action action = fixture_begin(&w);
        if (has_other_key && action.credential == 1) { /* the other key is used first */
            rc_call_on_success(&w.call, w.now_ms);
            action = fixture_begin(&w);
        }
        assert_int_equal(action.credential, 0);
        action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
        expect_action(action, RC_DO_TRY,
                      has_other_key ? RC_WHY_NEXT_CREDENTIAL : RC_WHY_COOLING_NEXT_TARGET);
        assert_int_equal(action.entry, has_other_key ? 0 : 1);
        assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_DEAD);
        /* A rejection of a key that was not a probe ends the call and is reported to the client. */
        expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_STOP,
                      RC_WHY_NOT_RETRYABLE);
    }
}

/* If a path requires another kind of key, a rejection there does not mark the key as dead. */
static void test_an_exempt_key_is_not_killed(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 1, NULL);
    fixture_begin(&w);
    rc_failure_facts failure = fixture_failure(RC_CODE_AUTH_FAILED, NO_HINT);
    failure.is_key_exempt = true;
    expect_action(rc_call_on_failure(&w.call, &failure, w.now_ms, 1), RC_DO_STOP,
                  RC_WHY_NOT_RETRYABLE);
    assert_int_equal(w.credentials[0].state, RC_CREDENTIAL_HEALTHY);
    expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
}

/* If an attempt had too little time, its missing response does not count against the target. */
static void test_an_exempt_target_stays_open(void **state)
{
    (void)state;
    for (int is_cleared = 0; is_cleared < 2; is_cleared++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.shared.settings.breaker.min_calls = 2;
        rc_failure_facts failure = fixture_failure(RC_CODE_NETWORK_TIMEOUT, NO_HINT);
        failure.is_target_exempt = is_cleared;
        failure.is_retryable = false;
        for (int i = 0; i < 2; i++) {
            expect_action(fixture_begin(&w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
            expect_action(rc_call_on_failure(&w.call, &failure, w.now_ms, 1), RC_DO_STOP,
                          RC_WHY_NOT_RETRYABLE);
        }
        assert_int_equal(w.targets[0].breaker.state,
                         is_cleared ? RC_BREAKER_CLOSED : RC_BREAKER_OPEN);
    }
}

static void test_dead_credentials_are_the_reason_if_nothing_else_opens(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        call_fixture w;
        fixture_init(&w, 2);
        rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
        rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
        rc_shared_cool_down_credential(&w.shared, 1, RC_CREDENTIAL_DEAD, 0);
        rc_shared_set_service(&w.shared, 1, false);
        if (i == 1) { /* the target cools down, so it opens later */
            rc_shared_set_service(&w.shared, 1, true);
            rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 10);
        }
        if (i == 2) { /* the target is at its concurrency limit */
            rc_shared_set_service(&w.shared, 1, true);
            rc_shared_set_limit(&w.shared, 1, 1);
            assert_true(rc_limiter_take(&w.targets[1].limiter));
        }
        if (i == 3) /* no key of the target was rejected */
            rc_shared_set_service(&w.shared, 0, false);
        if (i == 4) { /* the target lacks a capability, so it is not a candidate */
            rc_shared_set_service(&w.shared, 1, true);
            w.entries[1].capabilities = 0;
            w.options.needs = RC_NEED_TOOLS;
        }
        bool is_dead = i == 0 || i == 4;
        rc_action action = fixture_begin(&w);
        expect_action(action, RC_DO_STOP,
                      is_dead ? RC_WHY_CREDENTIALS_DEAD : RC_WHY_ALL_UNAVAILABLE);
        assert_int_equal(action.at_ms, i == 1 ? w.now_ms + 10 : 0);
    }
}

/* --- failures that cool a target down --- */

static void test_only_the_provider_cools_its_target(void **state)
{
    (void)state;
    static const struct {
        rc_code code;
        bool cools;
    } cases[] = {
        {RC_CODE_PROVIDER_5XX, true},       {RC_CODE_NETWORK_TIMEOUT, true},
        {RC_CODE_CONNECTION_FAILED, true},  {RC_CODE_CONFLICT, false},
        {RC_CODE_STORE_UNAVAILABLE, false}, {RC_CODE_EXECUTION_FAILED, false},
        {RC_CODE_UNKNOWN, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_fixture w;
        fixture_init(&w, 1);
        fixture_begin(&w);
        rc_failure_facts failure = fixture_failure(cases[i].code, 30000);
        failure.code = cases[i].code;
        failure.is_retryable = true;
        rc_action wait = rc_call_on_failure(&w.call, &failure, w.now_ms, 1);
        /* The call that got the retry hint always waits for the hinted time, even if the failure
         * does not close the target for other calls. */
        expect_action(wait, RC_DO_WAIT, RC_WHY_HINT);
        assert_int_equal(wait.wait_ms, 30000);
        rc_call other;
        rc_call_init(&other, &w.plan, &w.shared, NULL, w.now_ms);
        assert_int_equal(rc_call_begin(&other, w.now_ms, 1).kind,
                         cases[i].cools ? RC_DO_STOP : RC_DO_TRY);
    }
}

/* A hint that sets no cooldown still applies to this call, in every entry with the same target. */
static void test_the_hint_applies_to_the_same_target_in_another_entry(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.entries[0].max_attempts = 1;
    w.entries[1].target = 0;
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_CONFLICT, 30000);
    expect_action(action, RC_DO_TRY, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    assert_int_equal(action.target, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_assumed_cooldown_does_not_lengthen_the_last_wait),
        cmocka_unit_test(test_the_preset_follows_its_schedule),
        cmocka_unit_test(test_assumed_key_cooldown_at_the_last_target),
        cmocka_unit_test(test_enforced_cooldown_still_applies),
        cmocka_unit_test(test_target_closed_for_good_is_not_waited_for),
        cmocka_unit_test(test_another_target_that_opens_later),
        cmocka_unit_test(test_all_calls_after_a_rejected_key),
        cmocka_unit_test(test_a_rejected_key_is_probed),
        cmocka_unit_test(test_an_exhausted_quota_is_probed),
        cmocka_unit_test(test_a_failed_probe_does_not_fail_its_call),
        cmocka_unit_test(test_an_exempt_key_is_not_killed),
        cmocka_unit_test(test_an_exempt_target_stays_open),
        cmocka_unit_test(test_dead_credentials_are_the_reason_if_nothing_else_opens),
        cmocka_unit_test(test_only_the_provider_cools_its_target),
        cmocka_unit_test(test_the_hint_applies_to_the_same_target_in_another_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
