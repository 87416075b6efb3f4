/* Decisions of rc_call after a failure, a wait or a refresh. Called by call.c, call_turn.c and
 * hedge.c. The step numbers are those of docs/internals/call.md. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

static uint64_t add(uint64_t a, uint64_t b)
{
    return a < RC_UNLIMITED - b ? a + b : RC_UNLIMITED;
}

/* --- actions --- */

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

static rc_action action_of(const rc_call *call, rc_action_kind kind, rc_reason reason)
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
    call->last = action_of(call, kind, reason);
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

/* --- step 3: failures that are not retried --- */

static rc_reason refusal_reason(const rc_call *call)
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
    if (refusal_reason(&view) != RC_WHY_NONE ||
        rc_call_find_next(&view, true).entry == RC_NO_TARGET)
        return call->deadline_at_ms;
    const uint64_t left_ms = call->deadline_at_ms - call->now_ms;
    return call->now_ms + (left_ms + 1) / 2;
}

static bool has_max_attempts(const rc_call *call, uint16_t entry)
{
    return call->plan->entries[entry].max_attempts > 0;
}

rc_action rc_call_do_try(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason)
{
    rc_call_attempt from = call->attempt;
    bool is_first = call->calls == 0;
    call->is_round_next = false;
    if (is_first || entry != from.entry) {
        call->entry_attempts = has_max_attempts(call, entry) ? 0 : call->round;
        call->credential_switches = 0;
        call->last_wait_ms = 0;
        call->is_refreshed = false;
    }
    if (reason == RC_WHY_WOKE)
        call->credential_switches = 0;
    if (reason == RC_WHY_NEXT_CREDENTIAL)
        call->credential_switches++;
    if (reason != RC_WHY_NEXT_CREDENTIAL && reason != RC_WHY_REFRESHED &&
        (reason != RC_WHY_GRANTED ||
         call->entry_attempts < rc_call_max_entry_attempts(call, entry)))
        call->entry_attempts++;
    /* An attempt after a wait begins a new round even if the wait was for the same entry. */
    if (reason == RC_WHY_WOKE && !has_max_attempts(call, entry))
        call->round = (uint16_t)(call->entry_attempts - 1u);
    call->calls++;
    rc_call_move_past(call, entry);
    call->attempt = rc_call_start_attempt(call, entry, credential);
    call->state = RC_CALL_TRYING;
    call->last = action_of(call, RC_DO_TRY, reason);
    call->last.begin_by_ms = begin_by_ms(call);
    if (!is_first) {
        call->last.from_entry = from.entry;
        call->last.from_credential = from.credential;
    }
    return call->last;
}

/* Takes a token of the retry budget for a further attempt. A call that may wait in the queue takes
 * the token only after a retry has failed (rc_call_note_retry). */
static void take_token(rc_call *call)
{
    if (!rc_call_may_queue(call))
        (void)rc_retry_budget_take(&call->shared->retry_budget, call->now_ms);
}

/* Starts a further attempt, and takes a token from the retry budget of the process. The caller has
 * checked with rc_call_spent_reason that the budget has a token. */
static rc_action retry_with(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason)
{
    take_token(call);
    return rc_call_do_try(call, entry, credential, reason);
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
    return retry_with(call, larger, RC_NO_TARGET, RC_WHY_OVERFLOW_TO_LARGER);
}

/* --- step 4: limits --- */

static bool is_too_little_left(const rc_call *call, uint64_t at_ms)
{
    uint64_t min_ms = call->plan->policy->min_remaining_ms;
    return min_ms > 0 && call->deadline_at_ms != RC_UNLIMITED &&
           add(at_ms, min_ms) >= call->deadline_at_ms;
}

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
    return is_too_little_left(call, call->now_ms) ? RC_WHY_TOO_LITTLE_LEFT : RC_WHY_NONE;
}

/* --- steps 7 and 8: waits --- */

static rc_action stop_too_long(rc_call *call, rc_reason reason, uint64_t wait_ms)
{
    rc_call_do_stop(call, reason, add(call->now_ms, wait_ms));
    call->last.wait_ms = wait_ms;
    return call->last;
}

rc_reason rc_call_no_wait_reason(const rc_call *call, uint64_t wait_ms)
{
    uint64_t at_ms = add(call->now_ms, wait_ms);
    if (wait_ms > rc_policy_rule(call->plan->policy, call->failure.code)->max_delay_ms)
        return RC_WHY_DELAY_TOO_LONG;
    if (at_ms >= call->deadline_at_ms)
        return RC_WHY_WAIT_PAST_DEADLINE;
    if (is_too_little_left(call, at_ms))
        return RC_WHY_TOO_LITTLE_LEFT;
    if (wait_ms > call->waits_left_ms) /* The waits so far have used a part of policy.max_wait_ms;
                                          waits_left_ms is the remainder. */
        return call->has_waited ? RC_WHY_WAITS_SPENT : RC_WHY_DELAY_TOO_LONG;
    return RC_WHY_NONE;
}

rc_action rc_call_wait_for(rc_call *call, uint64_t wait_ms, rc_reason reason)
{
    uint64_t at_ms = add(call->now_ms, wait_ms);
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
    call->last = action_of(call, RC_DO_WAIT, reason);
    call->last.at_ms = at_ms;
    call->last.wait_ms = wait_ms;
    return call->last;
}

rc_action rc_call_do_queue(rc_call *call, uint64_t leave_at_ms)
{
    call->state = RC_CALL_WAITING;
    call->last = action_of(call, RC_DO_WAIT, RC_WHY_QUEUED);
    call->last.is_queued = true;
    call->last.at_ms = leave_at_ms;
    call->last.wait_ms = leave_at_ms - call->now_ms;
    return call->last;
}

static rc_action take_token_and_wait(rc_call *call, uint64_t wait_ms, rc_reason reason)
{
    rc_action action = rc_call_wait_for(call, wait_ms, reason);
    if (action.kind == RC_DO_WAIT)
        take_token(call);
    return action;
}

/* Returns the wait, extended so that it ends after until_ms, the time at which a closed target
 * opens. The extension has a random part of at most backoff_ms, so that the calls that wait for the
 * target do not all start at the same moment. With this part the wait stays within max_delay_ms. */
static uint64_t wait_until_open(const rc_call *call, uint64_t wait_ms, uint64_t until_ms,
                                uint64_t backoff_ms, uint64_t entropy)
{
    if (until_ms <= add(call->now_ms, wait_ms))
        return wait_ms;
    uint64_t max_ms = rc_policy_rule(call->plan->policy, call->failure.code)->max_delay_ms;
    uint64_t closed_ms = until_ms - call->now_ms;
    if (closed_ms >= max_ms)
        return closed_ms;
    uint64_t spread_ms = backoff_ms < max_ms - closed_ms ? backoff_ms : max_ms - closed_ms;
    /* The multiplication makes this random part independent of the random part of the backoff,
     * which comes from the same entropy. */
    uint64_t spread_bits = (entropy ^ entropy >> 29) * UINT64_C(0x9e3779b97f4a7c15) >> 16;
    return add(closed_ms, spread_ms ? spread_bits % spread_ms : 0);
}

static rc_action wait_here(rc_call *call, uint64_t until_ms, uint64_t entropy)
{
    if (until_ms > call->now_ms && rc_call_may_queue(call)) {
        take_token(call);
        return rc_call_enqueue(call,
                               until_ms > call->not_before_ms ? until_ms : call->not_before_ms);
    }
    const rc_policy *policy = call->plan->policy;
    const rc_failure_facts *failure = &call->failure;
    uint64_t backoff_ms = rc_backoff_wait(rc_policy_rule(policy, failure->code),
                                          call->entry_attempts, call->last_wait_ms, entropy);
    uint64_t hint_ms = failure->retry_after_ms > 0 ? (uint64_t)failure->retry_after_ms : 0;
    bool is_hint =
        failure->retry_after_ms >= 0 && (policy->hint == RC_HINT_EXACT || hint_ms >= backoff_ms);
    uint64_t wait_ms =
        wait_until_open(call, is_hint ? hint_ms : backoff_ms, until_ms, backoff_ms, entropy);
    return take_token_and_wait(call, wait_ms, is_hint ? RC_WHY_HINT : RC_WHY_BACKOFF);
}

/* Waits again for an entry that is still closed after a wait. The wait takes no token from the
 * retry budget, but counts as an attempt, so that a call cannot wait for ever. When no attempts are
 * left, the call stops with the reason `spent` and the time back_at_ms. */
static rc_action wait_again(rc_call *call, uint64_t until_ms, rc_reason spent, uint64_t back_at_ms,
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
    uint64_t wait_ms = wait_until_open(call, backoff_ms, until_ms, backoff_ms, entropy);
    return rc_call_wait_for(call, wait_ms, RC_WHY_TARGET_UNAVAILABLE);
}

/* --- step 3: AuthFailed --- */

/* Returns whether the rejected credential may be refreshed. A refresh leads to a further attempt,
 * so a limit that forbids the attempt also forbids the refresh. */
static bool may_refresh(const rc_call *call, const rc_credential *credential)
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
static rc_action refresh(rc_call *call, rc_credential *credential, uint64_t entropy)
{
    call->is_refreshed = true;
    if (credential->is_refreshing) {
        const rc_retry_rule *rule = rc_policy_rule(call->plan->policy, call->failure.code);
        return take_token_and_wait(call, rc_backoff_wait(rule, 1, 0, entropy), RC_WHY_REFRESH);
    }
    take_token(call);
    credential->is_refreshing = true;
    call->state = RC_CALL_REFRESHING;
    call->last = action_of(call, RC_DO_REFRESH, RC_WHY_REFRESH);
    return call->last;
}

/* Step 5 for a key that the provider rejected: starts an attempt with another key of the same
 * target. Returns false if the target has no other usable key, or if no further attempt is
 * allowed. */
static bool find_next_key(rc_call *call, rc_action *ret_action)
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
    *ret_action = retry_with(call, attempt->entry, other, RC_WHY_NEXT_CREDENTIAL);
    return true;
}

/* Continues with the next target after a fatal failure whose code is in plan.fallback_on. Returns
 * false if fallback_on does not contain the code, if no next target is open, or if no further
 * attempt is allowed. */
static bool go_to_masking(rc_call *call, rc_action *ret_action)
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
    *ret_action = retry_with(call, next.entry, RC_NO_TARGET, RC_WHY_MASKED_NEXT_TARGET);
    return true;
}

rc_action rc_call_on_refresh_failed(rc_call *call)
{
    rc_action next;
    if (find_next_key(call, &next) || go_to_masking(call, &next))
        return next;
    return rc_call_do_stop(call, RC_WHY_REFRESH_FAILED, 0);
}

/* Continues after the refresh of a rejected key. The rejection is a fatal failure, so the call
 * starts its next attempt with the refreshed key or with another key of the same target, never at
 * another target. */
static rc_action resume_refreshed(rc_call *call, uint64_t entropy)
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
    return wait_again(call, until_ms, RC_WHY_REFRESH_FAILED, 0, entropy);
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
    return wait_here(call, here.until_ms, entropy);
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
    const uint64_t wait_ms = wait_until_open(call, backoff_ms, opens_ms, backoff_ms, entropy);
    if (!is_open && rc_call_no_wait_reason(call, wait_ms) != RC_WHY_NONE)
        return false;
    call->is_round_next = true;
    *ret_action = take_token_and_wait(call, wait_ms, RC_WHY_BACKOFF);
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

/* Returns whether the call is retried beyond the attempts of the policy, because its target is DOWN
 * or RECOVERING, limits the rate of calls, or serves enough of its calls. */
static bool is_patient(const rc_call *call)
{
    const rc_target *target = rc_shared_target(call->shared, call->attempt.target);
    if (!target || !rc_call_may_queue(call) || !call->failure.is_retryable ||
        has_max_attempts(call, call->attempt.entry) || !is_of_provider(call->failure.code) ||
        is_refused_here(call) || is_own_hint(call))
        return false;
    return target->admission.state != RC_ADMISSION_UP ||
           call->failure.code == RC_CODE_RATE_LIMITED ||
           rc_admission_is_yielding(&target->admission);
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
    bool stays = has_max_attempts(call, call->attempt.entry) || !is_of_provider(call->failure.code);
    if (!is_spent && !is_cooling && stays)
        return wait_here(call, 0, entropy);

    rc_call_search next = rc_call_find_next(call, !is_spent && !is_cooling);
    if (next.entry != RC_NO_TARGET)
        return retry_with(call, next.entry, RC_NO_TARGET,
                          moved_reason(call, is_cooling, has_attempts_left));
    if (is_waiting_on)
        return rc_call_enqueue(call, 0);
    if (wait_for_round(call, is_spent, entropy, &action))
        return action;
    if (!is_spent && !is_cooling)
        return wait_here(call, 0, entropy);
    if (!is_spent)
        return wait_alone(call, next, entropy);
    /* A target that is closed only because its latest calls got no response would be tried at once
     * by a new call, so the time for a new call, at_ms, is 0 (now). */
    bool is_now = is_open || rc_call_find_silent(call) != RC_NO_TARGET;
    uint64_t at_ms = is_now ? 0 : earlier(here.until_ms, next.until_ms);
    return rc_call_do_stop(call, spent_reason(call), at_ms ? at_ms : call->not_before_ms);
}

/* Continues with the next target after a credential that the provider had rejected was probed and
 * rejected again. Returns false if no next target is open, or if no further attempt is allowed. */
static bool go_past_probe(rc_call *call, rc_action *ret_action)
{
    if (call->failure.code != RC_CODE_AUTH_FAILED || !call->attempt.is_key_probe ||
        call->is_unrepeatable || !call->plan->policy->enabled ||
        rc_call_spent_reason(call) != RC_WHY_NONE)
        return false;
    const rc_call_search next = rc_call_find_next(call, false);
    if (next.entry == RC_NO_TARGET)
        return false;
    rc_call_note_spent(call, call->attempt.entry, &call->failure);
    *ret_action = retry_with(call, next.entry, RC_NO_TARGET, RC_WHY_COOLING_NEXT_TARGET);
    return true;
}

/* --- entry points --- */

rc_action rc_call_decide(rc_call *call, uint64_t entropy)
{
    const rc_failure_facts *failure = &call->failure;
    call->not_before_ms =
        failure->retry_after_ms > 0 ? add(call->now_ms, (uint64_t)failure->retry_after_ms) : 0;
    if ((int)failure->code / 100 == RC_CLASS_CANCELLATION)
        return rc_call_do_stop(call, RC_WHY_CANCELLED, 0);
    if (failure->code == RC_CODE_CONTEXT_OVERFLOW)
        return on_overflow(call);
    if (call->is_committed)
        return rc_call_do_stop(call, RC_WHY_COMMITTED, call->not_before_ms);
    rc_credential *credential = rc_shared_credential(call->shared, call->attempt.credential);
    if (may_refresh(call, credential))
        return refresh(call, credential, entropy);

    rc_action next;
    if (find_next_key(call, &next) || go_past_probe(call, &next) || go_to_masking(call, &next))
        return next;
    rc_reason reason = refusal_reason(call);
    if (reason == RC_WHY_NONE)
        reason = rc_call_spent_reason(call);
    if (reason != RC_WHY_NONE)
        return rc_call_do_stop(call, reason, call->not_before_ms);
    uint16_t other = RC_NO_TARGET;
    if (rc_call_find_credential(call, &other))
        return retry_with(call, call->attempt.entry, other, RC_WHY_NEXT_CREDENTIAL);
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
    call->next_position = is_round ? 0 : call->next_position;
    action = rc_call_do_try(call, entry, RC_NO_TARGET, RC_WHY_WOKE);
    rc_call_take_turn(call, &call->attempt);
    return action;
}

static rc_action resume_here(rc_call *call, uint64_t entropy)
{
    uint16_t entry = call->attempt.entry;
    rc_skip here = {0};
    rc_skip alone = {0};
    if (call->is_round_next || !has_max_attempts(call, entry)) {
        rc_call_search first = rc_call_find_round(call);
        if (first.entry != RC_NO_TARGET)
            return wake_up(call, first.entry, true, entropy);
        if (call->is_round_next)
            return wait_again(call, first.until_ms, RC_WHY_ATTEMPTS_SPENT, first.until_ms, entropy);
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
    return wait_again(call, alone.until_ms, RC_WHY_ATTEMPTS_SPENT,
                      earlier(here.until_ms, next.until_ms), entropy);
}

rc_action rc_call_resume(rc_call *call, uint64_t entropy)
{
    if (call->is_committed)
        return rc_call_do_stop(call, RC_WHY_COMMITTED, 0);
    if (call->now_ms >= call->deadline_at_ms)
        return rc_call_do_stop(call, RC_WHY_DEADLINE_PASSED, 0);
    if (is_too_little_left(call, call->now_ms))
        return rc_call_do_stop(call, RC_WHY_TOO_LITTLE_LEFT, 0);
    /* After the code AuthFailed a call waits only for the refresh of its credential. */
    if (call->failure.code == RC_CODE_AUTH_FAILED)
        return resume_refreshed(call, entropy);
    return resume_here(call, entropy);
}
