/* Declarations that the files of rc_hints share. */
#ifndef RC_CLASSIFY_HINTS_PARTS_H
#define RC_CLASSIFY_HINTS_PARTS_H

#include "classify/hints/hints.h"
#include "codec/duration.h"

/* Notations of a header's or member's value; spec/hints.def describes each notation. */
typedef enum rc_hint_form {
    RC_HINT_FORM_MS,
    RC_HINT_FORM_SECONDS,
    RC_HINT_FORM_TIME,
    RC_HINT_FORM_AUTO,
    RC_HINT_FORM_POLICY
} rc_hint_form;

/* Families of headers about limits. A reset time and a remaining amount belong to the same limit
 * only if their headers are in the same group. */
typedef enum rc_hint_group {
    RC_HINT_GROUP_X_RATELIMIT,
    RC_HINT_GROUP_X_RATE_LIMIT,
    RC_HINT_GROUP_X_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMIT,
    RC_HINT_GROUP_ANTHROPIC,
    RC_HINT_GROUP_X_CODEX
} rc_hint_group;

/* Notations of the remaining amount of a limit; spec/hints.def describes each notation. */
typedef enum rc_hint_left {
    RC_HINT_LEFT_COUNT,
    RC_HINT_LEFT_PERCENT,
    RC_HINT_LEFT_FRACTION,
    RC_HINT_LEFT_STATUS
} rc_hint_left;

/* A wait, or the reason why a value was rejected. */
typedef struct rc_hint_reading {
    int64_t wait_ms; /* The wait in milliseconds; -1 if the value was rejected. */
    rc_str why;      /* Reason for the rejection; static text for people. */
} rc_hint_reading;

/* Smallest number that is read as a point in time (seconds since 1970: 9 September 2001) and not as
 * a wait (31 years). RC_HINT_EPOCH_MS is the same bound for milliseconds. */
#define RC_HINT_EPOCH_S INT64_C(1000000000)
#define RC_HINT_EPOCH_MS (RC_HINT_EPOCH_S * 1000)

static inline rc_hint_reading rc_hint_wait(int64_t wait_ms)
{
    return (rc_hint_reading){.wait_ms = wait_ms};
}

static inline rc_hint_reading rc_hint_reject(rc_str why)
{
    return (rc_hint_reading){.wait_ms = -1, .why = why};
}

/* Reads the whole value in the given form, which must not be RC_HINT_FORM_POLICY. value: borrows
 * during the call. */
rc_hint_reading rc_hint_read(rc_hint_form form, rc_str value, int64_t now_unix_ms);

/* Returns the wait from now until `unix_ms`; 0 if `unix_ms` is in the past. */
rc_hint_reading rc_hint_until(int64_t unix_ms, int64_t now_unix_ms);

/* Returns the result for a text that is not a valid duration. The reason in the result follows from
 * the parser's status. text: borrows during the call. */
rc_hint_reading rc_hint_reject_duration(rc_status status, rc_str text);

/* Reads a date at the start of text: 2026-01-01T00:00:00Z, "2026-08-06 20:06:00", "2026-08-01 at
 * 00:00 UTC", 2026/08/06, 2026年8月6日, or an HTTP date. A date without a zone is read as China
 * Standard Time if `is_chinese`, otherwise as UTC. Returns false if the text does not begin with a
 * date. text: borrows during the call. */
bool rc_hint_read_date(rc_str text, bool is_chinese, int64_t now_unix_ms, rc_hint_reading *ret,
                       size_t *ret_len);

/* Returns whether `name` matches `pattern`, which may have one `*`; letter case is ignored.
 * *ret_star gets the text that the star stands for, without the hyphens around it, and views
 * (points into) `name`. */
bool rc_hint_match(rc_str pattern, rc_str name, rc_str *ret_star);

/* Finds the notation of a JSON member's value; returns false if `key` is not a hint. */
bool rc_hint_find_field(rc_str key, rc_hint_form *ret_form);

/* Replaces *best by the offered hint if the offered wait is longer. Reports the offered hint to the
 * trace. best, offered: borrows during the call. */
void rc_hints_offer(rc_hints *h, rc_hint *best, const rc_hint *offered);

/* Reports a rejected hint to the trace. */
void rc_hints_note_rejected(const rc_hints *h, rc_str where, rc_str why);

/* Reads a time span such as 02:11:53 or 5.03:23:11 at the start of text. Returns false if the text
 * does not begin with a time span. */
bool rc_hint_read_timespan(rc_str text, int64_t *ret_ms, size_t *ret_len);

#endif
