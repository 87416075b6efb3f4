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
 * same result on every machine. */
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
/* Larger than every reason number in spec/reasons.def. */
#define RC_SIM_REASONS 128

/* Counts for a tenth of a second. The sums over all buckets are the totals of
 * rc_sim_policy_result. */
typedef struct rc_sim_bucket {
    uint32_t requests; /* Requests that arrived. */
    /* Requests that arrived in this bucket and were delivered in time, in this or a later
     * bucket. */
    uint32_t requests_ok;
    uint32_t calls;     /* Calls that began, at all providers together. */
    uint32_t retries;   /* Retries among these calls. */
    uint32_t granted;   /* Retries that were decided in this bucket; they may begin later. */
    uint32_t delivered; /* Requests delivered in this bucket, in time or late. */
    uint32_t failed;    /* Requests that failed or were truncated in this bucket. */
} rc_sim_bucket;

/* A period in which a provider had a fault or the clients sent more requests than usual. */
typedef struct rc_sim_span {
    uint64_t from_ms;
    uint64_t until_ms;
    uint32_t share_pct;             /* Share of the calls that the fault affects; 100: all. */
    char label[RC_SIM_NAME_MAX];    /* Kind of the fault, such as "outage", or "surge". */
    char provider[RC_SIM_NAME_MAX]; /* Provider with the fault; "" for a surge of the clients. */
} rc_sim_span;

/* Values of recovery_ms that are not a time. The recovery time begins at the end of the last fault
 * (result.fault_until_ms). The recovery time ends at the first tenth of a second from which on, in
 * every second, at least 99 % of the requests that arrive are delivered in time. Seconds without
 * requests are ignored. RC_SIM_NEVER means that there is no such tenth of a second before the
 * requests stop. RC_SIM_NO_FAULT means that no fault ends before the requests stop. */
#define RC_SIM_NEVER INT64_C(-1)
#define RC_SIM_NO_FAULT INT64_C(-2)

/* Retries after the end of the last fault. A herd is a burst of retries: a tenth of a second with
 * more than fifteen retries, and with more than three times the mean of the five seconds around it.
 *
 * The five seconds are 25 tenths before the tenth, the tenth itself and 24 tenths after it, also if
 * some have no retries. Because each tenth has its own five seconds, retries that slowly become
 * fewer are not a herd, and a long period without retries does not hide a late herd. A mean below 5
 * counts as 5, because random variation alone can triple a mean of 1. The members `peak` to
 * `is_herd` describe the tenth with the largest ratio. */
typedef struct rc_sim_herd {
    uint64_t retries;     /* Retries that began after the end of the fault. */
    uint32_t tenths;      /* Number of tenths from the end of the fault to the last bucket. */
    uint32_t peak;        /* Retries in the tenth with the largest ratio. */
    uint32_t mean_milli;  /* Mean per tenth of the five seconds around it. */
    uint32_t ratio_milli; /* `peak` divided by the mean, or by 5 if the mean is smaller. */
    bool is_herd;         /* Whether the ratio is above 3. */
} rc_sim_herd;

/* Calls per request in a period. Requests and calls count at the time at which they begin. In
 * rc_sim_policy_result.drained a retry counts at the time at which it was granted. */
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
    /* Whether rc_call makes the decisions; if not, a model of another client's retry loop does. */
    bool is_ours;
    bool is_oracle; /* The policy knows the future; it takes part in no comparison. */

    /* Invariant: requests == in_time + late + truncated + failed. `refused` is a part of
     * `failed`. */
    uint64_t requests;
    uint64_t in_time;
    uint64_t late;      /* Delivered completely, after the deadline. */
    uint64_t truncated; /* A cut stream was forwarded as if it were complete. */
    uint64_t failed;    /* Reported to the client as failed. */
    uint64_t refused;   /* Failed without a call. */

    /* Requests of all clients but the greedy one. */
    uint64_t others_requests;
    uint64_t others_in_time;

    uint64_t calls;
    uint64_t retries;
    uint64_t wasted_calls;            /* All calls except those that delivered a response. */
    uint32_t success_milli_pct;       /* in_time / requests; 100000 is 100 %. */
    int32_t below_oracle_milli_pct;   /* Success of the oracle minus success_milli_pct. */
    uint32_t calls_per_request_milli; /* 1000: one call per request. */
    uint32_t peak_calls_per_s;        /* Maximum calls in ten consecutive tenths of a second. */

    /* Time from the arrival to the end of each delivered request (in time or late). */
    rc_histogram latency;
    /* Latency of each delivered request without the time of the call that delivered it. */
    rc_histogram added;
    /* Time from the arrival of each failed request to the report of the failure. */
    rc_histogram failing;

    rc_sim_load in_fault; /* From the start of the first fault to the end of the last fault. */
    /* The load while the retry budget is empty: from the first retry that the budget refused to the
     * end of the last fault. If `requests` is 0, the budget was never empty, or for too short a
     * time. */
    rc_sim_load drained;
    int64_t recovery_ms; /* A time, or RC_SIM_NEVER or RC_SIM_NO_FAULT. */
    rc_sim_herd herd;
    uint64_t refill_ms; /* Time in which the empty retry budget fills up; 0: no budget. */

    uint64_t cost_nano_usd;
    uint64_t wasted_nano_usd; /* Cost of wasted calls. */

    uint64_t stops[RC_SIM_REASONS]; /* Number of failed requests; the index is an rc_reason. */
    uint32_t bucket_count;          /* Number of buckets up to the last one with an event. */
    uint32_t bucket_size;           /* Buckets allocated. */
    rc_sim_bucket *buckets;
} rc_sim_policy_result;

typedef struct rc_sim_result {
    rc_alloc alloc;
    char scenario[RC_SIM_NAME_MAX];
    char about[RC_SIM_ABOUT_MAX];
    uint64_t seed;
    uint64_t clients;
    uint64_t duration_ms; /* Requests arrive until this time. */
    uint64_t end_ms;      /* End of the last request of all policies. */
    uint64_t deadline_ms; /* Deadline of each request. */
    uint64_t fault_from_ms;
    uint64_t fault_until_ms; /* If both times are 0, there was no fault. */
    bool is_partial;         /* The progress function stopped the run, so that the last policy is
                      * incomplete. */
    uint32_t span_count;
    rc_sim_span spans[RC_SIM_SPANS_MAX];
    uint32_t policy_count;
    uint32_t policy_size; /* Policies allocated. */
    rc_sim_policy_result *policies;
    const rc_sim_policy_result *oracle; /* One element of `policies`, or the one after the last;
                                         * NULL: the oracle did not run. */
} rc_sim_result;

/* Returns whether result->oracle is not one of the policies, but was added to them. */
bool rc_sim_result_has_added_oracle(const rc_sim_result *result);

/* Frees a result. result: takes; may be NULL. */
void rc_sim_result_free(rc_sim_result *result);

/* Allocates a result with policies and buckets in which all numbers are 0. Returns NULL if there is
 * no memory. Used by rc_sim_run and by the tests of the outputs. alloc: copies the struct. */
rc_sim_result *rc_sim_result_new(const rc_alloc *alloc, uint32_t policy_count,
                                 uint32_t bucket_count);

/* Returns how many of the requests that arrived in [from_ms, until_ms) were delivered in time, in
 * thousandths of a percent; 100000 if none arrived. */
uint32_t rc_sim_success_milli_pct(const rc_sim_policy_result *policy, uint64_t from_ms,
                                  uint64_t until_ms);

#endif
