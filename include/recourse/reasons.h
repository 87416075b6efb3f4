/* Generated from spec/reasons.def by `make generate`. Do not edit. */
#ifndef RECOURSE_REASONS_H
#define RECOURSE_REASONS_H

/* clang-format off */

/* The numbers are part of the ABI. */
typedef enum rc_reason {
    RC_WHY_NONE = 0, /* absent */
    RC_WHY_FIRST_ATTEMPT = 1, /* the first try of the call */
    RC_WHY_SUCCEEDED = 2, /* the call worked */
    RC_WHY_WOKE = 3, /* the wait is over */
    RC_WHY_CANCELLED = 10, /* the call was cancelled */
    /* the context is too long for this target; one with a larger window is named */
    RC_WHY_OVERFLOW_TO_LARGER = 20,
    /* the context is too long; it must be compacted before another try */
    RC_WHY_OVERFLOW_COMPACT = 21,
    RC_WHY_NOT_RETRYABLE = 30, /* the failure would repeat itself */
    RC_WHY_COMMITTED = 31, /* content was already passed on */
    /* a retry there is of no use: it says so itself, has used up its own, or what is wrong lasts */
    RC_WHY_ALREADY_EXHAUSTED = 32,
    RC_WHY_EXCLUDED = 33, /* the policy does not retry this code */
    RC_WHY_DISABLED = 34, /* the policy does not retry */
    RC_WHY_REFRESH = 35, /* the credential was refused and can be refreshed once */
    RC_WHY_REFRESHED = 36, /* the credential is fresh */
    RC_WHY_REFRESH_FAILED = 37, /* the credential could not be refreshed */
    /* the request's body was too large to be kept and cannot be sent again */
    RC_WHY_SENT_ONCE = 38,
    RC_WHY_DEADLINE_PASSED = 40, /* the deadline has passed */
    RC_WHY_CALLS_SPENT = 41, /* the calls that one request may make are used up */
    RC_WHY_RETRY_BUDGET_SPENT = 42, /* the process's retry budget is used up */
    RC_WHY_NEXT_CREDENTIAL = 50, /* another credential of the same target is healthy */
    /* this target's tries are used up; the next one is healthy */
    RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET = 60,
    RC_WHY_COOLING_NEXT_TARGET = 61, /* this target is cooling down; the next one is healthy */
    RC_WHY_ATTEMPTS_SPENT = 62, /* the tries are used up and no other target is left */
    RC_WHY_CAPACITY_SPENT = 63, /* the capacity is used up and nothing else is left to ask */
    /* this target failed; the next one is healthy and was not asked yet */
    RC_WHY_FAILED_NEXT_TARGET = 64,
    RC_WHY_BACKOFF = 70, /* waits as the policy says */
    RC_WHY_HINT = 71, /* waits as long as the server asked */
    RC_WHY_DELAY_TOO_LONG = 72, /* the wait would be longer than the policy allows */
    RC_WHY_WAIT_PAST_DEADLINE = 73, /* the wait would end past the deadline */
    RC_WHY_TOO_LITTLE_LEFT = 74, /* too little of the budget would be left after the wait */
    RC_WHY_WAITS_SPENT = 75, /* the time that a request may wait is used up */
    RC_WHY_SKIP_CAPABILITY = 80, /* the target lacks something that the request needs */
    RC_WHY_SKIP_COOLING = 81, /* the target is cooling down */
    RC_WHY_SKIP_BREAKER = 82, /* the target's circuit breaker is open */
    RC_WHY_SKIP_BUSY = 83, /* the target has as many calls in flight as it may have */
    RC_WHY_SKIP_CREDENTIALS = 84, /* none of the target's credentials can be used now */
    RC_WHY_SKIP_OUT_OF_SERVICE = 85, /* the target was taken out of service */
    RC_WHY_ALL_UNAVAILABLE = 86, /* no target can be asked now */
    RC_WHY_NONE_CAPABLE = 87, /* no target has what the request needs */
    RC_WHY_CREDENTIALS_DEAD = 88, /* every credential was refused */
    RC_WHY_TARGET_UNAVAILABLE = 90, /* the target became unavailable during the wait; waits again */
    RC_WHY_HEDGED = 91, /* the answer is late; a second target is asked at the same time */
    RC_WHY_HEDGE_NOT_ALLOWED = 92, /* a second target may not be asked */
    RC_WHY_BUDGET_SPENT = 100, /* a budget of money is used up */
    RC_WHY_BUDGET_HELD = 101, /* what is left of a budget of money is held for calls in flight */
    RC_WHY_BUDGET_TOO_SMALL = 102, /* the call may cost more than a whole budget of money */
} rc_reason;

/* clang-format on */

#endif
