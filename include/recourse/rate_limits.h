/* rc_rate_limits: estimates how much of a provider's rate limits one credential has left at one
 * target.
 *
 *   headers of a response: limit, remaining, reset ──► bucket: level, rate ──► time of next call
 *   calls that began since then ───────────────────────► lower level
 *   refusals that no header explains ──► pacer
 *
 * A bucket fills continuously at the rate (limit - remaining) / reset. If the time of the reset
 * stays the same while the remaining amount falls, the limit applies to a window, and no part of
 * the amount returns before the reset. A call may start if the level of every bucket is at least
 * the call's cost. Without headers that state a limit there are no buckets, and the pacer finds the
 * accepted rate (pacer.h). Times are monotonic milliseconds; if a caller passes an earlier time
 * than a previous caller, the later of the two times is used. */
#ifndef RECOURSE_RATE_LIMITS_H
#define RECOURSE_RATE_LIMITS_H

#include <recourse/pacer.h>

RC_BEGIN_DECLS

/* The amounts that a provider may limit. */
typedef enum rc_limit_axis {
    RC_LIMIT_REQUESTS = 0,
    RC_LIMIT_TOKENS = 1, /* input and output tokens together */
    RC_LIMIT_INPUT_TOKENS = 2,
    RC_LIMIT_OUTPUT_TOKENS = 3,
    RC_LIMIT_AXES = 4
} rc_limit_axis;

/* One limit as the headers of a response state it; -1: not stated. */
typedef struct rc_limit_fact {
    rc_limit_axis axis;
    int64_t limit;
    int64_t remaining;
    int64_t reset_ms; /* milliseconds until the limit is full again */
} rc_limit_fact;

#define RC_LIMIT_FACTS_MAX 12u

/* The limits that one response states. */
typedef struct rc_limit_facts {
    uint32_t count;
    rc_limit_fact list[RC_LIMIT_FACTS_MAX];
} rc_limit_facts;

/* Estimated amounts of one call, by axis. */
typedef struct rc_limit_cost {
    uint32_t amounts[RC_LIMIT_AXES];
} rc_limit_cost;

/* Returns the cost of a call. tokens_in, tokens_out: estimates; 0: not known. */
RC_API rc_limit_cost rc_limit_cost_of(uint32_t tokens_in, uint32_t tokens_out);

/* The current estimate of one limit. */
typedef struct rc_limit_bucket {
    int64_t level_milli;  /* remaining amount in thousandths; negative: the calls since the latest
                        response used more than this response stated */
    int64_t limit;        /* the full amount; 0: the limit is not known */
    uint64_t rate_milli;  /* amount that returns per 1000 s */
    uint64_t at_ms;       /* time of level_milli */
    uint64_t began_at_ms; /* start of the call whose response stated the limit last */
    uint64_t reset_at_ms; /* time at which the limit is full again, from the latest response */
    uint32_t sent;        /* sum of the costs of all calls that started; wraps */
    bool is_window;       /* the limit is full again only at reset_at_ms; no amount returns before
                           * this time */
} rc_limit_bucket;

typedef struct rc_rate_limits {
    rc_limit_bucket buckets[RC_LIMIT_AXES];
    rc_pacer pacer;
} rc_rate_limits;

/* The values of rc_limit_bucket.sent at the start of a call. */
typedef struct rc_limit_mark {
    uint32_t sent[RC_LIMIT_AXES];
} rc_limit_mark;

/* Initialises the limits. At first no limit is known. */
RC_API void rc_rate_limits_init(rc_rate_limits *limits);

/* Returns the earliest time at which a call of this cost may start; now_ms if it may start now;
 * UINT64_MAX if the time is not known. A call that costs more than a whole limit may start when the
 * limit is full. */
RC_API uint64_t rc_rate_limits_ready_ms(const rc_rate_limits *limits, const rc_limit_cost *cost,
                                        uint64_t now_ms);

/* Records the start of a call. Returns the mark that rc_rate_limits_note needs. */
RC_API rc_limit_mark rc_rate_limits_start(rc_rate_limits *limits, const rc_limit_cost *cost,
                                          uint64_t now_ms);

/* Records the limits that the response to a call states. mark, began_ms: the mark and the time of
 * the call's start. Facts with a negative or contradictory value are ignored. facts: borrows during
 * the call. */
RC_API void rc_rate_limits_note(rc_rate_limits *limits, const rc_limit_facts *facts,
                                const rc_limit_mark *mark, uint64_t began_ms, uint64_t now_ms);

/* Records that a call was refused because of a rate limit. */
RC_API void rc_rate_limits_on_refused(rc_rate_limits *limits, uint64_t began_ms, uint64_t now_ms);

/* Returns the smallest remaining share of all known limits, in thousandths; 1000 if no limit is
 * known. */
RC_API uint32_t rc_rate_limits_left_milli(const rc_rate_limits *limits, uint64_t now_ms);

/* The estimate of one limit at a moment. */
typedef struct rc_limit_view {
    int64_t limit;
    int64_t remaining;   /* negative: calls have used more than the latest response stated */
    uint64_t full_at_ms; /* time at which the limit is full again; 0: it is full, or the time is not
                            known */
    bool is_window;      /* no amount returns before full_at_ms */
} rc_limit_view;

/* Writes the current estimate of one limit. Returns false if the limit is not known. */
RC_API bool rc_rate_limits_view(const rc_rate_limits *limits, rc_limit_axis axis, uint64_t now_ms,
                                rc_limit_view *ret_view);

/* Returns the number of calls of this cost for which the known limits have room now; UINT32_MAX if
 * no limit of an amount in `cost` is known. */
RC_API uint32_t rc_rate_limits_room(const rc_rate_limits *limits, const rc_limit_cost *cost,
                                    uint64_t now_ms);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_rate_limits_validate(const rc_rate_limits *limits);

RC_END_DECLS

#endif
