/* Tests of rule matching: order, literals, the trace, the built-in table, and that the prefilter
 * never changes the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "classify/rules/parts.h"
#include "classify/rules/table.h"
#include "support/often.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_rules *parse(const char *text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    if (rc_rules_parse(rc_str_c(text), &alloc, &rules, &fault) != RC_OK)
        fail_msg("%s\n: %s", text, fault.text);
    return rules;
}

static void set_named(rc_facts *facts, const char *name)
{
    rc_fact fact = rc_fact_parse(rc_str_c(name));
    if (fact == RC_FACT_NONE)
        fail_msg("no fact %s", name);
    rc_facts_set(facts, fact);
}

static void assert_rule(const rc_rule *rule, const char *id)
{
    if (!rc_str_eq(rule->id, rc_str_c(id)))
        fail_msg("%.*s, not %s", (int)rule->id.len, rule->id.ptr, id);
}

static const rc_rule *builtin_last(void)
{
    return &rc_rules_builtin.rules[rc_rules_builtin.count - 1];
}

/* ---- the order ---- */

static void test_nothing_known_is_unclassified(void **state)
{
    (void)state;
    rc_facts facts = {{0}};
    const rc_rule *rule = rc_rules_match(NULL, &facts, NULL);
    assert_ptr_equal(rule, builtin_last());
    assert_int_equal(rule->code, RC_CODE_UNCLASSIFIED);
    assert_false(rc_rule_is_retryable(rule));
    assert_int_equal(rc_rule_category(rule), RC_CATEGORY_UNKNOWN);
}

static void test_the_files_rules_come_first_and_in_order(void **state)
{
    (void)state;
    rc_rules *rules = parse("rule first when status:503 and host:local then Overloaded\n"
                            "because \"1\"\n"
                            "rule second when status:503 then Conflict because \"2\"\n");
    rc_facts facts = {{0}};
    rc_facts_set_status(&facts, 503);
    assert_rule(rc_rules_match(rules, &facts, NULL), "second");
    set_named(&facts, "host:local");
    assert_rule(rc_rules_match(rules, &facts, NULL), "first");

    rc_facts none = {{0}};
    assert_rule(rc_rules_match(rules, &none, NULL), builtin_last()->id.ptr);
    rc_rules_free(rules);
}

/* The rule replaces the first built-in rule, whose position is known. */
static void test_a_rule_replaces_a_built_in_one_in_position(void **state)
{
    (void)state;
    char text[512];
    const rc_rule *first = &rc_rules_builtin.rules[0];
    snprintf(text, sizeof text,
             "rule %.*s when status:418 then InvalidRequest because \"mine\"\n"
             "rule own when status:418 and host:local then InvalidRequest because \"own\"\n",
             (int)first->id.len, first->id.ptr);
    rc_rules *rules = parse(text);
    assert_int_equal(rules->order.count, rc_rules_builtin.count + 1);
    assert_int_equal(rc_rules_count(rules), 2);

    rc_facts facts = {{0}};
    rc_facts_set_status(&facts, 418);
    const rc_rule *rule = rc_rules_match(rules, &facts, NULL);
    assert_true(rc_str_eq(rule->id, first->id));
    assert_true(rc_str_eq(rule->reason, RC_STR("mine")));
    set_named(&facts, "host:local");
    assert_rule(rc_rules_match(rules, &facts, NULL), "own");
    rc_rules_free(rules);
}

static void test_the_last_rule_cannot_be_removed(void **state)
{
    (void)state;
    char text[512];
    const rc_rule *last = builtin_last();
    snprintf(text, sizeof text, "rule %.*s when status:299 then InvalidRequest because \"mine\"\n",
             (int)last->id.len, last->id.ptr);
    rc_rules *rules = parse(text);
    rc_facts facts = {{0}};
    assert_ptr_equal(rc_rules_match(rules, &facts, NULL), last);
    rc_rules_free(rules);
}

static void test_a_category_can_make_a_rule_final(void **state)
{
    (void)state;
    rc_rules *rules = parse("rule own when status:418 then ConnectionFailed configuration\n"
                            "because \"x\"");
    const rc_rule *rule = &rules->order.rules[0];
    assert_int_equal(rc_rule_category(rule), RC_CATEGORY_CONFIGURATION);
    assert_false(rc_rule_is_retryable(rule));
    rc_rules_free(rules);
}

/* ---- literals ---- */

static const rc_header HEADERS[] = {
    {RC_STR_INIT("X-Pool"), RC_STR_INIT("main; state=Empty")},
    {RC_STR_INIT("server"), RC_STR_INIT("")},
};

static const struct literal_case {
    const char *term;
    const char *message;
    bool holds;
} LITERALS[] = {
    {"text:\"pool is empty\"", "The Pool  is\n\tEMPTY, sorry", true},
    {"text:\"pool  is empty\"", "pool is empty", true},
    {"text:\"pool is empty\"", "pool isempty", false},
    {"text:\"pool is empty\"", "the whirlpool is empty", false},
    {"text:\"pool\"", "pools", false},
    {"text:\"pool\"", "pool2", false},
    {"text:\"pool\"", "pool_size", false},
    {"text:\"pool\"", "(pool)", true},
    {"text:\"pool\"", "spool pool", true},
    {"text:\"-pool-\"", "x-pool-y", true},
    {"text:\"=5%\"", "rate=5%", true},
    {"text:\"e=5%\"", "rate=5%", false},
    {"text:\"429\"", "4290 or 1429", false},
    {"text:\"429\"", "code:429.", true},
    {"text:\"caf\"", "caf\xC3\xA9", false},
    {"text:\"caf\xC3\xA9\"", "a caf\xC3\xA9!", true},
    {"text:\"\xE6\xB1\xA0\xE7\xA9\xBA\"", "\xE8\xBF\x9E\xE6\xB1\xA0\xE7\xA9\xBA\xE4\xBA\x86", true},
    {"text:\"pool\"", "\xE8\xBF\x9Epool\xE6\xB1\xA0", true},
    {"text:\"pool\"", "\xE2\x80\x9Cpool\xE2\x80\x9D", true},
    {"text:\"pool\"", "", false},
    {"text:\"everything else\"", "pool", false},
    {"anywhere:\"everything else\"", "pool", true},
    {"anywhere:\"pool\"", "pool", true},
    {"anywhere:\"pond\"", "pool", false},
    {"error_code:\"No_Pool\"", "", true},
    {"error_code:\"no_poo\"", "", false},
    {"error_type:\"pool_error\"", "", true},
    {"error_type:\"no_pool\"", "", false},
    {"header:\"x-pool\"", "", true},
    {"header:\"X-POOL: state=empty\"", "", true},
    {"header:\"x-pool: full\"", "", false},
    {"header:\"x-poo\"", "", false},
    {"header:\"Server\"", "", true},
    {"header:\"server: nginx\"", "", false},
    {"model:\"gpt-4o*\"", "", true},
    {"model:\"GPT-4O-mini\"", "", true},
    {"model:\"*-mini\"", "", true},
    {"model:\"*4?-*\"", "", true},
    {"model:\"*\"", "", true},
    {"model:\"gpt-4o\"", "", false},
    {"model:\"*x*mini\"", "", false},
    {"model:\"?gpt*\"", "", false},
};

static void test_literals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(LITERALS); i++) {
        const struct literal_case *row = &LITERALS[i];
        char text[256];
        snprintf(text, sizeof text, "rule own when %s then InvalidRequest because \"x\"",
                 row->term);
        rc_rules *rules = parse(text);
        rc_rule_input input = {.message = rc_str_c(row->message),
                               .all_text = RC_STR("everything else is here"),
                               .type = RC_STR("Pool_Error"),
                               .code = RC_STR("no_pool"),
                               .model = RC_STR("gpt-4o-mini"),
                               .headers = HEADERS,
                               .header_count = COUNT(HEADERS)};
        rc_facts facts = {{0}};
        rc_rules_set_literals(rules, &input, &facts);
        bool holds = rc_str_eq(rc_rules_match(rules, &facts, NULL)->id, RC_STR("own"));
        if (holds != row->holds)
            fail_msg("%s in \"%s\": %d", row->term, row->message, holds);
        rc_rules_free(rules);
    }
}

static void test_one_literal_is_one_fact(void **state)
{
    (void)state;
    rc_rules *rules = parse(
        "rule a when text:\"Pool\" and status:418 then InvalidRequest because \"x\"\n"
        "rule b when text:\"pool\" and error_code:\"pool\" then InvalidRequest because \"x\"\n"
        "rule c when anywhere:\"pool\" then InvalidRequest because \"x\"\n");
    assert_int_equal(rules->literal_count, 3);
    rc_rules_free(rules);
}

static void test_no_rules_and_no_input_set_nothing(void **state)
{
    (void)state;
    rc_rule_input input = {.message = RC_STR("pool")};
    rc_facts facts = {{0}};
    rc_facts none = {{0}};
    rc_rules_set_literals(NULL, &input, &facts);
    assert_memory_equal(&facts, &none, sizeof facts);
    rc_rules *rules = parse("rule a when text:\"x\" or error_code:\"x\" or header:\"x\" or "
                            "model:\"x*\" then InvalidRequest because \"x\"");
    rc_rules_set_literals(rules, &(rc_rule_input){.message = RC_STR("")}, &facts);
    assert_memory_equal(&facts, &none, sizeof facts);
    rc_rules_free(rules);
}

/* ---- the trace ---- */

struct trace_log {
    size_t tried;
    char first[256];
    char matched[64];
};

static void on_note(void *ctx, const rc_trace_note *note)
{
    struct trace_log *trace_log = ctx;
    assert_int_equal(note->wait_ms, -1);
    if (note->step == RC_TRACE_RULE_MATCHED) {
        snprintf(trace_log->matched, sizeof trace_log->matched, "%.*s", (int)note->subject.len,
                 note->subject.ptr);
        return;
    }
    assert_int_equal(note->step, RC_TRACE_RULE_TRIED);
    assert_true(note->text.len > 0);
    if (trace_log->tried++ == 0)
        snprintf(trace_log->first, sizeof trace_log->first, "%.*s", (int)note->text.len,
                 note->text.ptr);
}

static void test_the_trace_names_the_failed_condition(void **state)
{
    (void)state;
    static const struct {
        const char *conditions;
        const char *text;
    } ROWS[] = {
        {"says:quota", "no says:quota"},
        {"status:418 and says:quota", "no says:quota"},
        {"says:quota or code:quota", "none of says:quota, code:quota"},
        {"not (says:rate or status:418)", "there is status:418"},
        {"text:\"Pool is  empty\"", "no text:\"Pool is  empty\""},
        {"inner:500-599",
         "none of inner:500, inner:501, inner:502, inner:503, inner:504, inner:505, ..."},
    };
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        char text[256];
        snprintf(text, sizeof text, "rule own when %s then InvalidRequest because \"x\"",
                 ROWS[i].conditions);
        rc_rules *rules = parse(text);
        rc_facts facts = {{0}};
        rc_facts_set_status(&facts, 418);
        struct trace_log trace_log = {0};
        rc_trace trace = {on_note, &trace_log};
        const rc_rule *rule = rc_rules_match(rules, &facts, &trace);
        assert_string_equal(trace_log.first, ROWS[i].text);
        assert_rule(rule, trace_log.matched);
        assert_ptr_equal(rule, rc_rules_match(rules, &facts, NULL));
        rc_rules_free(rules);
    }
}

static void test_the_trace_gets_every_tried_rule(void **state)
{
    (void)state;
    rc_facts facts = {{0}};
    struct trace_log trace_log = {0};
    rc_trace trace = {on_note, &trace_log};
    rc_rules_match(NULL, &facts, &trace);
    assert_true(trace_log.tried < rc_rules_builtin.count);
    assert_ptr_equal(&rc_rules_builtin.rules[trace_log.tried], rc_rules_match(NULL, &facts, NULL));
}

/* ---- the built-in table ---- */

static char spec[(256u << 10) + 1];

static rc_rules *read_spec(void)
{
    FILE *file = fopen(RC_TEST_DIR "/../spec/classify.rules", "rb");
    assert_non_null(file);
    size_t len = fread(spec, 1, sizeof spec, file);
    fclose(file);
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    if (rc_rules_read(rc_str_make(spec, len), NULL, &alloc, &rules, &fault) != RC_OK)
        fail_msg("spec/classify.rules: %s", fault.text);
    return rules;
}

static void assert_same_terms(const rc_rule *a, const rc_rule *b)
{
    const rc_fact *cursor = a->terms;
    assert_int_equal(a->clause_count, b->clause_count);
    for (size_t i = 0; i < a->clause_count; i++)
        rc_clause_next(&cursor);
    assert_memory_equal(a->terms, b->terms, (size_t)(cursor - a->terms) * sizeof *cursor);
}

static void test_the_table_equals_the_file(void **state)
{
    (void)state;
    rc_rules *rules = read_spec();
    assert_int_equal(rules->order.count, rc_rules_builtin.count);
    assert_int_equal(rules->order.count, RC_RULES_BUILTIN_COUNT);
    for (size_t i = 0; i < rules->order.count; i++) {
        const rc_rule *read = &rules->order.rules[i];
        const rc_rule *builtin = &rc_rules_builtin.rules[i];
        assert_true(rc_str_eq(read->id, builtin->id));
        assert_true(rc_str_eq(read->when, builtin->when));
        assert_true(rc_str_eq(read->reason, builtin->reason));
        assert_int_equal(read->code, builtin->code);
        assert_int_equal(read->category, builtin->category);
        assert_same_terms(read, builtin);
        rc_rule_prefilter needs = rc_rule_prefilter_of(builtin);
        assert_memory_equal(&needs, &rc_rules_builtin.prefilters[i], sizeof needs);
    }
    rc_rules_free(rules);
}

static void test_the_list_of_built_in_rules(void **state)
{
    (void)state;
    rc_rule_info info = {.code = RC_CODE_NONE};
    size_t count = 0;
    for (; rc_rule_at(count, &info); count++) {
        assert_true(info.id.len > 0 && info.when.len > 0 && info.reason.len > 0);
        assert_non_null(rc_code_get(info.code));
    }
    assert_int_equal(count, rc_rules_builtin.count);
    assert_true(rc_str_eq(info.when, RC_STR("always")));
    assert_false(rc_rule_at((size_t)-1, &info));
}

/* ---- the prefilter ---- */

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Evaluates the conditions directly, without the prefilter. */
static bool holds_without_prefilter(const rc_rule *rule, const rc_facts *facts)
{
    const rc_fact *at = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        size_t count = *at & ~RC_CLAUSE_NOT;
        bool is_not = (*at & RC_CLAUSE_NOT) != 0;
        bool has = false;
        for (size_t k = 1; k <= count; k++)
            has |= rc_facts_has(facts, at[k]);
        if (has == is_not)
            return false;
        at += 1 + count;
    }
    return true;
}

static void test_the_prefilter_does_not_change_the_result(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252u;
    for (int round = 0; round < OFTEN(100000); round++) {
        /* The facts are taken from conditions of rules, so that some rules match. */
        rc_facts facts = {{0}};
        for (uint64_t n = next_random(&seed) % 12; n > 0; n--) {
            const rc_rule *rule =
                &rc_rules_builtin.rules[next_random(&seed) % (rc_rules_builtin.count - 1)];
            rc_fact fact = rule->terms[1 + next_random(&seed) % (rule->terms[0] & ~RC_CLAUSE_NOT)];
            rc_facts_set(&facts, fact);
        }
        size_t i = 0;
        while (!holds_without_prefilter(&rc_rules_builtin.rules[i], &facts))
            i++;
        assert_ptr_equal(rc_rules_match(NULL, &facts, NULL), &rc_rules_builtin.rules[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_known_is_unclassified),
        cmocka_unit_test(test_the_files_rules_come_first_and_in_order),
        cmocka_unit_test(test_a_rule_replaces_a_built_in_one_in_position),
        cmocka_unit_test(test_the_last_rule_cannot_be_removed),
        cmocka_unit_test(test_a_category_can_make_a_rule_final),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_one_literal_is_one_fact),
        cmocka_unit_test(test_no_rules_and_no_input_set_nothing),
        cmocka_unit_test(test_the_trace_names_the_failed_condition),
        cmocka_unit_test(test_the_trace_gets_every_tried_rule),
        cmocka_unit_test(test_the_table_equals_the_file),
        cmocka_unit_test(test_the_list_of_built_in_rules),
        cmocka_unit_test(test_the_prefilter_does_not_change_the_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
