/* Tests of rc_audit_query: the valid and invalid parameters of a query, and the message about an
 * invalid one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "audit/query.h"
#include "base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1700000000000)

static rc_audit_query query;
static rc_audit_refusal refusal;

static int utc(time_t at)
{
    (void)at;
    return 0;
}

static void start(rc_audit_query_kind kind)
{
    rc_audit_query_init(&query, kind, &(rc_audit_clock){NOW, utc});
}

static bool set(const char *name, const char *value)
{
    return rc_audit_query_set(&query, rc_str_c(name), rc_str_c(value), &refusal);
}

static void codes_and_classes_ignore_case(void **state)
{
    (void)state;
    start(RC_AUDIT_QUERY_LIST);
    assert_true(set("code", "ratelimited"));
    assert_true(set("class", "PROVIDERTRANSIENT"));
    assert_int_equal(query.select.filter.code, RC_CODE_RATE_LIMITED);
    assert_int_equal(query.select.filter.error_class, RC_CLASS_PROVIDER_TRANSIENT);
}

static void groups_keep_their_order_and_stand_once(void **state)
{
    (void)state;
    start(RC_AUDIT_QUERY_STATS);
    assert_true(set("by", "route, Hour,code,time,route"));
    assert_int_equal(query.group_count, 3);
    assert_int_equal(query.groups[0], RC_STATS_BY_ROUTE);
    assert_int_equal(query.groups[1], RC_STATS_BY_HOUR);
    assert_int_equal(query.groups[2], RC_STATS_BY_CODE);
    assert_int_equal(query.by, RC_STATS_BY_ROUTE | RC_STATS_BY_HOUR | RC_STATS_BY_CODE);
}

static void a_query_is_narrowed_by_more_than_time(void **state)
{
    (void)state;
    start(RC_AUDIT_QUERY_LIST);
    assert_true(set("since", "1h") && set("until", "now") && set("limit", "5"));
    assert_true(set("after", "01KE8V3Q5W-8ST"));
    assert_false(query.is_narrowed);
    assert_true(set("outcome", "open"));
    assert_true(query.is_narrowed);
}

static void a_refusal_has_the_facts_of_a_message(void **state)
{
    (void)state;
    static const struct {
        rc_audit_query_kind kind;
        const char *name, *value;
        rc_audit_refusal_reason reason;
        const char *text, *nearest;
    } cases[] = {
        {RC_AUDIT_QUERY_LIST, "cleint", "a", RC_AUDIT_UNKNOWN_PARAMETER, "cleint", "client"},
        {RC_AUDIT_QUERY_LIST, "step", "5m", RC_AUDIT_UNKNOWN_PARAMETER, "step", NULL},
        {RC_AUDIT_QUERY_LIST, "code", "RateLimted", RC_AUDIT_INVALID_VALUE, "RateLimted",
         "RateLimited"},
        {RC_AUDIT_QUERY_LIST, "outcome", "faild", RC_AUDIT_INVALID_VALUE, "faild", "failed"},
        {RC_AUDIT_QUERY_LIST, "since", "2", RC_AUDIT_INVALID_VALUE, "2", NULL},
        {RC_AUDIT_QUERY_STATS, "by", "code,tagret", RC_AUDIT_INVALID_VALUE, "tagret", "target"},
        {RC_AUDIT_QUERY_STATS, "by", "", RC_AUDIT_INVALID_VALUE, "", NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        start(cases[i].kind);
        refusal = (rc_audit_refusal){.nearest = "stale"};
        if (set(cases[i].name, cases[i].value))
            fail_msg("%s=%s is accepted", cases[i].name, cases[i].value);
        assert_int_equal(refusal.reason, cases[i].reason);
        assert_true(rc_str_eq(refusal.text, rc_str_c(cases[i].text)));
        assert_true(rc_str_eq(rc_str_c(refusal.nearest), rc_str_c(cases[i].nearest)));
        assert_int_equal(refusal.parameter == NULL, cases[i].reason == RC_AUDIT_UNKNOWN_PARAMETER);
    }
}

static void a_parameter_is_given_once_even_if_empty(void **state)
{
    (void)state;
    start(RC_AUDIT_QUERY_LIST);
    assert_true(rc_audit_query_set_empty(&query, RC_STR("client"), &refusal));
    assert_false(query.is_narrowed);
    assert_false(set("client", "web"));
    assert_int_equal(refusal.reason, RC_AUDIT_REPEATED_PARAMETER);
    assert_string_equal(refusal.parameter->name, "client");
}

/* Every parameter that can be rejected has a text that describes its values. */
static void every_parameter_has_the_texts_of_its_message(void **state)
{
    (void)state;
    static const rc_audit_query_kind kinds[] = {RC_AUDIT_QUERY_LIST, RC_AUDIT_QUERY_STATS};
    for (size_t k = 0; k < COUNT(kinds); k++) {
        size_t refused = 0;
        start(kinds[k]);
        for (size_t i = 0; rc_audit_parameter_at(&query, i) != NULL; i++) {
            if (set(rc_audit_parameter_at(&query, i), "?"))
                continue;
            refused++;
            assert_true(strlen(refusal.parameter->takes) > 5);
            assert_true(strlen(refusal.parameter->advice) > 10);
        }
        assert_int_equal(refused, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_classes_ignore_case),
        cmocka_unit_test(groups_keep_their_order_and_stand_once),
        cmocka_unit_test(a_query_is_narrowed_by_more_than_time),
        cmocka_unit_test(a_refusal_has_the_facts_of_a_message),
        cmocka_unit_test(a_parameter_is_given_once_even_if_empty),
        cmocka_unit_test(every_parameter_has_the_texts_of_its_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
