/* Reads scenarios from YAML. Called by recourse simulate. */
#include "sim/scenario_yaml.h"

#include <string.h>

#include "config/policy.h"
#include "sim/scenario_keys.h"

/* Policies that are compared if a scenario names none. */
static const char *const default_policies[] = {"recourse", "openai-sdk", "litellm",
                                               "portkey",  "naive",      "none"};

static const rc_yaml_node *get(const rc_yaml_node *map, const char *key)
{
    return rc_yaml_get(map, rc_str_c(key));
}

/* Returns whether the node is a list of 1 to `max` items. If not, adds a fault. */
static bool is_list(const rc_yaml_node *node, uint32_t max, rc_config_faults *faults)
{
    if (!rc_yaml_expect(node, RC_YAML_LIST, faults))
        return false;
    if (node->count >= 1 && node->count <= max)
        return true;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "expected 1 to ");
    rc_config_fault_append_u64(fault, max);
    return false;
}

static void missing(const rc_yaml_node *node, const char *key, rc_config_faults *faults)
{
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, key);
    rc_config_fault_append(fault, " is missing");
}

/* ---- clients ---- */

static void need(const rc_yaml_node *node, const char *const *keys, rc_config_faults *faults)
{
    for (; *keys != NULL; keys++)
        if (get(node, *keys) == NULL)
            missing(node, *keys, faults);
}

static void check_end(const rc_yaml_node *node, uint64_t from_ms, uint64_t until_ms,
                      rc_config_faults *faults)
{
    const rc_yaml_node *end = get(node, "until_ms");
    if (end != NULL && from_ms >= until_ms)
        rc_config_fault_append(rc_yaml_fault(faults, end), "the end must be after the start");
}

static void read_clients(const rc_yaml_node *node, rc_sim_clients *clients,
                         rc_config_faults *faults)
{
    static const char *const needed[] = {"from_ms", "until_ms", "pct", NULL};
    if (!rc_sim_read_section(node, RC_SIM_AT_CLIENTS, clients, faults))
        return;
    const rc_yaml_node *surge = get(node, "surge");
    if (surge == NULL || !rc_sim_read_section(surge, RC_SIM_AT_SURGE, &clients->surge, faults))
        return;
    need(surge, needed, faults);
    check_end(surge, clients->surge.from_ms, clients->surge.until_ms, faults);
}

/* ---- providers ---- */

static void read_fault(const rc_yaml_node *node, rc_sim_fault *fault, rc_config_faults *faults)
{
    rc_sim_fault_init(fault, RC_SIM_OUTAGE);
    if (!rc_sim_read_section(node, RC_SIM_AT_FAULT, fault, faults))
        return;
    static const char *const needed[] = {"kind", "from_ms", "until_ms", NULL};
    need(node, needed, faults);
    check_end(node, fault->from_ms, fault->until_ms, faults);
    const rc_yaml_node *hint = get(node, "retry_after_ms");
    if (hint != NULL && !rc_sim_fault_has_hint(fault->kind))
        rc_config_fault_append(rc_yaml_fault_at_key(faults, hint),
                               "only outage, error and overload can have retry_after_ms");
}

static void read_provider(const rc_yaml_node *node, rc_sim_provider *provider,
                          rc_config_faults *faults)
{
    rc_sim_provider_init(provider, RC_STR(""));
    if (!rc_sim_read_section(node, RC_SIM_AT_PROVIDER, provider, faults))
        return;
    if (get(node, "name") == NULL)
        missing(node, "name", faults);
    const rc_yaml_node *limits = get(node, "limits");
    if (limits != NULL)
        (void)rc_sim_read_section(limits, RC_SIM_AT_LIMITS, &provider->limits, faults);
    const rc_yaml_node *capacity = get(node, "capacity");
    if (capacity != NULL)
        (void)rc_sim_read_section(capacity, RC_SIM_AT_CAPACITY, &provider->capacity, faults);
    /* Without the key `burst`, the burst is the capacity of one second. */
    if (capacity != NULL && get(capacity, "burst") == NULL)
        provider->capacity.burst = provider->capacity.per_s;
    const rc_yaml_node *price = get(node, "price");
    if (price != NULL)
        (void)rc_sim_read_section(price, RC_SIM_AT_PRICE, provider, faults);
    const rc_yaml_node *list = get(node, "faults");
    if (list == NULL || !is_list(list, RC_SIM_FAULTS_MAX, faults))
        return;
    for (const rc_yaml_node *fault = list->first; fault != NULL; fault = fault->next)
        read_fault(fault, &provider->faults[provider->fault_count++], faults);
}

/* Reads keys_of, the name of an earlier provider. The last provider of the scenario is the one that
 * `node` describes. */
static void read_keys_of(const rc_yaml_node *node, rc_sim_scenario *scenario,
                         rc_config_faults *faults)
{
    const rc_yaml_node *value = get(node, "keys_of");
    rc_str name;
    if (value == NULL || !rc_yaml_text(value, faults, &name))
        return;
    uint32_t last = scenario->provider_count - 1;
    for (uint32_t i = 0; i < last; i++) {
        if (!rc_str_eq(name, rc_str_c(scenario->providers[i].name)))
            continue;
        scenario->providers[last].keys_of = i + 1;
        scenario->providers[last].keys = scenario->providers[i].keys;
        scenario->providers[last].limits = scenario->providers[i].limits;
        return;
    }
    rc_config_fault_append_quoted(
        rc_config_fault_append(rc_yaml_fault(faults, value), "there is no earlier provider "),
        name);
}

/* Adds a fault for a duplicate name, because results identify providers by their name. */
static void check_provider_name(const rc_yaml_node *node, const rc_sim_scenario *scenario,
                                rc_config_faults *faults)
{
    const rc_yaml_node *name = get(node, "name");
    const char *last = scenario->providers[scenario->provider_count - 1].name;
    for (uint32_t i = 0; name != NULL && last[0] != '\0' && i + 1 < scenario->provider_count; i++)
        if (strcmp(scenario->providers[i].name, last) == 0)
            rc_config_fault_append_quoted(
                rc_config_fault_append(rc_yaml_fault(faults, name), "two providers are named "),
                rc_str_c(last));
}

/* ---- policies ---- */

static const char *policy_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return rc_sim_policy_name_at(index);
}

static void add_named(const rc_yaml_node *node, rc_sim_scenario *scenario, rc_config_faults *faults)
{
    rc_sim_add_result added = rc_sim_scenario_add(scenario, node->text);
    if (added == RC_SIM_ADDED)
        return;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    if (added == RC_SIM_ADD_TWICE) {
        rc_config_fault_append_quoted(rc_config_fault_append(fault, "two policies are named "),
                                      node->text);
        return;
    }
    rc_config_fault_append_quoted(rc_config_fault_append(fault, "there is no policy "), node->text);
    rc_config_fault_suggest(fault, node->text, policy_name_at, NULL);
}

/* Reads a part of a policy that can be switched off: "off", or a map of its settings. "off" sets
 * *switch_field to 0. */
static void read_part(const rc_yaml_node *node, rc_sim_section section, void *fields,
                      uint32_t *switch_field, rc_config_faults *faults)
{
    if (node == NULL)
        return;
    if (node->kind == RC_YAML_SCALAR && rc_str_eq(node->text, RC_STR("off")))
        *switch_field = 0;
    else
        (void)rc_sim_read_section(node, section, fields, faults);
}

/* Reads a setting with two values. Returns whether its value is the second one. */
static bool is_second(const rc_yaml_node *node, const char *first, const char *second,
                      rc_config_faults *faults)
{
    rc_str text;
    if (node == NULL || !rc_yaml_text(node, faults, &text) || rc_str_eq(text, rc_str_c(first)))
        return false;
    if (rc_str_eq(text, rc_str_c(second)))
        return true;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append_quoted(rc_config_fault_append(fault, "expected "), rc_str_c(first));
    rc_config_fault_append_quoted(rc_config_fault_append(fault, " or "), rc_str_c(second));
    return false;
}

/* Reads the retry rules of a policy: the name of a preset, or a policy as in recourse.yaml. */
static void read_rules(const rc_yaml_node *node, rc_sim_policy *policy, rc_config_faults *faults)
{
    if (node->kind != RC_YAML_SCALAR) {
        (void)rc_policy_read(node, rc_str_c(policy->name), faults, &policy->policy);
        return;
    }
    const rc_policy *preset = rc_policy_preset(node->text);
    if (preset != NULL) {
        policy->policy = *preset;
        return;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append_quoted(rc_config_fault_append(fault, "there is no preset "), node->text);
}

static void read_policy(const rc_yaml_node *node, rc_sim_scenario *scenario,
                        rc_config_faults *faults)
{
    if (node->kind == RC_YAML_SCALAR) {
        add_named(node, scenario, faults);
        return;
    }
    rc_sim_policy policy =
        rc_sim_policy_of(rc_policy_preset(RC_STR("transport")), RC_STR(""), RC_STR(""));
    if (!rc_sim_read_section(node, RC_SIM_AT_POLICY, &policy, faults))
        return;
    if (get(node, "name") == NULL)
        missing(node, "name", faults);
    const rc_yaml_node *rules = get(node, "policy");
    if (rules != NULL)
        read_rules(rules, &policy, faults);
    read_part(get(node, "budget"), RC_SIM_AT_BUDGET, &policy.settings.retry_budget,
              &policy.settings.retry_budget.burst, faults);
    read_part(get(node, "breaker"), RC_SIM_AT_BREAKER, &policy.settings.breaker,
              &policy.settings.breaker.min_calls, faults);
    if (is_second(get(node, "wait"), "on", "off", faults))
        policy.queue.max_waiting = 0;
    policy.is_learn_off = is_second(get(node, "learn"), "on", "off", faults);
    policy.is_failover_last = is_second(get(node, "failover"), "first", "last", faults);
    for (uint32_t i = 0; i < scenario->policy_count; i++)
        if (strcmp(scenario->policies[i].name, policy.name) == 0)
            rc_config_fault_append_quoted(
                rc_config_fault_append(rc_yaml_fault(faults, node), "two policies are named "),
                rc_str_c(policy.name));
    scenario->policies[scenario->policy_count++] = policy;
}

/* ---- scenarios ---- */

static void read_lists(const rc_yaml_node *root, rc_sim_scenario *scenario,
                       rc_config_faults *faults)
{
    const rc_yaml_node *providers = get(root, "providers");
    if (providers != NULL && is_list(providers, RC_SIM_PROVIDERS_MAX, faults)) {
        scenario->provider_count = 0;
        for (const rc_yaml_node *node = providers->first; node != NULL; node = node->next) {
            read_provider(node, &scenario->providers[scenario->provider_count++], faults);
            check_provider_name(node, scenario, faults);
            read_keys_of(node, scenario, faults);
        }
    }
    const rc_yaml_node *policies = get(root, "policies");
    if (policies != NULL && is_list(policies, RC_SIM_POLICIES_MAX, faults))
        for (const rc_yaml_node *node = policies->first; node != NULL; node = node->next)
            read_policy(node, scenario, faults);
    for (size_t i = 0; policies == NULL && i < sizeof default_policies / sizeof default_policies[0];
         i++)
        (void)rc_sim_scenario_add(scenario, rc_str_c(default_policies[i]));
}

/* Adds a fault with the number of requests if there are too many. The static text of
 * rc_sim_scenario_check cannot have this number. */
static void check_requests(const rc_yaml_node *root, const rc_sim_scenario *scenario,
                           rc_config_faults *faults)
{
    if (faults->count > 0 || rc_sim_scenario_requests(scenario) <= RC_SIM_REQUESTS_MAX)
        return;
    const rc_yaml_node *clients = get(root, "clients");
    rc_config_fault *fault = rc_yaml_fault(faults, clients != NULL ? clients : root);
    rc_config_fault_append(fault, "some ");
    rc_config_fault_append_u64(fault, rc_sim_scenario_requests(scenario));
    rc_config_fault_append(fault, " requests would arrive, and ");
    rc_config_fault_append_u64(fault, RC_SIM_REQUESTS_MAX);
    rc_config_fault_append(fault, " is the maximum");
}

static void read_all(const rc_yaml_node *root, rc_sim_scenario *scenario, rc_config_faults *faults)
{
    rc_sim_scenario_init(scenario);
    if (!rc_sim_read_section(root, RC_SIM_AT_TOP, scenario, faults))
        return;
    const rc_yaml_node *clients = get(root, "clients");
    if (clients != NULL)
        read_clients(clients, &scenario->clients, faults);
    read_lists(root, scenario, faults);
    check_requests(root, scenario, faults);
    const char *wrong = faults->count == 0 ? rc_sim_scenario_check(scenario) : NULL;
    if (wrong != NULL)
        rc_config_fault_append(rc_yaml_fault(faults, root), wrong);
}

rc_status rc_sim_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                rc_sim_scenario *ret_scenario)
{
    rc_sim_scenario *scenario = alloc->get(alloc->ctx, sizeof *scenario);
    if (scenario == NULL)
        return RC_E_NOMEM;
    rc_yaml doc;
    faults->is_open = true;
    rc_status status = rc_yaml_parse(&doc, text, alloc, faults);
    if (status == RC_OK) {
        read_all(doc.root, scenario, faults);
        rc_config_faults_sort(faults);
        if (faults->count > 0)
            status = RC_E_RANGE;
        else
            *ret_scenario = *scenario;
    }
    rc_yaml_done(&doc);
    alloc->put(alloc->ctx, scenario, sizeof *scenario);
    return status;
}
