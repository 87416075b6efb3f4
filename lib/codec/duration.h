/* Durations in the notations that providers use, as milliseconds. */
#ifndef RC_CODEC_DURATION_H
#define RC_CODEC_DURATION_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/status.h>
#include <recourse/str.h>

/* The longest valid duration: 100 years. The parsers return RC_E_RANGE for a longer duration. */
#define RC_DURATION_MAX_MS INT64_C(3155760000000)

typedef enum rc_unit {
    RC_UNIT_NONE = 0, /* a number without a unit is not valid (RC_E_SYNTAX) */
    RC_UNIT_MS,
    RC_UNIT_S
} rc_unit;

/* Parses the whole text, with optional white space around it, as one duration:
 *   Go durations        6m0s  1h2m3s  1.5h  20ms  9m38.016s  300us  5ns  (or a micro sign)
 *   ISO 8601            PT20S  P1DT2H  PT1.5M  P2W  (years and months have no fixed length)
 *   numbers with units  "20 seconds", "4 days 20 hours 9 minutes", "4 days, 20 hours",
 *                       "1 hour and 5 minutes", "30 sec", "5 mins", "1 minute(s)", "~5s"
 *   plain numbers       "20", "1.57", "1e-05", in `bare` units
 * Units may be in upper or lower case. The largest unit comes first, and each unit occurs once. The
 * parts are added up. Fractions of a millisecond are rounded up, so that a wait is never shorter
 * than the provider demands. Clock forms such as 00:00:20 are not durations. Returns RC_E_SYNTAX
 * for text in another form and RC_E_RANGE for a negative duration or one above RC_DURATION_MAX_MS.
 * text: borrows during the call. */
rc_status rc_duration_parse(rc_str text, rc_unit bare, int64_t *ret_ms);

/* Parses the longest duration at the start of text, after optional white space, and sets *ret_len
 * to the number of bytes read. The function reads durations inside sentences ("try again in 4 days
 * 20 hours 9 minutes."). The duration must end at the end of a word: "5 small" is not a duration.
 * Returns RC_E_SYNTAX for a number without a unit, and otherwise the same statuses as
 * rc_duration_parse. text: borrows during the call. */
rc_status rc_duration_parse_prefix(rc_str text, int64_t *ret_ms, size_t *ret_len);

/* Appends a duration for people, rounded up, with at most two units, such as "850ms", "4s", "1m
 * 5s", "2h 3m" or "4d 20h". A negative duration is written as "0s". If the whole text does not fit,
 * nothing is appended. buf: borrows during the call. */
void rc_duration_push(rc_buf *buf, int64_t ms);

#endif
