/* Implements recourse/rules.h, except rc_rules_free. Called by the CLI, the gateway's configuration
 * and library users. */
#include "classify/rules/parts.h"

rc_status rc_rules_parse(rc_str text, const rc_alloc *alloc, rc_rules **ret_rules,
                         rc_rules_fault *ret_fault)
{
    return rc_rules_read(text, &rc_rules_builtin, alloc, ret_rules, ret_fault);
}

size_t rc_rules_count(const rc_rules *rules)
{
    return rules ? rules->count : 0;
}

bool rc_rule_at(size_t index, rc_rule_info *ret_info)
{
    if (index >= rc_rules_builtin.count)
        return false;
    const rc_rule *rule = &rc_rules_builtin.rules[index];
    *ret_info = (rc_rule_info){.id = rule->id,
                               .code = rule->code,
                               .category = rc_rule_category(rule),
                               .when = rule->when,
                               .reason = rule->reason};
    return true;
}
