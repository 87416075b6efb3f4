/* Parses times in queries of the audit. */
#ifndef RC_AUDIT_TIME_H
#define RC_AUDIT_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <recourse/str.h>

/* Current time and time zone that relative times refer to. */
typedef struct rc_audit_clock {
    int64_t now_unix_ms;
    int (*utc_offset_s)(time_t at); /* Returns the offset of the local time zone at the time
                                       `at`. */
} rc_audit_clock;

/* Parses the whole of text:
 *   2h  30m  1h30m  2 days       this long ago
 *   2026-11-16T02:30:00Z         RFC 3339
 *   2026-11-16T02:30  2026-11-16 02:30:15  2026-11-16    local time; a date means its first moment
 *   02:30  02:30:15              local time, the latest one that is not in the future
 *   now  today  yesterday        a day means its first moment
 *   1794790923456  1794790923    Unix milliseconds or seconds, from 1973 on; a smaller number is
 *                                more likely a duration without its unit, or a year
 *   0                            the beginning of 1970, before all operations
 * Returns false for other texts and times before 1970. text, clock: borrows during the call. */
bool rc_audit_time_parse(rc_str text, const rc_audit_clock *clock, int64_t *ret_unix_ms);

#endif
