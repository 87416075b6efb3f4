/* Points in time as Unix milliseconds (UTC). No clock is read here. */
#ifndef RC_CODEC_DATETIME_H
#define RC_CODEC_DATETIME_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* The first millisecond of the year 1 and the last of the year 9999; there is no date outside. */
#define RC_DATETIME_MIN_MS INT64_C(-62135596800000)
#define RC_DATETIME_MAX_MS INT64_C(253402300799999)

/* Years 1 to 9999 of the proleptic Gregorian calendar. Leap second :60 is read as :59.999
 * (RFC 3339 §5.7). All: RC_E_SYNTAX for another form, RC_E_RANGE for a month 13, a 30 February and
 * the like. Nothing may stand around it, white space neither. text: borrows. */

/* RFC 3339: 2026-11-16T01:02:03Z, fractions of any length (cut to ms), numeric offsets, lower-case
 * t and z, a space for the T (§5.6 note). An offset that leads out of the years above is
 * RC_E_RANGE. */
rc_status rc_rfc3339_parse(rc_str text, int64_t *ret_unix_ms);

/* RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime forms, names in any case. A two-digit year is
 * resolved against now_unix_ms: the last such year that is not more than 50 years ahead. The
 * weekday must be a weekday but need not be the right one. */
rc_status rc_http_date_parse(rc_str text, int64_t now_unix_ms, int64_t *ret_unix_ms);

/* A bare epoch, told apart by size: seconds below 1e11 (the year 5138), milliseconds below 1e14,
 * microseconds below 1e17; more, or a negative one, is RC_E_RANGE. A fraction is cut to ms. */
rc_status rc_epoch_parse(rc_str text, int64_t *ret_unix_ms);

/* 2026-11-16T01:02:03.456Z. Out of range: clamped. Adds all of it or nothing. buf: borrows. */
void rc_rfc3339_push(rc_buf *buf, int64_t unix_ms);

/* Mon, 16 Nov 2026 01:02:03 GMT. The same. */
void rc_http_date_push(rc_buf *buf, int64_t unix_ms);

typedef struct rc_civil {
    int year, month, day, hour, minute, second, millisecond;
    int weekday; /* 0 is Sunday */
} rc_civil;

/* Out of range: clamped. */
rc_civil rc_civil_from_unix_ms(int64_t unix_ms);

/* The inverse. RC_E_RANGE for a date or time that does not exist, a leap second too; the weekday is
 * not looked at. civil: borrows. */
rc_status rc_civil_to_unix_ms(const rc_civil *civil, int64_t *ret_unix_ms);

#endif
