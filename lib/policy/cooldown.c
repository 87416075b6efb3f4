/* Cooldown of a target or credential: computes its enforced end, its assumed end, and the turns of
 * the calls that wait for the enforced end. Called by the call*.c files, credential.c, shared.c and
 * the gateway. */
#include <recourse/cooldown.h>

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void rc_cooldown_enforce(rc_cooldown *cooldown, uint64_t until_ms)
{
    if (until_ms <= cooldown->enforced_until_ms)
        return;
    cooldown->enforced_until_ms = until_ms;
    cooldown->turns_taken = 0;
    cooldown->turns_earned = 0;
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
        return cooldown->enforced_until_ms;
    return later(cooldown->enforced_until_ms, cooldown->assumed_until_ms);
}

bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms)
{
    return now_ms < rc_cooldown_until_ms(cooldown, is_alone);
}

/* --- turns --- */

#define TURNS_DOUBLE_MS 1000u
#define TURNS_DOUBLED_MAX 10u
#define TURNS_PER_SUCCESS 2u

static bool has_turns(const rc_cooldown *cooldown, uint64_t at_ms)
{
    return cooldown->enforced_until_ms > 0 && at_ms >= cooldown->enforced_until_ms;
}

bool rc_cooldown_has_turn(const rc_cooldown *cooldown, uint64_t now_ms)
{
    if (!has_turns(cooldown, now_ms))
        return true;
    uint64_t doubled = (now_ms - cooldown->enforced_until_ms) / TURNS_DOUBLE_MS;
    if (doubled >= TURNS_DOUBLED_MAX)
        return true;
    return cooldown->turns_taken < (uint32_t)cooldown->turns_earned + (1u << doubled);
}

void rc_cooldown_take_turn(rc_cooldown *cooldown, uint64_t now_ms)
{
    if (has_turns(cooldown, now_ms) && cooldown->turns_taken < UINT16_MAX)
        cooldown->turns_taken++;
}

void rc_cooldown_earn_turns(rc_cooldown *cooldown, uint64_t began_ms)
{
    if (has_turns(cooldown, began_ms) && cooldown->turns_earned <= UINT16_MAX - TURNS_PER_SUCCESS)
        cooldown->turns_earned += TURNS_PER_SUCCESS;
}

void rc_cooldown_return_turn(rc_cooldown *cooldown, uint64_t began_ms)
{
    if (has_turns(cooldown, began_ms) && cooldown->turns_taken > 0)
        cooldown->turns_taken--;
}
