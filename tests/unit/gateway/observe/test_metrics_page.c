/* Tests of the metrics page with a Prometheus linter, and of the linter itself, which must reject
 * errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "gateway/observe/metrics_page.h"
#include "support/fail_alloc.h"
#include "support/often.h"
#include "support/prom_lint.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PAGE_MAX ((size_t)32 << 20)

static rc_metrics *metrics;
static rc_buf page;

static void start(uint32_t shards)
{
    rc_alloc alloc = rc_alloc_stdlib();
    metrics = rc_metrics_new(&alloc, shards);
    assert_non_null(metrics);
    rc_buf_init(&page, &alloc, PAGE_MAX);
}

static void end(void)
{
    rc_metrics_free(metrics);
    rc_buf_done(&page);
}

/* Renders the page and checks it. Returns the number of series. */
static size_t render(const rc_metrics_collector *seen)
{
    char wrong[512];
    size_t series = 0;
    rc_buf_reset(&page);
    assert_int_equal(rc_metrics_page_push(&page, metrics, seen), RC_OK);
    if (!prom_lint_page(rc_buf_get(&page), &series, wrong))
        fail_msg("%s", wrong);
    rc_buf_push_byte(&page, '\0');
    return series;
}

static bool has(const char *text)
{
    return strstr(rc_buf_get(&page).ptr, text) != NULL;
}

/* ---- the linter ---- */

#define HEAD "# HELP recourse_a_total Words.\n# TYPE recourse_a_total counter\n"
#define HIST "# HELP recourse_h_seconds Words.\n# TYPE recourse_h_seconds histogram\n"

static void the_linter_rejects_errors(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        HEAD "recourse_a_total 1",
        HEAD "recourse_a_total x\n",
        HEAD "recourse_a_total  1 2\n",
        HEAD "recourse_b_total 1\n",
        HEAD "recourse_a_total -1\n",
        HEAD "recourse_a_total 1\nrecourse_a_total 2\n",
        HEAD "recourse_a_total{a=\"1\"} 1\nrecourse_a_total{a=\"1\"} 2\n",
        HEAD "recourse_a_total{a=\"\\x\"} 1\n",
        HEAD "recourse_a_total{a=\"\xff\"} 1\n",
        HEAD "recourse_a_total{a=\"1} 1\n",
        HEAD "recourse_a_total{1a=\"1\"} 1\n",
        HEAD "recourse_a_total{a=\"1\" 1\n",
        HEAD "recourse_a_total 1\n" HEAD,
        "# TYPE recourse_a_total counter\n",
        "# HELP recourse_a_total \n# TYPE recourse_a_total counter\n",
        "# HELP recourse_a Words.\n# TYPE recourse_a counter\n",
        "# HELP recourse_a_total Words.\n# TYPE recourse_a_total gauge\n",
        "# HELP recourse_a_ms Words.\n# TYPE recourse_a_ms gauge\n",
        "# HELP other_a Words.\n# TYPE other_a gauge\n",
        "# HELP recourse_A Words.\n# TYPE recourse_A gauge\n",
        "# HELP recourse_h Words.\n# TYPE recourse_h histogram\n",
        HIST "recourse_h_seconds_bucket{le=\"1\"} 1\n",
        HIST "recourse_h_seconds_bucket{le=\"2\"} 1\nrecourse_h_seconds_bucket{le=\"1\"} 1\n",
        HIST "recourse_h_seconds_bucket{le=\"1\"} 2\nrecourse_h_seconds_bucket{le=\"2\"} 1\n",
        HIST "recourse_h_seconds_bucket{le=\"+Inf\"} 2\nrecourse_h_seconds_count 1\n",
    };
    char wrong[512];
    size_t series;
    for (size_t i = 0; i < COUNT(bad); i++)
        if (prom_lint_page(rc_str_c(bad[i]), &series, wrong))
            fail_msg("taken: %s", bad[i]);
    assert_true(
        prom_lint_page(RC_STR(HEAD "recourse_a_total{a=\"\\\\ \\\" \\n\"} 1\n" HIST
                                   "recourse_h_seconds_bucket{le=\"1\"} 1\n"
                                   "recourse_h_seconds_bucket{le=\"+Inf\"} 2\n"
                                   "recourse_h_seconds_sum 1.5\nrecourse_h_seconds_count 2\n"),
                       &series, wrong));
    assert_int_equal(series, 5);
}

/* ---- the page ---- */

static void an_empty_page_has_the_process_metrics(void **state)
{
    (void)state;
    start(2);
    render(NULL);
    assert_true(has("recourse_in_flight 0\n"));
    assert_true(has("recourse_config_reloads_total{result=\"loaded\"} 0\n"));
    assert_true(has("recourse_upstream_connections{state=\"busy\"} 0\n"));
    assert_true(has("recourse_waits_seconds_bucket{le=\"0.00125\"} 0\n"));
    assert_true(has("recourse_waits_seconds_bucket{le=\"81.92\"} 0\n"));
    assert_true(has("recourse_waits_seconds_count 0\n"));
    /* A metric without rows has neither series nor HELP. */
    assert_false(has("_other"));
    assert_false(has("recourse_requests_total"));
    assert_false(has("recourse_build_info"));
    end();
}

static void counted_values_are_on_the_page(void **state)
{
    (void)state;
    start(2);
    rc_metrics_shard *shard = rc_metrics_shard_get(metrics, 1);
    uint16_t route = rc_metrics_row(metrics, RC_ROWS_ROUTE, RC_STR("gpt \"4\"\\*"));
    uint16_t target = rc_metrics_row(metrics, RC_ROWS_TARGET, RC_STR("openai/gpt-4o"));
    rc_metrics_row(metrics, RC_ROWS_CLIENT, RC_STR("app"));
    rc_metrics_on_request(shard, &(rc_metrics_request){route, 0, RC_METRIC_OUTCOME_INTERRUPTED,
                                                       RC_CODE_STREAM_INTERRUPTED, 3141});
    rc_metrics_on_usage(shard, &(rc_metrics_usage){target, 1, 7, 9, true, 2500000});
    rc_metrics_on_fallback(shard, target, 77);
    rc_metrics_in_flight(shard, -1);
    render(NULL);
    assert_true(has("recourse_requests_total{route=\"gpt \\\"4\\\"\\\\*\",outcome=\"succeeded\","
                    "code=\"none\"} 0\n"));
    assert_true(has("recourse_requests_total{route=\"gpt \\\"4\\\"\\\\*\",outcome=\"interrupted\","
                    "code=\"StreamInterrupted\"} 1\n"));
    assert_true(has("_duration_seconds_bucket{route=\"gpt \\\"4\\\"\\\\*\",le=\"0.0025\"} 0\n"));
    assert_true(has("_duration_seconds_bucket{route=\"gpt \\\"4\\\"\\\\*\",le=\"0.005\"} 1\n"));
    assert_true(has("_duration_seconds_sum{route=\"gpt \\\"4\\\"\\\\*\"} 0.003141\n"));
    assert_true(has("recourse_tokens_total{target=\"openai/gpt-4o\",direction=\"output\","
                    "kind=\"estimated\"} 9\n"));
    assert_true(has("recourse_cost_usd_total{target=\"openai/gpt-4o\"} 0.0025\n"));
    assert_true(has("recourse_client_cost_usd_total{client=\"app\"} 0.0025\n"));
    assert_true(has("recourse_fallbacks_total{from=\"openai/gpt-4o\",to=\"_other\"} 1\n"));
    assert_true(has("recourse_client_requests_total{client=\"_other\",outcome=\"interrupted\"} 1"));
    assert_true(has("recourse_in_flight -1\n"));
    end();
}

/* ---- collected metrics ---- */

static void collect(void *ctx, rc_metric metric, rc_metrics_page *p)
{
    const int *rounds = ctx;
    if (metric == RC_METRIC_TARGET_COOLING) {
        rc_metrics_page_put(p, RC_STR("a/b"), RC_STR(""), 1500);
        rc_metrics_page_put(p, RC_STR("a/b"), RC_STR(""), 7);
        rc_metrics_page_put(p, RC_STR("a\x01"), RC_STR(""), 1);
        rc_metrics_page_put(p, RC_STR("a\x02"), RC_STR(""), 2);
    }
    if (metric == RC_METRIC_CREDENTIAL_STATE) {
        rc_metrics_page_put(p, RC_STR("p"), RC_STR("1"), 3);
        rc_metrics_page_put(p, RC_STR("p"), RC_STR("2"), 0);
        rc_metrics_page_put(p, RC_STR("p1"), RC_STR(""), 0);
    }
    for (int i = 0; metric == RC_METRIC_TARGET_UP && i < *rounds; i++) {
        char name[32];
        snprintf(name, sizeof(name), "t%d", i);
        rc_metrics_page_put(p, rc_str_c(name), RC_STR(""), 1);
    }
    if (metric == RC_METRIC_TARGET_IN_FLIGHT) {
        char longest[RC_METRICS_NAME_MAX + 1];
        memset(longest, '\xff', sizeof(longest));
        rc_metrics_page_put(p, rc_str_make(longest, RC_METRICS_NAME_MAX), RC_STR(""), 1);
        rc_metrics_page_put(p, rc_str_make(longest, sizeof(longest)), RC_STR(""), 2);
    }
    if (metric == RC_METRIC_BUILD)
        rc_metrics_page_put(p, RC_STR("0.1.0"), RC_STR(""), 1);
    if (metric == RC_METRIC_CONFIG_TIME)
        rc_metrics_page_put(p, RC_STR(""), RC_STR(""), 1700000000123);
}

static void collected_series_are_unique(void **state)
{
    (void)state;
    start(1);
    int rounds = 3000;
    const rc_metrics_collector seen = {collect, &rounds};
    render(&seen);
    assert_true(has("recourse_target_cooling_seconds{target=\"a/b\"} 1.5\n"));
    assert_true(has("recourse_target_cooling_seconds{target=\"a\xef\xbf\xbd\"} 0.001\n"));
    assert_true(has("recourse_credential_state{provider=\"p\",credential=\"1\"} 3\n"));
    assert_true(has("recourse_build_info{version=\"0.1.0\"} 1\n"));
    assert_true(has("recourse_config_last_reload_success_timestamp_seconds 1700000000.123\n"));
    assert_true(has("recourse_target_up{target=\"t1023\"} 1\n"));
    assert_false(has("recourse_target_up{target=\"t1024\"}"));
    assert_true(has("recourse_target_in_flight{target=\"\xef\xbf\xbd"));
    assert_false(has("\"} 2\n"));
    end();
}

/* ---- random names ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

/* A name of valid and invalid bytes. */
static rc_str odd_name(char buffer[400])
{
    static const char *const parts[] = {
        "gpt",     "\"",   "\\",       "\n",   "\r",     "\x00",     "}",
        "{",       ",",    "=",        "\xff", "\xc3",   "\xc3\xa9", "\xed\xa0\x80",
        "# HELP ", " 1\n", "\xe2\x80", "*",    "_other", "\x7f"};
    size_t len = 0;
    const uint32_t count = 1 + random_below(12);
    for (uint32_t i = 0; i < count; i++) {
        const char *part = parts[random_below(COUNT(parts))];
        const size_t size = part[0] != '\0' ? strlen(part) : 1;
        memcpy(buffer + len, part, size);
        len += size;
    }
    if (random_below(20) == 0)
        len += (size_t)snprintf(buffer + len, 300, "%0*d", (int)(100 + random_below(200)), 0);
    return rc_str_make(buffer, len);
}

static const int *odd_rounds;

static void collect_odd(void *ctx, rc_metric metric, rc_metrics_page *p)
{
    char first[512];
    char second[512];
    (void)ctx;
    (void)metric;
    for (int i = 0; i < *odd_rounds; i++) {
        const rc_str a = odd_name(first);
        rc_metrics_page_put(p, a, odd_name(second), i - 5);
    }
}

/* A collected counter is never negative; a gauge may be. */
static void collect_odd_gauges(void *ctx, rc_metric metric, rc_metrics_page *p)
{
    if (rc_metric_get(metric)->type == RC_METRIC_GAUGE)
        collect_odd(ctx, metric, p);
}

static void with_random_names_the_page_is_valid_and_bounded(void **state)
{
    (void)state;
    start(3);
    random_state = 7;
    char buffer[512];
    for (int i = 0; i < OFTEN(100000); i++) {
        const rc_str name = odd_name(buffer);
        const rc_metric_rows rows = (rc_metric_rows)(RC_ROWS_ROUTE + random_below(3));
        rc_metrics_shard *shard = rc_metrics_shard_get(metrics, random_below(3));
        const uint16_t row = rc_metrics_row(metrics, rows, name);
        const uint16_t other = rc_metrics_row(metrics, RC_ROWS_TARGET, odd_name(buffer));
        rc_metrics_on_request(
            shard, &(rc_metrics_request){row, row, random_below(7),
                                         (rc_code)(random_below(13) * 100 + random_below(12)),
                                         random_below(UINT32_MAX)});
        rc_metrics_on_attempt(shard,
                              &(rc_metrics_attempt){row, (rc_code)(random_below(1300)),
                                                    random_below(1000000), random_below(1000)});
        rc_metrics_on_fallback(shard, row, other);
    }
    const int rounds = 2000;
    odd_rounds = &rounds;
    const rc_metrics_collector seen = {collect_odd_gauges, NULL};
    const size_t series = render(&seen);
    /* The maximum number of series: the rows of each kind with all their cells, and the collected
     * samples. */
    size_t bound = 0;
    for (int i = 0; i < RC_METRIC_COUNT; i++) {
        const rc_metric_info *info = rc_metric_get((rc_metric)i);
        bound += info->rows == RC_ROWS_PAIR        ? RC_METRICS_PAIRS_MAX
                 : info->rows == RC_ROWS_COLLECTED ? RC_METRICS_ROWS_MAX
                 : info->rows == RC_ROWS_PROCESS
                     ? rc_metrics_width((rc_metric)i) + 1
                     : (size_t)RC_METRICS_ROWS_MAX * (rc_metrics_width((rc_metric)i) + 1);
    }
    assert_true(series > 2000 && series <= bound);
    assert_int_equal(rc_metrics_row_count(metrics, RC_ROWS_TARGET), RC_METRICS_ROWS_MAX);
    end();
}

static void a_page_without_memory_is_an_error(void **state)
{
    (void)state;
    start(1);
    for (size_t fail_at = 1;; fail_at++) {
        fail_alloc memory = {.fail_at = fail_at};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, PAGE_MAX);
        const rc_status status = rc_metrics_page_push(&buf, metrics, NULL);
        const bool is_hit = memory.calls >= fail_at;
        assert_int_equal(status, is_hit ? RC_E_NOMEM : RC_OK);
        rc_buf_done(&buf);
        assert_int_equal(memory.live, 0);
        if (!is_hit)
            break;
    }
    end();
}

/* ---- the documentation ---- */

#define PAGE_FILE RC_TEST_DIR "/../docs/metrics.md"
#define TABLE_BEGIN "| metric | type | labels | meaning |\n"

/* With RECOURSE_UPDATE_GOLDEN=1 the test writes the tables of docs/metrics.md. */
static void the_documentation_has_the_table(void **state)
{
    (void)state;
    static char text[1 << 16];
    static char buffer[1 << 16];
    rc_buf table;
    rc_buf_init_fixed(&table, buffer, sizeof(buffer));
    rc_metric_push_docs(&table);
    rc_buf_push_byte(&table, '\0');
    assert_int_equal(rc_buf_status(&table), RC_OK);
    FILE *file = fopen(PAGE_FILE, "rb");
    assert_non_null(file);
    const size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    char *begin = strstr(text, TABLE_BEGIN);
    assert_non_null(begin);
    if (getenv("RECOURSE_UPDATE_GOLDEN")) {
        file = fopen(PAGE_FILE, "wb");
        assert_non_null(file);
        fwrite(text, 1, (size_t)(begin - text), file);
        fputs(buffer, file);
        fclose(file);
        return;
    }
    assert_string_equal(begin, buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_linter_rejects_errors),
        cmocka_unit_test(an_empty_page_has_the_process_metrics),
        cmocka_unit_test(counted_values_are_on_the_page),
        cmocka_unit_test(collected_series_are_unique),
        cmocka_unit_test(with_random_names_the_page_is_valid_and_bounded),
        cmocka_unit_test(a_page_without_memory_is_an_error),
        cmocka_unit_test(the_documentation_has_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
