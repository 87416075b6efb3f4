/* The built-in policies by name. Called by scenario_yaml.c and recourse simulate. */
#include "sim/rivals.h"
#include "sim/scenario.h"

#define OURS_COUNT 4
#define ORACLE "oracle"
#define GRADUAL "oracle-gradual"
/* Ceiling of the waiting requests of one simulated process. */
#define WAITING_MAX 1000000u
#define OURS "recourse"
#define WAIT_OFF "wait-off"
#define BUDGET_ALONE "budget-alone"
#define ALL_OFF "all-off"

rc_sim_policy rc_sim_policy_of(const rc_policy *policy, rc_str name, rc_str about)
{
    rc_sim_policy made = {
        .rival = RC_SIM_OURS, .policy = *policy, .settings = rc_shared_settings_default()};
    made.queue = rc_queue_settings_default();
    made.queue.max_waiting = WAITING_MAX;
    rc_sim_text_set(made.name, sizeof made.name, name);
    rc_sim_text_set(made.about, sizeof made.about, about);
    return made;
}

static rc_sim_policy ours(void)
{
    return rc_sim_policy_of(
        rc_policy_preset(RC_STR("transport")), RC_STR(OURS),
        RC_STR("the preset transport, with the waiting queue and learned limits"));
}

static rc_sim_policy wait_off(void)
{
    rc_sim_policy policy = rc_sim_policy_of(
        rc_policy_preset(RC_STR("transport")), RC_STR(WAIT_OFF),
        RC_STR("the preset transport with budget, breaker and cooldowns; no request waits for a "
               "target"));
    policy.queue.max_waiting = 0;
    return policy;
}

static rc_sim_policy all_off(void)
{
    rc_sim_policy policy = wait_off();
    rc_sim_text_set(policy.name, sizeof policy.name, RC_STR(ALL_OFF));
    rc_sim_text_set(policy.about, sizeof policy.about,
                    RC_STR("the preset transport with wait: off, learn: off, failover: last"));
    policy.is_learn_off = true;
    policy.is_failover_last = true;
    return policy;
}

static rc_sim_policy budget_alone(void)
{
    rc_sim_policy policy =
        rc_sim_policy_of(rc_policy_preset(RC_STR("transport")), RC_STR(BUDGET_ALONE),
                         RC_STR("the preset transport with the retry budget, but no breaker and "
                                "no assumed cooldown"));
    policy.settings.breaker.min_calls = 0;
    policy.settings.cooldown_ms = 0;
    policy.queue.max_waiting = 0;
    return policy;
}

rc_sim_policy rc_sim_oracle(void)
{
    rc_sim_policy policy =
        rc_sim_policy_of(rc_policy_preset(RC_STR("none")), RC_STR(ORACLE),
                         RC_STR("knows when faults, limits and capacity change, and sends each "
                                "request when it can succeed, the earliest deadline first"));
    policy.rival = RC_SIM_ORACLE;
    policy.queue.quantum = UINT32_MAX;
    return policy;
}

rc_sim_policy rc_sim_gradual_oracle(void)
{
    rc_sim_policy policy = rc_sim_oracle();
    rc_sim_text_set(policy.name, sizeof policy.name, RC_STR(GRADUAL));
    rc_sim_text_set(
        policy.about, sizeof policy.about,
        RC_STR("the oracle, but waiting requests start at most at 1.5 times the rate of "
               "arriving requests"));
    policy.is_gradual = true;
    return policy;
}

bool rc_sim_policy_named(rc_str name, rc_sim_policy *ret_policy)
{
    for (int i = RC_SIM_OURS + 1; i < RC_SIM_RIVAL_COUNT; i++) {
        const rc_sim_rival_row *row = rc_sim_rival_row_of((rc_sim_rival)i);
        if (!rc_str_eq(name, rc_str_c(row->name)))
            continue;
        *ret_policy = (rc_sim_policy){.rival = (rc_sim_rival)i};
        rc_sim_text_set(ret_policy->name, sizeof ret_policy->name, name);
        rc_sim_text_set(ret_policy->about, sizeof ret_policy->about, rc_str_c(row->about));
        return true;
    }
    if (rc_str_eq(name, RC_STR(OURS))) {
        *ret_policy = ours();
        return true;
    }
    if (rc_str_eq(name, RC_STR(WAIT_OFF))) {
        *ret_policy = wait_off();
        return true;
    }
    if (rc_str_eq(name, RC_STR(ALL_OFF))) {
        *ret_policy = all_off();
        return true;
    }
    if (rc_str_eq(name, RC_STR(BUDGET_ALONE))) {
        *ret_policy = budget_alone();
        return true;
    }
    if (rc_str_eq(name, RC_STR(ORACLE))) {
        *ret_policy = rc_sim_oracle();
        return true;
    }
    if (rc_str_eq(name, RC_STR(GRADUAL))) {
        *ret_policy = rc_sim_gradual_oracle();
        return true;
    }
    const rc_policy *preset = rc_policy_preset(name);
    if (preset == NULL)
        return false;
    *ret_policy =
        rc_sim_policy_of(preset, name, RC_STR("this preset with budget, breaker and cooldowns"));
    return true;
}

/* The order is: policies of recourse, the rival loops, the presets whose name no rival loop has. */
const char *rc_sim_policy_name_at(size_t index)
{
    static const char *const names[OURS_COUNT] = {OURS, WAIT_OFF, ALL_OFF, BUDGET_ALONE};
    if (index < OURS_COUNT)
        return names[index];
    index -= OURS_COUNT;
    if (index < RC_SIM_RIVAL_COUNT - 1)
        return rc_sim_rival_row_of((rc_sim_rival)(index + 1))->name;
    index -= RC_SIM_RIVAL_COUNT - 1;
    for (size_t i = 0;; i++) {
        const rc_policy *preset = rc_policy_at(i);
        if (preset == NULL)
            return NULL;
        rc_sim_policy named;
        bool is_rival =
            rc_sim_policy_named(rc_str_c(preset->name), &named) && named.rival != RC_SIM_OURS;
        if (!is_rival && index-- == 0)
            return preset->name;
    }
}

rc_sim_add_result rc_sim_scenario_add(rc_sim_scenario *scenario, rc_str policy_name)
{
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        if (rc_str_eq(policy_name, rc_str_c(scenario->policies[i].name)))
            return RC_SIM_ADD_TWICE;
    rc_sim_policy policy;
    if (!rc_sim_policy_named(policy_name, &policy))
        return RC_SIM_ADD_UNKNOWN;
    if (scenario->policy_count == RC_SIM_POLICIES_MAX)
        return RC_SIM_ADD_FULL;
    scenario->policies[scenario->policy_count++] = policy;
    return RC_SIM_ADDED;
}
