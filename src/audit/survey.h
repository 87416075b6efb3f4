/* rc_audit_survey: the sums of the operations that a query selects, and of their attempts. */
#ifndef RC_AUDIT_SURVEY_H
#define RC_AUDIT_SURVEY_H

#include "audit/query.h"
#include "store/record_json.h"

/* An rc_audit_survey is in the caller's storage and takes about 20 KiB. */
typedef struct rc_audit_survey {
    rc_stats operations;
    rc_stats attempts;
} rc_audit_survey;

/* Initialises an empty survey. by_operations, by_attempts: the groups of operations and of
 * attempts, as combined bits RC_STATS_BY_TARGET, RC_STATS_BY_CODE and so on. Returns false if
 * memory runs out; rc_audit_survey_done must be called even then. alloc: copies the struct. */
bool rc_audit_survey_init(rc_audit_survey *survey, uint32_t by_operations, uint32_t by_attempts,
                          const rc_alloc *alloc);
void rc_audit_survey_done(rc_audit_survey *survey);

/* Adds up the selected operations in one pass. Returns false, and sets *fault, on failure. */
bool rc_audit_survey_run(rc_audit_survey *survey, rc_store *store, const rc_audit_query *query,
                         rc_store_fault *fault);

/* Writes {"since":...,"operations":{"total":{...},"target":[...],...},"attempts":{...}}. took_ms:
 * the duration of the query. */
void rc_audit_survey_json(rc_json_writer *w, const rc_audit_survey *survey,
                          const rc_audit_query *query, int64_t took_ms);

#endif
