#include "sim/world.h"

/* Streams of chance: what one uses up does not shift another. */
enum {
    STREAM_ARRIVALS = 1,
    STREAM_SITES = 2,
    STREAM_ENTROPY = 3
};

void rc_sim_world_note(rc_sim_world *world, rc_status status)
{
    if (world->status == RC_OK)
        world->status = status;
}

static void init_process(const rc_sim_world *world, rc_sim_process *process)
{
    const rc_sim_scenario *scenario = world->scenario;
    uint16_t target_count = (uint16_t)scenario->provider_count;
    rc_shared_init(&process->shared, &world->policy->settings, process->targets, target_count,
                   process->credentials, (uint16_t)(target_count * RC_SIM_KEYS_MAX), 0);
    for (uint16_t i = 0; i < target_count; i++)
        rc_shared_set_pool(&process->shared, i, (uint16_t)(i * RC_SIM_KEYS_MAX),
                           (uint16_t)scenario->providers[i].keys, NULL);
}

static rc_status init_ours(rc_sim_world *world)
{
    const rc_sim_scenario *scenario = world->scenario;
    size_t size = scenario->clients.processes * sizeof *world->processes;
    world->processes = world->alloc.get(world->alloc.ctx, size);
    if (world->processes == NULL)
        return RC_E_NOMEM;
    world->process_count = scenario->clients.processes;
    for (uint32_t i = 0; i < world->process_count; i++)
        init_process(world, &world->processes[i]);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        world->entries[i] = (rc_chain_entry){.target = (uint16_t)i, .capabilities = UINT32_MAX};
    world->plan = (rc_plan){.policy = &world->policy->policy,
                            .entries = world->entries,
                            .entry_count = (uint16_t)scenario->provider_count,
                            .overflow_to = RC_NO_TARGET,
                            .chain_count = (uint16_t)scenario->provider_count};
    return RC_OK;
}

rc_status rc_sim_world_init(rc_sim_world *world, const rc_sim_scenario *scenario,
                            const rc_sim_policy *policy, uint64_t seed, const rc_alloc *alloc,
                            rc_sim_policy_result *result)
{
    world->alloc = *alloc;
    world->scenario = scenario;
    world->policy = policy;
    world->row = rc_sim_rival_row_of(policy->rival);
    world->free_request = RC_SIM_NO_REQUEST;
    rc_event_heap_init(&world->heap, alloc, (size_t)RC_SIM_IN_FLIGHT_MAX * 2);
    rc_sim_tally_init(&world->tally, alloc, scenario->clients.deadline_ms, result);
    rc_sim_rng_init(&world->arrivals, seed, STREAM_ARRIVALS);
    rc_sim_rng_init(&world->sites_rng, seed, STREAM_SITES);
    rc_sim_rng_init(&world->entropy, seed, STREAM_ENTROPY);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        rc_sim_site_init(&world->sites[i], &scenario->providers[i]);
    if (world->row == NULL)
        rc_sim_world_note(world, init_ours(world));
    if (world->status == RC_OK)
        rc_sim_clients_start(world);
    return world->status;
}

void rc_sim_world_done(rc_sim_world *world)
{
    rc_alloc alloc = world->alloc;
    for (uint32_t i = 0; i < world->chunk_count; i++)
        alloc.put(alloc.ctx, world->chunks[i], RC_SIM_CHUNK * sizeof *world->chunks[i]);
    if (world->processes != NULL)
        alloc.put(alloc.ctx, world->processes, world->process_count * sizeof *world->processes);
    rc_event_heap_done(&world->heap);
}
