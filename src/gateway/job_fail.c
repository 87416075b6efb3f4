/* What went wrong, as a report; and how the client is told. */
#include <recourse/builder.h>

#include "base/str.h"
#include "gateway/job.h"

#define ERROR_PAGE_MAX ((size_t)1 << 20)

static const rc_gate_provider *provider_of(const rc_gate_job *job, uint16_t place)
{
    const rc_gate_plans *plans = &job->gate->plans;
    return &plans->providers[plans->places[place].provider];
}

/* ---- a try that failed ---- */

static void add_attempt(rc_gate_job *job)
{
    const uint64_t took_ms = rc_gate_now(job->gate) - job->now.started_ms;
    if (job->attempt_count < RC_JOB_ATTEMPTS_MAX)
        job->attempts[job->attempt_count] = (rc_job_attempt){
            .place = job->now.place,
            .credential = job->now.credential,
            .duration_ms = took_ms,
            .started_unix_ms = rc_gate_unix_ms(job->gate) - (int64_t)took_ms,
            .report = rc_report_dup(job->report),
        };
    job->attempt_count++;
}

static void take_report(rc_gate_job *job, const rc_report *report)
{
    rc_report_free(job->report);
    job->report = report;
    job->was_begun = job->state == RC_JOB_ANSWERING;
    add_attempt(job);
}

/* The head's fields, as the classifier wants them. */
static size_t list_headers(const rc_gate_job *job, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const rc_http1 *reader = &job->now.reader;
    const char *head = rc_buf_get(&job->head).ptr;
    if (job->now.mode == RC_MODE_HEAD)
        return 0;
    for (uint32_t i = 0; i < reader->field_count; i++)
        headers[i] = (rc_header){rc_http1_name(reader, head, i), rc_http1_value(reader, head, i)};
    return reader->field_count;
}

void rc_gate_job_fail(rc_gate_job *job, rc_failure *failure)
{
    rc_gate *gate = job->gate;
    const rc_gate_provider *provider = provider_of(job, job->now.place);
    const rc_id id = rc_gate_next_id(gate);
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    failure->header_count = list_headers(job, headers);
    failure->headers = headers;
    failure->status = job->now.mode == RC_MODE_HEAD ? 0 : rc_http1_status(&job->now.reader);
    failure->provider = provider->is_demo ? RC_STR("") : rc_str_c(provider->config->kind->name);
    failure->model = job->now.model;
    failure->family = job->request.endpoint->family;
    failure->replay = job->request.replay;
    failure->now_unix_ms = rc_gate_unix_ms(gate);
    failure->report_id = rc_str_c(id.text);
    if (job->state == RC_JOB_ANSWERING)
        failure->phase = RC_PHASE_COMMITTED;
    take_report(job, rc_classify(failure, NULL, &gate->settings.alloc));
    const rc_setback why = rc_setback_of(job->report);
    rc_gate_job_do(
        job, rc_call_on_failure(&job->call, &why, rc_gate_now(gate), rc_gate_chance_u64(gate)));
}

/* ---- reports of our own ---- */

static void begin_report(rc_gate_job *job, rc_builder *builder, rc_code code, rc_str message)
{
    const rc_id id = rc_gate_next_id(job->gate);
    rc_builder_init(builder, &job->gate->settings.alloc, code);
    rc_builder_set_id(builder, &id);
    if (job->request.endpoint != NULL)
        rc_builder_set_family(builder, job->request.endpoint->family);
    rc_builder_set_message(builder, message);
}

static const rc_report *report_try(rc_gate_job *job, rc_code code, rc_str message)
{
    rc_builder builder;
    begin_report(job, &builder, code, message);
    rc_builder_set_provider(&builder, provider_of(job, job->now.place)->config->name);
    rc_builder_set_model(&builder, job->now.model);
    return rc_builder_finish(&builder);
}

void rc_gate_job_fail_code(rc_gate_job *job, rc_code code, rc_str message)
{
    rc_gate *gate = job->gate;
    /* What may have been carried out, and must not be twice, is not tried again.
     * */
    if (job->request.replay == RC_REPLAY_NO)
        code = RC_CODE_OUTCOME_UNKNOWN;
    take_report(job, report_try(job, code, message));
    const rc_setback why = rc_setback_of(job->report);
    rc_gate_job_do(
        job, rc_call_on_failure(&job->call, &why, rc_gate_now(gate), rc_gate_chance_u64(gate)));
}

void rc_gate_job_fail_here(rc_gate_job *job, rc_code code, rc_str message)
{
    take_report(job, report_try(job, code, message));
    rc_gate_job_do(job, rc_call_on_cancel(&job->call, rc_gate_now(job->gate)));
}

rc_code rc_gate_job_local_code(rc_upstream_kind kind)
{
    return kind == RC_UPSTREAM_ADDRESS_REFUSED ? RC_CODE_CONFIG_SCHEMA_VIOLATION
                                               : RC_CODE_OVERLOADED;
}

/* ---- the whole story ---- */

static rc_code missing_code(uint32_t missing)
{
    if (missing & RC_NEED_STREAMING)
        return RC_CODE_MISSING_STREAMING;
    if (missing & RC_NEED_TOOLS)
        return RC_CODE_MISSING_TOOL_CALLING;
    if (missing & RC_NEED_VISION)
        return RC_CODE_MISSING_VISION;
    if (missing & RC_NEED_STRUCTURED_OUTPUT)
        return RC_CODE_MISSING_STRUCTURED_OUTPUT;
    return RC_CODE_UNSUPPORTED_FEATURE;
}

/* Of a call that made no try. */
static rc_code untried_code(const rc_action *action)
{
    if (action->reason == RC_WHY_NONE_CAPABLE)
        return missing_code(action->missing);
    return action->reason == RC_WHY_CREDENTIALS_DEAD ? RC_CODE_AUTH_FAILED : RC_CODE_OVERLOADED;
}

static void add_attempts(const rc_gate_job *job, rc_builder *builder)
{
    for (uint32_t i = 0; i < job->attempt_count && i < RC_JOB_ATTEMPTS_MAX; i++) {
        const rc_job_attempt *at = &job->attempts[i];
        const rc_attempt attempt = {
            .attempt = (int64_t)i + 1,
            .provider = provider_of(job, at->place)->config->name,
            .model = rc_report_model(at->report),
            .code = rc_report_code(at->report),
            .status = rc_report_provider_status(at->report),
            .request_id = rc_report_request_id(at->report),
            .started_unix_ms = at->started_unix_ms,
            .duration_ms = (int64_t)at->duration_ms,
            .wait_ms = (int64_t)at->wait_ms,
            .reason = rc_str_c(rc_reason_name(at->reason)),
        };
        rc_builder_add_attempt(builder, &attempt);
    }
}

/* Wraps the latest failure; a call that ended at its deadline is told as that.
 * */
static const rc_report *tell_all(rc_gate_job *job)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    const rc_action *action = &job->action;
    const bool is_tried = job->report != NULL;
    const bool is_late = is_tried && (job->is_late || action->reason == RC_WHY_DEADLINE_PASSED);
    rc_builder builder;
    rc_code code = is_tried ? RC_CODE_NONE : untried_code(action);
    if (is_late)
        code = RC_CODE_DEADLINE_EXCEEDED;
    begin_report(job, &builder, code,
                 is_tried ? RC_STR("") : rc_str_c(rc_reason_text(action->reason)));
    if (is_late)
        rc_builder_set_message(&builder,
                               RC_STR("The deadline passed before the answer was whole."));
    rc_builder_set_cause(&builder, job->report);
    add_attempts(job, &builder);
    if (is_tried) {
        rc_builder_set_provider(&builder, provider_of(job, job->now.place)->config->name);
        rc_builder_set_model(&builder, job->now.model);
    }
    if (action->is_retry_exhausted)
        rc_builder_set_retry_exhausted(&builder, true);
    if (action->at_ms > now_ms && action->at_ms != RC_UNLIMITED)
        rc_builder_set_retry_after_ms(&builder, (int64_t)(action->at_ms - now_ms));
    rc_builder_set_context(&builder, RC_STR("decision"), rc_str_c(rc_reason_name(action->reason)));
    rc_builder_set_context_int(&builder, RC_STR("attempt"), (int64_t)action->attempt);
    return rc_builder_finish(&builder);
}

/* ---- telling the client ---- */

static void push_head(const rc_gate_job *job, rc_buf *lines)
{
    const rc_gate_told told = {.request_id = rc_str_c(job->id.text)};
    rc_buf_push(lines, RC_STR("HTTP/1.1 "));
    rc_buf_push_i64(lines, job->status);
    rc_buf_push(lines, RC_STR(" \r\n"));
    (void)rc_render_headers(job->report, job->dialect, lines);
    (void)rc_gate_push_told(lines, &told);
}

static void answer(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    rc_buf lines;
    rc_buf page;
    rc_buf_init(&lines, alloc, RC_JOB_ERROR_MAX);
    rc_buf_init(&page, alloc, ERROR_PAGE_MAX);
    job->status = rc_report_http_status(job->report);
    push_head(job, &lines);
    (void)rc_render_body(job->report, job->dialect, RC_VIEW_USER, &page);
    const rc_str body = rc_buf_get(&page);
    if (rc_buf_status(&lines) == RC_OK && rc_buf_status(&page) == RC_OK &&
        rc_exchange_begin_raw(job->exchange, job->status, rc_buf_get(&lines), RC_HTTP1_LENGTH,
                              body.len) == RC_OK) {
        (void)rc_exchange_write(job->exchange, body);
        rc_gate_job_end_answer(job);
    } else {
        rc_gate_job_cut_answer(job);
    }
    rc_buf_done(&lines);
    rc_buf_done(&page);
}

/* An error in the midst of a stream: the dialect's own event, so that no client takes what it
 * has for all of it. */
static void push_frame(const rc_gate_job *job, rc_buf *frame)
{
    if (!job->now.is_array) {
        (void)rc_render_stream_frame(job->report, job->dialect, RC_VIEW_USER, frame);
        return;
    }
    rc_buf_push(frame, RC_STR(",\r\n"));
    (void)rc_render_body(job->report, job->dialect, RC_VIEW_USER, frame);
    rc_buf_push(frame, RC_STR("\r\n]"));
}

static void end_begun(rc_gate_job *job)
{
    rc_buf frame;
    /* In the middle of anything else there is no place for words. */
    if (job->now.mode != RC_MODE_STREAM) {
        rc_gate_job_cut_answer(job);
        return;
    }
    rc_buf_init(&frame, &job->gate->settings.alloc, ERROR_PAGE_MAX);
    push_frame(job, &frame);
    if (rc_buf_status(&frame) == RC_OK) {
        (void)rc_exchange_write(job->exchange, rc_buf_get(&frame));
        rc_gate_job_end_answer(job);
    } else {
        rc_gate_job_cut_answer(job);
    }
    rc_buf_done(&frame);
}

void rc_gate_job_give_up(rc_gate_job *job)
{
    const rc_report *whole = tell_all(job);
    rc_report_free(job->report);
    job->report = whole;
    if (job->state == RC_JOB_ANSWERING)
        end_begun(job);
    else
        answer(job);
}

/* ---- refusals ---- */

void rc_gate_job_refuse(rc_gate_job *job, rc_code code, int status, rc_str message)
{
    rc_builder builder;
    begin_report(job, &builder, code, message);
    if (status > 0)
        rc_builder_set_http_status(&builder, status);
    rc_report_free(job->report);
    job->report = rc_builder_finish(&builder);
    answer(job);
}

/* "Sentence.", or "name: clause; it should be so." */
void rc_gate_job_refuse_fault(rc_gate_job *job, const rc_gate_fault *fault)
{
    char memory[512];
    rc_buf text;
    rc_str clause = rc_str_c(fault->text);
    rc_buf_init_fixed(&text, memory, sizeof memory);
    if (fault->name[0] != '\0') {
        rc_buf_push(&text, rc_str_c(fault->name));
        rc_buf_push(&text, RC_STR(": "));
    } else if (rc_str_starts_with(clause, RC_STR("t"))) {
        rc_buf_push_byte(&text, 'T');
        clause = rc_str_slice(clause, 1, clause.len);
    }
    rc_buf_push(&text, clause);
    if (fault->want[0] != '\0') {
        rc_buf_push(&text, RC_STR("; it should be "));
        rc_buf_push(&text, rc_str_c(fault->want));
    }
    rc_buf_push_byte(&text, '.');
    rc_gate_job_refuse(job, fault->code, fault->status, rc_buf_get(&text));
}
