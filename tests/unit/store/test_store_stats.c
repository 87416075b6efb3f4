/* Tests of the statistics of the audit: sums, groups and their limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/audit_stories.h"
#include "support/fail_alloc.h"
#include "support/store_fixture.h"

#define HOUR_MS INT64_C(3600000)

static const rc_stats_group *group_of(const rc_stats *stats, uint32_t by, const char *label,
                                      int64_t key)
{
    for (size_t i = 0; i < stats->count; i++) {
        const rc_stats_group *group = stats->groups[i];
        bool is_match = label != NULL ? strcmp(group->label, label) == 0 : group->key == key;
        if (group->by == by && is_match)
            return group;
    }
    return NULL;
}

/* Stores 100 operations within four hours. In every tenth, an attempt at alpha fails and another
 * one at beta follows; in every second one of these, the attempt at beta fails, too. */
static void fill_evenly(store_fixture *fixture)
{
    const int64_t start = FIXTURE_TIME / HOUR_MS * HOUR_MS;
    for (int i = 0; i < 100; i++) {
        const int64_t at = start + i / 25 * HOUR_MS + i;
        const rc_id id = fixture_id(fixture, at);
        rc_record records[4];
        fixture_fill(records, &id, at);
        records[1].target = records[2].target = RC_STR("alpha/m");
        records[1].latency_ms = records[2].latency_ms = i + 1;
        records[2].client = i % 2 == 0 ? RC_STR("even") : RC_STR("odd");
        if (i % 10 == 0) {
            records[3] = records[2];
            records[2] = records[1];
            records[1].code = RC_CODE_OVERLOADED;
            records[1].error_class = RC_CLASS_PROVIDER_TRANSIENT;
            records[2].seq = 2;
            records[3].seq = 3;
            records[2].target = records[3].target = RC_STR("beta/m");
            records[3].attempt = 2;
        }
        if (i % 20 == 0) {
            records[2].code = records[3].code = RC_CODE_AUTH_FAILED;
            records[2].error_class = records[3].error_class = RC_CLASS_PROVIDER_TERMINAL;
            records[3].outcome = RC_OUTCOME_FAILED;
        }
        assert_true(fixture_append(fixture, records, i % 10 == 0 ? 4 : 3));
    }
}

static void test_operations_are_added_up(void **state)
{
    (void)state;
    store_fixture fixture;
    rc_stats stats;
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_evenly(&fixture);
    assert_int_equal(rc_stats_init(&stats, 127, false, &fixture.alloc), RC_OK);
    assert_true(rc_store_stats(fixture.store, &(rc_store_filter){.code = RC_CODE_NONE}, &stats,
                               &fixture.fault));
    assert_int_equal(stats.total->count, 100);
    assert_int_equal(stats.total->succeeded, 95);
    assert_int_equal(stats.total->failed, 5);
    assert_int_equal(stats.total->attempts, 110);
    assert_int_equal(stats.total->tokens_in, 120000);
    assert_int_equal(stats.total->cost_usd_micro, 600000);
    assert_int_equal(stats.total->estimated, 0);
    assert_int_equal(rc_histogram_at(&stats.total->latency, 500), 50);
    assert_int_equal(rc_histogram_at(&stats.total->latency, 990), 99);
    assert_int_equal(stats.total->latency.max_ms, 100);
    assert_int_equal(group_of(&stats, RC_STATS_BY_TARGET, "alpha/m", 0)->count, 90);
    assert_int_equal(group_of(&stats, RC_STATS_BY_TARGET, "beta/m", 0)->failed, 5);
    assert_int_equal(group_of(&stats, RC_STATS_BY_CODE, NULL, RC_CODE_AUTH_FAILED)->count, 5);
    assert_int_equal(group_of(&stats, RC_STATS_BY_CLASS, NULL, RC_CLASS_NONE)->count, 95);
    assert_int_equal(group_of(&stats, RC_STATS_BY_CLIENT, "odd", 0)->count, 50);
    assert_int_equal(group_of(&stats, RC_STATS_BY_MODEL, "gpt-4o", 0)->count, 100);
    const int64_t start = FIXTURE_TIME / HOUR_MS * HOUR_MS;
    for (int64_t hour = 0; hour < 4; hour++)
        assert_int_equal(group_of(&stats, RC_STATS_BY_HOUR, NULL, start + hour * HOUR_MS)->count,
                         25);
    rc_stats_done(&stats);
    fixture_done(&fixture);
}

static uint64_t attempts(store_fixture *fixture, const rc_store_filter *filter, uint32_t by,
                         uint64_t *ret_alpha_failed)
{
    rc_stats stats;
    assert_int_equal(rc_stats_init(&stats, by, true, &fixture->alloc), RC_OK);
    assert_true(rc_store_stats(fixture->store, filter, &stats, &fixture->fault));
    const rc_stats_group *alpha = group_of(&stats, RC_STATS_BY_TARGET, "alpha/m", 0);
    *ret_alpha_failed = alpha != NULL ? alpha->failed : 0;
    const uint64_t count = stats.total->count;
    assert_int_equal(stats.total->attempts, count);
    rc_stats_done(&stats);
    return count;
}

static void test_attempts_are_added_up(void **state)
{
    (void)state;
    store_fixture fixture;
    uint64_t failed = 0;
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_evenly(&fixture);
    rc_store_filter filter = {.code = RC_CODE_NONE};
    assert_int_equal(attempts(&fixture, &filter, RC_STATS_BY_TARGET, &failed), 110);
    assert_int_equal(failed, 10);
    /* Grouping by operations has the same result. */
    const uint32_t both = RC_STATS_BY_TARGET | RC_STATS_BY_CLIENT;
    assert_int_equal(attempts(&fixture, &filter, both, &failed), 110);
    assert_int_equal(failed, 10);
    filter.code = RC_CODE_AUTH_FAILED;
    assert_int_equal(attempts(&fixture, &filter, RC_STATS_BY_TARGET, &failed), 10);
    assert_int_equal(failed, 5);
    filter = (rc_store_filter){.client = RC_STR("odd")};
    assert_int_equal(attempts(&fixture, &filter, RC_STATS_BY_TARGET, &failed), 50);
    filter = (rc_store_filter){.until_unix_ms = FIXTURE_TIME / HOUR_MS * HOUR_MS + HOUR_MS};
    assert_int_equal(attempts(&fixture, &filter, RC_STATS_BY_TARGET, &failed), 28);
    fixture_done(&fixture);
}

/* --- operations and attempts in one pass --- */

static void write_stories(store_fixture *fixture)
{
    static const char *const names[] = {"plain",     "recovered", "exhausted", "refused",
                                        "cancelled", "open",      "hedged",    "notice"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_true(story_write(fixture->store, &fixture->alloc, names[i],
                                FIXTURE_TIME + (int64_t)i * 1000, &fixture->fault));
}

static void survey(store_fixture *fixture, const rc_store_filter *filter, rc_stats *operations,
                   rc_stats *attempts)
{
    const uint32_t by = RC_STATS_BY_TARGET | RC_STATS_BY_CODE | RC_STATS_BY_ROUTE;
    assert_int_equal(rc_stats_init(operations, by, false, &fixture->alloc), RC_OK);
    assert_int_equal(rc_stats_init(attempts, by, true, &fixture->alloc), RC_OK);
    assert_true(rc_store_survey(fixture->store, filter, operations, attempts, &fixture->fault));
}

static void test_operations_and_attempts_in_one_pass(void **state)
{
    (void)state;
    store_fixture fixture;
    rc_stats operations;
    rc_stats attempts;
    const rc_store_filter none = {.code = RC_CODE_NONE};
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    write_stories(&fixture);
    survey(&fixture, &none, &operations, &attempts);
    const rc_stats_group *total = operations.total;
    assert_int_equal(total->count, 7); /* the notice is not counted */
    assert_int_equal(total->succeeded, 3);
    assert_int_equal(total->failed, 2);
    assert_int_equal(total->cancelled, 1);
    assert_int_equal(total->open, 1);
    /* the recovered and the exhausted operation; "refused" had no attempt, and in "hedged" no
     * attempt failed */
    assert_int_equal(total->faltered, 2);
    assert_int_equal(total->recovered, 1);
    assert_int_equal(total->wasted, 0 + 2 + 3 + 0 + 1 + 0 + 1);
    assert_int_equal(total->first_byte.count, 2);
    assert_int_equal(group_of(&operations, RC_STATS_BY_ROUTE, "gpt-4o*", 0)->count, 7);
    assert_int_equal(attempts.total->count, 1 + 3 + 3 + 0 + 1 + 1 + 2);
    assert_int_equal(attempts.total->failed, 0 + 2 + 3 + 0 + 1 + 1 + 0);
    assert_int_equal(attempts.total->cancelled, 1);
    assert_int_equal(attempts.total->recovered, 2);
    /* includes the attempt of the open operation, whose response reached no client */
    assert_int_equal(attempts.total->wasted, 0 + 2 + 3 + 0 + 1 + 1 + 1);
    assert_int_equal(attempts.total->first_byte.count, 3);
    const rc_stats_group *limited =
        group_of(&attempts, RC_STATS_BY_CODE, NULL, RC_CODE_RATE_LIMITED);
    assert_int_equal(limited->count, 4);
    assert_int_equal(limited->recovered, 1);
    assert_int_equal(group_of(&attempts, RC_STATS_BY_ROUTE, "gpt-4o*", 0)->count, 11);
    rc_stats_done(&operations);
    rc_stats_done(&attempts);
    fixture_done(&fixture);
}

static void add_counts(uint64_t sums[8], const rc_stats *operations, const rc_stats *attempts)
{
    sums[0] += operations->total->count;
    sums[1] += operations->total->faltered;
    sums[2] += operations->total->recovered;
    sums[3] += operations->total->wasted;
    sums[4] += attempts->total->count;
    sums[5] += attempts->total->wasted;
    sums[6] += attempts->total->recovered;
    sums[7] += attempts->total->latency.sum_ms;
}

/* Reading in parallel, by lookup, and without attempts must result in the same sums. */
static void test_all_ways_of_reading_agree(void **state)
{
    (void)state;
    store_fixture fixture;
    static fill f;
    rc_stats operations;
    rc_stats attempts;
    uint64_t beside[8] = {0};
    uint64_t by_lookup[8] = {0};
    rc_store_filter filter = {.code = RC_CODE_NONE};
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_init(&f, fixture.store, &fixture.alloc, 3);
    assert_true(fill_run(&f, 2000, FIXTURE_TIME, FIXTURE_TIME + HOUR_MS, &fixture.fault));
    write_stories(&fixture);
    survey(&fixture, &filter, &operations, &attempts);
    add_counts(beside, &operations, &attempts);
    rc_stats_done(&operations);
    rc_stats_done(&attempts);
    for (int outcome = RC_OUTCOME_OPEN; outcome < RC_OUTCOME_NOTICE; outcome++) {
        filter = (rc_store_filter){.has_outcome = true, .outcome = (rc_outcome)outcome};
        survey(&fixture, &filter, &operations, &attempts);
        add_counts(by_lookup, &operations, &attempts);
        rc_stats_done(&operations);
        rc_stats_done(&attempts);
    }
    assert_memory_equal(beside, by_lookup, sizeof(beside));
    assert_true(beside[1] > 200 && beside[2] > 100 && beside[4] > 2000);
    filter = (rc_store_filter){.code = RC_CODE_NONE};
    assert_int_equal(rc_stats_init(&operations, 0, false, &fixture.alloc), RC_OK);
    assert_true(rc_store_stats(fixture.store, &filter, &operations, &fixture.fault));
    assert_int_equal(operations.total->recovered, beside[2]);
    assert_int_equal(operations.total->faltered, beside[1]);
    assert_int_equal(operations.total->wasted, beside[3]);
    rc_stats_done(&operations);
    fixture_done(&fixture);
}

/* --- estimated cost --- */

/* Stores an operation with two attempts, of which the first was estimated; one with a measured
 * cost; and one with an estimated cost. */
static void fill_estimates(store_fixture *fixture)
{
    for (int i = 0; i < 3; i++) {
        const int64_t at = FIXTURE_TIME + i * 1000;
        const rc_id id = fixture_id(fixture, at);
        rc_record records[4];
        fixture_fill(records, &id, at);
        if (i == 0) {
            records[3] = records[2];
            records[2] = records[1];
            records[1].target = RC_STR("alpha/m");
            records[1].code = RC_CODE_OVERLOADED;
            records[1].error_class = RC_CLASS_PROVIDER_TRANSIENT;
            records[1].flags = RC_RECORD_ESTIMATED;
            records[1].cost_usd_micro = 400;
            records[2].seq = 2;
            records[3].seq = 3;
            records[3].attempt = 2;
            records[3].cost_usd_micro = 6400;
            records[3].flags |= RC_RECORD_ESTIMATED;
        }
        if (i == 2)
            records[1].flags = records[2].flags = RC_RECORD_ESTIMATED;
        assert_true(fixture_append(fixture, records, i == 0 ? 4 : 3));
    }
}

static void test_estimates_are_counted_apart(void **state)
{
    (void)state;
    store_fixture fixture;
    rc_stats operations;
    rc_stats attempts;
    rc_store_filter filter = {.code = RC_CODE_NONE};
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_estimates(&fixture);
    for (int way = 0; way < 2; way++) {
        survey(&fixture, &filter, &operations, &attempts);
        assert_int_equal(operations.total->cost_usd_micro, 6400 + 6000 + 6000);
        assert_int_equal(operations.total->estimated_usd_micro, 400 + 6000);
        assert_int_equal(attempts.total->cost_usd_micro, 6400 + 6000 + 6000);
        assert_int_equal(attempts.total->estimated_usd_micro, 400 + 6000);
        assert_int_equal(group_of(&attempts, RC_STATS_BY_TARGET, "alpha/m", 0)->estimated_usd_micro,
                         400);
        rc_stats_done(&operations);
        rc_stats_done(&attempts);
        /* in the next round: by lookup */
        filter = (rc_store_filter){.has_outcome = true, .outcome = RC_OUTCOME_SUCCEEDED};
    }
    assert_int_equal(rc_stats_init(&operations, 0, false, &fixture.alloc), RC_OK);
    assert_true(rc_store_stats(fixture.store, &filter, &operations, &fixture.fault));
    assert_int_equal(operations.total->estimated_usd_micro, 400 + 6000);
    rc_stats_done(&operations);
    fixture_done(&fixture);
}

/* a name of the maximum length */
static void test_a_long_name_is_not_truncated(void **state)
{
    (void)state;
    store_fixture fixture;
    rc_stats operations;
    rc_stats attempts;
    char name[RC_RECORD_NAME_MAX + 1] = {0};
    const rc_store_filter filter = {.code = RC_CODE_NONE};
    rc_record records[4];
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    const rc_id id = fixture_id(&fixture, FIXTURE_TIME);
    for (size_t i = 0; i < RC_RECORD_NAME_MAX; i += 2)
        memcpy(name + i, "é", 2);
    fixture_fill(records, &id, FIXTURE_TIME);
    records[1].target = records[2].target = rc_str_make(name, RC_RECORD_NAME_MAX);
    assert_true(fixture_append(&fixture, records, 3));
    survey(&fixture, &filter, &operations, &attempts);
    assert_non_null(group_of(&operations, RC_STATS_BY_TARGET, name, 0));
    assert_non_null(group_of(&attempts, RC_STATS_BY_TARGET, name, 0));
    rc_stats_done(&operations);
    rc_stats_done(&attempts);
    fixture_done(&fixture);
}

static void test_groups_over_the_limit_go_to_other(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_stats stats;
    assert_int_equal(rc_stats_init(&stats, RC_STATS_BY_CLIENT | RC_STATS_BY_CODE, false, &alloc),
                     RC_OK);
    for (int64_t i = 0; i < 5000; i++) {
        /* One code occurs only after the limit of names was reached. */
        const int64_t code = i < 4900 ? i % 3 : 3;
        const rc_stats_sample sample = {.client = i, .code = code, .latency_ms = -1};
        assert_int_equal(rc_stats_add(&stats, &sample), RC_OK);
    }
    uint64_t clients = 0;
    uint64_t codes = 0;
    bool has_other = false;
    assert_true(stats.count <= RC_STATS_GROUPS_MAX);
    for (size_t i = 0; i < stats.count; i++) {
        has_other = has_other || stats.groups[i]->is_other;
        *(stats.groups[i]->by == RC_STATS_BY_CLIENT ? &clients : &codes) += stats.groups[i]->count;
    }
    assert_true(has_other);
    assert_int_equal(clients, 5000);
    assert_int_equal(codes, 5000);
    assert_int_equal(group_of(&stats, RC_STATS_BY_CODE, NULL, 3)->count, 100);
    assert_int_equal(stats.total->latency.count, 0);
    rc_stats_done(&stats);
}

static void test_a_lack_of_memory_is_reported(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 4; n++) {
        fail_alloc failing = {.fail_at = n, .for_good = true};
        const rc_alloc alloc = fail_alloc_of(&failing);
        rc_stats stats;
        const rc_stats_sample sample = {.client = 7};
        rc_status status = rc_stats_init(&stats, RC_STATS_BY_CLIENT, false, &alloc);
        assert_int_equal(status, n < 3 ? RC_E_NOMEM : RC_OK);
        if (status == RC_OK)
            assert_int_equal(rc_stats_add(&stats, &sample), n == 3 ? RC_E_NOMEM : RC_OK);
        rc_stats_done(&stats);
        assert_int_equal(failing.live, 0);
        assert_false(failing.is_broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_are_added_up),
        cmocka_unit_test(test_attempts_are_added_up),
        cmocka_unit_test(test_operations_and_attempts_in_one_pass),
        cmocka_unit_test(test_all_ways_of_reading_agree),
        cmocka_unit_test(test_estimates_are_counted_apart),
        cmocka_unit_test(test_a_long_name_is_not_truncated),
        cmocka_unit_test(test_groups_over_the_limit_go_to_other),
        cmocka_unit_test(test_a_lack_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
