/* Declarations that the files of the rules parser share: tokens, literals, the parser and the
 * checks. */
#ifndef RC_CLASSIFY_RULES_PARTS_H
#define RC_CLASSIFY_RULES_PARTS_H

#include "base/arena.h"
#include "classify/rules/rule.h"

/* ---- lex.c ---- */

typedef enum rc_rule_token_kind {
    RC_RULE_TOKEN_END = 1,
    RC_RULE_TOKEN_WORD,   /* Bytes other than blanks, quotes and parentheses. */
    RC_RULE_TOKEN_QUOTED, /* A word directly followed by a string: text:"...". */
    RC_RULE_TOKEN_STRING,
    RC_RULE_TOKEN_OPEN,
    RC_RULE_TOKEN_CLOSE,
    RC_RULE_TOKEN_UNCLOSED /* A string without a closing quote on its line. */
} rc_rule_token_kind;

typedef struct rc_rule_token {
    rc_rule_token_kind kind;
    rc_str word;
    rc_str quoted; /* The bytes between the quotes of the token's string, with escapes not decoded;
                      empty if the token has no string. */
    size_t from;   /* Byte offsets of the token in the file. */
    size_t to;
} rc_rule_token;

/* Returns the first token at or after `at`, without comments and white space before it. */
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
    rc_str source;         /* The term as written in the file: text:"pool is empty". */
    rc_str value;          /* The text without surrounding blanks. In a header literal, a part of
                              the header's value; empty if any value matches. */
    rc_str name;           /* Name of the header in a header literal; empty in other kinds of
                              literal. */
    uint64_t codes[2];     /* In an error_code literal: the set of concepts that the code means. */
    uint16_t next_by_byte; /* 1 + index of the next literal whose value has the same first byte; 0:
                              the last one. */
} rc_literal;

/* Returns the kind of literal with this name ("text"); 0 if no kind has this name. */
rc_literal_kind rc_literal_kind_parse(rc_str name);

bool rc_literal_eq(const rc_literal *a, const rc_literal *b);

/* rc_literal_implies: true if every failure that meets `a` also meets `b`. rc_literal_excludes:
 * true if no failure can meet both `a` and `b`. Both functions compare only the texts of the
 * literals, so the result false means that no proof was found. */
bool rc_literal_implies(const rc_literal *a, const rc_literal *b);
bool rc_literal_excludes(const rc_literal *a, const rc_literal *b);

/* ---- a parsed file ---- */

struct rc_rules {
    rc_arena arena;
    size_t count; /* Number of rules that the file contains. */
    rc_rule_set order;
    rc_literal *literals;
    size_t literal_count;
    /* Index by first byte: 1 + index of the first `text` or `anywhere` literal whose value begins
     * with this byte; 0: no value begins with it. */
    uint16_t first_by_byte[256];
};

/* ---- parse.c ---- */

/* One rule during parsing. */
typedef struct rc_rule_node {
    struct rc_rule_node *next;
    rc_rule rule;
    size_t id_from; /* Byte offsets of the rule's id in the file. */
    size_t when_from;
    size_t then_from;
    size_t builtin; /* Index of the built-in rule that this rule replaces; RC_STR_NPOS: none. */
} rc_rule_node;

typedef struct rc_rules_parser {
    rc_str text;
    const rc_rule_set *builtin; /* The built-in rules; NULL while their own file,
                                   spec/classify.rules, is parsed. */
    rc_rules *rules;
    rc_rule_token token;
    rc_rule_node *first;
    rc_rule_node *last;

    /* The conditions of the rule that is being parsed. */
    rc_fact terms[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX];
    size_t term_count; /* Number of used elements in `terms`, including the heads of conditions. */
    size_t fact_count;
    size_t clause_from[RC_RULE_CLAUSES_MAX];

    rc_status status; /* Status of the first error, at which parsing ends. */
    rc_rules_fault *fault;
} rc_rules_parser;

/* Parses a user's file of rules and adds the built-in rules, as rc_rules_parse does. A `builtin` of
 * NULL means that the file is that of the built-in rules: it must not have literals, and the
 * condition of its last rule must be "always". text, builtin, alloc: as in rc_rules_parse. */
rc_status rc_rules_read(rc_str text, const rc_rule_set *builtin, const rc_alloc *alloc,
                        rc_rules **ret_rules, rc_rules_fault *ret_fault);

/* ---- fault.c ---- */

/* Reports a fault: the line and column of offset `from`, with a message that is the concatenation
 * of `parts`. Only the first fault is stored; later faults are ignored. */
void rc_rules_refuse(rc_rules_parser *parser, rc_status status, size_t from, const rc_str *parts,
                     size_t count);

#define RC_RULES_REFUSE(parser, status, from, ...)                             \
    rc_rules_refuse((parser), (status), (from), (const rc_str[]){__VA_ARGS__}, \
                    sizeof((const rc_str[]){__VA_ARGS__}) / sizeof(rc_str))

/* Reports a failed allocation of the arena as a fault. Called before any check that reads the
 * allocated memory. */
void rc_rules_check_memory(rc_rules_parser *parser);

/* Returns the beginning of a word that is short enough for a message. The result views (points
 * into) `word`. */
rc_str rc_rules_excerpt(rc_str word);

/* Text of a fact in messages: the fact's name, or a literal as it is written in the file. */
typedef struct rc_fact_label {
    char text[64];
    rc_str view;
} rc_fact_label;
void rc_fact_label_init(rc_fact_label *label, const rc_literal *literals, rc_fact fact);

/* ---- term.c ---- */

/* Adds the term at the current token to the condition that is being parsed: one fact, or all facts
 * of a range (status:500-504). */
void rc_rules_parse_term(rc_rules_parser *parser);

/* rc_rules_parse_code and rc_rules_parse_category return the code or the category at the current
 * token. An unknown name is a fault; the message suggests the nearest known name. */
rc_code rc_rules_parse_code(rc_rules_parser *parser);
rc_category rc_rules_parse_category(rc_rules_parser *parser);

/* ---- quoted.c ---- */

/* Returns a quoted text with \" and \\ decoded, in memory of the rules' arena (parser->arena). Any
 * other escape and any control character is a fault. */
rc_str rc_rules_unescape(rc_rules_parser *parser, rc_str quoted);

/* Returns the fact of the literal at the current token. Equal literals have the same fact. */
rc_fact rc_rules_parse_literal(rc_rules_parser *parser);

/* ---- check.c ---- */

/* Checks one rule and reports conditions that contradict or repeat each other as faults. */
void rc_rules_check_conditions(rc_rules_parser *parser, const rc_rule *rule);

/* Checks the order of all rules and reports a rule that is never reached, because an earlier rule
 * always matches first, as a fault. */
void rc_rules_check_order(rc_rules_parser *parser);

/* ---- fatal.c ---- */

/* Checks that no rule makes a fatal (not retryable) failure retryable. */
void rc_rules_check_fatal(rc_rules_parser *parser);

/* ---- logic.c ---- */

/* Returns whether the conditions prove that the rule `wide` matches whenever the rule `narrow`
 * matches. If `with_codes` is true, an error_code:"..." literal also counts as the facts code:NAME
 * of its concepts. */
bool rc_rule_is_within(const rc_rule *narrow, const rc_rule *wide, const rc_rules *rules,
                       bool with_codes);

/* Finds two conditions of the rule that cannot both be met. Returns false if no such conditions
 * were found. */
typedef struct rc_rule_conflict {
    rc_fact fact;
    rc_fact other;
    bool is_negated; /* The fact `other` belongs to a negated condition. */
    size_t clause;   /* Index of the condition that contains `fact`. */
} rc_rule_conflict;
bool rc_rule_find_conflict(const rc_rule *rule, const rc_literal *literals,
                           rc_rule_conflict *ret_conflict);

#endif
