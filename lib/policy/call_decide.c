/* Decisions of rc_call after a failure, a wait or a refresh. Called by call.c, call_action.c,
 * call_key.c and hedge.c. The step numbers are those of docs/internals/call.md. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

/* --- step 3: failures that are not retried --- */

rc_reason rc_call_refusal_reason(const rc_call *call)
{
    const rc_policy *policy = call->plan->policy;
    const rc_failure_facts *failure = &call->failure;
    bool may_switch = rc_call_is_capacity(failure);
    if (!failure->is_retryable && !may_switch)
        return RC_WHY_NOT_RETRYABLE;
    if (call->is_unrepeatable)
        return RC_WHY_SENT_ONCE;
    if (!policy->enabled)
        return RC_WHY_DISABLED;
    /* policy.retry_on lists only codes that are retried at the same target. Codes of the category
     * capacity lead to another target and are allowed although the list cannot contain them. */
    bool is_named = may_switch || rc_code_set_is_empty(&policy->retry_on) ||
                    rc_code_set_has(&policy->retry_on, failure->code);
    if (!is_named || rc_code_set_has(&policy->never_retry_on, failure->code))
        return RC_WHY_EXCLUDED;
    return RC_WHY_NONE;
}

/* Continues with the next target after a fatal failure whose code is in plan.fallback_on. Returns
 * false if fallback_on does not contain the code, if no next target is open, or if no further
 * attempt is allowed. */
bool rc_call_go_to_masking(rc_call *call, rc_action *ret_action)
{
    const rc_failure_facts *failure = &call->failure;
    const rc_policy *policy = call->plan->policy;
    if (call->plan->fallback_on == NULL || failure->is_retryable ||
        !rc_code_set_has(call->plan->fallback_on, failure->code) || call->is_unrepeatable ||
        call->is_committed || !policy->enabled ||
        rc_code_set_has(&policy->never_retry_on, failure->code) ||
        rc_call_spent_reason(call) != RC_WHY_NONE)
        return false;
    const rc_call_search next = rc_call_find_next(call, false);
    if (next.entry == RC_NO_TARGET)
        return false;
    rc_call_note_spent(call, call->attempt.entry, failure);
    *ret_action = rc_call_retry_with(call, next.entry, RC_NO_TARGET, RC_WHY_MASKED_NEXT_TARGET);
    return true;
}

/* --- step 4: limits --- */

/* Returns whether the retry budget allows a further attempt. A target that is DOWN gets only single
 * probes, which need no token. */
static bool has_token(const rc_call *call)
{
    const rc_target *target = rc_shared_target(call->shared, call->attempt.target);
    if (rc_call_may_queue(call) && target && target->admission.state == RC_ADMISSION_DOWN)
        return true;
    return rc_retry_budget_has_token(&call->shared->retry_budget, call->now_ms);
}

rc_reason rc_call_spent_reason(const rc_call *call)
{
    if (call->now_ms >= call->deadline_at_ms)
        return RC_WHY_DEADLINE_PASSED;
    if (call->calls >= rc_call_max_calls(call))
        return RC_WHY_CALLS_SPENT;
    if (!has_token(call))
        return RC_WHY_RETRY_BUDGET_SPENT;
    return rc_call_is_too_little_left(call, call->now_ms) ? RC_WHY_TOO_LITTLE_LEFT : RC_WHY_NONE;
}

/* --- step 2: context overflow --- */

static rc_action on_overflow(rc_call *call)
{
    const rc_plan *plan = call->plan;
    uint16_t larger = plan->overflow_to;
    rc_skip skip = {0};
    bool may_go = larger < plan->entry_count &&
                  plan->entries[larger].target != call->attempt.target && !call->is_committed &&
                  !call->is_unrepeatable && plan->policy->enabled &&
                  !rc_code_set_has(&plan->policy->never_retry_on, RC_CODE_CONTEXT_OVERFLOW) &&
                  rc_call_spent_reason(call) == RC_WHY_NONE;
    if (!may_go)
        return rc_call_do_end(call, RC_DO_COMPACT, RC_WHY_OVERFLOW_COMPACT);
    if (!rc_call_is_open(call, larger, &skip)) {
        rc_call_note_skip(call, &skip);
        return rc_call_do_end(call, RC_DO_COMPACT, RC_WHY_OVERFLOW_COMPACT);
    }
    call->went_to_larger = true;
    return rc_call_retry_with(call, larger, RC_NO_TARGET, RC_WHY_OVERFLOW_TO_LARGER);
}

/* --- step 6: another target --- */

static uint64_t earlier(uint64_t a_ms, uint64_t b_ms)
{
    if (a_ms == 0 || a_ms == RC_UNLIMITED)
        return b_ms;
    return b_ms == 0 || a_ms < b_ms ? a_ms : b_ms;
}

/* Stops the call: its entry stays closed however long the call waits. */
static rc_action stop_for_good(rc_call *call, const rc_skip *here, rc_call_search next)
{
    next.is_dead = next.is_dead || here->reason == RC_WHY_CREDENTIALS_DEAD;
    return rc_call_do_stop(call, rc_call_unavailable_reason(&next), next.until_ms);
}

/* Waits for the entry of the latest attempt, because no later entry of the chain is open. An
 * enforced cooldown of the target can make the wait longer than the policy's backoff; an assumed
 * cooldown cannot (cooldown.h). */
static rc_action wait_alone(rc_call *call, rc_call_search next, uint64_t entropy)
{
    rc_skip here = {0};
    if (!rc_call_is_open_alone(call, call->attempt.entry, &here) && here.until_ms == RC_UNLIMITED)
        return stop_for_good(call, &here, next);
    return rc_call_wait_here(call, here.until_ms, entropy);
}

/* Returns whether the target reported that a retry there is useless or that its own retries are
 * exhausted. After such a report the call tries only other targets. If policy.retry_exhausted is
 * true, the result is always false. */
static bool is_refused_here(const rc_call *call)
{
    return call->failure.is_retry_exhausted && !call->plan->policy->retry_exhausted;
}

static rc_reason spent_reason(const rc_call *call)
{
    if (is_refused_here(call))
        return RC_WHY_ALREADY_EXHAUSTED;
    return rc_call_is_capacity(&call->failure) ? RC_WHY_CAPACITY_SPENT : RC_WHY_ATTEMPTS_SPENT;
}

/* Returns whether the time that the provider named applies only to this call, because the target is
 * open for other calls. */
static bool is_own_hint(const rc_call *call)
{
    rc_skip here = {0};
    return call->failure.retry_after_ms > 0 &&
           rc_call_is_open_alone(call, call->attempt.entry, &here);
}

/* Called at the end of a round, a pass over the chain: waits for the next round if an entry with
 * another target is open, or opens earlier than the entry of the latest attempt. Returns false if
 * no such entry exists, or if the wait for it would be too long. */
static bool wait_for_round(rc_call *call, bool is_spent, uint64_t entropy, rc_action *ret_action)
{
    const rc_call_search first = rc_call_find_round(call);
    const bool is_open = first.entry != RC_NO_TARGET;
    const uint64_t opens_ms = is_open ? 0 : rc_call_round_opens_at_ms(call);
    if (is_open
            ? call->plan->entries[first.entry].target == call->attempt.target
            : opens_ms == 0 || opens_ms >= (is_spent ? RC_UNLIMITED : rc_call_reopens_at_ms(call)))
        return false;
    const rc_retry_rule *rule = rc_policy_rule(call->plan->policy, call->failure.code);
    const uint64_t backoff_ms =
        rc_backoff_wait(rule, rc_call_next_round(call), call->last_wait_ms, entropy);
    const uint64_t wait_ms =
        rc_call_wait_until_open(call, backoff_ms, opens_ms, backoff_ms, entropy);
    if (!is_open && rc_call_no_wait_reason(call, wait_ms) != RC_WHY_NONE)
        return false;
    call->is_round_next = true;
    *ret_action = rc_call_take_token_and_wait(call, wait_ms, RC_WHY_BACKOFF);
    return true;
}

/* Returns whether the failure comes from a provider. Failures of a store, a tool or a sandbox would
 * occur at every target. */
static bool is_of_provider(rc_code code)
{
    return (int)code / 100 == RC_CLASS_PROVIDER_TRANSIENT;
}

static rc_reason moved_reason(const rc_call *call, bool is_cooling, bool has_attempts_left)
{
    if (!has_attempts_left)
        return RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET;
    if (is_cooling)
        return RC_WHY_COOLING_NEXT_TARGET;
    return rc_call_is_capacity(&call->failure) ? RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET
                                               : RC_WHY_FAILED_NEXT_TARGET;
}

/* Returns whether the call is retried beyond the attempts of the policy, up to max_calls: calls
 * that may wait in the queue end only if their time, their calls or the retry budget are used up.
 * A response that cannot be read is no sign that the target is out of order for a while: its cause
 * is mostly a wrong base URL, so that further attempts end in the same way, and the provider may
 * charge for each of them. */
static bool is_patient(const rc_call *call)
{
    const rc_target *target = rc_shared_target(call->shared, call->attempt.target);
    bool has_own_attempts = call->plan->entries[call->attempt.entry].max_attempts > 0 ||
                            (call->plan->is_failover_last && !call->is_alone);
    return target && rc_call_may_queue(call) && call->plan->policy->is_patient &&
           call->failure.is_retryable && !has_own_attempts && is_of_provider(call->failure.code) &&
           call->failure.code != RC_CODE_MALFORMED_RESPONSE && !is_refused_here(call) &&
           !is_own_hint(call);
}

/* Returns whether a limit of the rate or of concurrent calls holds back the next attempt. */
static bool is_paced(const rc_call *call, const rc_target *target)
{
    const rc_rate_limits *learned =
        rc_target_learned(call->shared, target, call->attempt.credential);
    rc_limit_cost cost = rc_limit_cost_of(call->tokens_in, call->tokens_out);
    return target->admission.pacer.rate_milli > 0 || target->admission.most_in_flight > 0 ||
           (learned && (learned->pacer.rate_milli > 0 ||
                        rc_rate_limits_ready_ms(learned, &cost, call->now_ms) > call->now_ms));
}

/* Number of attempts at the end of max_calls that a patient call spreads over time. */
#define SPREAD_CALLS 3u

/* Retries a patient call. While enough calls succeed, the retry starts at once. The last attempts
 * of the call, and all attempts while hardly any call succeeds, wait as the policy says, so that a
 * period of failures does not use up the attempts in a moment. A target that is DOWN or limits the
 * rate has its own times, and so has a target whose provider named a time. `target` is the target
 * of the latest attempt. */
static rc_action retry_patiently(rc_call *call, const rc_target *target, uint64_t entropy)
{
    const rc_retry_rule *rule = rc_policy_rule(call->plan->policy, call->failure.code);
    uint32_t max_calls = rc_call_max_calls(call);
    bool is_last = call->calls + SPREAD_CALLS >= max_calls;
    bool is_limit = call->failure.code == RC_CODE_RATE_LIMITED;
    bool is_hinted = call->failure.retry_after_ms > 0; /* the queue waits until the target opens */
    bool is_held =
        is_hinted || target->admission.state != RC_ADMISSION_UP || is_paced(call, target);
    if (is_held || (!is_last && !is_limit && rc_admission_is_yielding(&target->admission)))
        return rc_call_enqueue(call, 0);
    uint32_t number = is_last ? call->calls + SPREAD_CALLS + 1 - max_calls : 1;
    uint64_t wait_ms = rc_backoff_wait(rule, number, call->last_wait_ms, entropy);
    if (rc_call_no_wait_reason(call, wait_ms) != RC_WHY_NONE)
        return rc_call_enqueue(call, 0);
    return rc_call_take_token_and_wait(call, wait_ms, RC_WHY_BACKOFF);
}

static rc_action move_or_wait(rc_call *call, uint64_t entropy)
{
    rc_skip here = {0};
    rc_action action;
    rc_call_note_spent(call, call->attempt.entry, &call->failure);
    bool is_open = rc_call_is_open(call, call->attempt.entry, &here);
    /* A target at its concurrency limit opens as soon as one of its calls ends, so it does not
     * count as cooling down. */
    bool is_cooling = !is_open && here.reason != RC_WHY_SKIP_BUSY;
    bool has_attempts_left =
        call->entry_attempts < rc_call_max_entry_attempts(call, call->attempt.entry) &&
        !is_refused_here(call);
    bool is_waiting_on = is_patient(call);
    has_attempts_left = has_attempts_left || is_waiting_on;
    bool is_spent = !has_attempts_left || rc_call_is_capacity(&call->failure);
    bool stays =
        rc_call_has_own_attempts(call, call->attempt.entry) || !is_of_provider(call->failure.code);
    if (!is_spent && !is_cooling && stays)
        return rc_call_wait_here(call, 0, entropy);

    rc_call_search next = rc_call_find_next(call, !is_spent && !is_cooling);
    if (next.entry != RC_NO_TARGET)
        return rc_call_retry_with(call, next.entry, RC_NO_TARGET,
                                  moved_reason(call, is_cooling, has_attempts_left));
    if (is_waiting_on)
        return retry_patiently(call, rc_shared_target(call->shared, call->attempt.target), entropy);
    if (wait_for_round(call, is_spent, entropy, &action))
        return action;
    if (!is_spent && !is_cooling)
        return rc_call_wait_here(call, 0, entropy);
    if (!is_spent)
        return wait_alone(call, next, entropy);
    /* A target that is closed only because its latest calls got no response would be tried at once
     * by a new call, so the time for a new call, at_ms, is 0 (now). */
    bool is_now = is_open || rc_call_find_silent(call) != RC_NO_TARGET;
    uint64_t at_ms = is_now ? 0 : earlier(here.until_ms, next.until_ms);
    return rc_call_do_stop(call, spent_reason(call), at_ms ? at_ms : call->not_before_ms);
}

/* --- entry points --- */

rc_action rc_call_decide(rc_call *call, uint64_t entropy)
{
    const rc_failure_facts *failure = &call->failure;
    call->not_before_ms = failure->retry_after_ms > 0
                              ? rc_call_add_ms(call->now_ms, (uint64_t)failure->retry_after_ms)
                              : 0;
    if ((int)failure->code / 100 == RC_CLASS_CANCELLATION)
        return rc_call_do_stop(call, RC_WHY_CANCELLED, 0);
    if (failure->code == RC_CODE_CONTEXT_OVERFLOW)
        return on_overflow(call);
    if (call->is_committed)
        return rc_call_do_stop(call, RC_WHY_COMMITTED, call->not_before_ms);
    rc_credential *credential = rc_shared_credential(call->shared, call->attempt.credential);
    if (rc_call_may_refresh(call, credential))
        return rc_call_refresh(call, credential, entropy);

    rc_action next;
    if (rc_call_find_next_key(call, &next) || rc_call_go_past_probe(call, &next) ||
        rc_call_go_to_masking(call, &next))
        return next;
    rc_reason reason = rc_call_refusal_reason(call);
    if (reason == RC_WHY_NONE)
        reason = rc_call_spent_reason(call);
    if (reason != RC_WHY_NONE)
        return rc_call_do_stop(call, reason, call->not_before_ms);
    uint16_t other = RC_NO_TARGET;
    if (rc_call_find_credential(call, &other))
        return rc_call_retry_with(call, call->attempt.entry, other, RC_WHY_NEXT_CREDENTIAL);
    return move_or_wait(call, entropy);
}

/* Starts the attempt after a wait. `is_round`: the attempt begins a new round, which starts at the
 * first entry of the chain. */
static rc_action wake_up(rc_call *call, uint16_t entry, bool is_round, uint64_t entropy)
{
    rc_action action;
    if (!rc_call_may_queue(call) && rc_call_wait_turn(call, entry, entropy, &action))
        return action;
    call->round = is_round ? rc_call_next_round(call) : call->round;
    if (is_round)
        rc_call_restart_chain(call);
    action = rc_call_do_try(call, entry, RC_NO_TARGET, RC_WHY_WOKE);
    rc_call_take_turn(call, &call->attempt);
    return action;
}

static rc_action resume_here(rc_call *call, uint64_t entropy)
{
    uint16_t entry = call->attempt.entry;
    rc_skip here = {0};
    rc_skip alone = {0};
    if (call->is_round_next || !rc_call_has_own_attempts(call, entry)) {
        rc_call_search first = rc_call_find_round(call);
        if (first.entry != RC_NO_TARGET)
            return wake_up(call, first.entry, true, entropy);
        if (call->is_round_next)
            return rc_call_wait_again(call, first.until_ms, RC_WHY_ATTEMPTS_SPENT, first.until_ms,
                                      entropy);
    }
    if (rc_call_is_open(call, entry, &here))
        return wake_up(call, entry, false, entropy);
    rc_call_search next = rc_call_find_next(call, false);
    if (next.entry == RC_NO_TARGET && rc_call_is_open_alone(call, entry, &alone))
        return wake_up(call, entry, false, entropy);
    rc_call_note_skip(call, &here);
    if (next.entry != RC_NO_TARGET)
        return rc_call_do_try(call, next.entry, RC_NO_TARGET, RC_WHY_COOLING_NEXT_TARGET);
    if (alone.until_ms == RC_UNLIMITED)
        return stop_for_good(call, &alone, next);
    call->entry_attempts -= rc_call_take_limit_wait(call, &alone); /* wait_again adds 1 to
                                                                      entry_attempts, which is
                                                                      undone here if the wait must
                                                                      not count as an attempt */
    return rc_call_wait_again(call, alone.until_ms, RC_WHY_ATTEMPTS_SPENT,
                              earlier(here.until_ms, next.until_ms), entropy);
}

rc_action rc_call_resume(rc_call *call, uint64_t entropy)
{
    if (call->is_committed)
        return rc_call_do_stop(call, RC_WHY_COMMITTED, 0);
    if (call->now_ms >= call->deadline_at_ms)
        return rc_call_do_stop(call, RC_WHY_DEADLINE_PASSED, 0);
    if (rc_call_is_too_little_left(call, call->now_ms))
        return rc_call_do_stop(call, RC_WHY_TOO_LITTLE_LEFT, 0);
    /* After the code AuthFailed a call waits only for the refresh of its credential. */
    if (call->failure.code == RC_CODE_AUTH_FAILED)
        return rc_call_resume_refreshed(call, entropy);
    return resume_here(call, entropy);
}
