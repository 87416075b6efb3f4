/* rc_rules: rules of the user's own, tried before the built-in ones.
 *
 *   # our relay says this when its own pool is empty
 *   rule relay.pool_empty
 *     when status:503 and text:"pool is empty"
 *     then Overloaded
 *     because "the relay has no connection left"
 *
 * A file is a list of rules. `when` is conditions joined by `and`; a condition is a term, `not` and
 * a term, or terms in parentheses joined by `or` (`not (a or b)` too; where there is one condition
 * alone, `a or b` needs none). `then` is a code of the taxonomy, and may be followed by a category
 * (`then ConnectionFailed configuration`). `because` is one line for people. `#` begins a comment.
 * A rule with the id of a built-in one takes its place in the order; others come before all
 * built-in ones, in the order of the file.
 *
 * Terms: docs/internals/rules-terms.md lists them; `recourse explain --check-rules` names the
 * nearest for one that does not exist. The built-in rules are written in the same language:
 * spec/classify.rules. */
#ifndef RECOURSE_RULES_H
#define RECOURSE_RULES_H

#include <stddef.h>

#include <recourse/alloc.h>
#include <recourse/classify.h>
#include <recourse/export.h>
#include <recourse/status.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* What is wrong with a rules file, and where. */
typedef struct rc_rules_fault {
    size_t line;    /* from 1 */
    size_t column;  /* from 1, in characters */
    char text[256]; /* one line that begins with the place, NUL-terminated */
} rc_rules_fault;

/* Reads a rules file. RC_OK: *ret_rules is the caller's to free. Refused, with the first fault:
 *   RC_E_SYNTAX       not in the language
 *   RC_E_UNKNOWN_KEY  a term or code that does not exist (the fault names the nearest)
 *   RC_E_DUPLICATE    two rules of one id, or a condition that stands twice in a rule
 *   RC_E_RANGE        a rule that can never match (its conditions contradict each other, or an
 *                     earlier rule always matches first), or that makes a fatal code retryable
 *   RC_E_TOO_LARGE    more than 256 KiB, 512 rules or 256 literals; more than 32 conditions or 640
 *                     terms in a rule (a range counts as what it stands for)
 *   RC_E_NOMEM
 * text: copies. ret_fault: may be NULL; written when not RC_OK. */
RC_API rc_status rc_rules_parse(rc_str text, const rc_alloc *alloc, rc_rules **ret_rules,
                                rc_rules_fault *ret_fault);

/* Takes NULL. */
RC_API void rc_rules_free(rc_rules *rules);

/* How many rules the file has. */
RC_API size_t rc_rules_count(const rc_rules *rules);

/* A built-in rule. All texts are static. */
typedef struct rc_rule_info {
    rc_str id;
    rc_code code;
    rc_category category; /* the rule's own, else the code's */
    rc_str when;
    rc_str reason;
} rc_rule_info;

/* The built-in rules in their order. False past the end, and nothing is written. */
RC_API bool rc_rule_at(size_t index, rc_rule_info *ret_info);

RC_END_DECLS

#endif
