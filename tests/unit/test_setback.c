/* Setbacks: what a report, a code or nothing at all means to the policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/policy.h>
#include <recourse/taxonomy.h>

#include "../support/random_report.h"
#include "../support/render_cases.h"

static rc_setback setback_of(rc_str json)
{
    const rc_report *report = case_decode(json);
    const rc_setback setback = rc_setback_of(report);
    rc_report_free(report);
    return setback;
}

static void test_of_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        const rc_setback setback = rc_setback_of_code(info->code);
        assert_int_equal(setback.code, info->code);
        assert_int_equal(setback.category, info->category);
        assert_int_equal(setback.is_retryable, info->is_retryable);
        assert_int_equal(setback.limit_kind, RC_LIMIT_KIND_NONE);
        assert_false(setback.is_retry_exhausted);
        assert_int_equal(setback.retry_after_ms, -1);
    }
}

static void expect_unclassified(rc_setback setback)
{
    assert_int_equal(setback.code, RC_CODE_UNCLASSIFIED);
    assert_int_equal(setback.category, RC_CATEGORY_UNKNOWN);
    assert_false(setback.is_retryable);
    assert_int_equal(setback.retry_after_ms, -1);
}

static void test_of_nothing(void **state)
{
    (void)state;
    expect_unclassified(rc_setback_of(NULL));
    expect_unclassified(setback_of(RC_STR("{}")));
    expect_unclassified(rc_setback_of_code(RC_CODE_NONE));
    expect_unclassified(rc_setback_of_code(RC_CODE_UNKNOWN));
    expect_unclassified(rc_setback_of_code((rc_code)77));
}

static void test_of_report(void **state)
{
    (void)state;
    const rc_setback setback = setback_of(
        RC_STR("{\"error_code\":\"RateLimited\",\"retry_exhausted\":true,\"provider_metadata\":"
               "{\"retry_after_ms\":0,\"limit_kind\":\"concurrency\"}}"));
    assert_int_equal(setback.code, RC_CODE_RATE_LIMITED);
    assert_int_equal(setback.category, RC_CATEGORY_TRANSIENT);
    assert_int_equal(setback.limit_kind, RC_LIMIT_KIND_CONCURRENCY);
    assert_true(setback.is_retryable);
    assert_true(setback.is_retry_exhausted);
    assert_int_equal(setback.retry_after_ms, 0);
}

/* A report can forbid what its code allows, as a tool's contract does; not the other way. */
static void test_who_decides(void **state)
{
    (void)state;
    assert_true(setback_of(RC_STR("{\"error_code\":\"ExecutionFailed\"}")).is_retryable);
    assert_false(setback_of(RC_STR("{\"error_code\":\"ExecutionFailed\",\"retryable\":false}"))
                     .is_retryable);
    assert_false(
        setback_of(RC_STR("{\"error_code\":\"ContentFilter\",\"retryable\":true}")).is_retryable);
    assert_false(
        setback_of(RC_STR("{\"error_code\":\"Internal\",\"retryable\":true}")).is_retryable);
    assert_false(
        setback_of(RC_STR("{\"error_category\":\"capacity\",\"retryable\":true}")).is_retryable);
    assert_true(setback_of(RC_STR("{\"error_code\":\"StoreUnavailable\"}")).is_retryable);
    /* One that wraps an outcome that is not known. */
    assert_false(setback_of(RC_STR("{\"error_code\":\"ExecutionFailed\",\"error_category\":"
                                   "\"ambiguous\",\"retryable\":true}"))
                     .is_retryable);
}

/* Capacity is what leads to other keys and targets: no claim makes it or hides it. */
static void test_who_says_capacity(void **state)
{
    (void)state;
    rc_setback setback =
        setback_of(RC_STR("{\"error_code\":\"ContentFilter\",\"error_category\":\"capacity\"}"));
    assert_int_equal(setback.category, RC_CATEGORY_CONTENT);
    assert_false(setback.is_retryable);
    setback = setback_of(RC_STR("{\"error_code\":\"Provider5xx\",\"error_category\":"
                                "\"capacity\",\"retryable\":true}"));
    assert_int_equal(setback.category, RC_CATEGORY_TRANSIENT);
    assert_false(setback.is_retryable); /* what it forbids is forbidden */
    setback = setback_of(RC_STR("{\"error_code\":\"QuotaExhausted\",\"error_category\":"
                                "\"transient\",\"retryable\":true}"));
    assert_int_equal(setback.category, RC_CATEGORY_CAPACITY);
    assert_false(setback.is_retryable);
    setback = setback_of(RC_STR("{\"error_code\":\"Hiccup\",\"error_category\":\"capacity\"}"));
    assert_int_not_equal(setback.category, RC_CATEGORY_CAPACITY);
}

static void test_newer_code(void **state)
{
    (void)state;
    const rc_setback setback = setback_of(
        RC_STR("{\"error_code\":\"Hiccup\",\"error_category\":\"transient\",\"retryable\":true}"));
    assert_int_equal(setback.code, RC_CODE_UNKNOWN);
    assert_int_equal(setback.category, RC_CATEGORY_TRANSIENT);
    assert_true(setback.is_retryable);
    assert_false(setback_of(RC_STR("{\"error_code\":\"Hiccup\"}")).is_retryable);
}

/* Whatever a report says: only transient, or a class without categories, is retryable. */
static void test_any_report(void **state)
{
    (void)state;
    static const rc_category categories[] = {
        RC_CATEGORY_NONE,     RC_CATEGORY_TRANSIENT, RC_CATEGORY_CONFIGURATION, RC_CATEGORY_CONTENT,
        RC_CATEGORY_CAPACITY, RC_CATEGORY_AMBIGUOUS, RC_CATEGORY_UNKNOWN};
    rc_alloc alloc = rc_alloc_stdlib();
    uint64_t seed = 1;
    size_t retryable = 0;
    for (size_t i = 0; i < 5000; i++) {
        rc_builder builder;
        rc_builder_init(&builder, &alloc, rc_code_at(random_below(&seed, rc_code_count()))->code);
        rc_builder_set_category(&builder, categories[random_below(&seed, 7)]);
        if (random_below(&seed, 2) == 0)
            rc_builder_set_retryable(&builder, random_below(&seed, 2) == 0);
        const rc_report *report = rc_builder_finish(&builder);
        const rc_setback setback = rc_setback_of(report);
        if (setback.is_retryable) {
            retryable++;
            assert_true(rc_report_is_retryable(report));
            assert_true(rc_code_get(setback.code)->is_retryable);
            assert_true(setback.category == RC_CATEGORY_NONE ||
                        setback.category == RC_CATEGORY_TRANSIENT);
        }
        rc_report_free(report);
    }
    assert_true(retryable > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_code),           cmocka_unit_test(test_of_nothing),
        cmocka_unit_test(test_of_report),         cmocka_unit_test(test_who_decides),
        cmocka_unit_test(test_who_says_capacity), cmocka_unit_test(test_newer_code),
        cmocka_unit_test(test_any_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
