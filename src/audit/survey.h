/* rc_audit_survey: the statistics of a query, of operations and of their attempts. */
#ifndef RC_AUDIT_SURVEY_H
#define RC_AUDIT_SURVEY_H

#include "audit/query.h"
#include "store/record_json.h"

/* Caller's storage; about 20 KiB. */
typedef struct rc_audit_survey {
    rc_stats operations;
    rc_stats attempts;
} rc_audit_survey;

/* Starts an empty survey; operations and attempts may be grouped differently. False: there is no
 * memory. rc_audit_survey_done must be called in each case. alloc: copies. */
bool rc_audit_survey_init(rc_audit_survey *survey, uint32_t by_operations, uint32_t by_attempts,
                          const rc_alloc *alloc);
void rc_audit_survey_done(rc_audit_survey *survey);

/* Adds up the selected operations in one pass. False: *fault is set. */
bool rc_audit_survey_run(rc_audit_survey *survey, rc_store *store, const rc_audit_query *query,
                         rc_store_fault *fault);

/* Writes {"since":...,"operations":{"total":{...},"target":[...],...},"attempts":{...}}.
 * took_ms: how long the query took. */
void rc_audit_survey_json(rc_json_writer *w, const rc_audit_survey *survey,
                          const rc_audit_query *query, int64_t took_ms);

#endif
