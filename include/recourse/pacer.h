/* rc_pacer: the rate at which calls may start, found by additive increase and multiplicative
 * decrease.
 *
 *            a share of the calls is refused                no call is refused: faster and faster,
 *   FREE ─────────────────────────────────► PACED ◄───────┐ but slowly near the last refused rate
 *    ▲                                       │ └──────────┘
 *    └───────────────────────────────────────┘ refused: the accepted rate, a little less
 *      the refusals do not depend on the rate, or nobody needs the limit any more
 *
 * The counts belong to epochs, periods that are a few times as long as a refusal takes. If fewer
 * starts do not change the share of refused calls, the refusals are random failures, and the pacer
 * does not pace for a while. Times are monotonic milliseconds; an earlier time than the latest
 * counts as the latest. */
#ifndef RECOURSE_PACER_H
#define RECOURSE_PACER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_pacer {
    uint64_t rate_milli;      /* calls per 1000 s; 0: no limit */
    uint64_t good_milli;      /* rate up to which the rate grows fast */
    uint64_t most_milli;      /* the rate does not grow beyond; 0: no limit */
    uint64_t credit_micro;    /* millionths of a call that may start now */
    uint64_t at_ms;           /* time of credit_micro */
    uint64_t epoch_at_ms;     /* start of the current epoch */
    uint64_t before_at_ms;    /* start of the epoch before */
    uint64_t exempt_until_ms; /* no pacing before, because pacing did not help */
    uint64_t tried_milli;     /* rate of the calls when the pacing began */
    uint32_t refused_ms;      /* mean time until a refusal */
    uint32_t started[2];      /* calls that began in the current epoch and in the one before */
    uint32_t refused[2];      /* refused calls among them */
    uint32_t share_milli;     /* share of refused calls when the pacing began, in thousandths */
    uint16_t growth_pct;      /* next growth of the rate */
    uint8_t skip;             /* epochs that began before the rate changed */
    uint8_t exemptions;
} rc_pacer;

/* Starts without a limit. */
RC_API void rc_pacer_init(rc_pacer *pacer);

/* Returns the time from which a call may start; now_ms if it may start now. */
RC_API uint64_t rc_pacer_ready_ms(const rc_pacer *pacer, uint64_t now_ms);

/* Records the start of a call, whether it was ready or not. */
RC_API void rc_pacer_start(rc_pacer *pacer, uint64_t now_ms);

/* Records that a call that began at began_ms was refused for want of capacity. */
RC_API void rc_pacer_on_refused(rc_pacer *pacer, uint64_t began_ms, uint64_t now_ms);

/* Sets a rate from outside: the rate at the beginning of a recovery, the rate up to which it grows
 * fast, and the most. */
RC_API void rc_pacer_set(rc_pacer *pacer, uint64_t rate_milli, uint64_t good_milli,
                         uint64_t most_milli, uint64_t now_ms);

/* Removes the limit. */
RC_API void rc_pacer_release(rc_pacer *pacer);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_pacer_validate(const rc_pacer *pacer);

RC_END_DECLS

#endif
