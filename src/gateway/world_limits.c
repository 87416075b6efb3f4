/* What is known of a credential at one target: a rate limit or a day's quota is the model's, and
 * the same key may be good for another one. */
#include <string.h>

#include "base/str.h"
#include "gateway/world.h"

static const rc_world_print *print_at(const rc_gate_world *world, uint32_t credential)
{
    return &world->credentials[credential].print;
}

/* Locked. What is known of the keys that are in the old pool too. */
static void carry_over(rc_gate_world *world, const rc_target *old, uint16_t first, uint16_t count,
                       rc_credential *limits)
{
    uv_mutex_lock(&world->shared_lock);
    for (uint32_t i = 0; old->limits != NULL && i < count; i++)
        for (uint32_t k = 0; k < old->credential_count; k++)
            if (rc_world_print_eq(print_at(world, first + i),
                                  print_at(world, old->first_credential + k)))
                limits[i] = old->limits[k];
    uv_mutex_unlock(&world->shared_lock);
}

void rc_world_set_row_pool(rc_gate_world *world, uint16_t row, uint16_t first, uint16_t count)
{
    const rc_target old = world->shared.targets[row];
    if (old.first_credential == first && old.credential_count == count &&
        (count == 0 || old.limits != NULL))
        return;
    /* Without memory for them, a limit closes the key for all targets: less is asked, not more. */
    rc_credential *limits =
        count > 0 ? world->alloc.get(world->alloc.ctx, count * sizeof *limits) : NULL;
    for (uint16_t i = 0; limits != NULL && i < count; i++)
        rc_credential_init(&limits[i], false);
    if (limits != NULL)
        carry_over(world, &old, first, count, limits);
    rc_shared_set_pool(&world->shared, row, first, count, limits);
    if (old.limits != NULL)
        world->alloc.put(world->alloc.ctx, old.limits, old.credential_count * sizeof *old.limits);
}

void rc_world_free_limits(rc_gate_world *world)
{
    for (uint32_t i = 0; i < world->target_count; i++) {
        rc_target *row = &world->shared.targets[i];
        if (row->limits != NULL)
            world->alloc.put(world->alloc.ctx, row->limits,
                             row->credential_count * sizeof *row->limits);
        row->limits = NULL;
    }
}

bool rc_world_has_limits(const rc_target *target, uint64_t now_ms)
{
    for (uint16_t i = 0; target->limits != NULL && i < target->credential_count; i++)
        if (rc_credential_state_at(&target->limits[i], now_ms) != RC_CREDENTIAL_HEALTHY)
            return true;
    return false;
}
