/* rc_rule: conditions over facts, and the code of a failure that meets them.
 *
 *   spec/classify.rules ──► gen_rules ──► table.c ────────┐
 *                                                         ├──► rc_rules_match
 *   a user's file ──► rc_rules_parse ──► rc_rules ────────┘
 *
 * The built-in rules are constants. A user's file becomes one list that also contains the built-in
 * rules, so that both are matched by the same loop. */
#ifndef RC_CLASSIFY_RULES_RULE_H
#define RC_CLASSIFY_RULES_RULE_H

#include <recourse/classify.h>
#include <recourse/rules.h>

#include "classify/facts.h"

#define RC_RULES_MAX 512u
#define RC_RULES_BYTES_MAX (256u << 10)
#define RC_RULE_CLAUSES_MAX 32u
#define RC_RULE_TERMS_MAX 640u /* Facts in all conditions of one rule. */
#define RC_RULE_ID_MAX 64u

/* A condition is a head and its facts. The head is the number of facts. One of the facts must be
 * true; with RC_CLAUSE_NOT in the head none may be. */
#define RC_CLAUSE_NOT 0x8000u

typedef struct rc_rule {
    rc_str id;
    rc_str when;   /* The conditions as written. */
    rc_str reason; /* One line for people. */
    rc_code code;
    rc_category category;  /* NONE: the code's category. */
    uint16_t clause_count; /* 0: the rule always matches. */
    const rc_fact *terms;  /* The conditions, one after the other. */
} rc_rule;

/* A set of facts folded into 128 bits: fact N sets bit N mod 64. says:X and code:X share a bit, as
 * do status:N and inner:N. */
typedef struct rc_fact_digest {
    uint64_t concepts; /* Facts says: and code:. */
    uint64_t others;   /* All other facts. Bit 0 is always set in the digest of a failure. */
} rc_fact_digest;

/* Necessary bits of a rule, which reject most rules without a look at their conditions: all bits of
 * `all`, and one bit of `any`. */
typedef struct rc_rule_prefilter {
    rc_fact_digest all;
    rc_fact_digest any;
} rc_rule_prefilter;

typedef struct rc_rule_set {
    const rc_rule *rules;
    const rc_rule_prefilter *prefilters;
    size_t count;
} rc_rule_set;

/* One condition of a rule during iteration. */
typedef struct rc_clause {
    const rc_fact *facts;
    size_t count;
    bool is_not;
} rc_clause;

/* Gives the condition at *cursor and moves the cursor to the next one. */
static inline rc_clause rc_clause_next(const rc_fact **cursor)
{
    unsigned head = **cursor;
    rc_clause clause = {*cursor + 1, head & ~RC_CLAUSE_NOT, (head & RC_CLAUSE_NOT) != 0};
    *cursor += 1 + clause.count;
    return clause;
}

rc_rule_prefilter rc_rule_prefilter_of(const rc_rule *rule);

/* True if a failure that the rule matches may be retried. A category can make a retryable code
 * final, never the reverse. */
bool rc_rule_is_retryable(const rc_rule *rule);

/* Gives the rule's category, or the code's if the rule has none. */
rc_category rc_rule_category(const rc_rule *rule);

/* The texts that the literals of a user's rules are compared with. */
typedef struct rc_rule_input {
    rc_str message;  /* Message of the innermost error. */
    rc_str all_text; /* The whole body, or the event, as received. */
    rc_str type;     /* Type of the innermost error. */
    rc_str code;
    rc_str model;
    const rc_header *headers;
    size_t header_count;
} rc_rule_input;

/* Bytes of a text that are searched for literals. */
#define RC_LITERAL_TEXT_MAX (64u << 10)

/* Sets the facts of the literals that the input meets. user: borrows; NULL: nothing is set. */
void rc_rules_set_literals(const rc_rules *user, const rc_rule_input *input, rc_facts *facts);

/* Gives the first rule whose conditions hold; never NULL, because the last built-in rule always
 * matches. user, trace: borrow; may be NULL. */
const rc_rule *rc_rules_match(const rc_rules *user, const rc_facts *facts, const rc_trace *trace);

/* The built-in rules. */
extern const rc_rule_set rc_rules_builtin;

#endif
