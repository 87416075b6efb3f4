/* Tests of the names of behaviours: the plans of valid names, and the suggestion for invalid
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "mock/behaviour.h"
#include "mock/scenario.h"

static rc_mock_plan plan;
static rc_mock_reading reading;

static bool parse(const char *text)
{
    return rc_mock_plan_parse(rc_str_c(text), &plan, &reading);
}

static void every_behaviour_is_accepted_with_and_without_the_prefix(void **state)
{
    (void)state;
    char text[96];
    size_t count = 0;
    for (; rc_mock_behaviour_name_at(NULL, count) != NULL; count++) {
        assert_true(parse(rc_mock_behaviour_name_at(NULL, count)));
        rc_buf scratch;
        rc_buf_init_fixed(&scratch, text, sizeof text - 1);
        rc_buf_push(&scratch, RC_STR("mock/"));
        rc_buf_push(&scratch, rc_str_c(rc_mock_behaviour_name_at(NULL, count)));
        if (rc_mock_behaviour_has_number(count))
            rc_buf_push(&scratch, RC_STR("-7"));
        rc_buf_push(&scratch, RC_STR("@3"));
        rc_buf_push_byte(&scratch, '\0');
        assert_true(parse(text));
        assert_int_equal(plan.first, 3);
        assert_true(rc_mock_behaviour_help_at(count)[0] != '\0');
    }
    assert_true(count > 45);
}

static void numbers_have_units(void **state)
{
    (void)state;
    assert_true(parse("mock/429-retry-after-20"));
    assert_int_equal(plan.error, RC_MOCK_ERROR_RATE);
    assert_int_equal(plan.hint, RC_MOCK_HINT_SECONDS);
    assert_int_equal(plan.hint_ms, 20000);
    assert_true(parse("429-ms-1500"));
    assert_int_equal(plan.hint_ms, 1500);
    assert_true(parse("slow-first-250ms"));
    assert_int_equal(plan.slow_ms, 250);
    assert_true(parse("trickle-2s"));
    assert_int_equal(plan.trickle_ms, 2000);
    assert_true(parse("trickle"));
    assert_int_equal(plan.trickle_ms, 50);
    assert_true(parse("429-reset-openai"));
    assert_int_equal(plan.hint_ms, 1000);
}

static void behaviours_of_different_slots_combine(void **state)
{
    (void)state;
    assert_true(parse("mock/slow-first-1s+trickle-10+tokens-50+cut-after-20@2"));
    assert_int_equal(plan.slow_ms, 1000);
    assert_int_equal(plan.trickle_ms, 10);
    assert_int_equal(plan.text, RC_MOCK_TEXT_TOKENS);
    assert_int_equal(plan.text_count, 50);
    assert_int_equal(plan.wire, RC_MOCK_WIRE_CUT_AFTER);
    assert_int_equal(plan.wire_count, 20);
    assert_int_equal(plan.first, 2);
    assert_true(parse("quota+stream-error-first"));
    assert_int_equal(plan.error, RC_MOCK_ERROR_QUOTA);
    assert_int_equal(plan.place, RC_MOCK_PLACE_FIRST);
}

static void quota_left_combines_with_other_behaviours(void **state)
{
    (void)state;
    assert_true(parse("quota-left"));
    assert_true(plan.has_remaining);
    assert_int_equal(plan.remaining, 20);
    assert_int_equal(plan.error, RC_MOCK_ERROR_NONE);
    assert_true(parse("503+quota-left-0+slow-first-1"));
    assert_true(plan.has_remaining);
    assert_int_equal(plan.remaining, 0);
    assert_int_equal(plan.error, RC_MOCK_ERROR_UNAVAILABLE);
    assert_true(parse("quota"));
    assert_false(plan.has_remaining);
    assert_false(parse("quota-left-1001"));
    assert_int_equal(reading.fault, RC_MOCK_FAULT_NUMBER);
    assert_false(parse("quota-left-1+quota-left-2"));
    assert_int_equal(reading.fault, RC_MOCK_FAULT_CONFLICT);
}

static void a_stall_has_a_position_and_a_time(void **state)
{
    (void)state;
    assert_true(parse("stall-5s"));
    assert_true(plan.has_stall);
    assert_int_equal(plan.stall_ms, 5000);
    assert_int_equal(plan.stall_at, 1);
    assert_true(parse("stall-after-0"));
    assert_int_equal(plan.stall_at, 0);
    assert_int_equal(plan.stall_ms, RC_MOCK_FOREVER);
    assert_true(parse("stall-after-3+stall-10ms"));
    assert_int_equal(plan.stall_at, 3);
    assert_int_equal(plan.stall_ms, 10);
}

static void a_position_without_an_error_has_a_default_error(void **state)
{
    (void)state;
    assert_true(parse("200-with-error"));
    assert_int_equal(plan.error, RC_MOCK_ERROR_SERVER);
    assert_true(parse("start-then-overloaded"));
    assert_int_equal(plan.error, RC_MOCK_ERROR_OVERLOADED);
}

static void assert_refused(const char *text, rc_mock_fault fault, const char *word,
                           const char *nearest)
{
    assert_false(parse(text));
    assert_int_equal(reading.fault, fault);
    assert_true(rc_str_eq(reading.word, rc_str_c(word)));
    assert_true(rc_mock_fault_text(fault)[0] != '\0');
    if (nearest == NULL)
        assert_null(reading.nearest);
    else
        assert_string_equal(reading.nearest, nearest);
}

static void faults_name_the_invalid_part(void **state)
{
    (void)state;
    plan = (rc_mock_plan){.first = 77};
    assert_refused("mock/5033", RC_MOCK_FAULT_UNKNOWN, "5033", "503");
    assert_refused("mock/ok+stal-5s", RC_MOCK_FAULT_UNKNOWN, "stal-5s", "stall");
    assert_refused("mock/429-rety-after", RC_MOCK_FAULT_UNKNOWN, "429-rety-after",
                   "429-retry-after");
    assert_refused("gpt-4o", RC_MOCK_FAULT_UNKNOWN, "gpt-4o", NULL);
    assert_refused("", RC_MOCK_FAULT_UNKNOWN, "", NULL);
    assert_refused("mock/", RC_MOCK_FAULT_UNKNOWN, "", NULL);
    assert_refused("ok+", RC_MOCK_FAULT_UNKNOWN, "", NULL);
    assert_refused("hang-5", RC_MOCK_FAULT_NUMBER, "hang-5", NULL);
    assert_refused("tokens-99999999999999999999", RC_MOCK_FAULT_NUMBER,
                   "tokens-99999999999999999999", NULL);
    assert_refused("tokens-5s", RC_MOCK_FAULT_NUMBER, "tokens-5s", NULL);
    assert_refused("stall-1h", RC_MOCK_FAULT_NUMBER, "stall-1h", NULL);
    assert_refused("500+503", RC_MOCK_FAULT_CONFLICT, "503", NULL);
    assert_refused("hang+cut-after-1", RC_MOCK_FAULT_CONFLICT, "cut-after-1", NULL);
    assert_refused("503@", RC_MOCK_FAULT_FIRST, "@", NULL);
    assert_refused("503@0", RC_MOCK_FAULT_FIRST, "@0", NULL);
    assert_refused("503@2/2", RC_MOCK_FAULT_FIRST, "@2/2", NULL);
    assert_refused("503@1/", RC_MOCK_FAULT_FIRST, "@1/", NULL);
    assert_refused("503@1@2", RC_MOCK_FAULT_FIRST, "@1@2", NULL);
    assert_int_equal(plan.first, 77);
}

static void patterns_match_whole_texts(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool fits;
    } rows[] = {
        {"", "", true},
        {"*", "", true},
        {"*", "abc", true},
        {"a*c", "abbc", true},
        {"a*c", "ab", false},
        {"gpt-*-mini", "gpt-4o-mini", true},
        {"*b*", "aabaa", true},
        {"*b*", "aaa", false},
        {"abc", "abcd", false},
        {"abcd", "abc", false},
        {"**a", "bba", true},
        {"a*a*a", "aaaa", true},
        {"a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rc_mock_glob_matches(rc_str_c(rows[i].pattern), rc_str_c(rows[i].text)),
                         rows[i].fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_behaviour_is_accepted_with_and_without_the_prefix),
        cmocka_unit_test(numbers_have_units),
        cmocka_unit_test(behaviours_of_different_slots_combine),
        cmocka_unit_test(quota_left_combines_with_other_behaviours),
        cmocka_unit_test(a_stall_has_a_position_and_a_time),
        cmocka_unit_test(a_position_without_an_error_has_a_default_error),
        cmocka_unit_test(faults_name_the_invalid_part),
        cmocka_unit_test(patterns_match_whole_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
