/* Allocates and frees results. Called by sim.c and the tests of the outputs. */
#include "sim/result.h"

#include <string.h>

rc_sim_result *rc_sim_result_new(const rc_alloc *alloc, uint32_t policy_count,
                                 uint32_t bucket_count)
{
    rc_sim_result *result = alloc->get(alloc->ctx, sizeof *result);
    if (result == NULL)
        return NULL;
    memset(result, 0, sizeof *result);
    result->alloc = *alloc;
    if (policy_count == 0)
        return result;
    size_t size = policy_count * sizeof *result->policies;
    result->policies = alloc->get(alloc->ctx, size);
    if (result->policies == NULL) {
        rc_sim_result_free(result);
        return NULL;
    }
    memset(result->policies, 0, size);
    result->policy_count = policy_count;
    result->policy_size = policy_count;
    for (uint32_t i = 0; i < policy_count && bucket_count > 0; i++) {
        rc_sim_policy_result *policy = &result->policies[i];
        policy->buckets = alloc->get(alloc->ctx, bucket_count * sizeof *policy->buckets);
        if (policy->buckets == NULL) {
            rc_sim_result_free(result);
            return NULL;
        }
        memset(policy->buckets, 0, bucket_count * sizeof *policy->buckets);
        policy->bucket_count = bucket_count;
        policy->bucket_size = bucket_count;
    }
    return result;
}

bool rc_sim_result_has_added_oracle(const rc_sim_result *result)
{
    return result->oracle != NULL && result->oracle == result->policies + result->policy_count;
}

void rc_sim_result_free(rc_sim_result *result)
{
    if (result == NULL)
        return;
    rc_alloc alloc = result->alloc;
    for (uint32_t i = 0; result->policies != NULL && i < result->policy_size; i++) {
        rc_sim_policy_result *policy = &result->policies[i];
        if (policy->buckets != NULL)
            alloc.put(alloc.ctx, policy->buckets, policy->bucket_size * sizeof *policy->buckets);
    }
    if (result->policies != NULL)
        alloc.put(alloc.ctx, result->policies, result->policy_size * sizeof *result->policies);
    alloc.put(alloc.ctx, result, sizeof *result);
}

uint32_t rc_sim_success_milli_pct(const rc_sim_policy_result *policy, uint64_t from_ms,
                                  uint64_t until_ms)
{
    uint64_t requests = 0;
    uint64_t ok = 0;
    for (uint64_t i = from_ms / RC_SIM_BUCKET_MS;
         i * RC_SIM_BUCKET_MS < until_ms && i < policy->bucket_count; i++) {
        requests += policy->buckets[i].requests;
        ok += policy->buckets[i].requests_ok;
    }
    return requests == 0 ? 100000 : (uint32_t)(ok * 100000 / requests);
}
