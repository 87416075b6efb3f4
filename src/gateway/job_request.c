/* What a client asks: read, refused, or tried. */
#include "base/str.h"
#include "gateway/host.h"
#include "gateway/job.h"

/* A store that is down is tried again so often. */
#define STORE_AGAIN_MS 6000

/* ---- the head ---- */

static rc_str too_large(void)
{
    return RC_STR("The request's body is larger than this gateway takes: shorten it, or raise "
                  "limits.max_body_bytes.");
}

static void refuse_fault(rc_gate_job *job, const rc_gate_fault *fault)
{
    if (fault->kind != RC_GATE_FAULT_NOT_FOUND)
        rc_gate_job_refuse_fault(job, fault);
    else if (!rc_gate_job_refuse_mistake(job) &&
             !rc_gate_job_refuse_elsewhere(job, rc_gate_request_dialect(&job->request)))
        rc_gate_job_refuse_unknown(job);
}

/* Without tokens whoever can reach the gateway may use it. A browser can, on behalf of any page. */
static bool is_refused_page(rc_gate_job *job, const rc_http1 *reader, const char *head)
{
    switch (rc_host_page(reader, head, rc_gate_job_plans(job)->config->root.listen)) {
    case RC_PAGE_NONE:
        return false;
    case RC_PAGE_OTHER:
        rc_gate_job_refuse(job, RC_CODE_PERMISSION_DENIED, 403,
                           RC_STR("A page of another site may not use this gateway, which asks "
                                  "nobody for a token: configure `clients`, and send one."));
        return true;
    case RC_PAGE_REBOUND:
        rc_gate_job_refuse(job, RC_CODE_PERMISSION_DENIED, 403,
                           RC_STR("A browser may ask this gateway, which asks nobody for a token, "
                                  "by localhost, an address or the host of `listen` alone: use one "
                                  "of these, or configure `clients`, and send a token."));
        return true;
    }
    return false;
}

/* Room for a body whose length is known, as far as it is kept for sure. */
static void await_body(rc_gate_job *job, const rc_http1 *reader)
{
    const uint64_t most = rc_gate_job_plans(job)->config->limits.replay_bytes;
    if (reader->framing == RC_HTTP1_LENGTH && reader->length > 0)
        (void)rc_buf_reserve(&job->body, (size_t)(reader->length < most ? reader->length : most));
    if (reader->framing != RC_HTTP1_NO_BODY)
        rc_gate_job_arm(job);
}

void rc_gate_job_on_head(rc_gate_job *job, const char *head)
{
    const rc_http1 *reader = rc_exchange_reader(job->exchange);
    const rc_gate_plans *plans = rc_gate_job_plans(job);
    const rc_config *config = plans->config;
    const rc_gate_fault fault = rc_gate_request_read_head(&job->request, reader, head);
    const rc_gate_endpoint *endpoint = job->request.endpoint;
    if (endpoint != NULL && endpoint->wire == RC_WIRE_NATIVE)
        job->dialect = rc_gate_native_dialect(plans, &job->request);
    else
        job->dialect = rc_gate_request_dialect(&job->request);
    if (job->request.wants_problem)
        job->dialect = RC_DIALECT_PROBLEM;
    /* A provider's key is no client's token: what comes back would be told of that instead. */
    if (rc_gate_hops_is_loop(&job->request.hops, rc_gate_world_hop(job->gate->world))) {
        rc_gate_job_refuse_loop(job);
        return;
    }
    if (config->client_count == 0 && is_refused_page(job, reader, head))
        return;
    if (config->client_count > 0)
        job->client = rc_gate_plans_client(plans, job->request.token);
    if (config->client_count > 0 && job->client == SIZE_MAX)
        rc_gate_job_refuse(job, RC_CODE_AUTH_FAILED, 401,
                           RC_STR("The token is not one of a client of this gateway: send one of "
                                  "those that `clients` in its configuration names."));
    else if (fault.kind != RC_GATE_FAULT_NONE)
        refuse_fault(job, &fault);
    else if (reader->framing == RC_HTTP1_LENGTH && reader->length > config->limits.max_body_bytes)
        rc_gate_job_refuse(job, RC_CODE_REQUEST_TOO_LARGE, 413, too_large());
    else if (atomic_load_explicit(&job->gate->world->in_flight, memory_order_relaxed) >
             config->limits.max_in_flight)
        rc_gate_job_shed(job, RC_STR("This gateway has as many requests as it may have."));
    else
        await_body(job, reader);
}

/* ---- the plan ---- */

/* False: it was refused. */
static bool choose_policy(rc_gate_job *job)
{
    if (job->request.policy.len == 0)
        return true;
    const rc_policy *policy = rc_config_policy(rc_gate_job_plans(job)->config, job->request.policy);
    if (policy == NULL)
        rc_gate_job_refuse(job, RC_CODE_INVALID_REQUEST, 400,
                           RC_STR("x-recourse-policy names a policy that there is not."));
    else
        job->plan.policy = policy;
    return policy != NULL;
}

void rc_gate_job_leave_entries(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    const uint16_t count = job->plan.entry_count;
    if (job->entries == NULL)
        return;
    for (uint16_t i = 0; i < count; i++)
        if (job->entries[i].target != job->route->plan.entries[i].target)
            rc_gate_world_leave(job->gate->world, job->entries[i].target, rc_gate_now(job->gate));
    if (job->entries != job->first_entries)
        alloc->put(alloc->ctx, job->entries, count * sizeof *job->entries);
    job->entries = NULL;
}

/* Where a place leaves the model open, the plan is the job's own. */
static bool own_entries(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    const uint64_t now_ms = rc_gate_now(job->gate);
    const uint16_t count = job->plan.entry_count;
    job->entries = job->first_entries;
    if (count > RC_JOB_ENTRIES_FIRST)
        job->entries = alloc->get(alloc->ctx, count * sizeof *job->entries);
    if (job->entries == NULL) {
        rc_gate_job_out_of_memory(job);
        return false;
    }
    memcpy(job->entries, job->plan.entries, count * sizeof *job->entries);
    for (uint16_t i = 0; i < count; i++)
        job->entries[i].target =
            rc_gate_route_target(job->edition->plans, job->route, i, job->model, now_ms);
    job->plan.entries = job->entries;
    return true;
}

/* The body is let go of once content is passed on; the model's name is needed to the end. */
static void keep_model(rc_gate_request *request)
{
    const bool is_same = request->model.ptr == request->asked_model.ptr;
    if (request->asked_model.len == 0 || request->asked_model.len > sizeof request->model_room)
        return;
    memmove(request->model_room, request->asked_model.ptr, request->asked_model.len);
    request->asked_model.ptr = request->model_room;
    if (is_same)
        request->model = request->asked_model;
}

/* What is shown of the model that is left when the provider in front of it is taken away. */
static rc_str shown_part(const rc_gate_request *request, rc_str asked)
{
    const size_t before = request->asked_model.len - asked.len;
    if (!rc_str_starts_with(request->model, rc_str_slice(request->asked_model, 0, before)))
        return request->model;
    return rc_str_slice(request->model, before, request->model.len);
}

static bool find_route(rc_gate_job *job)
{
    char room[256];
    rc_buf text;
    keep_model(&job->request);
    rc_gate_job_leave_entries(job); /* a choice that was made by the beginning of the body */
    const rc_gate_choice choice = rc_gate_plans_choose(job->edition->plans, &job->request);
    rc_buf_init_fixed(&text, room, sizeof room);
    if (rc_gate_plans_absent(job->edition->plans, choice.route, job->request.asked_model, &text)) {
        rc_gate_job_refuse(job, RC_CODE_AUTH_FAILED, 401, rc_buf_get(&text));
        return false;
    }
    if (choice.route == NULL && job->request.endpoint->wire == RC_WIRE_NATIVE) {
        rc_gate_job_refuse(job, RC_CODE_ENDPOINT_NOT_FOUND, 404,
                           RC_STR("No provider of that name is known: behind /p/ comes a name that "
                                  "`providers` in the configuration of this gateway has."));
        return false;
    }
    if (choice.route == NULL) {
        rc_gate_job_refuse(job, RC_CODE_MODEL_NOT_FOUND, 404,
                           RC_STR("No route of this gateway fits the model, and no provider of "
                                  "that name is known: GET /v1/models lists those that the "
                                  "configuration names; a route with * takes more."));
        return false;
    }
    job->route = choice.route;
    job->plan = choice.route->plan;
    job->asked_model = choice.model;
    job->model = shown_part(&job->request, choice.model);
    return true;
}

/* A client may shorten the operator's deadline, and lengthen it up to the route's ceiling. */
static bool limit_deadline(rc_gate_job *job)
{
    const rc_gate_route *route = job->route;
    if (job->request.deadline_ms > route->max_deadline_ms)
        job->request.deadline_ms =
            route->max_deadline_ms > route->deadline_ms ? route->max_deadline_ms : 0;
    return true;
}

/* Nobody can tell the price of a model that nobody can read: a budget would count nothing. */
static bool hides_price(const rc_gate_job *job)
{
    const rc_gate_request *request = &job->request;
    return request->is_coded && request->asked_model.len == 0 &&
           rc_gate_job_plans(job)->has_budgets && !rc_gate_request_is_free(request);
}

static bool choose(rc_gate_job *job)
{
    if (hides_price(job)) {
        const rc_gate_fault fault =
            rc_gate_fault_make(RC_GATE_FAULT_CODING, "content-encoding", "identity");
        rc_gate_job_refuse_fault(job, &fault);
        return false;
    }
    return find_route(job) && limit_deadline(job) && choose_policy(job) &&
           (!job->route->is_open || own_entries(job));
}

/* Without a record there is no answer: nobody is asked, and nothing paid, for nothing. */
static bool is_store_down(rc_gate_job *job)
{
    rc_writer *writer = job->gate->world->writer;
    if (writer == NULL || !rc_writer_refuses(writer))
        return false;
    rc_builder builder;
    const rc_report *why = rc_writer_why(writer);
    rc_gate_job_begin_report(job, &builder, RC_CODE_NONE, RC_STR(""));
    rc_builder_set_cause(&builder, why);
    rc_builder_set_retry_after_ms(&builder, STORE_AGAIN_MS);
    rc_gate_job_refuse_report(job, rc_builder_finish(&builder));
    rc_report_free(why);
    return true;
}

static void begin(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    if (is_store_down(job))
        return;
    const uint64_t now_ms = rc_gate_now(gate);
    job->called_ms = now_ms;
    if (job->upload_left > 0)
        job->request.patience_ms = 0; /* who still sends does not wait for a response yet */
    const uint32_t needs = job->route->is_picky ? rc_gate_request_needs(&job->request) : 0;
    const rc_call_options options = {
        .deadline_at_ms = rc_gate_job_call_deadline(job),
        .max_calls = job->route->plan.policy->max_calls, /* whatever policy the client chose */
        .max_wait_ms = job->route->max_wait_ms,
        .needs = needs | rc_gate_need_of(job->request.endpoint),
        .first_entry = rc_gate_world_first(gate->world, job->route),
        .is_once = job->is_once,
        .skips = &gate->skips,
    };
    rc_call_init(&job->call, &job->plan, &gate->world->shared, &options, now_ms);
    rc_gate_job_do(job, rc_call_begin(&job->call, now_ms, rc_gate_chance_u64(gate)));
}

/* ---- the body ---- */

static void answer_models(rc_gate_job *job)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("application/json")};
    const rc_dialect dialect =
        rc_gate_request_dialect(&job->request); /* whatever errors are to be in */
    const bool is_one = job->request.endpoint->model == RC_MODEL_PATH;
    if (is_one && !find_route(job))
        return;
    if (is_one)
        rc_gate_push_model(rc_gate_job_plans(job), job->route, job->request.model, dialect,
                           &job->lines);
    else
        rc_gate_push_models(rc_gate_job_plans(job), dialect, &job->lines);
    job->status = 200;
    job->state = RC_JOB_ENDING;
    if (rc_buf_status(&job->lines) == RC_OK &&
        rc_exchange_answer(job->exchange, 200, &field, 1, rc_buf_get(&job->lines)) == RC_OK)
        return;
    rc_exchange_abort(job->exchange);
    rc_gate_job_over(job);
}

static void take(rc_gate_job *job)
{
    const rc_gate_fault fault = rc_gate_request_read_body(&job->request, rc_buf_get(&job->body));
    if (fault.kind != RC_GATE_FAULT_NONE)
        rc_gate_job_refuse_fault(job, &fault);
    else if (job->request.endpoint->wire == RC_WIRE_LOCAL)
        answer_models(job);
    else {
        rc_gate_job_check_repeat(job);
        if (choose(job))
            begin(job);
    }
}

/* The demo answers whole requests alone. */
static bool has_demo(const rc_gate_route *route)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (route->places[i].provider->is_demo)
            return true;
    return false;
}

/* Too large to be kept. Its length is known and the model was among the first bytes: it can go on
 * its way, once. Else all of it is kept, as far as max_body_bytes allows. */
static void let_through(rc_gate_job *job)
{
    const rc_http1 *reader = job->request.reader;
    const rc_str body = rc_buf_get(&job->body);
    if (reader->framing != RC_HTTP1_LENGTH || body.len >= reader->length ||
        !rc_gate_request_read_start(&job->request, body, reader->length - body.len))
        return;
    if (!choose(job))
        return;
    if (has_demo(job->route)) {
        rc_gate_request_forget_start(&job->request);
        return;
    }
    job->is_once = true;
    job->upload_left = reader->length - body.len;
    rc_gate_request_watch_begin(&job->request);
    begin(job);
}

/* The provider has not got all of it, so it has carried nothing out. */
static void refuse_upload(rc_gate_job *job)
{
    char room[256];
    rc_buf text;
    const rc_gate_fault fault = rc_gate_fault_make(RC_GATE_FAULT_AMBIGUOUS, job->request.twin, "");
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_gate_fault_push(&text, &fault);
    job->upload_left = 0;
    rc_gate_try_stop(job->now);
    rc_gate_try_fail_here(job->now, fault.code, rc_buf_get(&text));
}

static void on_piece_of_upload(rc_gate_job *job, rc_str piece)
{
    job->upload_left -= piece.len < job->upload_left ? piece.len : job->upload_left;
    const bool is_tried = job->state == RC_JOB_TRYING || job->state == RC_JOB_ANSWERING;
    if (is_tried && !rc_gate_request_watch(&job->request, piece)) {
        refuse_upload(job);
        return;
    }
    if (job->state == RC_JOB_TRYING || job->state == RC_JOB_ANSWERING)
        rc_gate_try_upload(job->now, piece, job->upload_left == 0);
}

/* Counts a piece that is to be kept. False: there is no room for it, and it was refused. */
static bool count_kept(rc_gate_job *job, size_t len)
{
    atomic_size_t *all = &job->gate->world->kept_bytes;
    const uint64_t most = rc_gate_job_plans(job)->config->limits.max_kept_bytes;
    const size_t before = atomic_fetch_add_explicit(all, len, memory_order_relaxed);
    if (before + len <= most) {
        job->kept_bytes += len;
        return true;
    }
    atomic_fetch_sub_explicit(all, len, memory_order_relaxed);
    const bool is_too_large = job->kept_bytes + len > most;
    rc_gate_job_drop_body(job);
    if (is_too_large)
        rc_gate_job_refuse(job, RC_CODE_REQUEST_TOO_LARGE, 413,
                           RC_STR("The request's body is larger than this gateway keeps: shorten "
                                  "it, or raise limits.max_kept_bytes."));
    else
        rc_gate_job_shed(job, RC_STR("This gateway keeps as much of other requests as it may: try "
                                     "again, or raise limits.max_kept_bytes."));
    return false;
}

void rc_gate_job_uncount_body(rc_gate_job *job)
{
    atomic_fetch_sub_explicit(&job->gate->world->kept_bytes, job->kept_bytes, memory_order_relaxed);
    job->kept_bytes = 0;
}

void rc_gate_job_drop_body(rc_gate_job *job)
{
    rc_gate_job_uncount_body(job);
    if (job->state == RC_JOB_OVER)
        rc_gate_rest_buf(&job->body);
    else
        rc_gate_drop_buf(&job->body);
}

void rc_gate_job_on_body(rc_gate_job *job, rc_str piece)
{
    if (job->is_once) {
        on_piece_of_upload(job, piece);
        return;
    }
    if (job->state != RC_JOB_READING || !count_kept(job, piece.len))
        return;
    const uint64_t replay_bytes = rc_gate_job_plans(job)->config->limits.replay_bytes;
    const size_t before = rc_buf_get(&job->body).len;
    const rc_status status = rc_buf_push(&job->body, piece);
    if (status == RC_E_TOO_LARGE)
        rc_gate_job_refuse(job, RC_CODE_REQUEST_TOO_LARGE, 413, too_large());
    else if (status != RC_OK)
        rc_gate_job_shed(job, RC_STR("This gateway has no memory for the request."));
    else if (before <= replay_bytes && before + piece.len > replay_bytes)
        let_through(job);
}

void rc_gate_job_on_body_end(rc_gate_job *job)
{
    job->is_body_whole = true;
    if (job->state == RC_JOB_READING)
        take(job);
}
