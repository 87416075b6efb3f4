/* Tests of cancelled queries, and of statistics with time spans of any length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/audit_fill.h"
#include "support/store_fixture.h"

#define MINUTE INT64_C(60000)

static store_fixture fixture;
static fill filler;

static int start(void **state)
{
    (void)state;
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_init(&filler, fixture.store, &fixture.alloc, 7);
    assert_true(fill_run(&filler, 3000, FIXTURE_TIME - 60 * MINUTE, FIXTURE_TIME, &fixture.fault));
    fixture_close(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_READ));
    return 0;
}

static int end(void **state)
{
    (void)state;
    fixture_done(&fixture);
    return 0;
}

static bool is_cancelled_after(void *ctx)
{
    int *left = ctx;
    return (*left)-- <= 0;
}

static bool count_record(void *ctx, const rc_record *record)
{
    (void)record;
    (*(size_t *)ctx)++;
    return true;
}

static bool survey(void)
{
    rc_stats operations;
    rc_stats attempts;
    assert_int_equal(rc_stats_init(&operations, RC_STATS_BY_HOUR, false, &fixture.alloc), RC_OK);
    assert_int_equal(rc_stats_init(&attempts, RC_STATS_BY_HOUR, true, &fixture.alloc), RC_OK);
    const bool is_good = rc_store_survey(fixture.store, &(rc_store_filter){.code = RC_CODE_NONE},
                                         &operations, &attempts, &fixture.fault);
    rc_stats_done(&operations);
    rc_stats_done(&attempts);
    return is_good;
}

static void a_query_is_cancelled_before_or_during_its_run(void **state)
{
    (void)state;
    for (int left = 0; left < 3; left++) {
        int count = left;
        rc_store_set_cancel_check(fixture.store, is_cancelled_after, &count);
        assert_false(survey());
        assert_int_equal(fixture.fault.kind, RC_STORE_STOPPED);
        assert_true(rc_store_fault_may_pass(fixture.fault.kind));
        assert_true(strlen(rc_store_fault_advice(fixture.fault.kind)) > 10);
    }
    /* A list is also cancelled after it has returned some results. */
    int count = 1;
    size_t seen = 0;
    rc_store_set_cancel_check(fixture.store, is_cancelled_after, &count);
    assert_false(rc_store_list(fixture.store, &(rc_store_query){.limit = 0}, count_record, &seen,
                               &fixture.fault));
    assert_int_equal(fixture.fault.kind, RC_STORE_STOPPED);
    assert_true(seen < 3000);
}

static void the_store_works_after_a_cancelled_query(void **state)
{
    (void)state;
    int count = 1;
    size_t seen = 0;
    rc_store_set_cancel_check(fixture.store, is_cancelled_after, &count);
    assert_false(survey());
    rc_store_set_cancel_check(fixture.store, NULL, NULL);
    assert_true(survey());
    assert_true(rc_store_list(fixture.store, &(rc_store_query){.limit = 0}, count_record, &seen,
                              &fixture.fault));
    assert_int_equal(seen, 3000);
}

static void statistics_have_spans_of_any_length(void **state)
{
    (void)state;
    static const int64_t steps[] = {MINUTE, 5 * MINUTE, 60 * MINUTE};
    for (size_t i = 0; i < 3; i++) {
        rc_stats stats;
        uint64_t count = 0;
        assert_int_equal(rc_stats_init(&stats, RC_STATS_BY_HOUR, false, &fixture.alloc), RC_OK);
        stats.span_ms = steps[i];
        assert_true(rc_store_stats(fixture.store, &(rc_store_filter){.code = RC_CODE_NONE}, &stats,
                                   &fixture.fault));
        assert_int_equal(stats.count, 60 * MINUTE / steps[i] + 1);
        for (size_t k = 0; k < stats.count; k++) {
            assert_int_equal(stats.groups[k]->key % steps[i], 0);
            count += stats.groups[k]->count;
        }
        assert_int_equal(count, 3000);
        rc_stats_done(&stats);
    }
}

static void failures_are_counted_by_class(void **state)
{
    (void)state;
    rc_stats stats;
    uint64_t count = 0;
    assert_int_equal(rc_stats_init(&stats, 0, true, &fixture.alloc), RC_OK);
    assert_true(rc_store_stats(fixture.store, &(rc_store_filter){.code = RC_CODE_NONE}, &stats,
                               &fixture.fault));
    for (size_t i = 0; i < RC_STATS_CLASSES; i++)
        count += stats.total->classes[i];
    assert_int_equal(count, stats.total->failed);
    assert_true(stats.total->classes[RC_CLASS_PROVIDER_TRANSIENT] > 0);
    assert_true(stats.total->classes[RC_CLASS_PROVIDER_TERMINAL] > 0);
    assert_int_equal(stats.total->classes[RC_CLASS_NONE], 0);
    rc_stats_done(&stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_is_cancelled_before_or_during_its_run),
        cmocka_unit_test(the_store_works_after_a_cancelled_query),
        cmocka_unit_test(statistics_have_spans_of_any_length),
        cmocka_unit_test(failures_are_counted_by_class),
    };
    return cmocka_run_group_tests(tests, start, end);
}
