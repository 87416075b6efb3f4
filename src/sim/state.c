/* Sets up and frees the state of one policy's run. Called by sim.c. */
#include "sim/state.h"

/* Numbers of independent random streams. Drawing more numbers from one stream does not change
 * another. */
enum {
    STREAM_ARRIVALS = 1,
    STREAM_UPSTREAMS = 2,
    STREAM_ENTROPY = 3
};

void rc_sim_state_fail(rc_sim_state *sim, rc_status status)
{
    if (sim->status == RC_OK)
        sim->status = status;
}

static void init_process(const rc_sim_state *sim, rc_sim_process *process)
{
    const rc_sim_scenario *scenario = sim->scenario;
    uint16_t target_count = (uint16_t)scenario->provider_count;
    rc_shared_init(&process->shared, &sim->policy->settings, process->targets, target_count,
                   process->credentials, (uint16_t)(target_count * RC_SIM_KEYS_MAX), 0);
    for (uint16_t i = 0; i < target_count; i++)
        rc_shared_set_pool(&process->shared, i, (uint16_t)(i * RC_SIM_KEYS_MAX),
                           (uint16_t)scenario->providers[i].keys, NULL);
}

static rc_status init_ours(rc_sim_state *sim)
{
    const rc_sim_scenario *scenario = sim->scenario;
    size_t size = scenario->clients.processes * sizeof *sim->processes;
    sim->processes = sim->alloc.get(sim->alloc.ctx, size);
    if (sim->processes == NULL)
        return RC_E_NOMEM;
    sim->process_count = scenario->clients.processes;
    for (uint32_t i = 0; i < sim->process_count; i++)
        init_process(sim, &sim->processes[i]);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        sim->entries[i] = (rc_chain_entry){.target = (uint16_t)i, .capabilities = UINT32_MAX};
    sim->plan = (rc_plan){.policy = &sim->policy->policy,
                          .entries = sim->entries,
                          .entry_count = (uint16_t)scenario->provider_count,
                          .overflow_to = RC_NO_TARGET,
                          .chain_count = (uint16_t)scenario->provider_count};
    return RC_OK;
}

rc_status rc_sim_state_init(rc_sim_state *sim, const rc_sim_scenario *scenario,
                            const rc_sim_policy *policy, uint64_t seed, const rc_alloc *alloc,
                            rc_sim_policy_result *result)
{
    sim->alloc = *alloc;
    sim->scenario = scenario;
    sim->policy = policy;
    sim->rival = rc_sim_rival_row_of(policy->rival);
    sim->free_request = RC_SIM_NO_REQUEST;
    rc_sim_event_heap_init(&sim->heap, alloc, (size_t)RC_SIM_IN_FLIGHT_MAX * 2);
    rc_sim_tally_init(&sim->tally, alloc, scenario->clients.deadline_ms, result);
    rc_sim_rng_init(&sim->arrivals, seed, STREAM_ARRIVALS);
    rc_sim_rng_init(&sim->upstream_rng, seed, STREAM_UPSTREAMS);
    rc_sim_rng_init(&sim->entropy, seed, STREAM_ENTROPY);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        rc_sim_upstream_init(&sim->upstreams[i], &scenario->providers[i]);
    if (sim->rival == NULL)
        rc_sim_state_fail(sim, init_ours(sim));
    if (sim->status == RC_OK)
        rc_sim_clients_start(sim);
    return sim->status;
}

void rc_sim_state_done(rc_sim_state *sim)
{
    rc_alloc alloc = sim->alloc;
    for (uint32_t i = 0; i < sim->chunk_count; i++)
        alloc.put(alloc.ctx, sim->chunks[i], RC_SIM_CHUNK * sizeof *sim->chunks[i]);
    if (sim->processes != NULL)
        alloc.put(alloc.ctx, sim->processes, sim->process_count * sizeof *sim->processes);
    rc_sim_event_heap_done(&sim->heap);
}
