/* Declarations that the files of rc_hints share. */
#ifndef RC_CLASSIFY_HINTS_PARTS_H
#define RC_CLASSIFY_HINTS_PARTS_H

#include "classify/hints/hints.h"
#include "codec/duration.h"

/* Notations of a value; spec/hints.def describes each. */
typedef enum rc_hint_form {
    RC_HINT_FORM_MS,
    RC_HINT_FORM_SECONDS,
    RC_HINT_FORM_TIME,
    RC_HINT_FORM_AUTO,
    RC_HINT_FORM_POLICY
} rc_hint_form;

/* Families of limit headers. A reset and a remainder belong to one limit only within a group. */
typedef enum rc_hint_group {
    RC_HINT_GROUP_X_RATELIMIT,
    RC_HINT_GROUP_X_RATE_LIMIT,
    RC_HINT_GROUP_X_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMIT,
    RC_HINT_GROUP_ANTHROPIC,
    RC_HINT_GROUP_X_CODEX
} rc_hint_group;

/* Notations of a remaining quota; spec/hints.def describes each. */
typedef enum rc_hint_left {
    RC_HINT_LEFT_COUNT,
    RC_HINT_LEFT_PERCENT,
    RC_HINT_LEFT_FRACTION,
    RC_HINT_LEFT_STATUS
} rc_hint_left;

/* A wait, or the reason why a value was rejected. */
typedef struct rc_hint_reading {
    int64_t wait_ms; /* -1: rejected. */
    rc_str why;      /* Reason of the rejection; static text for people. */
} rc_hint_reading;

/* Smallest number that is a point in time instead of a wait: 31 years as a wait, 9 September 2001
 * as an epoch. The bound is the same in seconds and, times 1000, in milliseconds. */
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

/* Reads the whole value in the given form (not POLICY). value: borrows. */
rc_hint_reading rc_hint_read(rc_hint_form form, rc_str value, int64_t now_unix_ms);

/* Gives the wait from now until unix_ms; 0 for a point in the past. */
rc_hint_reading rc_hint_until(int64_t unix_ms, int64_t now_unix_ms);

/* Gives the rejection of a duration by the parser's status. text: borrows. */
rc_hint_reading rc_hint_reject_duration(rc_status status, rc_str text);

/* Reads a date at the start of text: 2026-01-01T00:00:00Z, "2026-08-06 20:06:00", "2026-08-01 at
 * 00:00 UTC", 2026/08/06, 2026年8月6日, or an HTTP date. A date without a zone is China Standard Time
 * if is_chinese, otherwise UTC. Returns false if there is no date. text: borrows. */
bool rc_hint_read_date(rc_str text, bool is_chinese, int64_t now_unix_ms, rc_hint_reading *ret,
                       size_t *ret_len);

/* True if name fits pattern, which may have one `*`; letter case does not matter. *ret_star: the
 * text that the star stands for, without the hyphens around it; views name. */
bool rc_hint_match(rc_str pattern, rc_str name, rc_str *ret_star);

/* Finds the form of a JSON member; false if key is no hint. */
bool rc_hint_find_field(rc_str key, rc_hint_form *ret_form);

/* Replaces *best by the offered hint if that one is longer, and reports the offered hint to the
 * trace. */
void rc_hints_offer(rc_hints *h, rc_hint *best, const rc_hint *offered);

/* Reports a rejected hint to the trace. */
void rc_hints_note_rejected(const rc_hints *h, rc_str where, rc_str why);

/* Reads a time span such as 02:11:53 or 5.03:23:11 at the start of text. Returns false if there is
 * none. */
bool rc_hint_read_timespan(rc_str text, int64_t *ret_ms, size_t *ret_len);

#endif
