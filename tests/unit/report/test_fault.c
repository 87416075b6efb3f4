/* Tests of the conversion of fault chains into reports: classification, cycles, depth. */
#include <recourse/builder.h>
#include <recourse/stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fail_alloc.h"

static const rc_report *innermost(const rc_report *r, size_t *ret_depth)
{
    *ret_depth = 0;
    while (rc_report_cause(r)) {
        r = rc_report_cause(r);
        (*ret_depth)++;
    }
    return r;
}

static bool has_note(const rc_report *r, const char *note)
{
    for (; r; r = rc_report_cause(r)) {
        const rc_context_entry *entry = rc_report_context_get(r, RC_STR("chain"));
        if (entry && strcmp(entry->text.ptr, note) == 0)
            return true;
    }
    return false;
}

static void test_chain_of_an_exception(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_fault inner = {.type = "openai.RateLimitError",
                      .message = RC_STR("Error code: 429"),
                      .code = RC_CODE_RATE_LIMITED,
                      .source = RC_HERE("RateLimitError")};
    rc_fault outer = {.type = "PipeRunError", .message = RC_STR("pipe failed"), .cause = &inner};
    const rc_report *r = rc_report_from_fault(&alloc, &outer);
    assert_string_equal(rc_report_error_type(r).ptr, "PipeRunError");
    assert_int_equal(rc_report_code(r), RC_CODE_RATE_LIMITED);
    assert_string_equal(rc_report_detail(r).ptr, "pipe failed");
    assert_int_equal(rc_report_source_count(rc_report_cause(r)), 1);
    rc_report_free(r);
}

static void test_unclassified_root_is_internal(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_fault fault = {.message = RC_STR("boom")};
    const rc_report *r = rc_report_from_fault(&alloc, &fault);
    assert_int_equal(rc_report_code(r), RC_CODE_INTERNAL);
    assert_string_equal(rc_report_detail(r).ptr, "boom"); /* the fault's message is never part of
                                                             the user's message */
    rc_report_free(r);
    assert_int_equal(rc_report_code(rc_report_from_fault(&alloc, NULL)), RC_CODE_INTERNAL);
}

static void test_cycles_of_every_length(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    enum {
        COUNT = 12
    };
    for (size_t back = 0; back < COUNT; back++) {
        rc_fault faults[COUNT] = {0};
        for (size_t i = 0; i < COUNT; i++)
            faults[i].cause = &faults[i + 1 < COUNT ? i + 1 : back];
        const rc_report *r = rc_report_from_fault(&alloc, faults);
        size_t depth;
        const rc_report *root = innermost(r, &depth);
        assert_int_equal(depth, COUNT - 1);
        assert_string_equal(rc_report_context_get(root, RC_STR("chain"))->text.ptr, "cyclic");
        rc_report_free(r);
    }
}

static void test_deep_chains(void **unused)
{
    (void)unused;
    fail_alloc memory = {0};
    rc_alloc alloc = fail_alloc_of(&memory);
    static rc_fault faults[3000];
    size_t count = sizeof faults / sizeof *faults;
    for (size_t i = 0; i + 1 < count; i++)
        faults[i].cause = &faults[i + 1];
    faults[199].code = RC_CODE_OVERLOADED;

    faults[199].cause = NULL; /* a chain of 200 faults: the innermost one is not left out */
    const rc_report *r = rc_report_from_fault(&alloc, faults);
    size_t depth;
    assert_int_equal(rc_report_code(innermost(r, &depth)), RC_CODE_OVERLOADED);
    assert_int_equal(depth, RC_REPORT_CAUSE_DEPTH_MAX);
    assert_int_equal(rc_report_code(r), RC_CODE_OVERLOADED);
    rc_report_free(r);

    faults[199].cause =
        &faults[200]; /* an extremely long chain: the last fault is found, and the length is
                         noted */
    faults[199].code = RC_CODE_NONE;
    faults[count - 1].code = RC_CODE_AUTH_FAILED;
    r = rc_report_from_fault(&alloc, faults);
    assert_int_equal(rc_report_code(r), RC_CODE_AUTH_FAILED);
    assert_int_equal(rc_report_code(innermost(r, &depth)), RC_CODE_AUTH_FAILED);
    assert_int_equal(depth, RC_REPORT_CAUSE_DEPTH_MAX);
    assert_true(has_note(r, "too deep"));
    rc_report_free(r);

    faults[count - 1].cause = &faults[2000]; /* a cycle that begins far after the limit */
    r = rc_report_from_fault(&alloc, faults);
    assert_int_equal(rc_report_code(r), RC_CODE_INTERNAL);
    assert_true(has_note(r, "too deep"));
    rc_report_free(r);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_an_exception),
        cmocka_unit_test(test_unclassified_root_is_internal),
        cmocka_unit_test(test_cycles_of_every_length),
        cmocka_unit_test(test_deep_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
