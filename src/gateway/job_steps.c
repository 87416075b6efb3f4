/* What happened, line by line: for the audit, the report's attempts and whoever keeps count. */
#include "base/str.h"
#include "gateway/job.h"

/* Room for one more; what is there moves. */
static bool grow(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    const uint32_t room = job->step_room * 4;
    if (job->step_count < job->step_room)
        return true;
    if (room > RC_JOB_STEPS_MAX * 2)
        return false;
    rc_job_step *steps = alloc->get(alloc->ctx, room * sizeof *steps);
    if (steps == NULL)
        return false;
    memcpy(steps, job->steps, job->step_count * sizeof *steps);
    if (job->steps != job->first)
        alloc->put(alloc->ctx, job->steps, job->step_room * sizeof *job->steps);
    job->steps = steps;
    job->step_room = room;
    return true;
}

rc_job_step *rc_gate_job_step(rc_gate_job *job, rc_record_kind kind)
{
    if (!grow(job))
        return NULL;
    rc_job_step *step = &job->steps[job->step_count++];
    *step = (rc_job_step){
        .kind = kind,
        .entry = job->action.entry,
        .credential = job->action.credential,
        .attempt = job->action.attempt,
        .at_unix_ms = rc_gate_unix_ms(job->gate),
        .latency_ms = -1,
        .first_byte_ms = -1,
    };
    return step;
}

void rc_gate_job_steps_done(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    for (uint32_t i = 0; i < job->step_count; i++) {
        const rc_str text = job->steps[i].text;
        rc_report_free(job->steps[i].report);
        if (text.len > 0)
            alloc->put(alloc->ctx, (void *)text.ptr, text.len);
        if (job->steps[i].quota != NULL)
            alloc->put(alloc->ctx, job->steps[i].quota, sizeof *job->steps[i].quota);
    }
    if (job->steps != job->first)
        alloc->put(alloc->ctx, job->steps, job->step_room * sizeof *job->steps);
}

/* ---- what a try used ---- */

bool rc_gate_try_was_sent(const rc_gate_try *try)
{
    return try->is_started || try->mode != RC_MODE_HEAD || try->upstream.accepted > 0;
}

/* Behind /p/ the path tells what is asked. There are servers that cut a path at a semicolon, and
 * that read the first of two verbs. */
static bool is_count(const rc_gate_request *request)
{
    const rc_str path = request->rest;
    const size_t colon = rc_str_find_byte(path, ':', 0);
    if (rc_str_find_byte(path, ';', 0) != RC_STR_NPOS ||
        rc_str_find_byte(path, '%', 0) != RC_STR_NPOS)
        return false;
    return rc_str_ends_with(path, RC_STR("/messages/count_tokens")) ||
           (colon != RC_STR_NPOS &&
            rc_str_eq(rc_str_slice(path, colon, path.len), RC_STR(":countTokens")));
}

/* Tokens that are counted and things that are looked up cost nothing. */
bool rc_gate_request_is_free(const rc_gate_request *request)
{
    const rc_gate_endpoint_id id = request->endpoint->id;
    return id == RC_ENDPOINT_COUNT_TOKENS || id == RC_ENDPOINT_TOKENS ||
           (request->endpoint->wire == RC_WIRE_NATIVE && is_count(request)) ||
           id == RC_ENDPOINT_TOKENS_V1 ||
           rc_str_eq(rc_http1_method(request->reader), RC_STR("GET"));
}

static rc_try_end end_of(const rc_gate_try *try, const rc_report *report, bool is_done)
{
    if (rc_gate_request_is_free(&try->job->request))
        return RC_TRY_FREE;
    if (is_done)
        return RC_TRY_DONE;
    if (!rc_gate_try_was_sent(try))
        return RC_TRY_NOT_SENT;
    if (report == NULL)
        return RC_TRY_CANCELLED;
    if (try->mode == RC_MODE_HEAD)
        return RC_TRY_SILENT;
    const bool is_told = try->is_watched && try->watch.has_error && try->watch.content_events == 0;
    return try->mode == RC_MODE_ERROR || is_told ? RC_TRY_REFUSED : RC_TRY_CUT;
}

static rc_charge charge_of(const rc_gate_try *try, rc_try_end end)
{
    const rc_gate_job *job = try->job;
    const rc_usage *usage = try->mode == RC_MODE_STREAM ? &try->watch.usage : &try->usage;
    return job->is_body_gone ? rc_usage_charge_ask(usage, end, &job->ask)
                             : rc_usage_charge(usage, end, job->request.body);
}

/* Most prices do not depend on how long the input is: a place remembers its own. */
static const rc_config_price *price_of(const rc_gate_try *try, const rc_charge *charge)
{
    const rc_gate_place *place = &try->job->route->places[try->entry];
    if (charge->input <= RC_GATE_PRICE_SHORT && place->has_price)
        return place->price;
    const rc_config_provider *config = try->provider->config;
    return rc_prices_find(rc_gate_job_plans(try->job)->prices, rc_str_c(config->kind->name),
                          config->name, try->model, charge->input);
}

/* The demo is free. */
static void set_cost(const rc_gate_try *try, rc_job_step *step)
{
    const rc_charge *charge = &step->charge;
    const rc_config_price *price = price_of(try, charge);
    step->cost_usd_micro = rc_price_cost(price, charge);
    if (price == NULL && !try->provider->is_demo && (charge->is_measured || charge->is_estimated))
        step->flags |= RC_RECORD_UNPRICED;
}

static void count_try(const rc_gate_try *try, const rc_job_step *step)
{
    const rc_gate_job *job = try->job;
    rc_metrics_shard *metrics = job->gate->metrics;
    const uint16_t target = job->route->places[try->entry].metric;
    const rc_metrics_attempt attempt = {
        .target = target,
        .code = step->report != NULL ? rc_report_code(step->report) : RC_CODE_NONE,
        .duration_us = (uv_hrtime() - try->started_ns) / 1000,
        .first_byte_us = try->first_byte_us,
    };
    rc_metrics_on_attempt(metrics, &attempt);
    if (!step->charge.is_measured && !step->charge.is_estimated)
        return;
    const rc_metrics_usage usage = {
        .target = target,
        .client = job->client != SIZE_MAX ? rc_gate_job_plans(job)->client_metrics[job->client]
                                          : RC_METRICS_OTHER,
        .tokens_in = step->charge.input,
        .tokens_out = step->charge.output,
        .is_estimated = step->charge.is_estimated,
        .cost_nano_usd = step->cost_usd_micro * 1000,
    };
    rc_metrics_on_usage(metrics, &usage);
}

static void describe(const rc_gate_try *try, rc_job_step *step)
{
    step->entry = try->entry;
    step->credential = try->credential;
    step->attempt = try->attempt;
    step->at_unix_ms = try->started_unix_ms;
    step->status = try->mode == RC_MODE_HEAD ? 0 : rc_http1_status(try->reader);
    step->latency_ms = (int64_t)(rc_gate_now(try->job->gate) - try->started_ms);
    step->first_byte_ms = try->first_byte_ms;
    step->bytes = try->bytes;
    if (step->charge.is_measured)
        step->flags |= RC_RECORD_MEASURED;
    if (step->charge.is_estimated)
        step->flags |= RC_RECORD_ESTIMATED;
    if (try->mode == RC_MODE_STREAM)
        step->flags |= RC_RECORD_STREAMING;
    if (try->job->state == RC_JOB_ANSWERING)
        step->flags |= RC_RECORD_COMMITTED;
}

/* ---- what the client is told of it ---- */

static uint32_t basis_flags(const rc_job_step *step)
{
    return step->flags | (step->charge.is_measured ? RC_RECORD_MEASURED : 0u) |
           (step->charge.is_estimated ? RC_RECORD_ESTIMATED : 0u);
}

void rc_gate_job_tell_cost(const rc_gate_job *job, const rc_gate_try *done, rc_gate_told *told)
{
    uint32_t flags = 0;
    for (uint32_t i = 0; i < job->step_count; i++) {
        if (job->steps[i].kind != RC_RECORD_ATTEMPT)
            continue;
        flags |= basis_flags(&job->steps[i]);
        told->cost_usd_micro += job->steps[i].cost_usd_micro;
    }
    if (done != NULL) {
        rc_job_step step = {.charge = charge_of(done, end_of(done, NULL, true))};
        set_cost(done, &step);
        flags |= basis_flags(&step);
        told->cost_usd_micro += step.cost_usd_micro;
    }
    if ((flags & RC_RECORD_UNPRICED) != 0)
        told->basis = RC_COST_UNPRICED;
    else if ((flags & RC_RECORD_ESTIMATED) != 0)
        told->basis = RC_COST_ESTIMATED;
    else if ((flags & RC_RECORD_MEASURED) != 0)
        told->basis = RC_COST_MEASURED;
}

/* now: an attempt that is no step yet; NULL: the last one is. */
void rc_gate_job_tell_times(const rc_gate_job *job, const rc_gate_try *now, rc_gate_told *told)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    told->has_total_ms = true;
    told->total_ms = now_ms - job->began_ms;
    told->has_target_ms = now != NULL;
    if (now != NULL)
        told->target_ms = now_ms - now->started_ms;
    for (uint32_t i = job->step_count; now == NULL && i > 0; i--) {
        if (job->steps[i - 1].kind != RC_RECORD_ATTEMPT)
            continue;
        told->has_target_ms = true;
        told->target_ms = (uint64_t)job->steps[i - 1].latency_ms;
        return;
    }
}

static void settle(rc_gate_try *try, const rc_job_step *step)
{
    rc_purse *purse = &try->job->gate->world->purse;
    if (try->hold.count == 0)
        return;
    rc_spend_told told = {.count = 0};
    if ((step->flags & RC_RECORD_UNPRICED) != 0)
        rc_purse_note_unpriced(purse, &try->hold);
    (void)rc_purse_settle(purse, &try->hold, step->cost_usd_micro, &told);
    rc_gate_job_tell_money(try->job, &told);
}

/* A try that there is no line for any more was paid for all the same: the last one has the sum. */
static void add_to_last(rc_gate_job *job, const rc_job_step *more)
{
    uint32_t at = job->step_count;
    while (at > 0 && job->steps[at - 1].kind != RC_RECORD_ATTEMPT)
        at--;
    if (at == 0)
        return;
    rc_job_step *last = &job->steps[at - 1];
    last->charge.input += more->charge.input;
    last->charge.output += more->charge.output;
    last->charge.is_measured = last->charge.is_measured || more->charge.is_measured;
    last->charge.is_estimated = last->charge.is_estimated || more->charge.is_estimated;
    last->cost_usd_micro += more->cost_usd_micro;
    last->flags |= more->flags & (RC_RECORD_MEASURED | RC_RECORD_ESTIMATED | RC_RECORD_UNPRICED);
}

/* A try stands before what the head of its answer said, which has come before its end. */
static void put_before_quotas(rc_gate_job *job)
{
    uint32_t at = job->step_count - 1;
    const rc_job_step last = job->steps[at];
    for (; at > 0 && job->steps[at - 1].kind == RC_RECORD_QUOTA &&
           job->steps[at - 1].attempt == last.attempt;
         at--)
        job->steps[at] = job->steps[at - 1];
    job->steps[at] = last;
}

/* A call that was broken off says nothing of its target. */
static void note_health(const rc_gate_try *try, const rc_report *report, bool is_done)
{
    const rc_gate_job *job = try->job;
    const rc_code code = report != NULL ? rc_report_code(report) : RC_CODE_NONE;
    const bool is_open = rc_str_eq(job->route->places[try->entry].model, RC_STR("*"));
    if (report != NULL || is_done)
        rc_gate_world_note(job->gate->world, job->plan.entries[try->entry].target,
                           rc_health_says(code, is_open), code, rc_gate_unix_ms(job->gate));
}

void rc_gate_job_step_try(rc_gate_try *try, const rc_report *report, bool is_done)
{
    note_health(try, report, is_done);
    if (try->is_scanned)
        rc_usage_scan_end(&try->reading.scan, &try->usage);
    rc_job_step *step = rc_gate_job_step(try->job, RC_RECORD_ATTEMPT);
    if (step == NULL) {
        rc_job_step more = {.report = report};
        more.charge = charge_of(try, end_of(try, report, is_done));
        set_cost(try, &more);
        describe(try, &more);
        count_try(try, &more);
        settle(try, &more);
        add_to_last(try->job, &more);
        return;
    }
    step->report = report != NULL ? rc_report_dup(report) : NULL;
    step->charge = charge_of(try, end_of(try, report, is_done));
    set_cost(try, step);
    describe(try, step);
    count_try(try, step);
    settle(try, step);
    put_before_quotas(try->job);
}

/* ---- what a provider says of its limits ---- */

void rc_gate_job_step_quota(const rc_gate_try *try, const rc_quota *low)
{
    rc_gate_job *job = try->job;
    const rc_alloc *alloc = &job->gate->settings.alloc;
    rc_job_quota *quota = alloc->get(alloc->ctx, sizeof *quota);
    rc_job_step *step = quota != NULL ? rc_gate_job_step(job, RC_RECORD_QUOTA) : NULL;
    if (step == NULL) {
        if (quota != NULL)
            alloc->put(alloc->ctx, quota, sizeof *quota);
        return;
    }
    const rc_str name = rc_str_slice(low->name, 0, sizeof quota->name);
    *quota = (rc_job_quota){.quota = *low};
    if (name.len > 0)
        memcpy(quota->name, name.ptr, name.len);
    quota->quota.name = rc_str_make(quota->name, name.len);
    step->entry = try->entry;
    step->credential = try->credential;
    step->attempt = try->attempt;
    step->quota = quota;
}

/* ---- decisions ---- */

/* The latest failure's attempt says what came of it. A lane that was let go stands behind it. */
static void note(rc_gate_job *job, const rc_action *action)
{
    for (uint32_t i = job->step_count; i > 0; i--) {
        rc_job_step *step = &job->steps[i - 1];
        if (step->kind != RC_RECORD_ATTEMPT || step->report == NULL)
            continue;
        if (step->reason == RC_WHY_NONE) {
            step->reason = action->reason;
            step->wait_ms = action->what == RC_DO_WAIT ? action->wait_ms : 0;
        }
        return;
    }
}

static void add_skips(rc_gate_job *job)
{
    const rc_skips *skips = &job->gate->skips;
    const uint64_t now_ms = rc_gate_now(job->gate);
    for (uint32_t i = 0; i < skips->count && i < RC_SKIPS_MAX; i++) {
        rc_job_step *step = rc_gate_job_step(job, RC_RECORD_SKIP);
        const rc_skip *skip = &skips->list[i];
        if (step == NULL)
            return;
        step->entry = skip->entry;
        step->credential = RC_NO_TARGET;
        step->reason = skip->reason;
        if (skip->until_ms != RC_UNLIMITED && skip->until_ms > now_ms)
            step->wait_ms = skip->until_ms - now_ms;
        rc_gate_job_note_rest(job, step);
    }
}

void rc_gate_job_step_passed(rc_gate_job *job, uint16_t entry, rc_reason why)
{
    rc_job_step *step = rc_gate_job_step(job, RC_RECORD_SKIP);
    if (step == NULL)
        return;
    step->entry = entry;
    step->credential = RC_NO_TARGET;
    step->reason = why;
}

static void add(rc_gate_job *job, rc_record_kind kind, const rc_action *action)
{
    rc_job_step *step = rc_gate_job_step(job, kind);
    if (step == NULL)
        return;
    step->reason = action->reason;
    step->wait_ms = action->wait_ms;
}

static void count_action(const rc_gate_job *job, const rc_action *action)
{
    rc_metrics_shard *metrics = job->gate->metrics;
    if (action->what != RC_DO_TRY || action->attempt <= 1)
        return;
    const uint16_t to = job->route->places[action->entry].metric;
    const uint16_t from = job->route->places[action->from_entry].metric;
    rc_metrics_on_retry(metrics, to, action->reason == RC_WHY_WOKE ? job->last_wait_ms * 1000 : 0);
    if (action->entry != action->from_entry)
        rc_metrics_on_fallback(metrics, from, to);
    else if (action->credential != action->from_credential)
        rc_metrics_on_credential(metrics, to);
}

void rc_gate_job_step_action(rc_gate_job *job, const rc_action *action)
{
    note(job, action);
    add_skips(job);
    const bool is_switch =
        action->entry != action->from_entry || action->credential != action->from_credential;
    count_action(job, action);
    if (action->what == RC_DO_WAIT) {
        add(job, RC_RECORD_WAIT, action);
        job->wait_ms += action->wait_ms;
        job->last_wait_ms = action->wait_ms;
        job->waits_from_ms = rc_gate_now(job->gate);
    } else if (action->what == RC_DO_TRY && action->attempt > 1 && is_switch) {
        add(job, RC_RECORD_SWITCH, action);
        job->switches++;
    } else if (action->what == RC_DO_STOP || action->what == RC_DO_COMPACT) {
        add(job, RC_RECORD_STOP, action);
    }
    rc_gate_job_tell_action(job, action);
}

void rc_gate_job_step_flaw(rc_gate_job *job, const rc_report *flaw)
{
    job->action.reason = job->state == RC_JOB_ANSWERING ? RC_WHY_COMMITTED : RC_WHY_NOT_RETRYABLE;
    note(job, &job->action);
    add(job, RC_RECORD_STOP, &job->action);
    rc_report_free(job->report);
    job->report = rc_report_dup(flaw);
    job->is_flawed = true;
}

void rc_gate_job_step_wait_cut(rc_gate_job *job)
{
    const uint64_t waited_ms = rc_gate_now(job->gate) - job->waits_from_ms;
    if (waited_ms >= job->last_wait_ms)
        return;
    job->wait_ms -= job->last_wait_ms - waited_ms;
    job->last_wait_ms = waited_ms;
    for (uint32_t i = job->step_count; i > 0; i--) {
        if (job->steps[i - 1].kind != RC_RECORD_WAIT)
            continue;
        job->steps[i - 1].wait_ms = waited_ms;
        return;
    }
}

/* Nobody is asked yet: the try that it waits to begin does not count, and no key is used. */
void rc_gate_job_step_pause(rc_gate_job *job, const rc_spend_answer *answer)
{
    rc_job_step *step = rc_gate_job_step(job, RC_RECORD_WAIT);
    job->waits_from_ms = rc_gate_now(job->gate);
    if (step == NULL)
        return;
    step->attempt = job->action.attempt - 1;
    step->credential = RC_NO_TARGET;
    step->reason = answer->reason;
    step->is_paused = true;
    step->budget = answer->row;
}

void rc_gate_job_step_pause_end(rc_gate_job *job)
{
    const uint64_t waited_ms = rc_gate_now(job->gate) - job->waits_from_ms;
    rc_job_step *last = job->step_count > 0 ? &job->steps[job->step_count - 1] : NULL;
    job->wait_ms += waited_ms;
    if (last != NULL && last->is_paused)
        last->wait_ms = waited_ms;
}

/* ---- names ---- */

const rc_gate_provider *rc_gate_job_provider_of(const rc_gate_job *job, uint16_t entry)
{
    return job->route->places[entry].provider;
}

rc_str rc_gate_job_model_of(const rc_gate_job *job, uint16_t entry)
{
    const rc_str model = job->route->places[entry].model;
    return rc_str_eq(model, RC_STR("*")) ? job->model : model;
}
