/* Tests of facts: names and numbers, implication and exclusion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "classify/facts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void set_named(rc_facts *facts, const char *name)
{
    rc_fact fact = rc_fact_parse(rc_str_c(name));
    if (fact == RC_FACT_NONE)
        fail_msg("no fact %s", name);
    rc_facts_set(facts, fact);
}

static void check_name(rc_fact fact)
{
    char name[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, name, sizeof name);
    rc_fact_push_name(&buf, fact);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_int_equal(rc_fact_parse(rc_buf_get(&buf)), fact);
}

static void test_fact_names_round_trip(void **state)
{
    (void)state;
    size_t count = 0;
    for (; rc_fact_at(count) != RC_FACT_NONE; count++)
        check_name(rc_fact_at(count));
    assert_true(count > RC_FACT_LISTED_END);
    assert_int_equal(rc_fact_at(count + 1000), RC_FACT_NONE);
    for (int status = RC_STATUS_FACT_MIN; status <= RC_STATUS_FACT_MAX; status++) {
        check_name((rc_fact)(RC_FACT_STATUS_BASE + status - RC_STATUS_FACT_MIN));
        check_name((rc_fact)(RC_FACT_INNER_BASE + status - RC_STATUS_FACT_MIN));
    }
}

static void test_names_that_are_no_facts(void **state)
{
    (void)state;
    static const char *const NAMES[] = {
        "",           ":",          "says:",      "says",        "says:nothing_like_it",
        "status:99",  "status:612", "status:4x",  "status:0429", "status:4xxx",
        "literal:0",  "code:4xx",   "inner:none", "provider:",   "window:short ",
        "Says:quota", "none",       "STATUS:429"};
    for (size_t i = 0; i < COUNT(NAMES); i++)
        assert_int_equal(rc_fact_parse(rc_str_c(NAMES[i])), RC_FACT_NONE);
}

static bool excludes(const char *a, const char *b)
{
    bool forth = rc_fact_excludes(rc_fact_parse(rc_str_c(a)), rc_fact_parse(rc_str_c(b)));
    bool back = rc_fact_excludes(rc_fact_parse(rc_str_c(b)), rc_fact_parse(rc_str_c(a)));
    assert_int_equal(forth, back);
    return forth;
}

static void test_facts_that_exclude_each_other(void **state)
{
    (void)state;
    assert_true(excludes("status:429", "status:503"));
    assert_true(excludes("status:429", "status:5xx"));
    assert_true(excludes("status:429", "status:none"));
    assert_true(excludes("status:4xx", "status:5xx"));
    assert_true(excludes("inner:429", "inner:5xx"));
    assert_true(excludes("transport:dns", "transport:tls"));
    assert_false(excludes("status:429", "status:4xx"));
    assert_false(excludes("status:429", "status:429"));
    assert_false(excludes("status:429", "inner:503"));
    assert_false(excludes("window:short", "window:long"));
    assert_false(excludes("says:quota", "says:rate"));
    assert_false(excludes("phase:sent", "transport:eof"));
}

static void test_a_status_has_its_class(void **state)
{
    (void)state;
    rc_facts facts = {{0}};
    rc_facts_set_status(&facts, 429);
    rc_facts_set_inner(&facts, 503);
    rc_facts expected = {{0}};
    set_named(&expected, "status:429");
    set_named(&expected, "status:4xx");
    set_named(&expected, "inner:503");
    set_named(&expected, "inner:5xx");
    assert_memory_equal(&facts, &expected, sizeof facts);

    rc_facts none = {{0}};
    rc_facts_set_status(&none, 0);
    rc_facts_set_inner(&none, 0);
    assert_true(rc_facts_has(&none, RC_FACT_STATUS_NONE));
    rc_facts odd = {{0}};
    rc_facts_set_status(&odd, 999);
    rc_facts_set_status(&odd, -5);
    rc_facts_set_inner(&odd, 99);
    rc_facts empty = {{0}};
    assert_memory_equal(&odd, &empty, sizeof odd);
}

static void test_which_facts_imply_a_class(void **state)
{
    (void)state;
    rc_fact any = rc_fact_parse(RC_STR("status:4xx"));
    assert_true(rc_fact_implies(rc_fact_parse(RC_STR("status:429")), any));
    assert_true(rc_fact_implies(any, any));
    assert_false(rc_fact_implies(any, rc_fact_parse(RC_STR("status:429"))));
    assert_false(rc_fact_implies(rc_fact_parse(RC_STR("inner:429")), any));
    assert_false(rc_fact_implies(rc_fact_parse(RC_STR("status:110")), RC_FACT_NONE));

    /* rc_facts_add_implying agrees with rc_fact_implies for each fact. */
    rc_facts facts = {{0}};
    rc_facts_set(&facts, any);
    rc_facts_set(&facts, rc_fact_parse(RC_STR("inner:5xx")));
    rc_facts_set(&facts, rc_fact_parse(RC_STR("status:503")));
    rc_facts_set(&facts, rc_fact_parse(RC_STR("says:quota")));
    rc_facts closed = facts;
    rc_facts_add_implying(&closed);
    for (unsigned a = 1; a < RC_FACT_LITERAL_BASE; a++) {
        bool is_implying = false;
        for (unsigned b = 1; b < RC_FACT_LITERAL_BASE; b++)
            is_implying |= rc_facts_has(&facts, b) && rc_fact_implies((rc_fact)a, (rc_fact)b);
        assert_int_equal(rc_facts_has(&closed, a), is_implying);
    }
}

static void test_texts(void **state)
{
    (void)state;
    assert_true(rc_fact_text(rc_fact_parse(RC_STR("limit:zero"))).len > 0);
    assert_true(rc_fact_text(rc_fact_parse(RC_STR("says:quota"))).len > 0);
    assert_true(rc_str_eq(rc_fact_text(rc_fact_parse(RC_STR("says:quota"))),
                          rc_fact_text(rc_fact_parse(RC_STR("code:quota")))));
    assert_int_equal(rc_fact_text(rc_fact_parse(RC_STR("status:429"))).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fact_names_round_trip),
        cmocka_unit_test(test_names_that_are_no_facts),
        cmocka_unit_test(test_facts_that_exclude_each_other),
        cmocka_unit_test(test_a_status_has_its_class),
        cmocka_unit_test(test_which_facts_imply_a_class),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
