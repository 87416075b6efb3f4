/* Report: reference counting and getters. Called by all code that reads reports. */
#include <recourse/report.h>

#include <recourse/taxonomy.h>

#include "report/report_private.h"

/* Returns whether the report is static: such a report is in read-only memory and has no reference
 * count. */
static bool is_static(const rc_report *report)
{
    return __atomic_load_n(&report->refs, __ATOMIC_RELAXED) == 0;
}

const rc_report *rc_report_dup(const rc_report *report)
{
    if (report && !is_static(report))
        __atomic_fetch_add(&((rc_report *)(uintptr_t)report)->refs, 1, __ATOMIC_RELAXED);
    return report;
}

/* A report has a reference to its cause, so the chain of causes is freed, too. A loop follows the
 * chain, so that a long chain needs no more stack than a short one. */
void rc_report_free(const rc_report *report)
{
    while (report && !is_static(report)) {
        rc_report *mine = (rc_report *)(uintptr_t)report;
        if (__atomic_fetch_sub(&mine->refs, 1, __ATOMIC_ACQ_REL) != 1)
            return;
        const rc_report *cause = mine->cause;
        rc_arena arena = mine->arena; /* a copy, because the arena is stored inside the memory that
                                         it frees */
        rc_arena_done(&arena);
        report = cause;
    }
}

static const rc_str EMPTY = {"", 0};

static rc_str text_or_empty(rc_str text)
{
    return text.len ? text : EMPTY;
}

#define TEXT_GETTER(name, member)                              \
    rc_str name(const rc_report *report)                       \
    {                                                          \
        return report ? text_or_empty(report->member) : EMPTY; \
    }

#define VALUE_GETTER(type, name, member, absent)         \
    type name(const rc_report *report)                   \
    {                                                    \
        return report ? (type)report->member : (absent); \
    }

TEXT_GETTER(rc_report_id, report_id)
TEXT_GETTER(rc_report_error_type, error_type)
TEXT_GETTER(rc_report_message, message)
TEXT_GETTER(rc_report_detail, detail)
TEXT_GETTER(rc_report_provider, provider)
TEXT_GETTER(rc_report_model, model)
TEXT_GETTER(rc_report_rule, rule)
TEXT_GETTER(rc_report_known_by, known_by)
TEXT_GETTER(rc_report_action_detail, action_detail)
TEXT_GETTER(rc_report_provider_type, provider_type)
TEXT_GETTER(rc_report_provider_code, provider_code)
TEXT_GETTER(rc_report_provider_param, provider_param)
TEXT_GETTER(rc_report_request_id, request_id)
TEXT_GETTER(rc_report_raw, raw)

VALUE_GETTER(rc_error_class, rc_report_class, error_class, RC_CLASS_NONE)
VALUE_GETTER(rc_code, rc_report_code, code, RC_CODE_NONE)
VALUE_GETTER(rc_category, rc_report_category, category, RC_CATEGORY_NONE)
VALUE_GETTER(rc_domain, rc_report_domain, domain, RC_DOMAIN_NONE)
VALUE_GETTER(rc_user_action, rc_report_action, action, RC_ACTION_NONE)
VALUE_GETTER(rc_limit_kind, rc_report_limit_kind, limit_kind, RC_LIMIT_KIND_NONE)
VALUE_GETTER(int64_t, rc_report_provider_status, provider_status, 0)
VALUE_GETTER(int64_t, rc_report_retry_after_ms, retry_after_ms, -1)
VALUE_GETTER(size_t, rc_report_attempt_count, attempt_count, 0)
VALUE_GETTER(size_t, rc_report_source_count, source_count, 0)
VALUE_GETTER(const rc_report *, rc_report_cause, cause, NULL)

static bool ends_retrying(uint32_t error_class)
{
    return error_class == RC_CLASS_CANCELLATION || error_class == RC_CLASS_LIMIT;
}

bool rc_report_forbids_retry(const rc_report *report)
{
    const rc_code_info *info = rc_code_get((rc_code)report->code);
    if (info && !info->is_retryable)
        return true;
    if (report->category && !rc_category_is_retryable((rc_category)report->category))
        return true;
    for (const rc_report *at = report; at; at = at->cause) {
        if (ends_retrying(at->error_class))
            return true;
    }
    return false;
}

rc_tristate rc_report_retryable(const rc_report *report)
{
    if (!report)
        return RC_UNSET;
    if (report->retryable != RC_UNSET)
        return (rc_tristate)report->retryable;
    if (!rc_code_get((rc_code)report->code))
        return RC_UNSET;
    return rc_report_forbids_retry(report) ? RC_FALSE : RC_TRUE;
}

bool rc_report_is_retryable(const rc_report *report)
{
    return rc_report_retryable(report) == RC_TRUE;
}

bool rc_report_is_retry_exhausted(const rc_report *report)
{
    return report && report->retry_exhausted == RC_TRUE;
}

size_t rc_report_context_count(const rc_report *report)
{
    return report ? report->context_count + report->notes_count : 0;
}

const rc_context_entry *rc_report_context_at(const rc_report *report, size_t index)
{
    if (index >= rc_report_context_count(report))
        return NULL;
    if (index < report->context_count)
        return &report->context[index];
    return &report->notes[index - report->context_count];
}

const rc_context_entry *rc_report_context_get(const rc_report *report, rc_str key)
{
    const rc_context_entry *entry;
    for (size_t i = 0; (entry = rc_report_context_at(report, i)) != NULL; i++) {
        if (rc_str_eq(entry->key, key))
            return entry;
    }
    return NULL;
}

const rc_report_attempt *rc_report_attempt_at(const rc_report *report, size_t index)
{
    return index < rc_report_attempt_count(report) ? &report->attempts[index] : NULL;
}

rc_str rc_report_source_at(const rc_report *report, size_t index)
{
    return index < rc_report_source_count(report) ? report->sources[index] : EMPTY;
}

int rc_report_derived_http_status(const rc_report *report)
{
    bool is_cancelled = report->error_class == RC_CLASS_CANCELLATION;
    if (report->provider_status == 429 && !is_cancelled)
        return 429;
    const rc_code_info *info = rc_code_get((rc_code)report->code);
    return info ? info->http_status : rc_domain_http_status((rc_domain)report->domain);
}

int rc_report_http_status(const rc_report *report)
{
    if (!report)
        return rc_domain_http_status(RC_DOMAIN_NONE);
    return report->http_status ? (int)report->http_status : rc_report_derived_http_status(report);
}

int rc_report_exit_status(const rc_report *report)
{
    const rc_code_info *info = rc_code_get(rc_report_code(report));
    return info ? info->exit_status : rc_code_get(RC_CODE_INTERNAL)->exit_status;
}

rc_run_event rc_report_run_event(const rc_report *report)
{
    const rc_code_info *info = rc_code_get(rc_report_code(report));
    return info ? info->run_event : RC_EVENT_INTERNAL;
}

const rc_report *rc_report_root(const rc_report *report)
{
    while (report && report->cause)
        report = report->cause;
    return report;
}
