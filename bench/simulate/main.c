/* Measures the cost of a simulated request: one million of them in the retry storm, with our own
 * policy and with each of the others. CPU time of this thread; the goal is per policy. */
#include <recourse/stdlib.h>

#include <stdio.h>
#include <time.h>

#include "sim/scenario_yaml.h"
#include "sim/sim.h"

#define REQUESTS 1000000
#define GOAL_S 20.0

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs the scenario with one policy. Returns seconds, or a negative number after a message. */
static double run(rc_sim_scenario *scenario, const rc_sim_policy *policy)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_options options = {.seed = 1, .requests = REQUESTS};
    rc_sim_result *result = NULL;
    scenario->policies[0] = *policy;
    scenario->policy_count = 1;
    double start_s = cpu_s();
    rc_status status = rc_sim_run(scenario, &options, &alloc, &result);
    double took_s = cpu_s() - start_s;
    if (status != RC_OK) {
        fprintf(stderr, "%s: %s\n", policy->name, rc_status_name(status));
        return -1;
    }
    const rc_sim_policy_result *done = &result->policies[0];
    printf("%-14s %9llu requests %9llu calls  %6.2f s  %5.0f ns a request\n", policy->name,
           (unsigned long long)done->requests, (unsigned long long)done->calls, took_s,
           took_s * 1e9 / (double)done->requests);
    rc_sim_result_free(result);
    return took_s;
}

int main(void)
{
    static rc_sim_scenario scenario;
    static rc_config_faults faults;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    const rc_sim_builtin *storm = rc_sim_builtin_named(RC_STR("retry-storm"));
    if (storm == NULL ||
        rc_sim_scenario_parse(rc_str_c(storm->text), &alloc, &faults, &scenario) != RC_OK) {
        fprintf(stderr, "the scenario cannot be read\n");
        return 1;
    }
    static rc_sim_policy policies[RC_SIM_POLICIES_MAX];
    uint32_t count = scenario.policy_count;
    for (uint32_t i = 0; i < count; i++)
        policies[i] = scenario.policies[i];
    double worst_s = 0;
    for (uint32_t i = 0; i < count; i++) {
        double took_s = run(&scenario, &policies[i]);
        if (took_s < 0)
            return 1;
        worst_s = took_s > worst_s ? took_s : worst_s;
    }
    printf("a million requests: at most %.2f s; goal %.0f s: %s\n", worst_s, GOAL_S,
           worst_s < GOAL_S ? "met" : "MISSED");
    return 0;
}
