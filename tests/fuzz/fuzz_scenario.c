/* Bytes as a scenario. A refused scenario gets a position and a reason. An accepted scenario is
 * valid and runs: a short copy of it ends, every request is accounted for, and recourse's policies
 * respect the deadline. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "sim/scenario_yaml.h"
#include "sim/sim.h"

/* Limits that shorten the run of one input; all other values are those of the file. */
#define DURATION_MAX_MS 5000
#define PAUSE_MIN_MS 20
#define REQUESTS_MAX 300
#define SURGE_MAX_PCT 500
#define PROCESSES_MAX 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_faults(rc_status status, const rc_config_faults *faults)
{
    require(status != RC_E_NOMEM, "there was memory");
    require(faults->count > 0, "a refusal says why");
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++)
        require(faults->list[i].message[0] != '\0', "a fault has a message");
}

static void check_policy(const rc_sim_policy_result *policy, uint64_t deadline_ms)
{
    uint64_t requests = 0;
    uint64_t calls = 0;
    for (uint32_t i = 0; i < policy->bucket_count; i++) {
        requests += policy->buckets[i].requests;
        calls += policy->buckets[i].calls;
    }
    require(policy->requests == policy->in_time + policy->late + policy->truncated + policy->failed,
            "every request ends once");
    require(policy->calls == policy->requests - policy->refused + policy->retries,
            "every call is a first one or a retry");
    require(requests == policy->requests && calls == policy->calls, "the buckets have all");
    require(policy->wasted_nano_usd <= policy->cost_nano_usd, "waste is a part of the cost");
    if (!policy->is_ours)
        return;
    require(policy->late == 0 && policy->failing.max_ms <= deadline_ms, "a deadline is kept");
    require(policy->truncated == 0, "no stream is passed on as if it were whole");
}

static void run(rc_sim_scenario *scenario)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_options options = {.requests = REQUESTS_MAX};
    rc_sim_result *result = NULL;
    if (scenario->duration_ms > DURATION_MAX_MS)
        scenario->duration_ms = DURATION_MAX_MS;
    if (scenario->clients.every_ms < PAUSE_MIN_MS)
        scenario->clients.every_ms = PAUSE_MIN_MS;
    if (scenario->clients.surge.pct > SURGE_MAX_PCT)
        scenario->clients.surge.pct = SURGE_MAX_PCT;
    if (scenario->clients.processes > PROCESSES_MAX)
        scenario->clients.processes = PROCESSES_MAX;
    require(rc_sim_run(scenario, &options, &alloc, &result) == RC_OK, "a sound scenario runs");
    for (uint32_t i = 0; i < result->policy_count; i++)
        check_policy(&result->policies[i], scenario->clients.deadline_ms);
    rc_sim_result_free(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rc_sim_scenario scenario;
    static rc_config_faults faults;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    rc_str text = rc_str_make(size > 0 ? (const char *)data : NULL, size);
    rc_status status = rc_sim_scenario_parse(text, &alloc, &faults, &scenario);
    if (status != RC_OK) {
        check_faults(status, &faults);
        return 0;
    }
    require(rc_sim_scenario_check(&scenario) == NULL, "what is read is sound");
    run(&scenario);
    return 0;
}
