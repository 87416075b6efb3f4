/* Arrivals of clients, for RC_SIM_OPEN and RC_SIM_CLOSED. Called by sim.c, state.c, oracle.c and
 * request.c. */
#include "sim/state.h"

static void push_arrival(rc_sim_state *sim, uint64_t at_ms, uint32_t client)
{
    if (at_ms < sim->scenario->duration_ms)
        rc_sim_state_fail(sim, rc_sim_event_heap_push(&sim->heap, at_ms, RC_SIM_ARRIVAL | client));
}

/* Returns the mean time between two requests, which is shorter during a surge. */
static uint64_t surged(const rc_sim_state *sim, uint64_t mean)
{
    const rc_sim_surge *surge = &sim->scenario->clients.surge;
    bool is_on = sim->now_ms >= surge->from_ms && sim->now_ms < surge->until_ms;
    uint64_t now = is_on ? mean * 100 / surge->pct : mean;
    return now > 0 ? now : 1;
}

/* Schedules the next arrival for RC_SIM_OPEN: many independent clients together are one Poisson
 * process. The gaps are in ticks, so that the rate is also exact if many requests arrive in one
 * millisecond. */
static void push_next_open(rc_sim_state *sim)
{
    sim->next_arrival += rc_sim_rng_gap(&sim->arrivals, surged(sim, sim->gap));
    push_arrival(sim, sim->next_arrival / RC_SIM_TICKS_PER_MS, 0);
}

static void push_next_closed(rc_sim_state *sim, uint32_t client)
{
    uint64_t pause_ms =
        rc_sim_rng_gap(&sim->arrivals, surged(sim, sim->scenario->clients.every_ms));
    /* The pause is at least 1 ms, because a response may take no time and virtual time would then
     * not advance. */
    push_arrival(sim, sim->now_ms + (pause_ms > 0 ? pause_ms : 1), client);
}

void rc_sim_clients_start(rc_sim_state *sim)
{
    const rc_sim_clients *clients = &sim->scenario->clients;
    if (clients->loop == RC_SIM_OPEN) {
        sim->gap = (uint64_t)clients->every_ms * RC_SIM_TICKS_PER_MS / clients->count;
        push_next_open(sim);
        return;
    }
    for (uint32_t client = 0; client < clients->count && sim->status == RC_OK; client++)
        push_next_closed(sim, client);
}

void rc_sim_clients_arrive(rc_sim_state *sim, uint32_t client)
{
    const rc_sim_clients *clients = &sim->scenario->clients;
    rc_sim_rng *rng = &sim->arrivals;
    uint32_t tokens_in = rc_sim_rng_spread(rng, &clients->tokens_in);
    uint32_t tokens_out = rc_sim_rng_spread(rng, &clients->tokens_out);
    if (clients->loop == RC_SIM_OPEN) {
        client = rc_sim_rng_below(rng, clients->count);
        if (clients->greedy_pct > 0)
            client =
                rc_sim_rng_hits(rng, clients->greedy_pct) ? 0 : 1 + client % (clients->count - 1);
        push_next_open(sim);
    }
    rc_sim_request_begin(sim, client, tokens_in, tokens_out);
}

void rc_sim_clients_leave(rc_sim_state *sim, uint32_t client)
{
    if (sim->scenario->clients.loop == RC_SIM_CLOSED)
        push_next_closed(sim, client);
}

uint64_t rc_sim_clients_rate_micro(const rc_sim_state *sim)
{
    const rc_sim_clients *clients = &sim->scenario->clients;
    const rc_sim_surge *surge = &clients->surge;
    bool is_on = sim->now_ms >= surge->from_ms && sim->now_ms < surge->until_ms;
    return UINT64_C(1000000) * clients->count / clients->every_ms * (is_on ? surge->pct : 100) /
           100;
}
