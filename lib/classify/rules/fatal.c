/* Checks that a user's rules file does not make a fatal (not retryable) failure retryable. Such a
 * file may only make retryable failures fatal. Called by parse.c. */
#include "base/str.h"
#include "classify/rules/parts.h"

#include <recourse/taxonomy.h>

static bool is_typed_code(rc_fact fact)
{
    return fact >= RC_FACT_CODE_BASE && fact < RC_FACT_PROVIDER_BASE;
}

/* Reduces a built-in rule to its typed (machine-readable) codes: the result has the facts of the
 * form code:NAME of each condition that is not negated, and the negated conditions. Returns false
 * if a condition that is not negated has no such fact. `terms` has RC_RULE_TERMS_MAX +
 * RC_RULE_CLAUSES_MAX elements and becomes the memory of the result. */
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

/* Finds a built-in rule, from index `from` on, that decides a typed code as fatal and that `rule`
 * would override with a retryable code. Returns NULL if no such rule exists. */
static const rc_rule *find_revived(const rc_rules_parser *parser, const rc_rule *rule, size_t from)
{
    rc_fact terms[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX];
    bool is_decided = false; /* A retryable built-in rule before the found one already matches all
                                failures that `rule` matches. */
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

static bool holds(const rc_rule *rule, const rc_facts *facts)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        bool is_any = false;
        for (size_t k = 0; k < clause.count && !is_any; k++)
            is_any = rc_facts_has(facts, clause.facts[k]);
        if (is_any == clause.is_not)
            return false;
    }
    return true;
}

/* Sets a fact and the facts that follow from it: status:N also sets the fact of its class,
 * hint:long also sets hint:any. */
static void assume(rc_facts *facts, rc_fact fact)
{
    if (fact >= RC_FACT_STATUS_BASE && fact < RC_FACT_INNER_BASE)
        rc_facts_set_status(facts, fact - RC_FACT_STATUS_BASE + RC_STATUS_FACT_MIN);
    else if (fact >= RC_FACT_INNER_BASE && fact < RC_FACT_LITERAL_BASE)
        rc_facts_set_inner(facts, fact - RC_FACT_INNER_BASE + RC_STATUS_FACT_MIN);
    else
        rc_facts_set(facts, fact);
    if (fact == RC_FACT_HINT_LONG)
        rc_facts_set(facts, RC_FACT_HINT_ANY);
}

/* Sets the concepts that an error_code literal stands for. Returns false if the meaning of the
 * literal is not known. */
static bool assume_code(rc_facts *facts, const rc_literal *literal)
{
    for (size_t i = 0; i < 2; i++)
        facts->bits[RC_FACT_CODE_BASE / 64 + i] |= literal->codes[i];
    return (literal->codes[0] | literal->codes[1]) != 0;
}

static bool has_status(const rc_facts *facts)
{
    for (unsigned fact = RC_FACT_STATUS_2XX; fact <= RC_FACT_STATUS_5XX; fact++) {
        if (rc_facts_has(facts, fact))
            return true;
    }
    return false;
}

/* Builds the smallest set of facts that meets the rule: fact `k` of condition `chosen`, and the
 * first fact of every other condition. Returns false if the rule needs a literal without a known
 * meaning, because only the user knows which failures such a rule matches. */
static bool least_evidence(const rc_rules *rules, const rc_rule *rule, size_t chosen, size_t k,
                           rc_facts *ret_facts)
{
    *ret_facts = (rc_facts){{0}};
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        if (clause.is_not)
            continue;
        rc_fact fact = clause.facts[i == chosen && k < clause.count ? k : 0];
        if (fact < RC_FACT_LITERAL_BASE)
            assume(ret_facts, fact);
        else if (!assume_code(ret_facts, &rules->literals[fact - RC_FACT_LITERAL_BASE]))
            return false;
    }
    if (!rc_facts_has(ret_facts, RC_FACT_REPLAY_NO))
        rc_facts_set(ret_facts, RC_FACT_REPLAY_YES);
    if (!has_status(ret_facts))
        rc_facts_set(ret_facts, RC_FACT_STATUS_NONE);
    return true;
}

/* Returns the first built-in rule that matches these facts, if that rule is fatal; otherwise NULL.
 * NULL also if the matching rule is before index `from`, because it then also precedes the user's
 * rule, which is never reached for these facts. */
static const rc_rule *find_fatal(const rc_rule_set *builtin, size_t from, const rc_facts *facts)
{
    for (size_t i = 0; i < builtin->count; i++) {
        const rc_rule *rule = &builtin->rules[i];
        if (!holds(rule, facts))
            continue;
        bool is_fatal = !rc_rule_is_retryable(rule) && rule->code != RC_CODE_UNCLASSIFIED;
        return is_fatal && i >= from ? rule : NULL;
    }
    return NULL;
}

/* Finds a fatal built-in rule that matches a failure with only the facts that `rule` requires; NULL
 * if no such rule exists. */
static const rc_rule *find_overruled(const rc_rules_parser *parser, const rc_rule *rule,
                                     size_t from)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        for (size_t k = 0; k < clause.count && !clause.is_not; k++) {
            rc_facts facts;
            if (!least_evidence(parser->rules, rule, i, k, &facts))
                return NULL;
            const rc_rule *fatal = find_fatal(parser->builtin, from, &facts);
            if (fatal != NULL)
                return fatal;
        }
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
                            rc_rules_excerpt(rule->id), RC_STR(" is fatal ("), code_name(replaced),
                            RC_STR("); it cannot become "), code_name(rule),
                            RC_STR(", which is retried; choose a code that is not"));
            return;
        }
    }
    const rc_rule *revived = find_revived(parser, rule, from);
    if (revived) {
        RC_RULES_REFUSE(parser, RC_E_RANGE, node->then_from,
                        RC_STR("a typed code that is fatal (rule "), rc_rules_excerpt(revived->id),
                        RC_STR(", "), code_name(revived), RC_STR(") would become "),
                        code_name(rule), RC_STR(", which is retried; choose a code that is not"));
        return;
    }
    const rc_rule *overruled = find_overruled(parser, rule, from);
    if (overruled)
        RC_RULES_REFUSE(parser, RC_E_RANGE, node->then_from,
                        RC_STR("it matches failures that are fatal (rule "),
                        rc_rules_excerpt(overruled->id), RC_STR(", "), code_name(overruled),
                        RC_STR(") and would be retried; add a more specific condition with text:, "
                               "error_code: or header:"));
}

void rc_rules_check_fatal(rc_rules_parser *parser)
{
    for (const rc_rule_node *node = parser->first; node && parser->status == RC_OK;
         node = node->next)
        check_rule(parser, node);
}
