#include "gateway/job.h"

#include "base/str.h"

#define WIRE_MAX_BYTES ((size_t)256 << 10)
#define HEAD_MAX_BYTES ((size_t)128 << 10)
#define ROOM_MAX_BYTES (2 * RC_STREAM_EVENT_MAX_BYTES)

/* ---- life ---- */

rc_gate_job *rc_gate_job_new(rc_gate *gate, rc_exchange *exchange)
{
    const rc_alloc *alloc = &gate->settings.alloc;
    const size_t body_max = gate->settings.config->limits.max_body_bytes;
    rc_gate_job *job = alloc->get(alloc->ctx, sizeof *job);
    if (job == NULL)
        return NULL;
    /* Calls, readers and the request are large and are set when they begin. */
    memset(job, 0, offsetof(rc_gate_job, request));
    memset(&job->route, 0, offsetof(rc_gate_job, now) - offsetof(rc_gate_job, route));
    memset(&job->now.upstream, 0, sizeof job->now.upstream);
    memset(&job->attempt_count, 0, sizeof *job - offsetof(rc_gate_job, attempt_count));
    job->now.demo = NULL;
    job->gate = gate;
    job->exchange = exchange;
    job->dialect = RC_DIALECT_OPENAI_CHAT;
    job->id = rc_gate_next_id(gate);
    memcpy(job->id.text, "req", 3);
    rc_buf_init(&job->body, alloc, body_max);
    rc_buf_init(&job->wire, alloc, WIRE_MAX_BYTES);
    rc_buf_init(&job->sent, alloc, body_max + RC_GATE_MODEL_MAX * 8);
    rc_buf_init(&job->head, alloc, HEAD_MAX_BYTES);
    rc_buf_init(&job->held, alloc, 2 * RC_JOB_HELD_MAX);
    rc_buf_init(&job->room, alloc, ROOM_MAX_BYTES);
    (void)uv_timer_init(gate->loop, &job->timer); /* never fails */
    job->timer.data = job;
    gate->jobs++;
    rc_exchange_set_owner(exchange, job);
    return job;
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_gate_job *job = handle->data;
    rc_gate *gate = job->gate;
    for (uint32_t i = 0; i < job->attempt_count && i < RC_JOB_ATTEMPTS_MAX; i++)
        rc_report_free(job->attempts[i].report);
    rc_report_free(job->report);
    rc_secret_wipe_buf(&job->wire);
    rc_buf_done(&job->body);
    rc_buf_done(&job->wire);
    rc_buf_done(&job->sent);
    rc_buf_done(&job->head);
    rc_buf_done(&job->held);
    rc_buf_done(&job->room);
    gate->settings.alloc.put(gate->settings.alloc.ctx, job, sizeof *job);
    rc_gate_job_left(gate);
}

static void finish(rc_gate_job *job)
{
    if (job->state == RC_JOB_OVER)
        return;
    job->state = RC_JOB_OVER;
    job->exchange = NULL;
    uv_close((uv_handle_t *)&job->timer, on_timer_closed);
}

void rc_gate_job_on_done(rc_gate_job *job)
{
    finish(job);
}

void rc_gate_job_on_gone(rc_gate_job *job)
{
    rc_gate_job_stop_try(job);
    if (job->call.plan != NULL)
        (void)rc_call_on_cancel(&job->call, rc_gate_now(job->gate));
    rc_gate_job_record(job);
    finish(job);
}

void rc_gate_job_end_answer(rc_gate_job *job)
{
    (void)uv_timer_stop(&job->timer);
    job->state = RC_JOB_ENDING;
    rc_gate_job_record(job);
    rc_exchange_end(job->exchange);
}

void rc_gate_job_cut_answer(rc_gate_job *job)
{
    rc_gate_job_record(job);
    rc_exchange_abort(job->exchange);
    finish(job);
}

void rc_gate_job_record(rc_gate_job *job)
{
    const rc_gate_settings *settings = &job->gate->settings;
    if (job->is_recorded || settings->on_record == NULL)
        return;
    job->is_recorded = true;
    const rc_http1 *reader = job->request.reader;
    const rc_str target = rc_http1_target(reader, job->request.head);
    rc_gate_record record = {
        .method = rc_http1_method(reader),
        .path = rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0)),
        .model = job->request.model,
        .attempts = job->action.attempt,
        .status = job->status,
        .was_begun = job->was_begun,
        /* What went wrong before it worked is in the attempts. */
        .report = job->action.what == RC_DO_DELIVER ? NULL : job->report,
    };
    if (job->action.attempt > 0) {
        const rc_gate_plans *plans = &job->gate->plans;
        record.provider = plans->providers[plans->places[job->now.place].provider].config->name;
        record.target = job->now.model;
    }
    settings->on_record(settings->ctx, &record);
}

/* ---- the request ---- */

void rc_gate_job_on_head(rc_gate_job *job, const char *head)
{
    const rc_http1 *reader = rc_exchange_reader(job->exchange);
    const rc_gate *gate = job->gate;
    const rc_config *config = gate->settings.config;
    const rc_gate_fault fault = rc_gate_request_read_head(&job->request, reader, head);
    if (job->request.endpoint != NULL)
        job->dialect = job->request.endpoint->dialect;
    if (job->request.wants_problem)
        job->dialect = RC_DIALECT_PROBLEM;
    if (config->client_count > 0 &&
        rc_gate_plans_client(&gate->plans, job->request.token) == SIZE_MAX)
        rc_gate_job_refuse(job, RC_CODE_AUTH_FAILED, 401,
                           RC_STR("The token is not one of a client of this gateway."));
    else if (fault.kind != RC_GATE_FAULT_NONE)
        rc_gate_job_refuse_fault(job, &fault);
    else if (reader->framing == RC_HTTP1_LENGTH && reader->length > config->limits.max_body_bytes)
        rc_gate_job_refuse(job, RC_CODE_REQUEST_TOO_LARGE, 413,
                           RC_STR("The request's body is larger than this gateway takes."));
    else if (gate->jobs > config->limits.max_in_flight)
        rc_gate_job_refuse(job, RC_CODE_OVERLOADED, 503,
                           RC_STR("This gateway has as many requests as it may have."));
    else if (reader->framing == RC_HTTP1_LENGTH && reader->length > 0)
        (void)rc_buf_reserve(&job->body, (size_t)reader->length);
}

void rc_gate_job_on_body(rc_gate_job *job, rc_str piece)
{
    if (job->state != RC_JOB_READING)
        return;
    const rc_status status = rc_buf_push(&job->body, piece);
    if (status == RC_E_TOO_LARGE)
        rc_gate_job_refuse(job, RC_CODE_REQUEST_TOO_LARGE, 413,
                           RC_STR("The request's body is larger than this gateway takes."));
    else if (status != RC_OK)
        rc_gate_job_refuse(job, RC_CODE_OVERLOADED, 503,
                           RC_STR("This gateway has no memory for the request."));
}

/* ---- the plan ---- */

/* False: it was refused. */
static bool choose_policy(rc_gate_job *job)
{
    if (job->request.policy.len == 0)
        return true;
    const rc_policy *policy = rc_config_policy(job->gate->settings.config, job->request.policy);
    if (policy == NULL)
        rc_gate_job_refuse(job, RC_CODE_INVALID_REQUEST, 400,
                           RC_STR("x-recourse-policy names a policy that there is not."));
    else
        job->plan.policy = policy;
    return policy != NULL;
}

static bool choose(rc_gate_job *job)
{
    const rc_gate_choice choice = rc_gate_plans_choose(&job->gate->plans, &job->request);
    if (choice.route == NULL) {
        rc_gate_job_refuse(job, RC_CODE_MODEL_NOT_FOUND, 404,
                           RC_STR("No route of this gateway fits the model, and no provider of "
                                  "that name is known."));
        return false;
    }
    job->route = choice.route;
    job->chain = &choice.route->chain;
    job->plan = choice.route->plan;
    job->model = choice.model;
    if (choice.place != RC_NO_TARGET) {
        job->entry = job->plan.entries[0];
        job->entry.target = choice.place;
        job->plan.entries = &job->entry;
    }
    return choose_policy(job);
}

static void begin(rc_gate_job *job)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    const uint64_t deadline_ms =
        job->request.deadline_ms > 0 ? job->request.deadline_ms : job->route->deadline_ms;
    const uint32_t needs = job->route->is_picky ? rc_gate_request_needs(&job->request) : 0;
    const rc_call_options options = {
        .deadline_at_ms = now_ms + deadline_ms,
        .needs = needs | rc_gate_need_of(job->request.endpoint),
        .first_entry = rc_chain_first(job->chain),
    };
    rc_call_init(&job->call, &job->plan, &job->gate->plans.shared, &options, now_ms);
    job->state = RC_JOB_TRYING;
    rc_gate_job_do(job, rc_call_begin(&job->call, now_ms, rc_gate_chance_u64(job->gate)));
}

static void answer_models(rc_gate_job *job)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("application/json")};
    rc_gate_push_models(job->gate, &job->held);
    job->status = 200;
    job->state = RC_JOB_ENDING;
    rc_gate_job_record(job);
    if (rc_buf_status(&job->held) != RC_OK ||
        rc_exchange_answer(job->exchange, 200, &field, 1, rc_buf_get(&job->held)) != RC_OK)
        rc_gate_job_cut_answer(job);
}

void rc_gate_job_on_body_end(rc_gate_job *job)
{
    if (job->state != RC_JOB_READING)
        return;
    const rc_gate_fault fault = rc_gate_request_read_body(&job->request, rc_buf_get(&job->body));
    if (fault.kind != RC_GATE_FAULT_NONE)
        rc_gate_job_refuse_fault(job, &fault);
    else if (job->request.endpoint->wire == RC_WIRE_LOCAL)
        answer_models(job);
    else if (choose(job))
        begin(job);
}

/* ---- actions ---- */

/* A try that takes too long for the call, or for its first content. */
static void end_late_try(rc_gate_job *job)
{
    rc_failure failure = {
        .transport = RC_TRANSPORT_TIMEOUT,
        .phase = job->now.mode == RC_MODE_HEAD ? RC_PHASE_SENT : RC_PHASE_HEADERS,
    };
    job->is_late = rc_gate_now(job->gate) >= job->action.deadline_at_ms;
    rc_gate_job_stop_try(job);
    rc_gate_job_fail(job, &failure);
}

static void on_timer(uv_timer_t *timer)
{
    rc_gate_job *job = timer->data;
    rc_gate *gate = job->gate;
    if (job->state == RC_JOB_WAITING) {
        job->state = RC_JOB_TRYING;
        rc_gate_job_do(job,
                       rc_call_on_wake(&job->call, rc_gate_now(gate), rc_gate_chance_u64(gate)));
    } else if (job->state == RC_JOB_TRYING || job->state == RC_JOB_ANSWERING) {
        end_late_try(job);
    }
}

void rc_gate_job_arm(rc_gate_job *job)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    uint64_t at_ms = job->action.deadline_at_ms;
    if (job->state == RC_JOB_WAITING)
        at_ms = job->action.at_ms;
    else if (job->state == RC_JOB_TRYING && job->now.content_by_ms < at_ms)
        at_ms = job->now.content_by_ms;
    if (at_ms == RC_UNLIMITED)
        (void)uv_timer_stop(&job->timer);
    else
        (void)uv_timer_start(&job->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* The latest failure's attempt says what came of it. */
static void note(rc_gate_job *job)
{
    if (job->attempt_count == 0 || job->attempt_count > RC_JOB_ATTEMPTS_MAX)
        return;
    rc_job_attempt *last = &job->attempts[job->attempt_count - 1];
    if (last->reason != RC_WHY_NONE)
        return;
    last->reason = job->action.reason;
    last->wait_ms = job->action.what == RC_DO_WAIT ? job->action.wait_ms : 0;
}

void rc_gate_job_do(rc_gate_job *job, rc_action action)
{
    job->action = action;
    note(job);
    switch (action.what) {
    case RC_DO_TRY:
        rc_gate_job_try(job);
        return;
    case RC_DO_WAIT:
        job->state = RC_JOB_WAITING;
        rc_gate_job_arm(job);
        return;
    case RC_DO_REFRESH:
        /* Keys are read at the start; there is no fresher one to be had. */
        rc_gate_job_do(job, rc_call_on_refreshed(&job->call, false, rc_gate_now(job->gate),
                                                 rc_gate_chance_u64(job->gate)));
        return;
    case RC_DO_DELIVER:
        return;
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        rc_gate_job_give_up(job);
        return;
    }
}

void rc_gate_job_on_drained(rc_gate_job *job)
{
    if (job->state == RC_JOB_ANSWERING)
        rc_gate_job_resume_try(job);
}
