/* Generated from spec/reasons.def by `make generate`. Do not edit. */
#ifndef RECOURSE_REASONS_H
#define RECOURSE_REASONS_H

/* clang-format off */

/* The numbers are part of the ABI. */
typedef enum rc_reason {
    RC_WHY_NONE = 0, /* absent */
    RC_WHY_FIRST_ATTEMPT = 1, /* the first attempt of the call */
    RC_WHY_SUCCEEDED = 2, /* the call worked */
    RC_WHY_WOKE = 3, /* the wait is over */
    RC_WHY_CANCELLED = 10, /* the call was cancelled */
    /* the context is too long for this target; a target with a larger context window is next */
    RC_WHY_OVERFLOW_TO_LARGER = 20,
    /* the context is too long; it must be compacted before another attempt */
    RC_WHY_OVERFLOW_COMPACT = 21,
    RC_WHY_NOT_RETRYABLE = 30, /* the same request would fail again */
    RC_WHY_COMMITTED = 31, /* the client has already received content */
    /* the failure is permanent, or the provider or a gateway before it has ruled out a retry */
    RC_WHY_ALREADY_EXHAUSTED = 32,
    RC_WHY_EXCLUDED = 33, /* the policy does not retry this code */
    RC_WHY_DISABLED = 34, /* the policy does not retry */
    RC_WHY_REFRESH = 35, /* the credential was rejected and can be refreshed once */
    RC_WHY_REFRESHED = 36, /* the credential was refreshed */
    RC_WHY_REFRESH_FAILED = 37, /* the credential could not be refreshed */
    /* the request body was too large for the buffer and cannot be sent again */
    RC_WHY_SENT_ONCE = 38,
    /* the failure is fatal, but fallback_on of the route names it; the next target is healthy */
    RC_WHY_MASKED_NEXT_TARGET = 39,
    RC_WHY_DEADLINE_PASSED = 40, /* the deadline has passed */
    RC_WHY_CALLS_SPENT = 41, /* the request has made as many calls as the policy allows */
    RC_WHY_RETRY_BUDGET_SPENT = 42, /* the process's retry budget is used up */
    RC_WHY_NEXT_CREDENTIAL = 50, /* another credential of the same target is healthy */
    /* this target's attempts are used up; the next target is healthy */
    RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET = 60,
    RC_WHY_COOLING_NEXT_TARGET = 61, /* this target is cooling down; the next target is healthy */
    RC_WHY_ATTEMPTS_SPENT = 62, /* the attempts are used up and there is no other target */
    RC_WHY_CAPACITY_SPENT = 63, /* the quota is used up and there is no other target */
    /* this target failed; the next target is healthy and was not used yet */
    RC_WHY_FAILED_NEXT_TARGET = 64,
    RC_WHY_BACKOFF = 70, /* waits as the policy says */
    RC_WHY_HINT = 71, /* waits as long as the server asked */
    RC_WHY_DELAY_TOO_LONG = 72, /* the wait would be longer than the policy allows */
    RC_WHY_WAIT_PAST_DEADLINE = 73, /* the wait would end after the deadline */
    RC_WHY_TOO_LITTLE_LEFT = 74, /* too little of the time budget would remain after the wait */
    RC_WHY_WAITS_SPENT = 75, /* the request has waited as long as it is allowed to */
    RC_WHY_SKIP_CAPABILITY = 80, /* the target lacks a capability that the request needs */
    RC_WHY_SKIP_COOLING = 81, /* the target is cooling down */
    RC_WHY_SKIP_BREAKER = 82, /* the target's circuit breaker is open */
    RC_WHY_SKIP_BUSY = 83, /* the target has reached its limit of calls in flight */
    RC_WHY_SKIP_CREDENTIALS = 84, /* none of the target's credentials can be used now */
    RC_WHY_SKIP_OUT_OF_SERVICE = 85, /* the target was taken out of service */
    RC_WHY_ALL_UNAVAILABLE = 86, /* no target is available now */
    RC_WHY_NONE_CAPABLE = 87, /* no target has the capabilities that the request needs */
    RC_WHY_CREDENTIALS_DEAD = 88, /* every credential was rejected */
    RC_WHY_SKIP_TRANSLATION = 89, /* the request cannot be expressed in the API of the target */
    /* the target became unavailable during the wait; the call waits again */
    RC_WHY_TARGET_UNAVAILABLE = 90,
    RC_WHY_HEDGED = 91, /* the response is late; the request is also sent to a second target */
    RC_WHY_HEDGE_NOT_ALLOWED = 92, /* the request is not allowed to go to a second target */
    RC_WHY_QUEUED = 93, /* waits in the queue until a target may be used */
    RC_WHY_GRANTED = 94, /* the queue has granted an attempt, because a target may be used now */
    RC_WHY_QUEUE_FULL = 95, /* the queue of waiting requests has no room for the request */
    /* no target may be used early enough to respond before the deadline */
    RC_WHY_STARTS_TOO_LATE = 96,
    RC_WHY_SKIP_DOWN = 97, /* hardly any call to the target succeeds; single calls probe it */
    RC_WHY_SKIP_PACED = 98, /* the target gets calls at a limited rate */
    RC_WHY_SKIP_LIMIT = 99, /* the provider's rate limit leaves no room for the request now */
    RC_WHY_BUDGET_SPENT = 100, /* a cost budget is used up */
    RC_WHY_BUDGET_HELD = 101, /* the remainder of a cost budget is reserved for calls in flight */
    RC_WHY_BUDGET_TOO_SMALL = 102, /* the call may cost more than a whole cost budget */
    /* the latest calls to the target failed; its group sends it single probes only */
    RC_WHY_SKIP_FAILING = 110,
} rc_reason;

/* clang-format on */

#endif
