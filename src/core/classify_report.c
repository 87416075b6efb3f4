/* A verdict as a report. */
#include <recourse/builder.h>
#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "core/connection.h"

/* What of a body goes into a report as it came. */
#define RAW_MAX ((size_t)4096)

static rc_str cut(rc_str text, size_t max)
{
    return rc_str_make(text.ptr, rc_utf8_cut(text, text.len < max ? text.len : max));
}

/* A code's advice may be to try again: a verdict that takes the retry away has another. */
static void set_action(rc_builder *b, const rc_verdict *verdict)
{
    const rc_code_info *row = rc_code_get(verdict->code);
    if (row == NULL || !row->is_retryable || verdict->is_retryable)
        return;
    switch (verdict->category) {
    case RC_CATEGORY_CONTENT:
        row = rc_code_get(RC_CODE_INVALID_REQUEST);
        break;
    case RC_CATEGORY_CAPACITY:
        row = rc_code_get(RC_CODE_QUOTA_EXHAUSTED);
        break;
    case RC_CATEGORY_AMBIGUOUS:
        row = rc_code_get(RC_CODE_OUTCOME_UNKNOWN);
        break;
    case RC_CATEGORY_CONFIGURATION:
    case RC_CATEGORY_UNKNOWN:
    case RC_CATEGORY_NONE:
    case RC_CATEGORY_TRANSIENT:
    default:
        rc_builder_set_action(b, RC_ACTION_CHECK_CONFIG,
                              RC_STR("Check the base URL, and any proxy or certificate in between; "
                                     "the same request would fail again."));
        return;
    }
    rc_builder_set_action(b, row->action, rc_str_c(row->action_detail));
}

const rc_report *rc_verdict_report(const rc_failure *failure, const rc_verdict *verdict,
                                   const rc_alloc *alloc)
{
    rc_builder b;
    rc_builder_init(&b, alloc, verdict->code);
    rc_builder_set_id_text(&b, failure->report_id);
    rc_builder_set_family(&b, failure->family == RC_FAMILY_NONE ? RC_FAMILY_LLM : failure->family);
    if (verdict->category != RC_CATEGORY_NONE)
        rc_builder_set_category(&b, verdict->category);
    rc_builder_set_retryable(&b, verdict->is_retryable);
    set_action(&b, verdict);
    rc_builder_set_provider(&b, failure->called.len > 0 ? failure->called : verdict->provider);
    rc_builder_set_model(&b, failure->model);
    rc_builder_set_rule(&b, verdict->rule);
    rc_builder_set_detail(&b, verdict->message);
    rc_connection_tell(&b, failure, verdict);
    if (verdict->status > 0)
        rc_builder_set_provider_status(&b, verdict->status);
    rc_builder_set_provider_type(&b, verdict->type);
    rc_builder_set_provider_code(&b, verdict->error_code);
    rc_builder_set_provider_param(&b, verdict->param);
    rc_builder_set_request_id(&b, verdict->request_id);
    /* Of what is not retried anyway there is nothing to add. */
    if (verdict->is_retry_refused && verdict->is_retryable)
        rc_builder_set_retry_exhausted(&b, true);
    if (verdict->retry_after_ms >= 0)
        rc_builder_set_retry_after_ms(&b, verdict->retry_after_ms);
    rc_builder_set_limit_kind(&b, verdict->limit_kind);
    rc_str raw = failure->body.len > 0 ? failure->body : failure->event;
    rc_builder_set_raw(&b, cut(raw, RAW_MAX));
    return rc_builder_finish(&b);
}

const rc_report *rc_classify(const rc_failure *failure, const rc_rules *rules,
                             const rc_alloc *alloc)
{
    rc_classify_space space;
    space.text[0] = '\0'; /* it is written before it is read; checkers cannot see that */
    rc_verdict verdict = rc_judge(failure, rules, NULL, &space);
    return rc_verdict_report(failure, &verdict, alloc);
}
