/* Properties of one rule: prefilter (the quick check before matching), category, retryability.
 * Called by classify.c, parse.c, fatal.c, rules.c and gen_rules. */
#include "classify/rules/rule.h"

#include <recourse/taxonomy.h>

_Static_assert(RC_FACT_SAYS_BASE == 2 * 64 && RC_FACT_CODE_BASE == 4 * 64 &&
                   RC_FACT_PROVIDER_BASE == 6 * 64,
               "says: and code: have two whole words each");

static bool is_concept(rc_fact fact)
{
    return fact >= RC_FACT_SAYS_BASE && fact < RC_FACT_PROVIDER_BASE;
}

static rc_fact_digest digest_of(const rc_clause *clause)
{
    rc_fact_digest digest = {0, 0};
    for (size_t i = 0; i < clause->count; i++) {
        uint64_t bit = UINT64_C(1) << (clause->facts[i] % 64);
        if (is_concept(clause->facts[i]))
            digest.concepts |= bit;
        else
            digest.others |= bit;
    }
    return digest;
}

static bool has_one_bit(rc_fact_digest digest)
{
    uint64_t bits = digest.concepts ? digest.concepts : digest.others;
    return (bits & (bits - 1)) == 0 && (!digest.concepts || !digest.others);
}

/* Returns the prefilter of a rule. A condition whose facts all have the same bit adds this bit to
 * `all`. Of the conditions whose facts have several bits only the first is used for `any`, because
 * rules begin with their most important condition. */
rc_rule_prefilter rc_rule_prefilter_of(const rc_rule *rule)
{
    rc_rule_prefilter prefilter = {{0, 0}, {0, 0}};
    bool has_any = false;
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        rc_fact_digest digest = digest_of(&clause);
        if (clause.is_not)
            continue;
        if (has_one_bit(digest)) {
            prefilter.all.concepts |= digest.concepts;
            prefilter.all.others |= digest.others;
        } else if (!has_any) {
            prefilter.any = digest;
            has_any = true;
        }
    }
    if (!has_any)
        prefilter.any.others = 1;
    return prefilter;
}

rc_category rc_rule_category(const rc_rule *rule)
{
    if (rule->category != RC_CATEGORY_NONE)
        return rule->category;
    const rc_code_info *code = rc_code_get(rule->code);
    return code ? code->category : RC_CATEGORY_NONE;
}

bool rc_rule_is_retryable(const rc_rule *rule)
{
    const rc_code_info *code = rc_code_get(rule->code);
    if (!code || !code->is_retryable)
        return false;
    return rule->category == RC_CATEGORY_NONE || rc_category_is_retryable(rule->category);
}
