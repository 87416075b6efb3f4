/* Writes policies as YAML, and as a summary for people. Called by show.c and recourse config. */
#include "config/policy.h"

#include <recourse/taxonomy.h>

#include "codec/duration.h"
#include "config/keys.h"

/* Maximum number of waits in a summary. */
#define WAITS_SHOWN_MAX 6

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_key(rc_buf *buf, const char *key)
{
    push(buf, ", ");
    push(buf, key);
    push(buf, ": ");
}

static void push_number(rc_buf *buf, const char *key, uint64_t value)
{
    push_key(buf, key);
    rc_buf_push_u64(buf, value);
}

static void push_flag(rc_buf *buf, const char *key, bool value)
{
    push_key(buf, key);
    push(buf, value ? "true" : "false");
}

void rc_policy_push_codes(rc_buf *buf, const rc_code_set *set)
{
    bool is_first = true;
    push(buf, "[");
    for (size_t i = 0; i < rc_code_count(); i++) {
        if (!rc_code_set_has(set, rc_code_at(i)->code))
            continue;
        push(buf, is_first ? "" : ", ");
        push(buf, rc_code_at(i)->name);
        is_first = false;
    }
    push(buf, "]");
}

static void push_factor(rc_buf *buf, uint32_t milli)
{
    char scratch[RC_DECIMAL_CAPACITY];
    rc_buf_push(buf, rc_config_decimal(scratch, milli, 3));
}

static void push_schedule(rc_buf *buf, const rc_retry_rule *rule)
{
    push_key(buf, "schedule_ms");
    for (uint32_t i = 0; i < rule->schedule_count; i++) {
        push(buf, i == 0 ? "[" : ", ");
        rc_buf_push_u64(buf, rule->schedule_ms[i]);
    }
    push(buf, "]");
}

static void push_rule(rc_buf *buf, const rc_retry_rule *rule)
{
    push_number(buf, "max_attempts", rule->max_attempts);
    push_key(buf, "backoff");
    push(buf, rc_backoff_name(rule->backoff));
    if (rule->backoff == RC_BACKOFF_SCHEDULE) {
        push_schedule(buf, rule);
    } else {
        push_number(buf, "base_ms", rule->base_ms);
        push_key(buf, "factor");
        push_factor(buf, rule->factor_milli);
    }
    push_number(buf, "max_delay_ms", rule->max_delay_ms == RC_UNLIMITED ? 0 : rule->max_delay_ms);
    push_key(buf, "jitter");
    if (rule->jitter == RC_JITTER_PERCENT)
        rc_buf_push_u64(buf, rule->jitter_pct);
    else
        push(buf, rc_jitter_name(rule->jitter));
}

/* Returns whether this policy retries a code that the plain policy (rc_policy_plain) never retries.
 * The YAML of such a policy must have `preset: none`. Without `preset: none` the reader would start
 * with the plain policy's never_retry_on, which a policy can only extend. */
static bool retries_more_than_plain(const rc_policy *policy)
{
    rc_policy plain = rc_policy_plain();
    for (size_t i = 0; i < rc_code_count(); i++) {
        rc_code code = rc_code_at(i)->code;
        if (rc_code_set_has(&plain.never_retry_on, code) &&
            !rc_code_set_has(&policy->never_retry_on, code) &&
            !rc_code_set_has(&policy->retry_on, code))
            return true;
    }
    return false;
}

void rc_policy_push_yaml(rc_buf *buf, const rc_policy *policy)
{
    push(buf, retries_more_than_plain(policy) ? "{preset: none, " : "{");
    push(buf, policy->enabled ? "enabled: true" : "enabled: false");
    push_rule(buf, &policy->default_rule);
    push_key(buf, "hint");
    push(buf, rc_hint_use_name(policy->hint));
    if (!rc_code_set_is_empty(&policy->retry_on)) {
        push_key(buf, "retry_on");
        rc_policy_push_codes(buf, &policy->retry_on);
    }
    if (!rc_code_set_is_empty(&policy->never_retry_on)) {
        push_key(buf, "never_retry_on");
        rc_policy_push_codes(buf, &policy->never_retry_on);
    }
    push_number(buf, "max_calls", policy->max_calls);
    if (policy->budget_ms != RC_UNLIMITED)
        push_number(buf, "budget_ms", policy->budget_ms);
    push_number(buf, "min_remaining_ms", policy->min_remaining_ms);
    push_flag(buf, "retry_exhausted", policy->retry_exhausted);
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        push(buf, i == 0 ? ", rules: [{codes: " : ", {codes: ");
        rc_policy_push_codes(buf, &policy->rules[i].codes);
        push_rule(buf, &policy->rules[i]);
        push(buf, "}");
    }
    push(buf, policy->rule_count > 0 ? "]}" : "}");
}

/* ---- summary ---- */

/* Returns a copy of the rule without jitter, so that its waits are deterministic. */
static rc_retry_rule without_jitter(const rc_retry_rule *rule)
{
    rc_retry_rule plain = *rule;
    plain.jitter = RC_JITTER_NONE;
    return plain;
}

static void push_jitter(rc_buf *buf, const rc_retry_rule *rule)
{
    if (rule->jitter == RC_JITTER_PERCENT) {
        push(buf, " +-");
        rc_buf_push_u64(buf, rule->jitter_pct);
        push(buf, "%");
    } else if (rule->jitter != RC_JITTER_NONE) {
        push(buf, ", jitter ");
        push(buf, rc_jitter_name(rule->jitter));
    }
}

/* Appends a wait. A wait of 1500 ms is written in milliseconds, because rc_duration_push would
 * round it to 2s. */
static void push_wait(rc_buf *buf, uint64_t wait_ms)
{
    if (wait_ms < 10000 && wait_ms % 1000 != 0) {
        rc_buf_push_u64(buf, wait_ms);
        push(buf, "ms");
        return;
    }
    rc_duration_push(buf, wait_ms < INT64_MAX ? (int64_t)wait_ms : INT64_MAX);
}

void rc_retry_rule_push_summary(rc_buf *buf, const rc_retry_rule *rule)
{
    rc_retry_rule plain = without_jitter(rule);
    rc_buf_push_u64(buf, rule->max_attempts);
    push(buf, rule->max_attempts == 1 ? " try" : " attempts, waits");
    for (uint32_t failed = 1; failed < rule->max_attempts; failed++) {
        push(buf, failed > 1 ? ", " : " ");
        if (failed > WAITS_SHOWN_MAX) {
            push(buf, "...");
            break;
        }
        push_wait(buf, rc_backoff_wait(&plain, failed, 0, 0));
    }
    if (rule->max_attempts > 1)
        push_jitter(buf, rule);
}

void rc_retry_rule_push_codes(rc_buf *buf, const rc_retry_rule *rule)
{
    for (size_t i = 0; i < rc_code_count(); i++) {
        if (!rc_code_set_has(&rule->codes, rc_code_at(i)->code))
            continue;
        push(buf, " ");
        push(buf, rc_code_at(i)->name);
    }
}
