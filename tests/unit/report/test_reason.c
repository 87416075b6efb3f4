/* Tests of reasons: every row of the table, from number to name and from name to number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/reason.h>

static const struct row {
    rc_reason reason;
    const char *name;
    int step;
    const char *text;
} rows[] = {
#define RC_REASON(number, ID, name, step, text) {RC_WHY_##ID, name, step, text},
#include "spec/reasons.def"
};
#define ROW_COUNT (sizeof rows / sizeof *rows)

static void test_rows(void **state)
{
    (void)state;
    assert_true(ROW_COUNT >= 37);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        assert_string_equal(rc_reason_name(rows[i].reason), rows[i].name);
        assert_string_equal(rc_reason_text(rows[i].reason), rows[i].text);
        assert_int_equal(rc_reason_step(rows[i].reason), rows[i].step);
        assert_int_equal(rc_reason_parse(rc_str_c(rows[i].name)), rows[i].reason);
    }
}

static void test_names_are_different(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(rows[i].name, rows[j].name);
            assert_string_not_equal(rows[i].text, rows[j].text);
        }
    }
}

/* Names are used as metric labels and JSON keys; texts are clauses that follow a colon. */
static void test_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *name = rows[i].name;
        const char *text = rows[i].text;
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz_"), strlen(name));
        assert_true(text[0] >= 'a' && text[0] <= 'z');
        assert_true(text[strlen(text) - 1] != '.');
    }
}

static void test_steps(void **state)
{
    (void)state;
    assert_int_equal(rc_reason_step(RC_WHY_CANCELLED), 1);
    assert_int_equal(rc_reason_step(RC_WHY_OVERFLOW_COMPACT), 2);
    assert_int_equal(rc_reason_step(RC_WHY_NOT_RETRYABLE), 3);
    assert_int_equal(rc_reason_step(RC_WHY_CALLS_SPENT), 4);
    assert_int_equal(rc_reason_step(RC_WHY_NEXT_CREDENTIAL), 5);
    assert_int_equal(rc_reason_step(RC_WHY_ATTEMPTS_SPENT), 6);
    assert_int_equal(rc_reason_step(RC_WHY_DELAY_TOO_LONG), 7);
    assert_int_equal(rc_reason_step(RC_WHY_WOKE), 8);
}

static void test_absent_and_unknown(void **state)
{
    (void)state;
    assert_string_equal(rc_reason_name(RC_WHY_NONE), "");
    assert_string_equal(rc_reason_text(RC_WHY_NONE), "");
    assert_int_equal(rc_reason_step(RC_WHY_NONE), 0);
    assert_string_equal(rc_reason_name((rc_reason)9999), "unknown");
    assert_true(strlen(rc_reason_text((rc_reason)9999)) > 0);
    assert_int_equal(rc_reason_step((rc_reason)9999), 0);
    assert_int_equal(rc_reason_parse(RC_STR("")), RC_WHY_NONE);
    assert_int_equal(rc_reason_parse(RC_STR("unknown")), RC_WHY_NONE);
    assert_int_equal(rc_reason_parse(RC_STR("Backoff")), RC_WHY_NONE);
    assert_int_equal(rc_reason_parse(RC_STR("backof")), RC_WHY_NONE);
    assert_int_equal(rc_reason_parse(rc_str_make(NULL, 0)), RC_WHY_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_names_are_different),
        cmocka_unit_test(test_form),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_absent_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
