/* rc_rule: conditions over facts, and the code of a failure that meets the conditions.
 *
 *   spec/classify.rules ──► gen_rules ──► table.c ────────┐
 *                                                         ├──► rc_rules_match
 *   a user's file ──► rc_rules_parse ──► rc_rules ────────┘
 *
 * The built-in rules are constants. A user's file becomes one list that also contains the built-in
 * rules, so that one loop matches all rules. */
#ifndef RC_CLASSIFY_RULES_RULE_H
#define RC_CLASSIFY_RULES_RULE_H

#include <recourse/classify.h>
#include <recourse/rules.h>

#include "classify/facts.h"

#define RC_RULES_MAX 512u
#define RC_RULES_BYTES_MAX (256u << 10)
#define RC_RULE_CLAUSES_MAX 32u
#define RC_RULE_TERMS_MAX 640u /* Maximum number of facts in all conditions of one rule. */
#define RC_RULE_ID_MAX 64u

/* A condition is an array that begins with a head, the number of facts that follow. The condition
 * is met if at least one of the facts is true; with the flag RC_CLAUSE_NOT in the head, it is met
 * if all of them are false. */
#define RC_CLAUSE_NOT 0x8000u

typedef struct rc_rule {
    rc_str id;
    rc_str when;   /* The conditions as written in the file. */
    rc_str reason; /* The reason for the code, as one line for people. */
    rc_code code;
    rc_category category;  /* RC_CATEGORY_NONE: the category of the code applies. */
    uint16_t clause_count; /* Number of conditions; 0: the rule always matches. */
    const rc_fact *terms;  /* The conditions, one after the other. */
} rc_rule;

/* A set of facts reduced to 128 bits: fact N sets bit N mod 64 of one of the two members. The facts
 * says:X and code:X have the same bit; status:N and inner:N have the same bit, too. */
typedef struct rc_fact_digest {
    uint64_t concepts; /* Facts whose name begins with says: or code:. */
    uint64_t others;   /* All other facts. Bit 0 is always set in the digest of a failure. */
} rc_fact_digest;

/* Quick check that rejects most rules without reading their conditions. A rule can match only if
 * the failure's digest has all bits of `all` and at least one bit of `any`. */
typedef struct rc_rule_prefilter {
    rc_fact_digest all;
    rc_fact_digest any;
} rc_rule_prefilter;

typedef struct rc_rule_set {
    const rc_rule *rules;
    const rc_rule_prefilter *prefilters;
    size_t count;
} rc_rule_set;

/* One condition of a rule, as rc_clause_next returns it. */
typedef struct rc_clause {
    const rc_fact *facts;
    size_t count;
    bool is_not;
} rc_clause;

/* Returns the condition at *cursor and moves *cursor to the next condition. */
static inline rc_clause rc_clause_next(const rc_fact **cursor)
{
    unsigned head = **cursor;
    rc_clause clause = {*cursor + 1, head & ~RC_CLAUSE_NOT, (head & RC_CLAUSE_NOT) != 0};
    *cursor += 1 + clause.count;
    return clause;
}

rc_rule_prefilter rc_rule_prefilter_of(const rc_rule *rule);

/* Returns whether a failure may be retried if the rule matches it. The rule's category can make a
 * failure with a retryable code fatal, but not the other way round. */
bool rc_rule_is_retryable(const rc_rule *rule);

/* Returns the rule's category, or the category of its code if the rule has none. */
rc_category rc_rule_category(const rc_rule *rule);

/* The texts of a failure that the literals of a user's rules are compared with. */
typedef struct rc_rule_input {
    rc_str message;  /* Message of the innermost error. */
    rc_str all_text; /* The whole body as received; if there is no body, the event of the stream. */
    rc_str type;     /* Type of the innermost error. */
    rc_str code;
    rc_str model;
    const rc_header *headers;
    size_t header_count;
} rc_rule_input;

/* Literals are searched in this number of bytes of a text. */
#define RC_LITERAL_TEXT_MAX (64u << 10)

/* Sets the fact of each literal that the failure's texts meet. Does nothing if `user` is NULL.
 * user, input: borrows during the call. */
void rc_rules_set_literals(const rc_rules *user, const rc_rule_input *input, rc_facts *facts);

/* Returns the first rule whose conditions the facts meet, as a pointer into `user` or into the
 * built-in rules. The result is never NULL, because the last built-in rule always matches. user,
 * trace: borrows during the call; may be NULL. facts: borrows during the call. */
const rc_rule *rc_rules_match(const rc_rules *user, const rc_facts *facts, const rc_trace *trace);

/* Returns what the verdict of a rule that matched the facts is based on: the most reliable fact of
 * those that its conditions require. */
rc_basis rc_rule_basis(const rc_rule *rule, const rc_facts *facts);

/* The built-in rules. */
extern const rc_rule_set rc_rules_builtin;

#endif
