/* rc_explanation: recognises a text, judges it, makes the report. Called by explain.c and `serve`
 * (serve/explain.c). */
#include "cli/explain/explanation.h"

#include <string.h>

#include "base/str.h"
#include "sys/entropy.h"

/* Of a long log only this many bytes at the end are judged first, because they contain the latest
 * failure. */
#define LOG_END_BYTES ((size_t)4 << 10)

void rc_explanation_init(rc_explanation *explanation, size_t max_bytes, const rc_alloc *alloc)
{
    memset(explanation, 0, sizeof *explanation);
    rc_buf_init(&explanation->cleaned, alloc, 2 * max_bytes);
    rc_detected_init(&explanation->detected, alloc);
    rc_reasoning_init(&explanation->reasoning, alloc);
}

void rc_explanation_done(rc_explanation *explanation)
{
    rc_reasoning_done(&explanation->reasoning);
    rc_detected_done(&explanation->detected);
    rc_buf_done(&explanation->cleaned);
}

void rc_explanation_read(rc_explanation *explanation, rc_str text)
{
    rc_detected_read(&explanation->detected, rc_explain_text_clean(text, &explanation->cleaned));
}

static rc_verdict judge(rc_explanation *e)
{
    const rc_trace trace = rc_reasoning_trace(&e->reasoning);
    rc_reasoning_reset(&e->reasoning);
    return rc_judge(&e->failure, e->rules, e->is_traced ? &trace : NULL, &e->space);
}

rc_verdict rc_explanation_judge(rc_explanation *explanation, int64_t now_unix_ms)
{
    rc_failure *failure = &explanation->failure;
    *failure = explanation->detected.failure;
    if (explanation->overrides != NULL)
        rc_explain_overrides_apply(explanation->overrides, failure, explanation->headers);
    failure->now_unix_ms = now_unix_ms;
    const rc_str whole = failure->body;
    if (explanation->detected.kind != RC_DETECTED_TEXT || whole.len <= 2 * LOG_END_BYTES)
        return judge(explanation);
    failure->body = rc_explain_text_tail(whole, LOG_END_BYTES);
    const rc_verdict verdict = judge(explanation);
    explanation->detected.is_tail = verdict.code != RC_CODE_UNCLASSIFIED;
    if (explanation->detected.is_tail)
        return verdict;
    failure->body = whole;
    return judge(explanation);
}

const rc_report *rc_explanation_report(rc_explanation *explanation, const rc_verdict *verdict,
                                       const rc_sys_calls *calls, const rc_alloc *alloc)
{
    rc_failure failure = explanation->failure;
    rc_id_maker maker = {0};
    uint8_t entropy[10] = {0};
    const bool has_id = rc_entropy_get(calls, entropy, sizeof entropy);
    const rc_id id = rc_id_make(&maker, failure.now_unix_ms, entropy);
    if (has_id)
        failure.report_id = rc_str_c(id.text);
    return rc_verdict_report(&failure, verdict, alloc);
}
