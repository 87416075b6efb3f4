/* Who comes when. */
#include "sim/world.h"

static void push_arrival(rc_sim_world *world, uint64_t at_ms, uint32_t client)
{
    if (at_ms < world->scenario->duration_ms)
        rc_sim_world_note(world, rc_event_heap_push(&world->heap, at_ms, RC_SIM_ARRIVAL | client));
}

/* The mean time as it is now. */
static uint64_t surged(const rc_sim_world *world, uint64_t mean)
{
    const rc_sim_surge *surge = &world->scenario->clients.surge;
    bool is_on = world->now_ms >= surge->from_ms && world->now_ms < surge->until_ms;
    uint64_t now = is_on ? mean * 100 / surge->pct : mean;
    return now > 0 ? now : 1;
}

/* Many clients that do not know of each other are one stream of arrivals at random. Gaps are drawn
 * much finer than a millisecond, so that the rate is right when there are many in one. */
static void push_next_open(rc_sim_world *world)
{
    world->next_arrival += rc_sim_rng_gap(&world->arrivals, surged(world, world->gap));
    push_arrival(world, world->next_arrival / RC_SIM_TICKS_A_MS, 0);
}

static void push_next_closed(rc_sim_world *world, uint32_t client)
{
    uint64_t pause_ms =
        rc_sim_rng_gap(&world->arrivals, surged(world, world->scenario->clients.every_ms));
    /* An answer may take no time. Without a pause either, time would stand still. */
    push_arrival(world, world->now_ms + (pause_ms > 0 ? pause_ms : 1), client);
}

void rc_sim_clients_start(rc_sim_world *world)
{
    const rc_sim_clients *clients = &world->scenario->clients;
    if (clients->loop == RC_SIM_OPEN) {
        world->gap = (uint64_t)clients->every_ms * RC_SIM_TICKS_A_MS / clients->count;
        push_next_open(world);
        return;
    }
    for (uint32_t client = 0; client < clients->count && world->status == RC_OK; client++)
        push_next_closed(world, client);
}

void rc_sim_clients_arrive(rc_sim_world *world, uint32_t client)
{
    const rc_sim_clients *clients = &world->scenario->clients;
    rc_sim_rng *rng = &world->arrivals;
    uint32_t tokens_in = rc_sim_rng_spread(rng, &clients->tokens_in);
    uint32_t tokens_out = rc_sim_rng_spread(rng, &clients->tokens_out);
    if (clients->loop == RC_SIM_OPEN) {
        client = rc_sim_rng_below(rng, clients->count);
        push_next_open(world);
    }
    rc_sim_request_begin(world, client, tokens_in, tokens_out);
}

void rc_sim_clients_leave(rc_sim_world *world, uint32_t client)
{
    if (world->scenario->clients.loop == RC_SIM_CLOSED)
        push_next_closed(world, client);
}
