/* Decides whether a rule matches by reading its conditions one by one, for comparison with the
 * library's faster matcher. */
#ifndef RC_TEST_RULE_ORACLE_H
#define RC_TEST_RULE_ORACLE_H

#include "classify/rules/rule.h"

static inline bool rule_oracle_holds(const rc_rule *rule, const rc_facts *facts)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        bool has = false;
        for (size_t k = 0; k < clause.count; k++)
            has |= rc_facts_has(facts, clause.facts[k]);
        if (has == clause.is_not)
            return false;
    }
    return true;
}

#endif
