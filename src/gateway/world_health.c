/* What rc_gate_world knows of how its targets do. */
#include "core/shared_private.h"
#include "gateway/world.h"

void rc_gate_world_note(rc_gate_world *world, uint16_t target, rc_health_word word, rc_code code,
                        int64_t now_unix_ms)
{
    uv_mutex_lock(&world->lock);
    if (target < world->target_count)
        rc_health_note(&world->targets[target].health, word, code, now_unix_ms);
    uv_mutex_unlock(&world->lock);
}

void rc_gate_world_set_service(rc_gate_world *world, uint16_t target, bool is_in_service,
                               int64_t now_unix_ms)
{
    rc_shared_set_service(&world->shared, target, is_in_service);
    uv_mutex_lock(&world->lock);
    if (target < world->target_count)
        world->targets[target].health.disabled_unix_ms = is_in_service ? 0 : now_unix_ms;
    uv_mutex_unlock(&world->lock);
}

/* Locked, as shared is. A target that is full takes a call in a moment; a guess about a target does
 * not keep the last one from being asked. */
static bool is_open(const rc_shared *shared, uint16_t target, uint64_t now_ms)
{
    rc_reason why;
    uint64_t until_ms;
    return rc_shared_is_target_open(shared, target, true, now_ms, &why, &until_ms) ||
           why == RC_WHY_SKIP_BUSY;
}

static bool can_serve(const rc_shared *shared, const rc_gate_route *route, uint64_t now_ms)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (is_open(shared, route->plan.entries[i].target, now_ms))
            return true;
    return false;
}

bool rc_gate_world_can_serve(rc_gate_world *world, uint64_t now_ms)
{
    rc_gate_plans *plans = rc_gate_world_plans(world);
    bool is_served = false;
    if (plans == NULL)
        return false;
    const bool has_routes = plans->config->route_count > 0;
    const rc_gate_route *routes = has_routes ? plans->routes : plans->direct;
    const size_t count = has_routes ? plans->config->route_count : plans->config->provider_count;
    uv_mutex_lock(&world->shared_lock);
    for (size_t i = 0; i < count && !is_served; i++)
        is_served = can_serve(&world->shared, &routes[i], now_ms);
    uv_mutex_unlock(&world->shared_lock);
    rc_gate_plans_drop(plans);
    return is_served;
}
