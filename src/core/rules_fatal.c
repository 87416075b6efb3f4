/* A rules file may narrow what is retried and never revive what is fatal. */
#include "base/str.h"
#include "core/rules_parts.h"

#include <recourse/taxonomy.h>

static bool is_typed_code(rc_fact fact)
{
    return fact >= RC_FACT_CODE_BASE && fact < RC_FACT_PROVIDER_BASE;
}

/* The part of a built-in rule that typed codes decide: of each condition the code: facts. False:
 * there is a condition that no typed code can meet. terms: RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX.
 */
static bool typed_part(const rc_rule *rule, rc_fact *terms, rc_rule *ret_part)
{
    const rc_fact *cursor = rule->terms;
    size_t len = 0;
    bool has_code = false;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        size_t head = len++;
        for (size_t k = 0; k < clause.count; k++) {
            if (clause.is_not || is_typed_code(clause.facts[k]))
                terms[len++] = clause.facts[k];
        }
        size_t count = len - head - 1;
        if (count == 0)
            return false;
        has_code |= !clause.is_not;
        terms[head] = (rc_fact)(count | (clause.is_not ? RC_CLAUSE_NOT : 0));
    }
    *ret_part = *rule;
    ret_part->terms = terms;
    return has_code;
}

/* The built-in rule, from `from` on, whose fatal typed code the rule would make retryable. */
static const rc_rule *find_revived(const rc_rules_parser *parser, const rc_rule *rule, size_t from)
{
    rc_fact terms[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX];
    bool is_decided = false; /* a retryable built-in rule takes all that this one does */
    for (size_t i = from; i < parser->builtin->count; i++) {
        const rc_rule *builtin = &parser->builtin->rules[i];
        if (rc_rule_is_retryable(builtin)) {
            is_decided |= rc_rule_is_within(rule, builtin, parser->rules, true);
            continue;
        }
        rc_rule typed;
        if (!typed_part(builtin, terms, &typed))
            continue;
        if (!is_decided && rc_rule_is_within(rule, &typed, parser->rules, true))
            return builtin;
        if (rc_rule_is_within(&typed, rule, parser->rules, true))
            return builtin;
    }
    return NULL;
}

static rc_str code_name(const rc_rule *rule)
{
    return rc_str_c(rc_code_name(rule->code));
}

static void check_rule(rc_rules_parser *parser, const rc_rule_node *node)
{
    const rc_rule *rule = &node->rule;
    const rc_code_info *code = rc_code_get(rule->code);
    if (rc_category_is_retryable(rule->category) && !code->is_retryable) {
        RC_RULES_REFUSE(parser, RC_E_RANGE, node->then_from, rc_str_c(code->name),
                        RC_STR(" is fatal and cannot be made transient; leave the category out or "
                               "choose another code"));
        return;
    }
    if (!parser->builtin || !rc_rule_is_retryable(rule))
        return;

    size_t from = 0;
    if (node->builtin != RC_STR_NPOS) {
        from = node->builtin;
        const rc_rule *replaced = &parser->builtin->rules[from];
        if (!rc_rule_is_retryable(replaced)) {
            RC_RULES_REFUSE(parser, RC_E_RANGE, node->then_from, RC_STR("the built-in rule "),
                            rc_rules_shown(rule->id), RC_STR(" is fatal ("), code_name(replaced),
                            RC_STR("); it cannot become "), code_name(rule),
                            RC_STR(", which is retried; choose a code that is not"));
            return;
        }
    }
    const rc_rule *revived = find_revived(parser, rule, from);
    if (revived)
        RC_RULES_REFUSE(parser, RC_E_RANGE, node->then_from,
                        RC_STR("a typed code that is fatal (rule "), rc_rules_shown(revived->id),
                        RC_STR(", "), code_name(revived), RC_STR(") would become "),
                        code_name(rule), RC_STR(", which is retried; choose a code that is not"));
}

void rc_rules_check_fatal(rc_rules_parser *parser)
{
    for (const rc_rule_node *node = parser->first; node && parser->status == RC_OK;
         node = node->next)
        check_rule(parser, node);
}
