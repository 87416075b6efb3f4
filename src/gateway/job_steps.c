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
        .usage = {-1, -1, -1, -1, -1},
    };
    return step;
}

void rc_gate_job_steps_done(rc_gate_job *job)
{
    const rc_alloc *alloc = &job->gate->settings.alloc;
    for (uint32_t i = 0; i < job->step_count; i++)
        rc_report_free(job->steps[i].report);
    if (job->steps != job->first)
        alloc->put(alloc->ctx, job->steps, job->step_room * sizeof *job->steps);
    if (job->entries != NULL && job->entries != job->first_entries)
        alloc->put(alloc->ctx, job->entries, job->plan.entry_count * sizeof *job->entries);
}

static void count_try(const rc_gate_try *try, const rc_report *report)
{
    const rc_gate_job *job = try->job;
    const rc_metrics_attempt attempt = {
        .target = job->route->places[try->entry].metric,
        .code = report != NULL ? rc_report_code(report) : RC_CODE_NONE,
        .duration_us = (uv_hrtime() - try->started_ns) / 1000,
        .first_byte_us = try->first_byte_us,
    };
    rc_metrics_on_attempt(job->gate->metrics, &attempt);
}

void rc_gate_job_step_try(rc_gate_try *try, const rc_report *report)
{
    rc_gate_job *job = try->job;
    count_try(try, report);
    rc_job_step *step = rc_gate_job_step(job, RC_RECORD_ATTEMPT);
    if (step == NULL)
        return;
    step->entry = try->entry;
    step->credential = try->credential;
    step->attempt = try->attempt;
    step->at_unix_ms = try->started_unix_ms;
    step->status = try->mode == RC_MODE_HEAD ? 0 : rc_http1_status(try->reader);
    step->latency_ms = (int64_t)(rc_gate_now(job->gate) - try->started_ms);
    step->first_byte_ms = try->first_byte_ms;
    step->bytes = try->bytes;
    step->report = report != NULL ? rc_report_dup(report) : NULL;
    if (try->is_watched)
        step->usage = rc_stream_watch_usage(&try->watch);
    if (step->usage.input >= 0 || step->usage.output >= 0)
        step->flags |= RC_RECORD_MEASURED;
    if (try->mode == RC_MODE_STREAM)
        step->flags |= RC_RECORD_STREAMING;
    if (job->state == RC_JOB_ANSWERING)
        step->flags |= RC_RECORD_COMMITTED;
}

/* ---- decisions ---- */

/* The latest failure's attempt says what came of it. */
static void note(rc_gate_job *job, const rc_action *action)
{
    for (uint32_t i = job->step_count; i > 0; i--) {
        rc_job_step *step = &job->steps[i - 1];
        if (step->kind != RC_RECORD_ATTEMPT)
            continue;
        if (step->reason == RC_WHY_NONE && step->report != NULL) {
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
    }
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
    } else if (action->what == RC_DO_TRY && action->attempt > 1 && is_switch) {
        add(job, RC_RECORD_SWITCH, action);
        job->switches++;
    } else if (action->what == RC_DO_STOP || action->what == RC_DO_COMPACT) {
        add(job, RC_RECORD_STOP, action);
    }
    rc_gate_job_tell_action(job, action);
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
