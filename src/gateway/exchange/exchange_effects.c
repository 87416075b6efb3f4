/* Feeds the exchange's state machine and carries out its effects. Called by all files of this folder
 * and by loop.c. */
#include <assert.h>

#include "base/str.h"
#include "gateway/exchange/exchange.h"

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
    rc_snapshot *snapshot = exchange->snapshot_ref->snapshot;
    const rc_attempt *attempt = rc_exchange_current(exchange);
    /* The provider of the exchange's own snapshot; a newer snapshot has read its keys itself. */
    rc_snapshot_provider *provider = &snapshot->providers[attempt->provider - snapshot->providers];
    const bool is_fresh = rc_snapshot_provider_refresh(
        snapshot, provider, exchange->machine.action.credential, attempt->key);
    rc_exchange_feed(exchange,
                     &(rc_exchange_input){.kind = RC_INPUT_REFRESHED, .is_fresh = is_fresh});
}

/* The step has counted the hedge already; the switch belongs to the attempt before it. */
static void log_hedge(rc_exchange *exchange, const rc_exchange_effect *effect)
{
    rc_ledger_step *step = rc_exchange_add_step(exchange, RC_RECORD_SWITCH);
    if (step != NULL) {
        step->attempt--;
        step->entry = effect->entry;
        step->credential = effect->credential;
        step->reason = effect->reason;
    }
    rc_metrics_on_retry(exchange->loop->metrics, exchange->route->entries[effect->entry].metric, 0);
}

static void log_cancel(rc_exchange *exchange)
{
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
    rc_hub_on_delivered(exchange->loop->hub, exchange->route, action->entry);
    if (attempt->flaw != NULL)
        rc_exchange_add_flaw(exchange, attempt->flaw);
}

static void reply(rc_exchange *exchange)
{
    rc_exchange_count(exchange);
    rc_exchange_uncount_body(exchange);
    rc_exchange_send_reply(exchange);
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
        rc_exchange_add_action(exchange, &exchange->machine.action);
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
    case RC_EFFECT_DELIVERED:
        deliver(exchange);
        return;
    case RC_EFFECT_REPORT:
        rc_exchange_report_stop(exchange);
        return;
    case RC_EFFECT_DENY:
        rc_attempt_report_budget(exchange->attempts[effect->slot]);
        return;
    case RC_EFFECT_REFUSE:
        rc_exchange_report_refusal(exchange, (rc_local_outcome)effect->outcome, effect->at_ms);
        return;
    case RC_EFFECT_REFUSE_LATE:
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
    case RC_EFFECT_CLOSE: /* The end of rc_exchange_feed. */
        return;
    }
}

/* ---- inputs ---- */

/* Only decisions about waits use random bits. */
static uint64_t entropy_for(const rc_exchange *exchange, rc_exchange_input_kind kind)
{
    const bool is_decision = kind == RC_INPUT_BEGIN || kind == RC_INPUT_FAILED ||
                             kind == RC_INPUT_TIMER || kind == RC_INPUT_REFRESHED ||
                             exchange->machine.is_hedged;
    return is_decision ? rc_loop_entropy_u64(exchange->loop) : 0;
}

static void step(rc_exchange *exchange, const rc_exchange_input *input)
{
    rc_exchange_effects effects;
    rc_exchange_step(&exchange->machine, input, rc_loop_now(exchange->loop),
                     entropy_for(exchange, input->kind), &effects);
    assert(rc_exchange_validate(&exchange->machine));
    for (uint32_t i = 0; i < effects.count; i++)
        carry_out(exchange, &effects.list[i]);
}

void rc_exchange_feed(rc_exchange *exchange, const rc_exchange_input *input)
{
    if (exchange->is_stepping) {
        /* A queued input outlives the facts of a failure; no effect reports one. */
        assert(input->kind != RC_INPUT_FAILED && exchange->queue_count < RC_EXCHANGE_QUEUE_MAX);
        if (exchange->queue_count < RC_EXCHANGE_QUEUE_MAX)
            exchange->queue[exchange->queue_count++] = *input;
        return;
    }
    if (exchange->machine.state == RC_EXCHANGE_OVER)
        return;
    exchange->is_stepping = true;
    step(exchange, input);
    for (uint8_t i = 0; i < exchange->queue_count; i++)
        step(exchange, &exchange->queue[i]);
    exchange->queue_count = 0;
    exchange->is_stepping = false;
    if (exchange->machine.state == RC_EXCHANGE_OVER)
        rc_exchange_close(exchange);
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

/* The deadline ends the attempt. rc_upstream watches the time limits of its parts. */
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

void rc_exchange_end_deferred(rc_exchange *exchange)
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
