/* Tests of random numbers in integer arithmetic: their distribution, and the same numbers on every
 * machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/rng.h"

#define DRAWS 200000

static void the_same_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    rc_sim_rng a;
    rc_sim_rng b;
    rc_sim_rng other;
    rc_sim_rng_init(&a, 42, 1);
    rc_sim_rng_init(&b, 42, 1);
    rc_sim_rng_init(&other, 42, 2);
    int same = 0;
    for (int i = 0; i < 1000; i++) {
        uint64_t x = rc_sim_rng_next(&a);
        assert_true(x == rc_sim_rng_next(&b));
        same += x == rc_sim_rng_next(&other);
    }
    assert_int_equal(same, 0);
}

/* The expected numbers, which another compiler or machine must not change. */
static void the_numbers_are_pinned(void **state)
{
    (void)state;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 1, 1);
    uint64_t digest = 0;
    for (int i = 0; i < 1000; i++)
        digest = digest * 31 + rc_sim_rng_gap(&rng, 1000000);
    assert_true(digest == UINT64_C(11160578474938884444));
}

static void below_is_uniform(void **state)
{
    (void)state;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 7, 1);
    int counts[10] = {0};
    for (int i = 0; i < DRAWS; i++)
        counts[rc_sim_rng_below(&rng, 10)]++;
    for (int i = 0; i < 10; i++)
        assert_in_range(counts[i], DRAWS / 10 - 800, DRAWS / 10 + 800);
    assert_int_equal(rc_sim_rng_below(&rng, 0), 0);
    assert_int_equal(rc_sim_rng_below(&rng, 1), 0);
}

static void gaps_are_exponential(void **state)
{
    (void)state;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 9, 1);
    uint64_t sum = 0;
    int above_mean = 0;
    int above_three = 0;
    for (int i = 0; i < DRAWS; i++) {
        uint64_t gap = rc_sim_rng_gap(&rng, 100000);
        sum += gap;
        above_mean += gap > 100000;
        above_three += gap > 300000;
    }
    assert_in_range(sum / DRAWS, 99000, 101000);
    assert_in_range(above_mean, DRAWS * 36 / 100, DRAWS * 38 / 100);    /* expected share: 1/e */
    assert_in_range(above_three, DRAWS * 47 / 1000, DRAWS * 53 / 1000); /* expected share: 1/e^3 */
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void a_spread_has_its_quantiles(void **state)
{
    (void)state;
    static uint32_t values[DRAWS];
    const rc_sim_spread spread = {100, 400, 1000, 3000, 9000};
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 11, 1);
    for (int i = 0; i < DRAWS; i++)
        values[i] = rc_sim_rng_spread(&rng, &spread);
    qsort(values, DRAWS, sizeof values[0], compare);
    assert_in_range(values[0], 100, 105);
    assert_in_range(values[DRAWS / 2], 390, 410);
    assert_in_range(values[DRAWS * 9 / 10], 970, 1030);
    assert_in_range(values[DRAWS / 100 * 99], 2900, 3100);
    assert_in_range(values[DRAWS - 1], 8800, 9000);
    const rc_sim_spread fixed = {5, 5, 5, 5, 5};
    for (int i = 0; i < 100; i++)
        assert_int_equal(rc_sim_rng_spread(&rng, &fixed), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_numbers),
        cmocka_unit_test(the_numbers_are_pinned),
        cmocka_unit_test(below_is_uniform),
        cmocka_unit_test(gaps_are_exponential),
        cmocka_unit_test(a_spread_has_its_quantiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
