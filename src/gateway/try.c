/* One try: the request as the provider gets it, and the call that carries it. */
#include "base/str.h"
#include "gateway/job.h"

#define WIRE_MAX_BYTES ((size_t)256 << 10) /* beside a body that is written anew */
/* How often a try that is paused for money asks again: so late at most it sees that a budget has
 * renewed, was raised, or that others did not need what they held. */
#define PAUSE_MS 250u
#define HEAD_MAX_BYTES ((size_t)128 << 10)
#define ROOM_MAX_BYTES (2 * RC_STREAM_EVENT_MAX_BYTES)

static uint32_t ms32(uint64_t ms)
{
    return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* ---- memory ---- */

static rc_gate_try *take_spare(rc_gate *gate)
{
    const rc_alloc *alloc = &gate->settings.alloc;
    rc_gate_try *try = gate->spare_tries;
    if (try != NULL) {
        gate->spare_tries = try->next_spare;
        gate->spare_try_count--;
        return try;
    }
    try = alloc->get(alloc->ctx, sizeof *try);
    if (try == NULL)
        return NULL;
    rc_buf_init(&try->wire, alloc, 0);
    rc_buf_init(&try->head, alloc, HEAD_MAX_BYTES);
    rc_buf_init(&try->held, alloc, 2 * RC_JOB_HELD_MAX);
    rc_buf_init(&try->room, alloc, ROOM_MAX_BYTES);
    return try;
}

static rc_gate_try *new_try(rc_gate_job *job)
{
    rc_gate_try *try = take_spare(job->gate);
    if (try == NULL)
        return NULL;
    /* The readers are set when they begin; the call's is large. */
    memset(try, 0, offsetof(rc_gate_try, usage));
    memset(&try->upstream, 0, offsetof(rc_upstream_call, reader));
    try->job = job;
    try->first_byte_ms = -1;
    rc_usage_init(&try->usage);
    try->hold.count = 0;
    const size_t body_max = rc_gate_job_plans(job)->config->limits.max_body_bytes;
    try->wire.max_bytes = WIRE_MAX_BYTES + body_max;
    return try;
}

static void free_memory(rc_gate *gate, rc_gate_try *try)
{
    rc_buf_done(&try->wire);
    rc_buf_done(&try->head);
    rc_buf_done(&try->held);
    rc_buf_done(&try->room);
    gate->settings.alloc.put(gate->settings.alloc.ctx, try, sizeof *try);
}

void rc_gate_try_free(rc_gate_try *try)
{
    if (try == NULL)
        return;
    rc_gate *gate = try->job->gate;
    rc_gate_try_stop(try);
    if (try->hold.count > 0)
        (void)rc_purse_release(&gate->world->purse, &try->hold);
    rc_report_free(try->flaw);
    try->flaw = NULL;
    rc_secret_wipe_buf(&try->wire);
    if (gate->spare_try_count >= RC_GATE_SPARE_MAX) {
        free_memory(gate, try);
        return;
    }
    rc_gate_rest_buf(&try->wire);
    rc_gate_rest_buf(&try->head);
    rc_gate_rest_buf(&try->held);
    rc_gate_rest_buf(&try->room);
    try->next_spare = gate->spare_tries;
    gate->spare_tries = try;
    gate->spare_try_count++;
}

void rc_gate_free_spares(rc_gate *gate)
{
    while (gate->spare_tries != NULL) {
        rc_gate_try *try = gate->spare_tries;
        gate->spare_tries = try->next_spare;
        free_memory(gate, try);
    }
}

/* A stream may be open for long: nothing that it does not need any more is kept with it. A provider
 * that answers before it has read the request is still being sent it. The answer's head stays, for
 * a report that may still be due. */
void rc_gate_try_slim(rc_gate_try *try)
{
    if (try->demo != NULL || !rc_upstream_is_sent(&try->upstream))
        return;
    try->job->ask = rc_ask_read(try->job->request.body);
    try->job->is_body_gone = true;
    rc_secret_wipe_buf(&try->wire);
    rc_gate_drop_buf(&try->wire);
    rc_gate_job_drop_body(try->job);
}

/* ---- the request ---- */

static const rc_gate_place *place_of(const rc_gate_try *try)
{
    return &try->job->route->places[try->entry];
}

/* The demo speaks as it is spoken to. */
static const rc_config_kind *kind_of(const rc_gate_try *try)
{
    if (!try->provider->is_demo)
        return try->provider->config->kind;
    switch (try->job->request.endpoint->wire) {
    case RC_WIRE_ANTHROPIC:
        return rc_config_kind_find(RC_STR("anthropic"));
    case RC_WIRE_GEMINI:
        return rc_config_kind_find(RC_STR("gemini"));
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* NATIVE */
    case RC_WIRE_LOCAL:
        break;
    }
    return rc_config_kind_find(RC_STR("openai"));
}

static bool is_open(rc_str model)
{
    return rc_str_eq(model, RC_STR("*"));
}

static rc_gate_fault write_request(rc_gate_try *try, rc_gate_upstream *ret_upstream)
{
    rc_gate *gate = try->job->gate;
    rc_gate_target target = {
        .origin = &try->provider->origin,
        .kind = kind_of(try),
        .auth = (rc_config_auth)try->provider->config->auth,
        .model = is_open(place_of(try)->model) ? try->job->asked_model : try->model,
        .quoted = place_of(try)->quoted,
        .key = rc_secret_make(rc_str_make(NULL, 0)),
        .hop = rc_gate_world_hop(gate->world),
    };
    if (try->credential != RC_NO_TARGET &&
        !rc_gate_find_key(gate, try->provider, try->credential, &target.key))
        return rc_gate_fault_make(RC_GATE_FAULT_KEY, "keys", "one that is still configured");
    try->key = target.key;
    if (try->job->request.trace.is_valid)
        rc_gate_chance(gate, target.span, sizeof target.span);
    return rc_gate_request_write(&try->job->request, &target, &try->wire, ret_upstream);
}

/* ---- the call ---- */

static void start_demo(rc_gate_try *try, const rc_upstream_request *request)
{
    rc_gate *gate = try->job->gate;
    rc_demo *demo = rc_gate_demo(gate);
    if (demo != NULL)
        try->demo = rc_demo_start(demo, request, rc_gate_unix_ms(gate), &rc_gate_try_upstream, try);
    try->is_started = try->demo != NULL;
    if (try->demo == NULL)
        rc_gate_try_fail_here(try, RC_CODE_INTERNAL,
                              RC_STR("There is no memory for the demo's answer."));
}

static void start(rc_gate_try *try, const rc_upstream_request *request)
{
    if (try->provider->is_demo) {
        start_demo(try, request);
        return;
    }
    const rc_upstream_kind kind =
        rc_upstream_start(&try->upstream, try->job->gate->upstream, &try->provider->origin, request,
                          &rc_gate_try_upstream, try);
    if (kind == RC_UPSTREAM_NONE)
        return;
    char room[128];
    rc_gate_try_fail_here(try, rc_gate_local_code(kind),
                          rc_gate_sentence(rc_upstream_kind_text(kind), room, sizeof room));
}

/* How long its answer may take to begin: by the configuration, and by what the deadline leaves it
 * beside the targets that can be asked after it. What must not be sent twice has no such share. */
static uint64_t first_byte_ms(rc_gate_try *try)
{
    const rc_gate_job *job = try->job;
    const uint64_t own_ms = rc_gate_request_first_byte_ms(&job->request, &job->route->timeouts);
    const rc_action *action = &job->action;
    if (job->request.replay == RC_REPLAY_NO || action->begin_by_ms >= action->deadline_at_ms ||
        try->lane == RC_LANE_SECOND)
        return own_ms;
    const uint64_t left_ms =
        action->begin_by_ms > try->started_ms ? action->begin_by_ms - try->started_ms : 1;
    try->has_share = own_ms == 0 || left_ms < own_ms;
    return try->has_share ? left_ms : own_ms;
}

static void carry_out(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    const rc_config_timeouts *timeouts = &job->route->timeouts;
    rc_gate_upstream up;
    const rc_gate_fault fault = write_request(try, &up);
    if (fault.kind != RC_GATE_FAULT_NONE) {
        rc_gate_try_fail_here(try, fault.code, rc_str_c(fault.text));
        return;
    }
    const rc_upstream_request request = {
        .head = up.head,
        .body = up.pieces[0],
        .more = {up.pieces[1], up.pieces[2]},
        .is_body_open = job->upload_left > 0,
        .is_bodiless = up.is_bodiless,
        .connect_ms = ms32(timeouts->connect_ms),
        .first_byte_ms = ms32(first_byte_ms(try)),
        .idle_ms = ms32(timeouts->idle_ms),
    };
    rc_gate_job_arm(job);
    start(try, &request);
}

/* ---- money ---- */

static size_t route_index(const rc_gate_job *job)
{
    return job->route->is_direct ? SIZE_MAX : (size_t)(job->route - rc_gate_job_plans(job)->routes);
}

static rc_spend_answer reserve(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    char names[RC_METRICS_NAME_MAX * 5];
    rc_buf target;
    rc_spend_told told = {.count = 0};
    rc_buf_init_fixed(&target, names, sizeof names);
    rc_buf_push(&target, try->provider->config->name);
    rc_buf_push_byte(&target, '/');
    rc_buf_push(&target, try->model);
    const rc_purse_try what = {
        .client = job->client,
        .route = route_index(job),
        .target = rc_buf_get(&target),
        .provider = try->provider->config,
        .model = try->model,
        .request = job->request.body,
    };
    const rc_spend_answer answer =
        rc_purse_reserve(&job->gate->world->purse, &rc_gate_job_plans(job)->money, &what,
                         try->started_unix_ms, &try->hold, &told);
    rc_gate_job_tell_money(job, &told);
    return answer;
}

/* Its time is that of the question whether there is money for it: what it costs belongs to the
 * budgets' windows of then, and the provider is asked right after it. */
static void set_start(rc_gate_try *try)
{
    const rc_gate *gate = try->job->gate;
    try->started_ms = rc_gate_now(gate);
    try->started_ns = uv_hrtime();
    try->started_unix_ms = rc_gate_unix_ms(gate);
}

static void wait_for_money(rc_gate_try *try, const rc_spend_answer *answer)
{
    rc_gate_job *job = try->job;
    if (job->state != RC_JOB_PAUSED) {
        if (job->upload_left > 0)
            rc_exchange_pause_body(job->exchange);
        rc_gate_job_tell_pause(job, answer);
        rc_gate_job_step_pause(job, answer);
        job->state = RC_JOB_PAUSED;
    }
    if (job->gate->is_stopping) {
        rc_gate_job_cut_short(job);
        return;
    }
    job->again_at_ms = try->started_ms + PAUSE_MS;
    rc_gate_job_arm(job);
}

/* There is money. How late an answer is counts from now: so does the time of a hedge. */
static void end_pause(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    rc_gate_job_step_pause_end(job);
    if (job->upload_left > 0)
        rc_exchange_resume_body(job->exchange);
    if (job->hedge.at_ms != RC_UNLIMITED)
        job->hedge.at_ms += try->started_ms - job->waits_from_ms;
    job->state = RC_JOB_TRYING;
}

/* Paused: asked again and again, until there is room, the deadline comes or the client leaves. A
 * hedge does not wait: the first lane goes on without it. */
void rc_gate_try_ask_again(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    set_start(try);
    if (rc_gate_job_plans(job)->has_budgets && !rc_gate_request_is_free(&job->request)) {
        const rc_spend_answer answer = reserve(try);
        const bool is_late = try->started_ms + PAUSE_MS >= job->action.deadline_at_ms;
        if (answer.verdict == RC_SPEND_WAIT && !is_late && try != job->beside) {
            wait_for_money(try, &answer);
            return;
        }
        if (answer.verdict != RC_SPEND_GRANTED) {
            if (job->state == RC_JOB_PAUSED)
                rc_gate_job_step_pause_end(job);
            rc_gate_try_refuse_money(try, &answer);
            return;
        }
    }
    if (job->state == RC_JOB_PAUSED)
        end_pause(try);
    job->state = RC_JOB_TRYING;
    carry_out(try);
}

void rc_gate_try_start(rc_gate_job *job, rc_hedge_lane lane, uint16_t entry, uint16_t credential)
{
    const rc_gate_place *place = &job->route->places[entry];
    rc_gate_try *try = new_try(job);
    if (try == NULL) {
        rc_gate_job_out_of_memory(job);
        return;
    }
    if (lane == RC_LANE_SECOND) {
        job->beside = try;
    } else {
        rc_gate_try_free(job->now);
        job->now = try;
    }
    try->lane = lane;
    try->entry = entry;
    try->credential = credential;
    try->attempt = job->action.attempt;
    try->provider = place->provider;
    try->model = is_open(place->model) ? job->model : place->model;
    try->first_byte_us = RC_METRICS_NO_TIME;
    rc_gate_try_ask_again(try);
}

/* ---- while it runs ---- */

void rc_gate_try_stop(rc_gate_try *try)
{
    if (try->demo != NULL)
        rc_demo_cancel(try->demo);
    try->demo = NULL;
    rc_upstream_cancel(&try->upstream);
    if (try->coded != NULL)
        rc_gate_try_coded_stop(try);
}

void rc_gate_try_pause(rc_gate_try *try)
{
    try->is_full = true;
    if (try->demo != NULL)
        rc_demo_pause(try->demo);
    else if (rc_upstream_is_live(&try->upstream))
        rc_upstream_pause(&try->upstream);
}

void rc_gate_try_resume(rc_gate_try *try)
{
    if (!try->is_full)
        return;
    try->is_full = false;
    if (try->demo != NULL)
        rc_demo_resume(try->demo);
    else if (try->coded != NULL && rc_gate_try_coded_is_due(try))
        rc_gate_job_arm(try->job);
    else if (rc_upstream_is_live(&try->upstream))
        rc_upstream_resume(&try->upstream);
}

void rc_gate_try_upload(rc_gate_try *try, rc_str piece, bool is_last)
{
    rc_gate_job *job = try->job;
    if (!rc_upstream_is_live(&try->upstream))
        return;
    const rc_upstream_push_result result = rc_upstream_push(&try->upstream, piece);
    if (result == RC_PUSH_REFUSED) {
        rc_gate_try_stop(try);
        rc_gate_try_fail_here(try, RC_CODE_OVERLOADED,
                              RC_STR("There is no memory to pass the request's body on."));
        return;
    }
    if (is_last)
        rc_upstream_finish(&try->upstream);
    else if (result == RC_PUSH_FULL && job->exchange != NULL)
        rc_exchange_pause_body(job->exchange);
}
