/* Tests of the retry budget: the maximum and the minimum that it grants, and extreme numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/retry_budget.h>

#include "support/often.h"
#include "support/random_report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BEGIN UINT64_C(123456789)

#define SEQUENCES OFTEN(1000000)

_Static_assert(sizeof(rc_retry_budget) <= 48, "docs/internals/retry-budget.md says so");

static const rc_retry_budget_settings defaults = {
    .ratio_milli = 200, .floor_per_s = 10, .burst = 100};

static uint32_t drain(rc_retry_budget *budget, uint64_t now_ms)
{
    uint32_t taken = 0;
    while (taken < 1000000 && rc_retry_budget_take(budget, now_ms))
        taken++;
    return taken;
}

static rc_retry_budget drained(const rc_retry_budget_settings *settings)
{
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, settings, BEGIN);
    drain(&budget, BEGIN);
    return budget;
}

static void test_starts_full(void **state)
{
    (void)state;
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &defaults, BEGIN);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN), 100);
    assert_int_equal(rc_retry_budget_refill_ms(&budget), 10000);
    assert_int_equal(drain(&budget, BEGIN), 100);
    assert_false(rc_retry_budget_has_token(&budget, BEGIN));
    assert_false(rc_retry_budget_take(&budget, BEGIN));
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN), 0);
}

static void test_has_token_takes_nothing(void **state)
{
    (void)state;
    rc_retry_budget_settings one = {.burst = 1};
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &one, BEGIN);
    assert_true(rc_retry_budget_has_token(&budget, BEGIN));
    assert_true(rc_retry_budget_has_token(&budget, BEGIN));
    assert_true(rc_retry_budget_take(&budget, BEGIN));
    assert_false(rc_retry_budget_has_token(&budget, BEGIN));
}

static void test_time_adds_the_floor(void **state)
{
    (void)state;
    rc_retry_budget budget = drained(&defaults);
    assert_false(rc_retry_budget_take(&budget, BEGIN + 99));
    assert_true(rc_retry_budget_take(&budget, BEGIN + 100));
    assert_false(rc_retry_budget_take(&budget, BEGIN + 100));
    assert_int_equal(drain(&budget, BEGIN + 1000), 9);
    assert_int_equal(drain(&budget, BEGIN + 3500), 25);
    assert_int_equal(drain(&budget, BEGIN + 3500 + rc_retry_budget_refill_ms(&budget)), 100);
    assert_int_equal(drain(&budget, BEGIN + 900000), 100);
}

static void test_requests_add_their_share(void **state)
{
    (void)state;
    rc_retry_budget budget = drained(&defaults);
    for (int i = 0; i < 4; i++)
        rc_retry_budget_on_request(&budget, BEGIN);
    assert_false(rc_retry_budget_has_token(&budget, BEGIN));
    rc_retry_budget_on_request(&budget, BEGIN);
    assert_int_equal(drain(&budget, BEGIN), 1);
}

/* Returns the number of retries that an empty bucket grants if every request and every retry
 * fails. */
static uint32_t grant_under_load(const rc_retry_budget_settings *settings, uint32_t per_s,
                                 uint32_t secs)
{
    rc_retry_budget budget = drained(settings);
    uint32_t granted = 0;
    for (uint32_t i = 0; i < per_s * secs; i++) {
        uint64_t at_ms = BEGIN + (uint64_t)i * 1000 / per_s;
        rc_retry_budget_on_request(&budget, at_ms);
        granted += drain(&budget, at_ms);
    }
    return granted + drain(&budget, BEGIN + UINT64_C(1000) * secs - 1);
}

typedef struct load_case {
    uint32_t per_s;
    uint32_t granted_per_s; /* the larger of the floor and a fifth of the requests, never their
                               sum */
} load_case;

static const load_case load_cases[] = {
    {1, 10}, {20, 10}, {50, 10}, {55, 11}, {100, 20}, {1000, 200}, {10000, 2000},
};

static void test_adds_the_larger_of_both(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(load_cases); i++) {
        const load_case *c = &load_cases[i];
        uint32_t granted = grant_under_load(&defaults, c->per_s, 60);
        /* A difference of one is allowed, because the last millisecond of the floor may be
         * missing. */
        if (granted > 60 * c->granted_per_s || granted + 1 < 60 * c->granted_per_s)
            fail_msg("%u a second: %u in a minute", c->per_s, granted);
    }
}

/* 10,000 requests to a target that is down make at most 1.2 calls per request. */
static void test_no_amplification(void **state)
{
    (void)state;
    assert_true(grant_under_load(&defaults, 500, 20) <= 2000);
    rc_retry_budget_settings no_floor = {.ratio_milli = 200, .burst = 100};
    assert_int_equal(grant_under_load(&no_floor, 1, 10000), 2000);
    assert_int_equal(grant_under_load(&no_floor, 10000, 1), 2000);
}

/* A second without requests after one with many adds the floor; tokens of the second before are not
 * lost. */
static void test_seconds_count_separately(void **state)
{
    (void)state;
    rc_retry_budget budget = drained(&defaults);
    for (int i = 0; i < 100; i++)
        rc_retry_budget_on_request(&budget, BEGIN + 500);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 999), 20);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 1000), 20);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 1500), 25);
    for (int i = 0; i < 100; i++)
        rc_retry_budget_on_request(&budget, BEGIN + 1500);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 1999), 40);
}

static void test_an_earlier_time_is_replaced_by_the_latest(void **state)
{
    (void)state;
    rc_retry_budget budget = drained(&defaults);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 2500), 25);
    assert_int_equal(rc_retry_budget_tokens(&budget, 0), 25);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 2400), 25);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 2500), 25);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 2600), 26);
    for (int i = 0; i < 100; i++)
        rc_retry_budget_on_request(&budget, 0);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 2600), 40);
}

static void test_no_budget(void **state)
{
    (void)state;
    rc_retry_budget_settings none = {.ratio_milli = 200, .floor_per_s = 10, .burst = 0};
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &none, BEGIN);
    rc_retry_budget_on_request(&budget, BEGIN);
    for (int i = 0; i < 1000; i++)
        assert_true(rc_retry_budget_has_token(&budget, BEGIN) &&
                    rc_retry_budget_take(&budget, BEGIN));
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN), UINT32_MAX);
    assert_int_equal(rc_retry_budget_refill_ms(&budget), 0);
    assert_true(rc_retry_budget_validate(&budget));
}

static void test_refill(void **state)
{
    (void)state;
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &(rc_retry_budget_settings){.floor_per_s = 3, .burst = 10},
                         BEGIN);
    assert_int_equal(rc_retry_budget_refill_ms(&budget), 3334);
    drain(&budget, BEGIN);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 3333), 9);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 3334), 10);
    rc_retry_budget_init(&budget, &(rc_retry_budget_settings){.ratio_milli = 200, .burst = 10},
                         BEGIN);
    assert_true(rc_retry_budget_refill_ms(&budget) == UINT64_MAX);
}

/* With any numbers and any jump of the clock, the bucket stays within its bounds, and is full at
 * the greatest time. */
static void test_extremes(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 1, 999, UINT32_MAX - 1, UINT32_MAX};
    for (size_t i = 0; i < COUNT(numbers) * COUNT(numbers) * COUNT(numbers); i++) {
        rc_retry_budget_settings settings = {.ratio_milli = numbers[i % 5],
                                             .floor_per_s = numbers[i / 5 % 5],
                                             .burst = numbers[i / 25]};
        rc_retry_budget budget;
        rc_retry_budget_init(&budget, &settings, 0);
        rc_retry_budget_take(&budget, 0);
        for (int k = 0; k < 100; k++)
            rc_retry_budget_on_request(&budget, 999);
        assert_true(rc_retry_budget_validate(&budget));
        rc_retry_budget_take(&budget, UINT64_MAX / 2);
        assert_true(rc_retry_budget_validate(&budget));
        rc_retry_budget_on_request(&budget, UINT64_MAX);
        uint32_t full = settings.burst > 0 ? settings.burst : UINT32_MAX;
        if (settings.floor_per_s > 0)
            assert_int_equal(rc_retry_budget_tokens(&budget, UINT64_MAX), full);
        rc_retry_budget_take(&budget, 0);
        assert_true(rc_retry_budget_validate(&budget));
    }
}

/* The number of idle seconds is so large that its product with the floor would wrap around to 0. */
static void test_a_product_that_wraps(void **state)
{
    (void)state;
    rc_retry_budget_settings settings = {.floor_per_s = UINT32_C(1) << 31, .burst = UINT32_MAX};
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &settings, 0);
    budget.tokens_micro = 0;
    assert_int_equal(rc_retry_budget_tokens(&budget, ((UINT64_C(1) << 27) + 1) * 1000), UINT32_MAX);
}

/* If very many requests arrive in one second, the tokens reach the upper bound and do not wrap
 * around. */
static void test_one_endless_second(void **state)
{
    (void)state;
    rc_retry_budget_settings settings = {.ratio_milli = UINT32_MAX, .burst = 10};
    rc_retry_budget budget = drained(&settings);
    for (int i = 0; i < OFTEN(3000000); i++)
        rc_retry_budget_on_request(&budget, BEGIN);
    assert_true(rc_retry_budget_validate(&budget));
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN), 10);
}

static void test_changed_settings(void **state)
{
    (void)state;
    rc_retry_budget budget;
    rc_retry_budget_init(&budget, &defaults, BEGIN);
    for (int i = 0; i < 40; i++)
        assert_true(rc_retry_budget_take(&budget, BEGIN));
    rc_retry_budget_settings large = {.ratio_milli = 100, .floor_per_s = 20, .burst = 1000};
    rc_retry_budget_set_settings(&budget, &large, BEGIN + 500);
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 500), 65 + 5);
    rc_retry_budget_settings small = {.ratio_milli = 100, .floor_per_s = 1, .burst = 5};
    rc_retry_budget_set_settings(&budget, &small, BEGIN + 500);
    assert_true(rc_retry_budget_validate(&budget));
    assert_int_equal(rc_retry_budget_tokens(&budget, BEGIN + 999), 5);
    rc_retry_budget_set_settings(&budget, &(rc_retry_budget_settings){0}, BEGIN + 999);
    assert_true(rc_retry_budget_validate(&budget) && rc_retry_budget_take(&budget, BEGIN + 999));
}

static void test_validate_finds_faults(void **state)
{
    (void)state;
    rc_retry_budget budget = drained(&defaults);
    assert_true(rc_retry_budget_validate(&budget));
    budget.tokens_micro = UINT64_C(100000001);
    assert_false(rc_retry_budget_validate(&budget));
    budget = drained(&defaults);
    budget.from_requests_micro = 1;
    assert_false(rc_retry_budget_validate(&budget));
    budget.added_micro = UINT64_MAX;
    assert_false(rc_retry_budget_validate(&budget));
}

/* --- random sequences --- */

#define STEPS 12

typedef struct step {
    uint64_t at_ms;
    uint32_t requests;
    uint32_t granted;
} step;

/* Upper bound of the tokens added between two steps, in millionths: for each second, or part of a
 * second, the larger of the requests' share and the floor. The bound is computed from the steps
 * only. */
typedef struct window {
    const rc_retry_budget_settings *settings;
    uint64_t at_ms;
    uint64_t done; /* tokens of the seconds that have ended */
    uint64_t part_ms;
    uint64_t part_requests;
} window;

static uint64_t income(const window *w, uint64_t ms, uint64_t requests)
{
    uint64_t by_time = w->settings->floor_per_s * ms * 1000;
    uint64_t by_requests = w->settings->ratio_milli * requests * 1000;
    return by_time > by_requests ? by_time : by_requests;
}

static void extend(window *w, const step *to)
{
    uint64_t left_ms = 1000 - (w->at_ms - BEGIN) % 1000;
    uint64_t elapsed_ms = to->at_ms - w->at_ms;
    if (elapsed_ms >= left_ms) {
        w->done += income(w, w->part_ms + left_ms, w->part_requests);
        w->done += (elapsed_ms - left_ms) / 1000 * income(w, 1000, 0);
        w->part_ms = (elapsed_ms - left_ms) % 1000;
        w->part_requests = 0;
    } else {
        w->part_ms += elapsed_ms;
    }
    w->part_requests += to->requests;
    w->at_ms = to->at_ms;
}

static void check_windows(const rc_retry_budget_settings *settings, const step *steps,
                          uint64_t seed)
{
    for (size_t from = 0; from + 1 < STEPS; from++) {
        window w = {.settings = settings, .at_ms = steps[from].at_ms};
        uint64_t granted = 0;
        for (size_t to = from + 1; to < STEPS; to++) {
            extend(&w, &steps[to]);
            granted += steps[to].granted;
            uint64_t most = UINT64_C(1000000) * settings->burst + w.done +
                            income(&w, w.part_ms, w.part_requests);
            if (granted * 1000000 > most)
                fail_msg("seed %llu: %llu granted from step %zu to %zu", (unsigned long long)seed,
                         (unsigned long long)granted, from, to);
        }
    }
}

static uint32_t take_many(rc_retry_budget *budget, uint64_t at_ms, size_t wanted)
{
    uint32_t granted = 0;
    for (size_t i = 0; i < wanted; i++) {
        bool has = rc_retry_budget_has_token(budget, at_ms);
        bool took = rc_retry_budget_take(budget, at_ms);
        assert_int_equal(has, took);
        granted += took;
    }
    return granted;
}

static void test_random_sequences(void **state)
{
    (void)state;
    static const uint32_t gaps_ms[] = {1, 10, 400, 1001, 5000, 100000};
    for (uint64_t seed = 0; seed < SEQUENCES; seed++) {
        uint64_t random = seed;
        rc_retry_budget_settings settings = {.ratio_milli = (uint32_t)random_below(&random, 1500),
                                             .floor_per_s = (uint32_t)random_below(&random, 12),
                                             .burst = 1 + (uint32_t)random_below(&random, 8)};
        rc_retry_budget budget;
        rc_retry_budget_init(&budget, &settings, BEGIN);
        step steps[STEPS] = {{.at_ms = BEGIN}};
        for (size_t i = 1; i < STEPS; i++) {
            size_t gap_ms = random_below(&random, gaps_ms[random_below(&random, COUNT(gaps_ms))]);
            steps[i].at_ms = steps[i - 1].at_ms + gap_ms;
            steps[i].requests = (uint32_t)random_below(&random, 6);
            for (uint32_t k = 0; k < steps[i].requests; k++)
                rc_retry_budget_on_request(&budget, steps[i].at_ms);
            steps[i].granted = take_many(&budget, steps[i].at_ms, random_below(&random, 8));
        }
        assert_true(rc_retry_budget_validate(&budget));
        check_windows(&settings, steps, seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts_full),
        cmocka_unit_test(test_has_token_takes_nothing),
        cmocka_unit_test(test_time_adds_the_floor),
        cmocka_unit_test(test_requests_add_their_share),
        cmocka_unit_test(test_adds_the_larger_of_both),
        cmocka_unit_test(test_no_amplification),
        cmocka_unit_test(test_seconds_count_separately),
        cmocka_unit_test(test_an_earlier_time_is_replaced_by_the_latest),
        cmocka_unit_test(test_no_budget),
        cmocka_unit_test(test_refill),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_a_product_that_wraps),
        cmocka_unit_test(test_one_endless_second),
        cmocka_unit_test(test_changed_settings),
        cmocka_unit_test(test_validate_finds_faults),
        cmocka_unit_test(test_random_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
