/* Tests of turns: many calls wait for the end of the same rate limit; one starts first, and the
 * others start depending on its result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

#define CROWD 8
#define HINT_MS 2000

/* The calls of one route that met the same limit, each with different entropy. */
typedef struct crowd {
    call_fixture w;
    rc_call calls[CROWD];
    rc_action last[CROWD];
    uint64_t told_at_ms;
} crowd;

static uint64_t entropy_of(size_t i)
{
    return (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void fail_at(crowd *c, size_t i, rc_code code, int64_t hint_ms)
{
    rc_failure_facts failure = fixture_failure(code, hint_ms);
    c->last[i] = rc_call_on_failure(&c->calls[i], &failure, c->w.now_ms, entropy_of(i));
}

/* Wakes every call whose wait has ended, and returns how many of them start an attempt. */
static uint32_t wake_all(crowd *c)
{
    uint32_t tries = 0;
    for (size_t i = 0; i < CROWD; i++) {
        if (c->last[i].kind != RC_DO_WAIT || c->last[i].at_ms > c->w.now_ms)
            continue;
        c->last[i] = rc_call_on_wake(&c->calls[i], c->w.now_ms, entropy_of(i));
        assert_true(rc_call_validate(&c->calls[i]));
        assert_true(c->last[i].kind != RC_DO_WAIT || c->last[i].at_ms > c->w.now_ms);
        tries += c->last[i].kind == RC_DO_TRY;
    }
    return tries;
}

/* Advances the time to just before until_ms, and returns how many attempts were started. */
static uint32_t run_until(crowd *c, uint64_t until_ms)
{
    uint32_t tries = 0;
    for (; c->w.now_ms < until_ms; c->w.now_ms++)
        tries += wake_all(c);
    return tries;
}

static size_t in_flight(const crowd *c)
{
    for (size_t i = 0; i < CROWD; i++)
        if (c->last[i].kind == RC_DO_TRY)
            return i;
    return CROWD;
}

/* Makes all calls fail at once with the same hint. At the end of the hint, the first call
 * starts. */
static size_t crowd_init(crowd *c, rc_code code, uint64_t deadline_ms)
{
    fixture_init(&c->w, 1);
    c->w.options.skips = NULL;
    if (deadline_ms != RC_UNLIMITED)
        c->w.options.deadline_at_ms = c->w.now_ms + deadline_ms;
    for (size_t i = 0; i < CROWD; i++) {
        rc_call_init(&c->calls[i], &c->w.plan, &c->w.shared, &c->w.options, c->w.now_ms);
        expect_action(rc_call_begin(&c->calls[i], c->w.now_ms, 1), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    }
    for (size_t i = 0; i < CROWD; i++) {
        fail_at(c, i, code, HINT_MS);
        expect_action(c->last[i], RC_DO_WAIT, RC_WHY_HINT);
        assert_int_equal(c->last[i].wait_ms, HINT_MS);
    }
    c->told_at_ms = c->w.now_ms + HINT_MS;
    assert_int_equal(run_until(c, c->told_at_ms), 0);
    assert_int_equal(wake_all(c), 1);
    size_t first = in_flight(c);
    for (size_t i = 0; i < CROWD; i++)
        if (i != first)
            expect_action(c->last[i], RC_DO_WAIT, RC_WHY_TARGET_UNAVAILABLE);
    return first;
}

static void end_crowd(crowd *c)
{
    for (size_t i = 0; i < CROWD; i++)
        rc_call_on_cancel(&c->calls[i], c->w.now_ms);
    assert_int_equal(fixture_in_flight(&c->w), 0);
    assert_true(rc_shared_validate(&c->w.shared));
}

static void test_one_call_starts_first_and_the_others_follow(void **state)
{
    (void)state;
    static const rc_code codes[] = {RC_CODE_RATE_LIMITED, RC_CODE_OVERLOADED};
    for (size_t k = 0; k < 2; k++) {
        crowd c;
        size_t first = crowd_init(&c, codes[k], RC_UNLIMITED);
        assert_int_equal(run_until(&c, c.told_at_ms + 20), 0);
        c.last[first] = rc_call_on_success(&c.calls[first], c.w.now_ms);
        assert_int_equal(run_until(&c, c.told_at_ms + 200), 2);
        for (size_t i; (i = in_flight(&c)) < CROWD;)
            c.last[i] = rc_call_on_success(&c.calls[i], c.w.now_ms);
        assert_int_equal(run_until(&c, c.told_at_ms + 1000), 4);
        for (size_t i = 0; i < CROWD; i++)
            assert_true(c.calls[i].calls <= 2 && c.calls[i].entry_attempts <= 2);
        end_crowd(&c);
    }
}

/* The other calls wait for the new end, and have used no call, attempt or token. */
static void test_failure_of_the_first_costs_the_others_nothing(void **state)
{
    (void)state;
    crowd c;
    size_t first = crowd_init(&c, RC_CODE_RATE_LIMITED, RC_UNLIMITED);
    c.w.now_ms += 10;
    fail_at(&c, first, RC_CODE_RATE_LIMITED, HINT_MS);
    uint64_t again_ms = c.w.now_ms + HINT_MS;
    expect_action(c.last[first], RC_DO_WAIT, RC_WHY_HINT);
    assert_int_equal(c.last[first].at_ms, again_ms);
    assert_int_equal(run_until(&c, again_ms), 0);
    for (size_t i = 0; i < CROWD; i++) {
        assert_int_equal(c.last[i].kind, RC_DO_WAIT);
        assert_int_equal(c.calls[i].calls, i == first ? 2 : 1);
        assert_int_equal(c.calls[i].entry_attempts, i == first ? 2 : 1);
    }
    assert_int_equal(run_until(&c, again_ms + 900), 1);
    end_crowd(&c);
}

/* The call with the turn is cancelled by the client, or fails for a reason other than the limit. */
static void test_an_unused_turn_goes_to_another_call(void **state)
{
    (void)state;
    crowd c;
    size_t first = crowd_init(&c, RC_CODE_RATE_LIMITED, RC_UNLIMITED);
    c.last[first] = rc_call_on_cancel(&c.calls[first], c.w.now_ms);
    assert_int_equal(run_until(&c, c.told_at_ms + 900), 1);
    fail_at(&c, in_flight(&c), RC_CODE_INVALID_REQUEST, NO_HINT);
    assert_int_equal(run_until(&c, c.told_at_ms + 1000), 1);
    end_crowd(&c);
}

/* A response may take minutes, so its beginning earns turns, once. */
static void test_first_content_earns_turns(void **state)
{
    (void)state;
    crowd c;
    size_t first = crowd_init(&c, RC_CODE_RATE_LIMITED, RC_UNLIMITED);
    c.w.now_ms += 10;
    rc_call_on_commit(&c.calls[first], c.w.now_ms);
    assert_int_equal(run_until(&c, c.told_at_ms + 900), 2);
    c.last[first] = rc_call_on_success(&c.calls[first], c.w.now_ms);
    assert_int_equal(run_until(&c, c.told_at_ms + 1000), 0);
    end_crowd(&c);
}

/* Without responses, the number of calls admitted by time doubles each second. */
static void test_time_grants_turns_without_responses(void **state)
{
    (void)state;
    crowd c;
    crowd_init(&c, RC_CODE_RATE_LIMITED, RC_UNLIMITED);
    assert_int_equal(run_until(&c, c.told_at_ms + 1000), 0);
    assert_int_equal(run_until(&c, c.told_at_ms + 2000), 1);
    assert_int_equal(run_until(&c, c.told_at_ms + 3000), 2);
    assert_int_equal(run_until(&c, c.told_at_ms + 4100), 4);
    end_crowd(&c);
}

/* A call is never ended because it has no turn: a call without time to wait starts at once. */
static void test_a_call_that_cannot_wait_starts_at_once(void **state)
{
    (void)state;
    crowd c;
    crowd_init(&c, RC_CODE_RATE_LIMITED, HINT_MS + 500);
    assert_int_equal(run_until(&c, c.told_at_ms + 500), CROWD - 1);
    end_crowd(&c);
}

/* The limit applies to one key at one target; another key needs no turn. */
static void test_turns_of_a_key(void **state)
{
    (void)state;
    crowd c;
    rc_credential limits[2] = {0};
    fixture_init(&c.w, 1);
    rc_shared_set_pool(&c.w.shared, 0, 0, 1, limits);
    c.told_at_ms = c.w.now_ms + HINT_MS;
    for (size_t i = 0; i < CROWD; i++) {
        rc_call_init(&c.calls[i], &c.w.plan, &c.w.shared, NULL, c.w.now_ms);
        rc_call_begin(&c.calls[i], c.w.now_ms, 1);
    }
    for (size_t i = 0; i < CROWD; i++)
        fail_at(&c, i, RC_CODE_RATE_LIMITED, HINT_MS);
    assert_int_equal(run_until(&c, c.told_at_ms + 1), 1);
    rc_shared_set_pool(&c.w.shared, 0, 0, 2, limits);
    assert_int_equal(run_until(&c, c.told_at_ms + 100), CROWD - 1);
    end_crowd(&c);
}

/* --- a bucket of 30 tokens, one more every two seconds, and 40 requests at once --- */

#define REQUESTS 40
#define ANSWER_MS 50
#define STEP_MS 5

typedef struct bucket {
    uint64_t full_at_ms; /* time at which the bucket is full; each missing token takes two
                            seconds */
    uint32_t calls;
} bucket;

/* Returns 0 if a token was granted, otherwise the time until the next token. */
static int64_t take_token(bucket *b, uint64_t now_ms)
{
    uint64_t missing_ms = b->full_at_ms > now_ms ? b->full_at_ms - now_ms : 0;
    b->calls++;
    if (missing_ms > 58000)
        return (int64_t)(missing_ms - 58000);
    b->full_at_ms = now_ms + missing_ms + 2000;
    return 0;
}

typedef struct pending_call {
    rc_call call;
    rc_action action;
    uint64_t answer_at_ms;
    int64_t hint_ms;
} pending_call;

static void carry_out(pending_call *a, bucket *b, uint64_t now_ms)
{
    if (a->action.kind != RC_DO_TRY)
        return;
    a->hint_ms = take_token(b, now_ms);
    a->answer_at_ms = now_ms + ANSWER_MS;
}

static void resume(pending_call *a, bucket *b, uint64_t now_ms, uint64_t entropy)
{
    rc_failure_facts failure = fixture_failure(RC_CODE_RATE_LIMITED, a->hint_ms);
    if (a->action.kind == RC_DO_WAIT && a->action.at_ms <= now_ms)
        a->action = rc_call_on_wake(&a->call, now_ms, entropy);
    else if (a->action.kind == RC_DO_TRY && a->answer_at_ms <= now_ms && a->hint_ms == 0)
        a->action = rc_call_on_success(&a->call, now_ms);
    else if (a->action.kind == RC_DO_TRY && a->answer_at_ms <= now_ms)
        a->action = rc_call_on_failure(&a->call, &failure, now_ms, entropy);
    else
        return;
    assert_true(rc_call_validate(&a->call));
    carry_out(a, b, now_ms);
}

static void test_forty_requests_at_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        call_fixture w;
        fixture_init(&w, 1);
        w.plan.policy = rc_policy_preset(RC_STR("transport"));
        w.options = (rc_call_options){.deadline_at_ms = w.now_ms + 120000, .max_wait_ms = 60000};
        static pending_call all[REQUESTS];
        bucket b = {0};
        uint64_t chance = seed * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t delivered = 0;
        for (size_t i = 0; i < REQUESTS; i++) {
            rc_call_init(&all[i].call, &w.plan, &w.shared, &w.options, w.now_ms);
            all[i].action = rc_call_begin(&all[i].call, w.now_ms, 1);
            carry_out(&all[i], &b, w.now_ms);
        }
        for (uint64_t end_ms = w.now_ms + 120000; w.now_ms < end_ms; w.now_ms += STEP_MS)
            for (size_t i = 0; i < REQUESTS; i++) {
                chance ^= chance << 13;
                chance ^= chance >> 7;
                chance ^= chance << 17;
                resume(&all[i], &b, w.now_ms, chance);
            }
        for (size_t i = 0; i < REQUESTS; i++) {
            assert_true(rc_call_is_done(&all[i].call));
            delivered += all[i].action.kind == RC_DO_DELIVER;
        }
        assert_true(delivered >= 39);
        assert_true(b.calls <= 65);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_call_starts_first_and_the_others_follow),
        cmocka_unit_test(test_failure_of_the_first_costs_the_others_nothing),
        cmocka_unit_test(test_an_unused_turn_goes_to_another_call),
        cmocka_unit_test(test_first_content_earns_turns),
        cmocka_unit_test(test_time_grants_turns_without_responses),
        cmocka_unit_test(test_a_call_that_cannot_wait_starts_at_once),
        cmocka_unit_test(test_turns_of_a_key),
        cmocka_unit_test(test_forty_requests_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
