/* The measures of a policy. Called by the table, the verdict and the CSV of recourse simulate. */
#include "sim/output/measure.h"

static int64_t success(const rc_sim_policy_result *policy)
{
    return policy->requests > 0 ? policy->success_milli_pct : RC_MEASURE_NONE;
}

static int64_t below_oracle(const rc_sim_policy_result *policy)
{
    return policy->requests > 0 ? policy->below_oracle_milli_pct : RC_MEASURE_NONE;
}

static int64_t added_at(const rc_sim_policy_result *policy, uint32_t permille)
{
    if (policy->added.count == 0)
        return RC_MEASURE_NONE;
    return (int64_t)rc_histogram_at(&policy->added, permille);
}

static int64_t added_p50(const rc_sim_policy_result *policy)
{
    return added_at(policy, 500);
}

static int64_t added_p90(const rc_sim_policy_result *policy)
{
    return added_at(policy, 900);
}

static int64_t added_p99(const rc_sim_policy_result *policy)
{
    return added_at(policy, 990);
}

static int64_t calls_per_request(const rc_sim_policy_result *policy)
{
    return policy->requests > 0 ? policy->calls_per_request_milli : RC_MEASURE_NONE;
}

static int64_t wasted(const rc_sim_policy_result *policy)
{
    return (int64_t)policy->wasted_calls;
}

static int64_t peak(const rc_sim_policy_result *policy)
{
    return (int64_t)policy->peak_calls_per_s * 1000;
}

static int64_t refused(const rc_sim_policy_result *policy)
{
    return (int64_t)policy->refused;
}

static int64_t truncated(const rc_sim_policy_result *policy)
{
    return (int64_t)policy->truncated;
}

static int64_t recovery(const rc_sim_policy_result *policy)
{
    if (policy->recovery_ms == RC_SIM_NEVER)
        return RC_MEASURE_NEVER;
    return policy->recovery_ms == RC_SIM_NO_FAULT ? RC_MEASURE_NONE : policy->recovery_ms;
}

/* Returns the cost per thousand delivered requests, in millionths of a dollar, which is the same
 * number as billionths per request. The total cost is not used, because a policy that gives up
 * early would look cheap. */
static int64_t cost(const rc_sim_policy_result *policy)
{
    if (policy->in_time == 0 || policy->cost_nano_usd == 0)
        return RC_MEASURE_NONE;
    return (int64_t)(policy->cost_nano_usd / policy->in_time);
}

static const rc_measure measures[] = {
    {"success", "", "success", "success", RC_UNIT_PERCENT, RC_MEASURE_HIGH, false, success},
    {"below_oracle_points", "below", "oracle", "points of success below the oracle",
     RC_UNIT_PERCENT, RC_MEASURE_NEUTRAL, false, below_oracle},
    {"added_p50_ms", "added", "p50", "added latency, p50", RC_UNIT_MS, RC_MEASURE_LOW, true,
     added_p50},
    {"added_p90_ms", "added", "p90", "added latency, p90", RC_UNIT_MS, RC_MEASURE_LOW, true,
     added_p90},
    {"added_p99_ms", "added", "p99", "added latency, p99", RC_UNIT_MS, RC_MEASURE_LOW, true,
     added_p99},
    {"calls_per_request", "calls/", "request", "calls per request", RC_UNIT_RATIO, RC_MEASURE_LOW,
     false, calls_per_request},
    {"wasted_calls", "wasted", "calls", "wasted calls", RC_UNIT_COUNT, RC_MEASURE_LOW, false,
     wasted},
    {"peak_calls_per_s", "peak", "load", "peak load", RC_UNIT_RATE, RC_MEASURE_LOW, false, peak},
    {"refused_at_once", "refused", "at once", "refused at once", RC_UNIT_COUNT, RC_MEASURE_NEUTRAL,
     false, refused},
    {"cut_answers", "cut", "answers", "cut responses delivered as complete", RC_UNIT_COUNT,
     RC_MEASURE_LOW, false, truncated},
    {"recovery_ms", "time to", "recover", "time to recover", RC_UNIT_MS, RC_MEASURE_LOW, false,
     recovery},
    {"usd_per_1000_delivered", "cost of", "1000 ok", "cost of 1000 delivered", RC_UNIT_USD,
     RC_MEASURE_LOW, false, cost},
};

const rc_measure *rc_measure_at(size_t index)
{
    return index < sizeof(measures) / sizeof(measures[0]) ? &measures[index] : NULL;
}

void rc_measure_push(rc_buf *buf, const rc_measure *measure, int64_t value)
{
    if (value == RC_MEASURE_NEVER)
        rc_buf_push(buf, RC_STR("never"));
    else
        rc_chart_push_value(buf, measure->unit, value);
}

bool rc_measure_is_same(const rc_measure *measure, int64_t a, int64_t b)
{
    char scratch_a[RC_MEASURE_TEXT_MAX];
    char scratch_b[RC_MEASURE_TEXT_MAX];
    rc_buf text_a, text_b;
    rc_buf_init_fixed(&text_a, scratch_a, sizeof(scratch_a));
    rc_buf_init_fixed(&text_b, scratch_b, sizeof(scratch_b));
    rc_measure_push(&text_a, measure, a);
    rc_measure_push(&text_b, measure, b);
    return rc_str_eq(rc_buf_get(&text_a), rc_buf_get(&text_b));
}

bool rc_measure_is_better(const rc_measure *measure, int64_t value, int64_t than)
{
    if (than == RC_MEASURE_NONE || value == RC_MEASURE_NONE)
        return value != RC_MEASURE_NONE;
    return measure->sense == RC_MEASURE_HIGH ? value > than : value < than;
}

int64_t rc_measure_best(const rc_measure *measure, const rc_sim_result *result)
{
    int64_t best = RC_MEASURE_NONE;
    bool has_difference = false;
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const int64_t value = measure->get(&result->policies[i]);
        if (value == RC_MEASURE_NONE)
            continue;
        if (best != RC_MEASURE_NONE && !rc_measure_is_same(measure, value, best))
            has_difference = true;
        if (rc_measure_is_better(measure, value, best))
            best = value;
    }
    return has_difference && measure->sense != RC_MEASURE_NEUTRAL ? best : RC_MEASURE_NONE;
}
