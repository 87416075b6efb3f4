/* Tests that no setter, wrapper or failed allocation makes a fatal failure retryable. */
#include <recourse/builder.h>
#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "support/fail_alloc.h"

static const rc_report *simple(rc_code code, const rc_report *cause)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, code);
    rc_builder_set_cause(&b, cause);
    return rc_builder_finish(&b);
}

static void assert_fatal(const rc_report *r)
{
    assert_int_equal(rc_report_retryable(r), RC_FALSE);
    rc_report_free(r);
}

static void test_no_fatal_failure_becomes_retryable(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_QUOTA_EXHAUSTED);
    rc_builder_set_retryable(&b, true);
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_retryable(r), RC_FALSE);
    rc_report_free(r);

    /* An untrusted certificate: the code is transient in spec/errors.def, but this failure is
     * not. */
    rc_builder_init(&b, &alloc, RC_CODE_CONNECTION_FAILED);
    rc_builder_set_category(&b, RC_CATEGORY_CONFIGURATION);
    r = rc_builder_finish(&b);
    assert_false(rc_report_is_retryable(r));
    rc_report_free(r);

    const rc_report *filter = simple(RC_CODE_CONTENT_FILTER, NULL);
    const rc_report *tool = simple(RC_CODE_EXECUTION_FAILED, filter);
    assert_int_equal(rc_report_category(tool), RC_CATEGORY_CONTENT);
    assert_false(rc_report_is_retryable(tool));
    rc_report_free(filter);
    rc_report_free(tool);
}

static void test_nothing_revives_a_fatal_code(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_builder b;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *row = rc_code_at(i);
        rc_builder_init(&b, &alloc, row->code);
        rc_builder_set_category(&b, RC_CATEGORY_TRANSIENT);
        rc_builder_set_retryable(&b, true);
        const rc_report *r = rc_builder_finish(&b);
        assert_int_equal(rc_report_is_retryable(r), row->is_retryable);
        rc_report_free(r);
    }

    /* A cancellation or a limit forbids a retry, however deep it is in the chain of causes. */
    const rc_report *cancelled = simple(RC_CODE_TURN_CANCELLED, NULL);
    const rc_report *capped = simple(RC_CODE_BUDGET_EXCEEDED, NULL);
    const rc_report *inner = simple(RC_CODE_EXECUTION_FAILED, cancelled);
    assert_fatal(simple(RC_CODE_EXECUTION_FAILED, inner));
    assert_fatal(simple(RC_CODE_EXECUTION_FAILED, capped));
    rc_builder_init(&b, &alloc, RC_CODE_NONE);
    rc_builder_set_retryable(&b, true);
    rc_builder_set_cause(&b, capped);
    assert_fatal(rc_builder_finish(&b));
    assert_fatal(inner);
    rc_report_free(cancelled);
    rc_report_free(capped);
}

static void test_out_of_memory_makes_nothing_retryable(void **unused)
{
    (void)unused;
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_CONNECTION_FAILED);
    rc_builder_set_category(&b, RC_CATEGORY_CONFIGURATION);
    const rc_report *r = rc_builder_finish(&b);
    assert_int_equal(rc_report_code(r), RC_CODE_CONNECTION_FAILED);
    assert_int_equal(rc_report_category(r), RC_CATEGORY_UNKNOWN);
    assert_fatal(r);

    rc_builder_init(&b, &alloc, RC_CODE_OVERLOADED);
    rc_builder_set_retryable(&b, false);
    assert_fatal(rc_builder_finish(&b));

    const rc_report *cause = simple(RC_CODE_AUTH_FAILED, NULL);
    rc_builder_init(&b, &alloc, RC_CODE_EXECUTION_FAILED);
    rc_builder_set_cause(&b, cause);
    assert_fatal(rc_builder_finish(&b));
    rc_report_free(cause);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_fatal_failure_becomes_retryable),
        cmocka_unit_test(test_nothing_revives_a_fatal_code),
        cmocka_unit_test(test_out_of_memory_makes_nothing_retryable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
