/* Start and end of the attempts of rc_call. Called by call.c, call_action.c, call_target.c and
 * hedge.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

/* --- probes of rejected and exhausted keys --- */

static bool is_quota_cooldown(const rc_credential *row)
{
    return row && row->state == RC_CREDENTIAL_EXHAUSTED && row->cooldown_count > 0;
}

static uint64_t held_until_ms(const rc_call *call, const rc_call_attempt *attempt)
{
    uint64_t max_ms = call->shared->settings.exhausted_ms;
    return attempt->at_ms + (RC_CALL_KEY_COOLDOWN_MS < max_ms ? RC_CALL_KEY_COOLDOWN_MS : max_ms);
}

/* Makes the attempt a probe if its key was rejected or exhausted and the key's cooldown is over.
 * The cooldown is extended, so that no other call uses the key during the probe. */
static void begin_probe(const rc_call *call, const rc_target *target, rc_call_attempt *attempt)
{
    rc_credential *key = rc_shared_credential(call->shared, attempt->credential);
    rc_credential *limit = rc_target_limit(target, attempt->credential);
    if (!key)
        return;
    attempt->is_key_probe = key->state == RC_CREDENTIAL_DEAD;
    attempt->is_quota_probe = is_quota_cooldown(key) || is_quota_cooldown(limit);
    /* A dead key with cooldown_count 0 was restored from the store after a restart. The rejection
     * of such a key may be outdated, so its cooldown is not extended. */
    if ((attempt->is_key_probe && key->cooldown_count > 0) || is_quota_cooldown(key))
        rc_cooldown_enforce(&key->cooldown, held_until_ms(call, attempt));
    if (is_quota_cooldown(limit))
        rc_cooldown_enforce(&limit->cooldown, held_until_ms(call, attempt));
}

static void release_others(const rc_call *call, const rc_call_attempt *attempt, rc_credential *row)
{
    if (row && row->cooldown.enforced_until_ms == held_until_ms(call, attempt))
        row->cooldown.enforced_until_ms =
            call->now_ms < attempt->at_ms ? attempt->at_ms : call->now_ms;
}

static void end_probe(const rc_call *call, const rc_target *target, const rc_call_attempt *attempt)
{
    if (!attempt->is_key_probe && !attempt->is_quota_probe)
        return;
    release_others(call, attempt, rc_shared_credential(call->shared, attempt->credential));
    release_others(call, attempt, rc_target_limit(target, attempt->credential));
}

static void end_cooldown(rc_credential *row)
{
    if (!is_quota_cooldown(row))
        return;
    row->state = RC_CREDENTIAL_HEALTHY;
    row->cooldown_count = 0;
    rc_cooldown_clear(&row->cooldown);
}

/* --- start and end of an attempt --- */

rc_call_attempt rc_call_start_attempt(const rc_call *call, uint16_t entry, uint16_t credential)
{
    rc_shared *shared = call->shared;
    rc_call_attempt attempt = {.entry = entry,
                               .target = call->plan->entries[entry].target,
                               .credential = credential,
                               .at_ms = call->now_ms};
    rc_target *target = rc_shared_target(shared, attempt.target);
    if (!target)
        return attempt;
    rc_limit_cost cost = rc_limit_cost_of(call->tokens_in, call->tokens_out);
    if (credential == RC_NO_TARGET &&
        (call->never_learns ||
         !rc_shared_pick_ready_credential(shared, attempt.target, RC_NO_TARGET, &cost, call->now_ms,
                                          &attempt.credential)) &&
        !rc_shared_pick_credential(shared, attempt.target, call->now_ms, &attempt.credential))
        attempt.credential = RC_NO_TARGET;
    begin_probe(call, target, &attempt);
    rc_call_hold_others(shared, target, call->now_ms);
    rc_target_hold_probes(target, call->now_ms);
    attempt.is_in_flight = rc_limiter_take(&target->limiter);
    attempt.index = rc_admission_start(&target->admission, call->now_ms);
    rc_rate_limits *learned = rc_target_learned(shared, target, attempt.credential);
    if (learned)
        attempt.mark = rc_rate_limits_start(learned, &cost, call->now_ms);
    attempt.admission =
        (uint8_t)rc_breaker_admit(&target->breaker, &shared->settings.breaker, call->now_ms);
    return attempt;
}

rc_breaker_outcome rc_call_breaker_outcome(const rc_failure_facts *failure)
{
    return failure->is_target_exempt ? RC_BREAKER_NEUTRAL : rc_breaker_outcome_of(failure->code);
}

/* Records in the admission of the target and in the learned rate limits of the key how the attempt
 * ended. */
static void end_admission(const rc_call *call, rc_target *target, const rc_call_attempt *attempt,
                          rc_breaker_outcome outcome, const rc_failure_facts *failure)
{
    rc_admission *admission = &target->admission;
    rc_rate_limits *learned = rc_target_learned(call->shared, target, attempt->credential);
    bool is_limit = failure && failure->code == RC_CODE_RATE_LIMITED;
    bool is_overload =
        failure && (failure->code == RC_CODE_OVERLOADED || failure->code == RC_CODE_MODEL_LOADING);
    rc_admission_failure kind = RC_ADMISSION_FAILED;
    if ((is_limit || is_overload) && failure->limit_kind == RC_LIMIT_KIND_CONCURRENCY)
        kind = RC_ADMISSION_CONCURRENT;
    else if (is_overload || (is_limit && failure->limit_kind == RC_LIMIT_KIND_MODEL_CAPACITY))
        kind = RC_ADMISSION_OVERLOAD;
    if (!target->learned && kind != RC_ADMISSION_FAILED) {
        /* `learn: off`: the cooldown of the target follows the failure, and no rate or number of
         * concurrent calls is learned from it. */
        rc_admission_on_neutral(admission, call->now_ms);
        return;
    }
    if (is_limit && kind == RC_ADMISSION_FAILED && learned)
        rc_rate_limits_on_refused(learned, attempt->at_ms, call->now_ms);
    if (!failure && outcome == RC_BREAKER_SUCCEEDED)
        rc_admission_on_success(admission, attempt->at_ms, call->now_ms);
    else if (failure && (outcome == RC_BREAKER_FAILED || kind != RC_ADMISSION_FAILED))
        rc_admission_on_failure(admission, kind, attempt->index, attempt->at_ms, call->now_ms);
    else
        rc_admission_on_neutral(admission, call->now_ms);
}

void rc_call_end_attempt(const rc_call *call, rc_call_attempt *attempt, rc_breaker_outcome outcome,
                         const rc_failure_facts *failure, uint64_t entropy)
{
    rc_target *target = rc_shared_target(call->shared, attempt->target);
    if (!attempt->is_in_flight || !target)
        return;
    attempt->is_in_flight = false;
    rc_call_return_turn(call, attempt);
    end_probe(call, target, attempt);
    rc_limiter_put(&target->limiter);
    end_admission(call, target, attempt, outcome, failure);
    /* An attempt that began before the breaker closed is not evidence about the state of the target
     * since then. */
    if (rc_breaker_is_stale(&target->breaker, attempt->at_ms))
        outcome = RC_BREAKER_NEUTRAL;
    rc_breaker_on_end(&target->breaker, &call->shared->settings.breaker,
                      (rc_breaker_admission)attempt->admission, outcome, call->now_ms, entropy);
}

void rc_call_clear_key(const rc_call *call, const rc_call_attempt *attempt)
{
    rc_credential *credential = rc_shared_credential(call->shared, attempt->credential);
    /* Only the success of a probe makes a dead key usable again: other attempts may have begun
     * before the rejection. */
    if (attempt->is_key_probe && credential && credential->state == RC_CREDENTIAL_DEAD)
        rc_credential_revive(credential);
    const rc_target *target = rc_shared_target(call->shared, attempt->target);
    if (!attempt->is_quota_probe || !target)
        return;
    end_cooldown(credential);
    end_cooldown(rc_target_limit(target, attempt->credential));
}

void rc_call_clear_target(const rc_call *call, const rc_call_attempt *attempt)
{
    rc_target *target = rc_shared_target(call->shared, attempt->target);
    if (!target)
        return;
    rc_call_end_silence(target, attempt->at_ms);
    target->failed_in_a_row = 0;
    if (attempt->is_in_flight)
        rc_admission_on_response(&target->admission, attempt->at_ms, call->now_ms);
}

void rc_call_note_success(const rc_call *call, rc_call_attempt *attempt)
{
    rc_call_clear_key(call, attempt);
    rc_call_clear_target(call, attempt);
    rc_call_earn_turns(call, attempt);
    rc_call_end_attempt(call, attempt, RC_BREAKER_SUCCEEDED, NULL, 0);
}
