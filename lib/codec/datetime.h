/* Dates and times as Unix milliseconds (UTC). No function reads a clock. */
#ifndef RC_CODEC_DATETIME_H
#define RC_CODEC_DATETIME_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* The first millisecond of the year 1 and the last of the year 9999: the range of all dates. */
#define RC_DATETIME_MIN_MS INT64_C(-62135596800000)
#define RC_DATETIME_MAX_MS INT64_C(253402300799999)

/* The parsers accept the years 1 to 9999 of the proleptic Gregorian calendar and read a leap second
 * :60 as :59.999 (RFC 3339 §5.7). They return RC_E_SYNTAX for another form and RC_E_RANGE for an
 * impossible value such as month 13 or 30 February. The text must contain nothing else, not even
 * white space. text: borrows. */

/* Parses RFC 3339: 2026-11-16T01:02:03Z, fractions of any length (cut to ms), numeric offsets,
 * lower-case t and z, a space instead of the T (§5.6 note). RC_E_RANGE also if the offset leads out
 * of the years above. */
rc_status rc_rfc3339_parse(rc_str text, int64_t *ret_unix_ms);

/* Parses the HTTP dates of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime; names in any case. A
 * two-digit year is the latest matching year that is at most 50 years after now_unix_ms. The
 * weekday must be a valid name, but need not match the date. */
rc_status rc_http_date_parse(rc_str text, int64_t now_unix_ms, int64_t *ret_unix_ms);

/* Parses a Unix time as a bare number. Its size decides the unit: seconds below 1e11 (the year
 * 5138), milliseconds below 1e14, microseconds below 1e17. RC_E_RANGE for larger and negative
 * numbers. A fraction is cut to ms. */
rc_status rc_epoch_parse(rc_str text, int64_t *ret_unix_ms);

/* Appends 2026-11-16T01:02:03.456Z. A time out of range is clamped. Appends everything or nothing.
 * buf: borrows. */
void rc_rfc3339_push(rc_buf *buf, int64_t unix_ms);

/* Appends Mon, 16 Nov 2026 01:02:03 GMT, under the same rules. */
void rc_http_date_push(rc_buf *buf, int64_t unix_ms);

/* A date and time of day. */
typedef struct rc_civil {
    int year, month, day, hour, minute, second, millisecond;
    int weekday; /* 0 is Sunday */
} rc_civil;

/* Converts from Unix time. A time out of range is clamped. */
rc_civil rc_civil_from_unix_ms(int64_t unix_ms);

/* Converts to Unix time. RC_E_RANGE for a date or time that does not exist, including a leap
 * second; the weekday is ignored. civil: borrows. */
rc_status rc_civil_to_unix_ms(const rc_civil *civil, int64_t *ret_unix_ms);

#endif
