/* rc_hedge: a second target is asked when the first one is late; whoever answers first wins. Off
 * unless it is asked for.
 *
 *            delay over, allowed              one answers
 *   ONE ─────────────────────────► BOTH ─────────────────► WON: the other lane is cancelled
 *    │ answer or failure             │ one fails and it may be tried again: ONE again, of the other
 *    ▼                               │ lane; the later failure is the call's
 *   OVER ◄───────────────────────────┘ one fails for good: the other lane is cancelled
 *
 * For good is what is neither retryable nor capacity: the other lane's answer would mask it.
 *
 * A hedged pair is one try of rc_call. The lane that wins, or that is left, becomes the call's try:
 * after TAKE the owner tells rc_call_on_success, after FAIL rc_call_on_failure, and both speak of
 * the right target. The hedge tells rc_shared how the other lane ended and gives its place back.
 *
 * A hedge costs a token of the retry budget and one of max_calls like any other extra call, and its
 * entry counts as asked: the chain goes on behind it. There is none after content was passed on. */
#ifndef RECOURSE_HEDGE_H
#define RECOURSE_HEDGE_H

#include <recourse/call.h>

RC_BEGIN_DECLS

/* The bits of `running`. */
typedef enum rc_hedge_lane {
    RC_LANE_NONE = 0,
    RC_LANE_FIRST = 1,
    RC_LANE_SECOND = 2
} rc_hedge_lane;

typedef enum rc_hedge_action_kind {
    RC_HEDGE_WAIT = 1,  /* nothing to do */
    RC_HEDGE_START = 2, /* ask target with credential in the second lane */
    RC_HEDGE_TAKE = 3,  /* `lane` has won: tell rc_call_on_success */
    RC_HEDGE_FAIL = 4 /* no lane is left, or `lane` has failed for good: tell rc_call_on_failure */
} rc_hedge_action_kind;

typedef struct rc_hedge_action {
    rc_hedge_action_kind kind;
    rc_reason reason;
    rc_hedge_lane lane;
    uint16_t entry; /* of the plan; RC_NO_TARGET: none */
    uint16_t target;
    uint16_t credential;
    bool cancel_other; /* TAKE, FAIL: the other lane still runs */
} rc_hedge_action;

typedef struct rc_hedge {
    uint64_t at_ms;         /* when the second lane may start; RC_UNLIMITED: never */
    uint8_t running;        /* lanes, as bits */
    bool is_over;           /* a lane has won, or none is left */
    rc_call_attempt second; /* what the second lane has taken while both run */
} rc_hedge;

/* A try has started. delay_ms: RC_UNLIMITED turns hedging off. */
RC_API void rc_hedge_init(rc_hedge *hedge, uint64_t now_ms, uint64_t delay_ms);

/* START once at_ms has come and it is allowed; WAIT otherwise, with the reason HEDGE_NOT_ALLOWED if
 * there will be no hedge for this try. call: borrows, here and below. */
RC_API rc_hedge_action rc_hedge_on_timer(rc_hedge *hedge, rc_call *call, uint64_t now_ms);

/* A lane has answered: TAKE. WAIT for a lane that does not run. */
RC_API rc_hedge_action rc_hedge_on_response(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                            uint64_t now_ms, uint64_t entropy);

/* A lane has failed: WAIT while the other one runs and may still help, else FAIL, of this lane.
 * why: borrows. */
RC_API rc_hedge_action rc_hedge_on_failure(rc_hedge *hedge, rc_call *call, rc_hedge_lane lane,
                                           const rc_failure_facts *failure, uint64_t now_ms,
                                           uint64_t entropy);

/* The call is about to be cancelled: gives the second lane's place back. */
RC_API void rc_hedge_on_cancel(rc_hedge *hedge, rc_call *call, uint64_t now_ms);

/* Is everything within its bounds? For tests and fuzzing. */
RC_API bool rc_hedge_validate(const rc_hedge *hedge);

RC_END_DECLS

#endif
