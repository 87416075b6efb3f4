/* Random scenarios for the goals of the delivery: other rates, deadlines, durations, faults, limits
 * and chains than the built-in scenarios have. Used by test_sim_goals.c. */
#ifndef RC_SUPPORT_SIM_RANDOM_H
#define RC_SUPPORT_SIM_RANDOM_H

#include <stdio.h>

#include "sim/rng.h"
#include "sim/scenario.h"

static inline uint32_t sim_random_between(rc_sim_rng *rng, uint32_t least, uint32_t most)
{
    return least + rc_sim_rng_below(rng, most - least + 1);
}

/* Returns a number between least and least * 2^steps, each octave with the same probability. */
static inline uint32_t sim_random_octaves(rc_sim_rng *rng, uint32_t least, uint32_t steps)
{
    uint32_t low = least << rc_sim_rng_below(rng, steps);
    return sim_random_between(rng, low, low * 2);
}

static inline void sim_random_clients(rc_sim_rng *rng, rc_sim_scenario *scenario)
{
    rc_sim_clients *clients = &scenario->clients;
    clients->every_ms = sim_random_octaves(rng, 1000, 6);
    clients->count = sim_random_octaves(rng, 1, 11);
    if (clients->count * UINT64_C(1000) / clients->every_ms >
        200) /* at most 200 requests a second */
        clients->count = clients->every_ms / 5;
    clients->deadline_ms = sim_random_octaves(rng, 15000, 3);
    clients->is_streaming = rc_sim_rng_hits(rng, 30);
    if (clients->is_streaming && rc_sim_rng_hits(rng, 50))
        clients->first_token_wait_ms = sim_random_between(rng, 6000, 15000);
    if (rc_sim_rng_hits(rng, 15))
        clients->processes = sim_random_between(rng, 2, 6);
    if (rc_sim_rng_hits(rng, 10))
        clients->loop = RC_SIM_CLOSED;
    else if (rc_sim_rng_hits(rng, 30)) /* busy hours */
        clients->surge = (rc_sim_surge){
            .from_ms = 20000, .until_ms = 50000, .pct = sim_random_between(rng, 120, 250)};
    clients->tokens_in = (rc_sim_spread){100, 600, 1500, 3000, 4000};
    clients->tokens_out = (rc_sim_spread){20, 100, 250, 500, 700};
}

/* Returns the mean requests per minute, at least 1. */
static inline uint32_t sim_random_per_min(const rc_sim_scenario *scenario)
{
    uint64_t rate = UINT64_C(60000) * scenario->clients.count / scenario->clients.every_ms;
    return rate > 0 ? (uint32_t)rate : 1;
}

static inline void sim_random_fault(rc_sim_rng *rng, const rc_sim_scenario *scenario,
                                    rc_sim_fault *fault)
{
    static const rc_sim_fault_kind kinds[] = {RC_SIM_OUTAGE, RC_SIM_ERROR,      RC_SIM_OVERLOAD,
                                              RC_SIM_REFUSE, RC_SIM_RESET,      RC_SIM_HANG,
                                              RC_SIM_SLOW,   RC_SIM_SLOW_FIRST, RC_SIM_CUT};
    rc_sim_fault_init(fault, kinds[rc_sim_rng_below(rng, 9)]);
    uint64_t most_ms = scenario->clients.deadline_ms / 2;
    fault->from_ms = sim_random_between(rng, 15000, 60000);
    fault->until_ms = fault->from_ms + sim_random_between(rng, 2000, (uint32_t)most_ms + 4000);
    fault->slow_pct = sim_random_between(rng, 150, 500);
    fault->share_pct = rc_sim_rng_hits(rng, 50) ? 100 : sim_random_between(rng, 5, 60);
    if (fault->kind == RC_SIM_CUT || fault->kind == RC_SIM_HANG)
        fault->share_pct = sim_random_between(rng, 2, 10);
    if (rc_sim_fault_has_hint(fault->kind) && rc_sim_rng_hits(rng, 25))
        fault->retry_after_ms = sim_random_between(rng, 0, 5) * 1000;
}

static inline void sim_random_provider(rc_sim_rng *rng, rc_sim_scenario *scenario, uint32_t number)
{
    rc_sim_provider *provider = &scenario->providers[number];
    uint32_t per_min = sim_random_per_min(scenario);
    char name[16];
    (void)snprintf(name, sizeof name, "provider-%u", (unsigned)number);
    rc_sim_provider_init(provider, rc_str_c(name));
    provider->dialect = rc_sim_rng_hits(rng, 50) ? RC_SIM_OPENAI : RC_SIM_ANTHROPIC;
    provider->first_token_ms.p50 = sim_random_between(rng, 150, 700);
    provider->fails_in_ms = sim_random_octaves(rng, 5, 6);
    provider->keys = rc_sim_rng_hits(rng, 30) ? sim_random_between(rng, 2, 4) : 1;
    provider->hides_limits = rc_sim_rng_hits(rng, 25);
    provider->hints = rc_sim_rng_hits(rng, 20) ? RC_SIM_HINTS_NONE : RC_SIM_HINTS_EXACT;
    uint32_t room_pct = sim_random_between(rng, 125, 250);
    if (rc_sim_rng_hits(rng, 25) && per_min >= 60)
        provider->limits.requests_per_min = per_min * room_pct / 100 / provider->keys + 6;
    if (rc_sim_rng_hits(rng, 15) && per_min >= 600)
        provider->limits.tokens_per_min = per_min * 1200 / 100 * room_pct / provider->keys;
    if (rc_sim_rng_hits(rng, 15) && per_min >= 300)
        provider->limits.concurrency = per_min * room_pct / 100 / 15 + 5;
    if (rc_sim_rng_hits(rng, 20) && per_min >= 300)
        provider->capacity = (rc_sim_capacity){.per_s = per_min * room_pct / 6000 + 1,
                                               .burst = per_min * room_pct / 12000 + 1,
                                               .shed_cost_pct = sim_random_between(rng, 0, 30),
                                               .warm_up_ms = sim_random_between(rng, 0, 6000)};
    uint64_t burst = (uint64_t)provider->limits.tokens_per_min / 6;
    if (provider->limits.tokens_per_min > 0 && burst < 4800)
        provider->limits.tokens_per_min = 0;
    provider->fault_count = sim_random_between(rng, 0, 3);
    for (uint32_t i = 0; i < provider->fault_count; i++)
        sim_random_fault(rng, scenario, &provider->faults[i]);
}

/* Makes the scenario with this number. The same number gives the same scenario. */
static inline void sim_random_scenario(rc_sim_scenario *scenario, uint64_t number)
{
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, number, 77);
    rc_sim_scenario_init(scenario);
    (void)snprintf(scenario->name, sizeof scenario->name, "random-%llu",
                   (unsigned long long)number);
    scenario->duration_ms = 130000;
    sim_random_clients(&rng, scenario);
    scenario->provider_count = sim_random_between(&rng, 1, 3);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        sim_random_provider(&rng, scenario, i);
}

#endif
