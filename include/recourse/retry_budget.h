/* rc_retry_budget: the process-wide retry budget, a token bucket.
 *
 *   every request puts `ratio` of a token in          every retry takes one out
 *                         └──────► [ tokens ] ──────────┘
 *   time sees to it that at least `floor_per_s` comes in, whatever the requests bring
 *
 * What comes in during a second is the larger of the two, not their sum: once the bucket is
 * drained, retries are at most ratio of the requests, or the floor where that is more. An outage
 * cannot multiply the load. The bucket holds `burst` tokens and starts full; the refill time is
 * burst / floor_per_s.
 *
 * In any stretch of time the retries are at most burst plus, for each second of it, the larger of
 * ratio times its requests and the floor. */
#ifndef RECOURSE_RETRY_BUDGET_H
#define RECOURSE_RETRY_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_retry_budget_settings {
    uint32_t ratio_milli; /* 200: a fifth of the requests */
    uint32_t floor_per_s; /* 10 */
    uint32_t burst;       /* 100 tokens; 0: there is no budget, every retry is granted */
} rc_retry_budget_settings;

typedef struct rc_retry_budget {
    rc_retry_budget_settings settings;
    uint64_t tokens_micro;        /* millionths of a token */
    uint64_t period_at_ms;        /* when the current second of the floor began */
    uint64_t from_requests_micro; /* brought by requests in this second, millionths */
    uint64_t added_micro;         /* put in during this second by either, millionths */
} rc_retry_budget;

/* settings: copies. */
RC_API void rc_retry_budget_init(rc_retry_budget *budget, const rc_retry_budget_settings *settings,
                                 uint64_t now_ms);

/* Other settings from now on: what is in the bucket stays, up to the new burst. settings: copies.
 */
RC_API void rc_retry_budget_set_settings(rc_retry_budget *budget,
                                         const rc_retry_budget_settings *settings, uint64_t now_ms);

/* A request has come in. */
RC_API void rc_retry_budget_on_request(rc_retry_budget *budget, uint64_t now_ms);

/* Is there a token for one retry? take: and takes it. */
RC_API bool rc_retry_budget_has_token(rc_retry_budget *budget, uint64_t now_ms);
RC_API bool rc_retry_budget_take(rc_retry_budget *budget, uint64_t now_ms);

/* Whole tokens now, and how long an empty bucket takes to fill by the floor alone. Without a budget
 * UINT32_MAX and 0; without a floor UINT64_MAX: it may never fill. */
RC_API uint32_t rc_retry_budget_tokens(rc_retry_budget *budget, uint64_t now_ms);
RC_API uint64_t rc_retry_budget_refill_ms(const rc_retry_budget *budget);

/* Is everything within its bounds? For tests and fuzzing. */
RC_API bool rc_retry_budget_validate(const rc_retry_budget *budget);

RC_END_DECLS

#endif
