/* Tests of scenarios in YAML: accepted keys, and refused scenarios with the position of the
 * fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "sim/scenario_keys.h"
#include "sim/scenario_yaml.h"
#include "support/fail_alloc.h"

static rc_config_faults faults;
static rc_sim_scenario scenario;

static rc_status parse(const char *text)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    return rc_sim_scenario_parse(rc_str_c(text), &alloc, &faults, &scenario);
}

static void assert_valid(const char *text)
{
    rc_status status = parse(text);
    if (faults.count > 0)
        print_message("%u: %s: %s\n", faults.list[0].line, faults.list[0].path,
                      faults.list[0].message);
    assert_int_equal(status, RC_OK);
}

static void every_key_can_be_set(void **state)
{
    (void)state;
    assert_valid(
        "name: all\n"
        "about: every key once\n"
        "seed: 9223372036854775807\n"
        "duration_ms: 2m\n"
        "clients:\n"
        "  count: 1000000\n"
        "  every_ms: 30s\n"
        "  loop: closed\n"
        "  surge: {from_ms: 10s, until_ms: 20s, pct: 300}\n"
        "  processes: 4\n"
        "  stream: true\n"
        "  tokens_in: {min: 1, p50: 2, p90: 3, p99: 4, max: 5}\n"
        "  tokens_out: 7\n"
        "  deadline_ms: 45s\n"
        "  first_token_wait_ms: 9s\n"
        "providers:\n"
        "  - name: one\n"
        "    dialect: anthropic\n"
        "    first_token_ms: {p50: 300, p99: 2s}\n"
        "    tokens_per_s: 60\n"
        "    fails_in_ms: 20\n"
        "    keys: 3\n"
        "    limits: {requests_per_min: 100, tokens_per_min: 90000, burst_ms: 5s,\n"
        "             concurrency: 8, quota_requests: 5000000000}\n"
        "    capacity: {per_s: 70, shed_cost_pct: 25, warm_up_ms: 3s}\n"
        "    price: {input_usd_per_mtok: 0.15, output_usd_per_mtok: 15}\n"
        "    faults:\n"
        "      - {kind: slow-first, from_ms: 1s, until_ms: 2s, share_pct: 50, slow_pct: 900}\n"
        "      - {kind: cut, from_ms: 1s, until_ms: 2s, after_tokens: 3}\n"
        "      - {kind: outage, from_ms: 5s, until_ms: 6s, retry_after_ms: 0}\n"
        "  - name: two\n"
        "policies:\n"
        "  - recourse\n"
        "  - naive\n"
        "  - name: mine\n"
        "    about: fewer tries\n"
        "    policy: {preset: session, max_attempts: 2}\n"
        "    budget: {ratio: 0.1, floor_per_s: 5, burst: 50}\n"
        "    breaker: {window_ms: 5s, min_calls: 10, failure_pct: 40, open_ms: 500,\n"
        "              open_max_ms: 2s}\n"
        "    cooldown_ms: 0\n"
        "    exhausted_ms: 1m\n"
        "  - {name: bare, policy: council, budget: off, breaker: off}\n");
    const rc_sim_clients *clients = &scenario.clients;
    assert_string_equal(scenario.name, "all");
    assert_true(scenario.seed == INT64_MAX);
    assert_int_equal(scenario.duration_ms, 120000);
    assert_int_equal(clients->count, 1000000);
    assert_int_equal(clients->loop, RC_SIM_CLOSED);
    assert_int_equal(clients->surge.pct, 300);
    assert_int_equal(clients->processes, 4);
    assert_true(clients->is_streaming);
    assert_int_equal(clients->tokens_in.max, 5);
    assert_int_equal(clients->tokens_out.min, 7);
    assert_int_equal(clients->tokens_out.max, 7);
    assert_int_equal(clients->deadline_ms, 45000);
    assert_int_equal(clients->first_token_wait_ms, 9000);
    assert_int_equal(scenario.provider_count, 2);
    const rc_sim_provider *one = &scenario.providers[0];
    assert_int_equal(one->dialect, RC_SIM_ANTHROPIC);
    assert_int_equal(one->first_token_ms.min, 300);
    assert_int_equal(one->first_token_ms.p90, 300);
    assert_int_equal(one->first_token_ms.max, 2000);
    assert_int_equal(one->keys, 3);
    assert_int_equal(one->limits.burst_ms, 5000);
    assert_true(one->limits.quota_requests == UINT64_C(5000000000));
    assert_int_equal(one->capacity.burst, 70);
    assert_int_equal(one->capacity.warm_up_ms, 3000);
    assert_int_equal(one->input_nano_usd, 150);
    assert_int_equal(one->output_nano_usd, 15000);
    assert_int_equal(one->fault_count, 3);
    assert_int_equal(one->faults[0].kind, RC_SIM_SLOW_FIRST);
    assert_int_equal(one->faults[0].retry_after_ms, -1);
    assert_int_equal(one->faults[1].after_tokens, 3);
    assert_int_equal(one->faults[2].retry_after_ms, 0);
    assert_int_equal(scenario.policy_count, 4);
    assert_int_equal(scenario.policies[1].rival, RC_SIM_NAIVE);
    const rc_sim_policy *mine = &scenario.policies[2];
    assert_string_equal(mine->about, "fewer tries");
    assert_int_equal(mine->policy.default_rule.max_attempts, 2);
    assert_int_equal(mine->settings.retry_budget.ratio_milli, 100);
    assert_int_equal(mine->settings.breaker.open_max_ms, 2000);
    assert_int_equal(mine->settings.cooldown_ms, 0);
    assert_int_equal(scenario.policies[3].settings.retry_budget.burst, 0);
    assert_int_equal(scenario.policies[3].settings.breaker.min_calls, 0);
}

static void few_keys_are_required(void **state)
{
    (void)state;
    assert_valid("name: little\n");
    assert_int_equal(scenario.provider_count, 1);
    assert_int_equal(scenario.policy_count, 6);
    assert_null(rc_sim_scenario_check(&scenario));
}

typedef struct fault_case {
    const char *text;
    uint32_t line;
    const char *path;
    const char *part; /* a part of the message, or the suggested name */
} fault_case;

static const fault_case fault_cases[] = {
    {"- a\n", 1, "", "map"},
    {"nam: x\n", 1, "nam", "name"},
    {"duration_ms: 0\n", 1, "duration_ms", "at least 1"},
    {"duration_ms: 2h\n", 1, "duration_ms", ""},
    {"seed: 9223372036854775808\n", 1, "seed", ""},
    {"seed: 010\n", 1, "seed", "without leading zeros"},
    {"duration_ms: 010s\n", 1, "duration_ms", ""},
    {"", 1, "", "a map"},
    {"duration_ms: 1h\nclients: {count: 1000000, every_ms: 1}\n", 2, "clients",
     "some 3600000000000 requests would arrive, and 200000000"},
    {"providers:\n  - name: a\n  - name: b\n  - name: a\n", 4, "providers[2].name",
     "two providers are named \"a\""},
    {"providers:\n  - name: a\n    faults: [{kind: refuse, from_ms: 1, until_ms: 2, "
     "retry_after_ms: 1}]\n",
     3, "providers[0].faults[0].retry_after_ms", "can have retry_after_ms"},
    {"providers:\n  - name: a\n    faults: [{kind: reset, from_ms: 1, until_ms: 2, retry_after_ms: "
     "0}]\n",
     3, "providers[0].faults[0].retry_after_ms", "can have retry_after_ms"},
    {"clients: {tokens_in: many}\n", 1, "clients.tokens_in", "not \"many\""},
    {"name: \"a\\eb\"\n", 1, "name", "one line"},
    {"name: \"a\\x9bb\"\n", 1, "name", "one line"},
    {"name: abcdefghijklmnopqrstuvwxyzabcdefghijk\n", 1, "name", "at most 31"},
    {"clients: 5\n", 1, "clients", "map"},
    {"clients:\n  coutn: 5\n", 2, "clients.coutn", "count"},
    {"clients: {count: 1000001}\n", 1, "clients.count", ""},
    {"clients: {loop: opne}\n", 1, "clients.loop", "open"},
    {"clients: {surge: {from_ms: 1s}}\n", 1, "clients.surge", "missing"},
    {"clients: {surge: {from_ms: 2s, until_ms: 1s, pct: 200}}\n", 1, "clients.surge.until_ms",
     "after the start"},
    {"clients: {tokens_in: {p90: 4}}\n", 1, "clients.tokens_in", "p50 is missing"},
    {"clients: {tokens_in: {p50: 4, p90: 3}}\n", 1, "clients.tokens_in", "decrease"},
    {"clients: {tokens_in: -1}\n", 1, "clients.tokens_in", ""},
    {"providers: []\n", 1, "providers", "1 to 8"},
    {"providers:\n  - {keys: 2}\n", 2, "providers[0]", "name is missing"},
    {"providers:\n  - {name: a, keys: 9}\n", 2, "providers[0].keys", ""},
    {"providers:\n  - name: a\n    faults: [{kind: outag, from_ms: 1, until_ms: 2}]\n", 3,
     "providers[0].faults[0].kind", "outage"},
    {"providers:\n  - name: a\n    faults: [{kind: outage, from_ms: 2, until_ms: 2}]\n", 3,
     "providers[0].faults[0].until_ms", "after the start"},
    {"providers:\n  - name: a\n    faults: [{from_ms: 1, until_ms: 2}]\n", 3,
     "providers[0].faults[0]", "kind is missing"},
    {"providers:\n  - name: a\n    price: {input_usd_per_mtok: 0.0001}\n", 3,
     "providers[0].price.input_usd_per_mtok", ""},
    {"providers:\n  - name: a\n    limits: {tokens_per_min: 10}\n", 1, "", "limit's burst"},
    {"policies: [recourse, recourse]\n", 1, "policies[1]", "two policies"},
    {"policies: [openai-sdc]\n", 1, "policies[0]", "openai-sdk"},
    {"policies: [{policy: transport}]\n", 1, "policies[0]", "name is missing"},
    {"policies: [{name: a, policy: transprt}]\n", 1, "policies[0].policy", "no preset"},
    {"policies: [{name: a, policy: {retry_on: [AuthFailed]}}]\n", 1, "policies[0].policy", ""},
    {"policies: [{name: a, breaker: maybe}]\n", 1, "policies[0].breaker", ""},
    {"policies: [{name: naive}, naive]\n", 1, "policies[1]", "two policies"},
    {"policies: [naive, {name: naive}]\n", 1, "policies[1]", "two policies"},
};

static void faults_are_named_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fault_cases / sizeof fault_cases[0]; i++) {
        const fault_case *c = &fault_cases[i];
        memset(&scenario, 0, sizeof scenario);
        rc_status status = parse(c->text);
        const rc_config_fault *fault = &faults.list[0];
        bool is_named =
            strstr(fault->message, c->part) != NULL || strstr(fault->nearest, c->part) != NULL;
        bool is_placed = strncmp(fault->path, c->path, strlen(c->path)) == 0;
        if (faults.count == 0 || fault->line != c->line || !is_named || !is_placed)
            print_message("%s%u:%u: %s: %s (%s)\n", c->text, fault->line, fault->column,
                          fault->path, fault->message, fault->nearest);
        assert_int_equal(status, RC_E_RANGE);
        assert_true(faults.count > 0);
        assert_int_equal(fault->line, c->line);
        assert_true(is_placed && is_named);
        assert_int_equal(scenario.policy_count, 0); /* the result was not written */
    }
}

/* Applies the same checks to a scenario that was not read from YAML. */
static void the_check_refuses_what_the_reader_refuses(void **state)
{
    (void)state;
    assert_valid("name: a\nseed: 0\n");
    scenario.duration_ms = RC_SIM_DURATION_MAX_MS;
    scenario.clients.every_ms = 10;
    assert_string_equal(rc_sim_scenario_check(&scenario),
                        "more than 200000000 requests would arrive");
    scenario.clients.every_ms = 20;
    assert_null(rc_sim_scenario_check(&scenario));
    scenario.clients.surge = (rc_sim_surge){.from_ms = 1, .until_ms = 2, .pct = 200};
    assert_null(rc_sim_scenario_check(&scenario));
    scenario.clients.surge.until_ms = RC_SIM_DURATION_MAX_MS;
    assert_non_null(rc_sim_scenario_check(&scenario));

    assert_valid("providers: [{name: a}, {name: b}]\n");
    scenario.providers[1].name[0] = 'a';
    assert_string_equal(rc_sim_scenario_check(&scenario), "two providers have the same name");

    for (int kind = 0; kind < RC_SIM_FAULT_COUNT; kind++) {
        assert_valid("name: a\n");
        scenario.providers[0].fault_count = 1;
        rc_sim_fault_init(&scenario.providers[0].faults[0], (rc_sim_fault_kind)kind);
        scenario.providers[0].faults[0].until_ms = 1;
        assert_null(rc_sim_scenario_check(&scenario));
        scenario.providers[0].faults[0].retry_after_ms = 0;
        assert_int_equal(rc_sim_scenario_check(&scenario) == NULL, kind <= RC_SIM_OVERLOAD);
    }
}

static void all_faults_are_reported_at_once(void **state)
{
    (void)state;
    assert_int_equal(parse("nam: x\nclients: {count: 0, evry_ms: 1}\nproviders: 7\n"), RC_E_RANGE);
    assert_int_equal(faults.count, 4);
}

static void text_that_is_not_yaml_is_reported_as_such(void **state)
{
    (void)state;
    assert_int_equal(parse("name: [\n"), RC_E_SYNTAX);
    assert_int_equal(faults.count, 1);
    assert_int_equal(parse("name: a\nname: b\n"), RC_E_DUPLICATE);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    const rc_sim_builtin *builtin = rc_sim_builtin_named(RC_STR("outage"));
    rc_status status = RC_E_NOMEM;
    for (size_t n = 1; status == RC_E_NOMEM; n++) {
        fail_alloc counting = {.fail_at = n};
        rc_alloc alloc = fail_alloc_of(&counting);
        rc_config_faults_init(&faults);
        status = rc_sim_scenario_parse(rc_str_c(builtin->text), &alloc, &faults, &scenario);
        assert_int_equal(counting.live, 0);
        assert_false(counting.is_broken);
        assert_true(n < 1000);
    }
    assert_int_equal(status, RC_OK);
}

static void the_built_in_scenarios_are_valid(void **state)
{
    (void)state;
    static const char *const wanted[] = {"outage",      "brownout",      "rate-limit",  "quota",
                                         "retry-storm", "recovery-herd", "flaky-stream"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_non_null(rc_sim_builtin_named(rc_str_c(wanted[i])));
    size_t count = 0;
    for (const rc_sim_builtin *builtin; (builtin = rc_sim_builtin_at(count)) != NULL; count++) {
        assert_valid(builtin->text);
        assert_string_equal(scenario.name, builtin->name);
        assert_string_equal(scenario.about, builtin->about);
        assert_string_equal(scenario.policies[0].name, "recourse");
    }
    assert_true(count >= 7);
    assert_null(rc_sim_builtin_named(RC_STR("nothing")));
}

static void every_listed_policy_exists(void **state)
{
    (void)state;
    static const char *const wanted[] = {"recourse", "openai-sdk", "litellm", "portkey", "naive",
                                         "none",     "transport",  "session", "council"};
    size_t found = 0;
    for (size_t i = 0; rc_sim_policy_name_at(i) != NULL; i++) {
        rc_str name = rc_str_c(rc_sim_policy_name_at(i));
        rc_sim_policy policy;
        assert_true(rc_sim_policy_named(name, &policy));
        assert_string_equal(policy.name, name.ptr);
        assert_true(policy.about[0] != '\0');
        for (size_t j = 0; j < sizeof wanted / sizeof wanted[0]; j++)
            found += rc_str_eq(name, rc_str_c(wanted[j]));
    }
    assert_int_equal(found, sizeof wanted / sizeof wanted[0]);
}

static void the_number_of_policies_is_limited(void **state)
{
    (void)state;
    rc_sim_scenario_init(&scenario);
    assert_non_null(rc_sim_scenario_check(&scenario));
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("recourse")), RC_SIM_ADDED);
    assert_null(rc_sim_scenario_check(&scenario));
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("recourse")), RC_SIM_ADD_TWICE);
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("x")), RC_SIM_ADD_UNKNOWN);
    for (scenario.policy_count = 1; scenario.policy_count < RC_SIM_POLICIES_MAX;)
        scenario.policies[scenario.policy_count++].name[0] = '\0';
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("naive")), RC_SIM_ADD_FULL);
}

/* docs/simulate.md explains every key. */
static void the_documentation_has_every_key(void **state)
{
    (void)state;
    static char page[65536];
    FILE *file = fopen(RC_TEST_DIR "/../docs/simulate.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (int section = 0; section < RC_SIM_SECTION_COUNT; section++) {
        const char *key;
        for (size_t i = 0; (key = rc_sim_key_at((rc_sim_section)section, i)) != NULL; i++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "`%s`", key);
            if (strstr(page, quoted) == NULL)
                fail_msg("docs/simulate.md does not explain %s", quoted);
        }
    }
    for (int kind = 0; kind < RC_SIM_FAULT_COUNT; kind++) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "`%s`", rc_sim_fault_name((rc_sim_fault_kind)kind));
        assert_non_null(strstr(page, quoted));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_can_be_set),
        cmocka_unit_test(few_keys_are_required),
        cmocka_unit_test(faults_are_named_with_their_position),
        cmocka_unit_test(the_check_refuses_what_the_reader_refuses),
        cmocka_unit_test(all_faults_are_reported_at_once),
        cmocka_unit_test(text_that_is_not_yaml_is_reported_as_such),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(the_built_in_scenarios_are_valid),
        cmocka_unit_test(every_listed_policy_exists),
        cmocka_unit_test(the_number_of_policies_is_limited),
        cmocka_unit_test(the_documentation_has_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
