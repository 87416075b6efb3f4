/* Reading a rules file while every allocation fails in turn, once and permanently: the file is
 * refused as "no memory" with the line, nothing leaks, and no rules are returned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/rules.h>

#include "support/fail_alloc.h"

/* The text of the rules file: literals, a rule that replaces a built-in one, and more rules than
 * fit into one block of memory. */
static char text[64u << 10];

static void write_text(void)
{
    rc_rule_info first;
    assert_true(rc_rule_at(0, &first));
    size_t len = (size_t)snprintf(
        text, sizeof text, "rule %.*s when status:418 then InvalidRequest because \"replaced\"\n",
        (int)first.id.len, first.id.ptr);
    for (int i = 0; i < 40; i++)
        len += (size_t)snprintf(text + len, sizeof text - len,
                                "rule own.%d\n"
                                "  when status:%d and (text:\"pool %d\" or error_code:\"p%d\")\n"
                                "  then InvalidRequest because \"a \\\"pool\\\" is empty\"\n",
                                i, 440 + i, i, i);
}

/* Parses the file with the Nth allocation failing. Returns the number of allocations. Checks that
 * the status is RC_OK only if no allocation failed. */
static size_t run(size_t fail_at, bool for_good)
{
    fail_alloc memory = {.fail_at = fail_at, .for_good = for_good};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    rc_status status = rc_rules_parse(rc_str_c(text), &alloc, &rules, &fault);
    if (fail_at == 0) {
        assert_int_equal(status, RC_OK);
        assert_int_equal(rc_rules_count(rules), 41);
        rc_rules_free(rules);
    } else {
        assert_int_equal(status, RC_E_NOMEM);
        assert_null(rules);
        assert_non_null(strstr(fault.text, "no memory"));
        assert_true(fault.line >= 1 && fault.column >= 1);
    }
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    return memory.calls;
}

static void test_each_allocation_fails_in_turn(void **state)
{
    (void)state;
    write_text();
    size_t count = run(0, false);
    assert_true(count > 3);
    for (size_t i = 1; i <= count; i++) {
        run(i, false);
        run(i, true);
    }
}

static void test_a_file_that_is_refused_leaves_nothing(void **state)
{
    (void)state;
    static const char *const REFUSED[] = {
        "rule a when text:\"x\" and says:qouta then Overloaded because \"x\"",
        "rule a when text:\"x\" then Overloaded because \"x\" rule a when",
        "rule a when always then Overloaded because \"x\"",
    };
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        fail_alloc memory = {0};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_rules *rules = NULL;
        assert_int_not_equal(rc_rules_parse(rc_str_c(REFUSED[i]), &alloc, &rules, NULL), RC_OK);
        assert_null(rules);
        assert_int_equal(memory.live, 0);
    }
}

static void test_nothing_to_free(void **state)
{
    (void)state;
    rc_rules_free(NULL);
    assert_int_equal(rc_rules_count(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails_in_turn),
        cmocka_unit_test(test_a_file_that_is_refused_leaves_nothing),
        cmocka_unit_test(test_nothing_to_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
