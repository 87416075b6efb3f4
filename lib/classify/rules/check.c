/* Checks for mistakes in rules: contradictory or repeated conditions, rules that are never reached.
 * Called by parse.c. */
#include "base/str.h"
#include "classify/rules/parts.h"

/* ---- one rule ---- */

static bool is_same_clause(const rc_clause *a, const rc_clause *b)
{
    return a->is_not == b->is_not && a->count == b->count &&
           memcmp(a->facts, b->facts, a->count * sizeof *a->facts) == 0;
}

static void refuse_repeated(rc_rules_parser *parser, size_t clause, rc_fact fact)
{
    rc_fact_label label;
    rc_fact_label_init(&label, parser->rules->literals, fact);
    RC_RULES_REFUSE(parser, RC_E_DUPLICATE, parser->clause_from[clause], label.view,
                    RC_STR(" appears twice; remove one of them"));
}

/* Reports a fact that occurs twice in a condition, or two equal conditions, as a fault. */
static void check_repeated(rc_rules_parser *parser, const rc_rule *rule)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        rc_facts seen = {{0}};
        for (size_t k = 0; k < clause.count; k++) {
            if (rc_facts_has(&seen, clause.facts[k]))
                refuse_repeated(parser, i, clause.facts[k]);
            rc_facts_set(&seen, clause.facts[k]);
        }
        const rc_fact *before = rule->terms;
        for (size_t k = 0; k < i; k++) {
            rc_clause earlier = rc_clause_next(&before);
            if (is_same_clause(&earlier, &clause))
                refuse_repeated(parser, i, clause.facts[0]);
        }
    }
}

void rc_rules_check_conditions(rc_rules_parser *parser, const rc_rule *rule)
{
    const rc_literal *literals = parser->rules->literals;
    check_repeated(parser, rule);
    rc_rule_conflict conflict = {0};
    if (!rc_rule_find_conflict(rule, literals, &conflict))
        return;
    rc_fact_label fact;
    rc_fact_label other;
    rc_fact_label_init(&fact, literals, conflict.fact);
    rc_fact_label_init(&other, literals, conflict.other);
    size_t from = parser->clause_from[conflict.clause];
    if (conflict.is_negated)
        RC_RULES_REFUSE(parser, RC_E_RANGE, from, RC_STR("the rule can never match: "), fact.view,
                        RC_STR(" is required together with not "), other.view,
                        RC_STR("; remove one of them"));
    else
        RC_RULES_REFUSE(parser, RC_E_RANGE, from, RC_STR("the rule can never match: "), fact.view,
                        RC_STR(" and "), other.view,
                        RC_STR(" are never true together; join them by or"));
}

/* ---- all rules ---- */

static const rc_rule_node *node_of(const rc_rules_parser *parser, rc_str id)
{
    for (const rc_rule_node *node = parser->first; node; node = node->next) {
        if (rc_str_eq(node->rule.id, id))
            return node;
    }
    return NULL;
}

/* Checks the order of the rules of the user's file. The check ignores built-in rules that are never
 * reached because of a rule in the file: to override built-in rules is the purpose of the file. */
void rc_rules_check_order(rc_rules_parser *parser)
{
    const rc_rule_set *order = &parser->rules->order;
    for (size_t i = 0; i < order->count; i++) {
        const rc_rule_node *node = node_of(parser, order->rules[i].id);
        for (size_t k = 0; node && k < i; k++) {
            const rc_rule *earlier = &order->rules[k];
            if (!rc_rule_is_within(&node->rule, earlier, parser->rules, false))
                continue;
            RC_RULES_REFUSE(parser, RC_E_RANGE, node->when_from, RC_STR("the rule "),
                            rc_rules_excerpt(node->rule.id), RC_STR(" is never reached: "),
                            rc_rules_excerpt(earlier->id),
                            RC_STR(" comes before it and matches the same failures; move this "
                                   "rule up or narrow the other"));
            return;
        }
    }
}
