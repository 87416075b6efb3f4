/* The library has neither locks nor globals: threads may share immutable reports and build reports
 * of their own. ThreadSanitizer runs this test and detects races. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#define THREADS 4
#define ROUNDS 50
#define OUTPUT_MAX (1u << 20)

struct shared {
    const rc_report *report;
    rc_str encoded;
};

static const rc_report *build(const rc_alloc *alloc, const rc_report *cause)
{
    rc_builder builder;
    rc_builder_init(&builder, alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_provider(&builder, RC_STR("anthropic"));
    rc_builder_set_message(&builder, RC_STR("Slow down."));
    rc_builder_set_detail(&builder, RC_STR("Authorization: Bearer abcdefghijklmnopqrstuvwxyz"));
    rc_builder_set_retry_after_ms(&builder, 4000);
    rc_builder_set_context_int(&builder, RC_STR("attempt"), 2);
    rc_builder_add_source(&builder, RC_HERE("RateLimitError"));
    rc_builder_set_cause(&builder, cause);
    return rc_builder_finish(&builder);
}

/* Runs every renderer on one report. Returns whether all of them had enough space. */
static bool render_all(const rc_report *report, rc_buf *buf)
{
    const rc_panel_style style = {.width = 60, .has_colour = true, .has_utf8 = true};
    rc_render_human(report, RC_VIEW_USER, &style, buf);
    rc_render_agent_json(report, RC_VIEW_MODEL, 2, buf);
    rc_render_markdown(report, RC_VIEW_INTERNAL, buf);
    for (int dialect = RC_DIALECT_PROBLEM; dialect <= RC_DIALECT_GEMINI; dialect++) {
        rc_render_http(report, (rc_dialect)dialect, RC_VIEW_USER, buf);
        rc_render_stream_frame(report, (rc_dialect)dialect, RC_VIEW_USER, buf);
    }
    rc_render_log(report, 1, buf);
    rc_render_otel(report, buf);
    return rc_buf_status(buf) == RC_OK;
}

static bool one_round(const struct shared *shared, const rc_alloc *alloc, rc_buf *buf)
{
    /* Each thread uses another reference to the shared report, and builds a report that wraps
     * it. */
    const rc_report *own = build(alloc, shared->report);
    const rc_report *same = rc_report_dup(shared->report);
    const rc_report *decoded = NULL;

    rc_buf_reset(buf);
    bool ok = rc_report_encode(same, RC_VIEW_INTERNAL, buf) == RC_OK &&
              rc_str_eq(rc_buf_get(buf), shared->encoded);
    ok = ok && rc_report_cause(own) == shared->report;
    ok = ok && rc_report_decode(shared->encoded, RC_DECODE_STRICT, alloc, &decoded, NULL) == RC_OK;
    ok = ok && render_all(own, buf) && render_all(rc_report_static(RC_CODE_INTERNAL), buf);
    rc_report_free(decoded);
    rc_report_free(same);
    rc_report_free(own);
    return ok;
}

static void *work(void *argument)
{
    const struct shared *shared = argument;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, OUTPUT_MAX);
    bool ok = true;
    for (int round = 0; round < ROUNDS; round++)
        ok = one_round(shared, &alloc, &buf) && ok;
    rc_buf_done(&buf);
    return ok ? argument : NULL;
}

static void threads_share_a_report(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_buf encoded;
    rc_buf_init(&encoded, &alloc, OUTPUT_MAX);
    struct shared shared = {.report = build(&alloc, NULL)};
    assert_int_equal(rc_report_encode(shared.report, RC_VIEW_INTERNAL, &encoded), RC_OK);
    shared.encoded = rc_buf_get(&encoded);

    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    rc_report_free(shared.report);
    rc_buf_done(&encoded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_report)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
