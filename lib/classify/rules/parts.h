/* What the parts of the rules file's reader share: tokens, literals, the parser and the checks. */
#ifndef RC_CLASSIFY_RULES_PARTS_H
#define RC_CLASSIFY_RULES_PARTS_H

#include "base/arena.h"
#include "classify/rules/rule.h"

/* ---- rules_lex.c ---- */

typedef enum rc_rule_token_kind {
    RC_RULE_TOKEN_END = 1,
    RC_RULE_TOKEN_WORD,   /* anything without blanks, quotes and parentheses */
    RC_RULE_TOKEN_QUOTED, /* a word with quotes right behind it: text:"..." */
    RC_RULE_TOKEN_STRING,
    RC_RULE_TOKEN_OPEN,
    RC_RULE_TOKEN_CLOSE,
    RC_RULE_TOKEN_UNCLOSED /* a string that does not end on its line */
} rc_rule_token_kind;

typedef struct rc_rule_token {
    rc_rule_token_kind kind;
    rc_str word;
    rc_str quoted; /* what is between the quotes, escapes as they stand */
    size_t from;   /* byte offsets in the file */
    size_t to;
} rc_rule_token;

/* The token at or behind `at`; comments and white space are skipped. */
rc_rule_token rc_rule_token_next(rc_str text, size_t at);

/* ---- literals ---- */

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
    rc_str source;         /* as it was written: text:"pool is empty" */
    rc_str value;          /* trimmed; of a header: what its value contains, empty for any */
    rc_str name;           /* of a header */
    uint64_t codes[2];     /* the concepts that an error_code means as a typed code */
    uint16_t next_by_byte; /* 1 + the next literal whose text begins with the same byte */
} rc_literal;

/* The kind of a term's name ("text"); 0: none. */
rc_literal_kind rc_literal_kind_parse(rc_str name);

bool rc_literal_eq(const rc_literal *a, const rc_literal *b);

/* Does every failure for which a holds have b too? Can none have both? As far as their texts
 * show. */
bool rc_literal_implies(const rc_literal *a, const rc_literal *b);
bool rc_literal_excludes(const rc_literal *a, const rc_literal *b);

/* ---- a file that was read ---- */

struct rc_rules {
    rc_arena arena;
    size_t count; /* of the file's rules */
    rc_rule_set order;
    rc_literal *literals;
    size_t literal_count;
    uint16_t first_by_byte[256]; /* 1 + the first text: or anywhere: literal that begins so */
};

/* ---- rules_parse.c ---- */

/* One rule while the file is read. */
typedef struct rc_rule_node {
    struct rc_rule_node *next;
    rc_rule rule;
    size_t id_from; /* places in the file */
    size_t when_from;
    size_t then_from;
    size_t builtin; /* the built-in rule whose place it takes; RC_STR_NPOS: none */
} rc_rule_node;

typedef struct rc_rules_parser {
    rc_str text;
    const rc_rule_set *builtin; /* NULL: it is the built-in file that is read */
    rc_rules *rules;
    rc_rule_token token;
    rc_rule_node *first;
    rc_rule_node *last;

    /* The rule that is being read. */
    rc_fact terms[RC_RULE_TERMS_MAX + RC_RULE_CLAUSES_MAX];
    size_t term_count; /* heads included */
    size_t fact_count;
    size_t clause_from[RC_RULE_CLAUSES_MAX];

    rc_status status; /* the first failure; nothing is read after it */
    rc_rules_fault *fault;
} rc_rules_parser;

/* Reads a file against the built-in rules, or as them (builtin NULL: no literals, and the last rule
 * must be "always"). Otherwise as rc_rules_parse. */
rc_status rc_rules_read(rc_str text, const rc_rule_set *builtin, const rc_alloc *alloc,
                        rc_rules **ret_rules, rc_rules_fault *ret_fault);

/* ---- rules_fault.c ---- */

/* Notes the first fault: the parts one behind the other, with the place in front. */
void rc_rules_refuse(rc_rules_parser *parser, rc_status status, size_t from, const rc_str *parts,
                     size_t count);

#define RC_RULES_REFUSE(parser, status, from, ...)                             \
    rc_rules_refuse((parser), (status), (from), (const rc_str[]){__VA_ARGS__}, \
                    sizeof((const rc_str[]){__VA_ARGS__}) / sizeof(rc_str))

/* Memory that was not given is a fault like any other, and goes before what follows from it. */
void rc_rules_check_memory(rc_rules_parser *parser);

/* So much of a word as a message has room for. */
rc_str rc_rules_excerpt(rc_str word);

/* A fact's name, or a literal as it was written. */
typedef struct rc_fact_label {
    char text[64];
    rc_str view;
} rc_fact_label;
void rc_fact_label_init(rc_fact_label *label, const rc_literal *literals, rc_fact fact);

/* ---- rules_term.c ---- */

/* Adds the facts of a term to the open condition: one, or all of a range. */
void rc_rules_parse_term(rc_rules_parser *parser);

/* The code or category at the token; refused with the nearest name. */
rc_code rc_rules_parse_code(rc_rules_parser *parser);
rc_category rc_rules_parse_category(rc_rules_parser *parser);

/* ---- rules_quoted.c ---- */

/* What is between quotes, without the backslashes of \" and \\; kept as long as the rules. Refused:
 * another escape, a control character. */
rc_str rc_rules_unescape(rc_rules_parser *parser, rc_str quoted);

/* The fact of the literal at the token, which is one of the parser's own if it was there before. */
rc_fact rc_rules_parse_literal(rc_rules_parser *parser);

/* ---- rules_check.c ---- */

/* The rule just read: refused when its conditions contradict or repeat each other. */
void rc_rules_check_conditions(rc_rules_parser *parser, const rc_rule *rule);

/* All rules, once they are in order: refused when an earlier one always matches first. */
void rc_rules_check_order(rc_rules_parser *parser);

/* ---- rules_fatal.c ---- */

/* Refused when a rule makes retryable what is fatal. */
void rc_rules_check_fatal(rc_rules_parser *parser);

/* ---- rules_logic.c ---- */

/* Does wide match whenever narrow does? True only where the conditions show it. with_codes: an
 * error_code:"..." also means what it says as a typed code. */
bool rc_rule_is_within(const rc_rule *narrow, const rc_rule *wide, const rc_rules *rules,
                       bool with_codes);

/* Two conditions of the rule that cannot hold together. False: none were found. */
typedef struct rc_rule_conflict {
    rc_fact fact;
    rc_fact other;
    bool is_negated; /* the other may not be true */
    size_t clause;   /* of the fact */
} rc_rule_conflict;
bool rc_rule_find_conflict(const rc_rule *rule, const rc_literal *literals,
                           rc_rule_conflict *ret_conflict);

#endif
