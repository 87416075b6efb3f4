/* Credentials of rc_call: the switch to another credential of the same target, and the refresh of a
 * rejected one. Called by call_decide.c and call.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

bool rc_call_find_credential(const rc_call *call, uint16_t *ret_credential)
{
    const rc_failure_facts *failure = &call->failure;
    const rc_call_attempt *attempt = &call->attempt;
    const rc_target *target = rc_shared_target(call->shared, attempt->target);
    rc_skip skip;
    if (!target || (!rc_call_is_capacity(failure) && failure->code != RC_CODE_RATE_LIMITED) ||
        failure->limit_kind == RC_LIMIT_KIND_CONCURRENCY)
        return false;
    /* Each credential of the target gets one attempt between two waits, even if no credential is
     * cooling down. */
    return call->credential_switches + 1 < target->credential_count &&
           rc_call_is_open(call, attempt->entry, &skip) &&
           rc_shared_pick_other_credential(call->shared, attempt->target, attempt->credential,
                                           call->now_ms, ret_credential);
}

/* Returns whether the rejected credential may be refreshed. A refresh leads to a further attempt,
 * so a limit that forbids the attempt also forbids the refresh. */
bool rc_call_may_refresh(const rc_call *call, const rc_credential *credential)
{
    const rc_policy *policy = call->plan->policy;
    /* A dead credential is not refreshed: the refresh by another call failed, or the provider
     * rejected the refreshed key, too. */
    return call->failure.code == RC_CODE_AUTH_FAILED && credential && credential->can_refresh &&
           credential->state != RC_CREDENTIAL_DEAD && !call->is_refreshed &&
           !call->is_unrepeatable && policy->enabled &&
           !rc_code_set_has(&policy->never_retry_on, RC_CODE_AUTH_FAILED) &&
           rc_call_spent_reason(call) == RC_WHY_NONE;
}

/* Requests a refresh of the credential. If another call is already refreshing the credential, this
 * call waits until that refresh should be complete. */
rc_action rc_call_refresh(rc_call *call, rc_credential *credential, uint64_t entropy)
{
    call->is_refreshed = true;
    if (credential->is_refreshing) {
        const rc_retry_rule *rule = rc_policy_rule(call->plan->policy, call->failure.code);
        return rc_call_take_token_and_wait(call, rc_backoff_wait(rule, 1, 0, entropy),
                                           RC_WHY_REFRESH);
    }
    rc_call_take_token(call);
    credential->is_refreshing = true;
    call->state = RC_CALL_REFRESHING;
    call->last = rc_call_action_of(call, RC_DO_REFRESH, RC_WHY_REFRESH);
    return call->last;
}

/* Step 5 for a key that the provider rejected: starts an attempt with another key of the same
 * target. Returns false if the target has no other usable key, or if no further attempt is
 * allowed. */
bool rc_call_find_next_key(rc_call *call, rc_action *ret_action)
{
    const rc_call_attempt *attempt = &call->attempt;
    const rc_policy *policy = call->plan->policy;
    const rc_target *target = rc_shared_target(call->shared, attempt->target);
    uint16_t other = RC_NO_TARGET;
    rc_skip here = {0};
    if (call->failure.code != RC_CODE_AUTH_FAILED || !target || call->is_unrepeatable ||
        call->is_committed || !policy->enabled ||
        rc_code_set_has(&policy->never_retry_on, RC_CODE_AUTH_FAILED) ||
        rc_call_spent_reason(call) != RC_WHY_NONE ||
        call->credential_switches + 1 >= target->credential_count)
        return false;
    if (!rc_call_is_open(call, attempt->entry, &here) ||
        !rc_shared_pick_other_credential(call->shared, attempt->target, attempt->credential,
                                         call->now_ms, &other))
        return false;
    call->is_refreshed = false; /* each key may be refreshed once */
    *ret_action = rc_call_retry_with(call, attempt->entry, other, RC_WHY_NEXT_CREDENTIAL);
    return true;
}

/* Continues with the next target after a credential that the provider had rejected was probed and
 * rejected again. Returns false if no next target is open, or if no further attempt is allowed. */
bool rc_call_go_past_probe(rc_call *call, rc_action *ret_action)
{
    if (call->failure.code != RC_CODE_AUTH_FAILED || !call->attempt.is_key_probe ||
        call->is_unrepeatable || !call->plan->policy->enabled ||
        rc_call_spent_reason(call) != RC_WHY_NONE)
        return false;
    const rc_call_search next = rc_call_find_next(call, false);
    if (next.entry == RC_NO_TARGET)
        return false;
    rc_call_note_spent(call, call->attempt.entry, &call->failure);
    *ret_action = rc_call_retry_with(call, next.entry, RC_NO_TARGET, RC_WHY_COOLING_NEXT_TARGET);
    return true;
}

rc_action rc_call_on_refresh_failed(rc_call *call)
{
    rc_action next;
    if (rc_call_find_next_key(call, &next) || rc_call_go_to_masking(call, &next))
        return next;
    return rc_call_do_stop(call, RC_WHY_REFRESH_FAILED, 0);
}

/* Continues after the refresh of a rejected key. The rejection is a fatal failure, so the call
 * starts its next attempt with the refreshed key or with another key of the same target, never at
 * another target. */
rc_action rc_call_resume_refreshed(rc_call *call, uint64_t entropy)
{
    const rc_call_attempt *attempt = &call->attempt;
    const rc_credential *credential = rc_shared_credential(call->shared, attempt->credential);
    const rc_target *target = rc_shared_target(call->shared, attempt->target);
    rc_skip here = {0};
    if (!target || !credential || credential->state == RC_CREDENTIAL_DEAD)
        return rc_call_on_refresh_failed(call);
    if (call->now_ms < call->not_before_ms)
        return rc_call_wait_for(call, call->not_before_ms - call->now_ms, RC_WHY_HINT);
    bool is_open = rc_call_is_open_alone(call, attempt->entry, &here);
    if (is_open &&
        rc_shared_is_usable(call->shared, target, attempt->credential, true, call->now_ms))
        return rc_call_do_try(call, attempt->entry, attempt->credential, RC_WHY_REFRESHED);
    if (!is_open)
        rc_call_note_skip(call, &here);
    uint64_t ready_ms = rc_shared_ready_at_ms(call->shared, target, attempt->credential, true);
    uint64_t until_ms = ready_ms > here.until_ms ? ready_ms : here.until_ms;
    if (until_ms == RC_UNLIMITED)
        return rc_call_on_refresh_failed(call);
    return rc_call_wait_again(call, until_ms, RC_WHY_REFRESH_FAILED, 0, entropy);
}
