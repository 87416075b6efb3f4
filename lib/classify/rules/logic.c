/* Conclusions about rules that hold for every failure, drawn from the conditions of the rules
 * alone. The result true is certain; the result false means that the conclusion could not be
 * proved. Called by check.c and fatal.c. */
#include "base/str.h"
#include "classify/rules/parts.h"

static const rc_literal *literal_of(const rc_literal *literals, rc_fact fact)
{
    return fact >= RC_FACT_LITERAL_BASE && literals ? &literals[fact - RC_FACT_LITERAL_BASE] : NULL;
}

static bool implies(const rc_literal *literals, rc_fact a, rc_fact b)
{
    const rc_literal *la = literal_of(literals, a);
    const rc_literal *lb = literal_of(literals, b);
    return la && lb ? rc_literal_implies(la, lb) : rc_fact_implies(a, b);
}

static bool excludes(const rc_literal *literals, rc_fact a, rc_fact b)
{
    const rc_literal *la = literal_of(literals, a);
    const rc_literal *lb = literal_of(literals, b);
    return la && lb ? rc_literal_excludes(la, lb) : rc_fact_excludes(a, b);
}

/* ---- contradictions ---- */

typedef struct conflict_search {
    const rc_literal *literals;
    rc_clause clauses[RC_RULE_CLAUSES_MAX];
    size_t count;
    const rc_fact *terms;
    bool is_dead[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX]; /* For each element of `terms`: the fact
                                                              cannot be true. */
} conflict_search;

static bool is_dead(const conflict_search *search, const rc_fact *fact)
{
    return search->is_dead[fact - search->terms];
}

/* Returns a fact of the condition that makes `fact` impossible; RC_FACT_NONE if no fact of the
 * condition does. */
static rc_fact denied_by(const conflict_search *search, rc_fact fact, const rc_clause *clause)
{
    rc_fact found = RC_FACT_NONE;
    for (size_t i = 0; i < clause->count; i++) {
        rc_fact other = clause->facts[i];
        if (clause->is_not) {
            if (implies(search->literals, fact, other))
                return other;
            continue;
        }
        if (is_dead(search, &clause->facts[i]))
            continue;
        if (!excludes(search->literals, fact, other))
            return RC_FACT_NONE;
        found = other;
    }
    return found;
}

/* Marks the facts of one condition that another condition makes impossible. If the function marks
 * any fact, it returns true, and *ret_conflict describes the last marked fact. *ret_is_empty is set
 * to true if every fact of the condition is impossible. */
static bool strike(conflict_search *search, size_t index, rc_rule_conflict *ret_conflict,
                   bool *ret_is_empty)
{
    const rc_clause *clause = &search->clauses[index];
    bool has_struck = false;
    bool has_living = false;
    for (size_t i = 0; i < clause->count; i++) {
        if (is_dead(search, &clause->facts[i]))
            continue;
        rc_fact other = RC_FACT_NONE;
        size_t by = 0;
        for (; by < search->count && other == RC_FACT_NONE; by++) {
            if (by != index)
                other = denied_by(search, clause->facts[i], &search->clauses[by]);
        }
        if (other == RC_FACT_NONE) {
            has_living = true;
            continue;
        }
        search->is_dead[&clause->facts[i] - search->terms] = true;
        has_struck = true;
        *ret_conflict = (rc_rule_conflict){.fact = clause->facts[i],
                                           .other = other,
                                           .is_negated = search->clauses[by - 1].is_not,
                                           .clause = index};
    }
    *ret_is_empty = !has_living;
    return has_struck;
}

bool rc_rule_find_conflict(const rc_rule *rule, const rc_literal *literals,
                           rc_rule_conflict *ret_conflict)
{
    conflict_search search = {
        .literals = literals, .count = rule->clause_count, .terms = rule->terms};
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < search.count; i++)
        search.clauses[i] = rc_clause_next(&cursor);

    bool has_struck = true;
    while (has_struck) {
        has_struck = false;
        for (size_t i = 0; i < search.count; i++) {
            bool is_empty = false;
            if (search.clauses[i].is_not)
                continue;
            has_struck |= strike(&search, i, ret_conflict, &is_empty);
            if (is_empty)
                return true;
        }
    }
    return false;
}

/* ---- containment of rules ---- */

/* Returns whether the error_code literal stands for one of the facts of the form code:NAME in the
 * set. */
static bool means_code(const rc_literal *literal, const rc_facts *set)
{
    return (literal->codes[0] & set->bits[RC_FACT_CODE_BASE / 64]) != 0 ||
           (literal->codes[1] & set->bits[RC_FACT_CODE_BASE / 64 + 1]) != 0;
}

typedef struct target {
    rc_clause clause;
    rc_facts set; /* the facts of `clause`, and all facts that imply a fact of `clause` */
    const rc_literal *literals;
    bool with_codes;
} target;

static bool leads_to(rc_fact fact, const target *to)
{
    if (rc_facts_has(&to->set, fact))
        return true;
    const rc_literal *literal = literal_of(to->literals, fact);
    if (!literal)
        return false;
    if (to->with_codes && means_code(literal, &to->set))
        return true;
    for (size_t i = 0; i < to->clause.count; i++) {
        const rc_literal *other = literal_of(to->literals, to->clause.facts[i]);
        if (other && rc_literal_implies(literal, other))
            return true;
    }
    return false;
}

static bool all_lead_to(const rc_clause *clause, const target *to)
{
    for (size_t i = 0; i < clause->count; i++) {
        if (!leads_to(clause->facts[i], to))
            return false;
    }
    return true;
}

/* Returns whether at least one fact of `wanted` is true whenever the rule matches. */
static bool ensures(const rc_rule *rule, const rc_clause *wanted, const rc_rules *rules,
                    bool with_codes)
{
    target to = {.clause = *wanted, .literals = rules->literals, .with_codes = with_codes};
    for (size_t i = 0; i < wanted->count; i++)
        rc_facts_set(&to.set, wanted->facts[i]);
    rc_facts_add_implying(&to.set);

    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        if (!clause.is_not && all_lead_to(&clause, &to))
            return true;
    }
    return false;
}

/* Returns whether a failure that meets the condition cannot have the fact. */
static bool rules_out(const rc_clause *clause, rc_fact fact, const rc_literal *literals)
{
    for (size_t i = 0; i < clause->count; i++) {
        if (clause->is_not && implies(literals, fact, clause->facts[i]))
            return true;
        if (!clause->is_not && !excludes(literals, fact, clause->facts[i]))
            return false;
    }
    return !clause->is_not;
}

/* Returns true if the fact is false whenever the rule matches. */
static bool prevents(const rc_rule *rule, rc_fact fact, const rc_literal *literals)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        if (rules_out(&clause, fact, literals))
            return true;
    }
    return false;
}

bool rc_rule_is_within(const rc_rule *narrow, const rc_rule *wide, const rc_rules *rules,
                       bool with_codes)
{
    const rc_fact *cursor = wide->terms;
    for (size_t i = 0; i < wide->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        if (!clause.is_not) {
            if (!ensures(narrow, &clause, rules, with_codes))
                return false;
            continue;
        }
        for (size_t k = 0; k < clause.count; k++) {
            if (!prevents(narrow, clause.facts[k], rules->literals))
                return false;
        }
    }
    return true;
}
