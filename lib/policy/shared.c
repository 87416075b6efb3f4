/* State that all calls of a process share: storage, lock, the check whether a target is open, and
 * the choice of a key. Called by call*.c, hedge.c, the gateway's hub, the simulator and `recourse
 * exec`. */
#include <string.h>

#include "policy/shared_private.h"

rc_shared_settings rc_shared_settings_default(void)
{
    return (rc_shared_settings){
        .retry_budget = {.ratio_milli = 200, .floor_per_s = 10, .burst = 100},
        .breaker = {.window_ms = 10000,
                    .min_calls = 20,
                    .failure_pct = 50,
                    .open_ms = 1000,
                    .open_max_ms = 2000},
        .cooldown_ms = 5000,
        .exhausted_ms = 600000,
    };
}

/* --- storage --- */

/* Initialises the rows of targets and credentials from the given indexes to the ends of the
 * arrays. */
static void init_rows(rc_shared *shared, uint16_t target, uint16_t credential, uint64_t now_ms)
{
    for (uint16_t i = target; i < shared->target_count; i++) {
        shared->targets[i] = (rc_target){0};
        rc_breaker_init(&shared->targets[i].breaker, now_ms);
        rc_admission_init(&shared->targets[i].admission, now_ms);
    }
    for (uint16_t i = credential; i < shared->credential_count; i++)
        rc_credential_init(&shared->credentials[i], false);
}

void rc_shared_init(rc_shared *shared, const rc_shared_settings *settings, rc_target *targets,
                    uint16_t target_count, rc_credential *credentials, uint16_t credential_count,
                    uint64_t now_ms)
{
    *shared = (rc_shared){
        .settings = *settings,
        .targets = targets,
        .target_count = target_count,
        .credentials = credentials,
        .credential_count = credential_count,
    };
    rc_retry_budget_init(&shared->retry_budget, &settings->retry_budget, now_ms);
    init_rows(shared, 0, 0, now_ms);
}

void rc_shared_grow(rc_shared *shared, rc_target *targets, uint16_t target_count,
                    rc_credential *credentials, uint16_t credential_count, uint64_t now_ms)
{
    rc_shared_lock(shared);
    const uint16_t old_targets = shared->target_count;
    const uint16_t old_credentials = shared->credential_count;
    if (target_count >= old_targets && credential_count >= old_credentials) {
        if (old_targets > 0)
            memcpy(targets, shared->targets, old_targets * sizeof *targets);
        if (old_credentials > 0)
            memcpy(credentials, shared->credentials, old_credentials * sizeof *credentials);
        shared->targets = targets;
        shared->target_count = target_count;
        shared->credentials = credentials;
        shared->credential_count = credential_count;
        init_rows(shared, old_targets, old_credentials, now_ms);
    }
    rc_shared_unlock(shared);
}

void rc_shared_set_lock(rc_shared *shared, void *ctx, void (*lock)(void *), void (*unlock)(void *))
{
    shared->lock_ctx = ctx;
    shared->lock = lock;
    shared->unlock = unlock;
}

void rc_shared_lock(const rc_shared *shared)
{
    if (shared->lock)
        shared->lock(shared->lock_ctx);
}

void rc_shared_unlock(const rc_shared *shared)
{
    if (shared->unlock)
        shared->unlock(shared->lock_ctx);
}

rc_target *rc_shared_target(const rc_shared *shared, uint16_t target)
{
    return target < shared->target_count ? &shared->targets[target] : NULL;
}

rc_credential *rc_shared_credential(const rc_shared *shared, uint16_t credential)
{
    return credential < shared->credential_count ? &shared->credentials[credential] : NULL;
}

/* --- changes by operators, stores and configuration --- */

void rc_shared_set_settings(rc_shared *shared, const rc_shared_settings *settings, uint64_t now_ms)
{
    rc_shared_lock(shared);
    shared->settings = *settings;
    rc_retry_budget_set_settings(&shared->retry_budget, &settings->retry_budget, now_ms);
    rc_shared_unlock(shared);
}

void rc_shared_set_pool(rc_shared *shared, uint16_t target, uint16_t first_credential,
                        uint16_t count, rc_credential *limits)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t && first_credential + count <= shared->credential_count) {
        t->first_credential = first_credential;
        t->credential_count = count;
        t->next_credential = 0;
        t->limits = limits;
        t->learned = NULL;
    }
    rc_shared_unlock(shared);
}

void rc_shared_set_learned(rc_shared *shared, uint16_t target, rc_rate_limits *learned)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t)
        t->learned = learned;
    rc_shared_unlock(shared);
}

void rc_shared_set_limit(rc_shared *shared, uint16_t target, uint32_t max_in_flight)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t)
        t->limiter.max = max_in_flight; /* rc_limiter_init is not used here, because it would reset
                                           the count of calls in flight */
    rc_shared_unlock(shared);
}

void rc_shared_set_refresh(rc_shared *shared, uint16_t credential, bool can_refresh)
{
    rc_shared_lock(shared);
    rc_credential *c = rc_shared_credential(shared, credential);
    if (c)
        c->can_refresh = can_refresh;
    rc_shared_unlock(shared);
}

void rc_shared_cool_down_target(rc_shared *shared, uint16_t target, uint64_t until_ms)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t && until_ms > rc_cooldown_until_ms(&t->cooldown, false))
        t->cooled_for = RC_CODE_NONE;
    if (t)
        rc_cooldown_enforce(&t->cooldown, until_ms);
    rc_shared_unlock(shared);
}

void rc_shared_cool_down_credential(rc_shared *shared, uint16_t credential,
                                    rc_credential_state state, uint64_t until_ms)
{
    rc_shared_lock(shared);
    rc_credential *c = rc_shared_credential(shared, credential);
    if (c && state == RC_CREDENTIAL_DEAD)
        rc_credential_kill(c, until_ms);
    else if (c)
        rc_credential_cool_down(c, state, until_ms, true);
    if (c)
        c->is_429 = true; /* the store does not save the HTTP status; 429 is the most common one */
    rc_shared_unlock(shared);
}

void rc_shared_limit_credential(rc_shared *shared, uint16_t target, uint16_t credential,
                                rc_credential_state state, uint64_t until_ms)
{
    rc_shared_lock(shared);
    const rc_target *t = rc_shared_target(shared, target);
    rc_credential *limit = t ? rc_target_limit(t, credential) : NULL;
    if (limit) {
        rc_credential_cool_down(limit, state, until_ms, true);
        limit->is_429 = true;
    }
    rc_shared_unlock(shared);
}

void rc_shared_set_service(rc_shared *shared, uint16_t target, bool is_in_service)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t)
        t->is_out_of_service = !is_in_service;
    rc_shared_unlock(shared);
}

void rc_shared_clear_target(rc_shared *shared, uint16_t target, uint64_t now_ms)
{
    rc_shared_lock(shared);
    rc_target *t = rc_shared_target(shared, target);
    if (t) {
        rc_cooldown_clear(&t->cooldown);
        t->cooled_for = RC_CODE_NONE;
        t->failed_in_a_row = 0;
        rc_breaker_init(&t->breaker, now_ms);
        uint32_t in_flight = t->admission.in_flight;
        rc_admission_init(&t->admission, now_ms);
        t->admission.in_flight = in_flight;
        for (uint16_t i = 0; t->limits && i < t->credential_count; i++)
            rc_credential_revive(&t->limits[i]);
        for (uint16_t i = 0; t->learned && (i == 0 || i < t->credential_count); i++)
            rc_rate_limits_init(&t->learned[i]);
    }
    rc_shared_unlock(shared);
}

void rc_shared_revive_credential(rc_shared *shared, uint16_t credential)
{
    rc_shared_lock(shared);
    rc_credential *c = rc_shared_credential(shared, credential);
    if (c)
        rc_credential_revive(c);
    for (uint16_t i = 0; c && i < shared->target_count; i++) {
        rc_credential *limit = rc_target_limit(&shared->targets[i], credential);
        if (limit)
            rc_credential_revive(limit);
    }
    rc_shared_unlock(shared);
}

/* --- open targets and usable credentials --- */

rc_credential *rc_target_limit(const rc_target *target, uint16_t credential)
{
    uint32_t at = (uint32_t)credential - target->first_credential;
    bool is_of_pool = credential >= target->first_credential && at < target->credential_count;
    return is_of_pool && target->limits ? &target->limits[at] : NULL;
}

bool rc_shared_is_usable(const rc_shared *shared, const rc_target *target, uint16_t credential,
                         bool is_alone, uint64_t now_ms)
{
    const rc_credential *known = rc_shared_credential(shared, credential);
    const rc_credential *limit = rc_target_limit(target, credential);
    return known && rc_credential_is_usable(known, is_alone, now_ms) &&
           (!limit || rc_credential_is_usable(limit, is_alone, now_ms));
}

uint64_t rc_shared_ready_at_ms(const rc_shared *shared, const rc_target *target,
                               uint16_t credential, bool is_alone)
{
    const rc_credential *known = rc_shared_credential(shared, credential);
    const rc_credential *limit = rc_target_limit(target, credential);
    uint64_t ready_ms = known ? rc_credential_ready_at_ms(known, is_alone) : RC_UNLIMITED;
    uint64_t here_ms = limit ? rc_credential_ready_at_ms(limit, is_alone) : 0;
    return here_ms > ready_ms ? here_ms : ready_ms;
}

/* Usability of a target's credentials, which together form its pool. */
typedef struct pool_state {
    bool is_usable;    /* At least one credential is usable, or the target needs none. */
    bool is_dead;      /* The provider rejected every credential. */
    uint64_t until_ms; /* Time at which the first credential becomes usable; 0: not known;
                          RC_UNLIMITED: never. */
} pool_state;

static pool_state get_pool_state(const rc_shared *shared, const rc_target *target, bool is_alone,
                                 uint64_t now_ms)
{
    pool_state state = {.is_dead = true, .until_ms = RC_UNLIMITED};
    bool is_refreshing = false;
    for (uint16_t i = 0; i < target->credential_count; i++) {
        uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_credential *c = &shared->credentials[credential];
        if (rc_shared_is_usable(shared, target, credential, is_alone, now_ms))
            return (pool_state){.is_usable = true};
        state.is_dead = state.is_dead && c->state == RC_CREDENTIAL_DEAD;
        is_refreshing = is_refreshing || c->is_refreshing;
        uint64_t ready_ms = rc_shared_ready_at_ms(shared, target, credential, is_alone);
        if (!c->is_refreshing && ready_ms < state.until_ms)
            state.until_ms = ready_ms;
    }
    state.is_usable = target->credential_count == 0;
    if (is_refreshing && state.until_ms == RC_UNLIMITED)
        state.until_ms = 0;
    return state;
}

static bool is_guessed_quota(const rc_credential *row)
{
    return row && row->state == RC_CREDENTIAL_EXHAUSTED && row->cooldown_count > 0;
}

bool rc_shared_is_probe_next(const rc_shared *shared, uint16_t target)
{
    const rc_target *t = rc_shared_target(shared, target);
    uint64_t first_ms = RC_UNLIMITED;
    bool is_probe = false;
    for (uint16_t i = 0; t && i < t->credential_count; i++) {
        uint16_t credential = (uint16_t)(t->first_credential + i);
        const rc_credential *key = rc_shared_credential(shared, credential);
        const rc_credential *limit = rc_target_limit(t, credential);
        uint64_t ready_ms = rc_shared_ready_at_ms(shared, t, credential, true);
        if (key->is_refreshing)
            return false;
        if (ready_ms >= first_ms)
            continue;
        first_ms = ready_ms;
        is_probe = is_guessed_quota(rc_credential_ready_at_ms(key, true) == ready_ms ? key : limit);
    }
    return is_probe;
}

/* Records one reason why a target is closed. If there are several reasons, *first_reason is the
 * first of them and *until_ms the latest of their known ends. */
static void close_target(rc_reason *first_reason, uint64_t *until_ms, rc_reason reason,
                         uint64_t end_ms)
{
    if (*first_reason == RC_WHY_NONE)
        *first_reason = reason;
    if (end_ms > *until_ms)
        *until_ms = end_ms;
}

bool rc_shared_is_target_open(const rc_shared *shared, uint16_t target, bool is_alone,
                              uint64_t now_ms, rc_reason *ret_reason, uint64_t *ret_until_ms)
{
    return rc_shared_is_open_past(shared, target, is_alone, false, now_ms, ret_reason,
                                  ret_until_ms);
}

bool rc_shared_is_open_past(const rc_shared *shared, uint16_t target, bool is_alone,
                            bool passes_breaker, uint64_t now_ms, rc_reason *ret_reason,
                            uint64_t *ret_until_ms)
{
    const rc_target *t = rc_shared_target(shared, target);
    if (!t || t->is_out_of_service) {
        *ret_reason = RC_WHY_SKIP_OUT_OF_SERVICE;
        *ret_until_ms = RC_UNLIMITED;
        return false;
    }
    pool_state pool = get_pool_state(shared, t, is_alone, now_ms);
    if (!pool.is_usable && pool.is_dead) {
        *ret_reason = RC_WHY_CREDENTIALS_DEAD;
        *ret_until_ms = RC_UNLIMITED;
        return false;
    }
    rc_reason first_reason = RC_WHY_NONE;
    uint64_t until_ms = 0;
    if (rc_cooldown_is_on(&t->cooldown, is_alone, now_ms))
        close_target(&first_reason, &until_ms, RC_WHY_SKIP_COOLING,
                     rc_cooldown_until_ms(&t->cooldown, is_alone));
    /* If the call has no alternative and can wait in the queue, an open breaker does not close the
     * target: the target's admission closes it if hardly any call succeeds. */
    if (!passes_breaker &&
        rc_breaker_peek(&t->breaker, &shared->settings.breaker, now_ms) == RC_BREAKER_REFUSED)
        close_target(&first_reason, &until_ms, RC_WHY_SKIP_BREAKER,
                     rc_breaker_ready_at_ms(&t->breaker, now_ms));
    if (!pool.is_usable)
        close_target(&first_reason, &until_ms, RC_WHY_SKIP_CREDENTIALS, pool.until_ms);
    if (!rc_limiter_has_room(&t->limiter))
        close_target(&first_reason, &until_ms, RC_WHY_SKIP_BUSY, 0);
    if (first_reason == RC_WHY_NONE)
        return true;
    *ret_reason = first_reason;
    *ret_until_ms = until_ms;
    return false;
}

rc_rate_limits *rc_target_learned(const rc_shared *shared, const rc_target *target,
                                  uint16_t credential)
{
    uint32_t at = (uint32_t)credential - target->first_credential;
    if (!target->learned || !shared->queue)
        return NULL;
    if (target->credential_count == 0)
        return target->learned;
    bool is_of_pool = credential >= target->first_credential && at < target->credential_count;
    return is_of_pool ? &target->learned[at] : NULL;
}

/* Of the usable credentials whose learned rate limits allow a call of this cost now, picks the one
 * with the largest share left. */
static bool pick_most_left(const rc_shared *shared, rc_target *target, uint16_t excluded,
                           const rc_limit_cost *cost, uint64_t now_ms, uint16_t *ret_credential)
{
    uint32_t best_left = 0;
    uint16_t best = RC_NO_TARGET;
    for (uint16_t i = 0; i < target->credential_count; i++) {
        uint32_t offset = ((uint32_t)target->next_credential + i) % target->credential_count;
        uint16_t credential = (uint16_t)(target->first_credential + offset);
        const rc_rate_limits *learned = rc_target_learned(shared, target, credential);
        if (credential == excluded || !learned ||
            !rc_shared_is_usable(shared, target, credential, true, now_ms) ||
            rc_rate_limits_ready_ms(learned, cost, now_ms) > now_ms)
            continue;
        uint32_t left = rc_rate_limits_left_milli(learned, now_ms) + 1;
        if (!rc_shared_is_usable(shared, target, credential, false, now_ms))
            left = 1; /* the credential is in an assumed cooldown, so any other credential is
                         better */
        if (left <= best_left)
            continue;
        best_left = left;
        best = credential;
    }
    if (best == RC_NO_TARGET)
        return false;
    uint32_t next = (uint32_t)best - target->first_credential + 1;
    target->next_credential = (uint16_t)(next % target->credential_count);
    *ret_credential = best;
    return true;
}

bool rc_shared_pick_ready_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     const rc_limit_cost *cost, uint64_t now_ms,
                                     uint16_t *ret_credential)
{
    rc_target *t = rc_shared_target(shared, target);
    return t && t->learned && shared->queue &&
           pick_most_left(shared, t, excluded, cost, now_ms, ret_credential);
}

/* Returns the earliest time at which a credential is usable and its rate limits allow the call. */
static uint64_t room_at_ms(const rc_shared *shared, const rc_target *target,
                           const rc_limit_cost *cost, uint64_t now_ms)
{
    uint64_t at_ms = UINT64_MAX;
    if (target->credential_count == 0)
        return rc_rate_limits_ready_ms(target->learned, cost, now_ms);
    for (uint16_t i = 0; i < target->credential_count; i++) {
        uint16_t credential = (uint16_t)(target->first_credential + i);
        uint64_t ready_ms = rc_rate_limits_ready_ms(&target->learned[i], cost, now_ms);
        uint64_t usable_ms = now_ms;
        if (!rc_shared_is_usable(shared, target, credential, true, now_ms)) {
            usable_ms = rc_shared_ready_at_ms(shared, target, credential, true);
            if (usable_ms <= now_ms || usable_ms == RC_UNLIMITED)
                continue; /* another call refreshes the key, or the key is dead */
        }
        ready_ms = usable_ms > ready_ms ? usable_ms : ready_ms;
        at_ms = ready_ms < at_ms ? ready_ms : at_ms;
    }
    return at_ms;
}

bool rc_shared_is_admitted(const rc_shared *shared, uint16_t target, bool is_alone,
                           const rc_limit_cost *cost, uint64_t now_ms, rc_reason *ret_reason,
                           uint64_t *ret_until_ms)
{
    static const rc_reason reasons[] = {[RC_ADMISSION_OPEN] = RC_WHY_NONE,
                                        [RC_ADMISSION_HOLD_DOWN] = RC_WHY_SKIP_DOWN,
                                        [RC_ADMISSION_HOLD_PACED] = RC_WHY_SKIP_PACED,
                                        [RC_ADMISSION_HOLD_BUSY] = RC_WHY_SKIP_BUSY};
    const rc_target *t = rc_shared_target(shared, target);
    uint64_t until_ms = 0;
    if (!t || !shared->queue)
        return true;
    rc_admission_hold hold = rc_admission_check(&t->admission, is_alone, now_ms, &until_ms);
    if (t->admission.state != RC_ADMISSION_UP && hold != RC_ADMISSION_HOLD_BUSY &&
        shared->settings.breaker.min_calls == 0)
        hold = RC_ADMISSION_OPEN; /* the operator wants no target to be left out for its failures */
    uint64_t room_ms = t->learned && cost ? room_at_ms(shared, t, cost, now_ms) : now_ms;
    if (hold == RC_ADMISSION_OPEN && room_ms <= now_ms)
        return true;
    *ret_reason = hold != RC_ADMISSION_OPEN ? reasons[hold] : RC_WHY_SKIP_LIMIT;
    if (room_ms > until_ms && room_ms > now_ms && room_ms != UINT64_MAX &&
        hold != RC_ADMISSION_HOLD_BUSY)
        until_ms = room_ms;
    *ret_until_ms = until_ms;
    return false;
}

/* Picks the next usable credential of the pool, in round-robin order. `excluded`: a credential that
 * must not be picked; RC_NO_TARGET: none. */
static bool pick(const rc_shared *shared, rc_target *target, uint16_t excluded, bool is_alone,
                 uint64_t now_ms, uint16_t *ret_credential)
{
    for (uint16_t i = 0; i < target->credential_count; i++) {
        uint32_t offset = ((uint32_t)target->next_credential + i) % target->credential_count;
        uint16_t credential = (uint16_t)(target->first_credential + offset);
        if (credential == excluded ||
            !rc_shared_is_usable(shared, target, credential, is_alone, now_ms))
            continue;
        target->next_credential = (uint16_t)((offset + 1) % target->credential_count);
        *ret_credential = credential;
        return true;
    }
    return false;
}

bool rc_shared_pick_credential(rc_shared *shared, uint16_t target, uint64_t now_ms,
                               uint16_t *ret_credential)
{
    rc_target *t = rc_shared_target(shared, target);
    if (!t)
        return false;
    if (t->credential_count == 0) {
        *ret_credential = RC_NO_TARGET;
        return true;
    }
    return pick(shared, t, RC_NO_TARGET, false, now_ms, ret_credential) ||
           pick(shared, t, RC_NO_TARGET, true, now_ms, ret_credential);
}

bool rc_shared_pick_other_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     uint64_t now_ms, uint16_t *ret_credential)
{
    rc_target *t = rc_shared_target(shared, target);
    return t && pick(shared, t, excluded, false, now_ms, ret_credential);
}

/* --- validation --- */

static bool is_credential_valid(const rc_credential *credential)
{
    bool is_dead = credential->state == RC_CREDENTIAL_DEAD;
    return credential->state <= RC_CREDENTIAL_DEAD && !(is_dead && credential->is_refreshing);
}

static bool is_limit_valid(const rc_credential *limit)
{
    return limit->state <= RC_CREDENTIAL_EXHAUSTED && !limit->is_refreshing;
}

static bool is_target_valid(const rc_shared *shared, const rc_target *target)
{
    uint32_t end = (uint32_t)target->first_credential + target->credential_count;
    for (uint16_t i = 0; target->limits && i < target->credential_count; i++)
        if (!is_limit_valid(&target->limits[i]))
            return false;
    bool is_turn_valid =
        target->next_credential < target->credential_count || target->next_credential == 0;
    return end <= shared->credential_count && is_turn_valid &&
           rc_breaker_validate(&target->breaker);
}

bool rc_shared_validate(const rc_shared *shared)
{
    rc_shared_lock(shared);
    bool is_valid = rc_retry_budget_validate(&shared->retry_budget);
    for (uint16_t i = 0; i < shared->target_count; i++)
        is_valid = is_valid && is_target_valid(shared, &shared->targets[i]);
    for (uint16_t i = 0; i < shared->credential_count; i++)
        is_valid = is_valid && is_credential_valid(&shared->credentials[i]);
    rc_shared_unlock(shared);
    return is_valid;
}
