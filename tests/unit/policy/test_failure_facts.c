/* Tests of failure facts: the facts of a report, of a code, and of no report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/policy.h>
#include <recourse/taxonomy.h>

#include "support/random_report.h"
#include "support/render_cases.h"

static rc_failure_facts facts_of_json(rc_str json)
{
    const rc_report *report = case_decode(json);
    const rc_failure_facts facts = rc_failure_facts_of(report);
    rc_report_free(report);
    return facts;
}

static void test_of_code(void **state)
{
    (void)state;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        const rc_failure_facts facts = rc_failure_facts_of_code(info->code);
        assert_int_equal(facts.code, info->code);
        assert_int_equal(facts.category, info->category);
        assert_int_equal(facts.is_retryable, info->is_retryable);
        assert_int_equal(facts.limit_kind, RC_LIMIT_KIND_NONE);
        assert_false(facts.is_retry_exhausted);
        assert_int_equal(facts.retry_after_ms, -1);
    }
}

static void expect_unclassified(rc_failure_facts facts)
{
    assert_int_equal(facts.code, RC_CODE_UNCLASSIFIED);
    assert_int_equal(facts.category, RC_CATEGORY_UNKNOWN);
    assert_false(facts.is_retryable);
    assert_int_equal(facts.retry_after_ms, -1);
}

static void test_of_no_report(void **state)
{
    (void)state;
    expect_unclassified(rc_failure_facts_of(NULL));
    expect_unclassified(facts_of_json(RC_STR("{}")));
    expect_unclassified(rc_failure_facts_of_code(RC_CODE_NONE));
    expect_unclassified(rc_failure_facts_of_code(RC_CODE_UNKNOWN));
    expect_unclassified(rc_failure_facts_of_code((rc_code)77));
}

static void test_of_report(void **state)
{
    (void)state;
    const rc_failure_facts facts = facts_of_json(
        RC_STR("{\"error_code\":\"RateLimited\",\"retry_exhausted\":true,\"provider_metadata\":"
               "{\"retry_after_ms\":0,\"limit_kind\":\"concurrency\"}}"));
    assert_int_equal(facts.code, RC_CODE_RATE_LIMITED);
    assert_int_equal(facts.category, RC_CATEGORY_TRANSIENT);
    assert_int_equal(facts.limit_kind, RC_LIMIT_KIND_CONCURRENCY);
    assert_true(facts.is_retryable);
    assert_true(facts.is_retry_exhausted);
    assert_int_equal(facts.retry_after_ms, 0);
}

/* A report can forbid a retry that its code allows, but cannot allow one that its code forbids. */
static void test_report_can_only_forbid_a_retry(void **state)
{
    (void)state;
    assert_true(facts_of_json(RC_STR("{\"error_code\":\"ExecutionFailed\"}")).is_retryable);
    assert_false(facts_of_json(RC_STR("{\"error_code\":\"ExecutionFailed\",\"retryable\":false}"))
                     .is_retryable);
    assert_false(facts_of_json(RC_STR("{\"error_code\":\"ContentFilter\",\"retryable\":true}"))
                     .is_retryable);
    assert_false(
        facts_of_json(RC_STR("{\"error_code\":\"Internal\",\"retryable\":true}")).is_retryable);
    assert_false(
        facts_of_json(RC_STR("{\"error_category\":\"capacity\",\"retryable\":true}")).is_retryable);
    assert_true(facts_of_json(RC_STR("{\"error_code\":\"StoreUnavailable\"}")).is_retryable);
    /* A report that wraps a report with the code OutcomeUnknown. */
    assert_false(facts_of_json(RC_STR("{\"error_code\":\"ExecutionFailed\",\"error_category\":"
                                      "\"ambiguous\",\"retryable\":true}"))
                     .is_retryable);
}

/* The category capacity leads to other keys and targets, so the category in a report neither sets
 * nor clears it. */
static void test_capacity_follows_the_code(void **state)
{
    (void)state;
    rc_failure_facts facts =
        facts_of_json(RC_STR("{\"error_code\":\"ContentFilter\",\"error_category\":\"capacity\"}"));
    assert_int_equal(facts.category, RC_CATEGORY_CONTENT);
    assert_false(facts.is_retryable);
    facts = facts_of_json(RC_STR("{\"error_code\":\"Provider5xx\",\"error_category\":"
                                 "\"capacity\",\"retryable\":true}"));
    assert_int_equal(facts.category, RC_CATEGORY_TRANSIENT);
    assert_false(facts.is_retryable); /* the category in the report still forbids a retry */
    facts = facts_of_json(RC_STR("{\"error_code\":\"QuotaExhausted\",\"error_category\":"
                                 "\"transient\",\"retryable\":true}"));
    assert_int_equal(facts.category, RC_CATEGORY_CAPACITY);
    assert_false(facts.is_retryable);
    facts = facts_of_json(RC_STR("{\"error_code\":\"Hiccup\",\"error_category\":\"capacity\"}"));
    assert_int_not_equal(facts.category, RC_CATEGORY_CAPACITY);
}

static void test_newer_code(void **state)
{
    (void)state;
    const rc_failure_facts facts = facts_of_json(
        RC_STR("{\"error_code\":\"Hiccup\",\"error_category\":\"transient\",\"retryable\":true}"));
    assert_int_equal(facts.code, RC_CODE_UNKNOWN);
    assert_int_equal(facts.category, RC_CATEGORY_TRANSIENT);
    assert_true(facts.is_retryable);
    assert_false(facts_of_json(RC_STR("{\"error_code\":\"Hiccup\"}")).is_retryable);
}

/* Whatever a report contains, only transient failures, and failures of classes without categories,
 * are retryable. */
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
        const rc_failure_facts facts = rc_failure_facts_of(report);
        if (facts.is_retryable) {
            retryable++;
            assert_true(rc_report_is_retryable(report));
            assert_true(rc_code_get(facts.code)->is_retryable);
            assert_true(facts.category == RC_CATEGORY_NONE ||
                        facts.category == RC_CATEGORY_TRANSIENT);
        }
        rc_report_free(report);
    }
    assert_true(retryable > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_code),
        cmocka_unit_test(test_of_no_report),
        cmocka_unit_test(test_of_report),
        cmocka_unit_test(test_report_can_only_forbid_a_retry),
        cmocka_unit_test(test_capacity_follows_the_code),
        cmocka_unit_test(test_newer_code),
        cmocka_unit_test(test_any_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
