/* Health of the hub's targets, and whether its routes can serve requests. Called by exchanges, the
 * admin interface and /readyz. Also the usual number of output tokens of each target. */
#include "gateway/state/hub.h"
#include "policy/shared_private.h"

void rc_hub_note_health(rc_hub *hub, uint16_t target, rc_health_verdict verdict, rc_code code,
                        int64_t now_unix_ms)
{
    uv_mutex_lock(&hub->lock);
    if (target < hub->target_count)
        rc_health_note(&hub->targets[target].health, verdict, code, now_unix_ms);
    uv_mutex_unlock(&hub->lock);
}

void rc_hub_note_output(rc_hub *hub, uint16_t target, uint64_t tokens)
{
    if (!atomic_load_explicit(&hub->limits_tokens, memory_order_relaxed) || tokens == 0)
        return;
    uv_mutex_lock(&hub->lock);
    if (target < hub->target_count) {
        uint64_t *usual = &hub->targets[target].usual_output;
        *usual = *usual == 0 ? tokens : (*usual * 31 + tokens + 31) / 32;
    }
    uv_mutex_unlock(&hub->lock);
}

uint64_t rc_hub_usual_output(rc_hub *hub, uint16_t target)
{
    uv_mutex_lock(&hub->lock);
    const uint64_t usual = target < hub->target_count ? hub->targets[target].usual_output : 0;
    uv_mutex_unlock(&hub->lock);
    return usual;
}

void rc_hub_note_masked(rc_hub *hub, uint16_t target, rc_code code, int64_t now_unix_ms)
{
    uv_mutex_lock(&hub->lock);
    if (target < hub->target_count)
        rc_health_mask(&hub->targets[target].health, code, now_unix_ms);
    uv_mutex_unlock(&hub->lock);
}

void rc_hub_set_service(rc_hub *hub, uint16_t target, bool is_in_service, int64_t now_unix_ms)
{
    rc_shared_set_service(&hub->shared, target, is_in_service);
    uv_mutex_lock(&hub->lock);
    if (target < hub->target_count)
        hub->targets[target].health.disabled_unix_ms = is_in_service ? 0 : now_unix_ms;
    uv_mutex_unlock(&hub->lock);
}

/* Whether the target can be called now. The caller holds shared_lock. A target at its in-flight
 * limit counts as open, because it can take a call as soon as another call ends. The last argument,
 * `true`, ignores assumed cooldowns (those that the provider did not state), because the last
 * target of a chain is called despite an assumed cooldown. */
static bool is_open(const rc_shared *shared, uint16_t target, uint64_t now_ms)
{
    rc_reason why;
    uint64_t until_ms;
    return rc_shared_is_target_open(shared, target, true, now_ms, &why, &until_ms) ||
           why == RC_WHY_SKIP_BUSY;
}

static bool can_serve(const rc_shared *shared, const rc_route *route, uint64_t now_ms)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (is_open(shared, route->plan.entries[i].target, now_ms))
            return true;
    return false;
}

bool rc_hub_can_serve(rc_hub *hub, uint64_t now_ms)
{
    rc_snapshot *snapshot = rc_hub_take_snapshot(hub);
    bool is_served = false;
    if (snapshot == NULL)
        return false;
    const bool has_routes = snapshot->config->route_count > 0;
    const rc_route *routes = has_routes ? snapshot->routes : snapshot->direct;
    const size_t count =
        has_routes ? snapshot->config->route_count : snapshot->config->provider_count;
    uv_mutex_lock(&hub->shared_lock);
    for (size_t i = 0; i < count && !is_served; i++)
        is_served = can_serve(&hub->shared, &routes[i], now_ms);
    uv_mutex_unlock(&hub->shared_lock);
    rc_snapshot_release(snapshot);
    return is_served;
}
