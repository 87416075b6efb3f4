/* A cooldown: two ends, one that was told and one that is a guess. */
#include <recourse/cooldown.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void rc_cooldown_tell(rc_cooldown *cooldown, uint64_t until_ms)
{
    cooldown->told_until_ms = later(cooldown->told_until_ms, until_ms);
}

void rc_cooldown_assume(rc_cooldown *cooldown, uint64_t until_ms)
{
    cooldown->assumed_until_ms = later(cooldown->assumed_until_ms, until_ms);
}

void rc_cooldown_clear(rc_cooldown *cooldown)
{
    *cooldown = (rc_cooldown){0};
}

uint64_t rc_cooldown_until_ms(const rc_cooldown *cooldown, bool is_alone)
{
    if (is_alone)
        return cooldown->told_until_ms;
    return later(cooldown->told_until_ms, cooldown->assumed_until_ms);
}

bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms)
{
    return now_ms < rc_cooldown_until_ms(cooldown, is_alone);
}
