/* Failure facts: extracts from a report the fields that the policy decides by. Called by the
 * gateway's attempt_failure.c, `recourse exec` and the simulator. */
#include <recourse/policy.h>

#include <recourse/taxonomy.h>

rc_failure_facts rc_failure_facts_of_code(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    if (info == NULL)
        info = rc_code_get(RC_CODE_UNCLASSIFIED);
    return (rc_failure_facts){
        .code = info->code,
        .category = info->category,
        .is_retryable = info->is_retryable,
        .retry_after_ms = -1,
    };
}

/* Error classes that do not concern model calls have no category; for these, is_retryable of the
 * report decides. For all other classes only the category transient allows a retry, even if a
 * report from another system sets is_retryable. */
static bool may_retry(const rc_report *report, rc_category category)
{
    return rc_report_is_retryable(report) &&
           (category == RC_CATEGORY_NONE || rc_category_is_retryable(category));
}

rc_failure_facts rc_failure_facts_of(const rc_report *report)
{
    rc_failure_facts facts = rc_failure_facts_of_code(rc_report_code(report));
    if (report == NULL)
        return facts;
    /* A code that only a newer version of Recourse knows stays RC_CODE_UNKNOWN, so no code set
     * contains it. */
    if (rc_report_code(report) == RC_CODE_UNKNOWN)
        facts.code = RC_CODE_UNKNOWN;
    rc_category row = facts.category;
    if (rc_report_category(report) != RC_CATEGORY_NONE)
        facts.category = rc_report_category(report);
    facts.limit_kind = rc_report_limit_kind(report);
    facts.is_retryable = may_retry(report, facts.category);
    /* The category capacity makes a call use other keys and targets, so only the row of the code in
     * spec/errors.def can set it. A report of another system can neither set nor clear this
     * category. */
    if (row == RC_CATEGORY_CAPACITY || facts.category == RC_CATEGORY_CAPACITY)
        facts.category = row;
    facts.is_retry_exhausted = rc_report_is_retry_exhausted(report);
    facts.retry_after_ms = rc_report_retry_after_ms(report);
    facts.is_429 = rc_report_http_status(report) == 429;
    return facts;
}
