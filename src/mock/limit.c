/* A token bucket for rate limits. Called by provider.c. */
#include "mock/limit.h"

#define MINUTE_MS 60000u

static uint64_t top_of(const rc_mock_limit *limit)
{
    return (uint64_t)limit->per_minute * MINUTE_MS;
}

/* Converts `count` to the bucket's unit; the result is at most the bucket's size. */
static uint64_t cost_of(const rc_mock_limit *limit, uint64_t count)
{
    return count < limit->per_minute ? count * MINUTE_MS : top_of(limit);
}

void rc_mock_limit_init(rc_mock_limit *limit, uint32_t per_minute, uint64_t now_ms)
{
    *limit = (rc_mock_limit){.per_minute = per_minute, .at_ms = now_ms};
    limit->level = top_of(limit);
}

bool rc_mock_limit_has(rc_mock_limit *limit, uint64_t count, uint64_t now_ms)
{
    if (limit->per_minute == 0)
        return true;
    uint64_t passed = now_ms > limit->at_ms ? now_ms - limit->at_ms : 0;
    if (passed > MINUTE_MS)
        passed = MINUTE_MS;
    limit->level += passed * limit->per_minute;
    if (limit->level > top_of(limit))
        limit->level = top_of(limit);
    limit->at_ms = now_ms;
    return limit->level >= cost_of(limit, count);
}

void rc_mock_limit_take(rc_mock_limit *limit, uint64_t count)
{
    const uint64_t cost = cost_of(limit, count);
    limit->level -= cost < limit->level ? cost : limit->level;
}

uint64_t rc_mock_limit_wait_ms(const rc_mock_limit *limit, uint64_t count)
{
    const uint64_t cost = cost_of(limit, count);
    if (limit->per_minute == 0 || limit->level >= cost)
        return 0;
    return (cost - limit->level + limit->per_minute - 1) / limit->per_minute;
}

rc_mock_limit_state rc_mock_limit_get_state(const rc_mock_limit *limit)
{
    return (rc_mock_limit_state){
        .is_known = limit->per_minute > 0,
        .limit = limit->per_minute,
        .remaining = limit->level / MINUTE_MS,
        .reset_ms = rc_mock_limit_wait_ms(limit, limit->per_minute),
    };
}
