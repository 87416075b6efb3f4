/* Sets up and frees the state of one policy's run. Called by sim.c, clients.c, oracle.c and
 * request.c. */
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

/* --- the queue of a process --- */

#define FIRST_CAPACITY 1024u

static void on_wake(void *ctx, void *owner)
{
    rc_sim_process *process = ctx;
    rc_sim_state *sim = process->sim;
    rc_sim_state_fail(sim,
                      rc_sim_event_heap_push(&sim->heap, sim->now_ms, (uint32_t)(uintptr_t)owner));
}

static void on_run_at(void *ctx, uint64_t at_ms)
{
    rc_sim_process *process = ctx;
    rc_sim_state *sim = process->sim;
    uint32_t number = (uint32_t)(process - sim->processes);
    if (at_ms != RC_UNLIMITED)
        rc_sim_state_fail(sim, rc_sim_event_heap_push(&sim->heap, at_ms, RC_SIM_RUN | number));
}

void rc_sim_process_reserve(rc_sim_state *sim, rc_sim_process *process)
{
    rc_queue *queue = &process->queue;
    if (queue->count < queue->capacity)
        return;
    uint32_t capacity = queue->capacity == 0 ? FIRST_CAPACITY : queue->capacity * 2;
    void *memory = sim->alloc.get(sim->alloc.ctx, rc_queue_memory_bytes(capacity));
    if (memory == NULL) {
        rc_sim_state_fail(sim, RC_E_NOMEM);
        return;
    }
    size_t old_size = rc_queue_memory_bytes(queue->capacity);
    rc_queue_grow(queue, memory, capacity);
    if (process->queue_memory != NULL)
        sim->alloc.put(sim->alloc.ctx, process->queue_memory, old_size);
    process->queue_memory = memory;
}

static void init_process(rc_sim_state *sim, rc_sim_process *process)
{
    *process = (rc_sim_process){.sim = sim};
    rc_queue_init(&process->queue, &sim->policy->queue, NULL, 0);
    const rc_sim_scenario *scenario = sim->scenario;
    uint16_t target_count = (uint16_t)scenario->provider_count;
    rc_shared_init(&process->shared, &sim->policy->settings, process->targets, target_count,
                   process->credentials, (uint16_t)(target_count * RC_SIM_KEYS_MAX), 0);
    for (uint16_t i = 0; i < target_count; i++) {
        uint32_t keys_of = scenario->providers[i].keys_of;
        uint16_t own = (uint16_t)(i * RC_SIM_KEYS_MAX);
        uint16_t first = keys_of > 0 ? (uint16_t)((keys_of - 1) * RC_SIM_KEYS_MAX) : own;
        rc_shared_set_pool(&process->shared, i, first, (uint16_t)scenario->providers[i].keys, NULL);
        for (uint32_t key = 0; key < RC_SIM_KEYS_MAX; key++)
            rc_rate_limits_init(&process->learned[own + key]);
        if (sim->policy->queue.max_waiting > 0 && !sim->policy->is_learn_off)
            rc_shared_set_learned(&process->shared, i, &process->learned[own]);
    }
    const rc_queue_owner owner = {.ctx = process, .wake = on_wake, .run_at = on_run_at};
    if (sim->policy->queue.max_waiting > 0)
        rc_shared_set_queue(&process->shared, &process->queue, &owner);
}

static rc_chain_entry entry_of(const rc_sim_scenario *scenario, uint32_t provider)
{
    rc_chain_entry entry = {.target = (uint16_t)provider, .capabilities = UINT32_MAX};
    if (scenario->any_of == RC_SIM_CHAIN)
        return entry;
    entry.group = 1;
    entry.weight = (uint16_t)scenario->providers[provider].weight;
    entry.id = provider + 1;
    entry.spread = (uint8_t)(scenario->any_of - RC_SIM_BY_WEIGHT);
    return entry;
}

static rc_status init_ours(rc_sim_state *sim)
{
    const rc_sim_scenario *scenario = sim->scenario;
    uint32_t count = sim->is_oracle ? 1 : scenario->clients.processes;
    size_t size = count * sizeof *sim->processes;
    sim->processes = sim->alloc.get(sim->alloc.ctx, size);
    if (sim->processes == NULL)
        return RC_E_NOMEM;
    sim->process_count = count;
    for (uint32_t i = 0; i < sim->process_count; i++)
        init_process(sim, &sim->processes[i]);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        sim->entries[i] = entry_of(scenario, i);
    sim->plan = (rc_plan){.policy = &sim->policy->policy,
                          .entries = sim->entries,
                          .entry_count = (uint16_t)scenario->provider_count,
                          .overflow_to = RC_NO_TARGET,
                          .chain_count = (uint16_t)scenario->provider_count,
                          .is_failover_last = sim->policy->is_failover_last};
    return RC_OK;
}

rc_status rc_sim_state_init(rc_sim_state *sim, const rc_sim_scenario *scenario,
                            const rc_sim_policy *policy, uint64_t seed, const rc_alloc *alloc,
                            rc_sim_policy_result *result)
{
    sim->alloc = *alloc;
    sim->scenario = scenario;
    sim->policy = policy;
    sim->is_oracle = policy->rival == RC_SIM_ORACLE;
    sim->oracle_run_at_ms = RC_UNLIMITED;
    sim->rival = rc_sim_rival_row_of(policy->rival);
    sim->free_request = RC_SIM_NO_REQUEST;
    rc_sim_event_heap_init(&sim->heap, alloc, (size_t)RC_SIM_IN_FLIGHT_MAX * 2);
    rc_sim_tally_init(&sim->tally, alloc, scenario->clients.deadline_ms, result);
    rc_sim_rng_init(&sim->arrivals, seed, STREAM_ARRIVALS);
    rc_sim_rng_init(&sim->upstream_rng, seed, STREAM_UPSTREAMS);
    rc_sim_rng_init(&sim->entropy, seed, STREAM_ENTROPY);
    for (uint32_t i = 0; i < scenario->provider_count; i++) {
        uint32_t keys_of = scenario->providers[i].keys_of;
        rc_sim_upstream_init(&sim->upstreams[i], &scenario->providers[i]);
        if (keys_of > 0)
            sim->upstreams[i].keys_of = &sim->upstreams[keys_of - 1];
    }
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
    for (uint32_t i = 0; i < sim->process_count; i++)
        if (sim->processes[i].queue_memory != NULL)
            alloc.put(alloc.ctx, sim->processes[i].queue_memory,
                      rc_queue_memory_bytes(sim->processes[i].queue.capacity));
    if (sim->processes != NULL)
        alloc.put(alloc.ctx, sim->processes, sim->process_count * sizeof *sim->processes);
    rc_sim_event_heap_done(&sim->heap);
}
