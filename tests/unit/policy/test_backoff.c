/* Tests of waits: the sequence of each kind of backoff, the bounds of jitter, and extreme
 * numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include <recourse/policy.h>

#include "support/often.h"
#include "support/random_report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_retry_rule rule_of(rc_backoff backoff, uint64_t base_ms, uint32_t factor_milli,
                             uint64_t max_delay_ms)
{
    return (rc_retry_rule){
        .max_attempts = 3,
        .backoff = backoff,
        .jitter = RC_JITTER_NONE,
        .factor_milli = factor_milli,
        .base_ms = base_ms,
        .max_delay_ms = max_delay_ms,
    };
}

/* Checks the waits after 1, 2, ... failed attempts, without jitter. */
static void expect_waits(const rc_retry_rule *rule, const uint64_t *waits, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t wait = rc_backoff_wait(rule, i + 1, 7, UINT64_MAX / 3);
        const rc_wait_range range = rc_backoff_range(rule, i + 1);
        if (wait != waits[i] || range.min_ms != wait || range.max_ms != wait)
            fail_msg("wait %u is %llu, want %llu", i + 1, (unsigned long long)wait,
                     (unsigned long long)waits[i]);
    }
}

static void test_fixed(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_FIXED, 1500, 2000, RC_UNLIMITED);
    expect_waits(&rule, (uint64_t[]){1500, 1500, 1500}, 3);
    rule.max_delay_ms = 1000;
    expect_waits(&rule, (uint64_t[]){1000, 1000}, 2);
    assert_int_equal(rc_backoff_wait(&rule, UINT32_MAX, 0, 0), 1000);
}

static void test_linear(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_LINEAR, 2000, 1000, 7000);
    expect_waits(&rule, (uint64_t[]){2000, 4000, 6000, 7000, 7000}, 5);
    rule.base_ms = UINT64_MAX / 2;
    rule.max_delay_ms = RC_UNLIMITED;
    expect_waits(&rule, (uint64_t[]){UINT64_MAX / 2, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX}, 4);
}

static void test_exponential(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_EXPONENTIAL, 5000, 2000, 300000);
    expect_waits(&rule, (uint64_t[]){5000, 10000, 20000, 40000, 80000, 160000, 300000, 300000}, 8);
    rule = rule_of(RC_BACKOFF_EXPONENTIAL, 100, 1500, RC_UNLIMITED);
    expect_waits(&rule, (uint64_t[]){100, 150, 225, 337, 506, 759}, 6);
    /* A small base grows, too. */
    rule = rule_of(RC_BACKOFF_EXPONENTIAL, 1, 1500, RC_UNLIMITED);
    expect_waits(&rule, (uint64_t[]){1, 1, 2, 3, 5, 7}, 6);
    rule.factor_milli = 1000;
    expect_waits(&rule, (uint64_t[]){1, 1, 1}, 3);
    assert_int_equal(rc_backoff_wait(&rule, UINT32_MAX, 0, 0), 1);
}

static void test_schedule(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_SCHEDULE, 0, 1000, 5000);
    rule.schedule_count = 3;
    rule.schedule_ms[0] = 2000;
    rule.schedule_ms[1] = 4000;
    rule.schedule_ms[2] = 6000;
    expect_waits(&rule, (uint64_t[]){2000, 4000, 5000, 5000}, 4);
    rule.max_delay_ms = RC_UNLIMITED;
    expect_waits(&rule, (uint64_t[]){2000, 4000, 6000, 6000}, 4);
    /* Even a count that rc_policy_check would reject must not read outside the array. */
    rule.schedule_count = UINT32_MAX;
    assert_int_equal(rc_backoff_wait(&rule, UINT32_MAX, 0, 0), 0);
    rule.schedule_count = 0;
    rule.base_ms = 9;
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 0), 9);
}

static void test_huge(void **state)
{
    (void)state;
    static const uint32_t factors[] = {0, 1, 999, 1000, 1001, 2000, UINT32_MAX};
    for (size_t i = 0; i < COUNT(factors); i++) {
        rc_retry_rule rule =
            rule_of(RC_BACKOFF_EXPONENTIAL, UINT64_MAX / 3, factors[i], RC_UNLIMITED);
        assert_true(rc_backoff_wait(&rule, 1, 0, 0) == UINT64_MAX / 3);
        assert_true(rc_backoff_wait(&rule, UINT32_MAX, 0, 0) >= UINT64_MAX / 3);
        rule.base_ms = 1;
        const uint64_t last = factors[i] > 1000 ? UINT64_MAX : 1;
        assert_true(rc_backoff_wait(&rule, UINT32_MAX, 0, 0) == last);
        rule.base_ms = UINT64_MAX;
        rule.jitter = RC_JITTER_PERCENT;
        rule.jitter_pct = UINT32_MAX;
        rc_wait_range range = rc_backoff_range(&rule, 3);
        assert_true(range.min_ms == 0 && range.max_ms == UINT64_MAX);
        assert_true(rc_backoff_wait(&rule, 3, 0, UINT64_MAX) == UINT64_MAX);
        assert_true(rc_backoff_wait(&rule, 3, 0, 5) == 5);
    }
}

static void test_percent(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_EXPONENTIAL, 5000, 2000, 9000);
    rule.jitter = RC_JITTER_PERCENT;
    rule.jitter_pct = 20;
    rc_wait_range range = rc_backoff_range(&rule, 1);
    assert_int_equal(range.min_ms, 4000);
    assert_int_equal(range.max_ms, 6000);
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 0), 4000);
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 2000), 6000);
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 2001), 4000);
    /* At the maximum, jitter only shortens the wait, so that calls do not return at the same
     * time. */
    range = rc_backoff_range(&rule, 5);
    assert_int_equal(range.min_ms, 7200);
    assert_int_equal(range.max_ms, 9000);
}

static void test_full(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_EXPONENTIAL, 5000, 2000, 9000);
    rule.jitter = RC_JITTER_FULL;
    rc_wait_range range = rc_backoff_range(&rule, 2);
    assert_int_equal(range.min_ms, 0);
    assert_int_equal(range.max_ms, 9000);
    assert_int_equal(rc_backoff_wait(&rule, 2, 0, 9000), 9000);
    assert_int_equal(rc_backoff_wait(&rule, 2, 0, 9001), 0);
}

static void test_decorrelated(void **state)
{
    (void)state;
    rc_retry_rule rule = rule_of(RC_BACKOFF_EXPONENTIAL, 100, 2000, 2000);
    rule.jitter = RC_JITTER_DECORRELATED;
    /* The first wait is between base and 3 * base. */
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 0), 100);
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 200), 300);
    assert_int_equal(rc_backoff_wait(&rule, 1, 0, 201), 100);
    assert_int_equal(rc_backoff_range(&rule, 1).max_ms, 300);
    /* Later waits depend on the previous one. */
    assert_int_equal(rc_backoff_wait(&rule, 2, 150, 350), 450);
    assert_int_equal(rc_backoff_wait(&rule, 2, 150, 351), 100);
    assert_int_equal(rc_backoff_range(&rule, 2).max_ms, 900);
    assert_int_equal(rc_backoff_range(&rule, 3).max_ms, 2000);
    assert_int_equal(rc_backoff_range(&rule, UINT32_MAX).max_ms, 2000);
    /* A long wait because of a hint does not raise the upper end of the range. */
    assert_int_equal(rc_backoff_wait(&rule, 2, 60000, 800), 900);
    assert_int_equal(rc_backoff_wait(&rule, 2, UINT64_MAX, 801), 100);
}

/* ---- random rules ---- */

static rc_retry_rule random_rule(uint64_t *seed)
{
    static const uint64_t limits[] = {2, 100, 100000, UINT64_C(1) << 40, UINT64_MAX};
    rc_retry_rule rule = {
        .max_attempts = 1,
        .backoff = (rc_backoff)(1 + random_below(seed, 4)),
        .jitter = (rc_jitter)(1 + random_below(seed, 4)),
        .jitter_pct = (uint32_t)random_below(seed, 101),
        .factor_milli = 1000 + (uint32_t)random_below(seed, 4000),
        .base_ms = random_u64(seed) % limits[random_below(seed, COUNT(limits))],
        .max_delay_ms = random_u64(seed) % limits[random_below(seed, COUNT(limits))],
        .schedule_count = 1 + (uint32_t)random_below(seed, RC_SCHEDULE_MAX),
    };
    if (random_below(seed, 4) == 0)
        rule.max_delay_ms = RC_UNLIMITED;
    for (size_t i = 0; i < RC_SCHEDULE_MAX; i++)
        rule.schedule_ms[i] = (uint32_t)random_u64(seed);
    return rule;
}

static uint32_t random_attempts(uint64_t *seed)
{
    if (random_below(seed, 8) == 0)
        return (uint32_t)random_u64(seed) | 1;
    return 1 + (uint32_t)random_below(seed, 20);
}

static void test_wait_is_in_range(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (size_t i = 0; i < OFTEN(200000); i++) {
        const rc_retry_rule rule = random_rule(&seed);
        const uint32_t attempts = random_attempts(&seed);
        const rc_wait_range range = rc_backoff_range(&rule, attempts);
        const uint64_t wait =
            rc_backoff_wait(&rule, attempts, random_u64(&seed) >> (i % 64), random_u64(&seed));
        assert_true(range.min_ms <= range.max_ms);
        assert_true(range.max_ms <= rule.max_delay_ms);
        assert_true(range.min_ms <= wait && wait <= range.max_ms);
    }
}

/* Both ends of the range occur, so the range is not wider than the jitter. */
static void test_range_is_tight(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (size_t i = 0; i < OFTEN(50000); i++) {
        const rc_retry_rule rule = random_rule(&seed);
        const uint32_t attempts = random_attempts(&seed);
        const rc_wait_range range = rc_backoff_range(&rule, attempts);
        const uint64_t width = range.max_ms - range.min_ms;
        assert_true(rc_backoff_wait(&rule, attempts, UINT64_MAX, 0) == range.min_ms);
        assert_true(rc_backoff_wait(&rule, attempts, UINT64_MAX, width) == range.max_ms);
    }
}

/* Without jitter, more failures never shorten the wait, except in a schedule. */
static void test_waits_never_shrink(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (size_t i = 0; i < OFTEN(20000); i++) {
        rc_retry_rule rule = random_rule(&seed);
        if (rule.backoff == RC_BACKOFF_SCHEDULE)
            rule.backoff = RC_BACKOFF_EXPONENTIAL;
        const uint32_t attempts = random_attempts(&seed);
        const rc_wait_range range = rc_backoff_range(&rule, attempts);
        const rc_wait_range next =
            rc_backoff_range(&rule, attempts == UINT32_MAX ? attempts : attempts + 1);
        assert_true(next.max_ms >= range.max_ms);
        assert_true(next.min_ms >= range.min_ms);
    }
}

/* Compares with the formula in floating point. */
static void test_exponential_formula(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (size_t i = 0; i < OFTEN(20000); i++) {
        const rc_retry_rule rule =
            rule_of(RC_BACKOFF_EXPONENTIAL, 1 + random_below(&seed, 100000),
                    1000 + (uint32_t)random_below(&seed, 4000), RC_UNLIMITED);
        const uint32_t attempts = 1 + (uint32_t)random_below(&seed, 12);
        const double want = (double)rule.base_ms * pow(rule.factor_milli / 1000.0, attempts - 1);
        const double wait = (double)rc_backoff_wait(&rule, attempts, 0, 0);
        if (wait > want + 1 || wait < want * (1 - 1e-4) - 1)
            fail_msg("%g, want %g", wait, want);
    }
}

/* In a sequence of decorrelated waits, each is at most three times the previous one. */
static void test_decorrelated_chain(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (size_t i = 0; i < 2000; i++) {
        rc_retry_rule rule = random_rule(&seed);
        rule.jitter = RC_JITTER_DECORRELATED;
        rule.base_ms = 1 + random_below(&seed, 1000);
        rule.max_delay_ms = 1000 + random_below(&seed, 1000000);
        uint64_t last = 0;
        for (uint32_t attempts = 1; attempts <= 12; attempts++) {
            const uint64_t wait = rc_backoff_wait(&rule, attempts, last, random_u64(&seed));
            assert_true(wait >= rule.base_ms && wait <= rule.max_delay_ms);
            assert_true(wait <= 3 * (last > 0 ? last : rule.base_ms));
            last = wait;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_percent),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_decorrelated),
        cmocka_unit_test(test_wait_is_in_range),
        cmocka_unit_test(test_range_is_tight),
        cmocka_unit_test(test_waits_never_shrink),
        cmocka_unit_test(test_exponential_formula),
        cmocka_unit_test(test_decorrelated_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
