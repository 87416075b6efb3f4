/* Classification while every allocation fails in turn, once and permanently: there is a report
 * with the right code, it allows no retry that the verdict forbids, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/json.h>

#include "support/fail_alloc.h"
#include "support/failure_cases.h"

/* Classifies with the Nth allocation failing. Returns the number of allocations. */
static size_t run(const rc_failure *failure, const rc_verdict *verdict, size_t fail_at,
                  bool for_good)
{
    fail_alloc memory = {.fail_at = fail_at, .for_good = for_good};
    rc_alloc alloc = fail_alloc_of(&memory);
    const rc_report *report = rc_classify(failure, NULL, &alloc);
    assert_non_null(report);
    assert_int_equal(rc_report_code(report), verdict->code);
    if (rc_report_is_retryable(report))
        assert_true(verdict->is_retryable);
    if (fail_at == 0) {
        assert_int_equal(rc_report_category(report), verdict->category);
        assert_int_equal(rc_report_retry_after_ms(report), verdict->retry_after_ms);
        assert_true(rc_str_eq(rc_report_rule(report), verdict->rule));
    }
    char json_bytes[65536];
    rc_buf buf;
    rc_buf_init_fixed(&buf, json_bytes, sizeof(json_bytes));
    assert_int_equal(rc_report_encode(report, RC_VIEW_USER, &buf), RC_OK);
    rc_report_free(report);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return memory.calls;
}

static void fail_each(const rc_failure *failure)
{
    rc_classify_space space;
    rc_verdict verdict = rc_judge(failure, NULL, NULL, &space);
    size_t count = run(failure, &verdict, 0, false);
    assert_true(count >= 1);
    for (size_t i = 1; i <= count; i++) {
        run(failure, &verdict, i, false);
        run(failure, &verdict, i, true);
    }
}

static void use_case(void *ctx, const rc_case *c)
{
    (void)ctx;
    fail_each(&c->failure);
}

static void test_every_case_of_every_provider(void **state)
{
    (void)state;
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        char path[512];
        assert_true(snprintf(path, sizeof(path), "%s/conformance/providers/%s.jsonl", RC_TEST_DIR,
                             rc_provider_at(i)) < (int)sizeof(path));
        assert_true(rc_cases_each(path, use_case, NULL) > 0);
    }
}

static void test_nothing_is_known(void **state)
{
    (void)state;
    rc_failure failure = {0};
    fail_each(&failure);
}

static void test_a_large_body(void **state)
{
    (void)state;
    static char body[2u << 20];
    static const char BEGIN[] = "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"";
    memset(body, 'x', sizeof(body));
    memcpy(body, BEGIN, sizeof(BEGIN) - 1);
    rc_failure failure = {.status = 429, .body = rc_str_make(body, sizeof(body))};
    fail_each(&failure);
}

static void test_judging_needs_no_memory(void **state)
{
    (void)state;
    rc_failure failure = {.status = 429,
                          .body = RC_STR("{\"error\":{\"code\":\"insufficient_quota\"}}")};
    rc_classify_space space;
    rc_verdict verdict = rc_judge(&failure, NULL, NULL, &space);
    assert_int_equal(verdict.code, RC_CODE_QUOTA_EXHAUSTED);
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    rc_alloc alloc = fail_alloc_of(&memory);
    const rc_report *report = rc_verdict_report(&failure, &verdict, &alloc);
    assert_int_equal(rc_report_code(report), RC_CODE_QUOTA_EXHAUSTED);
    assert_int_equal(memory.live, 0);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_case_of_every_provider),
        cmocka_unit_test(test_nothing_is_known),
        cmocka_unit_test(test_a_large_body),
        cmocka_unit_test(test_judging_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
