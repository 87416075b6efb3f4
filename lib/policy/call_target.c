/* The part of rc_call that deals with targets: searches the chain, starts and ends attempts, and
 * records failures in rc_shared. Called by call.c, call_decide.c, hedge.c and chain.c. */
#include <recourse/taxonomy.h>

#include "policy/call_private.h"
#include "policy/shared_private.h"

/* --- chain --- */

uint16_t rc_plan_chain_count(const rc_plan *plan)
{
    bool is_all = plan->chain_count == 0 || plan->chain_count > plan->entry_count;
    return is_all ? plan->entry_count : plan->chain_count;
}

uint32_t rc_call_max_calls(const rc_call *call)
{
    uint32_t max_calls = call->plan->policy->max_calls;
    return call->max_calls < max_calls ? call->max_calls : max_calls;
}

uint32_t rc_call_max_entry_attempts(const rc_call *call, uint16_t entry)
{
    const rc_plan *plan = call->plan;
    uint32_t entry_max = entry < plan->entry_count ? plan->entries[entry].max_attempts : 0;
    return entry_max ? entry_max : rc_policy_rule(plan->policy, call->failure.code)->max_attempts;
}

/* Returns whether the call can use only one target, so that assumed cooldowns are ignored. A
 * request that overflowed a context window can use only the plan's target with the larger
 * window. */
static bool is_alone(const rc_call *call)
{
    return call->is_alone || call->went_to_larger || call->failure.code == RC_CODE_CONTEXT_OVERFLOW;
}

static bool is_admitted(const rc_call *call, uint16_t target, bool as_alone, rc_skip *skip)
{
    rc_limit_cost cost = rc_limit_cost_of(call->tokens_in, call->tokens_out);
    if (!rc_call_may_queue(call))
        return true;
    return rc_shared_is_admitted(call->shared, target, as_alone, &cost, call->now_ms, &skip->reason,
                                 &skip->until_ms);
}

static bool is_open(const rc_call *call, uint16_t entry, bool as_alone, rc_skip *ret_skip)
{
    const rc_chain_entry *row = &call->plan->entries[entry];
    rc_skip skip = {.entry = entry, .reason = RC_WHY_SKIP_CAPABILITY};
    if ((call->needs & ~row->capabilities) == 0 &&
        rc_shared_is_open_past(call->shared, row->target, as_alone,
                               as_alone && rc_call_may_queue(call), call->now_ms, &skip.reason,
                               &skip.until_ms) &&
        is_admitted(call, row->target, as_alone, &skip))
        return true;
    *ret_skip = skip;
    return false;
}

bool rc_call_is_open(const rc_call *call, uint16_t entry, rc_skip *ret_skip)
{
    return is_open(call, entry, is_alone(call), ret_skip);
}

bool rc_call_is_open_alone(const rc_call *call, uint16_t entry, rc_skip *ret_skip)
{
    return is_open(call, entry, true, ret_skip);
}

void rc_call_note_skip(const rc_call *call, const rc_skip *skip)
{
    rc_skips *skips = call->skips;
    if (!skips)
        return;
    if (skips->count < RC_SKIPS_MAX)
        skips->list[skips->count] = *skip;
    skips->count++;
}

static void note_closed(const rc_call *call, rc_call_search *search, const rc_skip *skip)
{
    rc_call_note_skip(call, skip);
    uint32_t lacks = call->needs & ~call->plan->entries[skip->entry].capabilities;
    search->missing &= lacks;
    if (lacks != 0)
        return;
    search->is_capable = true;
    search->is_dead = search->is_dead || skip->reason == RC_WHY_CREDENTIALS_DEAD;
    search->may_open = search->may_open || skip->until_ms != RC_UNLIMITED;
    uint64_t until_ms = skip->until_ms;
    if (until_ms == 0 || until_ms == RC_UNLIMITED)
        return;
    if (search->until_ms == 0 || until_ms < search->until_ms)
        search->until_ms = until_ms;
    if (skip->reason != RC_WHY_SKIP_CREDENTIALS &&
        (search->cooled_ms == 0 || until_ms < search->cooled_ms))
        search->cooled_ms = until_ms;
}

/* Position 0 is the entry where the call begins. Positions go to the end of the chain and continue
 * at its first entry, so that a search by position visits every entry once. */
uint32_t rc_call_position(const rc_call *call, uint16_t entry)
{
    uint16_t first = call->first_entry;
    return entry >= first ? (uint32_t)(entry - first)
                          : (uint32_t)(entry + rc_plan_chain_count(call->plan) - first);
}

static bool is_spent(const rc_call *call, uint16_t entry)
{
    return entry >= 64 || (call->spent_entries >> entry & 1) != 0;
}

static rc_call_search find_open(const rc_call *call, uint32_t position, uint16_t other_than)
{
    rc_call_search search = {.entry = RC_NO_TARGET, .missing = call->needs};
    uint32_t count = rc_plan_chain_count(call->plan);
    for (; position < count; position++) {
        uint32_t sum = call->first_entry + position;
        uint16_t entry = (uint16_t)(sum < count ? sum : sum - count);
        rc_skip skip = {0};
        if (call->plan->entries[entry].target == other_than ||
            (call->round > 0 && is_spent(call, entry)))
            continue;
        if (rc_call_is_open(call, entry, &skip)) {
            search.entry = entry;
            return search;
        }
        note_closed(call, &search, &skip);
    }
    return search;
}

rc_call_search rc_call_find_first(const rc_call *call)
{
    rc_call_search search = find_open(call, 0, RC_NO_TARGET);
    if (search.missing == 0 && call->plan->entry_count > 0)
        search.missing = call->needs & ~call->plan->entries[call->first_entry].capabilities;
    return search;
}

/* Returns whether no further entry of the chain can serve the call. Once the call has used the
 * target with the larger context window, the windows of all other targets are too small. */
static bool has_left_chain(const rc_call *call)
{
    return call->went_to_larger || call->attempt.entry >= rc_plan_chain_count(call->plan);
}

uint16_t rc_call_next_round(const rc_call *call)
{
    bool has_max_attempts = call->plan->entries[call->attempt.entry].max_attempts > 0;
    return (uint16_t)(has_max_attempts ? call->round + 1u : call->entry_attempts);
}

static rc_call_search find_round(const rc_call *call, uint16_t other_than)
{
    rc_call next = *call;
    next.skips = NULL;
    next.round = rc_call_next_round(call);
    uint32_t max_attempts = rc_policy_rule(call->plan->policy, call->failure.code)->max_attempts;
    if (has_left_chain(call) || next.round >= max_attempts)
        return (rc_call_search){.entry = RC_NO_TARGET};
    return find_open(&next, 0, other_than);
}

rc_call_search rc_call_find_round(const rc_call *call)
{
    bool is_other = call->now_ms < call->not_before_ms;
    return find_round(call, is_other ? call->attempt.target : RC_NO_TARGET);
}

uint64_t rc_call_reopens_at_ms(const rc_call *call)
{
    rc_skip here = {0};
    if (rc_call_is_open_alone(call, call->attempt.entry, &here))
        return call->not_before_ms;
    return here.until_ms > call->not_before_ms ? here.until_ms : call->not_before_ms;
}

uint64_t rc_call_round_opens_at_ms(const rc_call *call)
{
    const rc_call_search closed = find_round(call, call->attempt.target);
    /* After an exhausted quota, the call does not wait until another key cools down, because that
     * key may belong to the same account. */
    return rc_call_is_capacity(&call->failure) ? closed.cooled_ms : closed.until_ms;
}

rc_call_search rc_call_find_queued(const rc_call *call)
{
    bool is_other = call->now_ms < call->not_before_ms;
    uint16_t other_than = is_other ? call->attempt.target : RC_NO_TARGET;
    rc_call_search search = find_open(call, 0, other_than);
    if (search.entry != RC_NO_TARGET || is_alone(call))
        return search;
    rc_call alone = *call;
    alone.is_alone = true;
    return find_open(&alone, 0, other_than);
}

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

rc_call_search rc_call_find_next(const rc_call *call, bool other_target)
{
    if (has_left_chain(call))
        return (rc_call_search){.entry = RC_NO_TARGET};
    /* A retry time that the provider named (not_before_ms) closes the target of the latest failure,
     * and therefore every entry of the chain with this target. */
    bool is_other = other_target || call->now_ms < call->not_before_ms;
    return find_open(call, call->next_position, is_other ? call->attempt.target : RC_NO_TARGET);
}

void rc_call_move_past(rc_call *call, uint16_t entry)
{
    if (entry >= rc_plan_chain_count(call->plan))
        return;
    uint32_t behind = rc_call_position(call, entry) + 1;
    if (behind > call->next_position)
        call->next_position = (uint16_t)behind;
    /* The attempts at an entry with max_attempts of its own all take place in one round, so later
     * rounds leave the entry out. */
    if (entry < 64 && call->plan->entries[entry].max_attempts > 0)
        call->spent_entries |= UINT64_C(1) << entry;
}

rc_reason rc_call_unavailable_reason(const rc_call_search *search)
{
    return search->is_dead && !search->may_open ? RC_WHY_CREDENTIALS_DEAD : RC_WHY_ALL_UNAVAILABLE;
}

/* --- targets that do not respond --- */

/* After this number of consecutive calls without a response, the target is cooled down. The time
 * between the calls is irrelevant. */
#define SILENT_MAX 3u
#define SILENT_COOLDOWN_MAX_MS UINT64_C(300000)
/* A cooldown lasts at least this many times as long as the call that failed. A target that hangs
 * makes each probe slow, so it is probed less often than a target that refuses connections at
 * once. */
#define SILENT_COST 10u

static bool is_silent(rc_code code)
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
static void hold_others(const rc_shared *shared, rc_target *target, uint64_t now_ms)
{
    if (target->silent_cooldowns > 0)
        rc_cooldown_assume(&target->cooldown, now_ms + silent_cooldown_ms(shared, target, 0));
}

/* Called when the target has responded to an attempt that began at began_ms: clears the cooldown
 * assumed for missing responses. */
static void end_silence(rc_target *target, uint64_t began_ms)
{
    if (began_ms < target->silent_at_ms)
        return; /* The attempt began before the target stopped responding, so its response does not
                   prove that the target responds now. */
    if (target->silent_cooldowns > 0 && is_silent(target->cooled_for))
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

uint16_t rc_call_find_silent(const rc_call *call)
{
    uint16_t found = RC_NO_TARGET;
    uint64_t found_until_ms = RC_UNLIMITED;
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan); i++) {
        const rc_target *target = rc_shared_target(call->shared, call->plan->entries[i].target);
        rc_skip skip = {0};
        if (!target || !is_silent(target->cooled_for) || !is_open(call, i, true, &skip) ||
            is_open(call, i, false, &skip) || skip.until_ms >= found_until_ms)
            continue;
        found = i;
        found_until_ms = skip.until_ms;
    }
    return found;
}

/* --- rejected and exhausted keys --- */

#define KEY_COOLDOWN_MS UINT64_C(30000)

/* Returns the length of a key's next cooldown if the provider named no time: 30 s, doubled each
 * time up to exhausted_ms. */
static uint64_t key_cooldown_ms(const rc_call *call, const rc_credential *row)
{
    uint64_t max_ms = call->shared->settings.exhausted_ms;
    uint64_t cooldown_ms = KEY_COOLDOWN_MS;
    for (uint8_t i = 0; i < row->cooldown_count && cooldown_ms < max_ms; i++)
        cooldown_ms *= 2;
    return cooldown_ms < max_ms ? cooldown_ms : max_ms;
}

static bool is_quota_cooldown(const rc_credential *row)
{
    return row && row->state == RC_CREDENTIAL_EXHAUSTED && row->cooldown_count > 0;
}

static uint64_t held_until_ms(const rc_call *call, const rc_call_attempt *attempt)
{
    uint64_t max_ms = call->shared->settings.exhausted_ms;
    return attempt->at_ms + (KEY_COOLDOWN_MS < max_ms ? KEY_COOLDOWN_MS : max_ms);
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
    /* A dead key with cooldown_count 0 was restored from the store after a restart. Its rejection
     * may be outdated, so its cooldown is not extended. */
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

void rc_call_kill_key(const rc_call *call, rc_credential *key)
{
    /* The key was already marked as dead while this attempt was in flight. */
    if (key->state == RC_CREDENTIAL_DEAD && rc_cooldown_is_on(&key->cooldown, false, call->now_ms))
        return;
    uint64_t cooldown_ms = key_cooldown_ms(call, key);
    rc_credential_kill(key, call->now_ms + cooldown_ms);
    if (key->cooldown_count < UINT8_MAX)
        key->cooldown_count++;
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
        !rc_shared_pick_ready_credential(shared, attempt.target, RC_NO_TARGET, &cost, call->now_ms,
                                         &attempt.credential) &&
        !rc_shared_pick_credential(shared, attempt.target, call->now_ms, &attempt.credential))
        attempt.credential = RC_NO_TARGET;
    begin_probe(call, target, &attempt);
    hold_others(shared, target, call->now_ms);
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
    end_silence(target, attempt->at_ms);
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
        wait_ms = key_cooldown_ms(call, credential);
        if (credential->cooldown_count < UINT8_MAX)
            credential->cooldown_count++;
    }
    /* The admission or the learned rate limits find the rate that the target or the key accepts, so
     * no cooldown is needed. */
    if (!is_enforced && rc_call_may_queue(call) && (!credential || target->learned))
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
    if (is_silent(failure->code) && !failure->is_target_exempt)
        note_silence(call->shared, target, attempt, failure->code, call->now_ms);
    else if (!is_silent(failure->code) &&
             rc_breaker_outcome_of(failure->code) != RC_BREAKER_NEUTRAL)
        end_silence(target, attempt->at_ms);
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
