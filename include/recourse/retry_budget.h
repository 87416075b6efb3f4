/* rc_retry_budget: the process-wide retry budget, a token bucket.
 *
 *   every request adds `ratio` of a token             every retry removes one
 *                         └──────► [ tokens ] ──────────┘
 *   at least `floor_per_s` tokens are added per second, whatever the number of requests
 *
 * In each second the bucket gains the larger of the two amounts, not their sum. Once the bucket is
 * empty, the number of retries is therefore at most `ratio` times the number of requests, or the
 * floor if the floor is larger. Retries during an outage therefore cannot multiply the load. The
 * bucket holds `burst` tokens and starts full; the refill time is `burst` / `floor_per_s`.
 *
 * In any interval the number of retries is at most `burst` plus one amount for each second of the
 * interval. The amount is the larger of `floor_per_s` and `ratio` times the requests of this
 * second. */
#ifndef RECOURSE_RETRY_BUDGET_H
#define RECOURSE_RETRY_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_retry_budget_settings {
    uint32_t ratio_milli; /* default 200: thousandths of a token per request */
    uint32_t floor_per_s; /* default 10: minimum number of tokens added per second */
    uint32_t burst;       /* default 100: capacity of the bucket in tokens; 0: no budget, all
                             retries are allowed */
} rc_retry_budget_settings;

typedef struct rc_retry_budget {
    rc_retry_budget_settings settings;
    uint64_t tokens_micro;        /* tokens in the bucket, in millionths of a token */
    uint64_t period_at_ms;        /* start time of the current second */
    uint64_t from_requests_micro; /* amount earned by requests in the current second, in millionths
                                     of a token */
    uint64_t added_micro;         /* amount added in the current second, in millionths of a token */
} rc_retry_budget;

/* Initialises a full bucket. settings: copies the struct. */
RC_API void rc_retry_budget_init(rc_retry_budget *budget, const rc_retry_budget_settings *settings,
                                 uint64_t now_ms);

/* Replaces the settings. Tokens above the new `burst` are removed. settings: copies the struct. */
RC_API void rc_retry_budget_set_settings(rc_retry_budget *budget,
                                         const rc_retry_budget_settings *settings, uint64_t now_ms);

/* Records that one client request has begun. */
RC_API void rc_retry_budget_on_request(rc_retry_budget *budget, uint64_t now_ms);

/* Both functions return whether the bucket has a token for one retry. rc_retry_budget_take also
 * removes the token. */
RC_API bool rc_retry_budget_has_token(rc_retry_budget *budget, uint64_t now_ms);
RC_API bool rc_retry_budget_take(rc_retry_budget *budget, uint64_t now_ms);

/* Records the end of a retry for which rc_retry_budget_has_token was true and no token was taken: a
 * retry that failed removes a token, a retry that succeeded adds tokens. The budget therefore stays
 * open while a fifth of the retries succeed. */
RC_API void rc_retry_budget_on_retry(rc_retry_budget *budget, bool is_success, uint64_t now_ms);

/* rc_retry_budget_tokens returns the number of whole tokens; without a budget (burst 0) it is
 * UINT32_MAX. rc_retry_budget_refill_ms returns the time in which the floor alone fills an empty
 * bucket; it is 0 without a budget and UINT64_MAX without a floor. */
RC_API uint32_t rc_retry_budget_tokens(rc_retry_budget *budget, uint64_t now_ms);
RC_API uint64_t rc_retry_budget_refill_ms(const rc_retry_budget *budget);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_retry_budget_validate(const rc_retry_budget *budget);

RC_END_DECLS

#endif
