/* Counts the events of a run. Called by request.c and state.c. */
#include "sim/tally.h"

#include <string.h>

#define FIRST_BUCKETS 1024

void rc_sim_tally_init(rc_sim_tally *tally, const rc_alloc *alloc, uint64_t deadline_ms,
                       rc_sim_policy_result *result)
{
    *tally = (rc_sim_tally){
        .alloc = *alloc, .result = result, .deadline_ms = deadline_ms, .status = RC_OK};
}

static bool grow(rc_sim_tally *tally, uint32_t wanted)
{
    rc_sim_policy_result *result = tally->result;
    uint32_t size = tally->bucket_size == 0 ? FIRST_BUCKETS : tally->bucket_size;
    while (size < wanted)
        size *= 2;
    rc_sim_bucket *buckets = tally->alloc.get(tally->alloc.ctx, size * sizeof *buckets);
    if (buckets == NULL) {
        tally->status = RC_E_NOMEM;
        return false;
    }
    memset(buckets, 0, size * sizeof *buckets);
    if (result->buckets != NULL) {
        memcpy(buckets, result->buckets, result->bucket_count * sizeof *buckets);
        tally->alloc.put(tally->alloc.ctx, result->buckets, tally->bucket_size * sizeof *buckets);
    }
    result->buckets = buckets;
    result->bucket_size = size;
    tally->bucket_size = size;
    return true;
}

/* Returns the bucket for a time, or NULL if there is no memory. */
static rc_sim_bucket *bucket_at(rc_sim_tally *tally, uint64_t at_ms)
{
    rc_sim_policy_result *result = tally->result;
    uint64_t index = at_ms / RC_SIM_BUCKET_MS;
    if (index >= RC_SIM_BUCKETS_MAX)
        index = RC_SIM_BUCKETS_MAX - 1;
    if (index >= tally->bucket_size && !grow(tally, (uint32_t)index + 1))
        return NULL;
    if (index >= result->bucket_count)
        result->bucket_count = (uint32_t)index + 1;
    return &result->buckets[index];
}

void rc_sim_tally_request(rc_sim_tally *tally, uint64_t now_ms)
{
    tally->result->requests++;
    rc_sim_bucket *bucket = bucket_at(tally, now_ms);
    if (bucket != NULL)
        bucket->requests++;
}

void rc_sim_tally_call(rc_sim_tally *tally, bool is_retry, uint64_t now_ms)
{
    tally->result->calls++;
    tally->result->retries += is_retry;
    rc_sim_bucket *bucket = bucket_at(tally, now_ms);
    if (bucket == NULL)
        return;
    bucket->calls++;
    bucket->retries += is_retry;
}

void rc_sim_tally_grant(rc_sim_tally *tally, uint64_t at_ms)
{
    rc_sim_bucket *bucket = bucket_at(tally, at_ms);
    if (bucket != NULL)
        bucket->granted++;
}

void rc_sim_tally_cost(rc_sim_tally *tally, uint64_t nano_usd, bool is_wasted)
{
    tally->result->cost_nano_usd += nano_usd;
    if (is_wasted)
        tally->result->wasted_nano_usd += nano_usd;
}

static void count_delivered(rc_sim_tally *tally, const rc_sim_request_summary *summary,
                            uint64_t latency_ms)
{
    rc_sim_policy_result *result = tally->result;
    rc_histogram_add(&result->latency, latency_ms);
    rc_histogram_add(&result->added, summary->call_at_ms - summary->arrived_at_ms);
    result->wasted_calls += summary->calls - 1;
    if (latency_ms > tally->deadline_ms) {
        result->late++;
        return;
    }
    result->in_time++;
    result->others_in_time += !summary->is_greedy;
    rc_sim_bucket *bucket = bucket_at(tally, summary->arrived_at_ms);
    if (bucket != NULL)
        bucket->requests_ok++;
}

static void count_failed(rc_sim_tally *tally, const rc_sim_request_summary *summary,
                         uint64_t now_ms)
{
    rc_sim_policy_result *result = tally->result;
    rc_histogram_add(&result->failing, now_ms - summary->arrived_at_ms);
    result->failed++;
    result->refused += summary->calls == 0;
    if ((uint32_t)summary->reason < RC_SIM_REASONS)
        result->stops[summary->reason]++;
    if (summary->reason != RC_WHY_RETRY_BUDGET_SPENT || tally->is_drained)
        return;
    tally->is_drained = true;
    tally->drained_at_ms = now_ms;
}

void rc_sim_tally_end(rc_sim_tally *tally, const rc_sim_request_summary *summary, uint64_t now_ms)
{
    rc_sim_bucket *bucket = bucket_at(tally, now_ms);
    tally->result->others_requests += !summary->is_greedy;
    if (bucket == NULL)
        return;
    if (summary->kind == RC_SIM_END_DELIVERED) {
        bucket->delivered++;
        count_delivered(tally, summary, now_ms - summary->arrived_at_ms);
        return;
    }
    bucket->failed++;
    tally->result->wasted_calls += summary->calls;
    if (summary->kind == RC_SIM_END_TRUNCATED)
        tally->result->truncated++;
    else
        count_failed(tally, summary, now_ms);
}
