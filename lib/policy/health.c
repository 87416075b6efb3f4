/* Health of a target: stores the results of its latest calls and derives the state up, degraded or
 * failing. Called by the gateway's hub_health.c, exchange_ledger.c and admin interface. */
#include "policy/health.h"

#include <recourse/taxonomy.h>

void rc_health_init(rc_health *health, int64_t now_unix_ms)
{
    *health = (rc_health){.good_unix_ms = now_unix_ms};
}

/* ---- one result ---- */

rc_health_verdict rc_health_verdict_of(rc_code code, bool is_open)
{
    const rc_code_info *info = rc_code_get(code);
    if (code == RC_CODE_NONE)
        return RC_HEALTH_VERDICT_GOOD;
    if (info == NULL)
        return RC_HEALTH_VERDICT_NONE;
    if (info->error_class == RC_CLASS_PROVIDER_TRANSIENT)
        return RC_HEALTH_VERDICT_BAD;
    switch ((int)code) {
    case RC_CODE_AUTH_FAILED:
    case RC_CODE_PERMISSION_DENIED:
    case RC_CODE_QUOTA_EXHAUSTED:
    case RC_CODE_OUTCOME_UNKNOWN:
    case RC_CODE_UNCLASSIFIED:
    case RC_CODE_DEADLINE_EXCEEDED:
        return RC_HEALTH_VERDICT_BAD;
    case RC_CODE_MODEL_NOT_FOUND:
    case RC_CODE_ENDPOINT_NOT_FOUND:
        return is_open ? RC_HEALTH_VERDICT_NONE : RC_HEALTH_VERDICT_BAD;
    default:
        break;
    }
    return info->error_class == RC_CLASS_PROVIDER_TERMINAL ||
                   info->error_class == RC_CLASS_PROVIDER_CAPABILITY
               ? RC_HEALTH_VERDICT_GOOD
               : RC_HEALTH_VERDICT_NONE;
}

void rc_health_note(rc_health *health, rc_health_verdict verdict, rc_code code, int64_t now_unix_ms)
{
    const bool is_bad = verdict == RC_HEALTH_VERDICT_BAD;
    if (verdict == RC_HEALTH_VERDICT_NONE)
        return;
    if (code == RC_CODE_NONE) {
        health->masked_code = RC_CODE_NONE;
        health->masked_count = 0;
    }
    if (rc_health_of_calls(health, now_unix_ms) == RC_HEALTH_UP) {
        health->failed = 0; /* While the target was UP, the stored failures became outdated. */
        health->bad_unix_ms = is_bad ? now_unix_ms : 0;
    }
    if (!is_bad && (health->failed & 1) != 0)
        health->good_unix_ms = now_unix_ms;
    const uint32_t results = (uint32_t)health->failed << 1 | (is_bad ? 1u : 0u);
    health->failed = (uint16_t)(results & ((1u << RC_HEALTH_RESULTS) - 1));
    if (health->count < RC_HEALTH_RESULTS)
        health->count++;
    if (!is_bad)
        return;
    health->code = code;
    health->failed_unix_ms = now_unix_ms;
}

void rc_health_mask(rc_health *health, rc_code code, int64_t now_unix_ms)
{
    if (health->masked_count == 0)
        health->masked_unix_ms = now_unix_ms;
    health->masked_code = code;
    health->masked_count += health->masked_count < UINT32_MAX;
}

/* ---- health state ---- */

rc_health_state rc_health_of_calls(const rc_health *health, int64_t now_unix_ms)
{
    const uint32_t latest = health->count < RC_HEALTH_IN_A_ROW ? health->count : RC_HEALTH_IN_A_ROW;
    const uint32_t mask = (1u << latest) - 1;
    if (health->failed == 0)
        return RC_HEALTH_UP;
    if ((health->failed & mask) == mask)
        return RC_HEALTH_FAILING;
    const bool is_old = now_unix_ms > health->failed_unix_ms + RC_HEALTH_FORGET_MS;
    return is_old && (health->failed & 1) == 0 ? RC_HEALTH_UP : RC_HEALTH_DEGRADED;
}

rc_health_share rc_health_share_of(const rc_health *health, int64_t now_unix_ms)
{
    rc_health_share share = {.calls = health->count};
    if (rc_health_of_calls(health, now_unix_ms) == RC_HEALTH_UP)
        return share; /* the failures are outdated */
    for (uint32_t bits = health->failed; bits != 0; bits &= bits - 1)
        share.failed++;
    return share;
}

int64_t rc_health_since_unix_ms(const rc_health *health, rc_health_state state)
{
    if (state == RC_HEALTH_DISABLED && health->disabled_unix_ms > 0)
        return health->disabled_unix_ms;
    return state != RC_HEALTH_UP && health->bad_unix_ms > 0 ? health->bad_unix_ms
                                                            : health->good_unix_ms;
}

const char *rc_health_state_name(rc_health_state state)
{
    static const char *const names[] = {"up", "degraded", "failing", "down", "disabled"};
    return names[state];
}
