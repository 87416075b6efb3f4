/* rc_hints: every wait that one failure names, and the wait that applies.
 *
 *   headers ──┐
 *   fields  ──┼──► read (form, now) ──► best of each rank ──► the wait
 *   wording ──┘         │
 *                       └──► rejected: the trace gets the reason
 *
 * spec/hints.def lists the headers and fields. The wait with the highest rank applies; if several
 * waits have this rank, the longest of them. docs/internals/hints.md explains the ranks. The
 * functions allocate nothing and read no clock. */
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
    RC_HINT_RANK_RESET = 1,           /* Time at which a limit renews, if it is not known whether
                                         the limit is exhausted. */
    RC_HINT_RANK_RESET_EXHAUSTED = 2, /* Time at which an exhausted limit renews. */
    RC_HINT_RANK_WORDING = 3,         /* Wait in the text of a message: "try again in 20s". */
    RC_HINT_RANK_FIELD = 4,           /* Wait in a member of the JSON body. */
    RC_HINT_RANK_HEADER = 5           /* Wait in retry-after or a similar header. */
} rc_hint_rank;

typedef struct rc_hint {
    rc_hint_rank rank;
    int64_t wait_ms; /* Milliseconds, 0 to RC_DURATION_MAX_MS; -1: no wait. */
    rc_str where;    /* Name of the header or JSON member; "message" for a wait in a text. */
    rc_str value;    /* The value as the provider wrote it. */
} rc_hint;

#define RC_HINT_LIMITS_MAX 16u

/* Private to hints.c: one limit of a provider, identified by the group of its headers and by the
 * variable part of their names. */
typedef struct rc_hint_limit {
    uint8_t group;
    uint8_t left; /* Whether anything is left of the limit: unknown, yes or no. */
    rc_str name;
    rc_hint reset;
} rc_hint_limit;

/* The hints of one failure. The caller owns the storage; the members are private. */
typedef struct rc_hints {
    int64_t now_unix_ms;
    const rc_trace *trace;
    rc_hint wording;
    rc_hint field;
    rc_hint header;
    size_t limit_count;
    rc_hint_limit limits[RC_HINT_LIMITS_MAX];
} rc_hints;

/* Initialises an empty set of hints. If `now_unix_ms` is 0 (not known), hints that name a point in
 * time are ignored. trace: borrows until `h` is no longer used; may be NULL. The trace gets
 * RC_TRACE_HINT for each accepted wait and RC_TRACE_IGNORED for each rejected wait. */
void rc_hints_init(rc_hints *h, int64_t now_unix_ms, const rc_trace *trace);

/* Adds a response header, or a header that is repeated in a body. Headers may come in any order; a
 * header that is not a hint is ignored. name, value: views until `h` is no longer used. */
void rc_hints_add_header(rc_hints *h, rc_str name, rc_str value);

/* Returns whether a JSON member with this name is a hint. The function is fast enough to be called
 * for every member. */
bool rc_hints_is_field(rc_str key);

/* Adds a JSON member: a string's text, or a number as written. A key that is not a hint is ignored.
 * For a protobuf duration such as "retryDelay": {"seconds": 54}, the caller passes the outer key
 * with the seconds. key, value: views until `h` is no longer used. */
void rc_hints_add_field(rc_hints *h, rc_str key, rc_str value, bool is_number);

/* Adds a wait from a message's text. `at` is the offset of a duration, of a point in time, or of
 * words such as "in about" before the duration or point in time. Called only if the text before
 * `at` announces a wait. text: views until `h` is no longer used. */
void rc_hints_add_text(rc_hints *h, rc_str text, size_t at);

/* Adds a wait that another reader found in a message's text. wait_ms: at least 0. value: the words
 * of the wait, a view until `h` is no longer used. */
void rc_hints_add_wait(rc_hints *h, int64_t wait_ms, rc_str value);

/* Returns the hint that applies. If there is no hint, the rank of the result is RC_HINT_RANK_NONE
 * and its wait -1. h: borrows during the call. */
rc_hint rc_hints_best(const rc_hints *h);

/* Returns the wait of rc_hints_best in milliseconds; 0 if the provider allows a retry at once, -1
 * if there is no hint. */
int64_t rc_hints_wait_ms(const rc_hints *h);

#endif
