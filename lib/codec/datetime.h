/* Dates and times as Unix milliseconds (UTC). No function reads a clock. */
#ifndef RC_CODEC_DATETIME_H
#define RC_CODEC_DATETIME_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* The range of all dates: the first millisecond of the year 1 and the last millisecond of the year
 * 9999. */
#define RC_DATETIME_MIN_MS INT64_C(-62135596800000)
#define RC_DATETIME_MAX_MS INT64_C(253402300799999)

/* The parsers accept the years 1 to 9999 of the proleptic Gregorian calendar and read a leap second
 * :60 as :59.999 (RFC 3339 §5.7). The parsers return RC_E_SYNTAX for text in any other notation and
 * RC_E_RANGE for an impossible value such as month 13 or 30 February. The text must contain nothing
 * but the date, not even white space. text: borrows during the call. */

/* Parses RFC 3339 dates such as 2026-11-16T01:02:03Z. The date may have a fraction of any length
 * (cut to ms), a numeric offset, lower-case t and z, and a space instead of the T (§5.6 note).
 * Returns RC_E_RANGE also if the offset moves the time out of the years 1 to 9999. */
rc_status rc_rfc3339_parse(rc_str text, int64_t *ret_unix_ms);

/* Parses the three HTTP dates of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime. Names may be in
 * upper or lower case. A two-digit year is the latest matching year that is at most 50 years after
 * now_unix_ms. The weekday must be a valid name, but need not match the date. */
rc_status rc_http_date_parse(rc_str text, int64_t now_unix_ms, int64_t *ret_unix_ms);

/* Parses a Unix time as a number without a unit. The size of the number determines the unit:
 * seconds below 1e11 (the year 5138), milliseconds below 1e14, microseconds below 1e17. Returns
 * RC_E_RANGE for larger and negative numbers. A fraction is truncated to milliseconds. */
rc_status rc_epoch_parse(rc_str text, int64_t *ret_unix_ms);

/* Appends a time in the form 2026-11-16T01:02:03.456Z. A time outside the range of dates is
 * clamped. If the whole text does not fit, nothing is appended. buf: borrows during the call. */
void rc_rfc3339_push(rc_buf *buf, int64_t unix_ms);

/* Appends a time in the form Mon, 16 Nov 2026 01:02:03 GMT. A time outside the range is clamped. If
 * the whole text does not fit, nothing is appended. */
void rc_http_date_push(rc_buf *buf, int64_t unix_ms);

/* A date and a time of day in UTC. */
typedef struct rc_civil {
    int year, month, day, hour, minute, second, millisecond;
    int weekday; /* 0 to 6; 0 is Sunday */
} rc_civil;

/* Converts Unix time to a date and time of day. A time outside the range of dates is clamped. */
rc_civil rc_civil_from_unix_ms(int64_t unix_ms);

/* Converts a date and time of day to Unix time. Returns RC_E_RANGE for a date or time that does not
 * exist, and for a leap second. The weekday is ignored. civil: borrows during the call. */
rc_status rc_civil_to_unix_ms(const rc_civil *civil, int64_t *ret_unix_ms);

#endif
