#include "cli/explain_judge.h"

#include <string.h>

#include "base/str.h"
#include "sys/entropy.h"

/* A log that is longer is read from its end first: what failed last is what is asked about. */
#define LOG_END_BYTES ((size_t)4 << 10)

void rc_explaining_init(rc_explaining *explaining, size_t max_bytes, const rc_alloc *alloc)
{
    memset(explaining, 0, sizeof *explaining);
    rc_buf_init(&explaining->cleaned, alloc, 2 * max_bytes);
    rc_seen_init(&explaining->seen, alloc);
    rc_reasoning_init(&explaining->why, alloc);
}

void rc_explaining_done(rc_explaining *explaining)
{
    rc_reasoning_done(&explaining->why);
    rc_seen_done(&explaining->seen);
    rc_buf_done(&explaining->cleaned);
}

void rc_explaining_read(rc_explaining *explaining, rc_str text)
{
    rc_seen_read(&explaining->seen, rc_seen_clean(text, &explaining->cleaned));
}

static rc_verdict judge(rc_explaining *e)
{
    const rc_trace trace = rc_reasoning_trace(&e->why);
    rc_reasoning_reset(&e->why);
    return rc_judge(&e->failure, e->rules, e->is_traced ? &trace : NULL, &e->space);
}

rc_verdict rc_explaining_judge(rc_explaining *explaining, int64_t now_unix_ms)
{
    rc_failure *failure = &explaining->failure;
    *failure = explaining->seen.failure;
    if (explaining->given != NULL)
        rc_given_apply(explaining->given, failure, explaining->headers);
    failure->now_unix_ms = now_unix_ms;
    const rc_str whole = failure->body;
    if (explaining->seen.kind != RC_SEEN_TEXT || whole.len <= 2 * LOG_END_BYTES)
        return judge(explaining);
    failure->body = rc_seen_tail(whole, LOG_END_BYTES);
    const rc_verdict verdict = judge(explaining);
    explaining->seen.is_tail = verdict.code != RC_CODE_UNCLASSIFIED;
    if (explaining->seen.is_tail)
        return verdict;
    failure->body = whole;
    return judge(explaining);
}

const rc_report *rc_explaining_report(rc_explaining *explaining, const rc_verdict *verdict,
                                      const rc_sys_calls *calls, const rc_alloc *alloc)
{
    rc_failure failure = explaining->failure;
    rc_id_maker maker = {0};
    uint8_t entropy[10] = {0};
    const bool has_id = rc_entropy_get(calls, entropy, sizeof entropy);
    const rc_id id = rc_id_make(&maker, failure.now_unix_ms, entropy);
    if (has_id)
        failure.report_id = rc_str_c(id.text);
    return rc_verdict_report(&failure, verdict, alloc);
}
