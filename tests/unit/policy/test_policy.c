/* Tests of policies: all settings of the presets (tests/golden/policies.txt), rejected policies,
 * names, code sets. To accept a change of the presets, run this program with
 * RECOURSE_UPDATE_GOLDEN=1 and review the difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/policy.h>
#include <recourse/taxonomy.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GOLDEN RC_TEST_DIR "/golden/policies.txt"

/* ---- golden file ---- */

static void put_number(FILE *out, const char *name, uint64_t number)
{
    if (number == RC_UNLIMITED)
        fprintf(out, "  %-18s no limit\n", name);
    else
        fprintf(out, "  %-18s %llu\n", name, (unsigned long long)number);
}

static void put_codes(FILE *out, const char *name, const rc_code_set *set)
{
    fprintf(out, "  %-18s", name);
    for (size_t i = 0; i < rc_code_count(); i++)
        if (rc_code_set_has(set, rc_code_at(i)->code))
            fprintf(out, " %s", rc_code_at(i)->name);
    fputs(rc_code_set_is_empty(set) ? " (empty)\n" : "\n", out);
}

static bool is_retried(const rc_policy *policy, const rc_code_info *info)
{
    const bool is_wanted =
        rc_code_set_is_empty(&policy->retry_on) || rc_code_set_has(&policy->retry_on, info->code);
    return policy->enabled && info->is_retryable && is_wanted &&
           !rc_code_set_has(&policy->never_retry_on, info->code);
}

static void put_jitter(FILE *out, const rc_retry_rule *rule)
{
    if (rule->jitter == RC_JITTER_PERCENT)
        fprintf(out, "+-%u %%", rule->jitter_pct);
    else
        fprintf(out, "jitter %s", rc_jitter_name(rule->jitter));
}

/* Writes one rule, after the codes that it applies to. The list has one wait more than the rule
 * needs, for chain entries that allow more attempts. */
static void put_rule(FILE *out, const rc_policy *policy, const rc_retry_rule *rule)
{
    fputc('\n', out);
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        if (rc_policy_rule(policy, info->code) == rule && is_retried(policy, info))
            fprintf(out, "  %s\n", info->name);
    }
    fprintf(out, "    %u tries, %s, ", rule->max_attempts, rc_backoff_name(rule->backoff));
    put_jitter(out, rule);
    fprintf(out, ", no wait above %llu ms\n", (unsigned long long)rule->max_delay_ms);
    for (uint32_t i = 1; i <= rule->max_attempts; i++) {
        const rc_wait_range range = rc_backoff_range(rule, i);
        fprintf(out, "    wait %u  %6llu .. %6llu ms%s\n", i, (unsigned long long)range.min_ms,
                (unsigned long long)range.max_ms,
                i == rule->max_attempts ? "  (with more tries)" : "");
    }
}

static void put_policy(FILE *out, const rc_policy *policy)
{
    fprintf(out, "%s\n", policy->name);
    fprintf(out, "  %-18s %s\n", "enabled", policy->enabled ? "yes" : "no");
    fprintf(out, "  %-18s %s\n", "retry_exhausted", policy->retry_exhausted ? "yes" : "no");
    fprintf(out, "  %-18s %s\n", "hint", rc_hint_use_name(policy->hint));
    put_number(out, "max_calls", policy->max_calls);
    put_number(out, "budget_ms", policy->budget_ms);
    put_number(out, "min_remaining_ms", policy->min_remaining_ms);
    put_codes(out, "retry_on", &policy->retry_on);
    put_codes(out, "never_retry_on", &policy->never_retry_on);
    for (uint32_t i = 0; policy->enabled && i < policy->rule_count; i++)
        put_rule(out, policy, &policy->rules[i]);
    if (policy->enabled)
        put_rule(out, policy, &policy->default_rule);
}

static char *written_out(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; rc_policy_at(i) != NULL; i++) {
        if (i > 0)
            fputc('\n', out);
        put_policy(out, rc_policy_at(i));
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void test_golden(void **state)
{
    (void)state;
    char *text = written_out();
    if (getenv("RECOURSE_UPDATE_GOLDEN")) {
        FILE *file = fopen(GOLDEN, "wb");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
    }
    static char want[16384];
    FILE *file = fopen(GOLDEN, "rb");
    assert_non_null(file);
    const size_t len = fread(want, 1, sizeof want - 1, file);
    fclose(file);
    want[len] = '\0';
    if (strcmp(text, want) != 0)
        fail_msg("the presets are not those of policies.txt; now they are:\n%s", text);
    free(text);
}

/* ---- presets ---- */

static void test_presets(void **state)
{
    (void)state;
    static const char *const names[] = {"transport", "session", "council", "none"};
    for (size_t i = 0; i < COUNT(names); i++) {
        const rc_policy *policy = rc_policy_at(i);
        assert_non_null(policy);
        assert_string_equal(policy->name, names[i]);
        assert_ptr_equal(rc_policy_preset(rc_str_c(names[i])), policy);
        const char *wrong = rc_policy_check(policy);
        if (wrong != NULL)
            fail_msg("%s: %s", names[i], wrong);
        /* The unused elements of `rules` are zero, so rule_count is correct. */
        for (uint32_t k = policy->rule_count; k < RC_POLICY_RULES_MAX; k++)
            assert_int_equal(policy->rules[k].max_attempts, 0);
    }
    assert_null(rc_policy_at(COUNT(names)));
    assert_null(rc_policy_at(SIZE_MAX));
    assert_null(rc_policy_preset(RC_STR("")));
    assert_null(rc_policy_preset(RC_STR("Transport")));
    assert_null(rc_policy_preset(RC_STR("transport2")));
}

static void test_rule(void **state)
{
    (void)state;
    const rc_policy *policy = rc_policy_preset(RC_STR("transport"));
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_RATE_LIMITED), &policy->rules[0]);
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_MODEL_LOADING), &policy->rules[0]);
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_STORE_UNAVAILABLE), &policy->rules[1]);
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_PROVIDER_5XX), &policy->default_rule);
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_NONE), &policy->default_rule);
    assert_ptr_equal(rc_policy_rule(policy, RC_CODE_UNKNOWN), &policy->default_rule);
    assert_ptr_equal(rc_policy_rule(policy, (rc_code)55555), &policy->default_rule);
    /* The first rule that contains the code applies. If rule_count is too large, no byte after the
     * array is read. */
    rc_policy twice = *policy;
    twice.rules[3] = twice.rules[0];
    twice.rule_count = UINT32_MAX;
    assert_ptr_equal(rc_policy_rule(&twice, RC_CODE_RATE_LIMITED), &twice.rules[0]);
    assert_ptr_equal(rc_policy_rule(&twice, RC_CODE_CONFLICT), &twice.default_rule);
}

/* ---- check: one change to a valid policy, and its message ---- */

static void no_name(rc_policy *p)
{
    p->name[0] = '\0';
}

static void endless_name(rc_policy *p)
{
    memset(p->name, 'a', sizeof p->name);
}

static void no_hint(rc_policy *p)
{
    p->hint = (rc_hint_use)0;
}

static void odd_hint(rc_policy *p)
{
    p->hint = (rc_hint_use)3;
}

static void no_calls(rc_policy *p)
{
    p->max_calls = 0;
}

static void no_budget(rc_policy *p)
{
    p->budget_ms = 0;
}

static void all_remaining(rc_policy *p)
{
    p->budget_ms = 1000;
    p->min_remaining_ms = 1000;
}

static void fatal_code(rc_policy *p)
{
    rc_code_set_add(&p->retry_on, RC_CODE_RATE_LIMITED);
    rc_code_set_add(&p->retry_on, RC_CODE_CONTENT_FILTER);
}

static void capacity_code(rc_policy *p)
{
    rc_code_set_add(&p->retry_on, RC_CODE_QUOTA_EXHAUSTED);
}

static void unknown_in_retry_on(rc_policy *p)
{
    p->retry_on.bits[1] = UINT64_C(1) << 63;
}

static void unknown_in_never(rc_policy *p)
{
    p->never_retry_on.bits[1] = UINT64_C(1) << 62;
}

static void unknown_in_rule(rc_policy *p)
{
    p->rules[1].codes.bits[1] |= UINT64_C(1) << 61;
}

static void many_rules(rc_policy *p)
{
    p->rule_count = RC_POLICY_RULES_MAX + 1;
}

static void empty_rule(rc_policy *p)
{
    p->rule_count = 3;
}

static void no_attempts(rc_policy *p)
{
    p->default_rule.max_attempts = 0;
}

static void no_attempts_in_rule(rc_policy *p)
{
    p->rules[0].max_attempts = 0;
}

static void odd_backoff(rc_policy *p)
{
    p->default_rule.backoff = (rc_backoff)5;
}

static void no_backoff(rc_policy *p)
{
    p->default_rule.backoff = (rc_backoff)0;
}

static void odd_jitter(rc_policy *p)
{
    p->default_rule.jitter = (rc_jitter)5;
}

static void much_jitter(rc_policy *p)
{
    p->default_rule.jitter_pct = 101;
}

static void shrinking(rc_policy *p)
{
    p->default_rule.factor_milli = 999;
}

static void long_base(rc_policy *p)
{
    p->default_rule.base_ms = p->default_rule.max_delay_ms + 1;
}

static void empty_schedule(rc_policy *p)
{
    p->rules[1].schedule_count = 0;
}

static void long_schedule(rc_policy *p)
{
    p->rules[1].schedule_count = RC_SCHEDULE_MAX + 1;
}

static void slow_schedule(rc_policy *p)
{
    p->rules[1].max_delay_ms = 5999;
}

static void decorrelated_schedule(rc_policy *p)
{
    p->rules[1].jitter = RC_JITTER_DECORRELATED;
}

static const struct refusal {
    void (*spoil)(rc_policy *policy);
    const char *says; /* a part of the expected message */
} refusals[] = {
    {no_name, "no name"},
    {endless_name, "name is longer"},
    {no_hint, "hint"},
    {odd_hint, "hint"},
    {no_calls, "max_calls"},
    {no_budget, "budget_ms is 0"},
    {all_remaining, "min_remaining_ms"},
    {fatal_code, "retry_on names a fatal code"},
    {capacity_code, "retry_on names a fatal code"},
    {unknown_in_retry_on, "retry_on names a code that does not exist"},
    {unknown_in_never, "never_retry_on names a code that does not exist"},
    {unknown_in_rule, "rule names a code that does not exist"},
    {many_rules, "at most 4 rules"},
    {empty_rule, "names no code"},
    {no_attempts, "max_attempts"},
    {no_attempts_in_rule, "max_attempts"},
    {odd_backoff, "backoff must be"},
    {no_backoff, "backoff must be"},
    {odd_jitter, "jitter must be"},
    {much_jitter, "100 percent"},
    {shrinking, "factor"},
    {long_base, "base_ms is longer"},
    {empty_schedule, "at least one wait"},
    {long_schedule, "at most 16 waits"},
    {slow_schedule, "longer than max_delay_ms"},
    {decorrelated_schedule, "decorrelated"},
};

static void test_invalid_policies(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        rc_policy policy = *rc_policy_preset(RC_STR("transport"));
        assert_null(rc_policy_check(&policy));
        refusals[i].spoil(&policy);
        const char *wrong = rc_policy_check(&policy);
        if (wrong == NULL || strstr(wrong, refusals[i].says) == NULL)
            fail_msg("\"%s\", want \"%s\"", wrong ? wrong : "sound", refusals[i].says);
    }
}

/* Extreme values that are valid. */
static void test_valid_policies(void **state)
{
    (void)state;
    rc_policy policy = *rc_policy_preset(RC_STR("transport"));
    policy.max_calls = 1;
    policy.budget_ms = 1001;
    policy.min_remaining_ms = 1000;
    policy.default_rule.max_attempts = 1;
    policy.default_rule.base_ms = policy.default_rule.max_delay_ms;
    policy.default_rule.jitter_pct = 100;
    policy.default_rule.factor_milli = 1000;
    policy.rules[1].schedule_count = RC_SCHEDULE_MAX;
    memset(policy.name, 'a', sizeof policy.name - 1);
    for (size_t i = 0; i < rc_code_count(); i++) {
        rc_code_set_add(&policy.never_retry_on, rc_code_at(i)->code);
        if (rc_code_at(i)->is_retryable)
            rc_code_set_add(&policy.retry_on, rc_code_at(i)->code);
    }
    const char *wrong = rc_policy_check(&policy);
    if (wrong != NULL)
        fail_msg("%s", wrong);
    policy.default_rule.base_ms = 0;
    policy.default_rule.max_delay_ms = 0;
    assert_null(rc_policy_check(&policy));
}

/* ---- code sets and names ---- */

static void test_code_set(void **state)
{
    (void)state;
    rc_code_set set = {{0, 0}};
    for (size_t i = 0; i < rc_code_count(); i++) {
        assert_int_equal(rc_code_set_is_empty(&set), i == 0);
        assert_false(rc_code_set_has(&set, rc_code_at(i)->code));
        rc_code_set_add(&set, rc_code_at(i)->code);
        for (size_t j = 0; j < rc_code_count(); j++)
            assert_int_equal(rc_code_set_has(&set, rc_code_at(j)->code), j <= i);
    }
    rc_code_set none = {{0, 0}};
    rc_code_set_add(&none, RC_CODE_NONE);
    rc_code_set_add(&none, RC_CODE_UNKNOWN);
    rc_code_set_add(&none, (rc_code)4242);
    assert_true(rc_code_set_is_empty(&none));
    assert_false(rc_code_set_has(&set, RC_CODE_NONE));
    assert_false(rc_code_set_has(&set, RC_CODE_UNKNOWN));
    assert_false(rc_code_set_has(&set, (rc_code)4242));
}

static void test_names(void **state)
{
    (void)state;
    for (int i = RC_BACKOFF_FIXED; i <= RC_BACKOFF_SCHEDULE; i++)
        assert_int_equal(rc_backoff_parse(rc_str_c(rc_backoff_name((rc_backoff)i))), i);
    for (int i = RC_JITTER_NONE; i <= RC_JITTER_DECORRELATED; i++)
        assert_int_equal(rc_jitter_parse(rc_str_c(rc_jitter_name((rc_jitter)i))), i);
    for (int i = RC_HINT_EXACT; i <= RC_HINT_EXTEND; i++)
        assert_int_equal(rc_hint_use_parse(rc_str_c(rc_hint_use_name((rc_hint_use)i))), i);
    assert_string_equal(rc_backoff_name(RC_BACKOFF_EXPONENTIAL), "exponential");
    assert_string_equal(rc_jitter_name(RC_JITTER_FULL), "full");
    assert_string_equal(rc_hint_use_name(RC_HINT_EXTEND), "extend");
    assert_string_equal(rc_backoff_name((rc_backoff)0), "");
    assert_string_equal(rc_jitter_name((rc_jitter)9), "");
    assert_string_equal(rc_hint_use_name((rc_hint_use)-1), "");
    assert_int_equal(rc_backoff_parse(RC_STR("")), 0);
    assert_int_equal(rc_jitter_parse(RC_STR("FULL")), 0);
    assert_int_equal(rc_hint_use_parse(RC_STR("exactly")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),         cmocka_unit_test(test_presets),
        cmocka_unit_test(test_rule),           cmocka_unit_test(test_invalid_policies),
        cmocka_unit_test(test_valid_policies), cmocka_unit_test(test_code_set),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
