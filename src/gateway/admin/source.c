/* rc_admin_source: derives a target's or key's state for a snapshot from rc_shared. Called by
 * gateway_admin.c, health_endpoints.c, live.c, metrics.c, state_json.c and
 * src/cli/serve/state.c. */
#include "gateway/admin/source.h"

static uint64_t ms_until(uint64_t until_ms, uint64_t now_ms)
{
    return until_ms > now_ms ? until_ms - now_ms : 0;
}

/* Summary of a target's pool of credentials. */
typedef struct pool_status {
    uint32_t usable;
    uint64_t limited_until_ms; /* Time at which the first credential that is limited only at this
                                * target becomes usable again. 0 if no credential is limited. */
    bool is_assumed;           /* The provider did not state the time in limited_until_ms. */
    rc_code why;
} pool_status;

/* Whether the credential is shown as usable. For the only credential of a pool, an assumed cooldown
 * (without a time from the provider) is ignored. A rejected credential is not usable until a call
 * with it has succeeded. */
static bool is_good(const rc_credential *credential, bool is_alone, uint64_t now_ms)
{
    return credential->state != RC_CREDENTIAL_DEAD &&
           rc_credential_is_usable(credential, is_alone, now_ms);
}

static pool_status check_pool(const rc_shared *shared, const rc_target *target, uint64_t now_ms)
{
    const bool is_alone = target->credential_count == 1;
    pool_status status = {0};
    for (uint32_t i = 0; i < target->credential_count; i++) {
        const uint16_t credential = (uint16_t)(target->first_credential + i);
        const rc_credential *limit = rc_target_limit(target, credential);
        if (!is_good(&shared->credentials[credential], is_alone, now_ms))
            continue;
        if (limit == NULL || rc_credential_is_usable(limit, is_alone, now_ms)) {
            status.usable++;
            continue;
        }
        const uint64_t until_ms = rc_credential_ready_at_ms(limit, is_alone);
        if (status.limited_until_ms != 0 && status.limited_until_ms <= until_ms)
            continue;
        status.limited_until_ms = until_ms;
        status.is_assumed = rc_credential_is_usable(limit, true, now_ms);
        status.why = limit->state == RC_CREDENTIAL_EXHAUSTED ? RC_CODE_QUOTA_EXHAUSTED
                                                             : RC_CODE_RATE_LIMITED;
    }
    return status;
}

void rc_admin_fill_target(const rc_shared *shared, uint16_t target, uint64_t now_ms,
                          rc_admin_target *ret_target)
{
    if (target >= shared->target_count)
        return;
    const rc_target *seen = &shared->targets[target];
    ret_target->is_out_of_service = seen->is_out_of_service;
    ret_target->cooling_ms = ms_until(rc_cooldown_until_ms(&seen->cooldown, false), now_ms);
    ret_target->is_cooling_assumed =
        ret_target->cooling_ms > 0 && !rc_cooldown_is_on(&seen->cooldown, true, now_ms);
    ret_target->cooling_code = ret_target->cooling_ms > 0 ? seen->cooled_for : RC_CODE_NONE;
    ret_target->breaker = seen->breaker.state;
    ret_target->open_ms =
        rc_breaker_peek(&seen->breaker, &shared->settings.breaker, now_ms) == RC_BREAKER_REFUSED
            ? ms_until(rc_breaker_ready_at_ms(&seen->breaker, now_ms), now_ms)
            : 0;
    ret_target->admission =
        shared->queue != NULL ? (rc_admission_state)seen->admission.state : RC_ADMISSION_UP;
    ret_target->is_held = shared->queue != NULL && seen->admission.state == RC_ADMISSION_DOWN;
    ret_target->in_flight = seen->limiter.in_flight;
    ret_target->max_in_flight = seen->limiter.max;
    ret_target->keys = seen->credential_count;
    const pool_status pool = check_pool(shared, seen, now_ms);
    ret_target->usable_keys = pool.usable;
    const uint64_t limited_ms = ms_until(pool.limited_until_ms, now_ms);
    if (pool.usable == 0 && limited_ms > ret_target->cooling_ms) {
        ret_target->cooling_ms = limited_ms;
        ret_target->is_cooling_assumed = pool.is_assumed;
        ret_target->cooling_code = pool.why;
    }
}

void rc_admin_fill_health(const rc_health *health, int64_t now_unix_ms, rc_admin_target *ret_target)
{
    switch (rc_admin_target_state_of(ret_target)) {
    case RC_TARGET_OUT:
        ret_target->health = RC_HEALTH_DISABLED;
        break;
    case RC_TARGET_COOLING:
    case RC_TARGET_OPEN:
    case RC_TARGET_NO_KEY:
        ret_target->health = RC_HEALTH_DOWN;
        break;
    case RC_TARGET_UP:
    case RC_TARGET_FULL:
        ret_target->health =
            ret_target->is_held ? RC_HEALTH_DOWN : rc_health_of_calls(health, now_unix_ms);
        break;
    }
    ret_target->recent = rc_health_share_of(health, now_unix_ms);
    ret_target->failed_unix_ms = health->failed_unix_ms;
    ret_target->failed_with = ret_target->health != RC_HEALTH_UP ? health->code : RC_CODE_NONE;
    ret_target->since_unix_ms = rc_health_since_unix_ms(health, ret_target->health);
    ret_target->masked_with = health->masked_code;
    ret_target->masked_count = health->masked_count;
    ret_target->masked_unix_ms = health->masked_unix_ms;
}

void rc_admin_fill_key(const rc_shared *shared, uint16_t credential, uint64_t now_ms,
                       rc_admin_key *ret_key)
{
    if (credential >= shared->credential_count)
        return;
    const rc_credential *seen = &shared->credentials[credential];
    ret_key->state = rc_credential_state_at(seen, now_ms);
    const bool is_dated =
        ret_key->state == RC_CREDENTIAL_COOLING || ret_key->state == RC_CREDENTIAL_EXHAUSTED;
    ret_key->until_ms = is_dated ? ms_until(rc_credential_ready_at_ms(seen, false), now_ms) : 0;
    ret_key->limited_targets = 0;
    for (uint32_t i = 0; i < shared->target_count; i++) {
        const rc_credential *limit = rc_target_limit(&shared->targets[i], credential);
        if (limit != NULL && rc_credential_state_at(limit, now_ms) != RC_CREDENTIAL_HEALTHY)
            ret_key->limited_targets++;
    }
}

void rc_admin_fill_retry_budget(rc_retry_budget *budget, uint64_t now_ms,
                                rc_admin_retry_budget *ret_budget)
{
    *ret_budget = (rc_admin_retry_budget){
        .is_on = budget->settings.burst > 0,
        .tokens = budget->settings.burst > 0 ? rc_retry_budget_tokens(budget, now_ms) : 0,
        .burst = budget->settings.burst,
        .ratio_milli = budget->settings.ratio_milli,
        .floor_per_s = budget->settings.floor_per_s,
    };
}

rc_admin_target_state rc_admin_target_state_of(const rc_admin_target *target)
{
    if (target->is_out_of_service)
        return RC_TARGET_OUT;
    if (target->cooling_ms > 0)
        return RC_TARGET_COOLING;
    if (target->open_ms > 0)
        return RC_TARGET_OPEN;
    if (target->keys > 0 && target->usable_keys == 0)
        return RC_TARGET_NO_KEY;
    if (target->max_in_flight > 0 && target->in_flight >= target->max_in_flight)
        return RC_TARGET_FULL;
    return RC_TARGET_UP;
}

const char *rc_admin_target_state_name(rc_admin_target_state state)
{
    static const char *const names[] = {"up",           "out_of_service", "cooling",
                                        "breaker_open", "no_key",         "full"};
    return names[state];
}
