/* rc_exchange: life cycle, timer and the actions of rc_call. Called by loop.c and by the other
 * exchange files. */
#include "gateway/exchange/exchange.h"

#include "base/str.h"

/* ---- life cycle ---- */

static void on_timer(uv_timer_t *timer);

static rc_exchange *take_spare(rc_loop *loop)
{
    const rc_alloc *alloc = &loop->settings.alloc;
    rc_exchange *exchange = loop->spare_exchanges;
    if (exchange != NULL) {
        loop->spare_exchanges = exchange->next;
        loop->spare_exchange_count--;
        return exchange;
    }
    exchange = alloc->get(alloc->ctx, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    (void)uv_timer_init(loop->uv_loop, &exchange->timer);
    exchange->timer.data = exchange;
    exchange->timer_at_ms = RC_UNLIMITED;
    exchange->loop = loop;
    rc_buf_init(&exchange->body, alloc, 0);
    rc_buf_init(&exchange->lines, alloc, 2 * RC_ATTEMPT_HELD_MAX);
    rc_buf_init(&exchange->limits, alloc, RC_EXCHANGE_LIMITS_MAX);
    return exchange;
}

rc_exchange *rc_exchange_new(rc_loop *loop, rc_responder *responder)
{
    rc_exchange *exchange = take_spare(loop);
    if (exchange == NULL)
        return NULL;
    memset(&exchange->state, 0, offsetof(rc_exchange, inline_steps) - offsetof(rc_exchange, state));
    exchange->responder = responder;
    exchange->next = NULL;
    exchange->snapshot_ref = rc_loop_acquire_snapshot(loop);
    exchange->dialect = RC_DIALECT_OPENAI_CHAT;
    exchange->client = SIZE_MAX;
    exchange->began_unix_ms = rc_loop_unix_ms(loop);
    exchange->id = rc_loop_next_id(loop, exchange->began_unix_ms);
    memcpy(exchange->id.text, "req", 3);
    exchange->began_ms = rc_loop_now(loop);
    exchange->began_ns = uv_hrtime();
    exchange->first_byte_ms = -1;
    exchange->steps = exchange->inline_steps;
    exchange->step_capacity = RC_EXCHANGE_INLINE_STEPS;
    exchange->call.plan = NULL;
    exchange->call.is_committed = false; /* The memory may be that of an earlier request. */
    exchange->body.max_bytes = rc_exchange_snapshot(exchange)->config->limits.max_body_bytes;
    loop->exchange_count++;
    atomic_fetch_add_explicit(&loop->hub->in_flight, 1, memory_order_relaxed);
    exchange->live_prev = NULL;
    exchange->live_next = loop->live;
    if (loop->live != NULL)
        loop->live->live_prev = exchange;
    loop->live = exchange;
    rc_metrics_in_flight(loop->metrics, 1);
    rc_responder_set_owner(responder, exchange);
    return exchange;
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_exchange *exchange = handle->data;
    rc_loop *loop = exchange->loop;
    rc_buf_done(&exchange->body);
    rc_buf_done(&exchange->lines);
    rc_buf_done(&exchange->limits);
    loop->settings.alloc.put(loop->settings.alloc.ctx, exchange, sizeof *exchange);
    rc_loop_on_timer_closed(loop);
}

static void close_timer(rc_exchange *exchange)
{
    exchange->loop->closing_timers++;
    uv_close((uv_handle_t *)&exchange->timer, on_timer_closed);
}

void rc_loop_close_spare_exchanges(rc_loop *loop)
{
    while (loop->spare_exchanges != NULL) {
        rc_exchange *exchange = loop->spare_exchanges;
        loop->spare_exchanges = exchange->next;
        close_timer(exchange);
    }
    loop->spare_exchange_count = RC_LOOP_SPARE_MAX; /* Keeps no further ones. */
}

static void leave_live(rc_exchange *exchange)
{
    if (exchange->live_prev != NULL)
        exchange->live_prev->live_next = exchange->live_next;
    else
        exchange->loop->live = exchange->live_next;
    if (exchange->live_next != NULL)
        exchange->live_next->live_prev = exchange->live_prev;
}

static void recycle(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (loop->spare_exchange_count >= RC_LOOP_SPARE_MAX) {
        close_timer(exchange);
        return;
    }
    exchange->next = loop->spare_exchanges;
    loop->spare_exchanges = exchange;
    loop->spare_exchange_count++;
}

void rc_exchange_close(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (exchange->state == RC_EXCHANGE_OVER)
        return;
    exchange->state = RC_EXCHANGE_OVER;
    exchange->responder = NULL;
    rc_attempt_free(exchange->hedge_attempt);
    rc_attempt_free(exchange->current);
    rc_exchange_steps_done(exchange);
    rc_exchange_release_entries(exchange);
    rc_exchange_events_done(exchange);
    rc_report_free(exchange->report);
    rc_exchange_drop_body(exchange);
    rc_buf_recycle(&exchange->lines);
    rc_buf_recycle(&exchange->limits);
    rc_loop_release_snapshot(loop, exchange->snapshot_ref);
    rc_metrics_in_flight(loop->metrics, -1);
    leave_live(exchange);
    atomic_fetch_sub_explicit(&loop->hub->in_flight, 1, memory_order_relaxed);
    /* The memory is freed when the store has acknowledged the record. */
    if (exchange->is_store_pending)
        loop->unacknowledged++;
    else
        recycle(exchange);
    rc_loop_on_exchange_over(loop);
}

void rc_exchange_on_acknowledged(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (exchange->state != RC_EXCHANGE_OVER)
        return;
    recycle(exchange);
    rc_loop_on_exchange_acknowledged(loop);
}

void rc_exchange_on_done(rc_exchange *exchange)
{
    rc_exchange_close(exchange);
}

static void cancel(rc_exchange *exchange)
{
    const uint64_t now_ms = rc_loop_now(exchange->loop);
    if (exchange->state == RC_EXCHANGE_WAITING)
        rc_exchange_cut_wait(exchange);
    /* A paused attempt was not sent and does not count. */
    if (exchange->state == RC_EXCHANGE_PAUSED) {
        rc_exchange_end_pause(exchange);
        exchange->action.attempt--;
    }
    if (exchange->hedge_attempt != NULL)
        rc_hedge_on_cancel(&exchange->hedge, &exchange->call, now_ms);
    if (exchange->call.plan != NULL)
        (void)rc_call_on_cancel(&exchange->call, now_ms);
}

static void stop_attempts(rc_exchange *exchange)
{
    rc_attempt *attempts[] = {exchange->hedge_attempt, exchange->current};
    const bool is_attempting =
        exchange->state == RC_EXCHANGE_ATTEMPTING || exchange->state == RC_EXCHANGE_RESPONDING;
    for (size_t i = 0; is_attempting && i < 2; i++)
        if (attempts[i] != NULL) {
            rc_attempt_stop(attempts[i]);
            rc_exchange_add_attempt(attempts[i], NULL, false);
        }
}

/* The record shows what the client received and which attempts were made. */
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone)
{
    const rc_exchange_state state = exchange->state;
    exchange->responder = NULL;
    if (state == RC_EXCHANGE_RECORDING || state == RC_EXCHANGE_OVER) {
        /* The request's head is freed with the client; the outcome is recorded already. */
        rc_exchange_count(exchange);
        exchange->ending = RC_ENDING_NONE;
        return;
    }
    if (state == RC_EXCHANGE_ENDING) {
        rc_exchange_close(exchange);
        return;
    }
    stop_attempts(exchange);
    cancel(exchange);
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_CANCEL);
    if (step != NULL)
        step->reason = RC_WHY_CANCELLED;
    exchange->gone_text = gone->text;
    rc_exchange_record(exchange, RC_ENDING_NONE);
}

static void cut_attempt_short(rc_attempt *attempt)
{
    rc_local_outcome outcome = RC_LOCAL_STOPPING;
    if (attempt->exchange->state == RC_EXCHANGE_RESPONDING)
        outcome = RC_LOCAL_STOPPING_IN_STREAM;
    const rc_local_outcome wording =
        rc_attempt_may_be_done(attempt) ? RC_LOCAL_STOPPING_AFTER_SEND : outcome;
    rc_attempt_stop(attempt);
    rc_attempt_fail_local(attempt, outcome, rc_local_outcome_get(wording)->message);
}

void rc_exchange_cut_short(rc_exchange *exchange)
{
    switch (exchange->state) {
    case RC_EXCHANGE_READING:
    case RC_EXCHANGE_WAITING:
        cancel(exchange);
        rc_exchange_refuse(exchange, RC_LOCAL_STOPPING);
        return;
    case RC_EXCHANGE_PAUSED:
        cancel(exchange);
        rc_exchange_refuse(exchange, RC_LOCAL_STOPPING_WITHOUT_BUDGET);
        return;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        cut_attempt_short(exchange->current);
        return;
    case RC_EXCHANGE_RECORDING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        return;
    }
}

/* ---- time ---- */

/* The deadline ends the attempt. rc_upstream watches the time limits of its parts. */
static void end_late_attempt(rc_exchange *exchange)
{
    rc_attempt *attempt = exchange->current;
    rc_failure failure = {
        .transport = RC_TRANSPORT_TIMEOUT,
        .phase = attempt->mode == RC_MODE_HEAD ? RC_PHASE_SENT : RC_PHASE_HEADERS,
    };
    exchange->is_late = true;
    rc_exchange_set_deadline(exchange, &failure);
    rc_attempt_stop(attempt);
    rc_attempt_fail(attempt, &failure);
}

static void hedge(rc_exchange *exchange)
{
    const rc_hedge_action action =
        rc_hedge_on_timer(&exchange->hedge, &exchange->call, rc_loop_now(exchange->loop));
    if (action.kind == RC_HEDGE_START) {
        rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_SWITCH);
        if (step != NULL) {
            step->entry = action.entry;
            step->credential = action.credential;
            step->reason = action.reason;
        }
        exchange->action.attempt++;
        rc_metrics_on_retry(exchange->loop->metrics, exchange->route->entries[action.entry].metric,
                            0);
        rc_attempt_start(exchange, RC_LANE_SECOND, action.entry, action.credential);
    } else {
        rc_exchange_arm(exchange);
    }
}

/* The lane whose stream has its terminator, the earlier one of two. NULL: none. */
static rc_attempt *terminated(const rc_exchange *exchange)
{
    rc_attempt *current = exchange->current->is_terminated ? exchange->current : NULL;
    rc_attempt *hedge_attempt = exchange->hedge_attempt;
    if (hedge_attempt == NULL || !hedge_attempt->is_terminated)
        return current;
    return current == NULL || hedge_attempt->ends_at_ms < current->ends_at_ms ? hedge_attempt
                                                                              : current;
}

static void end_terminated(rc_attempt *attempt)
{
    rc_attempt_stop(attempt);
    rc_attempt_stream_on_end(attempt, NULL);
}

static void set_timer(rc_exchange *exchange, uint64_t at_ms)
{
    const uint64_t now_ms = rc_loop_now(exchange->loop);
    exchange->timer_at_ms = at_ms;
    (void)uv_timer_start(&exchange->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* libuv runs timers before sockets: data that arrived while the process was stopped is read before
 * anything counts as late. */
static bool polls_again(rc_exchange *exchange)
{
    if (exchange->has_polled)
        return false;
    exchange->has_polled = true;
    set_timer(exchange, rc_loop_now(exchange->loop) + 1);
    return true;
}

/* Handles the due time. A response that may be complete comes first. */
static void on_due(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    if (exchange->state == RC_EXCHANGE_RECORDING) {
        rc_exchange_on_record_late(exchange);
    } else if (exchange->state == RC_EXCHANGE_READING) {
        if (!polls_again(exchange))
            rc_exchange_refuse_late(exchange);
    } else if (exchange->state == RC_EXCHANGE_WAITING) {
        exchange->state = RC_EXCHANGE_ATTEMPTING;
        rc_exchange_carry_out(exchange, rc_call_on_wake(&exchange->call, rc_loop_now(loop),
                                                        rc_loop_entropy_u64(loop)));
    } else if (exchange->state == RC_EXCHANGE_PAUSED) {
        rc_attempt_reserve_and_send(exchange->current);
    } else if (terminated(exchange) != NULL) {
        end_terminated(terminated(exchange));
    } else if (exchange->state == RC_EXCHANGE_ATTEMPTING &&
               rc_loop_now(loop) >= exchange->hedge.at_ms) {
        hedge(exchange);
    } else if (!polls_again(exchange)) {
        end_late_attempt(exchange);
    }
}

static uint64_t due_ms(const rc_exchange *exchange)
{
    uint64_t at_ms = exchange->action.deadline_at_ms;
    if (exchange->state == RC_EXCHANGE_READING)
        return rc_exchange_client_deadline(exchange);
    if (exchange->state == RC_EXCHANGE_RECORDING)
        return exchange->record_by_ms;
    if (exchange->state == RC_EXCHANGE_WAITING)
        return exchange->action.at_ms + 1; /* Times are in whole milliseconds: never too early. */
    if (exchange->state == RC_EXCHANGE_PAUSED)
        return exchange->reserve_again_at_ms < at_ms ? exchange->reserve_again_at_ms : at_ms;
    const rc_attempt *terminated_attempt = terminated(exchange);
    if (terminated_attempt != NULL && terminated_attempt->ends_at_ms < at_ms)
        at_ms = terminated_attempt->ends_at_ms;
    if (exchange->state == RC_EXCHANGE_ATTEMPTING && exchange->hedge.at_ms < at_ms)
        at_ms = exchange->hedge.at_ms;
    return at_ms;
}

/* ---- compressed responses ---- */

static inline bool is_decoding(const rc_attempt *attempt)
{
    return attempt != NULL && attempt->decoder != NULL && rc_attempt_decoder_is_due(attempt);
}

static inline bool has_decoding(const rc_exchange *exchange)
{
    return is_decoding(exchange->current) || is_decoding(exchange->hedge_attempt);
}

/* Decompresses one lane per turn, alternately. The timer is set before, because the exchange may be
 * over afterwards. */
static void decode(rc_exchange *exchange)
{
    rc_attempt *attempt = exchange->current;
    if (is_decoding(exchange->hedge_attempt)) {
        exchange->is_hedge_next = !exchange->is_hedge_next;
        if (exchange->is_hedge_next || !is_decoding(attempt))
            attempt = exchange->hedge_attempt;
    }
    rc_exchange_arm(exchange);
    rc_attempt_decoder_turn(attempt);
}

/* ---- the timer ---- */

/* The timer is lazy: it may find that its time has moved back, or that the memory belongs to
 * another request. So most requests never touch it. */
static void on_timer(uv_timer_t *timer)
{
    rc_exchange *exchange = timer->data;
    exchange->timer_at_ms = RC_UNLIMITED;
    if (exchange->state == RC_EXCHANGE_ENDING || exchange->state == RC_EXCHANGE_OVER)
        return;
    const uint64_t at_ms = due_ms(exchange);
    if (at_ms <= rc_loop_now(exchange->loop))
        on_due(exchange);
    else if (has_decoding(exchange))
        decode(exchange);
    else if (at_ms != RC_UNLIMITED)
        set_timer(exchange, at_ms);
}

void rc_exchange_arm(rc_exchange *exchange)
{
    uint64_t at_ms = due_ms(exchange);
    /* The next iteration of the loop, after all others had their turn. */
    if (has_decoding(exchange) && at_ms > rc_loop_now(exchange->loop))
        at_ms = rc_loop_now(exchange->loop) + 1;
    if (at_ms < exchange->timer_at_ms)
        set_timer(exchange, at_ms);
}

/* ---- actions ---- */

static void refresh(rc_exchange *exchange)
{
    rc_loop *loop = exchange->loop;
    const rc_action *action = &exchange->action;
    /* The provider of the exchange's own snapshot; a newer snapshot has read its keys itself. */
    rc_snapshot_provider *provider =
        &exchange->snapshot_ref->snapshot
             ->providers[exchange->current->provider - exchange->snapshot_ref->snapshot->providers];
    const bool is_fresh = rc_snapshot_provider_refresh(exchange->snapshot_ref->snapshot, provider,
                                                       action->credential, exchange->current->key);
    rc_exchange_carry_out(exchange,
                          rc_call_on_refreshed(&exchange->call, is_fresh, rc_loop_now(loop),
                                               rc_loop_entropy_u64(loop)));
}

/* Both lanes may be carried out: a request that must not be sent twice is not hedged. */
static uint64_t hedge_delay_ms(const rc_exchange *exchange)
{
    const bool is_hedged =
        exchange->route->hedge_ms > 0 && exchange->request.replay != RC_REPLAY_NO;
    return is_hedged ? exchange->route->hedge_ms : RC_UNLIMITED;
}

void rc_exchange_carry_out(rc_exchange *exchange, rc_action action)
{
    action.attempt -= exchange->unsent_attempts;
    exchange->action = action;
    rc_exchange_add_action(exchange, &action);
    switch (action.kind) {
    case RC_DO_TRY: {
        const uint64_t now_ms = rc_loop_now(exchange->loop);
        rc_hedge_init(&exchange->hedge, now_ms, hedge_delay_ms(exchange));
        exchange->state = RC_EXCHANGE_ATTEMPTING;
        rc_attempt_start(exchange, RC_LANE_FIRST, action.entry, action.credential);
        return;
    }
    case RC_DO_WAIT:
        exchange->state = RC_EXCHANGE_WAITING;
        rc_exchange_arm(exchange);
        return;
    case RC_DO_REFRESH:
        refresh(exchange);
        return;
    case RC_DO_DELIVER:
        return;
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        rc_exchange_give_up(exchange);
        return;
    }
}

void rc_exchange_on_drained(rc_exchange *exchange)
{
    if (exchange->state == RC_EXCHANGE_RESPONDING)
        rc_attempt_resume(exchange->current);
}
