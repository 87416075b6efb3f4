/* Tests of limits per model: a key that is limited at one target can be used at another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/call_fixture.h"

#define HINT_MS 30000

/* Two models of one provider, with the same two keys. */
typedef struct fixture {
    call_fixture w;
    rc_credential limits[2][2];
} fixture;

static void init(fixture *f, uint16_t keys)
{
    *f = (fixture){0};
    fixture_init(&f->w, 2);
    for (uint16_t i = 0; i < 2; i++)
        rc_shared_set_pool(&f->w.shared, i, 0, keys, f->limits[i]);
    assert_true(rc_shared_validate(&f->w.shared));
}

/* Begins another call at the entry. */
static rc_action begin_at(fixture *f, uint16_t entry)
{
    call_fixture *w = &f->w;
    w->options.first_entry = entry;
    return fixture_begin(w);
}

static void a_rate_limit_closes_the_key_for_one_model(void **state)
{
    (void)state;
    fixture f;
    init(&f, 1);
    expect_action(begin_at(&f, 0), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    rc_action next = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, HINT_MS);
    expect_action(next, RC_DO_TRY, RC_WHY_COOLING_NEXT_TARGET);
    assert_int_equal(next.entry, 1);
    assert_int_equal(next.credential, 0);
    assert_int_equal(rc_call_on_success(&f.w.call, f.w.now_ms).kind, RC_DO_DELIVER);
    /* For another call, the rate limit closes the key at the first target and leaves the key open
     * at the second target. */
    rc_action other = begin_at(&f, 0);
    expect_action(other, RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    assert_int_equal(other.entry, 1);
    assert_int_equal(f.w.skips.count, 1);
    rc_call_on_success(&f.w.call, f.w.now_ms);
    f.w.now_ms += HINT_MS;
    assert_int_equal(begin_at(&f, 0).entry, 0);
    assert_int_equal(f.w.credentials[0].state, RC_CREDENTIAL_HEALTHY);
    assert_true(rc_shared_validate(&f.w.shared));
}

static void other_keys_are_used_first(void **state)
{
    (void)state;
    fixture f;
    init(&f, 2);
    begin_at(&f, 0);
    rc_action next = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, HINT_MS);
    expect_action(next, RC_DO_TRY, RC_WHY_NEXT_CREDENTIAL);
    assert_int_equal(next.entry, 0);
    assert_int_equal(next.credential, 1);
    next = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, HINT_MS / 2);
    expect_action(next, RC_DO_TRY, RC_WHY_COOLING_NEXT_TARGET);
    rc_call_on_success(&f.w.call, f.w.now_ms);
    /* If the call has no alternative, the target opens when the first of its keys becomes
     * usable. */
    f.w.plan.chain_count = 1;
    rc_action stop = begin_at(&f, 0);
    expect_action(stop, RC_DO_STOP, RC_WHY_ALL_UNAVAILABLE);
    assert_int_equal(stop.at_ms, f.w.now_ms + HINT_MS / 2);
}

static void a_quota_limits_the_key_for_one_model_or_for_the_account(void **state)
{
    (void)state;
    static const struct {
        rc_limit_kind kind;
        bool is_of_model;
    } cases[] = {{RC_LIMIT_KIND_DAILY, true},
                 {RC_LIMIT_KIND_BALANCE, false},
                 {RC_LIMIT_KIND_PLAN, false},
                 {RC_LIMIT_KIND_NONE, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        init(&f, 1);
        begin_at(&f, 0);
        rc_action next = fixture_fail_limit(&f.w, RC_CODE_QUOTA_EXHAUSTED, cases[i].kind, NO_HINT);
        assert_int_equal(next.kind, cases[i].is_of_model ? RC_DO_TRY : RC_DO_STOP);
        assert_int_equal(f.limits[0][0].state,
                         cases[i].is_of_model ? RC_CREDENTIAL_EXHAUSTED : RC_CREDENTIAL_HEALTHY);
        assert_int_equal(f.w.credentials[0].state,
                         cases[i].is_of_model ? RC_CREDENTIAL_HEALTHY : RC_CREDENTIAL_EXHAUSTED);
    }
}

/* If a target has no rows for limits, a limit applies at all targets with the key. */
static void without_records_a_limit_holds_everywhere(void **state)
{
    (void)state;
    fixture f;
    init(&f, 1);
    rc_shared_set_pool(&f.w.shared, 0, 0, 1, NULL);
    begin_at(&f, 0);
    rc_action wait = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, HINT_MS);
    assert_int_equal(wait.kind, RC_DO_WAIT);
    assert_int_equal(f.w.credentials[0].state, RC_CREDENTIAL_COOLING);
    assert_null(rc_target_limit(&f.w.targets[0], 0));
    rc_shared_limit_credential(&f.w.shared, 0, 0, RC_CREDENTIAL_EXHAUSTED, f.w.now_ms + 1);
    rc_shared_limit_credential(&f.w.shared, 99, 0, RC_CREDENTIAL_EXHAUSTED, f.w.now_ms + 1);
    assert_true(rc_shared_validate(&f.w.shared));
}

/* A fresh key is used at its target as soon as the limit there allows it. */
static void a_fresh_key_observes_the_limit(void **state)
{
    (void)state;
    fixture f;
    init(&f, 1);
    rc_shared_set_refresh(&f.w.shared, 0, true);
    begin_at(&f, 0);
    expect_action(fixture_fail(&f.w, RC_CODE_AUTH_FAILED, NO_HINT), RC_DO_REFRESH, RC_WHY_REFRESH);
    rc_shared_limit_credential(&f.w.shared, 0, 0, RC_CREDENTIAL_COOLING, f.w.now_ms + 2000);
    rc_action wait = rc_call_on_refreshed(&f.w.call, true, f.w.now_ms, 1);
    assert_int_equal(wait.kind, RC_DO_WAIT);
    assert_true(wait.at_ms >= f.w.now_ms + 2000);
}

static void an_operator_can_clear_limits(void **state)
{
    (void)state;
    fixture f;
    const rc_credential_state healthy = RC_CREDENTIAL_HEALTHY;
    init(&f, 2);
    const uint64_t until_ms = f.w.now_ms + HINT_MS;
    for (uint16_t i = 0; i < 2; i++)
        for (uint16_t k = 0; k < 2; k++)
            rc_shared_limit_credential(&f.w.shared, i, k, RC_CREDENTIAL_EXHAUSTED, until_ms);
    rc_shared_clear_target(&f.w.shared, 0, f.w.now_ms);
    assert_int_equal(rc_credential_state_at(&f.limits[0][0], f.w.now_ms), healthy);
    assert_int_equal(rc_credential_state_at(&f.limits[0][1], f.w.now_ms), healthy);
    assert_int_equal(rc_credential_state_at(&f.limits[1][0], f.w.now_ms), RC_CREDENTIAL_EXHAUSTED);
    rc_shared_revive_credential(&f.w.shared, 0);
    assert_int_equal(rc_credential_state_at(&f.limits[1][0], f.w.now_ms), healthy);
    assert_int_equal(rc_credential_state_at(&f.limits[1][1], f.w.now_ms), RC_CREDENTIAL_EXHAUSTED);
}

static void validate_finds_faults(void **state)
{
    (void)state;
    fixture f;
    init(&f, 2);
    assert_ptr_equal(rc_target_limit(&f.w.targets[1], 1), &f.limits[1][1]);
    assert_null(rc_target_limit(&f.w.targets[1], 2));
    assert_null(rc_target_limit(&f.w.targets[1], RC_NO_TARGET));
    f.limits[1][1].state = RC_CREDENTIAL_DEAD; /* a key is dead at all targets or at none, so this
                                                  state is invalid */
    assert_false(rc_shared_validate(&f.w.shared));
    f.limits[1][1].state = RC_CREDENTIAL_HEALTHY;
    f.limits[1][1].is_refreshing = true;
    assert_false(rc_shared_validate(&f.w.shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_limit_closes_the_key_for_one_model),
        cmocka_unit_test(other_keys_are_used_first),
        cmocka_unit_test(a_quota_limits_the_key_for_one_model_or_for_the_account),
        cmocka_unit_test(without_records_a_limit_holds_everywhere),
        cmocka_unit_test(a_fresh_key_observes_the_limit),
        cmocka_unit_test(an_operator_can_clear_limits),
        cmocka_unit_test(validate_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
