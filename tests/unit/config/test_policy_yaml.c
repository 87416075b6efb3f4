/* Tests of policies in YAML: the effect of each key, the values of presets, and refused policies
 * with the position of the fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "config/policy.h"

static rc_config_faults faults;
static rc_policy policy;

static bool read_policy(const char *text)
{
    rc_yaml doc;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    assert_int_equal(rc_yaml_parse(&doc, rc_str_c(text), &alloc, &faults), RC_OK);
    bool is_good = rc_policy_read(doc.root->first, doc.root->first->key, &faults, &policy);
    assert_int_equal(is_good, faults.count == 0);
    rc_yaml_done(&doc);
    return is_good;
}

static void expect_good(const char *text)
{
    if (!read_policy(text))
        fail_msg("%s: %s: %s", text, faults.list[0].path, faults.list[0].message);
}

static void expect_fault(const char *text, unsigned line, unsigned column, const char *path,
                         const char *part, const char *nearest)
{
    assert_false(read_policy(text));
    const rc_config_fault *fault = &faults.list[0];
    if (fault->line != line || fault->column != column || strcmp(fault->path, path) != 0 ||
        strstr(fault->message, part) == NULL || strcmp(fault->nearest, nearest) != 0)
        fail_msg("%s: %u:%u: %s: %s (%s)", text, fault->line, fault->column, fault->path,
                 fault->message, fault->nearest);
}

static void an_empty_policy_is_the_plain_one(void **state)
{
    (void)state;
    expect_good("p: {}");
    rc_policy plain = rc_policy_plain();
    assert_string_equal(policy.name, "p");
    memcpy(plain.name, policy.name, sizeof(plain.name));
    assert_memory_equal(&policy, &plain, sizeof(plain));
    assert_int_equal(plain.rule_count, 0);
    assert_int_equal(plain.default_rule.max_attempts, 3);
    assert_int_equal(plain.default_rule.base_ms, 1000);
    assert_int_equal(plain.hint, RC_HINT_EXACT);
}

static void every_key_sets_its_field(void **state)
{
    (void)state;
    expect_good("p:\n"
                "  enabled: false\n"
                "  max_attempts: 7\n"
                "  backoff: linear\n"
                "  base_ms: 250\n"
                "  factor: 1.5\n"
                "  max_delay_ms: 4000\n"
                "  jitter: 35\n"
                "  hint: extend\n"
                "  retry_on: [RateLimited, Overloaded]\n"
                "  never_retry_on: [Conflict]\n"
                "  max_calls: 12\n"
                "  budget_ms: 90000\n"
                "  min_remaining_ms: 5000\n"
                "  retry_exhausted: true\n");
    assert_false(policy.enabled);
    assert_true(policy.retry_exhausted);
    assert_int_equal(policy.default_rule.max_attempts, 7);
    assert_int_equal(policy.default_rule.backoff, RC_BACKOFF_LINEAR);
    assert_int_equal(policy.default_rule.base_ms, 250);
    assert_int_equal(policy.default_rule.factor_milli, 1500);
    assert_int_equal(policy.default_rule.max_delay_ms, 4000);
    assert_int_equal(policy.default_rule.jitter, RC_JITTER_PERCENT);
    assert_int_equal(policy.default_rule.jitter_pct, 35);
    assert_int_equal(policy.hint, RC_HINT_EXTEND);
    assert_int_equal(policy.max_calls, 12);
    assert_int_equal(policy.budget_ms, 90000);
    assert_int_equal(policy.min_remaining_ms, 5000);
    assert_true(rc_code_set_has(&policy.retry_on, RC_CODE_RATE_LIMITED));
    assert_true(rc_code_set_has(&policy.retry_on, RC_CODE_OVERLOADED));
    assert_false(rc_code_set_has(&policy.retry_on, RC_CODE_CONFLICT));
    assert_true(rc_code_set_has(&policy.never_retry_on, RC_CODE_CONFLICT));
}

static void a_max_delay_of_zero_or_less_is_no_cap(void **state)
{
    (void)state;
    expect_good("p: {max_delay_ms: 0}");
    assert_true(policy.default_rule.max_delay_ms == RC_UNLIMITED);
    expect_good("p: {max_delay_ms: -1}");
    assert_true(policy.default_rule.max_delay_ms == RC_UNLIMITED);
}

static void jitter_is_a_word_or_a_number(void **state)
{
    (void)state;
    expect_good("p: {jitter: none}");
    assert_int_equal(policy.default_rule.jitter, RC_JITTER_NONE);
    expect_good("p: {jitter: 0}");
    assert_int_equal(policy.default_rule.jitter, RC_JITTER_NONE);
    expect_good("p: {jitter: full}");
    assert_int_equal(policy.default_rule.jitter, RC_JITTER_FULL);
    expect_good("p: {jitter: decorrelated}");
    assert_int_equal(policy.default_rule.jitter, RC_JITTER_DECORRELATED);
    expect_fault("p: {jitter: percent}", 1, 13, "p.jitter", "a percentage", "");
    expect_fault("p: {jitter: 101}", 1, 13, "p.jitter", "from 0 to 100", "");
}

static void a_schedule_implies_its_backoff(void **state)
{
    (void)state;
    expect_good("p: {schedule_ms: [100, 200, 400]}");
    assert_int_equal(policy.default_rule.backoff, RC_BACKOFF_SCHEDULE);
    assert_int_equal(policy.default_rule.schedule_count, 3);
    assert_int_equal(policy.default_rule.schedule_ms[2], 400);
    expect_fault("p: {schedule_ms: [1], backoff: fixed}", 1, 5, "p.schedule_ms", "requires", "");
    expect_fault("p: {schedule_ms: []}", 1, 18, "p.schedule_ms", "1 to 16", "");
    expect_fault("p: {schedule_ms: [1, x]}", 1, 22, "p.schedule_ms[1]", "whole number", "");
    expect_fault("p: {backoff: schedule}", 1, 14, "p.backoff", "at least one wait", "");
}

/* ---- presets ---- */

static void setting_waits_removes_the_rules_of_a_preset(void **state)
{
    (void)state;
    const rc_policy *transport = rc_policy_preset(RC_STR("transport"));
    expect_good("p: {preset: transport}");
    assert_int_equal(policy.rule_count, transport->rule_count);
    expect_good("p: {preset: transport, max_attempts: 2, jitter: none, max_delay_ms: 0}");
    assert_int_equal(policy.rule_count, transport->rule_count);
    const rc_retry_rule *limited = rc_policy_rule(&policy, RC_CODE_RATE_LIMITED);
    assert_int_equal(limited->max_attempts, 2);
    assert_int_equal(limited->jitter, RC_JITTER_NONE);
    assert_true(limited->max_delay_ms == RC_UNLIMITED);
    assert_int_equal(limited->base_ms, 5000);
    expect_good("p: {preset: transport, base_ms: 50}");
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_RATE_LIMITED)->base_ms, 50);
    expect_fault("p: {preset: transprot}", 1, 13, "p.preset", "transport, session", "transport");
}

static void own_rules_replace_those_of_the_preset(void **state)
{
    (void)state;
    expect_good("p:\n"
                "  preset: transport\n"
                "  max_attempts: 4\n"
                "  rules:\n"
                "    - {codes: [Overloaded], base_ms: 9000}\n"
                "    - {codes: [RateLimited, Overloaded], max_attempts: 9, schedule_ms: [7]}\n");
    assert_int_equal(policy.rule_count, 2);
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_OVERLOADED)->base_ms, 9000);
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_OVERLOADED)->max_attempts, 4);
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_RATE_LIMITED)->max_attempts, 9);
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_RATE_LIMITED)->schedule_ms[0], 7);
    assert_int_equal(rc_policy_rule(&policy, RC_CODE_STORE_UNAVAILABLE)->base_ms, 1000);
    expect_fault("p: {rules: [{base_ms: 1}]}", 1, 13, "p.rules[0]", "codes is missing", "");
    expect_fault("p: {rules: [{codes: [Conflict], bse_ms: 1}]}", 1, 33, "p.rules[0].bse_ms",
                 "unknown key", "base_ms");
    expect_fault("p: {rules: [{}, {}, {}, {}, {}]}", 1, 12, "p.rules", "at most 4", "");
}

/* ---- codes ---- */

static void a_fatal_code_is_refused_with_the_reason(void **state)
{
    (void)state;
    expect_fault("p:\n  retry_on: [RateLimited, AuthFailed]\n", 2, 27, "p.retry_on[1]",
                 "AuthFailed is fatal (configuration)", "");
    expect_fault("p: {retry_on: [RateLimted]}", 1, 16, "p.retry_on[0]", "there is no code",
                 "RateLimited");
    expect_fault("p: {retry_on: ratelimited}", 1, 15, "p.retry_on", "a list is expected", "");
    expect_fault("p: {retry_on: []}", 1, 15, "p.retry_on", "empty", "");
    expect_fault("p: {rules: [{codes: [ContentFilter]}]}", 1, 22, "p.rules[0].codes[0]", "fatal",
                 "");
}

static void never_retry_on_is_extended_and_retry_on_overrides_it(void **state)
{
    (void)state;
    expect_good("p: {never_retry_on: [Conflict]}");
    assert_true(rc_code_set_has(&policy.never_retry_on, RC_CODE_EXECUTION_FAILED));
    expect_good("p: {retry_on: [ExecutionFailed]}");
    assert_false(rc_code_set_has(&policy.never_retry_on, RC_CODE_EXECUTION_FAILED));
    assert_true(rc_code_set_has(&policy.never_retry_on, RC_CODE_RESOURCE_BUSY));
    expect_fault("p: {retry_on: [Conflict], never_retry_on: [Conflict]}", 1, 44,
                 "p.never_retry_on[0]", "is in retry_on, too", "");
}

/* ---- checks and output ---- */

static void contradictions_are_refused_at_their_position(void **state)
{
    (void)state;
    expect_fault("p: {base_ms: 500, max_delay_ms: 100}", 1, 14, "p.base_ms",
                 "longer than max_delay_ms", "");
    expect_fault("p:\n  budget_ms: 100\n  min_remaining_ms: 100\n", 2, 14, "p.budget_ms",
                 "not less than budget_ms", "");
    expect_fault("p: {preset: council, budget_ms: 30000}", 1, 33, "p.budget_ms",
                 "not less than budget_ms", "");
}

/* The message names the preset that defines the waits, and the key to write. */
static void a_cap_below_the_waits_of_the_preset_is_explained(void **state)
{
    (void)state;
    expect_fault("p: {preset: session, max_delay_ms: 10}", 1, 36, "p.max_delay_ms",
                 "shorter than the wait of 2000 ms that the preset session has; write base_ms too, "
                 "or a max_delay_ms of at least 2000",
                 "");
    expect_fault("p: {preset: transport, max_delay_ms: 2000}", 1, 38, "p.max_delay_ms",
                 " ms that the preset transport has for ", "");
    expect_fault("p: {max_delay_ms: 999}", 1, 19, "p.max_delay_ms",
                 "the wait of 1000 ms that is the default; write base_ms too", "");
    expect_fault("p: {rules: [{codes: [RateLimited], max_delay_ms: 5}]}", 1, 50,
                 "p.rules[0].max_delay_ms", "1000 ms that the rule inherits from its policy", "");
    expect_fault("p: {base_ms: 9, max_delay_ms: 8}", 1, 14, "p.base_ms",
                 "base_ms is longer than max_delay_ms", "");
    expect_good("p: {preset: transport, max_delay_ms: 10, base_ms: 10}");
    expect_good("p: {preset: session, max_delay_ms: 2000}");
    expect_good(
        "p: {max_delay_ms: 1000, rules: [{codes: [RateLimited], base_ms: 4, max_delay_ms: 5}]}");
}

static void names_and_keys_are_checked(void **state)
{
    (void)state;
    expect_fault("transport: {}", 1, 1, "transport", "a preset has this name", "");
    expect_fault("a23456789b123456789c123456789d12: {}", 1, 1, "a23456789b123456789c123456789d12",
                 "1 to 31", "");
    expect_fault("p: {max_atempts: 3}", 1, 5, "p.max_atempts", "unknown key", "max_attempts");
    expect_fault("p: [1]", 1, 4, "p", "a map of keys and values", "");
    expect_fault("p: {max_attempts: 0}", 1, 19, "p.max_attempts", "from 1 to 1000", "");
    expect_fault("p: {factor: 0.5}", 1, 13, "p.factor", "from 1 to 1000", "");
    expect_fault("p: {backoff: expontial}", 1, 14, "p.backoff", "fixed, linear", "exponential");
    expect_fault("p: {hint: always}", 1, 11, "p.hint", "exact or extend", "");
}

static void all_faults_are_reported(void **state)
{
    (void)state;
    assert_false(read_policy("p: {max_attempts: 0, jitter: x, hint: y, retry_on: [A, B]}"));
    assert_int_equal(faults.count, 5);
}

static void the_output_parses_to_the_same_policy(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "p: {}",
        "p: {preset: transport, retry_on: [RateLimited, ResourceBusy]}",
        "p: {preset: session, factor: 1.25, jitter: full, max_delay_ms: 0}",
        "p: {preset: council, never_retry_on: [Conflict], retry_exhausted: true}",
        "p: {preset: none}",
        "p: {schedule_ms: [1, 20], rules: [{codes: [Conflict], backoff: fixed, base_ms: 3}]}",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char scratch[2048];
        rc_buf buf;
        expect_good(texts[i]);
        rc_policy first = policy;
        rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
        rc_buf_push(&buf, RC_STR("p: "));
        rc_policy_push_yaml(&buf, &policy);
        rc_buf_push_byte(&buf, '\0');
        assert_int_equal(rc_buf_status(&buf), RC_OK);
        expect_good(scratch);
        char again_scratch[2048];
        rc_buf again;
        rc_buf_init_fixed(&again, again_scratch, sizeof(again_scratch));
        rc_buf_push(&again, RC_STR("p: "));
        rc_policy_push_yaml(&again, &policy);
        rc_buf_push_byte(&again, '\0');
        assert_string_equal(scratch, again_scratch);
        assert_memory_equal(&first.never_retry_on, &policy.never_retry_on, sizeof(rc_code_set));
        assert_memory_equal(&first.retry_on, &policy.retry_on, sizeof(rc_code_set));
    }
}

static void a_summary_has_the_waits(void **state)
{
    (void)state;
    char scratch[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
    expect_good("p: {preset: transport}");
    rc_retry_rule_push_summary(&buf, rc_policy_rule(&policy, RC_CODE_RATE_LIMITED));
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(scratch, "6 attempts, waits 5s, 10s, 20s, 40s, 1m 20s +-20%");
    rc_buf_reset(&buf);
    expect_good("p: {max_attempts: 1}");
    rc_retry_rule_push_summary(&buf, &policy.default_rule);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(scratch, "1 try");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_policy_is_the_plain_one),
        cmocka_unit_test(every_key_sets_its_field),
        cmocka_unit_test(a_max_delay_of_zero_or_less_is_no_cap),
        cmocka_unit_test(jitter_is_a_word_or_a_number),
        cmocka_unit_test(a_schedule_implies_its_backoff),
        cmocka_unit_test(setting_waits_removes_the_rules_of_a_preset),
        cmocka_unit_test(own_rules_replace_those_of_the_preset),
        cmocka_unit_test(a_fatal_code_is_refused_with_the_reason),
        cmocka_unit_test(never_retry_on_is_extended_and_retry_on_overrides_it),
        cmocka_unit_test(contradictions_are_refused_at_their_position),
        cmocka_unit_test(a_cap_below_the_waits_of_the_preset_is_explained),
        cmocka_unit_test(names_and_keys_are_checked),
        cmocka_unit_test(all_faults_are_reported),
        cmocka_unit_test(the_output_parses_to_the_same_policy),
        cmocka_unit_test(a_summary_has_the_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
