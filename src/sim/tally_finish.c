/* Computes rates, recovery and herd at the end of a run; result.h defines them. Called by sim.c. */
#include "sim/tally.h"

#define TENTHS_A_SECOND 10
#define RECOVERED_MILLI_PCT 99000
/* A mean number of retries below this number counts as this number. */
#define HERD_MEAN_MIN 5
#define HERD_RATIO_MILLI 3000
#define HERD_BEFORE 25
#define HERD_AFTER 24
#define HERD_TENTHS (HERD_BEFORE + 1 + HERD_AFTER)

/* Returns value / of in units of 1/unit, rounded, or 0 if `of` is 0. */
static uint32_t ratio(uint64_t value, uint64_t of, uint64_t unit)
{
    return of == 0 ? 0 : (uint32_t)((value * unit + of / 2) / of);
}

static rc_sim_load load_between(const rc_sim_policy_result *result, uint64_t from_ms,
                                uint64_t until_ms)
{
    rc_sim_load load = {.from_ms = from_ms, .until_ms = until_ms};
    uint64_t first = (from_ms + RC_SIM_BUCKET_MS - 1) / RC_SIM_BUCKET_MS;
    for (uint64_t i = first; i < until_ms / RC_SIM_BUCKET_MS && i < result->bucket_count; i++) {
        load.requests += result->buckets[i].requests;
        load.calls += result->buckets[i].calls;
    }
    load.calls_per_request_milli = ratio(load.calls, load.requests, 1000);
    return load;
}

/* Returns the calls per request from from_ms to until_ms, with each retry counted at the time at
 * which the retry was granted. If retries were counted when they begin, after their waits, the
 * retries of a busy second would be divided by the requests of a quieter second. */
static rc_sim_load drained_between(const rc_sim_policy_result *result, uint64_t from_ms,
                                   uint64_t until_ms)
{
    rc_sim_load load = load_between(result, from_ms, until_ms);
    uint64_t first = (from_ms + RC_SIM_BUCKET_MS - 1) / RC_SIM_BUCKET_MS;
    for (uint64_t i = first; i < until_ms / RC_SIM_BUCKET_MS && i < result->bucket_count; i++)
        load.calls += (uint64_t)result->buckets[i].granted - result->buckets[i].retries;
    load.calls_per_request_milli = ratio(load.calls, load.requests, 1000);
    return load;
}

static uint32_t peak_calls_per_s(const rc_sim_policy_result *result)
{
    uint64_t sum = 0;
    uint64_t peak = 0;
    for (uint32_t i = 0; i < result->bucket_count; i++) {
        sum += result->buckets[i].calls;
        if (i >= TENTHS_A_SECOND)
            sum -= result->buckets[i - TENTHS_A_SECOND].calls;
        if (sum > peak)
            peak = sum;
    }
    return (uint32_t)peak;
}

/* Returns the recovery time. Searches backwards from the end of the requests for the last second
 * below the threshold. */
static int64_t recovery_ms(const rc_sim_policy_result *result, uint64_t duration_ms,
                           uint64_t fault_until_ms)
{
    uint64_t second = (uint64_t)TENTHS_A_SECOND * RC_SIM_BUCKET_MS;
    uint64_t from = (fault_until_ms + RC_SIM_BUCKET_MS - 1) / RC_SIM_BUCKET_MS;
    if (fault_until_ms == 0 || from * RC_SIM_BUCKET_MS + second > duration_ms)
        return RC_SIM_NO_FAULT;
    uint64_t last = duration_ms / RC_SIM_BUCKET_MS - TENTHS_A_SECOND;
    for (uint64_t i = last + 1; i-- > from;) {
        uint64_t at_ms = i * RC_SIM_BUCKET_MS;
        if (rc_sim_success_milli_pct(result, at_ms, at_ms + second) >= RECOVERED_MILLI_PCT)
            continue;
        return i == last ? RC_SIM_NEVER : (int64_t)((i + 1) * RC_SIM_BUCKET_MS - fault_until_ms);
    }
    return 0;
}

static uint32_t retries_at(const rc_sim_policy_result *result, uint64_t bucket)
{
    return bucket < result->bucket_count ? result->buckets[bucket].retries : 0;
}

static rc_sim_herd herd_after(const rc_sim_policy_result *result, uint64_t fault_until_ms)
{
    rc_sim_herd herd = {.tenths = 0};
    uint64_t from = (fault_until_ms + RC_SIM_BUCKET_MS - 1) / RC_SIM_BUCKET_MS;
    /* Number of retries in the five seconds around the tenth of a second with the index i. */
    uint64_t around = 0;
    for (uint64_t i = from >= HERD_BEFORE ? from - HERD_BEFORE : 0; i < from + HERD_AFTER; i++)
        around += retries_at(result, i);
    for (uint64_t i = from; i < result->bucket_count; i++) {
        around += retries_at(result, i + HERD_AFTER);
        if (i > HERD_BEFORE && i > from)
            around -= retries_at(result, i - HERD_BEFORE - 1);
        uint32_t retries = retries_at(result, i);
        herd.retries += retries;
        herd.tenths++;
        uint64_t least = HERD_MEAN_MIN * HERD_TENTHS;
        uint32_t ratio_milli =
            ratio((uint64_t)retries * HERD_TENTHS, around > least ? around : least, 1000);
        if (ratio_milli <= herd.ratio_milli)
            continue;
        herd.ratio_milli = ratio_milli;
        herd.mean_milli = ratio(around, HERD_TENTHS, 1000);
        herd.peak = retries;
    }
    herd.is_herd = herd.ratio_milli > HERD_RATIO_MILLI;
    return herd;
}

void rc_sim_tally_finish(rc_sim_tally *tally, uint64_t duration_ms, uint64_t fault_from_ms,
                         uint64_t fault_until_ms)
{
    rc_sim_policy_result *result = tally->result;
    result->success_milli_pct = ratio(result->in_time, result->requests, 100000);
    result->calls_per_request_milli = ratio(result->calls, result->requests, 1000);
    result->peak_calls_per_s = peak_calls_per_s(result);
    result->recovery_ms = recovery_ms(result, duration_ms, fault_until_ms);
    if (fault_until_ms == 0)
        return;
    result->in_fault = load_between(result, fault_from_ms, fault_until_ms);
    if (tally->is_drained && tally->drained_at_ms < fault_until_ms)
        result->drained = drained_between(result, tally->drained_at_ms, fault_until_ms);
    result->herd = herd_after(result, fault_until_ms);
}
