/* Reads retry policies from YAML. Called by read_route.c and the simulator's scenarios. */
#include "config/policy.h"

#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "config/keys.h"

#define ATTEMPTS_MAX 1000
#define DAY_MS UINT64_C(86400000)
#define FACTOR_MAX_MILLI 1000000

/* Returns the value of a key in `map`. In the file, a key that ends in _ms may lack this suffix. */
static const rc_yaml_node *get(const rc_yaml_node *map, const char *key)
{
    const rc_str name = rc_str_c(key);
    return rc_str_ends_with(name, RC_STR("_ms")) ? rc_yaml_get_time(map, name)
                                                 : rc_yaml_get(map, name);
}

static const char *preset_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    const rc_policy *preset = rc_policy_at(index);
    return preset != NULL ? preset->name : NULL;
}

static const char *name_or_null(const char *name)
{
    return name[0] != '\0' ? name : NULL;
}

static const char *backoff_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return name_or_null(rc_backoff_name((rc_backoff)(index + 1)));
}

static const char *hint_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return name_or_null(rc_hint_use_name((rc_hint_use)(index + 1)));
}

static const char *code_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    const rc_code_info *info = rc_code_at(index);
    return info != NULL ? info->name : NULL;
}

rc_policy rc_policy_plain(void)
{
    rc_policy plain = *rc_policy_preset(RC_STR("transport"));
    plain.is_patient = false; /* its number of attempts is what the documentation states */
    plain.rule_count = 0;
    return plain;
}

/* ---- codes ---- */

static bool read_code(const rc_yaml_node *node, rc_config_faults *faults, rc_code *ret_code)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return false;
    rc_code code = rc_code_parse(node->text);
    if (rc_code_get(code) != NULL) {
        *ret_code = code;
        return true;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "there is no code ");
    rc_config_fault_append_quoted(fault, node->text);
    rc_config_fault_suggest(fault, node->text, code_name_at, NULL);
    return false;
}

static void refuse_fatal(const rc_yaml_node *node, const rc_code_info *info,
                         rc_config_faults *faults)
{
    if (info->is_retryable)
        return;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, info->name);
    rc_config_fault_append(fault, " is fatal");
    if (info->category != RC_CATEGORY_NONE) {
        rc_config_fault_append(fault, " (");
        rc_config_fault_append(fault, rc_category_name(info->category));
        rc_config_fault_append(fault, ")");
    }
    rc_config_fault_append(
        fault, ": the same call would fail again; a policy can only exclude codes from retries");
}

void rc_policy_read_codes(const rc_yaml_node *list, rc_config_faults *faults,
                          void (*check)(const rc_yaml_node *node, const rc_code_info *info,
                                        rc_config_faults *faults),
                          rc_code_set *set)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, faults))
        return;
    if (list->count == 0)
        rc_config_fault_append(rc_yaml_fault(faults, list), "an empty list of codes");
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        rc_code code;
        if (!read_code(item, faults, &code))
            continue;
        if (check != NULL)
            check(item, rc_code_get(code), faults);
        rc_code_set_add(set, code);
    }
}

/* Returns the codes that are in `all` and not in `less`. */
static rc_code_set without(const rc_code_set *all, const rc_code_set *less)
{
    rc_code_set difference = {{0}};
    for (size_t i = 0; i < rc_code_count(); i++) {
        rc_code code = rc_code_at(i)->code;
        if (rc_code_set_has(all, code) && !rc_code_set_has(less, code))
            rc_code_set_add(&difference, code);
    }
    return difference;
}

static void refuse_codes_in_both(const rc_yaml_node *never, const rc_code_set *on,
                                 rc_config_faults *faults)
{
    for (const rc_yaml_node *item = never->first; item != NULL; item = item->next) {
        if (!rc_code_set_has(on, rc_code_parse(item->text)))
            continue;
        rc_config_fault *fault = rc_yaml_fault(faults, item);
        rc_config_fault_append_quoted(fault, item->text);
        rc_config_fault_append(fault, " is in retry_on, too");
    }
}

static void read_code_keys(const rc_yaml_node *node, rc_config_faults *faults, rc_policy *policy)
{
    const rc_yaml_node *on = get(node, "retry_on");
    const rc_yaml_node *never = get(node, "never_retry_on");
    if (on != NULL) {
        policy->retry_on = (rc_code_set){{0}};
        rc_policy_read_codes(on, faults, refuse_fatal, &policy->retry_on);
        /* A code in retry_on is removed from the preset's never_retry_on. */
        policy->never_retry_on = without(&policy->never_retry_on, &policy->retry_on);
    }
    if (never != NULL) {
        rc_policy_read_codes(never, faults, NULL, &policy->never_retry_on);
        if (on != NULL && never->kind == RC_YAML_LIST)
            refuse_codes_in_both(never, &policy->retry_on, faults);
    }
}

/* ---- attempts and waits ---- */

static void read_u32(const rc_yaml_node *map, const char *key, uint64_t min, uint64_t max,
                     rc_config_faults *faults, uint32_t *value)
{
    const rc_yaml_node *node = get(map, key);
    uint64_t number;
    if (node != NULL && rc_yaml_u64(node, min, max, faults, &number))
        *value = (uint32_t)number;
}

static void read_ms(const rc_yaml_node *map, const char *key, uint64_t min,
                    rc_config_faults *faults, uint64_t *value)
{
    const rc_yaml_node *node = get(map, key);
    if (node != NULL)
        rc_yaml_time_ms(node, min, DAY_MS, faults, value);
}

static void read_schedule(const rc_yaml_node *map, rc_config_faults *faults, rc_retry_rule *rule)
{
    const rc_yaml_node *list = get(map, "schedule_ms");
    if (list == NULL || !rc_yaml_expect(list, RC_YAML_LIST, faults))
        return;
    if (list->count == 0 || list->count > RC_SCHEDULE_MAX) {
        rc_config_fault_append(rc_yaml_fault(faults, list), "a schedule has 1 to 16 waits");
        return;
    }
    rule->schedule_count = 0;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        uint64_t wait_ms = 0;
        rc_yaml_time_ms(item, 0, DAY_MS, faults, &wait_ms);
        rule->schedule_ms[rule->schedule_count++] = (uint32_t)wait_ms;
    }
    if (get(map, "backoff") == NULL)
        rule->backoff = RC_BACKOFF_SCHEDULE;
    else if (rule->backoff != RC_BACKOFF_SCHEDULE)
        rc_config_fault_append(rc_yaml_fault_at_key(faults, list),
                               "schedule_ms requires backoff: schedule");
}

static void read_jitter(const rc_yaml_node *node, rc_config_faults *faults, rc_retry_rule *rule)
{
    if (!rc_yaml_expect(node, RC_YAML_SCALAR, faults))
        return;
    rc_jitter jitter = rc_jitter_parse(node->text);
    if (jitter == RC_JITTER_PERCENT)
        jitter = (rc_jitter)0; /* The value "percent" is not accepted, because a number already
                                * selects that kind of jitter. */
    uint64_t percent = 0;
    if (rc_ascii_is_digit(node->text.len > 0 ? node->text.ptr[0] : 'x')) {
        if (!rc_yaml_u64(node, 0, 100, faults, &percent))
            return;
        jitter = percent > 0 ? RC_JITTER_PERCENT : RC_JITTER_NONE;
    }
    if (jitter == (rc_jitter)0) {
        rc_config_fault *fault = rc_yaml_fault(faults, node);
        rc_config_fault_append(fault, "none, full, decorrelated or a percentage is expected, not ");
        rc_config_fault_append_quoted(fault, node->text);
        return;
    }
    rule->jitter = jitter;
    rule->jitter_pct = (uint32_t)percent;
}

static void read_max_delay(const rc_yaml_node *node, rc_config_faults *faults, rc_retry_rule *rule)
{
    int64_t delay_ms;
    uint64_t time_ms;
    /* A duration cannot be negative, but a plain number can. Zero or less means no limit. */
    if (node->kind == RC_YAML_SCALAR && node->text.len > 0 && node->text.ptr[0] != '-') {
        if (rc_yaml_time_ms(node, 0, DAY_MS, faults, &time_ms))
            rule->max_delay_ms = time_ms > 0 ? time_ms : RC_UNLIMITED;
        return;
    }
    if (rc_yaml_i64(node, INT64_MIN, (int64_t)DAY_MS, faults, &delay_ms))
        rule->max_delay_ms = delay_ms > 0 ? (uint64_t)delay_ms : RC_UNLIMITED;
}

static void read_rule(const rc_yaml_node *map, rc_config_faults *faults, rc_retry_rule *rule)
{
    size_t index;
    uint64_t factor_milli;
    const rc_yaml_node *backoff = get(map, "backoff");
    const rc_yaml_node *factor = get(map, "factor");
    const rc_yaml_node *max_delay = get(map, "max_delay_ms");
    const rc_yaml_node *jitter = get(map, "jitter");

    read_u32(map, "max_attempts", 1, ATTEMPTS_MAX, faults, &rule->max_attempts);
    read_ms(map, "base_ms", 0, faults, &rule->base_ms);
    if (backoff != NULL && rc_yaml_choice(backoff, backoff_name_at, NULL, faults, &index))
        rule->backoff = (rc_backoff)(index + 1);
    read_schedule(map, faults, rule);
    if (factor != NULL && rc_yaml_decimal(factor, 3, 1000, FACTOR_MAX_MILLI, faults, &factor_milli))
        rule->factor_milli = (uint32_t)factor_milli;
    if (max_delay != NULL)
        read_max_delay(max_delay, faults, rule);
    if (jitter != NULL)
        read_jitter(jitter, faults, rule);
}

static bool has_any(const rc_yaml_node *map, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (get(map, names[i]) != NULL)
            return true;
    return false;
}

/* Reads the policy's keys for attempts and waits, which apply to all codes. The preset's rules for
 * single codes have their own waits; if the policy sets the shape of waits, these rules are
 * removed. */
static void read_default_rule(const rc_yaml_node *node, rc_config_faults *faults, rc_policy *policy)
{
    static const char *const shape[] = {"backoff", "schedule_ms", "base_ms", "factor"};
    const rc_retry_rule *defaults = &policy->default_rule;
    read_rule(node, faults, &policy->default_rule);
    if (has_any(node, shape, sizeof(shape) / sizeof(shape[0])))
        policy->rule_count = 0;
    if (get(node, "max_attempts") != NULL)
        policy->is_patient = false;
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        rc_retry_rule *rule = &policy->rules[i];
        if (get(node, "max_attempts") != NULL)
            rule->max_attempts = defaults->max_attempts;
        if (get(node, "max_delay_ms") != NULL)
            rule->max_delay_ms = defaults->max_delay_ms;
        if (get(node, "jitter") != NULL) {
            rule->jitter = defaults->jitter;
            rule->jitter_pct = defaults->jitter_pct;
        }
    }
}

/* ---- a max_delay_ms that is shorter than an inherited wait ---- */

/* Returns the first wait of a rule, or the longest wait of a schedule. */
static uint64_t longest_first_ms(const rc_retry_rule *rule)
{
    if (rule->backoff != RC_BACKOFF_SCHEDULE)
        return rule->base_ms;
    uint64_t longest_ms = 0;
    for (uint32_t i = 0; i < rule->schedule_count; i++)
        if (rule->schedule_ms[i] > longest_ms)
            longest_ms = rule->schedule_ms[i];
    return longest_ms;
}

/* Adds a fault if max_delay_ms in `map` is shorter than a wait of `rule`, which comes from the
 * preset. The message ends with "shorter than the wait of 30000 ms that ", and the caller appends
 * the origin of the wait. Returns NULL if there is no fault, because max_delay_ms is high enough or
 * `map` sets its own waits. */
static rc_config_fault *refuse_low_cap(const rc_yaml_node *map, const rc_retry_rule *rule,
                                       rc_config_faults *faults)
{
    static const char *const own[] = {"base_ms", "schedule_ms"};
    const rc_yaml_node *cap = get(map, "max_delay_ms");
    if (cap == NULL || has_any(map, own, sizeof(own) / sizeof(own[0])) ||
        longest_first_ms(rule) <= rule->max_delay_ms)
        return NULL;
    rc_config_fault *fault = rc_yaml_fault(faults, cap);
    rc_config_fault_append(fault, "shorter than the wait of ");
    rc_config_fault_append_u64(fault, longest_first_ms(rule));
    return rc_config_fault_append(fault, " ms that ");
}

static void append_remedy(rc_config_fault *fault, const rc_retry_rule *rule)
{
    rc_config_fault_append(fault, "; write base_ms too, or a max_delay_ms of at least ");
    rc_config_fault_append_u64(fault, longest_first_ms(rule));
}

static const char *first_code(const rc_retry_rule *rule)
{
    for (size_t i = 0; i < rc_code_count(); i++)
        if (rc_code_set_has(&rule->codes, rc_code_at(i)->code))
            return rc_code_at(i)->name;
    return "some codes";
}

/* Checks max_delay_ms against the waits of the policy's preset. `preset` is the name of the preset,
 * or NULL for the plain policy (rc_policy_plain). */
static void check_cap(const rc_yaml_node *node, const char *preset, rc_config_faults *faults,
                      const rc_policy *policy)
{
    const rc_retry_rule *rule = &policy->default_rule;
    /* The rules of a policy replace those of its preset. If the policy has rules, only the preset's
     * default rule is checked. */
    for (uint32_t i = 0; get(node, "rules") == NULL && i < policy->rule_count; i++)
        if (longest_first_ms(&policy->rules[i]) > longest_first_ms(rule))
            rule = &policy->rules[i];
    rc_config_fault *fault = refuse_low_cap(node, rule, faults);
    if (fault == NULL)
        return;
    rc_config_fault_append(fault, preset != NULL ? "the preset " : "is the default");
    rc_config_fault_append(fault, preset != NULL ? preset : "");
    rc_config_fault_append(fault, preset != NULL ? " has" : "");
    if (rule != &policy->default_rule) {
        rc_config_fault_append(fault, " for ");
        rc_config_fault_append(fault, first_code(rule));
    }
    append_remedy(fault, rule);
}

static void read_rules(const rc_yaml_node *list, rc_config_faults *faults, rc_policy *policy)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, faults))
        return;
    if (list->count > RC_POLICY_RULES_MAX) {
        rc_config_fault_append(rc_yaml_fault(faults, list), "a policy can have at most 4 rules");
        return;
    }
    policy->rule_count = 0;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        rc_retry_rule *rule = &policy->rules[policy->rule_count++];
        *rule = policy->default_rule;
        rule->codes = (rc_code_set){{0}};
        if (!rc_config_check_keys(RC_SECTION_rule, item, faults))
            continue;
        const rc_yaml_node *codes = get(item, "codes");
        if (codes != NULL)
            rc_policy_read_codes(codes, faults, refuse_fatal, &rule->codes);
        else
            rc_config_fault_append(rc_yaml_fault(faults, item),
                                   "codes is missing: the codes that the rule applies to");
        read_rule(item, faults, rule);
        rc_config_fault *fault = refuse_low_cap(item, rule, faults);
        if (fault != NULL)
            append_remedy(rc_config_fault_append(fault, "the rule inherits from its policy"), rule);
    }
}

/* ---- policies ---- */

static void read_flag(const rc_yaml_node *map, const char *key, rc_config_faults *faults,
                      bool *value)
{
    const rc_yaml_node *node = get(map, key);
    if (node != NULL)
        rc_yaml_bool(node, faults, value);
}

static void read_bounds(const rc_yaml_node *node, rc_config_faults *faults, rc_policy *policy)
{
    size_t index;
    const rc_yaml_node *hint = get(node, "hint");
    read_flag(node, "enabled", faults, &policy->enabled);
    read_flag(node, "retry_exhausted", faults, &policy->retry_exhausted);
    if (hint != NULL && rc_yaml_choice(hint, hint_name_at, NULL, faults, &index))
        policy->hint = (rc_hint_use)(index + 1);
    read_u32(node, "max_calls", 1, ATTEMPTS_MAX, faults, &policy->max_calls);
    read_ms(node, "budget_ms", 1, faults, &policy->budget_ms);
    read_ms(node, "min_remaining_ms", 0, faults, &policy->min_remaining_ms);
}

static bool set_name(const rc_yaml_node *node, rc_str name, rc_config_faults *faults,
                     rc_policy *policy)
{
    const char *wrong = NULL;
    if (rc_policy_preset(name) != NULL)
        wrong = "a preset has this name; choose another one";
    else if (name.len == 0 || name.len >= RC_POLICY_NAME_MAX)
        wrong = "a policy's name has 1 to 31 bytes";
    if (wrong != NULL) {
        rc_config_fault_append(rc_yaml_fault_at_key(faults, node), wrong);
        return false;
    }
    memset(policy->name, 0, sizeof(policy->name));
    memcpy(policy->name, name.ptr, name.len);
    return true;
}

/* Adds the fault at the key that the message `wrong` names, or at the policy if the policy lacks
 * that key. */
static void refuse_policy(const rc_yaml_node *node, const char *wrong, rc_config_faults *faults)
{
    for (const rc_yaml_node *child = node->first; child != NULL; child = child->next) {
        if (rc_str_find(rc_str_c(wrong), child->key, 0) != RC_STR_NPOS) {
            rc_config_fault_append(rc_yaml_fault(faults, child), wrong);
            return;
        }
    }
    rc_config_fault_append(rc_yaml_fault_at_key(faults, node), wrong);
}

bool rc_policy_read(const rc_yaml_node *node, rc_str name, rc_config_faults *faults,
                    rc_policy *ret_policy)
{
    size_t before = faults->count;
    size_t index;
    rc_policy policy = rc_policy_plain();
    if (!rc_config_check_keys(RC_SECTION_policy, node, faults) && node->kind != RC_YAML_MAP)
        return false;
    const rc_yaml_node *preset = get(node, "preset");
    const rc_yaml_node *rules = get(node, "rules");
    if (preset != NULL && rc_yaml_choice(preset, preset_name_at, NULL, faults, &index))
        policy = *rc_policy_at(index);
    set_name(node, name, faults, &policy);
    read_bounds(node, faults, &policy);
    const char *start = preset != NULL ? preset->text.ptr : NULL;
    read_default_rule(node, faults, &policy);
    check_cap(node, start, faults, &policy);
    read_code_keys(node, faults, &policy);
    if (rules != NULL)
        read_rules(rules, faults, &policy);
    if (faults->count > before)
        return false;
    const char *wrong = rc_policy_check(&policy);
    if (wrong != NULL) {
        refuse_policy(node, wrong, faults);
        return false;
    }
    *ret_policy = policy;
    return true;
}
