/* Effects of a call's failures on all calls: cooldowns of targets and keys. Called by the other
 * call*.c files and hedge.c. */
#include <recourse/taxonomy.h>

#include "policy/call_private.h"
#include "policy/shared_private.h"

/* --- targets that do not respond --- */

/* After this number of consecutive calls without a response, the target is cooled down. The time
 * between the calls is irrelevant. */
#define SILENT_MAX 3u
#define SILENT_COOLDOWN_MAX_MS UINT64_C(300000)
/* A cooldown lasts at least this many times as long as the call that failed. A target that hangs
 * makes each probe slow, so it is probed less often than a target that refuses connections at
 * once. */
#define SILENT_COST 10u

bool rc_call_is_silent(rc_code code)
{
    return code == RC_CODE_CONNECTION_FAILED || code == RC_CODE_CONNECTION_RESET ||
           code == RC_CODE_NETWORK_TIMEOUT;
}

static uint64_t silent_cooldown_ms(const rc_shared *shared, const rc_target *target,
                                   uint64_t took_ms)
{
    uint64_t cooldown_ms = shared->settings.cooldown_ms;
    if (cooldown_ms == 0)
        return 0;
    for (uint8_t i = 0; i < target->silent_cooldowns && cooldown_ms < SILENT_COOLDOWN_MAX_MS; i++)
        cooldown_ms *= 2;
    uint64_t cost_ms =
        took_ms < SILENT_COOLDOWN_MAX_MS ? took_ms * SILENT_COST : SILENT_COOLDOWN_MAX_MS;
    cooldown_ms = cooldown_ms > cost_ms ? cooldown_ms : cost_ms;
    return cooldown_ms < SILENT_COOLDOWN_MAX_MS ? cooldown_ms : SILENT_COOLDOWN_MAX_MS;
}

/* Called when an attempt starts. If the target was cooled down for missing responses, this extends
 * its assumed cooldown, so that only one call at a time probes the target. */
void rc_call_hold_others(const rc_shared *shared, rc_target *target, uint64_t now_ms)
{
    if (target->silent_cooldowns > 0)
        rc_cooldown_assume(&target->cooldown, now_ms + silent_cooldown_ms(shared, target, 0));
}

/* Called when the target has responded to an attempt that began at began_ms: clears the cooldown
 * assumed for missing responses. */
void rc_call_end_silence(rc_target *target, uint64_t began_ms)
{
    if (began_ms < target->silent_at_ms)
        return; /* The attempt began before the target stopped responding, so its response does not
                   prove that the target responds now. */
    if (target->silent_cooldowns > 0 && rc_call_is_silent(target->cooled_for))
        target->cooldown.assumed_until_ms = 0;
    target->silent_in_a_row = 0;
    target->silent_cooldowns = 0;
}

static void note_silence(const rc_shared *shared, rc_target *target, const rc_call_attempt *attempt,
                         rc_code code, uint64_t now_ms)
{
    if (attempt->at_ms < target->silent_at_ms)
        return; /* The attempt was already in flight when the cooldown began. */
    if (target->silent_in_a_row < SILENT_MAX)
        target->silent_in_a_row++;
    uint64_t cooldown_ms = silent_cooldown_ms(shared, target, now_ms - attempt->at_ms);
    if (target->silent_in_a_row < SILENT_MAX || cooldown_ms == 0)
        return;
    if (now_ms + cooldown_ms > rc_cooldown_until_ms(&target->cooldown, false))
        target->cooled_for = code;
    rc_cooldown_assume(&target->cooldown, now_ms + cooldown_ms);
    target->silent_at_ms = now_ms;
    if (target->silent_cooldowns < UINT8_MAX)
        target->silent_cooldowns++;
}

/* --- rejected keys --- */

/* Returns the length of a key's next cooldown if the provider named no time: 30 s, doubled each
 * time up to exhausted_ms. */
uint64_t rc_call_key_cooldown_ms(const rc_call *call, const rc_credential *row)
{
    uint64_t max_ms = call->shared->settings.exhausted_ms;
    uint64_t cooldown_ms = RC_CALL_KEY_COOLDOWN_MS;
    for (uint8_t i = 0; i < row->cooldown_count && cooldown_ms < max_ms; i++)
        cooldown_ms *= 2;
    return cooldown_ms < max_ms ? cooldown_ms : max_ms;
}

void rc_call_kill_key(const rc_call *call, rc_credential *key)
{
    /* The key was already marked as dead while this attempt was in flight. */
    if (key->state == RC_CREDENTIAL_DEAD && rc_cooldown_is_on(&key->cooldown, false, call->now_ms))
        return;
    uint64_t cooldown_ms = rc_call_key_cooldown_ms(call, key);
    rc_credential_kill(key, call->now_ms + cooldown_ms);
    if (key->cooldown_count < UINT8_MAX)
        key->cooldown_count++;
}

/* --- effects of a failure on all calls --- */

typedef enum cooldown_scope {
    COOLS_NOTHING,
    COOLS_CREDENTIAL, /* Closes the credential; if the attempt used no credential, closes the
                         target. */
    COOLS_TARGET
} cooldown_scope;

bool rc_call_is_capacity(const rc_failure_facts *failure)
{
    const rc_code_info *info = rc_code_get(failure->code);
    return info && info->category == RC_CATEGORY_CAPACITY;
}

/* Returns whether a retry time that came with this code applies to the whole target. The retry time
 * of a conflict applies to one request only, and failures of stores, tools and sandboxes do not
 * come from the target. */
static bool is_of_target(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    return info && code != RC_CODE_CONFLICT &&
           (info->error_class == RC_CLASS_PROVIDER_TRANSIENT ||
            info->error_class == RC_CLASS_PROVIDER_TERMINAL);
}

static cooldown_scope scope_of_cooldown(const rc_failure_facts *failure)
{
    bool is_of_model = failure->limit_kind == RC_LIMIT_KIND_CONCURRENCY ||
                       failure->limit_kind == RC_LIMIT_KIND_MODEL_CAPACITY;
    if (failure->retry_after_ms == 0)
        return COOLS_NOTHING;
    if (rc_call_is_capacity(failure) || failure->code == RC_CODE_RATE_LIMITED)
        return is_of_model ? COOLS_TARGET : COOLS_CREDENTIAL;
    if (failure->code == RC_CODE_OVERLOADED || failure->code == RC_CODE_MODEL_LOADING)
        return COOLS_TARGET;
    bool is_enforced =
        failure->is_retryable && failure->retry_after_ms > 0 && is_of_target(failure->code);
    return is_enforced ? COOLS_TARGET : COOLS_NOTHING;
}

void rc_call_note_spent(rc_call *call, uint16_t entry, const rc_failure_facts *failure)
{
    bool is_refused = failure->is_retry_exhausted && !call->plan->policy->retry_exhausted;
    /* A retry time that sets no cooldown applies only to this call, which leaves the entry out in
     * later rounds. */
    bool is_own_hint = failure->retry_after_ms > 0 && scope_of_cooldown(failure) == COOLS_NOTHING;
    if (entry < 64 && (is_refused || is_own_hint || !failure->is_retryable))
        call->spent_entries |= UINT64_C(1) << entry;
}

/* Returns the row of rc_shared that the failure closes: the credential for all targets, or the
 * credential at this target only. Most providers limit rates and quotas per model, so these limits
 * close the credential at this target only. Credit and plans belong to the account, so these limits
 * close the credential for all targets. */
static rc_credential *limited_credential(const rc_target *target, rc_credential *credential,
                                         uint16_t number, const rc_failure_facts *failure)
{
    bool is_of_account =
        failure->limit_kind == RC_LIMIT_KIND_PLAN || failure->limit_kind == RC_LIMIT_KIND_BALANCE;
    bool is_of_model = !rc_call_is_capacity(failure) || !is_of_account;
    rc_credential *limit = rc_target_limit(target, number);
    return credential && limit && is_of_model ? limit : credential;
}

/* Closes the target until the time that the provider named. If the target failed, it gets single
 * probes from that time on. */
static void enforce(const rc_call *call, rc_target *target, const rc_failure_facts *failure,
                    uint64_t until_ms)
{
    rc_cooldown_enforce(&target->cooldown, until_ms);
    if (rc_call_may_queue(call) && rc_call_breaker_outcome(failure) == RC_BREAKER_FAILED)
        rc_admission_hold_until(&target->admission, until_ms, call->now_ms);
}

static void cool(const rc_call *call, rc_target *target, rc_credential *credential,
                 const rc_failure_facts *failure)
{
    const rc_shared_settings *settings = &call->shared->settings;
    bool is_used_up = rc_call_is_capacity(failure);
    /* A used-up quota does not renew within seconds, so its cooldown is enforced even if the
     * provider named no end. */
    bool is_enforced = failure->retry_after_ms > 0 || is_used_up;
    uint64_t wait_ms = is_used_up ? settings->exhausted_ms : settings->cooldown_ms;
    if (failure->retry_after_ms > 0) {
        wait_ms = (uint64_t)failure->retry_after_ms;
    } else if (is_used_up && credential) {
        if (rc_cooldown_is_on(&credential->cooldown, false, call->now_ms))
            return; /* Another call recorded the exhausted quota while this attempt was in
                       flight. */
        wait_ms = rc_call_key_cooldown_ms(call, credential);
        if (credential->cooldown_count < UINT8_MAX)
            credential->cooldown_count++;
    }
    /* The admission or the learned rate limits find the rate that the target or the key accepts, so
     * no cooldown is needed. */
    if (!is_enforced && rc_call_may_queue(call) && target->learned && !call->never_learns)
        return;
    if (wait_ms == 0)
        return; /* With now_ms as its end, the cooldown would close the target for a caller whose
                   clock is slightly behind. */
    uint64_t until_ms =
        wait_ms < RC_UNLIMITED - call->now_ms ? call->now_ms + wait_ms : RC_UNLIMITED - 1;
    if (!credential && until_ms > rc_cooldown_until_ms(&target->cooldown, false)) {
        target->cooled_for = failure->code;
        target->is_429 = failure->is_429;
        target->is_cooldown_hinted = failure->retry_after_ms > 0;
    }
    if (credential)
        credential->is_429 = failure->is_429;
    if (credential)
        rc_credential_cool_down(credential,
                                is_used_up ? RC_CREDENTIAL_EXHAUSTED : RC_CREDENTIAL_COOLING,
                                until_ms, is_enforced);
    else if (is_enforced)
        enforce(call, target, failure, until_ms);
    else
        rc_cooldown_assume(&target->cooldown, until_ms);
}

void rc_call_publish_failure(const rc_call *call, const rc_call_attempt *attempt,
                             const rc_failure_facts *failure)
{
    rc_target *target = rc_shared_target(call->shared, attempt->target);
    rc_credential *credential = rc_shared_credential(call->shared, attempt->credential);
    if (!target)
        return;
    if (rc_call_breaker_outcome(failure) == RC_BREAKER_FAILED)
        target->failed_for = failure->code;
    rc_target_note_failure(target, failure, call->now_ms);
    if (rc_call_is_silent(failure->code) && !failure->is_target_exempt)
        note_silence(call->shared, target, attempt, failure->code, call->now_ms);
    else if (!rc_call_is_silent(failure->code) &&
             rc_breaker_outcome_of(failure->code) != RC_BREAKER_NEUTRAL)
        rc_call_end_silence(target, attempt->at_ms);
    cooldown_scope scope = scope_of_cooldown(failure);
    if (scope == COOLS_CREDENTIAL)
        cool(call, target, limited_credential(target, credential, attempt->credential, failure),
             failure);
    else if (scope == COOLS_TARGET)
        cool(call, target, NULL, failure);

    if (failure->code != RC_CODE_AUTH_FAILED || !credential || credential->is_refreshing)
        return;
    bool was_refreshed = attempt == &call->attempt && call->is_refreshed;
    bool is_dead = credential->state == RC_CREDENTIAL_DEAD;
    if (!failure->is_key_exempt && (was_refreshed || is_dead || !credential->can_refresh))
        rc_call_kill_key(call, credential);
}
