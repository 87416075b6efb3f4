/* A hand-made simulation result: three policies during an outage. */
#ifndef RC_TESTS_SIM_RESULTS_H
#define RC_TESTS_SIM_RESULTS_H

#include <stdio.h>
#include <string.h>

#include <recourse/alloc.h>

#include "sim/result.h"

#define SIM_TENTHS 600u
#define SIM_OUTAGE_FROM 200u /* start of the outage in tenths of a second */
#define SIM_OUTAGE_UNTIL 300u

/* Fills in ten requests per tenth of a second. During the outage each request makes calls_in_outage
 * calls, and few requests succeed. */
static void sim_fill(rc_sim_policy_result *policy, const char *name, uint32_t calls_in_outage,
                     uint32_t ok_in_outage)
{
    snprintf(policy->name, sizeof(policy->name), "%s", name);
    snprintf(policy->about, sizeof(policy->about), "%s", "made by hand");
    for (uint32_t i = 0; i < SIM_TENTHS; i++) {
        rc_sim_bucket *bucket = &policy->buckets[i];
        const int is_out = i >= SIM_OUTAGE_FROM && i < SIM_OUTAGE_UNTIL;
        bucket->requests = 10;
        bucket->requests_ok = is_out ? ok_in_outage : 10;
        bucket->calls = is_out ? calls_in_outage : 10;
        bucket->retries = bucket->calls - (is_out && calls_in_outage < 10 ? calls_in_outage : 10);
        bucket->delivered = bucket->requests_ok;
        bucket->failed = bucket->requests - bucket->requests_ok;
        policy->requests += bucket->requests;
        policy->in_time += bucket->requests_ok;
        policy->calls += bucket->calls;
        policy->retries += bucket->retries;
    }
    policy->failed = policy->requests - policy->in_time;
    policy->wasted_calls = policy->calls - policy->in_time;
    policy->success_milli_pct = (uint32_t)(policy->in_time * 100000 / policy->requests);
    policy->calls_per_request_milli = (uint32_t)(policy->calls * 1000 / policy->requests);
    policy->peak_calls_per_s = calls_in_outage > 10 ? calls_in_outage * 10 : 100;
    policy->recovery_ms = 700;
    policy->cost_nano_usd = policy->calls * 1500000;
}

/* Returns the result; NULL if no memory was available. The caller frees it with
 * rc_sim_result_free. */
static rc_sim_result *sim_result(const rc_alloc *alloc)
{
    rc_sim_result *result = rc_sim_result_new(alloc, 3, SIM_TENTHS);
    if (result == NULL)
        return NULL;
    snprintf(result->scenario, sizeof(result->scenario), "%s", "outage");
    snprintf(result->about, sizeof(result->about), "%s", "one provider is down for ten seconds");
    result->seed = 7;
    result->clients = 1000;
    result->duration_ms = (uint64_t)SIM_TENTHS * RC_SIM_BUCKET_MS;
    result->end_ms = result->duration_ms;
    result->deadline_ms = 30000;
    result->fault_from_ms = (uint64_t)SIM_OUTAGE_FROM * RC_SIM_BUCKET_MS;
    result->fault_until_ms = (uint64_t)SIM_OUTAGE_UNTIL * RC_SIM_BUCKET_MS;
    result->span_count = 1;
    result->spans[0] = (rc_sim_span){.from_ms = result->fault_from_ms,
                                     .until_ms = result->fault_until_ms,
                                     .share_pct = 100,
                                     .label = "outage",
                                     .provider = "alpha"};
    sim_fill(&result->policies[0], "recourse", 11, 4);
    sim_fill(&result->policies[1], "openai-sdk", 30, 3);
    sim_fill(&result->policies[2], "none", 10, 0);
    result->policies[0].is_ours = true;
    result->policies[0].refused = 40;
    result->policies[2].recovery_ms = RC_SIM_NEVER;
    for (uint64_t i = 0; i < 1000; i++) {
        rc_histogram_add(&result->policies[0].added, i < 890 ? 0 : 2000);
        rc_histogram_add(&result->policies[1].added, i < 890 ? 0 : 8000);
        rc_histogram_add(&result->policies[2].added, 0);
    }
    return result;
}

#endif
