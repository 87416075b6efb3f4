/* rc_reason: why a decision was taken. The table is spec/reasons.def. */
#ifndef RECOURSE_REASON_H
#define RECOURSE_REASON_H

#include <recourse/export.h>
#include <recourse/reasons.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* "retry_budget_spent"; "" for NONE, "unknown" for a value that is not in the table. */
RC_API const char *rc_reason_name(rc_reason reason);

/* A clause for people: "the deadline has passed". Static. */
RC_API const char *rc_reason_text(rc_reason reason);

/* The step of the decision order; 0: none. */
RC_API int rc_reason_step(rc_reason reason);

/* NONE for a name that is not in the table. */
RC_API rc_reason rc_reason_parse(rc_str name);

RC_END_DECLS

#endif
