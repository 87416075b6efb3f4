/* Checks the delivery goals. Called by the tests of the goals and by tools/gen_goals.c. */
#include "sim/goals.h"

#include <string.h>

#define SUCCESS_PCT 99
#define OTHERS_MILLI_PCT 200
#define CALLS_PCT 110
#define OUTAGE_MILLI 100
#define OUTAGE_FIRST_MS 1000
#define OUTAGE_CALLS 6
#define OUTAGE_DELAY_MS 1500
#define ADDED_PCT 125
#define RECOVERY_MORE_MS 2000
/* Allowances for scenarios with several processes, which share nothing: 2 percentage points of
 * success, and 2 percent of the oracle's calls. */
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

/* Returns the share of delivered requests. With a greedy client only the other clients count,
 * because in a shortage a fair queue lets only the greedy client lose requests. */
static int64_t success_of(const rc_sim_scenario *scenario, const rc_sim_policy_result *policy)
{
    if (scenario->clients.greedy_pct == 0 || policy->others_requests == 0)
        return policy->success_milli_pct;
    return (int64_t)(policy->others_in_time * 100000 / policy->others_requests);
}

static rc_sim_goal_value check_success(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                       const rc_sim_policy_result *ours)
{
    int64_t least = success_of(scenario, result->oracle) * SUCCESS_PCT / 100;
    if (!is_shared(scenario))
        least -= PROCESSES_MILLI_PCT;
    return most(-success_of(scenario, ours), -least);
}

/* Returns the policy "oracle-gradual"; without it the oracle. */
static const rc_sim_policy_result *gradual_of(const rc_sim_result *result)
{
    for (uint32_t i = 0; i < result->policy_count; i++)
        if (strcmp(result->policies[i].name, "oracle-gradual") == 0)
            return &result->policies[i];
    return result->oracle;
}

static bool is_rival(const rc_sim_policy_result *policy, const rc_sim_result *result)
{
    return !policy->is_ours && policy != result->oracle && policy != gradual_of(result);
}

static rc_sim_goal_value check_others(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                      const rc_sim_policy_result *ours)
{
    int64_t best = 0;
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *other = &result->policies[i];
        if (is_rival(other, result) && success_of(scenario, other) > best)
            best = success_of(scenario, other);
    }
    best -= is_shared(scenario) ? OTHERS_MILLI_PCT : PROCESSES_MILLI_PCT;
    return most(-success_of(scenario, ours), -best);
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

/* The least cost of the total outages of a scenario, however few requests arrive. */
typedef struct outage_cost {
    uint64_t calls;    /* Calls until an outage is detected, and probes until it ends. */
    uint64_t delay_ms; /* Time from the ends of the outages to full service. */
} outage_cost;

/* An outage is detected by five calls. While it lasts, a target is probed at least once in 1 s plus
 * a quarter of the outage's age. After the outage up to 0.4 s pass until a probe, and the rate of
 * calls grows for about a second. */
static outage_cost cost_of_outages(const rc_sim_scenario *scenario)
{
    outage_cost cost = {0};
    uint64_t age_ms = 0;
    uint64_t probe_at_ms = 0;
    uint64_t end_ms = scenario->duration_ms + scenario->clients.deadline_ms;
    for (uint64_t at_ms = 0; at_ms < end_ms; at_ms += RC_SIM_BUCKET_MS) {
        if (!is_all_out(scenario, at_ms)) {
            age_ms = 0;
            continue;
        }
        if (age_ms == 0) {
            cost.calls += OUTAGE_CALLS;
            cost.delay_ms += OUTAGE_DELAY_MS;
            probe_at_ms = OUTAGE_FIRST_MS;
        }
        age_ms += RC_SIM_BUCKET_MS;
        if (age_ms < probe_at_ms)
            continue;
        cost.calls++;
        probe_at_ms = age_ms + OUTAGE_FIRST_MS + age_ms / 4;
    }
    return cost;
}

static rc_sim_goal_value check_calls(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                     const rc_sim_policy_result *ours)
{
    int64_t pct = CALLS_PCT + (is_shared(scenario) ? 0 : PROCESSES_PCT);
    int64_t bound = (int64_t)result->oracle->calls * pct / 100;
    int64_t few = (int64_t)(result->oracle->calls + cost_of_outages(scenario).calls);
    return most((int64_t)ours->calls, bound > few ? bound : few);
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
    uint64_t bound = requests * OUTAGE_MILLI / 1000;
    uint64_t few = cost_of_outages(scenario).calls;
    rc_sim_goal_value value = most((int64_t)calls, (int64_t)(bound > few ? bound : few));
    value.applies = requests > 0;
    return value;
}

/* --- latency, recovery, a calm day --- */

/* Returns the longest time for which a hint closes a provider after it works again. No call is made
 * before the end of a hint, so a hint may delay requests once by its own length. */
static int64_t hint_delay_ms(const rc_sim_scenario *scenario)
{
    int64_t longest_ms = 0;
    for (uint32_t i = 0; i < scenario->provider_count; i++) {
        const rc_sim_provider *provider = &scenario->providers[i];
        for (uint32_t k = 0; k < provider->fault_count; k++) {
            int64_t hint_ms = provider->faults[k].retry_after_ms;
            if (provider->hints == RC_SIM_HINTS_LONG)
                hint_ms = RC_SIM_LONG_HINT_MS;
            else if (provider->hints != RC_SIM_HINTS_EXACT)
                hint_ms = 0;
            longest_ms = hint_ms > longest_ms ? hint_ms : longest_ms;
        }
    }
    return longest_ms;
}

static rc_sim_goal_value check_added(const rc_sim_scenario *scenario, const rc_sim_result *result,
                                     const rc_sim_policy_result *ours, uint32_t permille)
{
    uint64_t plain_ms = rc_histogram_at(&result->oracle->added, permille);
    uint64_t gradual_ms = rc_histogram_at(&gradual_of(result)->added, permille);
    uint64_t oracle_ms = plain_ms > gradual_ms ? plain_ms : gradual_ms;
    rc_sim_goal_value value = most((int64_t)rc_histogram_at(&ours->added, permille),
                                   (int64_t)oracle_ms * ADDED_PCT / 100 + hint_delay_ms(scenario) +
                                       (int64_t)cost_of_outages(scenario).delay_ms);
    value.applies = plain_ms > 0;
    return value;
}

static rc_sim_goal_value check_recovery(const rc_sim_scenario *scenario,
                                        const rc_sim_result *result,
                                        const rc_sim_policy_result *ours)
{
    if (result->oracle->recovery_ms < 0)
        return (rc_sim_goal_value){.applies = false};
    int64_t value_ms = ours->recovery_ms >= 0 ? ours->recovery_ms : (int64_t)result->duration_ms;
    return most(value_ms, result->oracle->recovery_ms + RECOVERY_MORE_MS + hint_delay_ms(scenario));
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
        return check_added(scenario, result, ours, 500);
    case RC_SIM_GOAL_ADDED_P99:
        return check_added(scenario, result, ours, 990);
    case RC_SIM_GOAL_RECOVERY:
        return check_recovery(scenario, result, ours);
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
