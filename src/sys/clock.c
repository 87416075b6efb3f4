/* The wall clock and the monotonic clock. Called by the commands, the gateway, the store's writer
 * and the log sink. */
#include "sys/clock.h"

int64_t rc_clock_unix_ms(const rc_sys_calls *calls)
{
    struct timespec now;
    if (calls->clock_realtime(&now) != 0)
        return 0;
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int32_t rc_clock_utc_offset_s(const rc_sys_calls *calls, int64_t unix_ms)
{
    return (int32_t)calls->utc_offset_s((time_t)(unix_ms / 1000));
}

uint64_t rc_clock_ms(const rc_sys_calls *calls)
{
    struct timespec now;
    if (calls->clock_monotonic(&now) != 0)
        return 0;
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}
