/* rc_hints: every wait that one failure names, and the one that applies.
 *
 *   headers ──┐
 *   fields  ──┼──► read (form, now) ──► best of each rank ──► the wait
 *   wording ──┘         │
 *                       └──► rejected: the trace gets the reason
 *
 * spec/hints.def lists the headers and fields. The highest rank that has a wait decides, and within
 * a rank the longest wait; docs/internals/hints.md gives the reasons. Nothing is allocated and no
 * clock is read. */
#ifndef RC_CLASSIFY_HINTS_HINTS_H
#define RC_CLASSIFY_HINTS_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/classify.h>
#include <recourse/str.h>

/* Sources of a wait, from weak to strong. */
typedef enum rc_hint_rank {
    RC_HINT_RANK_NONE = 0,
    RC_HINT_RANK_RESET = 1,           /* Reset of a limit; unknown whether it is exhausted. */
    RC_HINT_RANK_RESET_EXHAUSTED = 2, /* Reset of an exhausted limit. */
    RC_HINT_RANK_WORDING = 3,         /* Text of a message: "try again in 20s". */
    RC_HINT_RANK_FIELD = 4,           /* A member of the JSON body. */
    RC_HINT_RANK_HEADER = 5           /* retry-after and similar headers. */
} rc_hint_rank;

typedef struct rc_hint {
    rc_hint_rank rank;
    int64_t wait_ms; /* -1: none; otherwise 0 to RC_DURATION_MAX_MS. */
    rc_str where;    /* Name of the header or field; "message" for wording. */
    rc_str value;    /* The value as written. */
} rc_hint;

#define RC_HINT_LIMITS_MAX 16u

/* Private: one limit of a provider, identified by its group and the variable part of the header's
 * name. */
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

/* Starts an empty set of hints. now_unix_ms 0: unknown, so that points in time are ignored. trace:
 * borrows until h is no longer used; may be NULL. The trace gets RC_TRACE_HINT for each accepted
 * wait and RC_TRACE_IGNORED for each rejected one. */
void rc_hints_init(rc_hints *h, int64_t now_unix_ms, const rc_trace *trace);

/* Adds a response header, or a header that a body repeats. Headers may come in any order; a header
 * that is not a hint is skipped. name, value: views until h is no longer used. */
void rc_hints_add_header(rc_hints *h, rc_str name, rc_str value);

/* True if a JSON member of this name is a hint. Fast enough to be called for every member. */
bool rc_hints_is_field(rc_str key);

/* Adds a JSON member: a string's text, or a number as written. A key that is not a hint is skipped.
 * For a protobuf duration in JSON, {"seconds": 54}, pass the seconds under the outer key. key,
 * value: view until h is no longer used. */
void rc_hints_add_field(rc_hints *h, rc_str key, rc_str value, bool is_number);

/* Adds a wait from a message's text. At text.ptr[at] begins a duration, a point in time, or words
 * such as "in about" before one of these. The caller must know that the text before `at` announces
 * a wait. text: views until h is no longer used. */
void rc_hints_add_text(rc_hints *h, rc_str text, size_t at);

/* Gives the hint that applies; rank RC_HINT_RANK_NONE and wait -1 if there is none. h: borrows. */
rc_hint rc_hints_best(const rc_hints *h);

/* Gives the wait of rc_hints_best in milliseconds. -1: none; 0: at once. */
int64_t rc_hints_wait_ms(const rc_hints *h);

#endif
