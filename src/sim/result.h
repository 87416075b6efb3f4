/* rc_sim_result: what a simulation measured, as whole numbers.
 *
 *   result ─┬─ the scenario's name, length and faults (what a chart shades)
 *           └─ policies[] ─┬─ totals          success, calls, waste, cost
 *                          ├─ latency, added  histograms
 *                          ├─ recovery, herd  after the last fault has ended
 *                          └─ buckets[]       everything over time, a tenth of a second each
 *
 * Words used here:
 *   request   what a client wants; it ends exactly once
 *   call      one try at a provider; a request makes none (refused), one, or several
 *   retry     a call of a request that is not its first
 *   in time   delivered whole before the scenario's deadline has passed since the request came in
 *
 * Times are virtual milliseconds since the start. The same scenario, seed and policies give the
 * same bytes on every machine. */
#ifndef RC_SIM_RESULT_H
#define RC_SIM_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/reason.h>

#include "base/histogram.h"

#define RC_SIM_BUCKET_MS 100
#define RC_SIM_NAME_MAX 32
#define RC_SIM_ABOUT_MAX 160
#define RC_SIM_SPANS_MAX 32
/* Above every number of spec/reasons.def. */
#define RC_SIM_REASONS 128

/* A tenth of a second. Sums over all buckets are the totals below. */
typedef struct rc_sim_bucket {
    uint32_t requests;    /* came in */
    uint32_t requests_ok; /* of those that came in here: delivered in time, whenever that was */
    uint32_t calls;       /* began here, at all providers together: the load */
    uint32_t retries;     /* of these calls */
    uint32_t granted;     /* retries that were decided on here and began now or later */
    uint32_t delivered;   /* requests that ended well here (in time or late) */
    uint32_t failed;      /* requests that ended badly here */
} rc_sim_bucket;

/* A stretch of time in which a provider was not itself, or more came in than usual. */
typedef struct rc_sim_span {
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct;             /* of the calls it touches; 100: all */
    char label[RC_SIM_NAME_MAX];    /* the fault's kind: "outage", "slow", ...; "surge" */
    char provider[RC_SIM_NAME_MAX]; /* whose; "": the clients' */
} rc_sim_span;

/* Time to recover: counted from the end of the last fault (result.fault_until_ms) to the first
 * tenth of a second from which on every second has >= 99 % of its requests delivered in time, by
 * when they came in. Seconds without a request say nothing. RC_SIM_NEVER when there is no such
 * moment before the requests stop; RC_SIM_NO_FAULT when the scenario has no fault that ends before.
 */
#define RC_SIM_NEVER INT64_C(-1)
#define RC_SIM_NO_FAULT INT64_C(-2)

/* The retries after the last fault has ended. A herd is many of them in the same tenth of a second:
 * more than three times the mean of the five seconds around it, and more than fifteen. Each tenth
 * after the fault is judged by its own five seconds (25 tenths before it, itself, 24 after it,
 * empty ones too): retries that die away are no herd, and one that comes late does not hide in a
 * long calm. A mean below 5 counts as 5, because chance alone makes three of one: so a lone burst
 * is judged too, and a handful is none. The numbers are those of the tenth with the largest ratio.
 */
typedef struct rc_sim_herd {
    uint64_t retries;     /* all that began after the fault */
    uint32_t tenths;      /* from the fault's end to the last one that something happened in */
    uint32_t peak;        /* the retries of the worst tenth */
    uint32_t mean_milli;  /* of its five seconds */
    uint32_t ratio_milli; /* peak / the larger of mean and 5 */
    bool is_herd;         /* the ratio is above 3 */
} rc_sim_herd;

/* Calls per request in a stretch of time, by when both began; of `drained`, a retry counts when it
 * was granted. */
typedef struct rc_sim_load {
    uint64_t from_ms;
    uint64_t until_ms;
    uint64_t requests;
    uint64_t calls;
    uint32_t calls_per_request_milli; /* 0 without requests */
} rc_sim_load;

typedef struct rc_sim_policy_result {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX]; /* one line: what it does */
    bool is_ours;                 /* decided by rc_call; else a model of somebody else's loop */

    /* requests == in_time + late + truncated + failed; refused is part of failed. */
    uint64_t requests;
    uint64_t in_time;
    uint64_t late;      /* delivered whole, after the deadline */
    uint64_t truncated; /* a cut stream that was passed on as if it were whole */
    uint64_t failed;    /* told as failed */
    uint64_t refused;   /* of these: at once, without a call */

    uint64_t calls;
    uint64_t retries;
    uint64_t wasted_calls; /* calls that gave their request nothing: all but the delivering one */
    uint32_t success_milli_pct;       /* in_time of requests, 100000: all */
    uint32_t calls_per_request_milli; /* 1000: one */
    uint32_t peak_calls_per_s;        /* the most in ten tenths in a row */

    rc_histogram latency; /* of what was delivered (in time or late): from coming in to the end */
    rc_histogram added;   /* of the same: latency without the delivering call's own */
    rc_histogram failing; /* of what failed: how long it took to be told */

    rc_sim_load in_fault; /* from the first fault's beginning to the last one's end */
    rc_sim_load drained;  /* while the budget is empty: from the first retry that it refused to the
                             last fault's end; requests 0: it was never empty, or not for long
                             enough */
    int64_t recovery_ms;  /* RC_SIM_NEVER, RC_SIM_NO_FAULT */
    rc_sim_herd herd;
    uint64_t refill_ms; /* of the retry budget; 0: there is none */

    uint64_t cost_nano_usd;
    uint64_t wasted_nano_usd; /* of this: for calls that gave nothing */

    uint64_t stops[RC_SIM_REASONS]; /* failed requests by the number of their rc_reason */
    uint32_t bucket_count;          /* up to the last one that something happened in */
    uint32_t bucket_size;           /* allocated */
    rc_sim_bucket *buckets;
} rc_sim_policy_result;

typedef struct rc_sim_result {
    rc_alloc alloc;
    char scenario[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t clients;
    uint64_t duration_ms; /* requests come in until then */
    uint64_t end_ms;      /* when the last one of all policies had ended */
    uint64_t deadline_ms; /* of each request */
    uint64_t fault_from_ms;
    uint64_t fault_until_ms; /* both 0: no fault */
    bool is_partial; /* stopped by the progress function: the last policy's run is not whole */
    uint32_t span_count;
    rc_sim_span spans[RC_SIM_SPANS_MAX];
    uint32_t policy_count;
    uint32_t policy_size; /* allocated */
    rc_sim_policy_result *policies;
} rc_sim_result;

/* NULL is fine. */
void rc_sim_result_free(rc_sim_result *result);

/* For tests of what reads results: everything in its own allocation, all numbers 0. */
rc_sim_result *rc_sim_result_new(const rc_alloc *alloc, uint32_t policy_count,
                                 uint32_t bucket_count);

/* In time, of the requests that came in within [from_ms, until_ms), in thousandths of a percent;
 * 100000 when none came in. */
uint32_t rc_sim_success_milli_pct(const rc_sim_policy_result *policy, uint64_t from_ms,
                                  uint64_t until_ms);

#endif
