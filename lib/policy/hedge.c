/* Hedging: starts a second attempt at another target when the first attempt has no response after a
 * delay. Called by lib/exchange/machine.c and machine_time.c. */
#include <recourse/hedge.h>

#include "policy/call_private.h"
#include "policy/shared_private.h"

#define BOTH (RC_LANE_FIRST | RC_LANE_SECOND)

void rc_hedge_init(rc_hedge *hedge, uint64_t now_ms, uint64_t delay_ms)
{
    *hedge = (rc_hedge){
        .at_ms = delay_ms < RC_UNLIMITED - now_ms ? now_ms + delay_ms : RC_UNLIMITED,
        .running = RC_LANE_FIRST,
        .second = {.entry = RC_NO_TARGET, .target = RC_NO_TARGET, .credential = RC_NO_TARGET}};
}

static rc_hedge_action action_of(rc_hedge_action_kind kind, rc_reason reason, rc_hedge_lane lane,
                                 const rc_call_attempt *attempt)
{
    return (rc_hedge_action){.kind = kind,
                             .reason = reason,
                             .lane = lane,
                             .entry = attempt ? attempt->entry : RC_NO_TARGET,
                             .target = attempt ? attempt->target : RC_NO_TARGET,
                             .credential = attempt ? attempt->credential : RC_NO_TARGET};
}

static rc_hedge_action wait_action(rc_reason reason)
{
    return action_of(RC_HEDGE_WAIT, reason, RC_LANE_NONE, NULL);
}

static void enter(rc_call *call, uint64_t now_ms)
{
    if (now_ms > call->now_ms)
        call->now_ms = now_ms;
    rc_shared_lock(call->shared);
}

/* Starts the second attempt (the second lane of the hedge). The attempt takes a retry token, counts
 * against max_calls, and takes an in-flight slot at another target. Returns false if the token, the
 * call or the slot is not available. */
static bool start(rc_hedge *hedge, rc_call *call)
{
    if (call->state != RC_CALL_TRYING || call->is_committed || call->is_unrepeatable ||
        !call->plan->policy->enabled || rc_call_spent_reason(call) != RC_WHY_NONE)
        return false;
    rc_call_search next = rc_call_find_next(call, true);
    if (next.entry == RC_NO_TARGET)
        return false;
    rc_retry_budget_take(&call->shared->retry_budget, call->now_ms);
    call->calls++;
    rc_call_move_past(call, next.entry);
    hedge->second = rc_call_start_attempt(call, next.entry, RC_NO_TARGET);
    hedge->running = BOTH;
    return true;
}

rc_hedge_action rc_hedge_on_timer(rc_hedge *hedge, rc_call *call, uint64_t now_ms)
{
    if (hedge->is_over || hedge->at_ms == RC_UNLIMITED || now_ms < hedge->at_ms)
        return wait_action(RC_WHY_NONE);
    hedge->at_ms = RC_UNLIMITED; /* at most one hedge per attempt */
    enter(call, now_ms);
    bool is_started = start(hedge, call);
    rc_call_run_queue(call->shared, call, call->now_ms);
    rc_shared_unlock(call->shared);
    if (!is_started)
        return wait_action(RC_WHY_HEDGE_NOT_ALLOWED);
    return action_of(RC_HEDGE_START, RC_WHY_HEDGED, RC_LANE_SECOND, &hedge->second);
}

/* Makes the attempt of the second lane the call's current attempt, and counts attempts at the entry
 * of this attempt from now on. */
static void second_takes_over(rc_hedge *hedge, rc_call *call)
{
    call->attempt = hedge->second;
    call->entry_attempts =
        call->plan->entries[call->attempt.entry].max_attempts > 0 ? 1 : call->round + 1u;
    call->credential_switches = 0;
    call->is_refreshed = false;
    call->last_wait_ms = 0;
    call->last.entry = call->attempt.entry;
    call->last.target = call->attempt.target;
    call->last.credential = call->attempt.credential;
    hedge->second.is_in_flight = false;
}

/* Ends the hedge: the attempt of `lane` becomes the call's attempt, and the attempt of the other
 * lane is cancelled. */
static void settle(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane, uint64_t now_ms,
                   uint64_t entropy)
{
    enter(call, now_ms);
    rc_call_attempt *loser = lane == RC_LANE_FIRST ? &hedge->second : &call->attempt;
    rc_call_end_attempt(call, loser, RC_BREAKER_NEUTRAL, NULL, entropy);
    if (lane == RC_LANE_SECOND)
        second_takes_over(hedge, call);
    rc_call_run_queue(call->shared, call, call->now_ms);
    rc_shared_unlock(call->shared);
}

static rc_hedge_action end(rc_hedge *hedge, const rc_call *call, rc_hedge_action_kind kind,
                           rc_reason reason, rc_hedge_lane lane, bool cancel_other)
{
    hedge->is_over = true;
    hedge->running = 0;
    rc_hedge_action action = action_of(kind, reason, lane, &call->attempt);
    action.cancel_other = cancel_other;
    return action;
}

rc_hedge_action rc_hedge_on_response(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                     uint64_t now_ms, uint64_t entropy)
{
    if (hedge->is_over || !(hedge->running & lane))
        return wait_action(RC_WHY_NONE);
    bool were_both = hedge->running == BOTH;
    if (were_both)
        settle(hedge, call, lane, now_ms, entropy);
    return end(hedge, call, RC_HEDGE_TAKE, RC_WHY_SUCCEEDED, lane, were_both);
}

rc_hedge_action rc_hedge_on_failure(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                    const rc_failure_facts *failure, uint64_t now_ms,
                                    uint64_t entropy)
{
    if (hedge->is_over || !(hedge->running & lane))
        return wait_action(RC_WHY_NONE);
    if (hedge->running != BOTH)
        return end(hedge, call, RC_HEDGE_FAIL, RC_WHY_NONE, lane, false);
    rc_call_attempt *loser = lane == RC_LANE_FIRST ? &call->attempt : &hedge->second;
    bool is_probe = failure->code == RC_CODE_AUTH_FAILED && loser->is_key_probe;
    /* A fatal failure is caused by the request, so a response of the other target must not hide
     * it. */
    if (!failure->is_retryable && !rc_call_is_capacity(failure) && !is_probe) {
        settle(hedge, call, lane, now_ms, entropy);
        return end(hedge, call, RC_HEDGE_FAIL, RC_WHY_NONE, lane, true);
    }
    enter(call, now_ms);
    rc_call_end_attempt(call, loser, rc_call_breaker_outcome(failure), failure, entropy);
    rc_call_publish_failure(call, loser, failure);
    rc_call_note_spent(call, loser->entry, failure);
    if (lane == RC_LANE_FIRST)
        second_takes_over(hedge, call);
    rc_call_run_queue(call->shared, call, call->now_ms);
    rc_shared_unlock(call->shared);
    hedge->running = (uint8_t)(BOTH & ~lane);
    return wait_action(RC_WHY_NONE);
}

void rc_hedge_on_cancel(rc_hedge *hedge, rc_call *call, uint64_t now_ms)
{
    if (hedge->running == BOTH) {
        enter(call, now_ms);
        rc_call_end_attempt(call, &hedge->second, RC_BREAKER_NEUTRAL, NULL, 0);
        rc_call_run_queue(call->shared, call, call->now_ms);
        rc_shared_unlock(call->shared);
    }
    hedge->is_over = true;
    hedge->running = 0;
}

bool rc_hedge_validate(const rc_hedge *hedge)
{
    if (hedge->running > BOTH || hedge->is_over != (hedge->running == 0))
        return false;
    return hedge->second.is_in_flight == (hedge->running == BOTH);
}
