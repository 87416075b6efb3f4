/* rc_hints: every wait that one failure names, and which of them counts.
 *
 *   headers ──┐
 *   fields  ──┼──► read (form, now) ──► best of each rank ──► the wait
 *   wording ──┘         │
 *                       └──► not believed: a note says why
 *
 * spec/hints.def lists the headers and fields. The highest rank that has a wait decides, and within
 * it the longest wait; docs/internals/hints.md says why. Nothing is allocated, no clock is read. */
#ifndef RC_CLASSIFY_HINTS_HINTS_H
#define RC_CLASSIFY_HINTS_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/classify.h>
#include <recourse/str.h>

/* From weak to strong. */
typedef enum rc_hint_rank {
    RC_HINT_RANK_NONE = 0,
    RC_HINT_RANK_RESET = 1, /* a limit's window; whether the limit is used up is not said */
    RC_HINT_RANK_RESET_EXHAUSTED = 2, /* a limit's window, and the limit is used up */
    RC_HINT_RANK_WORDING = 3,         /* "try again in 20s" */
    RC_HINT_RANK_FIELD = 4,           /* a member of the body */
    RC_HINT_RANK_HEADER = 5           /* retry-after and its kin */
} rc_hint_rank;

typedef struct rc_hint {
    rc_hint_rank rank;
    int64_t wait_ms; /* -1: none; else 0 to RC_DURATION_MAX_MS */
    rc_str where;    /* the header's or field's name; "message" */
    rc_str value;    /* as written */
} rc_hint;

#define RC_HINT_LIMITS_MAX 16u

/* Private: one limit of a provider, known by its group and the part of the name that varies. */
typedef struct rc_hint_limit {
    uint8_t group;
    uint8_t left; /* unknown, some, none */
    rc_str name;
    rc_hint reset;
} rc_hint_limit;

/* The caller's storage; the members are private. */
typedef struct rc_hints {
    int64_t now_unix_ms;
    const rc_trace *trace;
    rc_hint wording;
    rc_hint field;
    rc_hint header;
    size_t limit_count;
    rc_hint_limit limits[RC_HINT_LIMITS_MAX];
} rc_hints;

/* now_unix_ms of 0: not known, so that points in time are ignored. trace: borrows until h is no
 * longer used; may be NULL. Each wait that is taken is told as RC_TRACE_HINT, each that is not
 * believed as RC_TRACE_IGNORED. */
void rc_hints_init(rc_hints *h, int64_t now_unix_ms, const rc_trace *trace);

/* A response header, or one that a body repeats; every header may be offered, in any order.
 * name, value: views until h is no longer used. */
void rc_hints_add_header(rc_hints *h, rc_str name, rc_str value);

/* Is a JSON member of this name a hint? Cheap: meant to be asked of every member. */
bool rc_hints_is_field(rc_str key);

/* A JSON member: a string's text, or a number as written. A key that is no hint is passed over. Of
 * a protobuf duration in JSON, {"seconds": 54}, offer the seconds under the outer key.
 * key, value: view until h is no longer used. */
void rc_hints_add_field(rc_hints *h, rc_str key, rc_str value, bool is_number);

/* Wording: a duration or a point in time begins at text.ptr[at], or behind words such as "in about"
 * that stand there. Whether the words in front mean a wait is for the caller to know.
 * text: views until h is no longer used. */
void rc_hints_add_text(rc_hints *h, rc_str text, size_t at);

/* The hint that counts; rank RC_HINT_RANK_NONE and wait -1 when there is none. h: borrows. */
rc_hint rc_hints_best(const rc_hints *h);

/* Its wait in milliseconds. -1: none; 0: at once. */
int64_t rc_hints_wait_ms(const rc_hints *h);

#endif
