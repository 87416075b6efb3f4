/* rc_breaker: a circuit breaker for one target. The breaker refuses calls to a target that fails
 * too often, and admits a single probe call from time to time to find out whether the target has
 * recovered.
 *
 *              too many failures in the window
 *   CLOSED ───────────────────────────────────────► OPEN
 *     ▲                                            │  ▲
 *     │ probe succeeded          open_until_ms has │  │ probe failed: opens for twice as long,
 *     │                                     passed ▼  │ up to open_max_ms
 *     └───────────────────────────────────────── HALF_OPEN: one probe at a time
 *
 * The breaker counts only failures that the target itself caused (rc_breaker_outcome_of); it does
 * not count a rate limit, a bad request or a cancelled call. A success never opens the breaker,
 * even if it brings the number of calls in the window to min_calls. While the breaker is OPEN or
 * HALF_OPEN, the end of a call that was admitted earlier does not change the breaker; only the end
 * of the probe does.
 *
 * The first opening lasts open_ms; each further opening lasts twice as long as the previous one, up
 * to open_max_ms. After the breaker has been closed for a whole window, the next opening lasts
 * open_ms again. */
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

/* Thresholds and durations of a breaker. Each comment begins with the default value. */
typedef struct rc_breaker_settings {
    uint32_t window_ms;   /* 10000: length of the window in which calls are counted, in
                             milliseconds */
    uint32_t min_calls;   /* 20: minimum number of calls in the window before the breaker can open;
                             0: no breaker */
    uint32_t failure_pct; /* 50: percentage of failed calls that opens the breaker; above 100: the
                           * breaker never opens */
    uint32_t open_ms;     /* 1000: duration of the first opening, in milliseconds */
    uint32_t open_max_ms; /* 2000: longest opening, in milliseconds; if open_ms is larger, open_ms
                             is the longest opening */
} rc_breaker_settings;

#define RC_BREAKER_SLOTS 10

/* The state of one breaker, in the caller's storage. */
typedef struct rc_breaker {
    rc_breaker_state state;
    bool is_probing;         /* in the state HALF_OPEN: the probe call is in flight */
    uint8_t opened_in_a_row; /* number of openings since the breaker was last closed for a whole
                                window; at most 255 */
    uint32_t slot_calls[RC_BREAKER_SLOTS];    /* number of calls in each tenth of the window, newest
                                                 tenth first */
    uint32_t slot_failures[RC_BREAKER_SLOTS]; /* number of failures in each tenth of the window,
                                                 newest tenth first */
    uint64_t slot_at_ms;                      /* start time of the newest tenth */
    uint64_t open_until_ms;                   /* end of the latest opening */
    uint64_t closed_at_ms;                    /* time of the latest successful probe */
} rc_breaker;

/* The breaker's decision about one call. */
typedef enum rc_breaker_admission {
    RC_BREAKER_REFUSED = 0,
    RC_BREAKER_ADMITTED = 1,
    RC_BREAKER_PROBE = 2 /* admitted as the only probe; rc_breaker_on_end must be called when the
                            call ends, however it ends */
} rc_breaker_admission;

/* Initialises a breaker in the state CLOSED with an empty window. */
RC_API void rc_breaker_init(rc_breaker *breaker, uint64_t now_ms);

/* Returns the admission that a call would get now. The breaker is not changed. */
RC_API rc_breaker_admission rc_breaker_peek(const rc_breaker *breaker,
                                            const rc_breaker_settings *settings, uint64_t now_ms);

/* Admits or refuses a call that starts now. Returns the same value as rc_breaker_peek, but also
 * records a probe as in flight. */
RC_API rc_breaker_admission rc_breaker_admit(rc_breaker *breaker,
                                             const rc_breaker_settings *settings, uint64_t now_ms);

/* How a call ended, as the breaker counts it. */
typedef enum rc_breaker_outcome {
    RC_BREAKER_SUCCEEDED = 1, /* the target responded */
    RC_BREAKER_FAILED = 2,    /* the target failed */
    RC_BREAKER_NEUTRAL = 3    /* neither a success nor a failure of the target: a cancelled call, a
                               * failure inside Recourse */
} rc_breaker_outcome;

/* Records the end of a call. admission: the value that rc_breaker_admit returned for the call.
 * After a probe with the outcome NEUTRAL the breaker stays HALF_OPEN, and the next call becomes the
 * probe. The outcome SUCCEEDED may be recorded as soon as the response begins, so that other calls
 * do not wait for the end of a long response. `entropy` (a random number) shortens an opening by up
 * to a fifth, so that several processes do not probe at the same moment. An opening lasts at least
 * 0.8 open_ms and at most open_max_ms. */
RC_API void rc_breaker_on_end(rc_breaker *breaker, const rc_breaker_settings *settings,
                              rc_breaker_admission admission, rc_breaker_outcome outcome,
                              uint64_t now_ms, uint64_t entropy);

/* Returns whether a call was admitted before the breaker last closed. The failure of such a call
 * belongs to the earlier outage and must be recorded as NEUTRAL; otherwise timeouts of calls from
 * that outage would open the breaker again. */
RC_API bool rc_breaker_is_stale(const rc_breaker *breaker, uint64_t admitted_at_ms);

/* Maps a failure's code to an outcome: FAILED if the target caused the failure, SUCCEEDED if the
 * failure shows that the target responds, NEUTRAL for cancellations and for failures inside
 * Recourse. */
RC_API rc_breaker_outcome rc_breaker_outcome_of(rc_code code);

/* Returns the time from which a call may be admitted. If a call may be admitted now, the result is
 * now_ms or earlier. While a probe is in flight the result is one second from now, because the end
 * of the probe is unknown. */
RC_API uint64_t rc_breaker_ready_at_ms(const rc_breaker *breaker, uint64_t now_ms);

/* Returns the state's name: "closed", "open", "half_open". The result is a static string. */
RC_API const char *rc_breaker_state_name(rc_breaker_state state);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_breaker_validate(const rc_breaker *breaker);

RC_END_DECLS

#endif
