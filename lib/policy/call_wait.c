/* Waits of rc_call: steps 7 and 8 of docs/internals/call.md. Called by call_decide.c, call_key.c
 * and call_turn.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

bool rc_call_is_too_little_left(const rc_call *call, uint64_t at_ms)
{
    uint64_t min_ms = call->plan->policy->min_remaining_ms;
    return min_ms > 0 && call->deadline_at_ms != RC_UNLIMITED &&
           rc_call_add_ms(at_ms, min_ms) >= call->deadline_at_ms;
}

static rc_action stop_too_long(rc_call *call, rc_reason reason, uint64_t wait_ms)
{
    rc_call_do_stop(call, reason, rc_call_add_ms(call->now_ms, wait_ms));
    call->last.wait_ms = wait_ms;
    return call->last;
}

rc_reason rc_call_no_wait_reason(const rc_call *call, uint64_t wait_ms)
{
    uint64_t at_ms = rc_call_add_ms(call->now_ms, wait_ms);
    if (wait_ms > rc_policy_rule(call->plan->policy, call->failure.code)->max_delay_ms)
        return RC_WHY_DELAY_TOO_LONG;
    if (at_ms >= call->deadline_at_ms)
        return RC_WHY_WAIT_PAST_DEADLINE;
    if (rc_call_is_too_little_left(call, at_ms))
        return RC_WHY_TOO_LITTLE_LEFT;
    if (wait_ms > call->waits_left_ms) /* The waits so far have used a part of policy.max_wait_ms;
                                          waits_left_ms is the remainder. */
        return call->has_waited ? RC_WHY_WAITS_SPENT : RC_WHY_DELAY_TOO_LONG;
    return RC_WHY_NONE;
}

rc_action rc_call_wait_for(rc_call *call, uint64_t wait_ms, rc_reason reason)
{
    uint64_t at_ms = rc_call_add_ms(call->now_ms, wait_ms);
    if (at_ms < call->not_before_ms && !call->is_round_next) {
        at_ms = call->not_before_ms;
        wait_ms = at_ms - call->now_ms;
    }
    rc_reason no_wait_reason = rc_call_no_wait_reason(call, wait_ms);
    if (no_wait_reason != RC_WHY_NONE)
        return stop_too_long(call, no_wait_reason, wait_ms);
    call->last_wait_ms = wait_ms;
    call->has_waited = true;
    if (call->waits_left_ms != RC_UNLIMITED)
        call->waits_left_ms -= wait_ms;
    call->state = RC_CALL_WAITING;
    call->last = rc_call_action_of(call, RC_DO_WAIT, reason);
    call->last.at_ms = at_ms;
    call->last.wait_ms = wait_ms;
    return call->last;
}

rc_action rc_call_take_token_and_wait(rc_call *call, uint64_t wait_ms, rc_reason reason)
{
    rc_action action = rc_call_wait_for(call, wait_ms, reason);
    if (action.kind == RC_DO_WAIT)
        rc_call_take_token(call);
    return action;
}

/* Returns the wait, extended so that it ends after until_ms, the time at which a closed target
 * opens. The extension has a random part of at most backoff_ms, so that the calls that wait for the
 * target do not all start at the same moment. With this part the wait stays within max_delay_ms. */
uint64_t rc_call_wait_until_open(const rc_call *call, uint64_t wait_ms, uint64_t until_ms,
                                 uint64_t backoff_ms, uint64_t entropy)
{
    if (until_ms <= rc_call_add_ms(call->now_ms, wait_ms))
        return wait_ms;
    uint64_t max_ms = rc_policy_rule(call->plan->policy, call->failure.code)->max_delay_ms;
    uint64_t closed_ms = until_ms - call->now_ms;
    if (closed_ms >= max_ms)
        return closed_ms;
    uint64_t spread_ms = backoff_ms < max_ms - closed_ms ? backoff_ms : max_ms - closed_ms;
    /* The multiplication makes this random part independent of the random part of the backoff,
     * which comes from the same entropy. */
    uint64_t spread_bits = (entropy ^ entropy >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 16;
    return rc_call_add_ms(closed_ms, spread_ms ? spread_bits % spread_ms : 0);
}

rc_action rc_call_wait_here(rc_call *call, uint64_t until_ms, uint64_t entropy)
{
    const rc_policy *policy = call->plan->policy;
    if (until_ms > call->now_ms && rc_call_may_queue(call)) {
        uint64_t opens_ms = until_ms > call->not_before_ms ? until_ms : call->not_before_ms;
        /* The policy limits also the waits in the queue between two attempts. */
        if (opens_ms - call->now_ms > rc_policy_rule(policy, call->failure.code)->max_delay_ms)
            return stop_too_long(call, RC_WHY_DELAY_TOO_LONG, opens_ms - call->now_ms);
        rc_call_take_token(call);
        return rc_call_enqueue(call, opens_ms);
    }
    const rc_failure_facts *failure = &call->failure;
    uint64_t backoff_ms = rc_backoff_wait(rc_policy_rule(policy, failure->code),
                                          call->entry_attempts, call->last_wait_ms, entropy);
    uint64_t hint_ms = failure->retry_after_ms > 0 ? (uint64_t)failure->retry_after_ms : 0;
    bool is_hint =
        failure->retry_after_ms >= 0 && (policy->hint == RC_HINT_EXACT || hint_ms >= backoff_ms);
    uint64_t wait_ms = rc_call_wait_until_open(call, is_hint ? hint_ms : backoff_ms, until_ms,
                                               backoff_ms, entropy);
    return rc_call_take_token_and_wait(call, wait_ms, is_hint ? RC_WHY_HINT : RC_WHY_BACKOFF);
}

/* Waits again for an entry that is still closed after a wait. The wait takes no token from the
 * retry budget, but counts as an attempt, so that a call cannot wait for ever. When no attempts are
 * left, the call stops with the reason `spent` and the time back_at_ms. */
rc_action rc_call_wait_again(rc_call *call, uint64_t until_ms, rc_reason spent, uint64_t back_at_ms,
                             uint64_t entropy)
{
    uint32_t max_entry_attempts = rc_call_max_entry_attempts(call, call->attempt.entry);
    if (rc_call_may_queue(call) && call->failure.code != RC_CODE_AUTH_FAILED)
        return rc_call_enqueue(call, until_ms);
    call->entry_attempts += call->entry_attempts < max_entry_attempts;
    if (call->entry_attempts >= max_entry_attempts)
        return rc_call_do_stop(call, spent, back_at_ms);
    uint64_t backoff_ms =
        rc_backoff_wait(rc_policy_rule(call->plan->policy, call->failure.code),
                        call->entry_attempts + call->limit_waits, call->last_wait_ms, entropy);
    uint64_t wait_ms = rc_call_wait_until_open(call, backoff_ms, until_ms, backoff_ms, entropy);
    return rc_call_wait_for(call, wait_ms, RC_WHY_TARGET_UNAVAILABLE);
}
