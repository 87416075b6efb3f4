/* The state of a credential at one target. A provider's rate limits and daily quotas often apply to
 * one model, so a key that has reached a limit may still work for another model. Called by
 * hub_registry.c and hub.c. */
#include <string.h>

#include "base/str.h"
#include "gateway/state/hub.h"

static const rc_key_fingerprint *fingerprint_at(const rc_hub *hub, uint32_t credential)
{
    return &hub->credentials[credential].fingerprint;
}

/* Copies the state of the keys that are in both the old pool and the new pool. The caller holds
 * hub->lock. */
static void carry_over(rc_hub *hub, const rc_target *old, uint16_t first, uint16_t count,
                       rc_credential *limits)
{
    uv_mutex_lock(&hub->shared_lock);
    for (uint32_t i = 0; old->limits != NULL && i < count; i++)
        for (uint32_t k = 0; k < old->credential_count; k++)
            if (rc_key_fingerprint_eq(fingerprint_at(hub, first + i),
                                      fingerprint_at(hub, old->first_credential + k)))
                limits[i] = old->limits[k];
    uv_mutex_unlock(&hub->shared_lock);
}

static uint32_t learned_count(uint16_t credential_count)
{
    return credential_count > 0 ? credential_count : 1u;
}

/* As carry_over, for the learned rate limits. A target without credentials has one row. */
static void carry_over_learned(rc_hub *hub, const rc_target *old, uint16_t first, uint16_t count,
                               rc_rate_limits *learned)
{
    uv_mutex_lock(&hub->shared_lock);
    for (uint32_t i = 0; old->learned != NULL && i < count; i++)
        for (uint32_t k = 0; k < old->credential_count; k++)
            if (rc_key_fingerprint_eq(fingerprint_at(hub, first + i),
                                      fingerprint_at(hub, old->first_credential + k)))
                learned[i] = old->learned[k];
    uv_mutex_unlock(&hub->shared_lock);
}

/* Sets new rows for the learned rate limits of the target, and frees the old ones. If there is no
 * memory, rate limits are not learned at this target. */
static void set_learned(rc_hub *hub, uint16_t row, const rc_target *old, uint16_t first,
                        uint16_t count)
{
    rc_rate_limits *learned =
        hub->alloc.get(hub->alloc.ctx, learned_count(count) * sizeof *learned);
    for (uint32_t i = 0; learned != NULL && i < learned_count(count); i++)
        rc_rate_limits_init(&learned[i]);
    if (learned != NULL)
        carry_over_learned(hub, old, first, count, learned);
    rc_shared_set_learned(&hub->shared, row, learned);
    if (old->learned != NULL)
        hub->alloc.put(hub->alloc.ctx, old->learned,
                       learned_count(old->credential_count) * sizeof *old->learned);
}

void rc_hub_set_row_pool(rc_hub *hub, uint16_t row, uint16_t first, uint16_t count)
{
    const rc_target old = hub->shared.targets[row];
    if (old.first_credential == first && old.credential_count == count &&
        (count == 0 || old.limits != NULL) && old.learned != NULL)
        return;
    /* If there is no memory for the state of keys at this target, a limit that the target reports
     * makes the key unusable for all targets. */
    rc_credential *limits =
        count > 0 ? hub->alloc.get(hub->alloc.ctx, count * sizeof *limits) : NULL;
    for (uint16_t i = 0; limits != NULL && i < count; i++)
        rc_credential_init(&limits[i], false);
    if (limits != NULL)
        carry_over(hub, &old, first, count, limits);
    rc_shared_set_pool(&hub->shared, row, first, count, limits);
    set_learned(hub, row, &old, first, count);
    if (old.limits != NULL)
        hub->alloc.put(hub->alloc.ctx, old.limits, old.credential_count * sizeof *old.limits);
}

void rc_hub_free_limits(rc_hub *hub)
{
    for (uint32_t i = 0; i < hub->target_count; i++) {
        rc_target *row = &hub->shared.targets[i];
        if (row->limits != NULL)
            hub->alloc.put(hub->alloc.ctx, row->limits,
                           row->credential_count * sizeof *row->limits);
        row->limits = NULL;
        if (row->learned != NULL)
            hub->alloc.put(hub->alloc.ctx, row->learned,
                           learned_count(row->credential_count) * sizeof *row->learned);
        row->learned = NULL;
    }
}

bool rc_hub_has_limits(const rc_target *target, uint64_t now_ms)
{
    for (uint16_t i = 0; target->limits != NULL && i < target->credential_count; i++)
        if (rc_credential_state_at(&target->limits[i], now_ms) != RC_CREDENTIAL_HEALTHY)
            return true;
    return false;
}
