/* The wall clock and the monotonic clock. */
#ifndef RC_SYS_CLOCK_H
#define RC_SYS_CLOCK_H

#include <stdint.h>

#include "sys/calls.h"

/* Returns the Unix time in milliseconds; 0 if the clock cannot be read. Renderers treat 0 as
 * "unknown". */
int64_t rc_clock_unix_ms(const rc_sys_calls *calls);

/* Returns the number of seconds by which local time is ahead of UTC at the time unix_ms. */
int32_t rc_clock_utc_offset_s(const rc_sys_calls *calls, int64_t unix_ms);

/* Returns the monotonic clock in milliseconds; 0 if the clock cannot be read. If the clock cannot
 * be read, rc_watch_poll adds up the durations of its polls instead. */
uint64_t rc_clock_ms(const rc_sys_calls *calls);

#endif
