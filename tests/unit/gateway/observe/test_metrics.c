/* Tests of counting: rows by name and their maximum number, cells, buckets, failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "gateway/observe/metrics.h"
#include "support/fail_alloc.h"

static fail_alloc memory;
static rc_metrics *metrics;

static void start(uint32_t shards)
{
    memory = (fail_alloc){0};
    rc_alloc alloc = fail_alloc_of(&memory);
    metrics = rc_metrics_new(&alloc, shards);
    assert_non_null(metrics);
}

static void end(void)
{
    rc_metrics_free(metrics);
    assert_int_equal(memory.live, 0);
}

static uint32_t code_cell(uint32_t outcome, rc_code code)
{
    return outcome * RC_METRIC_CODE_COUNT + rc_metric_code_index(code);
}

static void every_code_has_its_index(void **state)
{
    (void)state;
    const rc_metric_label *label = rc_metric_get(RC_METRIC_ATTEMPTS)->value_labels[0];
    assert_string_equal(label->values[rc_metric_code_index(RC_CODE_NONE)], "none");
    assert_string_equal(label->values[rc_metric_code_index(RC_CODE_UNKNOWN)], "unknown");
    assert_string_equal(label->values[rc_metric_code_index((rc_code)1)], "unknown");
    assert_string_equal(label->values[rc_metric_code_index((rc_code)-5)], "unknown");
    for (size_t i = 0; i < rc_code_count(); i++)
        assert_string_equal(label->values[rc_metric_code_index(rc_code_at(i)->code)],
                            rc_code_at(i)->name);
    assert_int_equal(label->count, rc_code_count() + 2);
}

static void a_duration_is_counted_in_the_smallest_bucket_that_contains_it(void **state)
{
    (void)state;
    assert_int_equal(rc_metric_bucket_of(0), 0);
    assert_int_equal(rc_metric_bucket_of(UINT64_MAX), RC_METRIC_BUCKETS - 1);
    for (uint32_t i = 0; i + 1 < RC_METRIC_BUCKETS; i++) {
        assert_int_equal(rc_metric_bucket_of(rc_metric_bucket_us(i)), i);
        assert_int_equal(rc_metric_bucket_of(rc_metric_bucket_us(i) + 1), i + 1);
        assert_int_equal(rc_metric_bucket_of(rc_metric_bucket_us(i) - 1), i);
    }
    /* The buckets include those of OpenTelemetry. */
    assert_int_equal(rc_metric_bucket_us(3), 10000);
    assert_int_equal(rc_metric_bucket_us(16), 81920000);
}

static void shards_are_added_up(void **state)
{
    (void)state;
    start(3);
    uint16_t route = rc_metrics_row(metrics, RC_ROWS_ROUTE, RC_STR("gpt-4o*"));
    uint16_t client = rc_metrics_row(metrics, RC_ROWS_CLIENT, RC_STR("app"));
    assert_int_equal(route, 1);
    for (uint32_t i = 0; i < 3; i++) {
        rc_metrics_shard *shard = rc_metrics_shard_get(metrics, i);
        for (uint32_t k = 0; k <= i; k++)
            rc_metrics_on_request(shard,
                                  &(rc_metrics_request){route, client, RC_METRIC_OUTCOME_FAILED,
                                                        RC_CODE_RATE_LIMITED, 10000});
        rc_metrics_in_flight(shard, 1);
        rc_metrics_in_flight(shard, i == 0 ? -1 : 1);
        rc_metrics_set_connections(shard, 10 + i);
        rc_metrics_set_upstream(shard, i, 2 * i);
    }
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUESTS, route,
                                    code_cell(RC_METRIC_OUTCOME_FAILED, RC_CODE_RATE_LIMITED)),
                     6);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUESTS, RC_METRICS_OTHER,
                                    code_cell(RC_METRIC_OUTCOME_FAILED, RC_CODE_RATE_LIMITED)),
                     0);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUEST_DURATION, route, 3), 6);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUEST_DURATION, route, RC_METRIC_BUCKETS),
                     60000);
    assert_int_equal(
        rc_metrics_sum(metrics, RC_METRIC_CLIENT_REQUESTS, client, RC_METRIC_OUTCOME_FAILED), 6);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_IN_FLIGHT, 0, 0), 4);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_CONNECTIONS, 0, 0), 33);
    assert_int_equal(
        rc_metrics_sum(metrics, RC_METRIC_UPSTREAM_CONNECTIONS, 0, RC_METRIC_STATE_BUSY), 6);
    end();
}

static void each_event_counts_in_its_cell(void **state)
{
    (void)state;
    start(1);
    rc_metrics_shard *shard = rc_metrics_shard_get(metrics, 0);
    uint16_t a = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("openai/a"));
    uint16_t b = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("openai/b"));
    rc_metrics_on_attempt(shard, &(rc_metrics_attempt){a, RC_CODE_NONE, 2000, 1000});
    rc_metrics_on_attempt(shard,
                          &(rc_metrics_attempt){b, RC_CODE_OVERLOADED, 1, RC_METRICS_NO_TIME});
    rc_metrics_on_retry(shard, b, 0);
    rc_metrics_on_retry(shard, b, 5000000);
    rc_metrics_on_credential_switch(shard, a);
    rc_metrics_on_fallback(shard, a, b);
    rc_metrics_on_fallback(shard, a, b);
    rc_metrics_on_usage(shard, &(rc_metrics_usage){a, 0, 100, 20, false, 1234567});
    rc_metrics_on_usage(shard, &(rc_metrics_usage){a, 0, 5, 0, true, 1});
    rc_metrics_on_reload(shard, true);
    rc_metrics_on_reload(shard, false);
    rc_metrics_on_stall(shard);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_ATTEMPTS, a, 0), 1);
    assert_int_equal(
        rc_metrics_sum(metrics, RC_METRIC_ATTEMPTS, b, rc_metric_code_index(RC_CODE_OVERLOADED)),
        1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_ATTEMPT_DURATION, a, 1), 1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_FIRST_BYTE, a, 0), 1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_FIRST_BYTE, b, 0), 0);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_RETRIES, b, 0), 2);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_WAITS, 0, RC_METRIC_BUCKETS), 5000000);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_CREDENTIAL_SWITCHES, a, 0), 1);
    static const uint64_t tokens[] = {100, 5, 20, 0};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_TOKENS, a, i), tokens[i]);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_COST, a, 0), 1234568);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_CLIENT_COST, 0, 0), 1234568);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_RELOADS, 0, RC_METRIC_RESULT_LOADED), 1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_RELOADS, 0, RC_METRIC_RESULT_REFUSED), 1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_LOOP_STALL, 0, 0), 1);
    end();
}

static void waits_in_the_queue_are_counted(void **state)
{
    (void)state;
    start(2);
    rc_metrics_shard *shard = rc_metrics_shard_get(metrics, 0);
    uint16_t route = rc_metrics_row(metrics, RC_ROWS_ROUTE, RC_STR("m"));
    rc_metrics_on_queued(shard, route, 1000);
    rc_metrics_on_queued(rc_metrics_shard_get(metrics, 1), route, 500);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_WAITING, route, 0), 2);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_BYTES, route, 0), 1500);
    rc_metrics_on_dequeued(shard, route, RC_METRIC_WAIT_END_LATE, 1000, 2000000);
    rc_metrics_on_queue_full(shard, route);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_WAITING, route, 0), 1);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_BYTES, route, 0), 500);
    static const uint64_t ends[RC_METRIC_WAIT_END_COUNT] = {
        [RC_METRIC_WAIT_END_LATE] = 1, [RC_METRIC_WAIT_END_FULL] = 1};
    for (uint32_t i = 0; i < RC_METRIC_WAIT_END_COUNT; i++)
        assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_WAITS, route, i), ends[i]);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_QUEUE_WAIT, route, RC_METRIC_BUCKETS),
                     2000000);
    end();
}

static void a_name_has_the_same_row_every_time(void **state)
{
    (void)state;
    start(1);
    uint16_t first = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a/x"));
    uint16_t second = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a/y"));
    assert_true(first != second);
    assert_int_equal(rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a/x")), first);
    assert_int_equal(rc_metrics_find(metrics, RC_ROWS_TARGET, RC_STR("a/y")), second);
    /* The rows of different kinds are independent; a search does not add a row. */
    assert_int_equal(rc_metrics_find(metrics, RC_ROWS_ROUTE, RC_STR("a/x")), RC_METRICS_OTHER);
    assert_int_equal(rc_metrics_find(metrics, RC_ROWS_TARGET, RC_STR("zzz")), RC_METRICS_OTHER);
    assert_int_equal(rc_metrics_row_count(metrics, RC_ROWS_TARGET), 3);
    /* Names that are equal when they are shown share a row. */
    uint16_t odd = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a\x01"));
    assert_int_equal(rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a\n")), odd);
    assert_int_equal(rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("a\xff")), odd);
    assert_int_equal(rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("_other")), RC_METRICS_OTHER);
    assert_int_equal(rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("")), RC_METRICS_OTHER);
    char longest[RC_METRICS_NAME_MAX + 1];
    memset(longest, 'n', sizeof(longest));
    assert_true(rc_metrics_row(metrics, RC_ROWS_TARGET,
                               rc_str_make(longest, RC_METRICS_NAME_MAX)) != RC_METRICS_OTHER);
    assert_int_equal(
        rc_metrics_row(metrics, RC_ROWS_TARGET, rc_str_make(longest, RC_METRICS_NAME_MAX + 1)),
        RC_METRICS_OTHER);
    end();
}

static void names_without_a_row_are_other(void **state)
{
    (void)state;
    start(2);
    rc_metrics_shard *shard = rc_metrics_shard_get(metrics, 1);
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof(name), "model-%d", i);
        uint16_t row = rc_metrics_row(metrics, RC_ROWS_TARGET, rc_str_c(name));
        assert_true(i + 1 < RC_METRICS_ROWS_MAX ? row == i + 1 : row == RC_METRICS_OTHER);
        rc_metrics_on_retry(shard, row, 0);
    }
    assert_int_equal(rc_metrics_row_count(metrics, RC_ROWS_TARGET), RC_METRICS_ROWS_MAX);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_RETRIES, RC_METRICS_OTHER, 0),
                     3000 - RC_METRICS_ROWS_MAX + 1);
    /* Numbers of rows that do not exist, which only a programming error passes, are ignored. */
    rc_metrics_on_credential_switch(shard, UINT16_MAX);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_CREDENTIAL_SWITCHES, RC_METRICS_OTHER, 0),
                     1);
    rc_metrics_on_request(shard, &(rc_metrics_request){9, 9, 99, RC_CODE_NONE, 0});
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUESTS, RC_METRICS_OTHER,
                                    code_cell(RC_METRIC_OUTCOME_FAILED, RC_CODE_NONE)),
                     1);
    end();
}

static uint64_t pair_total;
static uint64_t pair_other;
static size_t pair_count;

static void on_pair(void *ctx, uint32_t from, uint32_t to, uint64_t count)
{
    (void)ctx;
    pair_count++;
    pair_total += count;
    if (from == RC_METRICS_OTHER && to == RC_METRICS_OTHER)
        pair_other = count;
}

static void pairs_are_bounded_and_none_is_lost(void **state)
{
    (void)state;
    start(1);
    rc_metrics_shard *shard = rc_metrics_shard_get(metrics, 0);
    char name[32];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "t%d", i);
        rc_metrics_row(metrics, RC_ROWS_TARGET, rc_str_c(name));
    }
    pair_total = 0;
    pair_count = 0;
    pair_other = 0;
    for (uint16_t from = 1; from <= 100; from++)
        for (uint16_t to = 1; to <= 100; to++)
            rc_metrics_on_fallback(shard, from, to);
    /* rows that do not exist */
    rc_metrics_on_fallback(shard, 5000, 6000);
    rc_metrics_pairs(metrics, on_pair, NULL);
    assert_int_equal(pair_total, 10001);
    assert_int_equal(pair_count, RC_METRICS_PAIRS_MAX);
    assert_int_equal(pair_other, 10001 - (RC_METRICS_PAIRS_MAX - 1));
    end();
}

static void without_memory_there_is_no_row(void **state)
{
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        memory = (fail_alloc){.fail_at = fail_at};
        rc_alloc alloc = fail_alloc_of(&memory);
        metrics = rc_metrics_new(&alloc, 4);
        if (metrics == NULL) {
            assert_true(fail_at <= 5);
            assert_int_equal(memory.live, 0);
            continue;
        }
        uint16_t row = rc_metrics_row(metrics, RC_ROWS_ROUTE, RC_STR("r"));
        assert_int_equal(row, fail_at == 6 ? RC_METRICS_OTHER : 1);
        rc_metrics_on_request(rc_metrics_shard_get(metrics, 3),
                              &(rc_metrics_request){.route = row, .duration_us = 1});
        assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_REQUESTS, row, 0), 1);
        assert_int_equal(rc_metrics_row(metrics, RC_ROWS_ROUTE, RC_STR("r")), 1);
        end();
        if (fail_at > 6)
            break;
    }
    rc_alloc alloc = fail_alloc_of(&memory);
    assert_null(rc_metrics_new(&alloc, 0));
    assert_null(rc_metrics_new(&alloc, RC_METRICS_SHARDS_MAX + 1));
    rc_metrics_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_index),
        cmocka_unit_test(a_duration_is_counted_in_the_smallest_bucket_that_contains_it),
        cmocka_unit_test(shards_are_added_up),
        cmocka_unit_test(each_event_counts_in_its_cell),
        cmocka_unit_test(waits_in_the_queue_are_counted),
        cmocka_unit_test(a_name_has_the_same_row_every_time),
        cmocka_unit_test(names_without_a_row_are_other),
        cmocka_unit_test(pairs_are_bounded_and_none_is_lost),
        cmocka_unit_test(without_memory_there_is_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
