/* The wall clock and the monotonic clock. */
#ifndef RC_SYS_CLOCK_H
#define RC_SYS_CLOCK_H

#include <stdint.h>

#include "sys/calls.h"

/* Unix time in milliseconds; 0: the clock cannot be read. Renderers treat 0 as "unknown". */
int64_t rc_clock_unix_ms(const rc_sys_calls *calls);

/* Seconds that local time is ahead of UTC at that moment. */
int32_t rc_clock_utc_offset_s(const rc_sys_calls *calls, int64_t unix_ms);

/* Milliseconds of the monotonic clock; 0: it cannot be read. rc_watch_poll also counts the time
 * that its polls took, in case the clock fails. */
uint64_t rc_clock_ms(const rc_sys_calls *calls);

#endif
