/* A rule: conditions over facts, and the code that they mean.
 *
 *   spec/classify.rules ──► gen_rules ──► rules_table.c ──┐
 *                                                         ├──► rc_rules_match
 *   a user's file ──► rc_rules_parse ──► rc_rules ────────┘
 *
 * The built-in rules are constants. A user's file becomes one list with the built-in rules among
 * its own, so that matching is the same walk either way. */
#ifndef RC_CLASSIFY_RULES_RULE_H
#define RC_CLASSIFY_RULES_RULE_H

#include <recourse/classify.h>
#include <recourse/rules.h>

#include "classify/facts.h"

#define RC_RULES_MAX 512u
#define RC_RULES_BYTES_MAX (256u << 10)
#define RC_RULE_CLAUSES_MAX 32u
#define RC_RULE_TERMS_MAX 640u /* facts of all conditions of one rule */
#define RC_RULE_ID_MAX 64u

/* A condition is a head and its facts: the head is how many there are, with RC_CLAUSE_NOT when none
 * of them may be true; else one of them must be. */
#define RC_CLAUSE_NOT 0x8000u

typedef struct rc_rule {
    rc_str id;
    rc_str when;   /* the conditions as written */
    rc_str reason; /* one line for people */
    rc_code code;
    rc_category category;  /* NONE: the code's */
    uint16_t clause_count; /* 0: always */
    const rc_fact *terms;  /* clause_count conditions, one behind the other */
} rc_rule;

/* Facts as few bits: bit N for every fact N mod 64. says:X and code:X have the same bit, as have
 * status:N and inner:N. */
typedef struct rc_fact_digest {
    uint64_t concepts; /* says: and code: */
    uint64_t others;   /* bit 0 is always set where facts are digested */
} rc_fact_digest;

/* What must be there at least, which settles most rules without a look at their conditions: all
 * bits of `all`, and one of `any`. */
typedef struct rc_rule_prefilter {
    rc_fact_digest all;
    rc_fact_digest any;
} rc_rule_prefilter;

typedef struct rc_rule_set {
    const rc_rule *rules;
    const rc_rule_prefilter *prefilters;
    size_t count;
} rc_rule_set;

/* One condition of a rule while it is walked. */
typedef struct rc_clause {
    const rc_fact *facts;
    size_t count;
    bool is_not;
} rc_clause;

/* The condition at *cursor, which moves on to the next. */
static inline rc_clause rc_clause_next(const rc_fact **cursor)
{
    unsigned head = **cursor;
    rc_clause clause = {*cursor + 1, head & ~RC_CLAUSE_NOT, (head & RC_CLAUSE_NOT) != 0};
    *cursor += 1 + clause.count;
    return clause;
}

rc_rule_prefilter rc_rule_prefilter_of(const rc_rule *rule);

/* May a failure that the rule decides be tried again? A category can take that away from a code,
 * never add it. */
bool rc_rule_is_retryable(const rc_rule *rule);

/* The category of what the rule decides: its own, else the code's. */
rc_category rc_rule_category(const rc_rule *rule);

/* What the literals of a user's rules look at. */
typedef struct rc_rule_input {
    rc_str message;  /* of the innermost error */
    rc_str all_text; /* everything that came as text, as it came */
    rc_str type;     /* of the innermost error */
    rc_str code;
    rc_str model;
    const rc_header *headers;
    size_t header_count;
} rc_rule_input;

/* Only so much of a text is searched for literals. */
#define RC_LITERAL_TEXT_MAX (64u << 10)

/* Sets the facts of the literals that hold. user: may be NULL, and nothing is set. */
void rc_rules_set_literals(const rc_rules *user, const rc_rule_input *input, rc_facts *facts);

/* The first rule whose conditions hold. Never NULL: the last built-in rule always matches. user,
 * trace: may be NULL. */
const rc_rule *rc_rules_match(const rc_rules *user, const rc_facts *facts, const rc_trace *trace);

/* The built-in rules. */
extern const rc_rule_set rc_rules_builtin;

#endif
