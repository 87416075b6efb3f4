/* Tests of the delivery goals: all built-in scenarios against tests/golden/goals.txt, and random
 * scenarios. docs/internals/goals.md explains the goals.
 *
 * RECOURSE_GOALS_OUT: a file to which the table of the built-in scenarios is written, to update
 * tests/golden/goals.txt after a change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/goals.h"
#include "support/often.h"
#include "support/sim_random.h"
#include "support/sim_scenarios.h"

/* Seeds 1 to 8 in make soak, seed 1 otherwise. */
#define SEEDS (1 + OFTEN(7))
#define RANDOM_SCENARIOS OFTEN(1000)
/* A share of a few percent needs this number of scenarios. Builds with sanitizers run fewer; there,
 * the random scenarios only check the assertions and the memory accesses of the code. */
#define MEASURED_SCENARIOS 100u
/* Shares of the random scenarios that may miss a goal, in percent. docs/internals/goals.md names
 * the reasons. */
#define MISSED_CALLS_PCT 10
#define MISSED_LATENCY_PCT 20
#define MISSED_SUCCESS_PCT 3
#define GOLDEN_MAX (1u << 20)

static rc_sim_scenario scenario;

/* Runs the policy "recourse" (number 0), the other tools' loops and both oracles. */
static rc_sim_result *run_all(uint64_t seed)
{
    static const char *const names[] = {"recourse", "openai-sdk", "litellm",       "portkey",
                                        "naive",    "none",       "oracle-gradual"};
    scenario.policy_count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(rc_sim_scenario_add(&scenario, rc_str_c(names[i])), RC_SIM_ADDED);
    rc_sim_result *result = sim_scenario_run(&scenario, seed);
    assert_non_null(result->oracle);
    return result;
}

static void push_line(rc_buf *buf, const rc_sim_result *result, rc_sim_goal goal,
                      const rc_sim_goal_value *value)
{
    char line[128];
    (void)snprintf(line, sizeof line, "%-16s %u %-10s %10lld <= %lld\n", result->scenario,
                   (unsigned)result->seed, rc_sim_goal_name(goal), (long long)value->value,
                   (long long)value->bound);
    rc_buf_push(buf, rc_str_c(line));
}

/* Appends the values of the goals that apply to the result (buf may be NULL), and checks that they
 * are met. */
static void check_goals(rc_buf *buf, const rc_sim_result *result)
{
    for (int i = 0; i < RC_SIM_GOAL_COUNT; i++) {
        rc_sim_goal_value value = rc_sim_goal_check((rc_sim_goal)i, &scenario, result, 0);
        if (!value.applies)
            continue;
        if (buf != NULL)
            push_line(buf, result, (rc_sim_goal)i, &value);
        if (!rc_sim_goal_is_met(&value))
            fail_msg("%s, seed %u: goal %s is missed: %lld > %lld", result->scenario,
                     (unsigned)result->seed, rc_sim_goal_name((rc_sim_goal)i),
                     (long long)value.value, (long long)value.bound);
    }
}

static void read_golden(char *text, size_t size)
{
    FILE *file = fopen(RC_TEST_DIR "/golden/goals.txt", "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    assert_true(length < size - 1);
    text[length] = '\0';
}

/* Compares the lines of seed 1 with the golden file. */
static void compare_with_golden(const char *text)
{
    static char golden[GOLDEN_MAX];
    const char *out = getenv("RECOURSE_GOALS_OUT");
    if (out != NULL) {
        FILE *file = fopen(out, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
        assert_int_equal(fclose(file), 0);
        return;
    }
    read_golden(golden, sizeof golden);
    for (const char *line = text; *line != '\0';) {
        size_t length = (size_t)(strchr(line, '\n') - line) + 1;
        char wanted[160];
        assert_true(length < sizeof wanted);
        memcpy(wanted, line, length);
        wanted[length] = '\0';
        if (strstr(golden, wanted) == NULL)
            fail_msg("not in tests/golden/goals.txt: %s", wanted);
        line += length;
    }
    assert_int_equal(strlen(text), strlen(golden));
}

static void test_the_built_in_scenarios_meet_the_goals(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, GOLDEN_MAX);
    for (size_t i = 0; rc_sim_builtin_at(i) != NULL; i++) {
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            sim_scenario_builtin(&scenario, rc_sim_builtin_at(i)->name);
            rc_sim_result *result = run_all(seed);
            check_goals(seed == 1 ? &buf : NULL, result);
            rc_sim_result_free(result);
        }
    }
    rc_buf_push_byte(&buf, '\0');
    compare_with_golden(rc_buf_get(&buf).ptr);
    rc_buf_done(&buf);
}

/* The success of the other clients is the same, within 0.5 points, without the greedy client. */
static void test_a_greedy_client_costs_the_others_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        sim_scenario_builtin(&scenario, "greedy-client");
        rc_sim_result *with = run_all(seed);
        scenario.clients.every_ms =
            scenario.clients.every_ms * 100 / (100 - scenario.clients.greedy_pct);
        scenario.clients.greedy_pct = 0;
        rc_sim_result *without = run_all(seed);
        const rc_sim_policy_result *others = &with->policies[0];
        uint64_t share = others->others_in_time * 100000 / others->others_requests;
        assert_true(share + 500 >= without->policies[0].success_milli_pct);
        rc_sim_result_free(with);
        rc_sim_result_free(without);
    }
}

/* Most random scenarios meet all goals. The shares of those that do not are bounded. */
static void test_random_scenarios_meet_the_goals(void **state)
{
    (void)state;
    uint32_t missed[RC_SIM_GOAL_COUNT] = {0};
    for (uint64_t number = 1; number <= RANDOM_SCENARIOS; number++) {
        sim_random_scenario(&scenario, number);
        rc_sim_result *result = run_all(1);
        for (int i = 0; i < RC_SIM_GOAL_COUNT; i++) {
            rc_sim_goal_value value = rc_sim_goal_check((rc_sim_goal)i, &scenario, result, 0);
            missed[i] += !rc_sim_goal_is_met(&value);
        }
        rc_sim_result_free(result);
    }
    for (int i = 0; i < RC_SIM_GOAL_COUNT; i++) {
        bool is_latency = i == RC_SIM_GOAL_ADDED_P50 || i == RC_SIM_GOAL_ADDED_P99;
        bool is_calls = i == RC_SIM_GOAL_CALLS || i == RC_SIM_GOAL_OUTAGE;
        uint32_t most_pct = is_latency ? MISSED_LATENCY_PCT
                            : is_calls ? MISSED_CALLS_PCT
                                       : MISSED_SUCCESS_PCT;
        print_message("%s: %u of %u missed\n", rc_sim_goal_name((rc_sim_goal)i), missed[i],
                      (unsigned)RANDOM_SCENARIOS);
        if (RANDOM_SCENARIOS >= MEASURED_SCENARIOS)
            assert_true(missed[i] * 100 <= RANDOM_SCENARIOS * most_pct);
    }
    assert_int_equal(missed[RC_SIM_GOAL_CALM], 0);
}

/* With `wait: off`, `learn: off` and `failover: last` (the policy all-off), the results are those
 * of the time before these settings existed: tests/golden/all_off.txt. */
static void test_the_previous_behaviour_is_available(void **state)
{
    (void)state;
    static const char *const names[] = {"brownout",   "flaky-stream",  "outage",     "quota",
                                        "rate-limit", "recovery-herd", "retry-storm"};
    FILE *file = fopen(RC_TEST_DIR "/golden/all_off.txt", "rb");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[128];
        char wanted[128];
        sim_scenario_builtin(&scenario, names[i]);
        scenario.policy_count = 0;
        assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("all-off")), RC_SIM_ADDED);
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        (void)snprintf(line, sizeof line, "%s: %u.%03u %% in time, %llu calls\n", names[i],
                       result->policies[0].success_milli_pct / 1000,
                       result->policies[0].success_milli_pct % 1000,
                       (unsigned long long)result->policies[0].calls);
        rc_sim_result_free(result);
        assert_non_null(fgets(wanted, sizeof wanted, file));
        assert_string_equal(line, wanted);
    }
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_built_in_scenarios_meet_the_goals),
        cmocka_unit_test(test_a_greedy_client_costs_the_others_nothing),
        cmocka_unit_test(test_random_scenarios_meet_the_goals),
        cmocka_unit_test(test_the_previous_behaviour_is_available),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
