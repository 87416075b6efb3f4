/* The wall clock, and the one that only goes forward. */
#ifndef RC_SYS_CLOCK_H
#define RC_SYS_CLOCK_H

#include <stdint.h>

#include "sys/calls.h"

/* Unix milliseconds now; 0 when the clock cannot be read, which every renderer takes for "not
 * known". */
int64_t rc_clock_unix_ms(const rc_sys_calls *calls);

/* Seconds that local time is ahead of UTC at that moment. */
int32_t rc_clock_utc_offset_s(const rc_sys_calls *calls, int64_t unix_ms);

/* Milliseconds of the clock that only goes forward; 0 when it cannot be read. Whoever waits by it
 * counts the time that a poll took as well: see process_watch.h. */
uint64_t rc_clock_ms(const rc_sys_calls *calls);

#endif
