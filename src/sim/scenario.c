/* Defaults and checks of scenarios. Called by scenario_keys.c, scenario_yaml.c, policies.c, sim.c
 * and src/cli/simulate/command.c. */
#include "sim/scenario.h"

#include <string.h>

void rc_sim_text_set(char *field, size_t size, rc_str text)
{
    size_t len = text.len < size ? text.len : size - 1;
    while (len < text.len && len > 0 && ((unsigned char)text.ptr[len] & 0xC0) == 0x80)
        len--;
    if (len > 0)
        memcpy(field, text.ptr, len);
    field[len] = '\0';
}

void rc_sim_provider_init(rc_sim_provider *provider, rc_str name)
{
    *provider = (rc_sim_provider){
        .dialect = RC_SIM_OPENAI,
        .first_token_ms = {150, 400, 900, 2500, 5000},
        .tokens_per_s = 100,
        .fails_in_ms = 50,
        .keys = 1,
        .weight = 1,
        .limits = {.burst_ms = 10000},
        .input_nano_usd = 2500,
        .output_nano_usd = 10000,
    };
    rc_sim_text_set(provider->name, sizeof provider->name, name);
}

void rc_sim_fault_init(rc_sim_fault *fault, rc_sim_fault_kind kind)
{
    *fault = (rc_sim_fault){.kind = kind, .share_pct = 100, .retry_after_ms = -1, .slow_pct = 500};
}

void rc_sim_scenario_init(rc_sim_scenario *scenario)
{
    *scenario = (rc_sim_scenario){.name = "unnamed", .seed = 1, .duration_ms = 60000};
    scenario->clients = (rc_sim_clients){
        .count = 1000,
        .every_ms = 10000,
        .loop = RC_SIM_OPEN,
        .processes = 1,
        .tokens_in = {200, 800, 2500, 8000, 16000},
        .tokens_out = {20, 150, 400, 800, 1200},
        .deadline_ms = 60000,
    };
    scenario->provider_count = 1;
    rc_sim_provider_init(&scenario->providers[0], RC_STR("primary"));
}

/* Returns the duration in hundredths of a millisecond. The time of a surge is weighted by its
 * percentage. */
static uint64_t weighted_ms(const rc_sim_scenario *scenario)
{
    const rc_sim_surge *surge = &scenario->clients.surge;
    uint64_t end_ms =
        surge->until_ms < scenario->duration_ms ? surge->until_ms : scenario->duration_ms;
    uint64_t surge_ms = end_ms > surge->from_ms ? end_ms - surge->from_ms : 0;
    return (scenario->duration_ms - surge_ms) * 100 + surge_ms * surge->pct;
}

uint64_t rc_sim_scenario_requests(const rc_sim_scenario *scenario)
{
    return weighted_ms(scenario) * scenario->clients.count / scenario->clients.every_ms / 100;
}

uint64_t rc_sim_scenario_requests_max(const rc_sim_scenario *scenario)
{
    uint64_t most = weighted_ms(scenario) * RC_SIM_CLIENTS_MAX / 100;
    return most < RC_SIM_REQUESTS_MAX ? most : RC_SIM_REQUESTS_MAX;
}

bool rc_sim_fault_has_hint(rc_sim_fault_kind kind)
{
    return kind == RC_SIM_OUTAGE || kind == RC_SIM_ERROR || kind == RC_SIM_OVERLOAD;
}

static bool is_in_order(const rc_sim_spread *spread)
{
    return spread->min <= spread->p50 && spread->p50 <= spread->p90 && spread->p90 <= spread->p99 &&
           spread->p99 <= spread->max;
}

static const char *check_clients(const rc_sim_clients *clients)
{
    if (clients->count < 1 || clients->count > RC_SIM_CLIENTS_MAX)
        return "count of clients must be 1 to 1000000";
    if (clients->every_ms < 1 || clients->every_ms > RC_SIM_DURATION_MAX_MS)
        return "every_ms must be 1 to 3600000";
    if (clients->loop != RC_SIM_OPEN && clients->loop != RC_SIM_CLOSED)
        return "loop must be open or closed";
    if (clients->processes < 1 || clients->processes > RC_SIM_PROCESSES_MAX)
        return "processes must be 1 to 64";
    if (!is_in_order(&clients->tokens_in) || !is_in_order(&clients->tokens_out))
        return "the quantiles of tokens must not decrease";
    if (clients->tokens_in.max > RC_SIM_TOKENS_MAX || clients->tokens_out.max > RC_SIM_TOKENS_MAX)
        return "a request has at most 10000000 tokens";
    if (clients->greedy_pct > 99)
        return "greedy_pct must be at most 99";
    if (clients->greedy_pct > 0 && (clients->loop != RC_SIM_OPEN || clients->count < 2))
        return "greedy_pct needs an open loop and other clients";
    if (clients->surge.from_ms >= clients->surge.until_ms && clients->surge.until_ms > 0)
        return "the surge ends before it begins";
    if (clients->surge.until_ms > 0 &&
        (clients->surge.pct < 1 || clients->surge.pct > RC_SIM_SURGE_MAX_PCT))
        return "pct of a surge must be 1 to 10000";
    if (clients->deadline_ms < 1 || clients->deadline_ms > RC_SIM_DEADLINE_MAX_MS)
        return "deadline_ms must be 1 to 3600000";
    return NULL;
}

static const char *check_fault(const rc_sim_fault *fault)
{
    if ((int)fault->kind < 0 || fault->kind >= RC_SIM_FAULT_COUNT)
        return "a fault has an unknown kind";
    if (fault->from_ms >= fault->until_ms)
        return "a fault ends before it begins";
    if (fault->share_pct < 1 || fault->share_pct > 100)
        return "a fault must affect 1 to 100 percent of the calls";
    if (fault->retry_after_ms > RC_SIM_DURATION_MAX_MS)
        return "retry_after_ms must be at most 3600000";
    if (fault->retry_after_ms >= 0 && !rc_sim_fault_has_hint(fault->kind))
        return "only outage, error and overload can have retry_after_ms";
    if (fault->slow_pct < 1 || fault->slow_pct > RC_SIM_SLOW_MAX_PCT)
        return "slow_pct must be 1 to 100000";
    return NULL;
}

static const char *check_provider(const rc_sim_provider *provider, const rc_sim_clients *clients)
{
    uint64_t most_tokens = (uint64_t)clients->tokens_in.max + clients->tokens_out.max;
    if ((int)provider->dialect < 0 || provider->dialect >= RC_SIM_DIALECT_COUNT)
        return "a provider has an unknown dialect";
    if (provider->weight < 1 || provider->weight > RC_WEIGHT_MAX)
        return "the weight of a provider is 1 to 10000";
    if (!is_in_order(&provider->first_token_ms))
        return "the quantiles of the first token must not decrease";
    if (provider->first_token_ms.max > RC_SIM_DURATION_MAX_MS ||
        provider->fails_in_ms > RC_SIM_DURATION_MAX_MS)
        return "a provider's response time must be at most 3600000 ms";
    if ((int)provider->hints < 0 || provider->hints >= RC_SIM_HINTS_COUNT)
        return "a provider has unknown hints";
    if (provider->keys < 1 || provider->keys > RC_SIM_KEYS_MAX)
        return "a provider must have 1 to 8 keys";
    if (provider->limits.burst_ms < 1 || provider->limits.burst_ms > RC_SIM_MINUTE_MS)
        return "a rate limit's burst must be 1 to 60000 ms";
    uint64_t tokens =
        (uint64_t)provider->limits.tokens_per_min * provider->limits.burst_ms / RC_SIM_MINUTE_MS;
    if (provider->limits.tokens_per_min > 0 && most_tokens > tokens)
        return "a request can be larger than the token limit's burst";
    if (provider->capacity.per_s > 0 && provider->capacity.burst < 1)
        return "a capacity needs a burst of at least 1";
    if (provider->capacity.shed_cost_pct > 100)
        return "the cost of shedding must be at most the cost of serving";
    if (provider->capacity.warm_up_ms > RC_SIM_DURATION_MAX_MS)
        return "warm_up_ms must be at most 3600000";
    if (provider->fault_count > RC_SIM_FAULTS_MAX)
        return "a provider can have at most 8 faults";
    const char *wrong = NULL;
    for (uint32_t i = 0; i < provider->fault_count && wrong == NULL; i++)
        wrong = check_fault(&provider->faults[i]);
    return wrong;
}

static bool has_name_twice(const rc_sim_scenario *scenario)
{
    for (uint32_t i = 1; i < scenario->provider_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(scenario->providers[i].name, scenario->providers[j].name) == 0)
                return true;
    return false;
}

const char *rc_sim_scenario_check(const rc_sim_scenario *scenario)
{
    if (scenario->duration_ms < 1 || scenario->duration_ms > RC_SIM_DURATION_MAX_MS)
        return "duration_ms must be 1 to 3600000";
    if (scenario->provider_count < 1 || scenario->provider_count > RC_SIM_PROVIDERS_MAX)
        return "a scenario must have 1 to 8 providers";
    if (scenario->policy_count < 1 || scenario->policy_count > RC_SIM_POLICIES_MAX)
        return "a scenario must have 1 to 16 policies";
    if ((int)scenario->any_of < 0 || scenario->any_of > RC_SIM_BY_REMAINING)
        return "any_of has an unknown value";
    if (has_name_twice(scenario))
        return "two providers have the same name";
    const char *wrong = check_clients(&scenario->clients);
    if (wrong == NULL && rc_sim_scenario_requests(scenario) > RC_SIM_REQUESTS_MAX)
        wrong = "more than 200000000 requests would arrive";
    for (uint32_t i = 0; i < scenario->provider_count && wrong == NULL; i++)
        wrong = check_provider(&scenario->providers[i], &scenario->clients);
    for (uint32_t i = 0; i < scenario->provider_count && wrong == NULL; i++)
        if (scenario->providers[i].keys_of > i)
            wrong = "keys_of must name an earlier provider";
    for (uint32_t i = 0; i < scenario->policy_count && wrong == NULL; i++) {
        const rc_sim_policy *policy = &scenario->policies[i];
        if ((int)policy->rival < 0 || policy->rival == RC_SIM_RIVAL_COUNT ||
            policy->rival > RC_SIM_ORACLE)
            return "a policy has an unknown kind";
        if (policy->rival == RC_SIM_OURS)
            wrong = rc_policy_check(&policy->policy);
    }
    return wrong;
}

const char *rc_sim_fault_name(rc_sim_fault_kind kind)
{
    static const char *const names[RC_SIM_FAULT_COUNT] = {
        "outage", "error", "overload",   "refuse", "reset",
        "hang",   "slow",  "slow-first", "cut",    "quota"};
    return (int)kind >= 0 && kind < RC_SIM_FAULT_COUNT ? names[kind] : "";
}

const char *rc_sim_dialect_name(rc_sim_dialect dialect)
{
    static const char *const names[RC_SIM_DIALECT_COUNT] = {"openai", "anthropic"};
    return (int)dialect >= 0 && dialect < RC_SIM_DIALECT_COUNT ? names[dialect] : "";
}

const char *rc_sim_hints_name(rc_sim_hints hints)
{
    static const char *const names[RC_SIM_HINTS_COUNT] = {"exact", "none", "zero", "long", "past"};
    return (int)hints >= 0 && hints < RC_SIM_HINTS_COUNT ? names[hints] : "";
}
