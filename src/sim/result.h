/* rc_sim_result: the measurements of a simulation, as whole numbers.
 *
 *   result ─┬─ the scenario's name, length and faults (shaded in charts)
 *           └─ policies[] ─┬─ totals          success, calls, waste, cost
 *                          ├─ latency, added  histograms
 *                          ├─ recovery, herd  after the end of the last fault
 *                          └─ buckets[]       counts over time, a tenth of a second each
 *
 * Terms:
 *   request   a client's request; ends exactly once
 *   call      one attempt at a provider; a request makes none (refused), one, or several
 *   retry     a call of a request that is not its first
 *   in time   delivered completely within the scenario's deadline, counted from its arrival
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
/* Above every number in spec/reasons.def. */
#define RC_SIM_REASONS 128

/* Counts of a tenth of a second. The sums over all buckets are the totals below. */
typedef struct rc_sim_bucket {
    uint32_t requests; /* Requests that arrived. */
    /* Requests that arrived here and were delivered in time, at any later time. */
    uint32_t requests_ok;
    uint32_t calls;     /* Calls that began, at all providers together: the load. */
    uint32_t retries;   /* Retries among these calls. */
    uint32_t granted;   /* Retries decided here; they begin now or later. */
    uint32_t delivered; /* Requests delivered here, in time or late. */
    uint32_t failed;    /* Requests that failed or were truncated here. */
} rc_sim_bucket;

/* A period in which a provider had a fault or the clients sent more requests than usual. */
typedef struct rc_sim_span {
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct;             /* Share of the calls that the fault affects; 100: all. */
    char label[RC_SIM_NAME_MAX];    /* Kind of the fault: "outage", "slow", ...; or "surge". */
    char provider[RC_SIM_NAME_MAX]; /* Provider with the fault; "": a surge of the clients. */
} rc_sim_span;

/* Values of recovery_ms that are no time. The recovery time runs from the end of the last fault
 * (result.fault_until_ms) to the first tenth of a second after which every second has at least 99 %
 * of its requests, by arrival, delivered in time. Seconds without requests are ignored.
 * RC_SIM_NEVER: no such moment before the requests stop. RC_SIM_NO_FAULT: no fault ends before the
 * requests stop. */
#define RC_SIM_NEVER INT64_C(-1)
#define RC_SIM_NO_FAULT INT64_C(-2)

/* Retries after the end of the last fault. A herd is a tenth of a second with more than three times
 * the mean of the five seconds around it, and more than fifteen retries. Each tenth after the fault
 * is compared with its own five seconds (25 tenths before it, itself, 24 after it, empty ones
 * included): so retries that die away are no herd, and a late herd is not hidden by a long quiet
 * period. A mean below 5 counts as 5, since random variation alone can triple a mean of 1: so a
 * single burst is still judged, and a handful of retries is no herd. The numbers are those of the
 * tenth with the largest ratio. */
typedef struct rc_sim_herd {
    uint64_t retries;     /* Retries that began after the fault. */
    uint32_t tenths;      /* Tenths from the end of the fault to the last bucket. */
    uint32_t peak;        /* Retries of the worst tenth. */
    uint32_t mean_milli;  /* Mean of the five seconds around it. */
    uint32_t ratio_milli; /* Peak divided by the larger of mean and 5. */
    bool is_herd;         /* Whether the ratio is above 3. */
} rc_sim_herd;

/* Calls per request in a period. Requests and calls count when they begin; in `drained` a retry
 * counts when it was granted. */
typedef struct rc_sim_load {
    uint64_t from_ms;
    uint64_t until_ms;
    uint64_t requests;
    uint64_t calls;
    uint32_t calls_per_request_milli; /* 0 if there are no requests. */
} rc_sim_load;

typedef struct rc_sim_policy_result {
    char name[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX]; /* What the policy does, in one line. */
    /* The decisions are those of rc_call; otherwise a model of another client's retry loop. */
    bool is_ours;

    /* Invariant: requests == in_time + late + truncated + failed. refused is part of failed. */
    uint64_t requests;
    uint64_t in_time;
    uint64_t late;      /* Delivered completely, after the deadline. */
    uint64_t truncated; /* A cut stream that was forwarded as if it were complete. */
    uint64_t failed;    /* Reported to the client as failed. */
    uint64_t refused;   /* Failed at once, without a call. */

    uint64_t calls;
    uint64_t retries;
    uint64_t wasted_calls; /* Calls that contributed nothing: all but the one that delivered. */
    uint32_t success_milli_pct;       /* in_time / requests; 100000: all. */
    uint32_t calls_per_request_milli; /* 1000: one call per request. */
    uint32_t peak_calls_per_s;        /* Maximum calls in ten consecutive tenths of a second. */

    rc_histogram latency; /* Of delivered requests (in time or late): from arrival to the end. */
    rc_histogram added;   /* Of delivered requests: the latency without the delivering call. */
    rc_histogram failing; /* Of failed requests: time until the failure was reported. */

    rc_sim_load in_fault; /* From the start of the first fault to the end of the last. */
    /* While the retry budget is empty: from the first retry that it refused to the end of the last
     * fault. requests 0: it was never empty, or not for long enough. */
    rc_sim_load drained;
    int64_t recovery_ms; /* Or RC_SIM_NEVER or RC_SIM_NO_FAULT. */
    rc_sim_herd herd;
    uint64_t refill_ms; /* Time to refill the retry budget; 0: no budget. */

    uint64_t cost_nano_usd;
    uint64_t wasted_nano_usd; /* Cost of wasted calls. */

    uint64_t stops[RC_SIM_REASONS]; /* Failed requests by rc_reason. */
    uint32_t bucket_count;          /* Up to the last bucket with an event. */
    uint32_t bucket_size;           /* Buckets allocated. */
    rc_sim_bucket *buckets;
} rc_sim_policy_result;

typedef struct rc_sim_result {
    rc_alloc alloc;
    char scenario[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t clients;
    uint64_t duration_ms; /* Requests arrive until then. */
    uint64_t end_ms;      /* End of the last request of all policies. */
    uint64_t deadline_ms; /* Deadline of each request. */
    uint64_t fault_from_ms;
    uint64_t fault_until_ms; /* Both times 0: no fault. */
    bool is_partial; /* The progress function stopped the run: the last policy is incomplete. */
    uint32_t span_count;
    rc_sim_span spans[RC_SIM_SPANS_MAX];
    uint32_t policy_count;
    uint32_t policy_size; /* Policies allocated. */
    rc_sim_policy_result *policies;
} rc_sim_result;

/* Frees a result. result: takes; may be NULL. */
void rc_sim_result_free(rc_sim_result *result);

/* Allocates a result with policies and buckets, all numbers 0. Returns NULL without memory. Used by
 * rc_sim_run, and by the tests of the outputs. alloc: copies. */
rc_sim_result *rc_sim_result_new(const rc_alloc *alloc, uint32_t policy_count,
                                 uint32_t bucket_count);

/* Returns the share of the requests that arrived in [from_ms, until_ms) and were delivered in time,
 * in thousandths of a percent; 100000 if none arrived. */
uint32_t rc_sim_success_milli_pct(const rc_sim_policy_result *policy, uint64_t from_ms,
                                  uint64_t until_ms);

#endif
