/* The wall clock. */
#ifndef RC_SYS_CLOCK_H
#define RC_SYS_CLOCK_H

#include <stdint.h>

#include "sys/calls.h"

/* Unix milliseconds now; 0 when the clock cannot be read, which every renderer takes for "not
 * known". */
int64_t rc_clock_unix_ms(const rc_sys_calls *calls);

/* Seconds that local time is ahead of UTC at that moment. */
int32_t rc_clock_utc_offset_s(const rc_sys_calls *calls, int64_t unix_ms);

#endif
