/* Tests of the quota cache: one warning per window, whichever thread updates the quota; the lowest
 * quota of each kind; a limited number of pairs of key and model; failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include <recourse/shared.h>

#include "base/str.h"
#include "gateway/state/quota_cache.h"
#include "support/fail_alloc.h"

#define NOW INT64_C(1794830400000) /* 2026-11-16T12:00:00Z */
#define THREADS 4
#define LIST_MAX 64

static rc_quota_cache cache;
static fail_alloc memory;

static int set_up(void **state)
{
    (void)state;
    memory = (fail_alloc){.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    return rc_quota_cache_init(&cache, &alloc) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_quota_cache_done(&cache);
    return memory.live == 0 && !memory.is_broken ? 0 : 1;
}

static rc_quotas quotas_of(int64_t now, const char *remaining, const char *limit, const char *reset)
{
    rc_quotas quotas;
    rc_quotas_init(&quotas, now);
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-requests"), rc_str_c(limit));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-requests"), rc_str_c(remaining));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-reset-requests"), rc_str_c(reset));
    return quotas;
}

static bool warns(uint16_t target, uint16_t credential, int64_t now, const char *remaining)
{
    const rc_quotas quotas = quotas_of(now, remaining, "1000", "2m");
    return rc_quota_cache_update(&cache, target, credential, &quotas) != NULL;
}

static uint32_t list_facts(int64_t now, rc_quota_entry list[LIST_MAX])
{
    return rc_quota_cache_list(&cache, now, list, LIST_MAX);
}

static void warns_once_per_window(void **state)
{
    (void)state;
    rc_quota_entry list[LIST_MAX];
    assert_false(warns(1, 1, NOW, "500"));
    assert_true(warns(1, 1, NOW, "99"));
    assert_false(warns(1, 1, NOW + 1000, "50"));
    /* Another key, another model and no key are separate pairs. */
    assert_true(warns(1, 2, NOW, "50"));
    assert_true(warns(2, 1, NOW, "50"));
    assert_true(warns(1, RC_NO_TARGET, NOW, "50"));
    assert_false(warns(1, 1, NOW + 119999, "0"));
    assert_true(warns(1, 1, NOW + 120000, "0"));
    assert_int_equal(list_facts(NOW + 120000, list), 1); /* the other quotas have renewed */
    assert_int_equal(list[0].fact.remaining, 0);
    assert_int_equal(list[0].fact.renews_unix_ms, NOW + 240000);
}

static void facts_are_the_latest_and_the_lowest(void **state)
{
    (void)state;
    rc_quota_entry list[LIST_MAX];
    rc_quotas quotas;
    rc_quotas_init(&quotas, NOW);
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-requests-day"), RC_STR("1000"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-requests-day"), RC_STR("700"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-requests-minute"), RC_STR("10"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-requests-minute"), RC_STR("6"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-tokens"), RC_STR("100"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-tokens"), RC_STR("5"));
    assert_non_null(rc_quota_cache_update(&cache, 3, 4, &quotas));
    assert_int_equal(list_facts(NOW, list), 2);
    assert_int_equal(list[0].target, 3);
    assert_int_equal(list[0].credential, 4);
    assert_int_equal(list[0].fact.kind, RC_QUOTA_REQUESTS);
    assert_int_equal(list[0].fact.remaining, 6);
    assert_true(rc_str_eq(rc_quota_fact_name(&list[0].fact), RC_STR("requests-minute")));
    assert_int_equal(list[0].fact.renews_unix_ms, 0); /* the response did not state the time */
    assert_false(rc_quota_fact_is_low(&list[0].fact));
    assert_true(rc_quota_fact_is_low(&list[1].fact));
    assert_true(rc_quota_fact_is_lower(&list[1].fact, &list[0].fact));
    /* A later, higher value replaces the lower one. */
    assert_false(warns(3, 4, NOW + 1, "900"));
    assert_int_equal(list_facts(NOW + 1, list), 2);
    assert_int_equal(list[0].fact.remaining, 900);
    /* the list has at most the given capacity */
    assert_int_equal(rc_quota_cache_list(&cache, NOW + 1, list, 1), 1);
    assert_int_equal(rc_quota_cache_max_count(&cache), RC_QUOTA_KIND_COUNT);
}

static void invalid_quotas_are_ignored(void **state)
{
    (void)state;
    static const char *const numbers[][2] = {
        {"-1", "1000"},
        {"1", "0"},
        {"1", "-7"},
        {"1001", "1000"},
        {"few", "10"},
        {"1", "many"},
        {"1", "99999999999999999999999"},
        {"", ""},
        {"1e1", "10"},
        {"0x1", "10"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        const rc_quotas quotas = quotas_of(NOW, numbers[i][0], numbers[i][1], "1s");
        assert_null(rc_quota_cache_update(&cache, 1, 1, &quotas));
    }
    assert_int_equal(rc_quota_cache_max_count(&cache), 0);
}

static void a_long_name_is_truncated(void **state)
{
    (void)state;
    rc_quota_entry list[LIST_MAX];
    rc_quotas quotas;
    rc_quotas_init(&quotas, NOW);
    rc_quotas_add_header(&quotas,
                         RC_STR("x-ratelimit-limit-requests-of-everybody-in-this-whole-building"),
                         RC_STR("10"));
    rc_quotas_add_header(
        &quotas, RC_STR("x-ratelimit-remaining-requests-of-everybody-in-this-whole-building"),
        RC_STR("10"));
    assert_null(rc_quota_cache_update(&cache, 1, 1, &quotas));
    assert_int_equal(list_facts(NOW, list), 1);
    assert_int_equal(rc_quota_fact_name(&list[0].fact).len, RC_QUOTA_NAME_MAX);
}

static void a_removed_target_has_no_facts(void **state)
{
    (void)state;
    rc_quota_entry list[LIST_MAX];
    for (uint16_t target = 0; target < 5; target++)
        for (uint16_t key = 0; key < 3; key++)
            assert_true(warns(target, key, NOW, "1"));
    rc_quota_cache_remove(&cache, 2);
    assert_int_equal(list_facts(NOW, list), 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_not_equal(list[i].target, 2);
    assert_true(warns(2, 0, NOW, "1"));
    assert_false(warns(1, 0, NOW, "1"));
    assert_int_equal(list_facts(NOW, list), 13);
}

static void the_oldest_pair_is_evicted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < RC_QUOTA_CACHE_MAX; i++)
        assert_true(warns((uint16_t)i, 7, NOW + i, "1"));
    assert_int_equal(rc_quota_cache_max_count(&cache), RC_QUOTA_CACHE_MAX * RC_QUOTA_KIND_COUNT);
    assert_false(warns(0, 7, NOW + RC_QUOTA_CACHE_MAX, "1")); /* pair 0 was updated, so pair 1 is
                                                               * now the oldest */
    assert_true(warns(9000, 7, NOW + 2000, "1"));
    assert_int_equal(rc_quota_cache_max_count(&cache), RC_QUOTA_CACHE_MAX * RC_QUOTA_KIND_COUNT);
    assert_false(warns(0, 7, NOW + 2001, "1"));
    assert_false(warns(9000, 7, NOW + 2001, "1"));
    assert_true(warns(1, 7, NOW + 2002, "1")); /* the pair was evicted, so it warns again */
    for (uint32_t i = 3; i < RC_QUOTA_CACHE_MAX; i++)
        assert_false(warns((uint16_t)i, 7, NOW + 3000, "1"));
}

static void without_memory_existing_facts_stay(void **state)
{
    (void)state;
    rc_quota_entry list[LIST_MAX];
    fail_alloc_set(&memory, false);
    assert_false(warns(1, 1, NOW, "1"));
    assert_int_equal(list_facts(NOW, list), 0);
    fail_alloc_set(&memory, true);
    for (uint16_t key = 0; key < 8; key++)
        assert_true(warns(1, key, NOW + key, "1"));
    fail_alloc_set(&memory, false);
    assert_true(warns(1, 100, NOW + 9, "1")); /* this pair evicted the oldest one */
    assert_int_equal(list_facts(NOW, list), 8);
    assert_false(warns(1, 1, NOW, "1"));
}

static void *update_cache(void *ctx)
{
    size_t *count = ctx;
    for (uint16_t i = 0; i < 2000; i++)
        *count += warns(i % 20, i % 3, NOW, "7") ? 1 : 0;
    return NULL;
}

static void threads_warn_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    size_t counts[THREADS] = {0};
    size_t sum = 0;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, update_cache, &counts[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        sum += counts[i];
    }
    assert_int_equal(sum, 60); /* one warning for each pair */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(warns_once_per_window, set_up, tear_down),
        cmocka_unit_test_setup_teardown(facts_are_the_latest_and_the_lowest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(invalid_quotas_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_name_is_truncated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_removed_target_has_no_facts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_pair_is_evicted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_existing_facts_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_warn_once, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
