/* rc_breaker: stops asking a target that fails too often, and asks once in a while whether it is
 * back.
 *
 *              too many failures in the window
 *   CLOSED ───────────────────────────────────────► OPEN
 *     ▲                                            │  ▲
 *     │ probe worked              its time is over │  │ probe failed: opens for twice as long,
 *     │                                            ▼  │ up to open_max_ms
 *     └───────────────────────────────────────── HALF_OPEN: one probe at a time
 *
 * Only failures that are the target's own count (rc_breaker_outcome_of): a rate limit, a bad
 * request or
 * a cancelled call say nothing against it. Only a failure opens it, never a success that makes the
 * window full enough. While it is not closed, the ends of calls that were admitted before change
 * nothing: the probe alone decides.
 *
 * A target that comes and goes opens for longer each time: the doubling is forgotten only after a
 * whole window without an opening. */
#ifndef RECOURSE_BREAKER_H
#define RECOURSE_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/export.h>

RC_BEGIN_DECLS

typedef enum rc_breaker_state {
    RC_BREAKER_CLOSED = 0,
    RC_BREAKER_OPEN = 1,
    RC_BREAKER_HALF_OPEN = 2
} rc_breaker_state;

typedef struct rc_breaker_settings {
    uint32_t window_ms;   /* 10000 */
    uint32_t min_calls;   /* 20: with fewer in the window it stays closed; 0: there is no breaker */
    uint32_t failure_pct; /* 50; above 100 it never opens */
    uint32_t open_ms;     /* 1000, the first time */
    uint32_t open_max_ms; /* 2000, by doubling; open_ms where that is more */
} rc_breaker_settings;

#define RC_BREAKER_SLOTS 10

typedef struct rc_breaker {
    rc_breaker_state state;
    bool is_probing;         /* HALF_OPEN: the probe is out */
    uint8_t opened_in_a_row; /* openings without a steady stretch in between; stops at 255 */
    uint32_t slot_calls[RC_BREAKER_SLOTS]; /* the window in tenths */
    uint32_t slot_failures[RC_BREAKER_SLOTS];
    uint64_t slot_at_ms;    /* when the newest tenth, the first of the arrays, began */
    uint64_t open_until_ms; /* of the latest opening */
    uint64_t closed_at_ms;  /* by the latest probe that worked */
} rc_breaker;

/* What a call may do. */
typedef enum rc_breaker_admission {
    RC_BREAKER_REFUSED = 0,
    RC_BREAKER_ADMITTED = 1,
    RC_BREAKER_PROBE = 2 /* admitted as the one probe: its end must be told, whatever it is */
} rc_breaker_admission;

/* Closed, with an empty window. */
RC_API void rc_breaker_init(rc_breaker *breaker, uint64_t now_ms);

/* Would a call be admitted now? Changes nothing. */
RC_API rc_breaker_admission rc_breaker_peek(const rc_breaker *breaker,
                                            const rc_breaker_settings *settings, uint64_t now_ms);

/* A call starts. Gives what peek would have given. */
RC_API rc_breaker_admission rc_breaker_admit(rc_breaker *breaker,
                                             const rc_breaker_settings *settings, uint64_t now_ms);

/* How a call ended. pass: what it was admitted as. A call that was cancelled says nothing, but
 * gives the probe back: the next call is the probe. WORKED may be told as soon as the answer
 * begins; the rest of a long answer is then no reason to keep others waiting. entropy makes an
 * opening shorter by up to a fifth, so that not all targets and processes ask again in the same
 * moment: it lasts at least 0.8 open_ms and at most open_max_ms. */
typedef enum rc_breaker_outcome {
    RC_BREAKER_SUCCEEDED = 1,
    RC_BREAKER_FAILED = 2,
    RC_BREAKER_NEUTRAL = 3
} rc_breaker_outcome;
RC_API void rc_breaker_on_end(rc_breaker *breaker, const rc_breaker_settings *settings,
                              rc_breaker_admission admission, rc_breaker_outcome outcome,
                              uint64_t now_ms, uint64_t entropy);

/* Was a call that failed admitted before the latest closing? Its failure is then old news, of the
 * time that the breaker was open for: SAID_NOTHING, else the time-outs of an outage that is over
 * would open it again. */
RC_API bool rc_breaker_is_stale(const rc_breaker *breaker, uint64_t admitted_at_ms);

/* What a failure says of the target: FAILED for its own faults, WORKED for what shows it alive,
 * SAID_NOTHING for cancellations and faults of ours. */
RC_API rc_breaker_outcome rc_breaker_outcome_of(rc_code code);

/* When a call may be admitted again: now or earlier when it may. A probe that is out has no known
 * end; a second from now is given. */
RC_API uint64_t rc_breaker_ready_at_ms(const rc_breaker *breaker, uint64_t now_ms);

/* "closed", "open", "half_open". */
RC_API const char *rc_breaker_state_name(rc_breaker_state state);

/* Is everything within its bounds? For tests and fuzzing. */
RC_API bool rc_breaker_validate(const rc_breaker *breaker);

RC_END_DECLS

#endif
