/* Checks the delivery goals. Called by the tests of the goals and by tools/gen_goals.c. */
#include "sim/goals.h"

#define SUCCESS_PCT 99
#define OTHERS_MILLI_PCT 200
#define CALLS_PCT 110
#define OUTAGE_MILLI 100
#define OUTAGE_FIRST_MS 1000
#define ADDED_PCT 125
#define RECOVERY_MORE_MS 2000
/* Eight processes that share nothing get the same goals and 2 points. */
#define PROCESSES_MILLI_PCT 2000
#define PROCESSES_PCT 2

bool rc_sim_goal_is_met(const rc_sim_goal_value *value)
{
    return !value->applies || value->value <= value->bound;
}

static rc_sim_goal_value most(int64_t value, int64_t bound)
{
    return (rc_sim_goal_value){.applies = true, .value = value, .bound = bound};
}

static bool is_shared(const rc_sim_scenario *scenario)
{
    return scenario->clients.processes == 1;
}

static rc_sim_goal_value check_success(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                       const rc_sim_policy_result *ours)
{
    int64_t least = (int64_t)result->oracle->success_milli_pct * SUCCESS_PCT / 100;
    if (!is_shared(scenario))
        least -= PROCESSES_MILLI_PCT;
    return most(-(int64_t)ours->success_milli_pct, -least);
}

static rc_sim_goal_value check_others(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                      const rc_sim_policy_result *ours)
{
    int64_t best = 0;
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *other = &result->policies[i];
        if (!other->is_ours && other != result->oracle && other->success_milli_pct > best)
            best = other->success_milli_pct;
    }
    best -= is_shared(scenario) ? OTHERS_MILLI_PCT : PROCESSES_MILLI_PCT;
    return most(-(int64_t)ours->success_milli_pct, -best);
}

static rc_sim_goal_value check_calls(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                     const rc_sim_policy_result *ours)
{
    int64_t pct = CALLS_PCT + (is_shared(scenario) ? 0 : PROCESSES_PCT);
    return most((int64_t)ours->calls * 100, (int64_t)result->oracle->calls * pct);
}

/* --- a total outage --- */

static bool fails_all(const rc_sim_fault *fault)
{
    return fault->share_pct == 100 && fault->kind != RC_SIM_SLOW &&
           fault->kind != RC_SIM_SLOW_FIRST && fault->kind != RC_SIM_CUT;
}

static bool is_out(const rc_sim_provider *provider, uint64_t at_ms)
{
    for (uint32_t i = 0; i < provider->fault_count; i++)
        if (fails_all(&provider->faults[i]) && at_ms >= provider->faults[i].from_ms &&
            at_ms < provider->faults[i].until_ms)
            return true;
    return false;
}

static bool is_all_out(const rc_sim_scenario *scenario, uint64_t at_ms)
{
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        if (!is_out(&scenario->providers[i], at_ms))
            return false;
    return true;
}

/* Counts requests and calls in all tenths of a second in which every provider has been down for at
 * least a second. */
static rc_sim_goal_value check_outage(const rc_sim_scenario *scenario,
                                      const rc_sim_policy_result *ours)
{
    uint64_t requests = 0;
    uint64_t calls = 0;
    uint64_t since_ms = 0;
    for (uint32_t i = 0; i < ours->bucket_count; i++) {
        uint64_t at_ms = (uint64_t)i * RC_SIM_BUCKET_MS;
        since_ms = is_all_out(scenario, at_ms) ? since_ms + RC_SIM_BUCKET_MS : 0;
        if (since_ms <= OUTAGE_FIRST_MS)
            continue;
        requests += ours->buckets[i].requests;
        calls += ours->buckets[i].calls;
    }
    rc_sim_goal_value value = most((int64_t)calls * 1000, (int64_t)(requests * OUTAGE_MILLI));
    value.applies = requests > 0;
    return value;
}

/* --- latency, recovery, a calm day --- */

static rc_sim_goal_value check_added(const rc_sim_result *result, const rc_sim_policy_result *ours,
                                     uint32_t permille)
{
    uint64_t oracle_ms = rc_histogram_at(&result->oracle->added, permille);
    rc_sim_goal_value value = most((int64_t)rc_histogram_at(&ours->added, permille),
                                   (int64_t)oracle_ms * ADDED_PCT / 100);
    value.applies = oracle_ms > 0;
    return value;
}

static rc_sim_goal_value check_recovery(const rc_sim_result *result,
                                        const rc_sim_policy_result *ours)
{
    if (result->oracle->recovery_ms < 0)
        return (rc_sim_goal_value){.applies = false};
    int64_t value_ms = ours->recovery_ms >= 0 ? ours->recovery_ms : (int64_t)result->duration_ms;
    return most(value_ms, result->oracle->recovery_ms + RECOVERY_MORE_MS);
}

static bool is_calm(const rc_sim_scenario *scenario)
{
    if (scenario->clients.surge.until_ms > 0)
        return false;
    for (uint32_t i = 0; i < scenario->provider_count; i++) {
        const rc_sim_provider *provider = &scenario->providers[i];
        const rc_sim_limits *limits = &provider->limits;
        if (provider->fault_count > 0 || provider->capacity.per_s > 0 ||
            limits->requests_per_min > 0 || limits->tokens_per_min > 0 || limits->concurrency > 0 ||
            limits->quota_requests > 0)
            return false;
    }
    return true;
}

static rc_sim_goal_value check_calm(const rc_sim_scenario *scenario,
                                    const rc_sim_policy_result *ours)
{
    int64_t extra = (int64_t)(ours->calls > ours->requests ? ours->calls - ours->requests
                                                           : ours->requests - ours->calls);
    rc_sim_goal_value value = most(extra + (int64_t)ours->added.max_ms, 0);
    value.applies = is_calm(scenario);
    return value;
}

rc_sim_goal_value rc_sim_goal_check(rc_sim_goal goal, const rc_sim_scenario *scenario,
                                    const rc_sim_result *result, uint32_t policy)
{
    const rc_sim_policy_result *ours = &result->policies[policy];
    switch (goal) {
    case RC_SIM_GOAL_SUCCESS:
        return check_success(scenario, result, ours);
    case RC_SIM_GOAL_OTHERS:
        return check_others(scenario, result, ours);
    case RC_SIM_GOAL_CALLS:
        return check_calls(scenario, result, ours);
    case RC_SIM_GOAL_OUTAGE:
        return check_outage(scenario, ours);
    case RC_SIM_GOAL_ADDED_P50:
        return check_added(result, ours, 500);
    case RC_SIM_GOAL_ADDED_P99:
        return check_added(result, ours, 990);
    case RC_SIM_GOAL_RECOVERY:
        return check_recovery(result, ours);
    case RC_SIM_GOAL_CALM:
        return check_calm(scenario, ours);
    case RC_SIM_GOAL_COUNT:
        break;
    }
    return (rc_sim_goal_value){.applies = false};
}

const char *rc_sim_goal_name(rc_sim_goal goal)
{
    static const char *const names[RC_SIM_GOAL_COUNT] = {
        "success", "others", "calls", "outage", "added p50", "added p99", "recovery", "calm"};
    return (int)goal >= 0 && goal < RC_SIM_GOAL_COUNT ? names[goal] : "";
}
