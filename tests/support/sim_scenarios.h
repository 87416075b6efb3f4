/* Scenarios for the tests of the simulator: small ones made by hand, and the built-in ones. */
#ifndef TESTS_SUPPORT_SIM_WORLD_H
#define TESTS_SUPPORT_SIM_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "sim/scenario_yaml.h"
#include "sim/sim.h"

/* Fills in a scenario with one provider that responds in 100 ms, and 100 requests per second for 20
 * s, each with 10 input and 5 output tokens. */
static inline void sim_scenario_small(rc_sim_scenario *scenario, const char *policy)
{
    rc_sim_scenario_init(scenario);
    scenario->duration_ms = 20000;
    scenario->clients.count = 100;
    scenario->clients.every_ms = 1000;
    scenario->clients.tokens_in = (rc_sim_spread){10, 10, 10, 10, 10};
    scenario->clients.tokens_out = (rc_sim_spread){5, 5, 5, 5, 5};
    scenario->providers[0].first_token_ms = (rc_sim_spread){100, 100, 100, 100, 100};
    scenario->providers[0].tokens_per_s = 0;
    scenario->providers[0].input_nano_usd = 7;
    scenario->providers[0].output_nano_usd = 11;
    assert_int_equal(rc_sim_scenario_add(scenario, rc_str_c(policy)), RC_SIM_ADDED);
}

static inline rc_sim_fault *sim_scenario_add_fault(rc_sim_scenario *scenario,
                                                   rc_sim_fault_kind kind, uint64_t from_ms,
                                                   uint64_t until_ms)
{
    rc_sim_provider *provider = &scenario->providers[0];
    rc_sim_fault *fault = &provider->faults[provider->fault_count++];
    rc_sim_fault_init(fault, kind);
    fault->from_ms = from_ms;
    fault->until_ms = until_ms;
    return fault;
}

static inline void sim_scenario_builtin(rc_sim_scenario *scenario, const char *name)
{
    static rc_config_faults faults;
    const rc_sim_builtin *builtin = rc_sim_builtin_named(rc_str_c(name));
    assert_non_null(builtin);
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    rc_status status = rc_sim_scenario_parse(rc_str_c(builtin->text), &alloc, &faults, scenario);
    if (faults.count > 0)
        print_message("%s:%u: %s\n", name, faults.list[0].line, faults.list[0].message);
    assert_int_equal(status, RC_OK);
}

/* Runs a scenario. The caller frees the result. */
static inline rc_sim_result *sim_scenario_run(const rc_sim_scenario *scenario, uint64_t seed)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_options options = {.seed = seed};
    rc_sim_result *result = NULL;
    assert_int_equal(rc_sim_run(scenario, &options, &alloc, &result), RC_OK);
    assert_non_null(result);
    return result;
}

/* Checks the invariants of every result. */
static inline void sim_result_check(const rc_sim_result *result)
{
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *policy = &result->policies[i];
        rc_sim_bucket sum = {.requests = 0};
        for (uint32_t j = 0; j < policy->bucket_count; j++) {
            const rc_sim_bucket *bucket = &policy->buckets[j];
            sum.requests += bucket->requests;
            sum.requests_ok += bucket->requests_ok;
            sum.calls += bucket->calls;
            sum.retries += bucket->retries;
            sum.granted += bucket->granted;
            sum.delivered += bucket->delivered;
            sum.failed += bucket->failed;
            assert_true(bucket->requests_ok <= bucket->requests);
            assert_true(bucket->retries <= bucket->calls);
        }
        assert_int_equal(policy->requests,
                         policy->in_time + policy->late + policy->truncated + policy->failed);
        assert_int_equal(policy->calls, policy->requests - policy->refused + policy->retries);
        assert_int_equal(policy->wasted_calls, policy->calls - policy->in_time - policy->late);
        assert_int_equal(sum.requests, policy->requests);
        assert_int_equal(sum.requests_ok, policy->in_time);
        assert_int_equal(sum.calls, policy->calls);
        assert_int_equal(sum.retries, policy->retries);
        assert_int_equal(sum.granted, policy->retries);
        assert_int_equal(sum.delivered, policy->in_time + policy->late);
        assert_int_equal(sum.failed, policy->failed + policy->truncated);
        assert_int_equal(policy->latency.count, policy->in_time + policy->late);
        assert_int_equal(policy->failing.count, policy->failed);
        assert_true(policy->wasted_nano_usd <= policy->cost_nano_usd);
        uint64_t stops = 0;
        for (uint32_t j = 0; j < RC_SIM_REASONS; j++)
            stops += policy->stops[j];
        assert_int_equal(stops, policy->failed);
        if (!policy->is_ours)
            continue;
        /* the deadline applies to all attempts together, so no request is late */
        assert_int_equal(policy->late, 0);
        assert_true(policy->latency.max_ms <= result->deadline_ms);
        assert_true(policy->failing.max_ms <= result->deadline_ms);
    }
}

#endif
