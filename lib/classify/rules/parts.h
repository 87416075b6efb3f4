/* Declarations that the parts of the rules parser share: tokens, literals, the parser and the
 * checks. */
#ifndef RC_CLASSIFY_RULES_PARTS_H
#define RC_CLASSIFY_RULES_PARTS_H

#include "base/arena.h"
#include "classify/rules/rule.h"

/* ---- lex.c ---- */

typedef enum rc_rule_token_kind {
    RC_RULE_TOKEN_END = 1,
    RC_RULE_TOKEN_WORD,   /* Any bytes without blanks, quotes and parentheses. */
    RC_RULE_TOKEN_QUOTED, /* A word followed directly by a string: text:"...". */
    RC_RULE_TOKEN_STRING,
    RC_RULE_TOKEN_OPEN,
    RC_RULE_TOKEN_CLOSE,
    RC_RULE_TOKEN_UNCLOSED /* A string without a closing quote on its line. */
} rc_rule_token_kind;

typedef struct rc_rule_token {
    rc_rule_token_kind kind;
    rc_str word;
    rc_str quoted; /* The bytes between the quotes; escapes are not decoded. */
    size_t from;   /* Byte offsets in the file. */
    size_t to;
} rc_rule_token;

/* Gives the first token at or after `at`; comments and white space are skipped. */
rc_rule_token rc_rule_token_next(rc_str text, size_t at);

/* ---- literal.c ---- */

typedef enum rc_literal_kind {
    RC_LITERAL_TEXT = 1,
    RC_LITERAL_ANYWHERE,
    RC_LITERAL_ERROR_CODE,
    RC_LITERAL_ERROR_TYPE,
    RC_LITERAL_HEADER,
    RC_LITERAL_MODEL
} rc_literal_kind;

typedef struct rc_literal {
    rc_literal_kind kind;
    rc_str source;         /* The term as written: text:"pool is empty". */
    rc_str value;          /* Trimmed text. For a header: part of its value, empty for any value. */
    rc_str name;           /* Name of the header; empty for other kinds. */
    uint64_t codes[2];     /* Concepts that an error_code means as a typed code. */
    uint16_t next_by_byte; /* 1 + index of the next literal with the same first byte; 0: none. */
} rc_literal;

/* Gives the kind of a term's name ("text"); 0: none. */
rc_literal_kind rc_literal_kind_parse(rc_str name);

bool rc_literal_eq(const rc_literal *a, const rc_literal *b);

/* implies: true if every failure that meets a also meets b. excludes: true if no failure can meet
 * both. Both compare only the literals' texts, so false means "not shown". */
bool rc_literal_implies(const rc_literal *a, const rc_literal *b);
bool rc_literal_excludes(const rc_literal *a, const rc_literal *b);

/* ---- a parsed file ---- */

struct rc_rules {
    rc_arena arena;
    size_t count; /* Number of rules in the file. */
    rc_rule_set order;
    rc_literal *literals;
    size_t literal_count;
    uint16_t first_by_byte[256]; /* 1 + index of the first text: or anywhere: literal with this
                                    first byte; 0: none. */
};

/* ---- parse.c ---- */

/* One rule during parsing. */
typedef struct rc_rule_node {
    struct rc_rule_node *next;
    rc_rule rule;
    size_t id_from; /* Byte offsets in the file. */
    size_t when_from;
    size_t then_from;
    size_t builtin; /* Index of the built-in rule that it replaces; RC_STR_NPOS: none. */
} rc_rule_node;

typedef struct rc_rules_parser {
    rc_str text;
    const rc_rule_set *builtin; /* NULL: the built-in file itself is parsed. */
    rc_rules *rules;
    rc_rule_token token;
    rc_rule_node *first;
    rc_rule_node *last;

    /* The rule that is being parsed. */
    rc_fact terms[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX];
    size_t term_count; /* Length of terms, including the heads of conditions. */
    size_t fact_count;
    size_t clause_from[RC_RULE_CLAUSES_MAX];

    rc_status status; /* The first error; parsing stops at it. */
    rc_rules_fault *fault;
} rc_rules_parser;

/* Parses a file of rules that are added to the built-in ones. builtin NULL: the file is the
 * built-in one; it may have no literals, and its last rule must be "always". Otherwise as
 * rc_rules_parse. */
rc_status rc_rules_read(rc_str text, const rc_rule_set *builtin, const rc_alloc *alloc,
                        rc_rules **ret_rules, rc_rules_fault *ret_fault);

/* ---- fault.c ---- */

/* Stores the first fault: line and column of `from`, then the concatenated parts. Later faults are
 * ignored. */
void rc_rules_refuse(rc_rules_parser *parser, rc_status status, size_t from, const rc_str *parts,
                     size_t count);

#define RC_RULES_REFUSE(parser, status, from, ...)                             \
    rc_rules_refuse((parser), (status), (from), (const rc_str[]){__VA_ARGS__}, \
                    sizeof((const rc_str[]){__VA_ARGS__}) / sizeof(rc_str))

/* Reports a failed allocation of the arena as a fault. Must run before checks that depend on the
 * allocation. */
void rc_rules_check_memory(rc_rules_parser *parser);

/* Gives the part of a word that fits into a message. word: views. */
rc_str rc_rules_excerpt(rc_str word);

/* A fact's name, or a literal as written, for messages. */
typedef struct rc_fact_label {
    char text[64];
    rc_str view;
} rc_fact_label;
void rc_fact_label_init(rc_fact_label *label, const rc_literal *literals, rc_fact fact);

/* ---- term.c ---- */

/* Adds the facts of the term at the token to the open condition: one fact, or all of a range. */
void rc_rules_parse_term(rc_rules_parser *parser);

/* Gives the code or category at the token. An unknown name is a fault whose message suggests the
 * nearest name. */
rc_code rc_rules_parse_code(rc_rules_parser *parser);
rc_category rc_rules_parse_category(rc_rules_parser *parser);

/* ---- quoted.c ---- */

/* Gives a quoted text with \" and \\ decoded, allocated from the rules' arena. Another escape and a
 * control character are faults. */
rc_str rc_rules_unescape(rc_rules_parser *parser, rc_str quoted);

/* Gives the fact of the literal at the token. Equal literals share one fact. */
rc_fact rc_rules_parse_literal(rc_rules_parser *parser);

/* ---- check.c ---- */

/* Checks the rule that was just parsed; conditions that contradict or repeat each other are
 * faults. */
void rc_rules_check_conditions(rc_rules_parser *parser, const rc_rule *rule);

/* Checks the order of all rules; a rule that is never reached, because an earlier one always
 * matches first, is a fault. */
void rc_rules_check_order(rc_rules_parser *parser);

/* ---- fatal.c ---- */

/* Checks that no rule makes a fatal failure retryable. */
void rc_rules_check_fatal(rc_rules_parser *parser);

/* ---- logic.c ---- */

/* True if the conditions show that wide matches whenever narrow does. with_codes: an
 * error_code:"..." also counts as the concepts that it means as a typed code. */
bool rc_rule_is_within(const rc_rule *narrow, const rc_rule *wide, const rc_rules *rules,
                       bool with_codes);

/* Finds two conditions of the rule that cannot both hold. Returns false if it finds none. */
typedef struct rc_rule_conflict {
    rc_fact fact;
    rc_fact other;
    bool is_negated; /* The other fact is in a negated condition. */
    size_t clause;   /* Index of the condition that contains `fact`. */
} rc_rule_conflict;
bool rc_rule_find_conflict(const rc_rule *rule, const rc_literal *literals,
                           rc_rule_conflict *ret_conflict);

#endif
