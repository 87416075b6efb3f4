/* rc_reason: names and texts of the reasons for decisions. The table is spec/reasons.def. */
#ifndef RECOURSE_REASON_H
#define RECOURSE_REASON_H

#include <recourse/export.h>
#include <recourse/reasons.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* Returns the name: "retry_budget_spent"; "" for NONE, "unknown" for a value that is not in the
 * table. Gives a static string. */
RC_API const char *rc_reason_name(rc_reason reason);

/* Returns a clause for people: "the deadline has passed". Gives a static string. */
RC_API const char *rc_reason_text(rc_reason reason);

/* Returns the step in the order of the decisions (docs/internals/call.md); 0: none. */
RC_API int rc_reason_step(rc_reason reason);

/* Returns the reason of that name; NONE if there is none. */
RC_API rc_reason rc_reason_parse(rc_str name);

RC_END_DECLS

#endif
