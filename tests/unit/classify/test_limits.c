/* Tests of the numbers of limits: the notations of providers, and texts that only look like a
 * limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/limits.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NONE INT64_C(-1)

typedef struct text_case {
    const char *text;
    int64_t limit;
    int64_t used;
    int64_t requested;
    bool is_zero;
    bool is_too_small;
} text_case;

static const text_case text_cases[] = {
    {"on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s",
     6000, 5034, 1443, false, false},
    {"on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce", 6000, NONE, 12328,
     false, true},
    {"Limit 7000, Used 0, Requested ~12903. Please try again in 50.59s", 7000, 0, 12903, false,
     true},
    {"Limit 100, Requested 100", 100, NONE, 100, false, false},
    {"limit: 0, model: gemini-2.5-pro", 0, NONE, NONE, true, false},
    {"Limit 0, Used 0, Requested 5", 0, 0, 5, true, false},
    {"metric: a/b_requests, limit: 10\n* Quota exceeded for metric: a/b_tokens, limit: 0, model: x",
     0, NONE, NONE, true, false},
    {"limit: 0, model: x\n* limit: 10, model: x", 0, NONE, NONE, true, false},
    {"Limit 10, Requested 5. Limit 4, Requested 5.", 4, NONE, 5, false, true},
    {"Limit 10, Used 1. Limit 20, Used 2.", 10, 1, NONE, false, false},
    {"Limit: 150000.000000 / min. Current: 176000.000000 / min. Contact", 150000, 176000, NONE,
     false, false},
    {"Limit: 0.000000 / min. Current: 1.000000 / min.", 0, 1, NONE, true, false},
    {"limit: 0.5 requests", 1, NONE, NONE, false, false},
    {"Limit: 5/1min. Current: 6/1min.", 5, 6, NONE, false, false},
    {"exceed your organization's rate limit of 30,000 input tokens per minute (org: 1)", 30000,
     NONE, NONE, false, false},
    {"exceed the rate limit for your organization (bbea222a-44be-4939-867c-d50bf9de8ce2) of 10,000 "
     "input tokens per minute.",
     10000, NONE, NONE, false, false},
    {"the rate limit for your organization. One of 10 requests", NONE, NONE, NONE, false, false},
    {"exceed the configured limit of 272000 tokens", 272000, NONE, NONE, false, false},
    {"the limit is 20", 20, NONE, NONE, false, false},
    {"limit=0", 0, NONE, NONE, true, false},
    {"{\"limit\": 0}", 0, NONE, NONE, true, false},
    {"{\\\"limit\\\": 0}", 0, NONE, NONE, true, false},
    {"{'limit': 12, 'used': 12}", 12, 12, NONE, false, false},
    {"Limit type: requests. Current limit: 1, Remaining: 0. Limit resets at: 2026-01-01", 1, NONE,
     NONE, false, false},
    {"You requested up to 225702 tokens, but can only afford 9", NONE, NONE, 225702, false, false},
    {"requested 12000 tokens, over the limit of 8000", 8000, NONE, 12000, false, true},
    {"violations {\n  quota_value: 0\n}", 0, NONE, NONE, true, false},
    {"{'quotaValue': '20'}", 20, NONE, NONE, false, false},
    {"token limit: 262144 (requested: 291351)", 262144, NONE, 291351, false, true},
    {"LIMIT 6000, USED 1, REQUESTED 2", 6000, 1, 2, false, false},
    {"limit 9223372036854775807", INT64_MAX, NONE, NONE, false, false},
    {"limit 99999999999999999999999999", INT64_MAX, NONE, NONE, false, false},
    {"limit 9223372036854775807.5", INT64_MAX, NONE, NONE, false, false},
    /* texts without the numbers of a limit */
    {"", NONE, NONE, NONE, false, false},
    {"limit", NONE, NONE, NONE, false, false},
    {"limit: ", NONE, NONE, NONE, false, false},
    {"context window exceeds limit (2013)", NONE, NONE, NONE, false, false},
    {"exceed context limit: 178959 + 64000 > 200000", NONE, NONE, NONE, false, false},
    {"Prompt tokens limit exceeded: 230799 > 91442", NONE, NONE, NONE, false, false},
    {"rate_limit_0 limit_0 limit0 rate_limit_exceeded", NONE, NONE, NONE, false, false},
    {"limit 0x10", NONE, NONE, NONE, false, false},
    {"limit 0k", NONE, NONE, NONE, false, false},
    {"limit 0_a", NONE, NONE, NONE, false, false},
    {"limit 0-abc", NONE, NONE, NONE, false, false},
    {"limit 0.0.1", NONE, NONE, NONE, false, false},
    {"limit 00:30", NONE, NONE, NONE, false, false},
    {"limit: -1", NONE, NONE, NONE, false, false},
    {"limit 0%", NONE, NONE, NONE, false, false},
    {"used 95 % of it", NONE, NONE, NONE, false, false},
    {"limits resets 0", NONE, NONE, NONE, false, false},
    {"unlimited 0, delimit 0", NONE, NONE, NONE, false, false},
    {"model gpt-4 is current", NONE, NONE, NONE, false, false},
    {"limit,000", NONE, NONE, NONE, false, false},
};

static void expect_number(const char *text, const char *what, bool has, int64_t got, int64_t want)
{
    if (has != (want != NONE) || (has && got != want))
        fail_msg("\"%s\": %s %d %lld, want %lld", text, what, has, (long long)got, (long long)want);
}

static void expect_limits(const rc_limits *got, const text_case *want)
{
    expect_number(want->text, "limit", got->has_limit, got->limit, want->limit);
    expect_number(want->text, "used", got->has_used, got->used, want->used);
    expect_number(want->text, "requested", got->has_requested, got->requested, want->requested);
    if (rc_limits_is_zero(got) != want->is_zero)
        fail_msg("\"%s\": zero is %d", want->text, !want->is_zero);
    if (rc_limits_is_too_small(got) != want->is_too_small)
        fail_msg("\"%s\": too small is %d", want->text, !want->is_too_small);
}

/* Parses a copy that ends where the text ends, so that the sanitizer reports any byte read after
 * it. */
static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(text_cases); i++) {
        size_t len = strlen(text_cases[i].text);
        char *memory = malloc(len + 1);
        assert_non_null(memory);
        memcpy(memory + 1, text_cases[i].text, len);
        rc_limits limits = {0};
        rc_limits_parse(rc_str_make(memory + 1, len), &limits);
        expect_limits(&limits, &text_cases[i]);
        free(memory);
    }
}

typedef struct field_case {
    const char *key;
    const char *value;
    bool is_taken;
    text_case want;
} field_case;

static const field_case field_cases[] = {
    {"quotaValue", "0", true, {"quotaValue", 0, NONE, NONE, true, false}},
    {"quota_value", "20", true, {"quota_value", 20, NONE, NONE, false, false}},
    {"quota_limit_value", "0", true, {"quota_limit_value", 0, NONE, NONE, true, false}},
    {"limit", "7.5", true, {"limit", 8, NONE, NONE, false, false}},
    {"used", "7", true, {"used", NONE, 7, NONE, false, false}},
    {"requested", " 7 ", true, {"requested", NONE, NONE, 7, false, false}},
    {"limit", "", false, {"limit", NONE, NONE, NONE, false, false}},
    {"limit", "0 requests", false, {"limit", NONE, NONE, NONE, false, false}},
    {"limit", "-1", false, {"limit", NONE, NONE, NONE, false, false}},
    {"limit", "1e3", false, {"limit", NONE, NONE, NONE, false, false}},
    {"limits_of_something_long", "0", false, {"long", NONE, NONE, NONE, false, false}},
    {"quotaId", "0", false, {"quotaId", NONE, NONE, NONE, false, false}},
    {"", "0", false, {"empty", NONE, NONE, NONE, false, false}},
};

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(field_cases); i++) {
        const field_case *c = &field_cases[i];
        rc_limits limits = {0};
        bool is_taken = rc_limits_field(rc_str_c(c->key), rc_str_c(c->value), &limits);
        if (is_taken != c->is_taken)
            fail_msg("\"%s\": \"%s\" is taken: %d", c->key, c->value, is_taken);
        expect_limits(&limits, &c->want);
    }
    rc_limits none = {0};
    assert_false(rc_limits_field(rc_str_make(NULL, 0), rc_str_make(NULL, 0), &none));
    rc_limits_parse(rc_str_make(NULL, 0), &none);
    assert_false(none.has_limit || rc_limits_is_zero(&none));
}

static void test_fields_of_one_object(void **state)
{
    (void)state;
    rc_limits limits = {0};
    assert_true(rc_limits_field(RC_STR("requested"), RC_STR("12903"), &limits));
    assert_true(rc_limits_field(RC_STR("limit"), RC_STR("7000"), &limits));
    expect_limits(&limits, &(text_case){"in pieces", 7000, NONE, 12903, false, true});
    assert_true(rc_limits_field(RC_STR("used"), RC_STR("5"), &limits));
    expect_limits(&limits, &(text_case){"in pieces", 7000, 5, 12903, false, true});
}

static void test_fields_of_a_list(void **state)
{
    (void)state;
    rc_limits limits = {0};
    assert_true(rc_limits_field(RC_STR("quotaValue"), RC_STR("250"), &limits));
    assert_true(rc_limits_field(RC_STR("quotaValue"), RC_STR("0"), &limits));
    assert_true(rc_limits_field(RC_STR("quotaValue"), RC_STR("10"), &limits));
    expect_limits(&limits, &(text_case){"a list", 0, NONE, NONE, true, false});
}

static void test_text_and_field(void **state)
{
    (void)state;
    rc_limits limits = {0};
    rc_limits_parse(RC_STR("Quota exceeded, limit: 10000"), &limits);
    assert_true(rc_limits_field(RC_STR("quotaValue"), RC_STR("0"), &limits));
    expect_limits(&limits, &(text_case){"both", 0, NONE, NONE, true, false});
    rc_limits_parse(RC_STR("Limit 5, Requested 9"), &limits);
    expect_limits(&limits, &(text_case){"and more", 5, NONE, 9, true, true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_fields_of_one_object),
        cmocka_unit_test(test_fields_of_a_list),
        cmocka_unit_test(test_text_and_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
