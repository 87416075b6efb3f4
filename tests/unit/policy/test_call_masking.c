/* Tests of fallback_on: fatal failures after which the next target is tried; the failures are
 * recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/call_fixture.h"

static rc_code_set masked(rc_code code)
{
    rc_code_set set = {{0}};
    rc_code_set_add(&set, code);
    return set;
}

static void a_named_code_goes_to_the_next_target_once(void **state)
{
    (void)state;
    call_fixture w;
    const rc_code_set set = masked(RC_CODE_MODEL_NOT_FOUND);
    fixture_init(&w, 2);
    w.plan.fallback_on = &set;
    fixture_begin(&w);
    rc_action action = fixture_fail(&w, RC_CODE_MODEL_NOT_FOUND, NO_HINT);
    expect_action(action, RC_DO_TRY, RC_WHY_MASKED_NEXT_TARGET);
    assert_int_equal(action.from_entry, 0);
    assert_int_equal(action.entry, 1);
    assert_true(rc_call_validate(&w.call));
    /* At the last target, the failure of this target is returned. */
    expect_stop(fixture_fail(&w, RC_CODE_MODEL_NOT_FOUND, NO_HINT), RC_WHY_NOT_RETRYABLE, false);
    assert_int_equal(fixture_in_flight(&w), 0);
}

/* An entry after whose fatal failure the call continued would fail again, so later rounds leave it
 * out. */
static void a_masked_entry_is_not_tried_again(void **state)
{
    (void)state;
    call_fixture w;
    const rc_code_set set = masked(RC_CODE_PERMISSION_DENIED);
    fixture_init(&w, 2);
    w.plan.fallback_on = &set;
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_PERMISSION_DENIED, NO_HINT);
    rc_action action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
    action = fixture_wake(&w, &action);
    expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
    assert_int_equal(action.entry, 1);
}

static void other_codes_and_limits_stop_as_before(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        call_fixture w;
        rc_code_set set = masked(RC_CODE_MODEL_NOT_FOUND);
        fixture_init(&w, i == 0 ? 1 : 2);
        w.plan.fallback_on = i == 1 ? NULL : &set;
        w.options.is_unrepeatable = i == 2;
        w.policy.enabled = i != 3;
        w.policy.max_calls = i == 4 ? 1 : 10;
        fixture_begin(&w);
        const rc_code code = i == 5 ? RC_CODE_CONTENT_FILTER : RC_CODE_MODEL_NOT_FOUND;
        expect_stop(fixture_fail(&w, code, NO_HINT), RC_WHY_NOT_RETRYABLE, false);
        const bool has_standby = i == 1 || i == 3 || i == 4 || i == 5;
        assert_int_equal(rc_call_standby_entry(&w.call, w.now_ms), has_standby ? 1 : RC_NO_TARGET);
    }
}

/* Another key of the same target is used before another target. */
static void another_key_comes_first(void **state)
{
    (void)state;
    call_fixture w;
    const rc_code_set set = masked(RC_CODE_AUTH_FAILED);
    fixture_init(&w, 2);
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    w.plan.fallback_on = &set;
    fixture_begin(&w);
    expect_action(fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_TRY,
                  RC_WHY_NEXT_CREDENTIAL);
    const rc_action action = fixture_fail(&w, RC_CODE_AUTH_FAILED, NO_HINT);
    expect_action(action, RC_DO_TRY, RC_WHY_MASKED_NEXT_TARGET);
    assert_int_equal(action.entry, 1);
    assert_true(rc_call_validate(&w.call));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_named_code_goes_to_the_next_target_once),
        cmocka_unit_test(a_masked_entry_is_not_tried_again),
        cmocka_unit_test(other_codes_and_limits_stop_as_before),
        cmocka_unit_test(another_key_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
