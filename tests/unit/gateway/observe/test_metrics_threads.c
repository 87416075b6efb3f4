/* Threads count and add rows while another one reads the page: no count is lost, and
 * ThreadSanitizer finds no race. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <pthread.h>

#include <recourse/stdlib.h>

#include "gateway/observe/metrics_page.h"
#include "support/prom_lint.h"

#define THREADS 4
#define ROUNDS 5000
#define PAGES 5

static rc_metrics *metrics;

static void *count(void *ctx)
{
    rc_metrics_shard *shard = ctx;
    char name[32];
    for (int i = 0; i < ROUNDS; i++) {
        /* Every thread adds the same names, as if each thread had reloaded the configuration. */
        snprintf(name, sizeof(name), "t%d", i / 100);
        const uint16_t target = rc_metrics_row(metrics, RC_ROWS_TARGET, rc_str_c(name));
        rc_metrics_in_flight(shard, 1);
        rc_metrics_on_attempt(shard, &(rc_metrics_attempt){target, RC_CODE_NONE, 5000, 10});
        rc_metrics_on_fallback(shard, target, (uint16_t)(target + 1));
        rc_metrics_in_flight(shard, -1);
    }
    return NULL;
}

static uint64_t fallbacks;

static void on_pair(void *ctx, uint32_t from, uint32_t to, uint64_t pairs)
{
    (void)ctx;
    (void)from;
    (void)to;
    fallbacks += pairs;
}

static void threads_lose_nothing(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    rc_alloc alloc = rc_alloc_stdlib();
    metrics = rc_metrics_new(&alloc, THREADS);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count, rc_metrics_shard_get(metrics, i)),
                         0);
    for (int i = 0; i < PAGES; i++) {
        char wrong[512];
        size_t series;
        rc_buf page;
        rc_buf_init(&page, &alloc, (size_t)16 << 20);
        assert_int_equal(rc_metrics_page_push(&page, metrics, NULL), RC_OK);
        if (!prom_lint_page(rc_buf_get(&page), &series, wrong))
            fail_msg("%s", wrong);
        rc_buf_done(&page);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    uint64_t attempts = 0;
    assert_int_equal(rc_metrics_row_count(metrics, RC_ROWS_TARGET), ROUNDS / 100 + 1);
    for (uint32_t row = 0; row <= ROUNDS / 100; row++)
        attempts += rc_metrics_sum(metrics, RC_METRIC_ATTEMPTS, row, 0);
    assert_int_equal(attempts, (uint64_t)THREADS * ROUNDS);
    assert_int_equal(rc_metrics_sum(metrics, RC_METRIC_IN_FLIGHT, 0, 0), 0);
    rc_metrics_pairs(metrics, on_pair, NULL);
    assert_int_equal(fallbacks, (uint64_t)THREADS * ROUNDS);
    rc_metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
