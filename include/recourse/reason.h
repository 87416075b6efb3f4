/* rc_reason: names and texts of the reasons for decisions. The table of the reasons is
 * spec/reasons.def. */
#ifndef RECOURSE_REASON_H
#define RECOURSE_REASON_H

#include <recourse/export.h>
#include <recourse/reasons.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* Returns the name of a reason, such as "retry_budget_spent". The name of RC_WHY_NONE is "", the
 * name of a value that is not in the table "unknown". The result is a static string. */
RC_API const char *rc_reason_name(rc_reason reason);

/* Returns the reason as a clause for people, such as "the deadline has passed". The result is a
 * static string. */
RC_API const char *rc_reason_text(rc_reason reason);

/* Returns the number of the decision step that has this reason (docs/internals/call.md), or 0 if
 * the reason belongs to no step. */
RC_API int rc_reason_step(rc_reason reason);

/* Returns the reason with this name; RC_WHY_NONE if no reason has the name. */
RC_API rc_reason rc_reason_parse(rc_str name);

RC_END_DECLS

#endif
