/* How a client is told: the report of the whole call, in its dialect. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "core/render_dialect.h"
#include "gateway/job.h"

#define ERROR_PAGE_MAX ((size_t)1 << 20)

/* ---- the whole story ---- */

/* status: of this code in every dialect. */
static void use_dialect_status(const rc_gate_job *job, rc_builder *builder, rc_code code,
                               int status)
{
    const int own = rc_dialect_status(job->dialect, code, status);
    if (own != status)
        rc_builder_set_http_status(builder, own);
}

static int status_of(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    return info != NULL ? info->http_status : 0;
}

void rc_gate_job_begin_report(rc_gate_job *job, rc_builder *builder, rc_code code, rc_str message)
{
    const rc_id id = rc_gate_next_id(job->gate, rc_gate_unix_ms(job->gate));
    rc_builder_init(builder, &job->gate->settings.alloc, code);
    rc_builder_set_id(builder, &id);
    if (job->request.endpoint != NULL)
        rc_builder_set_family(builder, job->request.endpoint->family);
    rc_builder_set_message(builder, message);
    use_dialect_status(job, builder, code, status_of(code));
}

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

/* Whatever could answer it rests. */
static bool is_at_rest(const rc_action *action)
{
    return action->reason == RC_WHY_ALL_UNAVAILABLE || action->reason == RC_WHY_CREDENTIALS_DEAD;
}

/* Of a call that made no try. */
static rc_code untried_code(const rc_gate_job *job)
{
    const rc_action *action = &job->action;
    if (action->reason == RC_WHY_NONE_CAPABLE)
        return missing_code(action->missing);
    if (action->reason == RC_WHY_DEADLINE_PASSED)
        return RC_CODE_DEADLINE_EXCEEDED;
    return is_at_rest(action) ? rc_gate_job_rests_for(job) : RC_CODE_OVERLOADED;
}

static void add_attempts(const rc_gate_job *job, rc_builder *builder)
{
    for (uint32_t i = 0; i < job->step_count; i++) {
        const rc_job_step *step = &job->steps[i];
        if (step->kind != RC_RECORD_ATTEMPT)
            continue;
        /* None has worked: one without a report was let go, as the other lane had failed. */
        const bool is_let_go = step->report == NULL;
        const rc_attempt attempt = {
            .attempt = (int64_t)step->attempt,
            .provider = rc_gate_job_provider_of(job, step->entry)->config->name,
            .model = rc_gate_job_model_of(job, step->entry),
            .code = is_let_go ? RC_CODE_NONE : rc_report_code(step->report),
            .status = is_let_go ? step->status : rc_report_provider_status(step->report),
            .request_id = is_let_go ? RC_STR("") : rc_report_request_id(step->report),
            .started_unix_ms = step->at_unix_ms,
            .duration_ms = step->latency_ms,
            .wait_ms = step->wait_ms > 0 ? (int64_t)step->wait_ms : -1,
            .reason = rc_str_c(rc_reason_name(is_let_go ? RC_WHY_CANCELLED : step->reason)),
        };
        rc_builder_add_attempt(builder, &attempt);
    }
}

/* A time that the latest failure did not tell is what we go by, or know from before. */
static void set_wait(const rc_gate_job *job, rc_builder *builder, int64_t wait_ms)
{
    rc_builder_set_retry_after_ms(builder, wait_ms);
    if (job->report == NULL || job->action.at_ms != job->call.not_before_ms)
        rc_builder_set_context(builder, RC_STR("wait_by"),
                               job->report == NULL && rc_gate_job_is_rest_named(job)
                                   ? RC_STR("provider, before")
                                   : RC_STR("recourse"));
}

static void set_context(const rc_gate_job *job, rc_builder *builder)
{
    const rc_action *action = &job->action;
    const uint64_t now_ms = rc_gate_now(job->gate);
    if (action->is_retry_exhausted)
        rc_builder_set_retry_exhausted(builder, true);
    if (action->at_ms > now_ms && action->at_ms != RC_UNLIMITED)
        set_wait(job, builder, (int64_t)(action->at_ms - now_ms));
    else if (job->report == NULL && untried_code(job) == RC_CODE_OVERLOADED)
        rc_builder_set_retry_after_ms(builder, RC_GATE_BUSY_MS);
    rc_builder_set_context(builder, RC_STR("decision"), rc_str_c(rc_reason_name(action->reason)));
    if (action->reason == RC_WHY_WAIT_PAST_DEADLINE)
        rc_gate_job_note_deadline(job, builder);
    if (action->attempt > 0)
        rc_builder_set_context_int(builder, RC_STR("attempt"), (int64_t)action->attempt);
    if (job->now != NULL && job->was_begun) {
        rc_builder_set_context_int(builder, RC_STR("bytes_delivered"), (int64_t)job->now->bytes);
        rc_gate_try_set_place(job->now, builder);
    }
    if (job->is_once)
        rc_builder_set_context(builder, RC_STR("body"), RC_STR("streamed once, not kept"));
}

/* A clause of the tables, as a message. */
rc_str rc_gate_sentence(const char *clause, char *room, size_t size)
{
    rc_buf text;
    rc_buf_init_fixed(&text, room, size);
    rc_buf_push(&text, rc_str_c(clause));
    rc_buf_push_byte(&text, '.');
    if (rc_buf_status(&text) != RC_OK)
        return rc_str_c(clause);
    if (room[0] >= 'a' && room[0] <= 'z')
        room[0] = (char)(room[0] - 'a' + 'A');
    return rc_buf_get(&text);
}

/* ---- another interface ---- */

/* Can none of the route's providers answer such requests, whatever is in them? */
static bool is_foreign(const rc_gate_job *job)
{
    if (job->report != NULL || job->action.reason != RC_WHY_NONE_CAPABLE)
        return false;
    for (uint16_t i = 0; i < job->plan.entry_count; i++) {
        const rc_gate_provider *provider = rc_gate_job_provider_of(job, i);
        if (provider->is_demo ||
            rc_gate_endpoint_suits(job->request.endpoint, provider->config->kind->dialect))
            return false;
    }
    return true;
}

static rc_str wire_name(rc_gate_wire wire)
{
    static const char *const names[RC_WIRE_COUNT] = {"OpenAI's", "Anthropic's", "Gemini's"};
    return rc_str_c(wire < RC_WIRE_COUNT ? names[wire] : "its own");
}

static void push_path(rc_buf *text, const rc_gate_endpoint *endpoint)
{
    rc_buf_push(text, endpoint->path);
    if (endpoint->model == RC_MODEL_PATH)
        rc_buf_push(text, RC_STR("MODEL"));
    rc_buf_push(text, endpoint->verb);
}

/* The provider's endpoints for the same kind of work, a few of them. */
static uint32_t push_endpoints(rc_buf *text, const rc_gate_job *job, rc_dialect dialect)
{
    const rc_gate_endpoint *endpoint;
    uint32_t count = 0;
    for (size_t i = 0; count < 3 && (endpoint = rc_gate_endpoint_at(i)) != NULL; i++) {
        const bool is_count = endpoint->id == RC_ENDPOINT_COUNT_TOKENS ||
                              endpoint->id == RC_ENDPOINT_TOKENS ||
                              endpoint->id == RC_ENDPOINT_TOKENS_V1;
        if (endpoint->family != job->request.endpoint->family || endpoint->wire >= RC_WIRE_COUNT ||
            is_count || !rc_gate_endpoint_suits(endpoint, dialect))
            continue;
        rc_buf_push(text, count++ > 0 ? RC_STR(", ") : RC_STR(""));
        push_path(text, endpoint);
    }
    return count;
}

/* "/v1/messages is of Anthropic's interface, and the providers of this route speak another one:
 * openai speaks OpenAI's." */
static void tell_foreign(const rc_gate_job *job, rc_builder *builder)
{
    const rc_gate_endpoint *endpoint = job->request.endpoint;
    const rc_config_provider *first = rc_gate_job_provider_of(job, 0)->config;
    char room[1024];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    push_path(&text, endpoint);
    rc_buf_push(&text, RC_STR(" is of "));
    rc_buf_push(&text, wire_name(endpoint->wire));
    rc_buf_push(&text, RC_STR(" interface, and the providers of this route speak another one: "));
    rc_buf_push(&text, first->name);
    rc_buf_push(&text, RC_STR(" speaks "));
    rc_buf_push(&text, wire_name(rc_gate_wire_of(first->kind->dialect)));
    rc_buf_push_byte(&text, '.');
    rc_builder_set_message(builder, rc_buf_get(&text));
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Send it to "));
    if (push_endpoints(&text, job, first->kind->dialect) > 0)
        rc_buf_push(&text, RC_STR(", in that interface, or to "));
    rc_buf_push(&text, RC_STR("a model of a provider that speaks "));
    rc_buf_push(&text, wire_name(endpoint->wire));
    rc_buf_push_byte(&text, '.');
    rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST, rc_buf_get(&text));
}

/* Wraps the latest failure; a call that ended at its deadline is told as that. */
static const rc_report *tell_all(rc_gate_job *job)
{
    const rc_action *action = &job->action;
    const bool is_tried = job->report != NULL;
    const bool is_late = (is_tried && job->is_late) || action->reason == RC_WHY_DEADLINE_PASSED;
    char room[256];
    rc_builder builder;
    rc_code code = is_tried ? RC_CODE_NONE : untried_code(job);
    if (is_foreign(job))
        code = RC_CODE_UNSUPPORTED_FEATURE;
    if (is_late)
        code = RC_CODE_DEADLINE_EXCEEDED;
    rc_gate_job_begin_report(
        job, &builder, code,
        is_tried ? RC_STR("")
                 : rc_gate_sentence(rc_reason_text(action->reason), room, sizeof room));
    if (is_late)
        rc_gate_job_tell_deadline(job, &builder);
    else if (is_tried && job->request.endpoint->wire == RC_WIRE_NATIVE)
        rc_gate_job_tell_native(job, &builder);
    else if (is_tried)
        use_dialect_status(job, &builder, rc_report_code(job->report),
                           rc_report_http_status(job->report));
    if (is_tried && !is_late)
        rc_gate_job_tell_loop(job, &builder);
    if (is_foreign(job))
        tell_foreign(job, &builder);
    if (!is_tried && is_at_rest(action)) {
        use_dialect_status(job, &builder, code, status_of(code));
        rc_gate_job_tell_rest(job, code, &builder);
    }
    rc_builder_set_cause(&builder, job->report);
    add_attempts(job, &builder);
    if (is_tried && job->now != NULL) {
        rc_builder_set_provider(&builder, job->now->provider->config->name);
        rc_builder_set_model(&builder, job->now->model);
    }
    set_context(job, &builder);
    return rc_builder_finish(&builder);
}

static void set_report(rc_gate_job *job, const rc_report *report)
{
    rc_report_free(job->report);
    job->report = report;
}

void rc_gate_job_give_up(rc_gate_job *job)
{
    set_report(job, tell_all(job));
    if (job->state != RC_JOB_ANSWERING)
        rc_gate_job_keep(job, RC_THEN_ERROR);
    else
        rc_gate_job_keep(job, job->now->mode == RC_MODE_STREAM || rc_gate_job_is_told(job)
                                  ? RC_THEN_FRAME
                                  : RC_THEN_CUT);
}

/* Was something carried out, or may it have been, that must not be a second time? */
static bool may_be_done(const rc_gate_job *job)
{
    for (uint32_t i = 0; job->request.replay == RC_REPLAY_NO && i < job->step_count; i++) {
        const rc_job_step *step = &job->steps[i];
        if (step->kind != RC_RECORD_ATTEMPT)
            continue;
        const rc_code code = step->report != NULL ? rc_report_code(step->report) : RC_CODE_NONE;
        if (code == RC_CODE_NONE || code == RC_CODE_OUTCOME_UNKNOWN || code == RC_CODE_INTERNAL)
            return true;
    }
    return false;
}

void rc_gate_job_tell_unkept(rc_gate_job *job, const rc_report *why)
{
    const bool is_lost = may_be_done(job);
    const bool has_worked = job->then == RC_THEN_WHOLE || job->then == RC_THEN_REST;
    rc_builder builder;
    rc_gate_job_begin_report(
        job, &builder, is_lost ? RC_CODE_OUTCOME_UNKNOWN : RC_CODE_NONE,
        is_lost ? RC_STR("The request was sent and may have been carried out. What came of it is "
                         "not passed on: no record of it can be kept.")
                : RC_STR(""));
    rc_builder_set_cause(&builder, why);
    if (!has_worked)
        add_attempts(job, &builder);
    if (job->action.attempt > 0)
        rc_builder_set_context_int(&builder, RC_STR("attempt"), (int64_t)job->action.attempt);
    if (job->now != NULL) {
        rc_builder_set_provider(&builder, job->now->provider->config->name);
        rc_builder_set_model(&builder, job->now->model);
        if (job->was_begun || job->then == RC_THEN_REST)
            rc_gate_try_set_place(job->now, &builder);
    }
    set_report(job, rc_builder_finish(&builder));
    rc_report_free(why);
}

/* ---- refusals ---- */

/* A wait that was cut short is not over because of that. */
static int64_t busy_ms(const rc_gate_job *job)
{
    const uint64_t soon_ms = rc_gate_now(job->gate) + RC_GATE_BUSY_MS;
    const uint64_t at_ms = job->state == RC_JOB_WAITING ? job->action.at_ms : 0;
    return RC_GATE_BUSY_MS + (at_ms > soon_ms ? (int64_t)(at_ms - soon_ms) : 0);
}

void rc_gate_job_refuse(rc_gate_job *job, rc_code code, int status, rc_str message)
{
    rc_builder builder;
    rc_gate_job_begin_report(job, &builder, code, message);
    if (code == RC_CODE_OVERLOADED)
        rc_builder_set_retry_after_ms(&builder, busy_ms(job));
    if (status > 0)
        rc_builder_set_http_status(&builder, rc_dialect_status(job->dialect, code, status));
    add_attempts(job, &builder);
    set_report(job, rc_builder_finish(&builder));
    rc_gate_job_keep(job, RC_THEN_ERROR);
}

void rc_gate_job_shed(rc_gate_job *job, rc_str message)
{
    job->is_shed = true;
    rc_gate_job_refuse(job, RC_CODE_OVERLOADED, 503, message);
}

void rc_gate_job_refuse_report(rc_gate_job *job, const rc_report *report)
{
    set_report(job, report);
    rc_gate_job_keep(job, RC_THEN_ERROR);
}

void rc_gate_job_out_of_memory(rc_gate_job *job)
{
    if (job->call.plan != NULL)
        (void)rc_call_on_cancel(&job->call, rc_gate_now(job->gate));
    rc_gate_job_shed(job, RC_STR("This gateway has no memory for the request."));
}

void rc_gate_fault_push(rc_buf *text, const rc_gate_fault *fault)
{
    rc_str clause = rc_str_c(fault->text);
    if (fault->name[0] != '\0') {
        rc_buf_push(text, rc_str_c(fault->name));
        rc_buf_push(text, RC_STR(": "));
    } else if (rc_str_starts_with(clause, RC_STR("t"))) {
        rc_buf_push_byte(text, 'T');
        clause = rc_str_slice(clause, 1, clause.len);
    }
    rc_buf_push(text, clause);
    if (fault->want[0] != '\0') {
        rc_buf_push(text, RC_STR("; it should be "));
        rc_buf_push(text, rc_str_c(fault->want));
    }
    rc_buf_push_byte(text, '.');
}

void rc_gate_job_refuse_fault(rc_gate_job *job, const rc_gate_fault *fault)
{
    char memory[512];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_gate_fault_push(&text, fault);
    rc_gate_job_refuse(job, fault->code, fault->status, rc_buf_get(&text));
}

/* ---- on the wire ---- */

static void cut(rc_gate_job *job)
{
    rc_exchange_abort(job->exchange);
    rc_gate_job_over(job);
}

static void push_head(const rc_gate_job *job, rc_buf *lines)
{
    rc_gate_told told = {.request_id = rc_str_c(job->id.text)};
    rc_gate_job_tell_cost(job, NULL, &told);
    rc_gate_job_tell_times(job, NULL, &told);
    rc_buf_push(lines, RC_STR("HTTP/1.1 "));
    rc_buf_push_i64(lines, job->status);
    rc_buf_push_byte(lines, ' ');
    rc_buf_push(lines, rc_http_phrase(job->status));
    rc_buf_push(lines, RC_STR("\r\n"));
    (void)rc_render_headers(job->report, job->dialect, lines);
    (void)rc_gate_push_told(lines, &told);
    if (rc_gate_is_limit(job->report) && rc_buf_status(&job->limits) == RC_OK)
        rc_buf_push(lines, rc_buf_get(&job->limits));
    if (job->status == 405 && job->now == NULL && job->request.endpoint != NULL)
        rc_buf_push(lines, job->request.endpoint->method == RC_METHOD_GET
                               ? RC_STR("allow: GET, HEAD\r\n")
                               : RC_STR("allow: POST\r\n"));
}

static void answer_error(rc_gate_job *job)
{
    rc_buf page;
    rc_buf_init(&page, &job->gate->settings.alloc, ERROR_PAGE_MAX);
    rc_buf_reset(&job->lines);
    job->status = rc_report_http_status(job->report);
    push_head(job, &job->lines);
    rc_gate_job_note_final(job);
    (void)rc_render_body(job->report, job->dialect, RC_VIEW_USER, &page);
    const rc_str body = rc_buf_get(&page);
    if (rc_buf_status(&job->lines) == RC_OK && rc_buf_status(&page) == RC_OK &&
        rc_exchange_begin_raw(job->exchange, job->status, rc_buf_get(&job->lines), RC_HTTP1_LENGTH,
                              body.len) == RC_OK) {
        (void)rc_exchange_write(job->exchange, body);
        rc_exchange_end(job->exchange);
    } else {
        cut(job);
    }
    rc_buf_done(&page);
}

/* An error in the midst of a stream: the dialect's own event, so that no client takes what it has
 * for all of it. */
static void push_frame(const rc_gate_job *job, rc_buf *frame)
{
    const rc_gate_try *now = job->now; /* NULL: something was told before the first try */
    if (now == NULL || !now->is_array || rc_gate_job_is_told(job)) {
        if (now != NULL && now->is_inside)
            rc_buf_push(frame, RC_STR("\n\n"));
        (void)rc_render_stream_frame(job->report, job->dialect, RC_VIEW_USER, frame);
        return;
    }
    rc_buf_push(frame, RC_STR(",\r\n"));
    (void)rc_render_body(job->report, job->dialect, RC_VIEW_USER, frame);
    rc_buf_push(frame, RC_STR("\r\n]"));
}

static void answer_frame(rc_gate_job *job)
{
    rc_buf frame;
    rc_buf_init(&frame, &job->gate->settings.alloc, ERROR_PAGE_MAX);
    push_frame(job, &frame);
    if (rc_buf_status(&frame) == RC_OK) {
        (void)rc_exchange_write(job->exchange, rc_buf_get(&frame));
        rc_exchange_end(job->exchange);
    } else {
        cut(job);
    }
    rc_buf_done(&frame);
}

static void answer_whole(rc_gate_job *job)
{
    const rc_str body = rc_buf_get(&job->now->held);
    if (rc_exchange_begin_raw(job->exchange, job->status, rc_buf_get(&job->lines), RC_HTTP1_LENGTH,
                              body.len) != RC_OK) {
        cut(job);
        return;
    }
    /* It stays where it is until the exchange is over. */
    if (body.len > 0)
        (void)rc_exchange_write_kept(job->exchange, body);
    rc_exchange_end(job->exchange);
}

static void answer_rest(rc_gate_job *job)
{
    const rc_str rest = rc_buf_get(&job->now->held);
    if (rest.len > 0)
        (void)rc_exchange_write_kept(job->exchange, rest);
    rc_exchange_end(job->exchange);
}

void rc_gate_job_finish(rc_gate_job *job)
{
    job->state = RC_JOB_ENDING;
    rc_gate_job_uncount_body(job);
    switch (job->then) {
    case RC_THEN_NOTHING:
        rc_gate_job_over(job);
        return;
    case RC_THEN_WHOLE:
        answer_whole(job);
        return;
    case RC_THEN_REST:
        answer_rest(job);
        return;
    case RC_THEN_ERROR:
        if (rc_gate_job_is_told(job))
            answer_frame(job);
        else
            answer_error(job);
        return;
    case RC_THEN_FRAME:
        answer_frame(job);
        return;
    case RC_THEN_CUT:
        cut(job);
        return;
    }
}
