/* Tests of the limits of a client: shares of a minute, debts, corrections, changes of the limits,
 * random histories against an exact model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "policy/admission/client_limits.h"

#define NOW UINT64_C(1000000)

static const rc_client_need nothing = {0};

static rc_client_limits limits_of(uint64_t rpm, uint64_t tpm, uint64_t max_in_flight)
{
    rc_client_limits limits;
    const rc_client_limits_settings settings = {rpm, tpm, max_in_flight};
    rc_client_limits_init(&limits);
    rc_client_limits_set(&limits, &settings, NOW);
    return limits;
}

/* Starts a request if it may start. */
static bool take(rc_client_limits *limits, const rc_client_need *need, uint64_t now_ms)
{
    if (rc_client_limits_check(limits, need, now_ms).kind != RC_CLIENT_LIMIT_NONE)
        return false;
    (void)rc_client_limits_start(limits, need, now_ms);
    return true;
}

static void test_a_minute_of_requests_then_one_at_a_time(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(60, 0, 0);
    for (uint32_t i = 0; i < 60; i++)
        assert_true(take(&limits, &nothing, NOW));
    const rc_client_verdict verdict = rc_client_limits_check(&limits, &nothing, NOW);
    assert_int_equal(verdict.kind, RC_CLIENT_LIMIT_REQUESTS);
    assert_int_equal(verdict.limit, 60);
    assert_int_equal(verdict.ready_ms, 1000);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW).remaining, 0);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW).full_ms, 60000);
    assert_false(take(&limits, &nothing, NOW + 999));
    assert_true(take(&limits, &nothing, NOW + 1000));
    assert_false(take(&limits, &nothing, NOW + 1000));
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW + 31000).remaining,
                     30);
    assert_int_equal(
        rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW + 500000).remaining, 60);
}

static void test_tokens_are_estimated_and_corrected(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(0, 10000, 0);
    const rc_client_need need = {.input = 900, .max_output = 100};
    const uint64_t estimate = rc_client_limits_start(&limits, &need, NOW);
    assert_int_equal(estimate, 1000);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW).remaining, 9000);
    rc_client_limits_end(&limits, estimate, 3000, 500, NOW);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW).remaining, 6500);
    const uint64_t again = rc_client_limits_start(&limits, &need, NOW);
    rc_client_limits_end(&limits, again, 0, 0, NOW); /* the request failed and used nothing */
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW).remaining, 6500);
}

static void test_the_output_is_estimated_by_earlier_ones(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(0, 1000000, 0);
    const rc_client_need open = {.input = 10};
    for (uint32_t i = 0; i < 200; i++)
        rc_client_limits_end(&limits, rc_client_limits_start(&limits, &open, NOW), 10, 4000, NOW);
    assert_in_range(rc_client_limits_start(&limits, &open, NOW), 3900, 4010);
    const rc_client_need few = {.input = 10, .max_output = 50};
    assert_int_equal(rc_client_limits_start(&limits, &few, NOW), 60);
}

static void test_a_request_larger_than_the_limit_starts_when_the_limit_is_full(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(0, 600, 0);
    const rc_client_need large = {.input = 1800, .max_output = 1};
    assert_true(take(&limits, &large, NOW));
    rc_client_verdict verdict = rc_client_limits_check(&limits, &large, NOW);
    assert_int_equal(verdict.kind, RC_CLIENT_LIMIT_TOKENS);
    assert_int_equal(verdict.ready_ms, 180100); /* the debt of 1201 tokens and a full bucket */
    assert_false(take(&limits, &large, NOW + 180099));
    assert_true(take(&limits, &large, NOW + 180100));
    /* A debt is at most ten minutes' amount. */
    rc_client_limits_end(&limits, 0, 1000000000, 1000000000, NOW + 180100);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW + 180100).full_ms,
                     11 * 60000);
}

static void test_concurrent_requests(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(0, 0, 2);
    assert_true(take(&limits, &nothing, NOW) && take(&limits, &nothing, NOW));
    const rc_client_verdict verdict = rc_client_limits_check(&limits, &nothing, NOW + 90000);
    assert_int_equal(verdict.kind, RC_CLIENT_LIMIT_IN_FLIGHT);
    assert_int_equal(verdict.limit, 2);
    assert_int_equal(verdict.ready_ms, 0);
    rc_client_limits_end(&limits, 0, 0, 0, NOW);
    assert_true(take(&limits, &nothing, NOW));
    for (uint32_t i = 0; i < 5; i++)
        rc_client_limits_end(&limits, 0, 0, 0, NOW); /* surplus ends are ignored */
    assert_int_equal(limits.in_flight, 0);
}

static void test_the_limit_with_the_longest_wait_is_named(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(60, 6000, 1);
    const rc_client_need need = {.input = 5990, .max_output = 10};
    assert_true(take(&limits, &need, NOW));
    assert_int_equal(rc_client_limits_check(&limits, &need, NOW).kind, RC_CLIENT_LIMIT_TOKENS);
    assert_int_equal(rc_client_limits_check(&limits, &need, NOW).ready_ms, 60000);
    assert_string_equal(rc_client_limit_name(RC_CLIENT_LIMIT_TOKENS), "tpm");
    assert_string_equal(rc_client_limit_name(RC_CLIENT_LIMIT_REQUESTS), "rpm");
    assert_string_equal(rc_client_limit_name(RC_CLIENT_LIMIT_IN_FLIGHT), "max_in_flight");
    assert_string_equal(rc_client_limit_name(RC_CLIENT_LIMIT_NONE), "");
}

static void test_changed_limits_keep_what_remains(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(100, 0, 0);
    for (uint32_t i = 0; i < 90; i++)
        assert_true(take(&limits, &nothing, NOW));
    const rc_client_limits_settings same = {100, 5000, 0};
    rc_client_limits_set(&limits, &same, NOW);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW).remaining, 10);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW).remaining, 5000);
    const rc_client_limits_settings larger = {1000, 5000, 0};
    rc_client_limits_set(&limits, &larger, NOW);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW).remaining, 10);
    const rc_client_limits_settings smaller = {5, 0, 0};
    rc_client_limits_set(&limits, &smaller, NOW);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_REQUESTS, NOW).remaining, 5);
    assert_int_equal(rc_client_limits_get(&limits, RC_CLIENT_LIMIT_TOKENS, NOW).limit, 0);
    assert_int_equal(limits.in_flight, 90);
}

static void test_a_clock_that_goes_back_grants_nothing(void **state)
{
    (void)state;
    rc_client_limits limits = limits_of(1, 0, 0);
    assert_true(take(&limits, &nothing, NOW));
    assert_false(take(&limits, &nothing, NOW - 500000));
    assert_false(take(&limits, &nothing, 0));
    assert_true(take(&limits, &nothing, NOW + 60000));
}

/* In no period may more requests start than a full bucket and the amount of the period. */
static void test_random_histories_stay_within_the_limit(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252;
    for (uint32_t round = 0; round < 200; round++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        const uint64_t rpm = 1 + random % 5000;
        rc_client_limits limits = limits_of(rpm, 0, 0);
        uint64_t now_ms = NOW;
        uint64_t started = 0;
        for (uint32_t i = 0; i < 2000; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            now_ms += random % 100;
            const rc_client_verdict verdict = rc_client_limits_check(&limits, &nothing, now_ms);
            if (verdict.kind != RC_CLIENT_LIMIT_NONE) {
                /* The time that a refusal names is the first at which the request may start. */
                assert_int_equal(
                    rc_client_limits_check(&limits, &nothing, now_ms + verdict.ready_ms).kind,
                    RC_CLIENT_LIMIT_NONE);
                assert_int_not_equal(
                    rc_client_limits_check(&limits, &nothing, now_ms + verdict.ready_ms - 1).kind,
                    RC_CLIENT_LIMIT_NONE);
                continue;
            }
            (void)rc_client_limits_start(&limits, &nothing, now_ms);
            started++;
            assert_true(rc_client_limits_validate(&limits));
            assert_true(started * 60000 <= (now_ms - NOW) * rpm + rpm * 60000);
        }
        assert_true(started >= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_minute_of_requests_then_one_at_a_time),
        cmocka_unit_test(test_tokens_are_estimated_and_corrected),
        cmocka_unit_test(test_the_output_is_estimated_by_earlier_ones),
        cmocka_unit_test(test_a_request_larger_than_the_limit_starts_when_the_limit_is_full),
        cmocka_unit_test(test_concurrent_requests),
        cmocka_unit_test(test_the_limit_with_the_longest_wait_is_named),
        cmocka_unit_test(test_changed_limits_keep_what_remains),
        cmocka_unit_test(test_a_clock_that_goes_back_grants_nothing),
        cmocka_unit_test(test_random_histories_stay_within_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
