/* rc_pacer: the rate at which calls may start, found by additive increase and multiplicative
 * decrease.
 *
 *            a share of the calls is refused                no call is refused: the rate grows,
 *   FREE ─────────────────────────────────► PACED ◄───────┐ but slowly near the last refused rate
 *    ▲                                       │ └──────────┘
 *    └───────────────────────────────────────┘ refused: a little less than the accepted rate
 *      the share of refused calls does not depend on the rate, or no call waits any more
 *
 * The pacer counts calls per epoch, a period that is twice as long as the mean time until a
 * refusal. If a lower rate does not reduce the share of refused calls, the refusals are random
 * failures, and the pacer sets no limit for some time. Times are monotonic milliseconds; if a
 * caller passes an earlier time than a previous caller, the later of the two times is used. */
#ifndef RECOURSE_PACER_H
#define RECOURSE_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_pacer {
    uint64_t rate_milli;      /* limit in calls per 1000 s; 0: no limit */
    uint64_t good_milli;      /* rate below which the limit grows fast */
    uint64_t most_milli;      /* maximum of rate_milli; 0: no maximum */
    uint64_t credit_micro;    /* number of calls that may start now, in millionths */
    uint64_t at_ms;           /* time at which credit_micro was computed */
    uint64_t epoch_at_ms;     /* start of the current epoch */
    uint64_t before_at_ms;    /* start of the previous epoch */
    uint64_t exempt_until_ms; /* before this time the pacer sets no limit, because a limit did not
                                 reduce the share of refused calls */
    uint32_t refused_ms;      /* mean time until a refusal in ms */
    uint32_t started[2];      /* numbers of calls that began in the current and in the previous
                                 epoch */
    uint32_t refused[2];      /* numbers of refused calls among `started` */
    uint32_t share_milli; /* largest share of refused calls since the current limit was first set,
                                 in thousandths */
    uint16_t growth_pct;  /* next growth of rate_milli, in percent */
    uint8_t skip;         /* number of epochs to ignore, because they began before the rate
                                 changed */
    uint8_t exemptions;
    uint8_t useless; /* number of reductions of the limit after each other that did not reduce the
                        share of refused calls */
} rc_pacer;

/* Initialises a pacer without a limit. */
RC_API void rc_pacer_init(rc_pacer *pacer);

/* Returns the earliest time at which a call may start; now_ms if a call may start now. */
RC_API uint64_t rc_pacer_ready_ms(const rc_pacer *pacer, uint64_t now_ms);

/* Records the start of a call, also of a call that did not wait for rc_pacer_ready_ms. */
RC_API void rc_pacer_start(rc_pacer *pacer, uint64_t now_ms);

/* Records that a call that began at began_ms was refused because the target lacks capacity. */
RC_API void rc_pacer_on_refused(rc_pacer *pacer, uint64_t began_ms, uint64_t now_ms);

/* Sets the limit from which a recovering target starts. rate_milli: the first limit. good_milli:
 * the rate below which the limit grows fast. most_milli: the maximum of the limit. */
RC_API void rc_pacer_set(rc_pacer *pacer, uint64_t rate_milli, uint64_t good_milli,
                         uint64_t most_milli, uint64_t now_ms);

/* Returns whether the calls of the current and the previous epoch are few and none of them was
 * refused. */
RC_API bool rc_pacer_is_calm(const rc_pacer *pacer);

/* Removes the limit. */
RC_API void rc_pacer_release(rc_pacer *pacer);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_pacer_validate(const rc_pacer *pacer);

RC_END_DECLS

#endif
