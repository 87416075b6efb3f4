/* rc_hints: every wait that one failure names, and the wait that applies.
 *
 *   headers ──┐
 *   fields  ──┼──► read (form, now) ──► best of each rank ──► the wait
 *   wording ──┘         │
 *                       └──► rejected: the trace gets the reason
 *
 * spec/hints.def lists the headers and fields. The wait with the highest rank applies; of several
 * waits with this rank, the longest. docs/internals/hints.md has the reasons. Nothing is allocated
 * and no clock is read. */
#ifndef RC_CLASSIFY_HINTS_HINTS_H
#define RC_CLASSIFY_HINTS_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/classify.h>
#include <recourse/str.h>

/* Sources of a wait, from the least to the most reliable. */
typedef enum rc_hint_rank {
    RC_HINT_RANK_NONE = 0,
    RC_HINT_RANK_RESET = 1,           /* Reset of a limit of which is not known whether it is
                                         exhausted. */
    RC_HINT_RANK_RESET_EXHAUSTED = 2, /* Reset of an exhausted limit. */
    RC_HINT_RANK_WORDING = 3,         /* Text of a message: "try again in 20s". */
    RC_HINT_RANK_FIELD = 4,           /* A member of the JSON body. */
    RC_HINT_RANK_HEADER = 5           /* retry-after and similar headers. */
} rc_hint_rank;

typedef struct rc_hint {
    rc_hint_rank rank;
    int64_t wait_ms; /* 0 to RC_DURATION_MAX_MS; -1: no wait. */
    rc_str where;    /* Name of the header or JSON member; "message" for a wait in a text. */
    rc_str value;    /* The value as written. */
} rc_hint;

#define RC_HINT_LIMITS_MAX 16u

/* Private: one limit of a provider. Its key is the group of the header and the variable part of the
 * header's name. */
typedef struct rc_hint_limit {
    uint8_t group;
    uint8_t left; /* Remaining quota: unknown, some or none. */
    rc_str name;
    rc_hint reset;
} rc_hint_limit;

/* The caller owns the storage; the members are private. */
typedef struct rc_hints {
    int64_t now_unix_ms;
    const rc_trace *trace;
    rc_hint wording;
    rc_hint field;
    rc_hint header;
    size_t limit_count;
    rc_hint_limit limits[RC_HINT_LIMITS_MAX];
} rc_hints;

/* Starts an empty set of hints. If `now_unix_ms` is 0 (unknown), points in time are ignored. trace:
 * borrows until `h` is no longer used; may be NULL. The trace gets RC_TRACE_HINT for each accepted
 * wait and RC_TRACE_IGNORED for each rejected wait. */
void rc_hints_init(rc_hints *h, int64_t now_unix_ms, const rc_trace *trace);

/* Adds a response header, or a header that is repeated in a body. Headers may come in any order; a
 * header that is not a hint is skipped. name, value: `h` views (points into) them until it is no
 * longer used. */
void rc_hints_add_header(rc_hints *h, rc_str name, rc_str value);

/* True if a JSON member with this name is a hint. The function is fast enough to be called for
 * every member. */
bool rc_hints_is_field(rc_str key);

/* Adds a JSON member: a string's text, or a number as written. A key that is not a hint is skipped.
 * For a protobuf duration such as "retryDelay": {"seconds": 54}, the caller passes the outer key
 * with the seconds. key, value: `h` views (points into) them until it is no longer used. */
void rc_hints_add_field(rc_hints *h, rc_str key, rc_str value, bool is_number);

/* Adds a wait from a message's text. `at` is the offset of a duration, of a point in time, or of
 * words such as "in about" before the duration or point in time. The caller must know that the text
 * before `at` announces a wait. text: `h` views (points into) it until it is no longer used. */
void rc_hints_add_text(rc_hints *h, rc_str text, size_t at);

/* Returns the hint that applies. Without a hint, the result has rank RC_HINT_RANK_NONE and wait -1.
 * h: borrows during the call. */
rc_hint rc_hints_best(const rc_hints *h);

/* Returns the wait of rc_hints_best in milliseconds; 0 if the provider allows a retry at once, -1
 * without a hint. */
int64_t rc_hints_wait_ms(const rc_hints *h);

#endif
