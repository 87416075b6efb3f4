/* What went wrong with a try, as a report; and what becomes of it. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "gateway/job.h"

#define KEY_MIN_BYTES 7u /* shorter ones ("none", "ollama") are words, and no secrets */
#define HIDDEN RC_STR("[redacted]")
#define UNREADABLE "The provider says that it worked, and its answer cannot be read."

/* ---- what comes next ---- */

/* A path that we know nothing of may want another kind of key: only who asks for models can lose
 * one. */
static rc_setback setback_of(const rc_gate_try *try)
{
    const rc_gate_job *job = try->job;
    rc_setback why = rc_setback_of(job->report);
    why.is_key_cleared = job->request.endpoint->wire == RC_WIRE_NATIVE;
    why.is_target_cleared = (job->is_late || try->is_share_over) && !rc_gate_try_had_time(try);
    return why;
}

static void tell_call(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    const rc_setback why = setback_of(job->now);
    uv_update_time(gate->loop); /* a wait counts from now, not from when the loop woke */
    rc_gate_job_do(
        job, rc_call_on_failure(&job->call, &why, rc_gate_now(gate), rc_gate_chance_u64(gate)));
}

/* One lane of two has failed. */
static void tell_hedge(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    rc_gate *gate = job->gate;
    rc_gate_try *other = try == job->now ? job->beside : job->now;
    const rc_setback why = setback_of(try);
    const rc_hedge_action action = rc_hedge_on_failure(&job->hedge, &job->call, try->lane, &why,
                                                       rc_gate_now(gate), rc_gate_chance_u64(gate));
    job->beside = NULL;
    if (action.what == RC_HEDGE_WAIT) {
        job->now = other;
        rc_gate_try_free(try);
        rc_gate_job_arm(job);
        return;
    }
    job->now = try;
    rc_gate_try_stop(other);
    rc_gate_job_step_try(other, NULL, false);
    rc_gate_try_free(other);
    tell_call(job);
}

/* ---- the key that was sent ---- */

/* Most keys are known by their looks, which scrubbing goes by; this one is known by itself. */
static bool has_key(const rc_gate_try *try, rc_str text)
{
    return try->key.len >= KEY_MIN_BYTES && rc_secret_find(text, try->key, 0) != RC_STR_NPOS;
}

/* The text without it. copy: for one that has it. */
static rc_str hide_key(const rc_gate_try *try, rc_str text, rc_buf *copy)
{
    if (!has_key(try, text))
        return text;
    for (size_t at = 0; at < text.len;) {
        const size_t found = rc_secret_find(text, try->key, at);
        const size_t end = found == RC_STR_NPOS ? text.len : found;
        rc_buf_push(copy, rc_str_slice(text, at, end));
        if (found != RC_STR_NPOS)
            rc_buf_push(copy, HIDDEN);
        at = found == RC_STR_NPOS ? text.len : found + try->key.len;
    }
    return rc_buf_status(copy) == RC_OK ? rc_buf_get(copy) : RC_STR("");
}

/* What a provider repeats of it is in no report. */
static const rc_report *classify(const rc_gate_try *try, const rc_failure *failure)
{
    const rc_alloc *alloc = &try->job->gate->settings.alloc;
    rc_failure clean = *failure;
    rc_buf body;
    rc_buf event;
    rc_buf_init(&body, alloc, 0);
    rc_buf_init(&event, alloc, 0);
    clean.body = hide_key(try, failure->body, &body);
    clean.event = hide_key(try, failure->event, &event);
    const rc_report *report = rc_classify(&clean, rc_gate_job_plans(try->job)->given.rules, alloc);
    rc_buf_done(&body);
    rc_buf_done(&event);
    return report;
}

/* Clients pace themselves by the provider's own headers, where they speak its dialect. */
static void keep_limits(rc_gate_try *try, const rc_report *report)
{
    rc_gate_job *job = try->job;
    const rc_gate_endpoint *endpoint = job->request.endpoint;
    rc_buf_reset(&job->limits);
    if (rc_gate_is_limit(report) && try->mode != RC_MODE_HEAD &&
        (try->provider->is_demo ||
         rc_gate_endpoint_suits(endpoint, try->provider->config->kind->dialect)))
        rc_gate_push_limits(&job->limits, try->reader, rc_buf_get(&try->head).ptr);
    if (has_key(try, rc_buf_get(&job->limits)))
        rc_buf_reset(&job->limits);
}

static void take_report(rc_gate_try *try, const rc_report *report)
{
    rc_gate_job *job = try->job;
    if (!rc_gate_is_limit(report))
        rc_buf_reset(&job->limits);
    rc_report_free(job->report);
    job->report = report;
    job->was_begun = job->state == RC_JOB_ANSWERING;
    rc_gate_job_step_try(try, report, false);
}

static void end_failed(rc_gate_try *try, const rc_report *report)
{
    take_report(try, report);
    if (try->job->beside != NULL)
        tell_hedge(try);
    else
        tell_call(try->job);
}

/* ---- judged ---- */

static const rc_report *report_try(const rc_gate_try *try, rc_code code, rc_str message)
{
    rc_builder builder;
    rc_gate_job_begin_report(try->job, &builder, code, message);
    rc_builder_set_provider(&builder, try->provider->config->name);
    rc_builder_set_model(&builder, try->model);
    if (code == RC_CODE_OVERLOADED)
        rc_builder_set_retry_after_ms(&builder, RC_GATE_BUSY_MS);
    return rc_builder_finish(&builder);
}

/* The head's fields, as the classifier wants them. */
static size_t list_headers(const rc_gate_try *try, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const rc_http1 *reader = try->reader;
    const char *head = rc_buf_get(&try->head).ptr;
    if (try->mode == RC_MODE_HEAD)
        return 0;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        const rc_str value = rc_http1_value(reader, head, i);
        headers[i] =
            (rc_header){rc_http1_name(reader, head, i), has_key(try, value) ? HIDDEN : value};
    }
    return reader->field_count;
}

/* The provider says that it worked, and what it made is lost. */
static const rc_report *report_lost(const rc_gate_try *try, const rc_report *why)
{
    rc_builder builder;
    rc_gate_job_begin_report(try->job, &builder, RC_CODE_OUTCOME_UNKNOWN, RC_STR(UNREADABLE));
    rc_builder_set_provider(&builder, try->provider->config->name);
    rc_builder_set_model(&builder, try->model);
    rc_builder_set_cause(&builder, why);
    const rc_report *report = rc_builder_finish(&builder);
    rc_report_free(why);
    return report;
}

/* A good status with an answer that is none, and that nothing more is known of, is malformed. What
 * must not be sent twice is not asked for again then: it was carried out, most likely. */
void rc_gate_try_fail(rc_gate_try *try, rc_failure *failure)
{
    const rc_gate_job *job = try->job;
    rc_gate *gate = job->gate;
    const rc_id id = rc_gate_next_id(gate, rc_gate_unix_ms(gate));
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    if (try->has_share && failure->connection == RC_CONNECTION_FIRST_BYTE_TIMEOUT) {
        failure->connection = RC_CONNECTION_SHARE_TIMEOUT;
        try->is_share_over = true;
    }
    failure->header_count = list_headers(try, headers);
    failure->headers = headers;
    failure->status = try->mode == RC_MODE_HEAD ? 0 : rc_http1_status(try->reader);
    failure->provider =
        try->provider->is_demo ? RC_STR("") : rc_config_kind_provider(try->provider->config->kind);
    failure->called = try->provider->config->name;
    failure->model = try->model;
    failure->family = job->request.endpoint->family;
    failure->replay = job->request.replay;
    failure->now_unix_ms = rc_gate_unix_ms(gate);
    failure->report_id = rc_str_c(id.text);
    failure->is_request_gone = job->is_body_gone || job->is_once || job->request.is_coded;
    if (!failure->is_request_gone)
        failure->request = job->request.body;
    if (job->state == RC_JOB_ANSWERING)
        failure->phase = RC_PHASE_COMMITTED;
    const rc_report *report = classify(try, failure);
    const rc_code code = rc_report_code(report);
    const bool is_unknown = code == RC_CODE_UNCLASSIFIED;
    const bool is_none = is_unknown || code == RC_CODE_MALFORMED_RESPONSE;
    if (failure->status / 100 == 2 && is_none && failure->replay == RC_REPLAY_NO) {
        report = report_lost(try, report);
    } else if (failure->status / 100 == 2 && is_unknown) {
        rc_report_free(report);
        report = report_try(try, RC_CODE_MALFORMED_RESPONSE, RC_STR(UNREADABLE));
    }
    keep_limits(try, report);
    /* The report has copies of all that the failure views: only now may its bytes go. */
    rc_gate_try_stop(try);
    end_failed(try, report);
}

/* ---- known ---- */

void rc_gate_try_fail_code(rc_gate_try *try, rc_code code, rc_str message)
{
    /* What may have been carried out, and must not be twice, is not tried again. */
    if (try->job->request.replay == RC_REPLAY_NO)
        code = RC_CODE_OUTCOME_UNKNOWN;
    end_failed(try, report_try(try, code, message));
}

bool rc_gate_try_may_be_done(const rc_gate_try *try)
{
    return try->job->request.replay == RC_REPLAY_NO && rc_gate_try_was_sent(try);
}

/* What was asked beside it is on record too. */
static void give_up_beside(rc_gate_job *job)
{
    rc_gate_try *other = job->beside;
    job->beside = NULL;
    rc_gate_try_stop(other);
    rc_gate_job_step_try(other, NULL, false);
    rc_gate_try_free(other);
}

/* What is in the way of a hedge is not in the way of the try that it was to help. */
static void end_beside(rc_gate_job *job)
{
    rc_gate_try *try = job->beside;
    rc_hedge_on_cancel(&job->hedge, &job->call, rc_gate_now(job->gate));
    job->beside = NULL;
    rc_gate_try_free(try);
    rc_gate_job_arm(job);
}

static void cancel_call(rc_gate_job *job, rc_reason why)
{
    rc_action action = rc_call_on_cancel(&job->call, rc_gate_now(job->gate));
    action.reason = why;
    rc_gate_job_do(job, action);
}

void rc_gate_try_fail_here(rc_gate_try *try, rc_code code, rc_str message)
{
    rc_gate_job *job = try->job;
    if (rc_code_get(code)->is_retryable && rc_gate_try_may_be_done(try))
        code = RC_CODE_OUTCOME_UNKNOWN;
    take_report(try, report_try(try, code, message));
    if (try == job->beside) {
        end_beside(job);
        return;
    }
    if (job->beside != NULL) {
        rc_hedge_on_cancel(&job->hedge, &job->call, rc_gate_now(job->gate));
        give_up_beside(job);
    }
    cancel_call(job, RC_WHY_CANCELLED);
}

void rc_gate_try_refuse(rc_gate_try *try, const rc_report *report, rc_reason why)
{
    rc_gate_job *job = try->job;
    job->unasked++;
    job->action.attempt--;
    if (try == job->beside) {
        rc_gate_job_step_passed(job, try->entry, why);
        rc_report_free(report);
        end_beside(job);
        return;
    }
    rc_report_free(job->report);
    job->report = report;
    cancel_call(job, why);
}

rc_code rc_gate_local_code(rc_upstream_kind kind)
{
    return kind == RC_UPSTREAM_ADDRESS_REFUSED ? RC_CODE_CONFIG_SCHEMA_VIOLATION
                                               : RC_CODE_OVERLOADED;
}
