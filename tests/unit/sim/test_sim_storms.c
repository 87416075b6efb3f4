/* Tests of the guarantees of the policy engine during an outage, in virtual time: the load does not
 * multiply, the system recovers, and retries are not sent all at once (as a herd). The tests run
 * with the whole engine, and with the retry budget alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/often.h"
#include "support/sim_scenarios.h"

#define SEEDS (1 + OFTEN(10))
#define DRAINED_MAX_MILLI 1200
#define RECOVERED_MILLI_PCT 99000

static rc_sim_scenario scenario;

static const rc_sim_policy_result *policy_of(const rc_sim_result *result, const char *name)
{
    for (uint32_t i = 0; i < result->policy_count; i++)
        if (strcmp(result->policies[i].name, name) == 0)
            return &result->policies[i];
    fail_msg("no policy %s", name);
    return NULL;
}

/* Runs a built-in scenario with another kind of fault. */
static rc_sim_result *run_ours(const char *name, rc_sim_fault_kind kind, uint64_t seed)
{
    sim_scenario_builtin(&scenario, name);
    scenario.policy_count = 0;
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("wait-off")), RC_SIM_ADDED);
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("budget-alone")), RC_SIM_ADDED);
    scenario.providers[0].faults[0].kind = kind;
    rc_sim_result *result = sim_scenario_run(&scenario, seed);
    sim_result_check(result);
    return result;
}

static void check_storm(const rc_sim_result *result, const rc_sim_policy_result *policy)
{
    uint64_t limit_ms = policy->refill_ms * 2;
    uint64_t healed_ms = result->fault_until_ms + limit_ms;
    uint32_t second = rc_sim_success_milli_pct(policy, healed_ms, healed_ms + 1000);
    if (policy->drained.calls_per_request_milli > DRAINED_MAX_MILLI || policy->recovery_ms < 0 ||
        policy->recovery_ms > (int64_t)limit_ms || second < RECOVERED_MILLI_PCT ||
        policy->herd.is_herd)
        print_message("%s, %s, seed %llu: drained %u, recovery %lld, second %u, herd %u\n",
                      result->scenario, policy->name, (unsigned long long)result->seed,
                      policy->drained.calls_per_request_milli, (long long)policy->recovery_ms,
                      second, policy->herd.ratio_milli);
    assert_int_equal(policy->refill_ms, 10000);
    assert_true(policy->drained.requests > 1000);
    assert_true(policy->drained.calls_per_request_milli <= DRAINED_MAX_MILLI);
    assert_true(policy->recovery_ms >= 0 && policy->recovery_ms <= (int64_t)limit_ms);
    assert_true(second >= RECOVERED_MILLI_PCT);
    assert_false(policy->herd.is_herd);
}

/* The policies wait longer before a retry after status 503 than after status 500. The guarantees
 * hold for both statuses and for several seeds. */
static void the_guarantees_hold(void **state)
{
    (void)state;
    static const char *const names[] = {"outage", "retry-storm"};
    static const rc_sim_fault_kind kinds[] = {RC_SIM_OUTAGE, RC_SIM_ERROR};
    for (size_t i = 0; i < 4; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            rc_sim_result *result = run_ours(names[i / 2], kinds[i % 2], seed);
            check_storm(result, &result->policies[0]);
            check_storm(result, &result->policies[1]);
            rc_sim_result_free(result);
        }
    }
}

/* The checks of herds above have a meaning only if enough retries follow after the fault. */
static void there_are_enough_retries_to_judge_a_herd(void **state)
{
    (void)state;
    rc_sim_result *result = run_ours("retry-storm", RC_SIM_OUTAGE, 1);
    for (size_t i = 0; i < 2; i++) {
        assert_true(result->policies[i].herd.retries > 500);
        assert_true(result->policies[i].herd.tenths >= 800);
        assert_true(result->policies[i].herd.peak > 0);
    }
    rc_sim_result_free(result);
}

/* A provider that restarts with reduced capacity names the same retry time to all clients. */
static void a_shared_retry_hint_causes_no_herd(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        rc_sim_result *result = run_ours("recovery-herd", RC_SIM_OUTAGE, seed);
        assert_false(result->policies[0].herd.is_herd);
        assert_false(result->policies[1].herd.is_herd);
        rc_sim_result_free(result);
    }
}

/* If a third of the calls fail, retries are granted continuously, but never more than the ratio
 * allows. */
static void an_empty_budget_grants_its_ratio(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed++) {
        rc_sim_result *result = run_ours("brownout", RC_SIM_ERROR, seed);
        assert_true(result->policies[0].drained.requests > 1000);
        assert_true(result->policies[0].drained.calls_per_request_milli <= DRAINED_MAX_MILLI);
        rc_sim_result_free(result);
    }
}

/* A check of the test above, which must be able to fail: without a retry budget the same simulation
 * multiplies the load. */
static void without_the_budget_the_load_multiplies(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "retry-storm");
    scenario.providers[0].faults[0].kind = RC_SIM_ERROR;
    scenario.policies[0] = scenario.policies[1]; /* the policy budget-alone */
    scenario.policy_count = 1;
    scenario.policies[0].settings.retry_budget.burst = 0;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    assert_true(result->policies[0].in_fault.calls_per_request_milli > 2000);
    assert_int_equal(result->policies[0].refill_ms, 0);
    rc_sim_result_free(result);
}

static void rival_loops_multiply_the_load(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "retry-storm");
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *ours = policy_of(result, "recourse");
    assert_true(ours->in_fault.calls_per_request_milli < 1000);
    assert_true(policy_of(result, "openai-sdk")->in_fault.calls_per_request_milli > 2500);
    assert_true(policy_of(result, "naive")->in_fault.calls_per_request_milli > 4500);
    /* The provider has 50 % spare capacity: a retry loop that needs more keeps the provider
     * overloaded. */
    assert_true(policy_of(result, "naive")->recovery_ms > 2 * ours->recovery_ms);
    rc_sim_result_free(result);
}

/* With recourse, an exhausted quota costs about one call per key; a loop that treats it as a rate
 * limit retries every request. */
static void an_exhausted_quota_costs_one_call_per_key(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "quota");
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *ours = policy_of(result, "recourse");
    assert_int_equal(ours->in_time, ours->requests);
    assert_true(ours->wasted_calls < 30);
    assert_true(policy_of(result, "litellm")->wasted_calls > 10000);
    rc_sim_result_free(result);
}

static void no_truncated_stream_is_delivered_as_whole(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "flaky-stream");
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *ours = policy_of(result, "recourse");
    assert_int_equal(ours->truncated, 0);
    assert_true(ours->success_milli_pct > policy_of(result, "openai-sdk")->success_milli_pct);
    assert_true(policy_of(result, "portkey")->truncated > 0);
    rc_sim_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_guarantees_hold),
        cmocka_unit_test(there_are_enough_retries_to_judge_a_herd),
        cmocka_unit_test(a_shared_retry_hint_causes_no_herd),
        cmocka_unit_test(an_empty_budget_grants_its_ratio),
        cmocka_unit_test(without_the_budget_the_load_multiplies),
        cmocka_unit_test(rival_loops_multiply_the_load),
        cmocka_unit_test(an_exhausted_quota_costs_one_call_per_key),
        cmocka_unit_test(no_truncated_stream_is_delivered_as_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
