/* rc_rules: the user's classification rules, which are checked before the built-in rules.
 *
 *   # our relay sends this message when its own pool is empty
 *   rule relay.pool_empty
 *     when status:503 and text:"pool is empty"
 *     then Overloaded
 *     because "the relay has no connection left"
 *
 * A file is a list of rules. `when` has one or more conditions joined by `and`. A condition is a
 * term, `not` and a term, or terms in parentheses joined by `or`, with or without `not` before
 * them. If `a or b` is the only condition, it needs no parentheses. `then` is a code of the
 * taxonomy, which may be followed by a category (`then ConnectionFailed configuration`). `because`
 * is one line for people. `#` begins a comment. A rule with the id of a built-in rule replaces the
 * built-in rule. All other rules of the file come before the built-in rules, in the order of the
 * file.
 *
 * docs/internals/rules-terms.md lists the terms; for an unknown term `recourse explain
 * --check-rules` names the nearest one. The built-in rules in spec/classify.rules use the same
 * language. */
#ifndef RECOURSE_RULES_H
#define RECOURSE_RULES_H

#include <stddef.h>

#include <recourse/alloc.h>
#include <recourse/classify.h>
#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* The first error in a rules file and its position. */
typedef struct rc_rules_fault {
    size_t line;    /* line, counted from 1 */
    size_t column;  /* column in characters, counted from 1 */
    char text[256]; /* message of one line that begins with the position; NUL-terminated */
} rc_rules_fault;

/* Parses the text of a rules file. On RC_OK the caller owns *ret_rules and frees it with
 * rc_rules_free. Other statuses:
 *   RC_E_SYNTAX       the text does not follow the syntax of rules
 *   RC_E_UNKNOWN_KEY  a term or code that does not exist (the fault names the nearest)
 *   RC_E_DUPLICATE    two rules with the same id, or a condition that a rule contains twice
 *   RC_E_RANGE        a rule that can never match (its conditions contradict each other, or an
 *                     earlier rule always matches first), or that makes a fatal code retryable
 *   RC_E_TOO_LARGE    more than 256 KiB, 512 rules or 256 literals; more than 32 conditions or 640
 *                     terms in a rule (a range counts as all terms that it stands for)
 *   RC_E_NOMEM
 * text: copies the bytes. alloc: copies the struct. ret_fault: written unless the status is RC_OK;
 * may be NULL. */
RC_API rc_status rc_rules_parse(rc_str text, const rc_alloc *alloc, rc_rules **ret_rules,
                                rc_rules_fault *ret_fault);

/* Frees the rules. NULL is allowed. */
RC_API void rc_rules_free(rc_rules *rules);

/* Returns the number of rules in the file. rules: borrows during the call. */
RC_API size_t rc_rules_count(const rc_rules *rules);

/* A built-in rule. All texts are static. */
typedef struct rc_rule_info {
    rc_str id;
    rc_code code;
    rc_category category; /* the category that the rule names; if it names none, the category of the
                             code */
    rc_str when;
    rc_str reason;
} rc_rule_info;

/* Writes the index-th built-in rule to *ret_info. If the index is too large, the function returns
 * false and writes nothing. */
RC_API bool rc_rule_at(size_t index, rc_rule_info *ret_info);

RC_END_DECLS

#endif
