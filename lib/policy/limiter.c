/* Concurrency limit of one target: counts its calls in flight. Called by call_attempt.c and
 * shared.c. */
#include <recourse/limiter.h>

void rc_limiter_init(rc_limiter *limiter, uint32_t max)
{
    *limiter = (rc_limiter){.max = max};
}

bool rc_limiter_has_room(const rc_limiter *limiter)
{
    uint32_t max = limiter->max > 0 ? limiter->max : UINT32_MAX;
    return limiter->in_flight < max;
}

bool rc_limiter_take(rc_limiter *limiter)
{
    if (!rc_limiter_has_room(limiter))
        return false;
    limiter->in_flight++;
    return true;
}

void rc_limiter_put(rc_limiter *limiter)
{
    if (limiter->in_flight > 0)
        limiter->in_flight--;
}
