/* rc_hedge: sends the request to a second target when the first one is slow, and uses the response
 * that begins first. A call has no hedge unless a delay is set. A lane is one of the two concurrent
 * attempts.
 *
 *            delay over, allowed              one responds
 *   ONE ─────────────────────────► BOTH ─────────────────► WON: the other lane is cancelled
 *    │ response or failure           │ one fails, retryable or capacity: back to ONE with the other
 *    ▼                               │ lane; if that fails too, its failure is the call's
 *   OVER ◄───────────────────────────┘ one fails permanently: the other lane is cancelled
 *
 * A permanent failure is neither retryable nor a used-up quota (capacity). A permanent failure ends
 * both lanes, because a response of the other lane would hide what is wrong with the request.
 *
 * For rc_call the two lanes together are one attempt. The lane that wins, or the last lane that
 * runs, becomes the attempt of the call. After TAKE the owner calls rc_call_on_success, after FAIL
 * rc_call_on_failure; both functions then apply to the target of that lane. The hedge itself
 * reports the end of the other lane to rc_shared and releases the in-flight slot of that lane.
 *
 * A hedge takes one token of the retry budget and counts as one of max_calls, like any other
 * additional call. The chain entry of a hedge counts as used, and the chain continues after this
 * entry. No hedge starts after content was passed on to the client. */
#ifndef RECOURSE_HEDGE_H
#define RECOURSE_HEDGE_H

#include <recourse/call.h>

RC_BEGIN_DECLS

/* The lanes; their values are also the bits of rc_hedge.running. */
typedef enum rc_hedge_lane {
    RC_LANE_NONE = 0,
    RC_LANE_FIRST = 1,
    RC_LANE_SECOND = 2
} rc_hedge_lane;

typedef enum rc_hedge_action_kind {
    RC_HEDGE_WAIT = 1,  /* the owner has nothing to do */
    RC_HEDGE_START = 2, /* send the request to `target` with `credential` in the second lane */
    RC_HEDGE_TAKE = 3,  /* `lane` has won: call rc_call_on_success */
    RC_HEDGE_FAIL = 4   /* no lane runs, or `lane` failed permanently: call rc_call_on_failure */
} rc_hedge_action_kind;

typedef struct rc_hedge_action {
    rc_hedge_action_kind kind;
    rc_reason reason;
    rc_hedge_lane lane;
    uint16_t entry; /* index of the entry in the plan; RC_NO_TARGET: none */
    uint16_t target;
    uint16_t credential;
    bool cancel_other; /* TAKE, FAIL: the other lane still runs and must be cancelled */
} rc_hedge_action;

/* The state of one hedge, in the caller's storage. Its fields are private. */
typedef struct rc_hedge {
    uint64_t at_ms;         /* earliest start of the second lane; RC_UNLIMITED: never */
    uint8_t running;        /* rc_hedge_lane bits of the lanes whose attempts are in flight */
    bool is_over;           /* a lane has won, or no lane runs any more */
    rc_call_attempt second; /* the attempt of the second lane while both lanes run */
} rc_hedge;

/* Initialises a hedge for an attempt that begins now. With a delay_ms of RC_UNLIMITED the attempt
 * gets no hedge. */
RC_API void rc_hedge_init(rc_hedge *hedge, uint64_t now_ms, uint64_t delay_ms);

/* Returns START if now_ms has reached at_ms and a hedge is allowed, otherwise WAIT. A WAIT with the
 * reason HEDGE_NOT_ALLOWED means that this attempt gets no hedge. call: borrows during the call, in
 * this and in the following functions. */
RC_API rc_hedge_action rc_hedge_on_timer(rc_hedge *hedge, rc_call *call, uint64_t now_ms);

/* Reports that the response of a lane has begun. Returns TAKE; for a lane that does not run,
 * WAIT. */
RC_API rc_hedge_action rc_hedge_on_response(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                            uint64_t now_ms, uint64_t entropy);

/* Reports that a lane failed. Returns WAIT if the other lane continues, otherwise FAIL for this
 * lane. failure: borrows during the call. */
RC_API rc_hedge_action rc_hedge_on_failure(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                           const rc_failure_facts *failure, uint64_t now_ms,
                                           uint64_t entropy);

/* Ends the hedge and releases the second lane's in-flight slot. If the call is cancelled, this
 * function must be called before rc_call_on_cancel. */
RC_API void rc_hedge_on_cancel(rc_hedge *hedge, rc_call *call, uint64_t now_ms);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_hedge_validate(const rc_hedge *hedge);

RC_END_DECLS

#endif
