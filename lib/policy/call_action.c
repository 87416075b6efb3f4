/* Actions of rc_call: builds the actions that an input returns, and starts attempts. Called by
 * call.c, call_decide.c, call_wait.c, call_key.c and call_queue.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

/* Returns the value of rc_action.max_attempts, the largest number of attempts that the call may
 * still reach. The attempt after a refresh of the credential, and the first one of a new round, are
 * not limited by max_attempts of the entry, so the result is larger by 1 before them. */
static uint32_t max_attempts(const rc_call *call, rc_action_kind kind)
{
    uint32_t max_entry_attempts = rc_call_max_entry_attempts(call, call->attempt.entry);
    uint64_t max =
        call->calls +
        (max_entry_attempts > call->entry_attempts ? max_entry_attempts - call->entry_attempts : 0);
    bool is_pause = kind == RC_DO_WAIT || kind == RC_DO_REFRESH;
    if (is_pause && (call->failure.code == RC_CODE_AUTH_FAILED || call->is_round_next))
        max++;
    if (max > rc_call_max_calls(call))
        max = rc_call_max_calls(call);
    return max > call->calls ? (uint32_t)max : call->calls;
}

rc_action rc_call_action_of(const rc_call *call, rc_action_kind kind, rc_reason reason)
{
    const rc_call_attempt *attempt = &call->attempt;
    return (rc_action){.kind = kind,
                       .reason = reason,
                       .entry = attempt->entry,
                       .target = attempt->target,
                       .credential = attempt->credential,
                       .from_entry = attempt->entry,
                       .from_credential = attempt->credential,
                       .attempt = call->calls,
                       .max_attempts = max_attempts(call, kind),
                       .deadline_at_ms = call->deadline_at_ms};
}

rc_action rc_call_do_end(rc_call *call, rc_action_kind kind, rc_reason reason)
{
    call->state = RC_CALL_DONE;
    call->last = rc_call_action_of(call, kind, reason);
    return call->last;
}

/* Returns the value of rc_action.is_retry_exhausted: true if callers of this program must not retry
 * the request either. A call that stopped because a wait was too long returns false, because
 * another caller may have more time. A call that made no attempt returns false, too. */
static bool exhausts(const rc_call *call, rc_reason reason)
{
    return call->calls > 0 &&
           (reason == RC_WHY_ALREADY_EXHAUSTED || reason == RC_WHY_DEADLINE_PASSED ||
            reason == RC_WHY_CALLS_SPENT || reason == RC_WHY_RETRY_BUDGET_SPENT ||
            reason == RC_WHY_ATTEMPTS_SPENT || reason == RC_WHY_WAITS_SPENT ||
            reason == RC_WHY_CAPACITY_SPENT);
}

rc_action rc_call_do_stop(rc_call *call, rc_reason reason, uint64_t at_ms)
{
    rc_call_do_end(call, RC_DO_STOP, reason);
    call->last.is_retry_exhausted = exhausts(call, reason);
    call->last.at_ms = at_ms;
    return call->last;
}

rc_action rc_call_do_queue(rc_call *call, uint64_t leave_at_ms, uint64_t opens_at_ms)
{
    const bool is_hinted = call->calls > 0 && call->failure.retry_after_ms > 0;
    const bool is_expected = opens_at_ms > call->now_ms && opens_at_ms < leave_at_ms;
    call->state = RC_CALL_WAITING;
    call->last = rc_call_action_of(call, RC_DO_WAIT, is_hinted ? RC_WHY_HINT : RC_WHY_QUEUED);
    call->last.is_queued = true;
    call->last.at_ms = leave_at_ms;
    call->last.wait_ms = (is_expected ? opens_at_ms : leave_at_ms) - call->now_ms;
    return call->last;
}

/* --- attempts --- */

/* Returns the time by which the response to a new attempt must begin. If a later entry of the chain
 * is open, this is half of the time left, so that a target that hangs leaves time for the later
 * entry; otherwise it is the deadline. */
static uint64_t begin_by_ms(const rc_call *call)
{
    if (call->deadline_at_ms == RC_UNLIMITED || call->calls >= rc_call_max_calls(call) ||
        rc_plan_chain_count(call->plan) < 2)
        return call->deadline_at_ms;
    rc_call view = *call;
    view.skips = NULL;
    view.failure = (rc_failure_facts){.code = RC_CODE_NETWORK_TIMEOUT, .is_retryable = true};
    if (rc_call_refusal_reason(&view) != RC_WHY_NONE ||
        rc_call_find_next(&view, true).entry == RC_NO_TARGET)
        return call->deadline_at_ms;
    const uint64_t left_ms = call->deadline_at_ms - call->now_ms;
    return call->now_ms + (left_ms + 1) / 2;
}

rc_action rc_call_do_try(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason)
{
    rc_call_attempt from = call->attempt;
    bool is_first = call->calls == 0;
    call->is_round_next = false;
    if (is_first || entry != from.entry) {
        call->entry_attempts = rc_call_has_own_attempts(call, entry) ? 0 : call->round;
        call->credential_switches = 0;
        call->last_wait_ms = 0;
        call->is_refreshed = false;
    }
    if (reason == RC_WHY_WOKE)
        call->credential_switches = 0;
    if (reason == RC_WHY_NEXT_CREDENTIAL)
        call->credential_switches++;
    bool is_beyond = (reason == RC_WHY_GRANTED || reason == RC_WHY_WOKE) &&
                     call->entry_attempts >= rc_call_max_entry_attempts(call, entry);
    if (reason != RC_WHY_NEXT_CREDENTIAL && reason != RC_WHY_REFRESHED && !is_beyond)
        call->entry_attempts++;
    /* An attempt after a wait begins a new round even if the wait was for the same entry. */
    if (reason == RC_WHY_WOKE && !rc_call_has_own_attempts(call, entry))
        call->round = (uint16_t)(call->entry_attempts - 1u);
    call->calls++;
    rc_call_move_past(call, entry);
    call->attempt = rc_call_start_attempt(call, entry, credential);
    call->state = RC_CALL_TRYING;
    call->last = rc_call_action_of(call, RC_DO_TRY, reason);
    call->last.begin_by_ms = begin_by_ms(call);
    if (!is_first) {
        call->last.from_entry = from.entry;
        call->last.from_credential = from.credential;
    }
    return call->last;
}

/* Takes a token of the retry budget for a further attempt. A call that may wait in the queue takes
 * the token only after a retry has failed (rc_call_note_retry). */
void rc_call_take_token(rc_call *call)
{
    if (!rc_call_may_queue(call))
        (void)rc_retry_budget_take(&call->shared->retry_budget, call->now_ms);
}

/* Starts a further attempt, and takes a token from the retry budget of the process. The caller has
 * checked with rc_call_spent_reason that the budget has a token. */
rc_action rc_call_retry_with(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason)
{
    rc_call_take_token(call);
    return rc_call_do_try(call, entry, credential, reason);
}
