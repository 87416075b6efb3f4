/* Policies: the presets of spec/policies.def and the lookup of the retry rule for an error code.
 * Called by call*.c, the configuration loader, the simulator and the CLI. */
#include <recourse/policy.h>

#include "policy/code_set.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const rc_policy presets[] = {
#define RC_RULE(CODES, attempts, BACKOFF, base, milli, max_delay, JITTER, pct)         \
    {                                                                                  \
        .codes = {CODES}, .max_attempts = (attempts), .backoff = RC_BACKOFF_##BACKOFF, \
        .jitter = RC_JITTER_##JITTER, .jitter_pct = (pct), .factor_milli = (milli),    \
        .base_ms = (base), .max_delay_ms = (max_delay),                                \
    }
#define RC_RULE_SCHEDULE(CODES, attempts, max_delay, JITTER, pct, count, ...)                 \
    {                                                                                         \
        .codes = {CODES}, .max_attempts = (attempts), .backoff = RC_BACKOFF_SCHEDULE,         \
        .jitter = RC_JITTER_##JITTER, .jitter_pct = (pct), .factor_milli = 1000,              \
        .max_delay_ms = (max_delay), .schedule_count = (count), .schedule_ms = {__VA_ARGS__}, \
    }
#define RC_POLICY(preset, is_enabled, retries_exhausted, patient, HINT, calls, budget, remaining, \
                  ON, NEVER, OTHERS, count, ...)                                                  \
    {                                                                                             \
        .name = preset,                                                                           \
        .enabled = (is_enabled),                                                                  \
        .retry_exhausted = (retries_exhausted),                                                   \
        .is_patient = (patient),                                                                  \
        .hint = RC_HINT_##HINT,                                                                   \
        .max_calls = (calls),                                                                     \
        .budget_ms = (budget),                                                                    \
        .min_remaining_ms = (remaining),                                                          \
        .retry_on = {ON},                                                                         \
        .never_retry_on = {NEVER},                                                                \
        .default_rule = OTHERS,                                                                   \
        .rules = {__VA_ARGS__},                                                                   \
        .rule_count = (count),                                                                    \
    },
#include "spec/policies.def"
};

const rc_policy *rc_policy_at(size_t index)
{
    return index < COUNT(presets) ? &presets[index] : NULL;
}

const rc_policy *rc_policy_preset(rc_str name)
{
    for (size_t i = 0; i < COUNT(presets); i++)
        if (rc_str_eq(name, rc_str_c(presets[i].name)))
            return &presets[i];
    return NULL;
}

const rc_retry_rule *rc_policy_rule(const rc_policy *policy, rc_code code)
{
    for (uint32_t i = 0; i < policy->rule_count && i < RC_POLICY_RULES_MAX; i++)
        if (rc_code_set_has(&policy->rules[i].codes, code))
            return &policy->rules[i];
    return &policy->default_rule;
}
