/* Policy check: returns the first error of a policy. Called by the configuration loader and the
 * simulator, which show the error beside a line of YAML, so the messages use the YAML keys. */
#include <recourse/policy.h>

#include <recourse/taxonomy.h>

#include "policy/code_set.h"

static const char *check_name(const char name[RC_POLICY_NAME_MAX])
{
    if (name[0] == '\0')
        return "the policy has no name";
    if (memchr(name, '\0', RC_POLICY_NAME_MAX) == NULL)
        return "the policy's name is longer than 31 bytes";
    return NULL;
}

static const char *check_schedule(const rc_retry_rule *rule)
{
    if (rule->schedule_count == 0)
        return "backoff: schedule needs at least one wait";
    if (rule->schedule_count > RC_SCHEDULE_MAX)
        return "a schedule has at most 16 waits";
    for (uint32_t i = 0; i < rule->schedule_count; i++)
        if (rule->schedule_ms[i] > rule->max_delay_ms)
            return "a wait of the schedule is longer than max_delay_ms";
    if (rule->jitter == RC_JITTER_DECORRELATED)
        return "jitter: decorrelated cannot be combined with a schedule";
    return NULL;
}

static const char *check_backoff(const rc_retry_rule *rule)
{
    switch (rule->backoff) {
    case RC_BACKOFF_SCHEDULE:
        return check_schedule(rule);
    case RC_BACKOFF_EXPONENTIAL:
        if (rule->factor_milli < 1000)
            return "factor is below 1, so waits would become shorter";
        break;
    case RC_BACKOFF_FIXED:
    case RC_BACKOFF_LINEAR:
        break;
    default:
        return "backoff must be fixed, linear, exponential or schedule";
    }
    if (rule->base_ms > rule->max_delay_ms)
        return "base_ms is longer than max_delay_ms";
    return NULL;
}

static const char *check_jitter(const rc_retry_rule *rule)
{
    if (rc_jitter_name(rule->jitter)[0] == '\0')
        return "jitter must be none, percent, full or decorrelated";
    if (rule->jitter_pct > 100)
        return "jitter is more than 100 percent";
    return NULL;
}

static const char *check_rule(const rc_retry_rule *rule)
{
    if (rule->max_attempts == 0)
        return "max_attempts is 0, but the first attempt counts, so the minimum is 1";
    const char *wrong = check_jitter(rule);
    return wrong != NULL ? wrong : check_backoff(rule);
}

static const char *check_rules(const rc_policy *policy)
{
    if (policy->rule_count > RC_POLICY_RULES_MAX)
        return "a policy can have at most 4 rules";
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        const rc_retry_rule *rule = &policy->rules[i];
        if (rc_code_set_is_empty(&rule->codes))
            return "a rule names no code";
        if (rc_code_set_has_unknown(&rule->codes))
            return "a rule names a code that does not exist";
        const char *wrong = check_rule(rule);
        if (wrong != NULL)
            return wrong;
    }
    return check_rule(&policy->default_rule);
}

static const char *check_codes(const rc_policy *policy)
{
    if (rc_code_set_has_unknown(&policy->retry_on))
        return "retry_on names a code that does not exist";
    if (rc_code_set_has_unknown(&policy->never_retry_on))
        return "never_retry_on names a code that does not exist";
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        if (!info->is_retryable && rc_code_set_has(&policy->retry_on, info->code))
            return "retry_on names a fatal code: a policy can only exclude codes from retries";
    }
    return NULL;
}

static const char *check_bounds(const rc_policy *policy)
{
    if (rc_hint_use_name(policy->hint)[0] == '\0')
        return "hint must be exact or extend";
    if (policy->max_calls == 0)
        return "max_calls is 0, but the first attempt is a call, so the minimum is 1";
    if (policy->budget_ms == 0)
        return "budget_ms is 0, so no attempt would be possible";
    if (policy->min_remaining_ms >= policy->budget_ms)
        return "min_remaining_ms is not less than budget_ms, so no retry would be possible";
    return NULL;
}

const char *rc_policy_check(const rc_policy *policy)
{
    const char *wrong = check_name(policy->name);
    if (wrong == NULL)
        wrong = check_bounds(policy);
    if (wrong == NULL)
        wrong = check_codes(policy);
    return wrong != NULL ? wrong : check_rules(policy);
}
