/* What the files of rc_hints share. */
#ifndef RC_CLASSIFY_HINTS_PARTS_H
#define RC_CLASSIFY_HINTS_PARTS_H

#include "classify/hints/hints.h"
#include "codec/duration.h"

typedef enum rc_hint_form {
    RC_HINT_FORM_MS,
    RC_HINT_FORM_SECONDS,
    RC_HINT_FORM_TIME,
    RC_HINT_FORM_AUTO,
    RC_HINT_FORM_POLICY
} rc_hint_form;

/* The limits that a reset and a remainder can belong to. */
typedef enum rc_hint_group {
    RC_HINT_GROUP_X_RATELIMIT,
    RC_HINT_GROUP_X_RATE_LIMIT,
    RC_HINT_GROUP_X_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMITBYSIZE,
    RC_HINT_GROUP_RATELIMIT,
    RC_HINT_GROUP_ANTHROPIC,
    RC_HINT_GROUP_X_CODEX
} rc_hint_group;

/* How a header says what is left. */
typedef enum rc_hint_left {
    RC_HINT_LEFT_COUNT,
    RC_HINT_LEFT_PERCENT,
    RC_HINT_LEFT_FRACTION,
    RC_HINT_LEFT_STATUS
} rc_hint_left;

/* A wait, or why there is none. */
typedef struct rc_hint_reading {
    int64_t wait_ms; /* -1: not believed */
    rc_str why;      /* static; for people */
} rc_hint_reading;

/* From here on a number is no wait in seconds (31 years) or milliseconds (31 years too), but a
 * point in time: 9 September 2001 as an epoch in seconds, and in milliseconds. */
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

/* The whole of value in that form (not POLICY). value: borrows. */
rc_hint_reading rc_hint_read(rc_hint_form form, rc_str value, int64_t now_unix_ms);

/* From now until then; the past is 0. */
rc_hint_reading rc_hint_until(int64_t unix_ms, int64_t now_unix_ms);

/* Why a duration was refused, by its status. text: borrows. */
rc_hint_reading rc_hint_reject_duration(rc_status status, rc_str text);

/* A date that text begins with, as messages write it: 2026-01-01T00:00:00Z, "2026-08-06 20:06:00",
 * "2026-08-01 at 00:00 UTC", 2026/08/06, 2026年8月6日, and the HTTP date. Without a zone it is
 * China Standard Time when is_chinese, else UTC. False: no date is there. text: borrows. */
bool rc_hint_read_date(rc_str text, bool is_chinese, int64_t now_unix_ms, rc_hint_reading *ret,
                       size_t *ret_len);

/* Does name, in any case, fit pattern, which may have one `*`? *ret_star is what that stands for,
 * without the hyphens around it; views name. */
bool rc_hint_match(rc_str pattern, rc_str name, rc_str *ret_star);

/* The form of a field; false: key is no hint. */
bool rc_hint_find_field(rc_str key, rc_hint_form *ret_form);

/* Keeps the longer of the two and tells the trace. */
void rc_hints_offer(rc_hints *h, rc_hint *best, const rc_hint *offered);

/* Tells the trace that a hint is not believed. */
void rc_hints_note_rejected(const rc_hints *h, rc_str where, rc_str why);

/* A span such as 02:11:53 or 5.03:23:11 at the begin of text. False: there is none. */
bool rc_hint_read_timespan(rc_str text, int64_t *ret_ms, size_t *ret_len);

#endif
