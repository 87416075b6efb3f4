/* Makes sentences about an operation and its records; called by show.c, show_human.c,
 * show_markdown.c, list.c, export.c and stats.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/audit.h"
#include "render/text.h"

/* Replaces line breaks, so that a name from outside cannot imitate a line of the output. */
void rc_audit_push_flat(rc_buf *buf, rc_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n' && text.ptr[end] != '\r' &&
               text.ptr[end] != '\t')
            end++;
        rc_buf_push(buf, rc_str_slice(text, at, end));
        if (end < text.len)
            rc_buf_push_byte(buf, ' ');
        at = end + 1;
    }
}

static void push_name(rc_buf *buf, rc_str name, const char *otherwise)
{
    if (name.len > 0)
        rc_audit_push_flat(buf, name);
    else
        rc_cli_text(buf, otherwise);
}

/* Appends the codes as "A, B and C". */
static void push_codes(const rc_audit_timeline *timeline, rc_buf *buf)
{
    for (size_t i = 0; i < timeline->code_count; i++) {
        if (i > 0)
            rc_cli_text(buf, i + 1 == timeline->code_count ? " and " : ", ");
        rc_cli_text(buf, rc_code_name(timeline->codes[i]));
    }
}

static void push_attempts(rc_buf *buf, uint32_t attempts)
{
    rc_buf_push_u64(buf, attempts);
    rc_cli_text(buf, attempts == 1 ? " attempt" : " attempts");
}

static uint32_t attempts_of(const rc_audit_timeline *timeline)
{
    return timeline->operation->attempt > 0 ? timeline->operation->attempt : timeline->attempts;
}

static void push_success(const rc_audit_timeline *timeline, rc_buf *buf)
{
    push_name(buf, timeline->operation->target, "The target");
    if (attempts_of(timeline) <= 1) {
        rc_cli_text(buf, " responded on the first attempt");
        if (timeline->operation->wait_ms > 0) {
            rc_cli_text(buf, ", which waited for ");
            rc_audit_push_ms(buf, (int64_t)timeline->operation->wait_ms);
        }
        rc_cli_text(buf, ".");
        return;
    }
    rc_cli_text(buf, " responded after ");
    push_attempts(buf, attempts_of(timeline));
    if (timeline->code_count > 0)
        rc_cli_text(buf, " (failures: ");
    push_codes(timeline, buf);
    rc_cli_text(buf, timeline->code_count > 0 ? ")." : ".");
}

static void push_failure(const rc_audit_timeline *timeline, rc_buf *buf)
{
    const rc_record *operation = timeline->operation;
    push_name(buf, operation->client, "The client");
    rc_cli_text(buf, " received ");
    rc_cli_text(buf, operation->code != RC_CODE_NONE ? rc_code_name(operation->code) : "an error");
    if (attempts_of(timeline) == 0) {
        rc_cli_text(buf, "; no target was called.");
        return;
    }
    rc_cli_text(buf, " after ");
    push_attempts(buf, attempts_of(timeline));
    if ((operation->flags & RC_RECORD_COMMITTED) != 0)
        rc_cli_text(buf, ", when part of the response had already been sent");
    rc_cli_text(buf, ".");
}

static void push_cancelled(const rc_audit_timeline *timeline, rc_buf *buf)
{
    push_name(buf, timeline->operation->client, "The client");
    rc_cli_text(buf, " cancelled the request after ");
    rc_audit_push_ms(buf, timeline->total_ms);
    rc_cli_text(buf, " and ");
    push_attempts(buf, attempts_of(timeline));
    rc_cli_text(buf, ".");
}

void rc_audit_push_summary(const rc_audit_timeline *timeline, rc_buf *buf)
{
    switch (timeline->operation->outcome) {
    case RC_OUTCOME_SUCCEEDED:
        push_success(timeline, buf);
        return;
    case RC_OUTCOME_FAILED:
        push_failure(timeline, buf);
        return;
    case RC_OUTCOME_CANCELLED:
        push_cancelled(timeline, buf);
        return;
    case RC_OUTCOME_NOTICE:
        rc_cli_text(buf, "An event of the gateway itself, not a request.");
        return;
    case RC_OUTCOME_OPEN:
        break;
    }
    rc_cli_text(buf, "The request has not ended, or the gateway stopped before its end.");
}

/* ---- records ---- */

rc_outcome rc_audit_attempt_outcome(const rc_record *operation, const rc_record *attempt)
{
    return rc_record_attempt_outcome(attempt->code, attempt->error_class, operation->outcome,
                                     rc_str_eq(attempt->target, operation->target));
}

void rc_audit_span(const rc_record *record, int64_t *ret_from_ms, int64_t *ret_took_ms)
{
    *ret_from_ms = record->at_ms > 0 ? record->at_ms : 0;
    *ret_took_ms = -1;
    if (record->kind == RC_RECORD_ATTEMPT)
        *ret_took_ms = record->latency_ms;
    if (record->kind == RC_RECORD_WAIT)
        *ret_took_ms = (int64_t)record->wait_ms;
}

/* Appends "openai/gpt-4o (openai-2)". */
static void push_target(rc_buf *buf, const rc_record *record)
{
    push_name(buf, record->target, record->credential.len > 0 ? "" : "another target");
    if (record->credential.len == 0)
        return;
    rc_cli_text(buf, record->target.len > 0 ? " (" : "key ");
    rc_audit_push_flat(buf, record->credential);
    rc_cli_text(buf, record->target.len > 0 ? ")" : "");
}

static void push_reason(rc_buf *buf, const char *before, const rc_record *record)
{
    if (record->reason == RC_WHY_NONE)
        return;
    rc_cli_text(buf, before);
    rc_cli_text(buf, rc_reason_text(record->reason));
}

static void push_text(rc_buf *buf, const char *before, const rc_record *record)
{
    if (record->text.len == 0)
        return;
    rc_cli_text(buf, before);
    rc_audit_push_flat(buf, record->text);
}

/* Appends "skips openai/gpt-4o: the target is cooling down, for 12.0 s more". */
static void push_skip(rc_buf *buf, const rc_record *record)
{
    rc_cli_text(buf, "skips ");
    push_target(buf, record);
    push_reason(buf, ": ", record);
    if (record->wait_ms > 0) {
        rc_cli_text(buf, ", for ");
        rc_audit_push_ms(buf, (int64_t)record->wait_ms);
        rc_cli_text(buf, " more");
    }
    push_text(buf, ": ", record);
}

/* Appends "waits as the policy says", "waits: a budget of money is used up (client app)", or "waits
 * in the queue until a target may be used (openai/gpt-4o)". */
static void push_wait(rc_buf *buf, const rc_record *record)
{
    if (record->text.len == 0) {
        rc_cli_text(buf, record->reason == RC_WHY_NONE ? "waits" : rc_reason_text(record->reason));
        return;
    }
    const bool is_budget = record->reason == RC_WHY_BUDGET_SPENT ||
                           record->reason == RC_WHY_BUDGET_HELD ||
                           record->reason == RC_WHY_BUDGET_TOO_SMALL;
    if (is_budget || record->reason == RC_WHY_NONE) {
        rc_cli_text(buf, "waits");
        push_reason(buf, ": ", record);
    } else {
        rc_cli_text(buf, rc_reason_text(record->reason));
    }
    push_text(buf, " (", record);
    rc_cli_text(buf, ")");
}

/* Appends the HTTP status of the operation, or of its report if the operation has no status. */
static void push_status(const rc_audit_timeline *timeline, rc_buf *buf)
{
    int64_t status = timeline->operation->status;
    if (status <= 0 && timeline->report != NULL)
        status = rc_report_http_status(timeline->report);
    if (status <= 0)
        return;
    rc_cli_text(buf, ", HTTP ");
    rc_buf_push_i64(buf, status);
}

static void push_end(const rc_audit_timeline *timeline, rc_buf *buf)
{
    const rc_record *operation = timeline->operation;
    switch (operation->outcome) {
    case RC_OUTCOME_SUCCEEDED:
        rc_cli_text(buf, "the response is complete");
        return;
    case RC_OUTCOME_FAILED:
        rc_cli_text(buf, "the client receives ");
        rc_cli_text(buf,
                    operation->code != RC_CODE_NONE ? rc_code_name(operation->code) : "an error");
        push_status(timeline, buf);
        return;
    case RC_OUTCOME_CANCELLED:
        rc_cli_text(buf, "the client cancelled the request");
        return;
    case RC_OUTCOME_OPEN:
    case RC_OUTCOME_NOTICE:
        break;
    }
}

void rc_audit_push_event(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record)
{
    switch (record->kind) {
    case RC_RECORD_BEGIN:
        push_name(buf, record->client, "a client");
        rc_cli_text(buf, " requests ");
        push_name(buf, record->model, "a response");
        return;
    case RC_RECORD_ATTEMPT:
        rc_cli_text(buf, "attempt ");
        rc_buf_push_u64(buf, record->attempt);
        rc_cli_text(buf, "  ");
        push_target(buf, record);
        return;
    case RC_RECORD_WAIT:
        push_wait(buf, record);
        return;
    case RC_RECORD_SWITCH:
        rc_cli_text(buf, record->reason == RC_WHY_HEDGED ? "hedges with " : "switches to ");
        push_target(buf, record);
        push_reason(buf, ": ", record);
        push_text(buf, ": ", record);
        return;
    case RC_RECORD_SKIP:
        push_skip(buf, record);
        return;
    case RC_RECORD_STOP:
        rc_cli_text(buf, "stops");
        push_reason(buf, ": ", record);
        push_text(buf, ": ", record);
        return;
    case RC_RECORD_OUTCOME:
        push_end(timeline, buf);
        return;
    case RC_RECORD_CANCEL:
        push_name(buf, record->text, "the call was cancelled");
        return;
    case RC_RECORD_SUPPRESSED:
        rc_cli_text(buf, "ignored");
        push_text(buf, ": ", record);
        return;
    case RC_RECORD_INTERACTION:
    case RC_RECORD_SERVICE:
        push_name(buf, record->target, rc_record_kind_name(record->kind));
        push_text(buf, ": ", record);
        return;
    case RC_RECORD_QUOTA:
        push_target(buf, record);
        push_text(buf, " ", record);
        return;
    case RC_RECORD_NONE:
        break;
    }
    rc_cli_text(buf, "an event that this version does not know");
}

/* ---- details ---- */

typedef struct parts {
    const rc_audit *audit;
    rc_buf *buf;
    size_t start;
} parts;

/* Appends a separator if needed and returns the buffer for the next part. */
static rc_buf *next_part(const parts *p)
{
    if (rc_buf_get(p->buf).len > p->start)
        rc_audit_push_symbol(p->audit, p->buf, RC_SYMBOL_CLAUSE);
    return p->buf;
}

void rc_audit_push_usage(rc_buf *buf, const rc_record *record)
{
    if (record->cost_usd_micro > 0)
        rc_audit_push_usd(buf, record->cost_usd_micro);
    if (record->tokens_in == 0 && record->tokens_out == 0)
        return;
    rc_cli_text(buf, record->cost_usd_micro > 0 ? " for " : "");
    rc_audit_push_count(buf, record->tokens_in);
    rc_cli_text(buf, " tokens in, ");
    rc_audit_push_count(buf, record->tokens_out);
    rc_cli_text(buf, " out");
    if ((record->flags & RC_RECORD_ESTIMATED) != 0)
        rc_cli_text(buf, (record->flags & RC_RECORD_MEASURED) != 0 ? " (partly estimated)"
                                                                   : " (estimated)");
    rc_cli_text(buf, (record->flags & RC_RECORD_UNPRICED) != 0 ? ", no price" : "");
}

static void put_numbers(const parts *p, const rc_record *record)
{
    if (record->code != RC_CODE_NONE)
        rc_cli_text(next_part(p), rc_code_name(record->code));
    if (record->status > 0) {
        rc_cli_text(next_part(p), "HTTP ");
        rc_buf_push_i64(p->buf, record->status);
    }
    if (record->first_byte_ms >= 0) {
        rc_cli_text(next_part(p), "first byte after ");
        rc_audit_push_ms(p->buf, record->first_byte_ms);
    }
    if (record->cost_usd_micro > 0 || record->tokens_in > 0 || record->tokens_out > 0)
        rc_audit_push_usage(next_part(p), record);
}

/* Appends the provider's message from the report, without its full stop. */
static void put_message(const parts *p, const rc_record *record)
{
    const rc_report *report = rc_audit_report(p->audit, record);
    if (report != NULL) {
        rc_str message = rc_text_trim_end(rc_report_message(report));
        if (rc_str_ends_with(message, RC_STR(".")))
            message.len--;
        if (message.len > 0)
            rc_audit_push_flat(next_part(p), message);
    }
    rc_report_free(report);
}

void rc_audit_push_detail(const rc_audit_timeline *timeline, rc_buf *buf, const rc_record *record)
{
    const parts p = {.audit = timeline->audit, .buf = buf, .start = rc_buf_get(buf).len};
    if (record->kind != RC_RECORD_ATTEMPT)
        return;
    if (record->code == RC_CODE_NONE &&
        rc_audit_attempt_outcome(timeline->operation, record) == RC_OUTCOME_CANCELLED)
        rc_cli_text(next_part(&p), "cancelled");
    put_numbers(&p, record);
    put_message(&p, record);
    if (record->text.len > 0) {
        rc_buf *part = next_part(&p);
        rc_cli_text(part, "translated ");
        rc_audit_push_flat(part, record->text);
    }
    if (record->request_id.len > 0)
        rc_audit_push_flat(next_part(&p), record->request_id);
}
