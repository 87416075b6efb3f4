/* Tests of rules files: the syntax, and the error message of each rejected file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>
#include <recourse/taxonomy.h>

#include "base/utf8.h"
#include "classify/rules/parts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- helpers ---- */

/* The built-in rules of these tests, which do not depend on the real ones. */
static const char BUILTIN[] = "rule b.short when code:quota and window:short\n"
                              "  then RateLimited because \"short\"\n"
                              "rule b.quota when (code:quota or says:quota) and not code:rate\n"
                              "  then QuotaExhausted because \"quota\"\n"
                              "rule b.rate when says:rate then RateLimited because \"rate\"\n"
                              "rule b.auth when status:401 and code:auth\n"
                              "  then AuthFailed because \"auth\"\n"
                              "rule b.server when status:5xx then Provider5xx because \"5xx\"\n"
                              "rule b.last when always then Unclassified because \"unknown\"\n";

static rc_rules *read_builtin(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *builtin = NULL;
    rc_rules_fault fault = {.text = ""};
    if (rc_rules_read(rc_str_c(BUILTIN), NULL, &alloc, &builtin, &fault) != RC_OK)
        fail_msg("%s", fault.text);
    return builtin;
}

static rc_status read_rules(const char *text, rc_rules **ret_rules, rc_rules_fault *ret_fault)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *builtin = read_builtin();
    rc_status status = rc_rules_read(rc_str_c(text), &builtin->order, &alloc, ret_rules, ret_fault);
    /* The tests examine only the rules of the file, so the built-in rules can be freed. */
    rc_rules_free(builtin);
    return status;
}

/* ---- rejected files ---- */

static const struct refused {
    const char *text;
    rc_status status;
    size_t line;
    size_t column;
    const char *part;
} REFUSED[] = {
    /* faults of the syntax */
    {"role a when says:quota", RC_E_SYNTAX, 1, 1, "expected rule, not role"},
    {"rule a\nwhen says:quota and\nthen Overloaded", RC_E_SYNTAX, 3, 1, "expected a term"},
    {"rule a when says:quota", RC_E_SYNTAX, 1, 23, "the file ends where and, or then is needed"},
    {"rule a when (says:quota or says:rate then X", RC_E_SYNTAX, 1, 38, "closing parenthesis"},
    {"rule a when says:quota and says:rate or says:plan then Overloaded", RC_E_SYNTAX, 1, 38,
     "needs parentheses"},
    {"rule a when says:quota or says:rate and says:plan then Overloaded", RC_E_SYNTAX, 1, 13,
     "needs parentheses"},
    {"rule a when not not says:quota then Overloaded", RC_E_SYNTAX, 1, 17, "expected a term"},
    {"rule a when always and says:quota then Overloaded", RC_E_SYNTAX, 1, 20, "expected then"},
    {"rule a! when always then Overloaded", RC_E_SYNTAX, 1, 6, "an id of"},
    {"rule a when text:words then Overloaded", RC_E_SYNTAX, 1, 13, "text: needs a text in quotes"},
    {"rule a when text:\"\" then Overloaded", RC_E_SYNTAX, 1, 13, "empty quotes"},
    {"rule a when header:\": x\" then Overloaded", RC_E_SYNTAX, 1, 13, "empty quotes"},
    {"rule a when text:\"x\n\" then Overloaded", RC_E_SYNTAX, 1, 18, "do not end on this line"},
    {"rule a when text:\"x\\n\" then Overloaded", RC_E_SYNTAX, 1, 20, "escapes"},
    {"rule a when text:\"x\ty\" then Overloaded", RC_E_SYNTAX, 1, 20, "control character"},
    {"rule a when says:quota then Overloaded", RC_E_SYNTAX, 1, 39, "because is needed"},
    {"rule a when says:quota then Overloaded because why", RC_E_SYNTAX, 1, 48, "in quotes"},
    {"rule a when says:quota then Overloaded because \" \"", RC_E_SYNTAX, 1, 48, "is empty"},
    {"rule a # \xE9\n", RC_E_SYNTAX, 1, 10, "not UTF-8"},
    {"rule \xE9\x94\x99 when", RC_E_SYNTAX, 1, 6, "an id of"},

    /* unknown names */
    {"rule a\n  when status:429 and\n       says:qouta\n", RC_E_UNKNOWN_KEY, 3, 8,
     "line 3, column 8: no term says:qouta; did you mean says:quota?"},
    {"rule a when sttaus:4xx then Overloaded", RC_E_UNKNOWN_KEY, 1, 13, "status:4xx?"},
    {"rule a when status:429x then Overloaded", RC_E_UNKNOWN_KEY, 1, 13, "no term status:429x"},
    {"rule a when wholly:else then Overloaded", RC_E_UNKNOWN_KEY, 1, 13,
     "rules-terms.md lists them"},
    {"rule a when words:\"x\" then Overloaded", RC_E_UNKNOWN_KEY, 1, 13, "no term words:\"...\""},
    {"rule a when textual\"x\" then Overloaded", RC_E_UNKNOWN_KEY, 1, 13, "no term textual"},
    {"rule a when says:quota then Overlaoded", RC_E_UNKNOWN_KEY, 1, 29,
     "no code Overlaoded; did you mean Overloaded?"},
    {"rule a when says:quota then overloaded", RC_E_UNKNOWN_KEY, 1, 29, "did you mean Overloaded"},
    {"rule a when says:quota then Overloaded transiet", RC_E_UNKNOWN_KEY, 1, 40,
     "no category transiet; did you mean transient?"},

    /* repeated rules and conditions */
    {"rule a when says:rate then Overloaded because \"x\"\n"
     "rule a when says:plan then QuotaExhausted because \"x\"",
     RC_E_DUPLICATE, 2, 6, "there is a rule a already"},
    {"rule a when (says:rate or says:rate) then Overloaded", RC_E_DUPLICATE, 1, 13, "twice"},
    {"rule a when says:rate and says:rate then Overloaded", RC_E_DUPLICATE, 1, 27, "twice"},
    {"rule a when (status:500-504 or status:502) then Overloaded", RC_E_DUPLICATE, 1, 13,
     "status:502 appears twice"},

    /* contradictory conditions */
    {"rule a when says:rate and not says:rate then Overloaded", RC_E_RANGE, 1, 13,
     "never match: says:rate is required together with not says:rate"},
    {"rule a when status:429 and status:5xx then Overloaded", RC_E_RANGE, 1, 13,
     "status:429 and status:5xx are never true together"},
    {"rule a when inner:429 and inner:503 then Overloaded", RC_E_RANGE, 1, 13, "never match"},
    {"rule a when status:429 and not status:4xx then Overloaded", RC_E_RANGE, 1, 13,
     "together with not status:4xx"},
    {"rule a when (status:429 or status:503) and status:none then Overloaded", RC_E_RANGE, 1, 13,
     "never match"},
    {"rule a when (phase:sent or phase:headers) and (phase:connect or phase:committed)\n"
     "then Overloaded",
     RC_E_RANGE, 1, 13, "never match"},
    {"rule a when (says:rate or status:429) and status:5xx and not says:rate then Overloaded",
     RC_E_RANGE, 1, 13, "never match"},
    {"rule a when error_code:\"a\" and error_code:\"b\" then Overloaded", RC_E_RANGE, 1, 13,
     "never true together"},
    {"rule a when text:\"pool is empty\" and not text:\"pool\" then Overloaded", RC_E_RANGE, 1, 13,
     "is required together with not text:\"pool\""},
    {"rule a when status:504-500 then Overloaded", RC_E_RANGE, 1, 13, "smaller status first"},

    /* rules that are never reached */
    {"rule a when status:5xx then Overloaded because \"x\"\n"
     "rule b when status:503 and says:rate then Overloaded because \"x\"",
     RC_E_RANGE, 2, 13, "the rule b is never reached: a comes before it"},
    {"rule a when status:503 and not says:plan then Overloaded because \"x\"\n"
     "rule b when status:503 and not (says:plan or says:rate) then Overloaded because \"x\"",
     RC_E_RANGE, 2, 13, "never reached"},
    {"rule a when not status:5xx and says:rate then Overloaded because \"x\"\n"
     "rule b when status:429 and says:rate then Overloaded because \"x\"",
     RC_E_RANGE, 2, 13, "never reached"},
    {"rule a when anywhere:\"pool\" then Overloaded because \"x\"\n"
     "rule b when text:\"Pool  is empty\" then Overloaded because \"x\"",
     RC_E_RANGE, 2, 13, "never reached"},
    {"rule a when header:\"x-pool\" then Overloaded because \"x\"\n"
     "rule b when header:\"X-Pool: empty\" then Overloaded because \"x\"",
     RC_E_RANGE, 2, 13, "never reached"},
    {"rule b.auth when status:502 and code:auth then AuthFailed because \"x\"\n"
     "rule a when (status:5xx or status:none) then Overloaded because \"x\"",
     RC_E_RANGE, 1, 18, "the rule b.auth is never reached: a comes before it"},
    {"rule b.server when status:5xx and says:rate then Provider5xx because \"x\"", RC_E_RANGE, 1,
     20, "b.server is never reached: b.rate"},

    /* rules that would make fatal failures retryable */
    {"rule a when says:auth then AuthFailed transient because \"x\"", RC_E_RANGE, 1, 28,
     "AuthFailed is fatal and cannot be made transient"},
    {"rule a when says:quota then RateLimited because \"x\"", RC_E_RANGE, 1, 29,
     "are fatal (rule b.quota"},
    {"rule b.quota when says:quota then RateLimited because \"x\"", RC_E_RANGE, 1, 35,
     "the built-in rule b.quota is fatal (QuotaExhausted); it cannot become RateLimited"},
    {"rule b.last when always then Provider5xx because \"x\"", RC_E_RANGE, 1, 30, "is fatal"},
    {"rule a when code:quota and not code:rate then RateLimited because \"x\"", RC_E_RANGE, 1, 47,
     "fatal (rule b.quota, QuotaExhausted)"},
    {"rule a when code:quota and status:429 and not (code:rate or says:plan)\n"
     "then RateLimited because \"x\"",
     RC_E_RANGE, 2, 6, "fatal"},
    {"rule a when code:quota then RateLimited because \"x\"", RC_E_RANGE, 1, 29, "fatal"},
    {"rule a when (code:quota or says:plan) then RateLimited because \"x\"", RC_E_RANGE, 1, 44,
     "fatal"},
    {"rule a when always then RateLimited because \"x\"", RC_E_RANGE, 1, 25, "fatal"},
};

static void check_refused(const struct refused *row)
{
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    rc_status status = read_rules(row->text, &rules, &fault);
    if (status != row->status)
        fail_msg("%s\n: status %d, not %d: %s", row->text, status, row->status, fault.text);
    assert_null(rules);
    if (!strstr(fault.text, row->part) || fault.line != row->line || fault.column != row->column)
        fail_msg("%s\n: %zu:%zu %s", row->text, fault.line, fault.column, fault.text);
    assert_null(strchr(fault.text, '\n'));
    assert_int_equal(read_rules(row->text, &rules, NULL), row->status);
}

static void test_rejected_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(REFUSED); i++)
        check_refused(&REFUSED[i]);
}

static const char *const ACCEPTED[] = {
    "",
    "# nothing but a comment",
    "rule a when says:quota or code:auth then QuotaExhausted because \"x\"",
    "rule a when(says:plan or says:rate)and not(code:auth)then Overloaded because \"x\"",
    "rule a when not says:rate then Unclassified because \"a \\\"word\\\" and \\\\\"",
    "rule a when status:500-504 and not status:502 then Overloaded because \"x\"",
    "rule a when says:rate then ConnectionFailed configuration because \"x\"",
    "rule a when says:rate then RateLimited transient because \"x\"",
    "rule a when status:4xx and status:429 then RateLimited because \"x\"",
    "rule a when text:\"\xE6\xB1\xA0\xE7\xA9\xBA\" then Overloaded because \"\xE6\xB1\xA0\"",
    "\xEF\xBB\xBFrule a when says:rate then RateLimited because \"a byte order mark\"",

    /* A new rule that follows a replaced built-in rule is tried before it. */
    "rule b.server when status:5xx then Overloaded because \"x\"\n"
    "rule a when status:503 then Overloaded because \"x\"",
    /* A rule that only partly overlaps with an earlier one is accepted. */
    "rule a when status:5xx and says:rate then Overloaded because \"x\"\n"
    "rule b when status:503 then Overloaded because \"x\"",
    "rule a when not says:plan then Unclassified because \"x\"\n"
    "rule b when says:rate then Overloaded because \"x\"",

    /* A rule may make a retryable failure fatal. */
    "rule b.quota when says:quota then PermissionDenied because \"x\"",
    "rule b.rate when says:rate then QuotaExhausted because \"x\"",
    /* A rule with a literal may make a failure retryable, because only the user knows what the
     * literal means. */
    "rule a when says:quota and text:\"pool\" then RateLimited because \"x\"",
    "rule a when status:401 and header:\"x-busy\" then RateLimited because \"x\"",
    /* These failures are already retryable: the built-in rule b.short precedes b.quota. */
    "rule a when code:quota and window:short and not code:rate then Overloaded because \"x\"",
    "rule b.short when code:quota and window:short and not code:rate\n"
    "then Overloaded because \"x\"",
    /* b.quota precedes this rule and decides its failures as before. */
    "rule b.rate when code:quota or says:rate then RateLimited because \"x\"",
    "rule a when code:quota and code:rate then RateLimited because \"x\"",
};

static void test_accepted_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ACCEPTED); i++) {
        rc_rules *rules = NULL;
        rc_rules_fault fault = {.text = ""};
        if (read_rules(ACCEPTED[i], &rules, &fault) != RC_OK)
            fail_msg("%s\n: %s", ACCEPTED[i], fault.text);
        rc_rules_free(rules);
    }
}

/* The concept of an error_code comes from spec/phrases.txt. */
static void test_a_fatal_error_code_cannot_become_retryable(void **state)
{
    (void)state;
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    assert_int_equal(read_rules("rule a when error_code:\"insufficient_quota\" and not code:rate\n"
                                "then RateLimited because \"x\"",
                                &rules, &fault),
                     RC_E_RANGE);
    assert_non_null(strstr(fault.text, "fatal (rule b.quota"));
    assert_int_equal(read_rules("rule a when error_code:\"pool_is_empty\" and not code:rate\n"
                                "then RateLimited because \"x\"",
                                &rules, &fault),
                     RC_OK);
    rc_rules_free(rules);
}

static void test_a_rule_stores_its_conditions_as_written(void **state)
{
    (void)state;
    static const char TEXT[] = "rule relay.pool-1\n"
                               "  when ( status:500-502  # these\n"
                               "         or text:\"a  \\\"b\\\"\" )and not\tsays:plan\n"
                               "  then ConnectionFailed configuration\n"
                               "  because \"the \\\"pool\\\" is empty \"\n";
    rc_rules *rules = NULL;
    assert_int_equal(read_rules(TEXT, &rules, NULL), RC_OK);
    assert_int_equal(rc_rules_count(rules), 1);
    const rc_rule *rule = &rules->order.rules[0];
    assert_true(rc_str_eq(rule->id, RC_STR("relay.pool-1")));
    assert_true(rc_str_eq(rule->when,
                          RC_STR("(status:500-502 or text:\"a  \\\"b\\\"\") and not says:plan")));
    assert_true(rc_str_eq(rule->reason, RC_STR("the \"pool\" is empty")));
    assert_int_equal(rule->code, RC_CODE_CONNECTION_FAILED);
    assert_int_equal(rule->category, RC_CATEGORY_CONFIGURATION);
    assert_false(rc_rule_is_retryable(rule));
    assert_int_equal(rule->clause_count, 2);
    assert_int_equal(rule->terms[0], 4);
    assert_int_equal(rule->terms[5], RC_CLAUSE_NOT | 1);
    assert_true(rc_str_eq(rules->literals[0].value, RC_STR("a  \"b\"")));
    rc_rules_free(rules);
}

/* ---- ceilings ---- */

static char big[(256u << 10) + 2];

static rc_status read_big(const char *part)
{
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    rc_status status = read_rules(big, &rules, &fault);
    if (status != RC_OK && !strstr(fault.text, part))
        fail_msg("%s", fault.text);
    rc_rules_free(rules);
    return status;
}

static void test_the_size_of_a_file(void **state)
{
    (void)state;
    memset(big, ' ', sizeof big - 1);
    assert_int_equal(read_big("256 KiB"), RC_E_TOO_LARGE);
    big[256u << 10] = '\0';
    assert_int_equal(read_big(""), RC_OK);
}

/* All rules are different, so that none makes another unreachable. */
static void test_the_number_of_rules(void **state)
{
    (void)state;
    for (int count = 512; count <= 513; count++) {
        size_t len = 0;
        for (int i = 0; i < count; i++)
            len += (size_t)snprintf(big + len, sizeof big - len,
                                    "rule r%d when status:%d and inner:%d then Conflict because "
                                    "\"x\"\n",
                                    i, 200 + i % 256, 200 + i / 256);
        assert_int_equal(read_big("512 rules"), count == 512 ? RC_OK : RC_E_TOO_LARGE);
    }
}

static void test_the_number_of_literals(void **state)
{
    (void)state;
    for (int count = 256; count <= 257; count++) {
        size_t len = (size_t)snprintf(big, sizeof big, "rule r when text:\"w\"");
        for (int i = 1; i < count; i++)
            len += (size_t)snprintf(big + len, sizeof big - len, " or text:\"w%d\"", i);
        snprintf(big + len, sizeof big - len, " then Conflict because \"x\"");
        assert_int_equal(read_big("256 different"), count == 256 ? RC_OK : RC_E_TOO_LARGE);
    }
}

static void test_the_size_of_a_rule(void **state)
{
    (void)state;
    for (int count = 32; count <= 33; count++) {
        size_t len = (size_t)snprintf(big, sizeof big, "rule r when status:400");
        for (int i = 1; i < count; i++)
            len += (size_t)snprintf(big + len, sizeof big - len, " and not status:%d", 100 + i);
        snprintf(big + len, sizeof big - len, " then Conflict because \"x\"");
        assert_int_equal(read_big("32 conditions"), count == 32 ? RC_OK : RC_E_TOO_LARGE);
    }
    /* The first rule has 640 terms (512 + 128), which is the maximum; the second rule has 641. */
    for (int last = 227; last <= 228; last++) {
        snprintf(big, sizeof big,
                 "rule r when (status:100-611 or inner:100-%d) then InvalidRequest because \"x\"",
                 last);
        assert_int_equal(read_big("640 terms"), last == 227 ? RC_OK : RC_E_TOO_LARGE);
    }
    snprintf(big, sizeof big, "rule r when text:\"%0257d\" then Conflict because \"x\"", 0);
    assert_int_equal(read_big("256 bytes"), RC_E_TOO_LARGE);
    snprintf(big, sizeof big, "rule %065d when says:rate then Conflict because \"x\"", 0);
    assert_int_equal(read_big("an id of up to 64"), RC_E_SYNTAX);
}

/* The text of a fault is one complete line, whatever word it quotes. */
static void test_a_fault_is_one_line(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"\x01\x1b[31m", "\xE9\x94\x99", "x\x7Fy", "%s%n"};
    for (size_t i = 0; i < COUNT(WORDS); i++) {
        size_t len = (size_t)snprintf(big, sizeof big, "rule a when says:");
        for (int k = 0; k < 100; k++)
            len += (size_t)snprintf(big + len, sizeof big - len, "%s", WORDS[i]);
        rc_rules *rules = NULL;
        rc_rules_fault fault;
        assert_int_equal(read_rules(big, &rules, &fault), RC_E_UNKNOWN_KEY);
        rc_str text = rc_str_c(fault.text);
        assert_true(text.len < sizeof fault.text && rc_utf8_is_valid(text));
        for (size_t k = 0; k < text.len; k++)
            assert_true((unsigned char)text.ptr[k] >= 0x20 && text.ptr[k] != 0x7F);
    }
}

/* ---- the built-in file ---- */

static void check_builtin_refused(const char *text, const char *part)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_rules *rules = NULL;
    rc_rules_fault fault = {.text = ""};
    assert_int_not_equal(rc_rules_read(rc_str_c(text), NULL, &alloc, &rules, &fault), RC_OK);
    if (!strstr(fault.text, part))
        fail_msg("%s: %s", text, fault.text);
}

static void test_requirements_of_a_built_in_file(void **state)
{
    (void)state;
    check_builtin_refused("", "the last built-in rule must be");
    check_builtin_refused("rule a when says:rate then RateLimited because \"x\"", "must be");
    check_builtin_refused("rule a when always then RateLimited because \"x\"", "must be");
    check_builtin_refused("rule a when text:\"x\" then RateLimited because \"x\"", "phrases.txt");
    check_builtin_refused("rule a when always then Unclassified because \"x\"\n"
                          "rule b when says:rate then RateLimited because \"x\"",
                          "never reached");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rejected_files),
        cmocka_unit_test(test_accepted_files),
        cmocka_unit_test(test_a_fatal_error_code_cannot_become_retryable),
        cmocka_unit_test(test_a_rule_stores_its_conditions_as_written),
        cmocka_unit_test(test_the_size_of_a_file),
        cmocka_unit_test(test_the_number_of_rules),
        cmocka_unit_test(test_the_number_of_literals),
        cmocka_unit_test(test_the_size_of_a_rule),
        cmocka_unit_test(test_a_fault_is_one_line),
        cmocka_unit_test(test_requirements_of_a_built_in_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
