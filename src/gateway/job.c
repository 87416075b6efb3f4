#include "gateway/job.h"

#include "base/str.h"

/* ---- life ---- */

static void on_timer(uv_timer_t *timer);

static rc_gate_job *take_spare(rc_gate *gate)
{
    const rc_alloc *alloc = &gate->settings.alloc;
    rc_gate_job *job = gate->spare_jobs;
    if (job != NULL) {
        gate->spare_jobs = job->next;
        gate->spare_job_count--;
        return job;
    }
    job = alloc->get(alloc->ctx, sizeof *job);
    if (job == NULL)
        return NULL;
    (void)uv_timer_init(gate->loop, &job->timer); /* never fails */
    job->timer.data = job;
    job->timer_at_ms = RC_UNLIMITED;
    job->gate = gate;
    rc_buf_init(&job->body, alloc, 0);
    rc_buf_init(&job->lines, alloc, 2 * RC_JOB_HELD_MAX);
    rc_buf_init(&job->limits, alloc, RC_JOB_LIMITS_MAX);
    return job;
}

rc_gate_job *rc_gate_job_new(rc_gate *gate, rc_exchange *exchange)
{
    rc_gate_job *job = take_spare(gate);
    if (job == NULL)
        return NULL;
    memset(&job->state, 0, offsetof(rc_gate_job, first) - offsetof(rc_gate_job, state));
    job->exchange = exchange;
    job->next = NULL;
    job->edition = rc_gate_enter(gate);
    job->dialect = RC_DIALECT_OPENAI_CHAT;
    job->client = SIZE_MAX;
    job->began_unix_ms = rc_gate_unix_ms(gate);
    job->id = rc_gate_next_id(gate, job->began_unix_ms);
    memcpy(job->id.text, "req", 3);
    job->began_ms = rc_gate_now(gate);
    job->began_ns = uv_hrtime();
    job->first_byte_ms = -1;
    job->steps = job->first;
    job->step_room = RC_JOB_STEPS_FIRST;
    job->call.plan = NULL;
    job->call.is_committed = false; /* the memory may be that of an earlier request */
    job->body.max_bytes = rc_gate_job_plans(job)->config->limits.max_body_bytes;
    gate->jobs++;
    atomic_fetch_add_explicit(&gate->world->in_flight, 1, memory_order_relaxed);
    job->live_prev = NULL;
    job->live_next = gate->live;
    if (gate->live != NULL)
        gate->live->live_prev = job;
    gate->live = job;
    rc_metrics_in_flight(gate->metrics, 1);
    rc_exchange_set_owner(exchange, job);
    return job;
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_gate_job *job = handle->data;
    rc_gate *gate = job->gate;
    rc_buf_done(&job->body);
    rc_buf_done(&job->lines);
    rc_buf_done(&job->limits);
    gate->settings.alloc.put(gate->settings.alloc.ctx, job, sizeof *job);
    rc_gate_timer_closed(gate);
}

static void close_timer(rc_gate_job *job)
{
    job->gate->closing_timers++;
    uv_close((uv_handle_t *)&job->timer, on_timer_closed);
}

void rc_gate_close_spares(rc_gate *gate)
{
    while (gate->spare_jobs != NULL) {
        rc_gate_job *job = gate->spare_jobs;
        gate->spare_jobs = job->next;
        close_timer(job);
    }
    gate->spare_job_count = RC_GATE_SPARE_MAX; /* no more of them */
}

static void leave_live(rc_gate_job *job)
{
    if (job->live_prev != NULL)
        job->live_prev->live_next = job->live_next;
    else
        job->gate->live = job->live_next;
    if (job->live_next != NULL)
        job->live_next->live_prev = job->live_prev;
}

static void recycle(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    if (gate->spare_job_count >= RC_GATE_SPARE_MAX) {
        close_timer(job);
        return;
    }
    job->next = gate->spare_jobs;
    gate->spare_jobs = job;
    gate->spare_job_count++;
}

void rc_gate_job_over(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    if (job->state == RC_JOB_OVER)
        return;
    job->state = RC_JOB_OVER;
    job->exchange = NULL;
    rc_gate_try_free(job->beside);
    rc_gate_try_free(job->now);
    rc_gate_job_steps_done(job);
    rc_gate_job_leave_entries(job);
    rc_gate_job_events_done(job);
    rc_report_free(job->report);
    rc_gate_job_drop_body(job);
    rc_gate_rest_buf(&job->lines);
    rc_gate_rest_buf(&job->limits);
    rc_gate_leave(gate, job->edition);
    rc_metrics_in_flight(gate->metrics, -1);
    leave_live(job);
    atomic_fetch_sub_explicit(&gate->world->in_flight, 1, memory_order_relaxed);
    /* The store still knows it: its word is the end. */
    if (job->is_waiting)
        gate->owed++;
    else
        recycle(job);
    rc_gate_job_left(gate);
}

void rc_gate_job_on_word(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    if (job->state != RC_JOB_OVER)
        return;
    recycle(job);
    rc_gate_job_forgotten(gate);
}

void rc_gate_job_on_done(rc_gate_job *job)
{
    rc_gate_job_over(job);
}

static void cancel(rc_gate_job *job)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    if (job->state == RC_JOB_WAITING)
        rc_gate_job_step_wait_cut(job);
    /* A try that waits for money has asked nobody. */
    if (job->state == RC_JOB_PAUSED) {
        rc_gate_job_step_pause_end(job);
        job->action.attempt--;
    }
    if (job->beside != NULL)
        rc_hedge_on_cancel(&job->hedge, &job->call, now_ms);
    if (job->call.plan != NULL)
        (void)rc_call_on_cancel(&job->call, now_ms);
}

static void stop_tries(rc_gate_job *job)
{
    rc_gate_try *tries[] = {job->beside, job->now};
    const bool is_trying = job->state == RC_JOB_TRYING || job->state == RC_JOB_ANSWERING;
    for (size_t i = 0; is_trying && i < 2; i++)
        if (tries[i] != NULL) {
            rc_gate_try_stop(tries[i]);
            rc_gate_job_step_try(tries[i], NULL, false);
        }
}

/* What the client had of it, and what the provider was asked, is on record. */
void rc_gate_job_on_gone(rc_gate_job *job, const rc_gone *gone)
{
    const rc_job_state state = job->state;
    job->exchange = NULL;
    if (state == RC_JOB_KEEPING || state == RC_JOB_OVER) {
        /* The request's head goes with the client; how it ended is on record already. */
        rc_gate_job_count(job);
        job->then = RC_THEN_NOTHING;
        return;
    }
    if (state == RC_JOB_ENDING) {
        rc_gate_job_over(job);
        return;
    }
    stop_tries(job);
    cancel(job);
    rc_job_step *step = rc_gate_job_step(job, RC_RECORD_CANCEL);
    if (step != NULL)
        step->reason = RC_WHY_CANCELLED;
    job->gone_text = gone->text;
    rc_gate_job_keep(job, RC_THEN_NOTHING);
}

static void cut_try_short(rc_gate_try *try, rc_str words)
{
    const bool is_answering = try->job->state == RC_JOB_ANSWERING;
    if (rc_gate_try_may_be_done(try))
        words = RC_STR("This gateway is being stopped, and the request was sent: whether it was "
                       "carried out is not known.");
    rc_gate_try_stop(try);
    rc_gate_try_fail_here(try, is_answering ? RC_CODE_STREAM_INTERRUPTED : RC_CODE_OVERLOADED,
                          words);
}

void rc_gate_job_cut_short(rc_gate_job *job)
{
    const rc_str words = RC_STR("This gateway is being stopped: try again.");
    switch (job->state) {
    case RC_JOB_READING:
    case RC_JOB_WAITING:
        cancel(job);
        rc_gate_job_refuse(job, RC_CODE_OVERLOADED, 503, words);
        return;
    case RC_JOB_PAUSED:
        cancel(job);
        rc_gate_job_refuse(job, RC_CODE_OVERLOADED, 503,
                           RC_STR("This gateway is being stopped, and a budget leaves no room for "
                                  "the request now: try again."));
        return;
    case RC_JOB_TRYING:
    case RC_JOB_ANSWERING:
        cut_try_short(job->now, words);
        return;
    case RC_JOB_KEEPING:
    case RC_JOB_ENDING:
    case RC_JOB_OVER:
        return;
    }
}

/* ---- time ---- */

/* A try that takes too long for the call. How long its parts may take is watched where its bytes
 * come in. */
static void end_late_try(rc_gate_job *job)
{
    rc_gate_try *try = job->now;
    rc_failure failure = {
        .transport = RC_TRANSPORT_TIMEOUT,
        .phase = try->mode == RC_MODE_HEAD ? RC_PHASE_SENT : RC_PHASE_HEADERS,
    };
    job->is_late = true;
    rc_gate_job_set_deadline(job, &failure);
    rc_gate_try_stop(try);
    rc_gate_try_fail(try, &failure);
}

static void hedge(rc_gate_job *job)
{
    const rc_hedge_action action =
        rc_hedge_on_timer(&job->hedge, &job->call, rc_gate_now(job->gate));
    if (action.what == RC_HEDGE_START) {
        rc_job_step *step = rc_gate_job_step(job, RC_RECORD_SWITCH);
        if (step != NULL) {
            step->entry = action.entry;
            step->credential = action.credential;
            step->reason = action.reason;
        }
        job->action.attempt++;
        rc_metrics_on_retry(job->gate->metrics, job->route->places[action.entry].metric, 0);
        rc_gate_try_start(job, RC_LANE_SECOND, action.entry, action.credential);
    } else {
        rc_gate_job_arm(job);
    }
}

/* The lane whose stream said its end, the earlier one of two; NULL: none did. */
static rc_gate_try *terminated(const rc_gate_job *job)
{
    rc_gate_try *now = job->now->is_terminated ? job->now : NULL;
    rc_gate_try *beside = job->beside;
    if (beside == NULL || !beside->is_terminated)
        return now;
    return now == NULL || beside->over_at_ms < now->over_at_ms ? beside : now;
}

static void end_terminated(rc_gate_try *try)
{
    rc_gate_try_stop(try);
    rc_gate_try_stream_end(try, NULL);
}

static void set_timer(rc_gate_job *job, uint64_t at_ms)
{
    const uint64_t now_ms = rc_gate_now(job->gate);
    job->timer_at_ms = at_ms;
    (void)uv_timer_start(&job->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* Timers come before sockets: what came while the whole process was stopped is read before anybody
 * is called late. */
static bool looks_again(rc_gate_job *job)
{
    if (job->has_looked)
        return false;
    job->has_looked = true;
    set_timer(job, rc_gate_now(job->gate) + 1);
    return true;
}

/* Whatever is due, an answer that may be whole comes first. */
static void on_due(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    if (job->state == RC_JOB_KEEPING) {
        rc_gate_job_on_unsafe(job);
    } else if (job->state == RC_JOB_READING) {
        if (!looks_again(job))
            rc_gate_job_refuse_late(job);
    } else if (job->state == RC_JOB_WAITING) {
        job->state = RC_JOB_TRYING;
        rc_gate_job_do(job,
                       rc_call_on_wake(&job->call, rc_gate_now(gate), rc_gate_chance_u64(gate)));
    } else if (job->state == RC_JOB_PAUSED) {
        rc_gate_try_ask_again(job->now);
    } else if (terminated(job) != NULL) {
        end_terminated(terminated(job));
    } else if (job->state == RC_JOB_TRYING && rc_gate_now(gate) >= job->hedge.at_ms) {
        hedge(job);
    } else if (!looks_again(job)) {
        end_late_try(job);
    }
}

static uint64_t due_ms(const rc_gate_job *job)
{
    uint64_t at_ms = job->action.deadline_at_ms;
    if (job->state == RC_JOB_READING)
        return rc_gate_job_deadline(job);
    if (job->state == RC_JOB_KEEPING)
        return job->keep_by_ms;
    if (job->state == RC_JOB_WAITING)
        return job->action.at_ms + 1; /* of times in whole milliseconds: never too early */
    if (job->state == RC_JOB_PAUSED)
        return job->again_at_ms < at_ms ? job->again_at_ms : at_ms;
    const rc_gate_try *said = terminated(job);
    if (said != NULL && said->over_at_ms < at_ms)
        at_ms = said->over_at_ms;
    if (job->state == RC_JOB_TRYING && job->hedge.at_ms < at_ms)
        at_ms = job->hedge.at_ms;
    return at_ms;
}

/* ---- answers that came compressed ---- */

static inline bool is_decoding(const rc_gate_try *try)
{
    return try != NULL && try->coded != NULL && rc_gate_try_coded_is_due(try);
}

static inline bool has_coded(const rc_gate_job *job)
{
    return is_decoding(job->now) || is_decoding(job->beside);
}

/* Of two lanes one a turn, the one after the other. The timer is set before: the job may be over
 * then. */
static void decode(rc_gate_job *job)
{
    rc_gate_try *try = job->now;
    if (is_decoding(job->beside)) {
        job->is_second = !job->is_second;
        if (job->is_second || !is_decoding(try))
            try = job->beside;
    }
    rc_gate_job_arm(job);
    rc_gate_try_coded_turn(try);
}

/* ---- the timer ---- */

/* The timer is lazy: it may find that what it was set for has moved back, or that the job is
 * another request's by now. So most requests never touch it. */
static void on_timer(uv_timer_t *timer)
{
    rc_gate_job *job = timer->data;
    job->timer_at_ms = RC_UNLIMITED;
    if (job->state == RC_JOB_ENDING || job->state == RC_JOB_OVER)
        return;
    const uint64_t at_ms = due_ms(job);
    if (at_ms <= rc_gate_now(job->gate))
        on_due(job);
    else if (has_coded(job))
        decode(job);
    else if (at_ms != RC_UNLIMITED)
        set_timer(job, at_ms);
}

void rc_gate_job_arm(rc_gate_job *job)
{
    uint64_t at_ms = due_ms(job);
    /* The next turn of the loop, when all others had theirs. */
    if (has_coded(job) && at_ms > rc_gate_now(job->gate))
        at_ms = rc_gate_now(job->gate) + 1;
    if (at_ms < job->timer_at_ms)
        set_timer(job, at_ms);
}

/* ---- actions ---- */

static void refresh(rc_gate_job *job)
{
    rc_gate *gate = job->gate;
    const rc_action *action = &job->action;
    /* The provider of the job's own edition: a newer one has read its keys itself. */
    rc_gate_provider *provider =
        &job->edition->plans->providers[job->now->provider - job->edition->plans->providers];
    const bool is_fresh =
        rc_gate_provider_refresh(job->edition->plans, provider, action->credential, job->now->key);
    rc_gate_job_do(job, rc_call_on_refreshed(&job->call, is_fresh, rc_gate_now(gate),
                                             rc_gate_chance_u64(gate)));
}

/* Two lanes may both be carried out: what must not be sent twice has one alone. */
static uint64_t hedge_delay_ms(const rc_gate_job *job)
{
    const bool is_hedged = job->route->hedge_ms > 0 && job->request.replay != RC_REPLAY_NO;
    return is_hedged ? job->route->hedge_ms : RC_UNLIMITED;
}

void rc_gate_job_do(rc_gate_job *job, rc_action action)
{
    action.attempt -= job->unasked;
    job->action = action;
    rc_gate_job_step_action(job, &action);
    switch (action.what) {
    case RC_DO_TRY: {
        const uint64_t now_ms = rc_gate_now(job->gate);
        rc_hedge_init(&job->hedge, now_ms, hedge_delay_ms(job));
        job->state = RC_JOB_TRYING;
        rc_gate_try_start(job, RC_LANE_FIRST, action.entry, action.credential);
        return;
    }
    case RC_DO_WAIT:
        job->state = RC_JOB_WAITING;
        rc_gate_job_arm(job);
        return;
    case RC_DO_REFRESH:
        refresh(job);
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
        rc_gate_try_resume(job->now);
}
