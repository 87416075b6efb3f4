/* rc_admission: decides from the results of all calls whether, and at which rate, calls may be sent
 * to one target.
 *
 *            hardly any call succeeds
 *   UP ──────────────────────────────────► DOWN: one probe after another
 *    ▲                                       │ ▲
 *    │ no call waits any more   probe succeeds │ │ every call fails again
 *    └──────────────────── RECOVERING ◄────────┘ │
 *                               └────────────────┘
 *                 a rate that grows while calls succeed
 *
 * In every state, a target that refuses calls because it lacks capacity gets calls at the rate that
 * it accepts (pacer.h). A target that refuses concurrent calls gets at most the number of
 * concurrent calls that it accepts.
 *
 * The admission decides that a target is down from a series of failures: only calls count that
 * began after the first failed call of the series. A survivor is a call of the series that has not
 * failed, although a call that began later has failed. Therefore a success of a call that began
 * before the outage does not hide the outage, and a slow call that will succeed counts as a
 * survivor. Times are monotonic milliseconds; if a caller passes an earlier time than a previous
 * caller, the later of the two times is used. */
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

/* The kinds of failure of a call. */
typedef enum rc_admission_failure {
    RC_ADMISSION_FAILED = 1,    /* the target failed */
    RC_ADMISSION_OVERLOAD = 2,  /* the target lacks capacity */
    RC_ADMISSION_CONCURRENT = 3 /* the target refused one more concurrent call */
} rc_admission_failure;

/* The reason for which a call may not start now. */
typedef enum rc_admission_hold {
    RC_ADMISSION_OPEN = 0,
    RC_ADMISSION_HOLD_DOWN = 1,
    RC_ADMISSION_HOLD_PACED = 2,
    RC_ADMISSION_HOLD_BUSY = 3 /* the number of concurrent calls is at its limit, so a call may
                                  start when another one ends */
} rc_admission_hold;

/* The state of one target, in the caller's storage. The fields may be read, for example to display
 * them. */
typedef struct rc_admission {
    rc_pacer pacer;
    uint64_t now_ms;        /* latest time that a caller passed */
    uint64_t down_at_ms;    /* start of the latest DOWN period */
    uint64_t probe_at_ms;   /* DOWN: time of the next probe */
    uint64_t probed_at_ms;  /* DOWN: start of the latest probe; 0: no probe is in flight */
    uint64_t up_at_ms;      /* end of the latest DOWN period; failures of calls that began before
                             * this time are ignored */
    uint64_t slot_at_ms;    /* start of the current second */
    uint64_t streak_at_ms;  /* start of the first call of the current series of failures */
    uint32_t streak_first;  /* index of the first call of the series */
    uint32_t streak_last;   /* largest index of a failed call of the series */
    uint32_t streak_failed; /* number of failures of the series; 0: no series */
    uint32_t started;       /* index of the latest call that started; wraps */
    uint32_t slot_arrived;  /* numbers of requests, started calls and failed calls in the current
                               second */
    uint32_t slot_started;
    uint32_t slot_failed;
    uint32_t demand_milli;    /* mean number of requests that arrive per 1000 s */
    uint32_t good_milli;      /* mean number of calls per 1000 s that did not fail, measured while
                                 the target is UP and no series of failures runs */
    uint32_t yield_milli;     /* share of successes among about the latest 16 calls, in
                                 thousandths */
    uint32_t results;         /* number of results that yield_milli includes, at most 1000 */
    uint32_t failed_ms;       /* median duration of a failed call in ms */
    uint32_t service_ms;      /* median duration of a successful call in ms */
    uint32_t service_slow_ms; /* duration in ms within which 49 of 50 successful calls end */
    uint32_t in_flight;
    uint32_t most_in_flight; /* learned limit of concurrent calls; 0: no limit is known */
    uint32_t until_more;     /* number of successes at the limit after which the limit grows by 1 */
    uint32_t more_after;     /* value to which until_more is set when the limit changes */
    uint32_t
        unanswered_ms; /* time from unanswered_at_ms until the tenth such call started; 0: fewer
                                than ten calls */
    uint64_t unanswered_at_ms; /* start of the first call since which no call has ended or begun a
                                  response */
    uint16_t unanswered;       /* number of calls since then, at most 10 */
    uint16_t downs_in_a_row;   /* number of DOWN periods since the target was last UP */
    uint8_t state;             /* an rc_admission_state */
} rc_admission;

/* Initialises the admission of a target that is UP. */
RC_API void rc_admission_init(rc_admission *admission, uint64_t now_ms);

/* Records that a request arrived whose chain begins with this target. */
RC_API void rc_admission_on_arrival(rc_admission *admission, uint64_t now_ms);

/* Returns OPEN, or the reason why no call may start now. *ret_until_ms is written if the result is
 * not OPEN: the earliest time at which a call may start; 0 if that time depends on other calls.
 * is_alone: the call can use no other target. A call that can use another target probes a DOWN
 * target later. */
RC_API rc_admission_hold rc_admission_check(const rc_admission *admission, bool is_alone,
                                            uint64_t now_ms, uint64_t *ret_until_ms);

/* Records the start of a call and returns the call's index. The end of each call must be recorded
 * with rc_admission_on_success, _on_failure or _on_neutral. */
RC_API uint32_t rc_admission_start(rc_admission *admission, uint64_t now_ms);

/* Records that the response of a call has begun without an error, which proves that a DOWN target
 * works again. Optional, because rc_admission_on_success does the same. */
RC_API void rc_admission_on_response(rc_admission *admission, uint64_t began_ms, uint64_t now_ms);

/* These functions record the end of the call with this index that began at began_ms.
 * rc_admission_on_neutral is for an end that shows nothing about the target, such as a cancel. */
RC_API void rc_admission_on_success(rc_admission *admission, uint64_t began_ms, uint64_t now_ms);
RC_API void rc_admission_on_failure(rc_admission *admission, rc_admission_failure failure,
                                    uint32_t index, uint64_t began_ms, uint64_t now_ms);
RC_API void rc_admission_on_neutral(rc_admission *admission, uint64_t now_ms);

/* Puts the target into the state DOWN until a probe at until_ms, because the provider named that
 * time. */
RC_API void rc_admission_hold_until(rc_admission *admission, uint64_t until_ms, uint64_t now_ms);

/* Records that no call waits for the target any more. A RECOVERING target becomes UP. */
RC_API void rc_admission_relax(rc_admission *admission);

/* Returns whether so many of the latest calls succeeded that further attempts are worthwhile. */
RC_API bool rc_admission_is_yielding(const rc_admission *admission);

/* Returns "up", "down" or "recovering". The result is a static string. */
RC_API const char *rc_admission_state_name(rc_admission_state state);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_admission_validate(const rc_admission *admission);

RC_END_DECLS

#endif
