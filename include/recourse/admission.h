/* rc_admission: whether and how fast calls may go to one target, from the results of all calls.
 *
 *            hardly any call succeeds
 *   UP ──────────────────────────────────► DOWN: one probe after another
 *    ▲                                       │ ▲
 *    │ nobody waits any more    probe succeeds │ │ every call fails again
 *    └──────────────────── RECOVERING ◄────────┘ │
 *                               └────────────────┘
 *                 a rate that grows while calls succeed
 *
 * In every state a target that refuses calls for want of capacity gets calls at the rate that it
 * accepts (pacer.h), and a target that refuses concurrent calls gets as many at a time as it
 * accepts.
 *
 * The admission counts the failures of the calls that began since the first failure of a series. A
 * call that began in the series and has not failed, although calls that began later have, is a
 * survivor. Therefore calls of an earlier time that still succeed do not hide an outage, and slow
 * successes are not missed. Times are monotonic milliseconds; an earlier time than the latest counts
 * as the latest. */
#ifndef RECOURSE_ADMISSION_H
#define RECOURSE_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>
#include <recourse/pacer.h>

RC_BEGIN_DECLS

typedef enum rc_admission_state {
    RC_ADMISSION_UP = 0,
    RC_ADMISSION_DOWN = 1,
    RC_ADMISSION_RECOVERING = 2
} rc_admission_state;

/* How a call failed. */
typedef enum rc_admission_failure {
    RC_ADMISSION_FAILED = 1,    /* the target failed */
    RC_ADMISSION_OVERLOAD = 2,  /* the target lacks capacity */
    RC_ADMISSION_CONCURRENT = 3 /* the target refused one more concurrent call */
} rc_admission_failure;

/* Why a call may not start now. */
typedef enum rc_admission_hold {
    RC_ADMISSION_OPEN = 0,
    RC_ADMISSION_HOLD_DOWN = 1,
    RC_ADMISSION_HOLD_PACED = 2,
    RC_ADMISSION_HOLD_BUSY = 3 /* until a call ends */
} rc_admission_hold;

/* The state of one target, in the caller's storage; the fields may be read, for display. */
typedef struct rc_admission {
    rc_pacer pacer;
    uint64_t now_ms;        /* latest time */
    uint64_t down_at_ms;    /* start of the latest DOWN */
    uint64_t probe_at_ms;   /* DOWN: time of the next probe */
    uint64_t probed_at_ms;  /* DOWN: start of the latest probe; 0: none in flight */
    uint64_t up_at_ms;      /* end of the latest DOWN; failures of earlier calls do not count */
    uint64_t slot_at_ms;    /* start of the current second */
    uint64_t streak_at_ms;  /* start of the first call of the series of failures */
    uint32_t streak_first;  /* index of the first call of the series */
    uint32_t streak_last;   /* latest index that failed */
    uint32_t streak_failed; /* failures of the series; 0: no series */
    uint32_t started;       /* index of the latest call; wraps */
    uint32_t slot_arrived;  /* counts of the current second */
    uint32_t slot_started;
    uint32_t slot_failed;
    uint32_t demand_milli;    /* requests per 1000 s */
    uint32_t good_milli;      /* calls per 1000 s that did not fail, before the latest DOWN */
    uint32_t yield_milli;     /* share of successes among the latest calls, in thousandths */
    uint32_t results;         /* number of results in yield_milli, at most 1000 */
    uint32_t failed_ms;       /* usual time until a failure */
    uint32_t service_ms;      /* median time of a success */
    uint32_t service_slow_ms; /* the time in which 49 of 50 successes end */
    uint32_t in_flight;
    uint32_t most_in_flight; /* learned limit of concurrent calls; 0: none */
    uint32_t until_more;     /* successes at the limit until it grows by 1 */
    uint32_t more_after;     /* initial value of until_more */
    uint16_t downs_in_a_row; /* DOWNs since the target was last UP */
    uint8_t state;           /* an rc_admission_state */
} rc_admission;

/* Starts in state UP. */
RC_API void rc_admission_init(rc_admission *admission, uint64_t now_ms);

/* Records that a request arrived whose first target this is. */
RC_API void rc_admission_on_arrival(rc_admission *admission, uint64_t now_ms);

/* Returns OPEN, or why no call may start now. *ret_until_ms is written if the result is not OPEN:
 * the earliest time at which a call may start, 0 if it depends on other calls. is_alone: the call
 * has no other target; another call probes a target less often. */
RC_API rc_admission_hold rc_admission_check(const rc_admission *admission, bool is_alone,
                                            uint64_t now_ms, uint64_t *ret_until_ms);

/* Records the start of a call; returns its index. Each call must be ended with one of the functions
 * below. */
RC_API uint32_t rc_admission_start(rc_admission *admission, uint64_t now_ms);

/* Records that a response has begun well. Optional; rc_admission_on_success does it too. */
RC_API void rc_admission_on_response(rc_admission *admission, uint64_t began_ms, uint64_t now_ms);

/* These functions record the end of a call that began at began_ms and has this index. `neutral`: the
 * end says nothing about the target. */
RC_API void rc_admission_on_success(rc_admission *admission, uint64_t began_ms, uint64_t now_ms);
RC_API void rc_admission_on_failure(rc_admission *admission, rc_admission_failure failure,
                                    uint32_t index, uint64_t began_ms, uint64_t now_ms);
RC_API void rc_admission_on_neutral(rc_admission *admission, uint64_t now_ms);

/* Takes the target DOWN until a probe at until_ms, because the provider named that time. */
RC_API void rc_admission_hold_until(rc_admission *admission, uint64_t until_ms, uint64_t now_ms);

/* Records that no request waits any more. */
RC_API void rc_admission_relax(rc_admission *admission);

/* Returns whether enough of the latest calls succeeded to make further attempts worthwhile. */
RC_API bool rc_admission_is_yielding(const rc_admission *admission);

/* Returns "up", "down" or "recovering". The result is a static string. */
RC_API const char *rc_admission_state_name(rc_admission_state state);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_admission_validate(const rc_admission *admission);

RC_END_DECLS

#endif
