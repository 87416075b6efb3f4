/* Rule matching: finds the first rule whose conditions the facts of a failure meet. Called by
 * classify.c. */
#include "classify/rules/parts.h"

static rc_fact_digest digest_of(const rc_facts *facts)
{
    rc_fact_digest digest = {0, 1};
    for (unsigned i = 0; i < RC_FACT_END / 64; i++) {
        if (i >= RC_FACT_SAYS_BASE / 64 && i < RC_FACT_PROVIDER_BASE / 64)
            digest.concepts |= facts->bits[i];
        else
            digest.others |= facts->bits[i];
    }
    return digest;
}

static bool may_hold(const rc_rule_prefilter *needs, rc_fact_digest present)
{
    uint64_t missing =
        (needs->all.concepts & ~present.concepts) | (needs->all.others & ~present.others);
    uint64_t some = (needs->any.concepts & present.concepts) | (needs->any.others & present.others);
    return missing == 0 && some != 0;
}

static bool has_any(const rc_facts *facts, const rc_clause *clause)
{
    for (size_t i = 0; i < clause->count; i++) {
        if (rc_facts_has(facts, clause->facts[i]))
            return true;
    }
    return false;
}

/* Finds the first condition of the rule that the facts do not meet. Returns false if the facts meet
 * all conditions. */
static bool find_failed(const rc_rule *rule, const rc_facts *facts, rc_clause *ret_clause)
{
    const rc_fact *cursor = rule->terms;
    for (size_t i = 0; i < rule->clause_count; i++) {
        rc_clause clause = rc_clause_next(&cursor);
        if (has_any(facts, &clause) == clause.is_not) {
            *ret_clause = clause;
            return true;
        }
    }
    return false;
}

static const rc_rule *match(const rc_rule_set *set, const rc_facts *facts)
{
    rc_fact_digest present = digest_of(facts);
    for (size_t i = 0; i < set->count; i++) {
        rc_clause failed;
        if (may_hold(&set->prefilters[i], present) && !find_failed(&set->rules[i], facts, &failed))
            return &set->rules[i];
    }
    return NULL;
}

/* ---- matching with a trace ---- */

#define SHOWN_TERMS_MAX 6u

/* Appends the reason why a condition was not met: "no says:quota", "none of a, b", or "there is
 * says:quota" for a negated condition. */
static void push_failed(rc_buf *buf, const rc_clause *clause, const rc_facts *facts,
                        const rc_literal *literals)
{
    rc_fact_label label;
    if (clause->is_not) {
        size_t i = 0;
        while (i + 1 < clause->count && !rc_facts_has(facts, clause->facts[i]))
            i++;
        rc_fact_label_init(&label, literals, clause->facts[i]);
        rc_buf_push(buf, RC_STR("there is "));
        rc_buf_push(buf, label.view);
        return;
    }
    rc_buf_push(buf, clause->count == 1 ? RC_STR("no ") : RC_STR("none of "));
    for (size_t i = 0; i < clause->count && i < SHOWN_TERMS_MAX; i++) {
        rc_fact_label_init(&label, literals, clause->facts[i]);
        rc_buf_push(buf, i == 0 ? RC_STR("") : RC_STR(", "));
        rc_buf_push(buf, label.view);
    }
    if (clause->count > SHOWN_TERMS_MAX)
        rc_buf_push(buf, RC_STR(", ..."));
}

static void note(const rc_trace *trace, rc_trace_step step, rc_str subject, rc_str text)
{
    rc_trace_note trace_note = {.step = step, .subject = subject, .text = text, .wait_ms = -1};
    trace->on_note(trace->ctx, &trace_note);
}

static const rc_rule *match_traced(const rc_rule_set *set, const rc_facts *facts,
                                   const rc_literal *literals, const rc_trace *trace)
{
    for (size_t i = 0; i < set->count; i++) {
        const rc_rule *rule = &set->rules[i];
        rc_clause failed;
        if (!find_failed(rule, facts, &failed))
            return rule;
        char text[512];
        rc_buf buf;
        rc_buf_init_fixed(&buf, text, sizeof text);
        push_failed(&buf, &failed, facts, literals);
        note(trace, RC_TRACE_RULE_TRIED, rule->id, rc_buf_get(&buf));
    }
    return NULL;
}

const rc_rule *rc_rules_match(const rc_rules *user, const rc_facts *facts, const rc_trace *trace)
{
    const rc_rule_set *set = user ? &user->order : &rc_rules_builtin;
    bool is_traced = trace && trace->on_note;
    const rc_rule *rule = is_traced ? match_traced(set, facts, user ? user->literals : NULL, trace)
                                    : match(set, facts);
    /* A file may replace the last built-in rule, which always matches, by a rule with conditions.
     * If no rule matches, the built-in rule still applies. */
    if (!rule)
        rule = &rc_rules_builtin.rules[rc_rules_builtin.count - 1];
    if (is_traced)
        note(trace, RC_TRACE_RULE_MATCHED, rule->id, rule->reason);
    return rule;
}
