/* Tests of hedging: when the second lane may start, which lane wins, what is released and
 * recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

typedef struct pair {
    call_fixture w;
    rc_hedge hedge;
} pair;

/* Sets up an attempt at target 0 that has run for 100 ms, so that the hedge is due. */
static void init_pair(pair *p)
{
    fixture_init(&p->w, 2);
    fixture_begin(&p->w);
    rc_hedge_init(&p->hedge, p->w.now_ms, 100);
    p->w.now_ms += 100;
}

static rc_hedge_action start(pair *p)
{
    rc_hedge_action action = rc_hedge_on_timer(&p->hedge, &p->w.call, p->w.now_ms);
    assert_true(rc_hedge_validate(&p->hedge));
    return action;
}

static rc_hedge_action fail_lane(pair *p, rc_hedge_lane lane, rc_code code, int64_t hint_ms)
{
    rc_failure_facts failure = fixture_failure(code, hint_ms);
    rc_hedge_action action =
        rc_hedge_on_failure(&p->hedge, &p->w.call, lane, &failure, p->w.now_ms, 1);
    assert_true(rc_hedge_validate(&p->hedge));
    return action;
}

static void expect_nothing(rc_hedge_action action, rc_reason reason)
{
    assert_int_equal(action.kind, RC_HEDGE_WAIT);
    assert_int_equal(action.reason, reason);
    assert_int_equal(action.entry, RC_NO_TARGET);
}

static void test_starts_after_the_delay(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    p.w.now_ms--;
    expect_nothing(start(&p), RC_WHY_NONE);
    p.w.now_ms++;
    rc_hedge_action action = start(&p);
    assert_int_equal(action.kind, RC_HEDGE_START);
    assert_int_equal(action.reason, RC_WHY_HEDGED);
    assert_int_equal(action.lane, RC_LANE_SECOND);
    assert_int_equal(action.entry, 1);
    assert_int_equal(action.target, 1);
    assert_int_equal(fixture_in_flight(&p.w), 2);
    expect_nothing(start(&p), RC_WHY_NONE); /* at most one hedge per attempt */
}

/* If the attempt of a lane was the probe of a rejected key and failed, the other lane continues. */
static void test_a_failed_key_probe_does_not_end_the_pair(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        pair p;
        init_pair(&p);
        rc_shared_set_pool(&p.w.shared, 1, 0, 1, NULL);
        if (i == 1)
            rc_shared_cool_down_credential(&p.w.shared, 0, RC_CREDENTIAL_DEAD, p.w.now_ms);
        assert_int_equal(start(&p).kind, RC_HEDGE_START);
        rc_hedge_action action = fail_lane(&p, RC_LANE_SECOND, RC_CODE_AUTH_FAILED, NO_HINT);
        assert_int_equal(action.kind, i == 1 ? RC_HEDGE_WAIT : RC_HEDGE_FAIL);
        assert_int_equal(p.w.credentials[0].state,
                         i == 1 ? RC_CREDENTIAL_DEAD : RC_CREDENTIAL_HEALTHY);
    }
}

static void test_off_by_default(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    rc_hedge_init(&p.hedge, p.w.now_ms, RC_UNLIMITED);
    p.w.now_ms = RC_UNLIMITED - 1;
    expect_nothing(start(&p), RC_WHY_NONE);
}

static void test_conditions_that_forbid_a_hedge(void **state)
{
    (void)state;
    for (int i = 0; i < 7; i++) {
        pair p;
        init_pair(&p);
        if (i == 0)
            rc_call_on_commit(&p.w.call, p.w.now_ms);
        if (i == 1)
            p.w.policy.max_calls = 1;
        if (i == 2)
            fixture_set_tokens(&p.w, 0);
        if (i == 3)
            p.w.policy.enabled = false;
        if (i == 4)
            rc_shared_set_service(&p.w.shared, 1, false);
        if (i == 5)
            p.w.call.deadline_at_ms = p.w.now_ms;
        if (i == 6)
            rc_call_on_cancel(&p.w.call, p.w.now_ms);
        expect_nothing(start(&p), RC_WHY_HEDGE_NOT_ALLOWED);
        assert_int_equal(fixture_in_flight(&p.w), i == 6 ? 0 : 1);
    }
}

static void test_costs_a_token_and_a_call(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    fixture_set_tokens(&p.w, 1);
    start(&p);
    assert_int_equal(rc_retry_budget_tokens(&p.w.shared.retry_budget, p.w.now_ms), 0);
    rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_FIRST, p.w.now_ms, 1);
    assert_int_equal(rc_call_on_success(&p.w.call, p.w.now_ms).attempt, 2);
}

static void test_the_first_lane_responds(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    start(&p);
    rc_hedge_action action =
        rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_FIRST, p.w.now_ms, 1);
    assert_int_equal(action.kind, RC_HEDGE_TAKE);
    assert_int_equal(action.lane, RC_LANE_FIRST);
    assert_true(action.cancel_other);
    assert_int_equal(p.w.targets[1].limiter.in_flight, 0);
    assert_int_equal(p.w.targets[0].limiter.in_flight, 1);
    assert_int_equal(rc_call_on_success(&p.w.call, p.w.now_ms).entry, 0);
    assert_int_equal(fixture_in_flight(&p.w), 0);
    /* The other lane responds after the hedge has ended. */
    expect_nothing(rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_SECOND, p.w.now_ms, 1),
                   RC_WHY_NONE);
    expect_nothing(fail_lane(&p, RC_LANE_SECOND, RC_CODE_OVERLOADED, 1000), RC_WHY_NONE);
    assert_int_equal(p.w.targets[1].cooldown.enforced_until_ms, 0);
}

static void test_the_second_lane_responds(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    start(&p);
    rc_hedge_action action =
        rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_SECOND, p.w.now_ms, 1);
    assert_int_equal(action.kind, RC_HEDGE_TAKE);
    assert_int_equal(action.entry, 1);
    assert_true(action.cancel_other);
    assert_int_equal(p.w.targets[0].limiter.in_flight, 0);
    assert_int_equal(rc_call_on_success(&p.w.call, p.w.now_ms).entry, 1);
    assert_int_equal(fixture_in_flight(&p.w), 0);
    assert_true(rc_hedge_validate(&p.hedge));
}

static void test_without_a_hedge(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    rc_hedge_action action =
        rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_FIRST, p.w.now_ms, 1);
    assert_int_equal(action.kind, RC_HEDGE_TAKE);
    assert_false(action.cancel_other);
    init_pair(&p);
    expect_nothing(fail_lane(&p, RC_LANE_SECOND, RC_CODE_OVERLOADED, 1000), RC_WHY_NONE);
    assert_int_equal(fail_lane(&p, RC_LANE_FIRST, RC_CODE_OVERLOADED, 1000).kind, RC_HEDGE_FAIL);
    assert_int_equal(fixture_fail(&p.w, RC_CODE_OVERLOADED, 1000).entry, 1);
}

static void test_the_second_lane_continues_after_the_first_fails(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    start(&p);
    expect_nothing(fail_lane(&p, RC_LANE_FIRST, RC_CODE_OVERLOADED, 7000), RC_WHY_NONE);
    assert_int_equal(p.w.targets[0].cooldown.enforced_until_ms, p.w.now_ms + 7000);
    assert_int_equal(p.w.targets[0].limiter.in_flight, 0);
    assert_int_equal(p.w.targets[1].limiter.in_flight, 1);
    rc_hedge_action action =
        rc_hedge_on_response(&p.hedge, &p.w.call, RC_LANE_SECOND, p.w.now_ms, 1);
    assert_int_equal(action.kind, RC_HEDGE_TAKE);
    assert_false(action.cancel_other);
    assert_int_equal(rc_call_on_success(&p.w.call, p.w.now_ms).entry, 1);
}

static void test_both_lanes_fail(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        pair p;
        init_pair(&p);
        start(&p);
        rc_hedge_lane later = order ? RC_LANE_FIRST : RC_LANE_SECOND;
        expect_nothing(
            fail_lane(&p, order ? RC_LANE_SECOND : RC_LANE_FIRST, RC_CODE_OVERLOADED, 7000),
            RC_WHY_NONE);
        assert_int_equal(fail_lane(&p, later, RC_CODE_PROVIDER_5XX, NO_HINT).kind, RC_HEDGE_FAIL);
        /* The failure of the call is the later one, at the target of its lane. */
        rc_action wait = fixture_fail(&p.w, RC_CODE_PROVIDER_5XX, NO_HINT);
        assert_int_equal(wait.kind, RC_DO_WAIT);
        assert_int_equal(wait.entry, order ? 0 : 1);
        assert_int_equal(fixture_in_flight(&p.w), 0);
        assert_true(rc_call_validate(&p.w.call));
    }
}

/* A fatal failure of either lane ends both, because the response of the other lane must not hide
 * it. */
static void test_a_fatal_failure_ends_the_pair(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_CONTENT_FILTER, RC_CODE_INVALID_REQUEST};
    for (size_t i = 0; i < 4; i++) {
        pair p;
        init_pair(&p);
        start(&p);
        rc_hedge_lane lane = i < 2 ? RC_LANE_FIRST : RC_LANE_SECOND;
        rc_code code = codes[i % 2];
        rc_hedge_action action = fail_lane(&p, lane, code, NO_HINT);
        assert_int_equal(action.kind, RC_HEDGE_FAIL);
        assert_int_equal(action.lane, lane);
        assert_int_equal(action.entry, i < 2 ? 0 : 1);
        assert_true(action.cancel_other);
        assert_int_equal(fixture_in_flight(&p.w), 1); /* the attempt in flight is that of the
                                                         remaining lane */
        rc_action stop = fixture_fail(&p.w, code, NO_HINT);
        assert_int_equal(stop.kind, RC_DO_STOP);
        assert_int_equal(stop.reason, RC_WHY_NOT_RETRYABLE);
        assert_int_equal(stop.entry, i < 2 ? 0 : 1);
        assert_int_equal(fixture_in_flight(&p.w), 0);
        expect_nothing(fail_lane(&p, i < 2 ? RC_LANE_SECOND : RC_LANE_FIRST, code, NO_HINT),
                       RC_WHY_NONE);
    }
}

/* An exhausted quota of one lane does not affect the other. */
static void test_capacity_does_not_end_the_pair(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    start(&p);
    expect_nothing(fail_lane(&p, RC_LANE_SECOND, RC_CODE_QUOTA_EXHAUSTED, NO_HINT), RC_WHY_NONE);
    assert_int_equal(fixture_in_flight(&p.w), 1);
}

/* The chain continues after the entry of the second lane. */
static void test_the_second_entry_is_not_tried_again(void **state)
{
    (void)state;
    pair p;
    fixture_init(&p.w, 3);
    p.w.entries[0].max_attempts = 1;
    fixture_begin(&p.w);
    rc_hedge_init(&p.hedge, p.w.now_ms, 100);
    p.w.now_ms += 100;
    assert_int_equal(start(&p).entry, 1);
    assert_int_equal(rc_call_hedge_entry(&p.w.call, p.w.now_ms), 2);
    fail_lane(&p, RC_LANE_SECOND, RC_CODE_PROVIDER_5XX, NO_HINT);
    fail_lane(&p, RC_LANE_FIRST, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_action action = fixture_fail(&p.w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(action.kind, RC_DO_TRY);
    assert_int_equal(action.entry, 2);
    /* If no further entry exists, the call ends. */
    init_pair(&p);
    p.w.entries[0].max_attempts = 1;
    p.w.entries[1].max_attempts = 1;
    start(&p);
    fail_lane(&p, RC_LANE_SECOND, RC_CODE_PROVIDER_5XX, NO_HINT);
    fail_lane(&p, RC_LANE_FIRST, RC_CODE_PROVIDER_5XX, NO_HINT);
    action = fixture_fail(&p.w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(action.kind, RC_DO_STOP);
    assert_int_equal(action.reason, RC_WHY_ATTEMPTS_SPENT);
    assert_int_equal(action.attempt, 2);
}

/* For the second target, attempts and refreshes are counted separately. */
static void test_the_second_target_has_its_own_counts(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    p.w.entries[0].max_attempts = 3; /* so that the call waits at this entry */
    rc_shared_set_pool(&p.w.shared, 1, 0, 1, NULL);
    p.w.credentials[0].can_refresh = true;
    for (int i = 0; i < 2; i++) {
        rc_action wait = fixture_fail(&p.w, RC_CODE_PROVIDER_5XX, NO_HINT);
        fixture_wake(&p.w, &wait);
    }
    p.w.call.is_refreshed = true;
    start(&p);
    fail_lane(&p, RC_LANE_FIRST, RC_CODE_PROVIDER_5XX, NO_HINT);
    fail_lane(&p, RC_LANE_SECOND, RC_CODE_PROVIDER_5XX, NO_HINT);
    rc_action wait = fixture_fail(&p.w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(wait.kind, RC_DO_WAIT);
    assert_int_equal(fixture_wake(&p.w, &wait).entry, 1);
    assert_int_equal(fixture_fail(&p.w, RC_CODE_AUTH_FAILED, NO_HINT).kind, RC_DO_REFRESH);
}

static void test_a_cancel_releases_both_lanes(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    start(&p);
    rc_hedge_on_cancel(&p.hedge, &p.w.call, p.w.now_ms);
    rc_call_on_cancel(&p.w.call, p.w.now_ms);
    assert_int_equal(fixture_in_flight(&p.w), 0);
    assert_true(rc_hedge_validate(&p.hedge));
    rc_hedge_on_cancel(&p.hedge, &p.w.call, p.w.now_ms);
    assert_int_equal(fixture_in_flight(&p.w), 0);
    expect_nothing(start(&p), RC_WHY_NONE);
}

/* A refresh at the first target is not counted for the key of the second target. */
static void test_a_rejected_second_key_can_still_be_refreshed(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    rc_shared_set_pool(&p.w.shared, 1, 0, 1, NULL);
    p.w.credentials[0].can_refresh = true;
    p.w.call.is_refreshed = true;
    assert_int_equal(start(&p).credential, 0);
    rc_hedge_action action = fail_lane(&p, RC_LANE_SECOND, RC_CODE_AUTH_FAILED, NO_HINT);
    assert_int_equal(action.kind, RC_HEDGE_FAIL);
    assert_int_equal(rc_credential_state_at(&p.w.credentials[0], p.w.now_ms),
                     RC_CREDENTIAL_HEALTHY);
    rc_action refresh = fixture_fail(&p.w, RC_CODE_AUTH_FAILED, NO_HINT);
    assert_int_equal(refresh.kind, RC_DO_REFRESH);
    assert_int_equal(refresh.credential, 0);
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* Passes the result of the hedge to the call; returns false when the hedge is over. */
static bool carry_out(pair *p, rc_hedge_action action, const rc_failure_facts *failure)
{
    if (action.kind == RC_HEDGE_TAKE)
        assert_int_equal(rc_call_on_success(&p->w.call, p->w.now_ms).entry, action.entry);
    if (action.kind == RC_HEDGE_FAIL)
        rc_call_on_failure(&p->w.call, failure, p->w.now_ms, 1);
    return action.kind != RC_HEDGE_TAKE && action.kind != RC_HEDGE_FAIL;
}

/* With any order of timers, responses, failures and cancellations, the calls in flight are those of
 * the lanes. */
static void test_random_order_of_inputs(void **state)
{
    (void)state;
    const rc_code codes[] = {RC_CODE_OVERLOADED, RC_CODE_PROVIDER_5XX, RC_CODE_AUTH_FAILED};
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        pair p;
        init_pair(&p);
        p.w.shared.settings.breaker.min_calls = draw(&seed, 3);
        p.w.policy.max_calls = 1 + draw(&seed, 3);
        bool is_on = true;
        for (int i = 0; i < 8 && is_on; i++) {
            rc_hedge_lane lane = draw(&seed, 2) ? RC_LANE_FIRST : RC_LANE_SECOND;
            rc_failure_facts failure = fixture_failure(codes[draw(&seed, 3)], draw(&seed, 3) * 500);
            uint32_t what = draw(&seed, 4);
            p.w.now_ms += draw(&seed, 100);
            if (what == 0)
                start(&p);
            if (what == 1)
                is_on = carry_out(&p, fail_lane(&p, lane, failure.code, failure.retry_after_ms),
                                  &failure);
            if (what == 2 && draw(&seed, 4) == 0)
                is_on = carry_out(
                    &p, rc_hedge_on_response(&p.hedge, &p.w.call, lane, p.w.now_ms, 1), &failure);
            uint32_t running = (p.hedge.running & 1u) + (p.hedge.running >> 1);
            if (is_on)
                assert_int_equal(fixture_in_flight(&p.w), running);
            assert_true(rc_hedge_validate(&p.hedge));
            assert_true(rc_call_validate(&p.w.call));
        }
        rc_hedge_on_cancel(&p.hedge, &p.w.call, p.w.now_ms);
        rc_call_on_cancel(&p.w.call, p.w.now_ms);
        assert_int_equal(fixture_in_flight(&p.w), 0);
    }
}

static void test_validate_finds_faults(void **state)
{
    (void)state;
    pair p;
    init_pair(&p);
    rc_hedge bad = p.hedge;
    bad.running = 4;
    assert_false(rc_hedge_validate(&bad));
    bad = p.hedge;
    bad.is_over = true;
    assert_false(rc_hedge_validate(&bad));
    bad = p.hedge;
    bad.second.is_in_flight = true;
    assert_false(rc_hedge_validate(&bad));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_after_the_delay),
        cmocka_unit_test(test_a_failed_key_probe_does_not_end_the_pair),
        cmocka_unit_test(test_off_by_default),
        cmocka_unit_test(test_conditions_that_forbid_a_hedge),
        cmocka_unit_test(test_costs_a_token_and_a_call),
        cmocka_unit_test(test_the_first_lane_responds),
        cmocka_unit_test(test_the_second_lane_responds),
        cmocka_unit_test(test_without_a_hedge),
        cmocka_unit_test(test_the_second_lane_continues_after_the_first_fails),
        cmocka_unit_test(test_both_lanes_fail),
        cmocka_unit_test(test_a_fatal_failure_ends_the_pair),
        cmocka_unit_test(test_capacity_does_not_end_the_pair),
        cmocka_unit_test(test_the_second_entry_is_not_tried_again),
        cmocka_unit_test(test_the_second_target_has_its_own_counts),
        cmocka_unit_test(test_a_cancel_releases_both_lanes),
        cmocka_unit_test(test_a_rejected_second_key_can_still_be_refreshed),
        cmocka_unit_test(test_random_order_of_inputs),
        cmocka_unit_test(test_validate_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
