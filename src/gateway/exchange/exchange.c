/* rc_exchange: feeds the state machine of one request and carries out its effects. Called by the
 * other files of this folder and by loop.c. */
#include <assert.h>

#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_decoder.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_response.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange.h"
#include "gateway/exchange/exchange_audit.h"
#include "gateway/exchange/exchange_budget.h"
#include "gateway/exchange/exchange_deadline.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_limits.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/server/responder.h"
#include "net/server/server.h"

/* ---- life cycle ---- */

static void on_timer(uv_timer_t *timer);

static rc_exchange *take_spare(rc_runtime *runtime)
{
    const rc_alloc *alloc = &runtime->alloc;
    rc_exchange *exchange = runtime->spare_exchanges;
    if (exchange != NULL) {
        runtime->spare_exchanges = exchange->next;
        runtime->spare_exchange_count--;
        return exchange;
    }
    exchange = alloc->get(alloc->ctx, sizeof *exchange);
    if (exchange == NULL)
        return NULL;
    (void)uv_timer_init(runtime->uv_loop, &exchange->timer);
    exchange->timer.data = exchange;
    exchange->timer_at_ms = RC_UNLIMITED;
    exchange->runtime = runtime;
    exchange->waiter = (rc_waiter){.loop = &runtime->waiting};
    exchange->serial = 0;
    rc_buf_init(&exchange->body, alloc, 0);
    rc_buf_init(&exchange->lines, alloc, 2 * RC_ATTEMPT_HELD_MAX);
    rc_buf_init(&exchange->limits, alloc, RC_EXCHANGE_LIMITS_MAX);
    return exchange;
}

rc_exchange *rc_exchange_new(rc_runtime *runtime, rc_responder *responder)
{
    rc_exchange *exchange = take_spare(runtime);
    if (exchange == NULL)
        return NULL;
    memset(&exchange->snapshot_ref, 0,
           offsetof(rc_exchange, inline_steps) - offsetof(rc_exchange, snapshot_ref));
    rc_exchange_machine_init(&exchange->machine);
    exchange->serial++;
    exchange->responder = responder;
    exchange->next = NULL;
    exchange->snapshot_ref = rc_runtime_acquire_snapshot(runtime);
    exchange->snapshot = exchange->snapshot_ref->snapshot;
    exchange->dialect = RC_DIALECT_OPENAI_CHAT;
    exchange->client = SIZE_MAX;
    exchange->began_unix_ms = rc_runtime_unix_ms(runtime);
    exchange->id = rc_runtime_next_id(runtime, exchange->began_unix_ms);
    memcpy(exchange->id.text, "req", 3);
    exchange->began_ms = rc_runtime_now(runtime);
    exchange->began_ns = uv_hrtime();
    exchange->first_byte_ms = -1;
    exchange->steps = exchange->inline_steps;
    exchange->step_capacity = RC_EXCHANGE_INLINE_STEPS;
    exchange->body.max_bytes = exchange->snapshot->config->limits.max_body_bytes;
    runtime->exchange_count++;
    atomic_fetch_add_explicit(&runtime->hub->in_flight, 1, memory_order_relaxed);
    exchange->live_prev = NULL;
    exchange->live_next = runtime->live;
    if (runtime->live != NULL)
        runtime->live->live_prev = exchange;
    runtime->live = exchange;
    rc_metrics_in_flight(runtime->metrics, 1);
    rc_responder_set_owner(responder, exchange);
    return exchange;
}

static void on_timer_closed(uv_handle_t *handle)
{
    rc_exchange *exchange = handle->data;
    rc_runtime *runtime = exchange->runtime;
    rc_buf_done(&exchange->body);
    rc_buf_done(&exchange->lines);
    rc_buf_done(&exchange->limits);
    runtime->alloc.put(runtime->alloc.ctx, exchange, sizeof *exchange);
    runtime->closing_timers--;
    rc_runtime_on_released(runtime);
}

static void close_timer(rc_exchange *exchange)
{
    exchange->runtime->closing_timers++;
    uv_close((uv_handle_t *)&exchange->timer, on_timer_closed);
}

void rc_exchange_close_spares(rc_runtime *runtime)
{
    while (runtime->spare_exchanges != NULL) {
        rc_exchange *exchange = runtime->spare_exchanges;
        runtime->spare_exchanges = exchange->next;
        close_timer(exchange);
    }
    runtime->spare_exchange_count = RC_RUNTIME_SPARE_MAX; /* Exchanges that end later are freed at
                                                           * once. */
    rc_attempt_free_spares(runtime);
}

static void leave_live(rc_exchange *exchange)
{
    if (exchange->live_prev != NULL)
        exchange->live_prev->live_next = exchange->live_next;
    else
        exchange->runtime->live = exchange->live_next;
    if (exchange->live_next != NULL)
        exchange->live_next->live_prev = exchange->live_prev;
}

static void recycle(rc_exchange *exchange)
{
    rc_runtime *runtime = exchange->runtime;
    if (runtime->spare_exchange_count >= RC_RUNTIME_SPARE_MAX) {
        close_timer(exchange);
        return;
    }
    exchange->next = runtime->spare_exchanges;
    runtime->spare_exchanges = exchange;
    runtime->spare_exchange_count++;
}

/* Ends the exchange. If the store has not acknowledged the record yet, the memory of the exchange
 * is freed or reused after the acknowledgement. */
static void close_exchange(rc_exchange *exchange)
{
    rc_runtime *runtime = exchange->runtime;
    rc_exchange_end_queueing(exchange, false);
    exchange->responder = NULL;
    if (exchange->has_queued)
        rc_waiting_forget(&exchange->waiter);
    for (size_t i = 0; i < 2; i++) {
        rc_attempt_free(exchange->attempts[i]);
        exchange->attempts[i] = NULL;
    }
    rc_exchange_release_limits(exchange);
    rc_exchange_translation_done(exchange);
    rc_exchange_steps_done(exchange);
    rc_exchange_release_entries(exchange);
    rc_exchange_events_done(exchange);
    rc_report_free(exchange->report);
    rc_exchange_drop_body(exchange);
    rc_buf_recycle(&exchange->lines);
    rc_buf_recycle(&exchange->limits);
    rc_runtime_release_snapshot(runtime, exchange->snapshot_ref);
    rc_metrics_in_flight(runtime->metrics, -1);
    leave_live(exchange);
    atomic_fetch_sub_explicit(&runtime->hub->in_flight, 1, memory_order_relaxed);
    if (exchange->is_store_pending)
        runtime->unacknowledged++;
    else
        recycle(exchange);
    rc_runtime_on_exchange_over(runtime);
}

void rc_exchange_on_acknowledged(rc_exchange *exchange)
{
    rc_runtime *runtime = exchange->runtime;
    if (exchange->machine.state != RC_EXCHANGE_OVER)
        return;
    recycle(exchange);
    runtime->unacknowledged--;
    rc_runtime_on_released(runtime);
}

void rc_exchange_on_wake(rc_waiter *waiter)
{
    rc_exchange *exchange = (rc_exchange *)((char *)waiter - offsetof(rc_exchange, waiter));
    rc_exchange_feed_kind(exchange, RC_INPUT_WAKE);
}

/* Handles the disconnect of the client. The record states the reason of the disconnect, unless the
 * record was already complete. */
void rc_exchange_on_gone(rc_exchange *exchange, const rc_disconnect *gone)
{
    const rc_exchange_state state = (rc_exchange_state)exchange->machine.state;
    exchange->responder = NULL;
    if (state != RC_EXCHANGE_RECORDING && state != RC_EXCHANGE_ENDING)
        exchange->gone_text = gone->text;
    rc_exchange_feed_kind(exchange, RC_INPUT_GONE);
}

void rc_exchange_on_drained(rc_exchange *exchange)
{
    if (exchange->machine.state == RC_EXCHANGE_RESPONDING)
        rc_attempt_resume(rc_exchange_current(exchange));
}

void rc_exchange_on_sent(rc_exchange *exchange)
{
    rc_exchange_feed_kind(exchange, RC_INPUT_SENT);
}

/* ---- stopping ---- */

/* Feeds an input to all live exchanges. `live_next` is read before the input, because an exchange
 * that ends is removed from the list. */
static void feed_all(rc_runtime *runtime, rc_exchange_input_kind kind, bool only_paused)
{
    for (rc_exchange *exchange = runtime->live, *next = NULL; exchange != NULL; exchange = next) {
        next = exchange->live_next;
        if (!only_paused || exchange->machine.state == RC_EXCHANGE_PAUSED)
            rc_exchange_feed_kind(exchange, kind);
    }
}

void rc_exchange_drain_all(rc_runtime *runtime)
{
    feed_all(runtime, RC_INPUT_DRAIN, false);
}

void rc_exchange_drain_paused(rc_runtime *runtime)
{
    feed_all(runtime, RC_INPUT_DRAIN, true);
}

void rc_exchange_close_all(rc_runtime *runtime)
{
    feed_all(runtime, RC_INPUT_CLOSING, false);
}

/* ---- effects ---- */

static void reserve(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    rc_attempt *attempt = effect->is_again ? exchange->attempts[effect->slot]
                                           : rc_attempt_new(exchange, effect->slot);
    if (attempt != NULL) {
        rc_attempt_reserve(attempt);
        return;
    }
    rc_exchange_feed(exchange, &(rc_exchange_input){.kind = RC_INPUT_RESERVED,
                                                    .slot = effect->slot,
                                                    .verdict = RC_RESERVE_NO_MEMORY});
}

static void settle(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    rc_attempt *attempt = exchange->attempts[effect->slot];
    rc_exchange_add_attempt(attempt, effect->is_done ? attempt->flaw : exchange->report,
                            effect->is_done);
}

static void cancel(rc_attempt *attempt)
{
    rc_attempt_stop(attempt);
    rc_exchange_add_attempt(attempt, NULL, false);
}

static void free_attempt(rc_exchange *exchange, uint8_t slot)
{
    rc_attempt_free(exchange->attempts[slot]);
    exchange->attempts[slot] = NULL;
}

static void refresh(rc_exchange *exchange)
{
    rc_snapshot *snapshot = exchange->snapshot;
    const rc_attempt *attempt = rc_exchange_current(exchange);
    /* The key is loaded again in the exchange's own snapshot. Newer snapshots need no refresh,
     * because their keys were loaded later. */
    rc_snapshot_provider *provider = &snapshot->providers[attempt->provider - snapshot->providers];
    const bool is_fresh = rc_snapshot_provider_refresh(
        snapshot, provider, exchange->machine.action.credential, attempt->key);
    rc_exchange_feed(exchange,
                     &(rc_exchange_input){.kind = RC_INPUT_REFRESHED, .is_fresh = is_fresh});
}

/* Adds a switch to the ledger. The machine has already counted the second attempt of the hedge; the
 * switch belongs to the attempt before it, so 1 is subtracted. */
static void log_hedge(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_SWITCH);
    if (step != NULL) {
        step->attempt--;
        step->entry = effect->entry;
        step->credential = effect->credential;
        step->reason = effect->reason;
    }
    rc_metrics_on_retry(exchange->runtime->metrics, exchange->route->entries[effect->entry].metric,
                        0);
}

static void log_cancel(rc_exchange *exchange)
{
    rc_exchange_end_queueing(exchange, false);
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_CANCEL);
    if (step != NULL)
        step->reason = RC_WHY_CANCELLED;
}

static void pause_for_budget(rc_exchange *exchange)
{
    if (exchange->upload_left > 0)
        rc_responder_pause_body(exchange->responder);
    rc_exchange_emit_pause(exchange, &exchange->decision);
    rc_exchange_add_pause(exchange, &exchange->decision);
}

static void end_pause(rc_exchange *exchange, bool is_continued)
{
    rc_exchange_end_pause(exchange);
    if (is_continued && exchange->upload_left > 0)
        rc_responder_resume_body(exchange->responder);
}

static void deliver(rc_exchange *exchange)
{
    const rc_attempt *attempt = rc_exchange_current(exchange);
    const rc_action *action = &exchange->machine.action;
    rc_exchange_emit_action(exchange, action);
    rc_hub_on_delivered(exchange->runtime->hub, exchange->route, action->entry);
    if (attempt->flaw != NULL)
        rc_exchange_add_flaw(exchange, attempt->flaw);
}

static void reply(rc_exchange *exchange)
{
    rc_exchange_count(exchange);
    rc_exchange_uncount_body(exchange);
    rc_exchange_send_reply(exchange);
}

/* Adds an action to the ledger. A body that is still being received and passed on is not read while
 * the request waits in the queue. */
static void log_action(rc_exchange *exchange)
{
    const rc_action *action = &exchange->machine.action;
    const bool is_queued = action->kind == RC_DO_WAIT && action->is_queued;
    rc_exchange_add_action(exchange, action);
    rc_exchange_note_queue(exchange);
    exchange->has_queued = exchange->has_queued || is_queued;
    if (exchange->upload_left == 0 || exchange->responder == NULL)
        return;
    if (is_queued)
        rc_responder_pause_body(exchange->responder);
    else if (action->kind == RC_DO_TRY && action->reason == RC_WHY_GRANTED)
        rc_responder_resume_body(exchange->responder);
}

static void log_effect(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    switch (effect->kind) {
    case RC_EFFECT_LOG_ACTION:
        log_action(exchange);
        return;
    case RC_EFFECT_LOG_HEDGE:
        log_hedge(exchange, effect);
        return;
    case RC_EFFECT_LOG_SKIP:
        rc_exchange_add_skip(exchange, effect->entry, effect->reason);
        return;
    case RC_EFFECT_LOG_CANCEL:
        log_cancel(exchange);
        return;
    case RC_EFFECT_CUT_WAIT:
        rc_exchange_cut_wait(exchange);
        return;
    case RC_EFFECT_PAUSE:
        pause_for_budget(exchange);
        return;
    case RC_EFFECT_END_PAUSE:
        end_pause(exchange, effect->is_again);
        return;
    default:
        return;
    }
}

/* Carries out the effects that end the exchange: its report, its record and its reply. */
static void conclude(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    switch (effect->kind) {
    case RC_EFFECT_REPORT:
        rc_exchange_report_stop(exchange);
        return;
    case RC_EFFECT_DENY:
        rc_attempt_report_budget(exchange->attempts[effect->slot]);
        return;
    case RC_EFFECT_REFUSE:
        rc_exchange_end_queueing(exchange, false);
        rc_exchange_report_refusal(exchange, (rc_local_outcome)effect->outcome, effect->at_ms);
        return;
    case RC_EFFECT_REFUSE_LATE:
        rc_exchange_end_queueing(exchange, true);
        rc_exchange_report_late(exchange);
        return;
    case RC_EFFECT_STORE:
        rc_exchange_record(exchange);
        return;
    case RC_EFFECT_STORE_LATE:
        rc_exchange_on_record_late(exchange, effect->at_ms);
        return;
    case RC_EFFECT_COUNT:
        rc_exchange_count(exchange);
        return;
    case RC_EFFECT_REPLY:
        reply(exchange);
        return;
    default:
        return;
    }
}

static void carry_out(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    switch ((rc_exchange_effect_kind)effect->kind) {
    case RC_EFFECT_RESERVE:
        reserve(exchange, effect);
        return;
    case RC_EFFECT_START:
        rc_attempt_send(exchange->attempts[effect->slot]);
        return;
    case RC_EFFECT_COMMIT:
        rc_attempt_begin_response(exchange->attempts[effect->slot]);
        return;
    case RC_EFFECT_SETTLE:
        settle(exchange, effect);
        return;
    case RC_EFFECT_CANCEL:
        cancel(exchange->attempts[effect->slot]);
        return;
    case RC_EFFECT_FREE:
        free_attempt(exchange, effect->slot);
        return;
    case RC_EFFECT_END_STREAM:
    case RC_EFFECT_END_LATE:
        exchange->deferred = effect->kind;
        exchange->deferred_slot = effect->slot;
        return;
    case RC_EFFECT_BREAK:
        rc_attempt_break(exchange->attempts[effect->slot], (rc_local_outcome)effect->outcome);
        return;
    case RC_EFFECT_REFRESH:
        refresh(exchange);
        return;
    case RC_EFFECT_LOG_ACTION:
    case RC_EFFECT_LOG_HEDGE:
    case RC_EFFECT_LOG_SKIP:
    case RC_EFFECT_LOG_CANCEL:
    case RC_EFFECT_CUT_WAIT:
    case RC_EFFECT_PAUSE:
    case RC_EFFECT_END_PAUSE:
        log_effect(exchange, effect);
        return;
    case RC_EFFECT_DELIVERED:
        deliver(exchange);
        return;
    case RC_EFFECT_REPORT:
    case RC_EFFECT_DENY:
    case RC_EFFECT_REFUSE:
    case RC_EFFECT_REFUSE_LATE:
    case RC_EFFECT_STORE:
    case RC_EFFECT_STORE_LATE:
    case RC_EFFECT_COUNT:
    case RC_EFFECT_REPLY:
        conclude(exchange, effect);
        return;
    case RC_EFFECT_CLOSE: /* rc_exchange_feed carries out this effect at its end. */
        return;
    }
}

/* ---- inputs ---- */

/* Maximum number of inputs that the effects of one step may cause. */
#define QUEUE_MAX 8u

struct rc_exchange_queue {
    size_t count;
    rc_exchange_input inputs[QUEUE_MAX];
};

/* Returns random bits for inputs that may lead to a wait, and 0 for all other inputs. */
static uint64_t entropy_for(const rc_exchange *exchange, rc_exchange_input_kind kind)
{
    const bool is_decision = kind == RC_INPUT_BEGIN || kind == RC_INPUT_FAILED ||
                             kind == RC_INPUT_TIMER || kind == RC_INPUT_WAKE ||
                             kind == RC_INPUT_REFRESHED || exchange->machine.is_hedged;
    return is_decision ? rc_runtime_entropy_u64(exchange->runtime) : 0;
}

static void step(rc_exchange *exchange, const rc_exchange_input *input)
{
    rc_exchange_effects effects;
    rc_exchange_step(&exchange->machine, input, rc_runtime_now(exchange->runtime),
                     entropy_for(exchange, input->kind), &effects);
    assert(rc_exchange_validate(&exchange->machine));
    for (uint32_t i = 0; i < effects.count; i++)
        carry_out(exchange, &effects.list[i]);
}

void rc_exchange_feed(rc_exchange *exchange, const rc_exchange_input *input)
{
    if (exchange->queue != NULL) {
        /* FAILED cannot be queued, because its `facts` are valid only during the call. No effect
         * causes this input. */
        assert(input->kind != RC_INPUT_FAILED && exchange->queue->count < QUEUE_MAX);
        if (exchange->queue->count < QUEUE_MAX)
            exchange->queue->inputs[exchange->queue->count++] = *input;
        return;
    }
    if (exchange->machine.state == RC_EXCHANGE_OVER)
        return;
    rc_exchange_queue queue;
    queue.count = 0;
    exchange->queue = &queue;
    step(exchange, input);
    for (size_t i = 0; i < queue.count; i++)
        step(exchange, &queue.inputs[i]);
    exchange->queue = NULL;
    if (exchange->machine.state == RC_EXCHANGE_OVER)
        close_exchange(exchange);
    else
        rc_exchange_arm(exchange);
}

void rc_exchange_feed_kind(rc_exchange *exchange, rc_exchange_input_kind kind)
{
    rc_exchange_feed(exchange, &(rc_exchange_input){.kind = kind});
}

void rc_attempt_feed(const rc_attempt *attempt, rc_exchange_input_kind kind)
{
    rc_exchange_feed(attempt->exchange, &(rc_exchange_input){.kind = kind, .slot = attempt->slot});
}

bool rc_attempt_is_responding(const rc_attempt *attempt)
{
    return rc_exchange_is_responding(&attempt->exchange->machine, attempt->slot);
}

/* ---- attempts that the timer ends ---- */

/* Ends an attempt because the deadline has passed. rc_upstream enforces the time limits of the
 * phases, such as connecting. */
static void end_late(rc_attempt *attempt)
{
    rc_failure failure = {
        .transport = RC_TRANSPORT_TIMEOUT,
        .phase = attempt->mode == RC_MODE_HEAD ? RC_PHASE_SENT : RC_PHASE_HEADERS,
    };
    attempt->exchange->is_late = true;
    rc_exchange_set_deadline(attempt->exchange, &failure);
    rc_attempt_stop(attempt);
    rc_attempt_fail(attempt, &failure);
}

/* Ends the attempt for which the latest TIMER input returned END_STREAM or END_LATE. */
static void end_deferred(rc_exchange *exchange)
{
    const uint8_t deferred = exchange->deferred;
    rc_attempt *attempt = exchange->attempts[exchange->deferred_slot];
    exchange->deferred = 0;
    if (deferred == RC_EFFECT_END_LATE) {
        end_late(attempt);
    } else if (deferred == RC_EFFECT_END_STREAM) {
        rc_attempt_stop(attempt);
        rc_attempt_stream_on_end(attempt, NULL);
    }
}

/* ---- compressed responses ---- */

static inline bool is_decoding(const rc_attempt *attempt)
{
    return attempt != NULL && attempt->decoder != NULL && rc_attempt_decoder_is_due(attempt);
}

static inline bool has_decoding(const rc_exchange *exchange)
{
    return is_decoding(exchange->attempts[0]) || is_decoding(exchange->attempts[1]);
}

/* Decompresses data of one lane. If both lanes have data, the lanes alternate. The timer is set
 * first, because the exchange may be over after the decompression. */
static void decode(rc_exchange *exchange)
{
    rc_attempt *first = exchange->attempts[exchange->is_second_next];
    rc_attempt *second = exchange->attempts[!exchange->is_second_next];
    exchange->is_second_next = !exchange->is_second_next;
    rc_exchange_arm(exchange);
    rc_attempt_decoder_turn(is_decoding(first) ? first : second);
}

/* ---- the timer ---- */

static void set_timer(rc_exchange *exchange, uint64_t at_ms)
{
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    exchange->timer_at_ms = at_ms;
    (void)uv_timer_start(&exchange->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

/* Feeds TIMER to the machine if the machine's due time has passed. To save system work, the timer
 * is not stopped when its time moves back or the exchange ends. The timer may therefore fire too
 * early, or when the memory belongs to another request. */
static void on_timer(uv_timer_t *timer)
{
    rc_exchange *exchange = timer->data;
    exchange->timer_at_ms = RC_UNLIMITED;
    const uint64_t at_ms = rc_exchange_due_ms(&exchange->machine);
    if (at_ms <= rc_runtime_now(exchange->runtime)) {
        rc_exchange_feed_kind(exchange, RC_INPUT_TIMER);
        end_deferred(exchange);
    } else if (has_decoding(exchange)) {
        decode(exchange);
    } else if (at_ms != RC_UNLIMITED) {
        set_timer(exchange, at_ms);
    }
}

void rc_exchange_arm(rc_exchange *exchange)
{
    uint64_t at_ms = rc_exchange_due_ms(&exchange->machine);
    /* Decompression continues in the next iteration of the loop, after all other events. */
    if (has_decoding(exchange) && at_ms > rc_runtime_now(exchange->runtime))
        at_ms = rc_runtime_now(exchange->runtime) + 1;
    if (at_ms < exchange->timer_at_ms)
        set_timer(exchange, at_ms);
}
