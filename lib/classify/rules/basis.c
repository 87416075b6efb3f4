/* The basis of a rule's verdict: the kind of evidence on which the verdict relies (typed code,
 * status or words). Called by classify.c. */
#include "classify/phrases/phrases.h"
#include "classify/rules/parts.h"

static bool is_in(unsigned fact, unsigned base, unsigned count)
{
    return fact >= base && fact < base + count;
}

/* Returns the basis that one fact provides; RC_BASIS_NONE for facts that only describe the call. */
static rc_basis basis_of(rc_fact fact)
{
    if (is_in(fact, RC_FACT_SAYS_BASE, RC_CONCEPTS_MAX)) {
        const rc_concept_kind kind = rc_concept_kind_of(fact - RC_FACT_SAYS_BASE);
        return kind == RC_CONCEPT_MODIFIER ? RC_BASIS_NONE : RC_BASIS_PHRASE;
    }
    if (is_in(fact, RC_FACT_CODE_BASE, RC_CONCEPTS_MAX))
        return RC_BASIS_TYPED;
    if (fact >= RC_FACT_LITERAL_BASE)
        return RC_BASIS_PHRASE;
    if (fact == RC_FACT_STATUS_NONE)
        return RC_BASIS_NONE;
    if (fact == RC_FACT_STATUS_2XX || fact == RC_FACT_STATUS_3XX || fact == RC_FACT_STATUS_4XX ||
        fact == RC_FACT_STATUS_5XX || fact == RC_FACT_INNER_4XX || fact == RC_FACT_INNER_5XX ||
        fact >= RC_FACT_STATUS_BASE)
        return RC_BASIS_STATUS;
    if ((fact >= RC_FACT_TRANSPORT_TIMEOUT && fact < RC_FACT_PHASE_CONNECT) ||
        (fact >= RC_FACT_FINISH_FILTER && fact <= RC_FACT_FINISH_ERROR) ||
        (fact >= RC_FACT_BODY_EMPTY && fact <= RC_FACT_BODY_VALIDATION) ||
        (fact >= RC_FACT_RPC_INVALID && fact <= RC_FACT_RPC_TOOL) ||
        (fact >= RC_FACT_EXIT_TIMEOUT && fact <= RC_FACT_EXIT_OTHER) ||
        fact == RC_FACT_LIMIT_ZERO || fact == RC_FACT_LIMIT_TOO_SMALL)
        return RC_BASIS_TYPED;
    return RC_BASIS_NONE;
}

static bool is_better(rc_basis basis, rc_basis than)
{
    return basis != RC_BASIS_NONE && (than == RC_BASIS_NONE || basis < than);
}

rc_basis rc_rule_basis(const rc_rule *rule, const rc_facts *facts)
{
    const rc_fact *cursor = rule->terms;
    rc_basis best = RC_BASIS_NONE;
    for (size_t i = 0; i < rule->clause_count; i++) {
        const rc_clause clause = rc_clause_next(&cursor);
        for (size_t k = 0; !clause.is_not && k < clause.count; k++) {
            const rc_basis basis = basis_of(clause.facts[k]);
            if (rc_facts_has(facts, clause.facts[k]) && is_better(basis, best))
                best = basis;
        }
    }
    return best;
}
