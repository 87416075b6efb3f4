/* Tests of the conclusions about rules, with random rules and random sets of facts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "classify/rules/parts.h"
#include "support/often.h"
#include "support/rule_oracle.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A small number of facts, so that random rules overlap: statuses and classes, exclusive groups and
 * independent facts. */
static const char *const NAMES[] = {"status:429",    "status:400",    "status:503", "status:4xx",
                                    "status:5xx",    "status:none",   "inner:429",  "inner:5xx",
                                    "transport:dns", "transport:eof", "says:rate",  "says:quota",
                                    "code:quota",    "window:short"};

static uint64_t seed = 88172645463325252u;

static size_t below(size_t limit)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (size_t)(seed >> 20) % limit;
}

/* Returns a random rule with up to three conditions of up to three facts each. */
static rc_rule random_rule(rc_fact *terms)
{
    rc_rule rule = {.clause_count = (uint16_t)below(4), .terms = terms};
    for (size_t i = 0; i < rule.clause_count; i++) {
        size_t count = 1 + below(3);
        *terms++ = (rc_fact)(count | (below(3) == 0 ? RC_CLAUSE_NOT : 0));
        for (size_t k = 0; k < count; k++)
            *terms++ = rc_fact_parse(rc_str_c(NAMES[below(COUNT(NAMES))]));
    }
    return rule;
}

/* Returns random facts that one failure can have together. */
static rc_facts random_facts(void)
{
    static const int STATUSES[] = {0, 200, 400, 404, 429, 500, 503};
    static const char *const TRANSPORTS[] = {"transport:dns", "transport:eof", "transport:tls"};
    static const char *const FREE[] = {"says:rate", "says:quota", "code:quota", "window:short"};
    rc_facts facts = {{0}};
    rc_facts_set_status(&facts, STATUSES[below(COUNT(STATUSES))]);
    rc_facts_set_inner(&facts, STATUSES[below(COUNT(STATUSES))]);
    if (below(2))
        rc_facts_set(&facts, rc_fact_parse(rc_str_c(TRANSPORTS[below(COUNT(TRANSPORTS))])));
    for (size_t i = 0; i < COUNT(FREE); i++) {
        if (below(2))
            rc_facts_set(&facts, rc_fact_parse(rc_str_c(FREE[i])));
    }
    return facts;
}

static void test_a_contained_rule_never_matches_alone(void **state)
{
    (void)state;
    rc_rules none = {.count = 0};
    size_t found = 0;
    for (int round = 0; round < OFTEN(100000); round++) {
        rc_fact terms[2][16];
        rc_rule narrow = random_rule(terms[0]);
        rc_rule wide = random_rule(terms[1]);
        if (!rc_rule_is_within(&narrow, &wide, &none, false))
            continue;
        found++;
        for (int k = 0; k < 200; k++) {
            rc_facts facts = random_facts();
            if (rule_oracle_holds(&narrow, &facts))
                assert_true(rule_oracle_holds(&wide, &facts));
        }
    }
    assert_true(found > OFTEN(100000) / 20);
}

static void test_a_contradictory_rule_never_matches(void **state)
{
    (void)state;
    size_t found = 0;
    for (int round = 0; round < OFTEN(100000); round++) {
        rc_fact terms[16];
        rc_rule rule = random_rule(terms);
        rc_rule_conflict conflict;
        if (!rc_rule_find_conflict(&rule, NULL, &conflict))
            continue;
        found++;
        assert_true(conflict.clause < rule.clause_count);
        for (int k = 0; k < 200; k++) {
            rc_facts facts = random_facts();
            assert_false(rule_oracle_holds(&rule, &facts));
        }
    }
    assert_true(found > OFTEN(100000) / 100);
}

static void test_every_rule_is_within_itself_and_always(void **state)
{
    (void)state;
    rc_rules none = {.count = 0};
    rc_rule always = {.clause_count = 0};
    for (int round = 0; round < OFTEN(10000); round++) {
        rc_fact terms[16];
        rc_rule rule = random_rule(terms);
        assert_true(rc_rule_is_within(&rule, &rule, &none, false));
        assert_true(rc_rule_is_within(&rule, &always, &none, false));
        assert_int_equal(rc_rule_is_within(&always, &rule, &none, false), rule.clause_count == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_contained_rule_never_matches_alone),
        cmocka_unit_test(test_a_contradictory_rule_never_matches),
        cmocka_unit_test(test_every_rule_is_within_itself_and_always),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
