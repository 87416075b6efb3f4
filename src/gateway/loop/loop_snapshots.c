/* The snapshots that one loop's exchanges use, and the keys in them. Called by loop.c and by
 * exchanges. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"

void rc_loop_drop_snapshot(rc_loop *loop, rc_snapshot_ref **at)
{
    rc_snapshot_ref *ref = *at;
    *at = ref->next;
    rc_snapshot_release(ref->snapshot);
    loop->settings.alloc.put(loop->settings.alloc.ctx, ref, sizeof *ref);
}

/* Without memory the loop goes on with the snapshot it has; the next request tries again. */
void rc_loop_refresh_snapshot(rc_loop *loop)
{
    const rc_alloc *alloc = &loop->settings.alloc;
    rc_snapshot_ref *ref = alloc->get(alloc->ctx, sizeof *ref);
    if (ref == NULL)
        return;
    *ref =
        (rc_snapshot_ref){.next = loop->snapshot_refs, .snapshot = rc_hub_take_snapshot(loop->hub)};
    if (ref->snapshot == NULL) {
        alloc->put(alloc->ctx, ref, sizeof *ref);
        return;
    }
    loop->snapshot_refs = ref;
    if (ref->next != NULL && ref->next->exchange_count == 0)
        rc_loop_drop_snapshot(loop, &ref->next);
}

static bool is_current(const rc_loop *loop)
{
    return loop->snapshot_refs->snapshot->generation == rc_hub_generation(loop->hub);
}

rc_snapshot_ref *rc_loop_acquire_snapshot(rc_loop *loop)
{
    if (!is_current(loop))
        rc_loop_refresh_snapshot(loop);
    loop->snapshot_refs->exchange_count++;
    return loop->snapshot_refs;
}

void rc_loop_release_snapshot(rc_loop *loop, rc_snapshot_ref *ref)
{
    ref->exchange_count--;
    if (ref->exchange_count > 0 || ref == loop->snapshot_refs)
        return;
    rc_snapshot_ref **at = &loop->snapshot_refs->next;
    while (*at != ref)
        at = &(*at)->next;
    rc_loop_drop_snapshot(loop, at);
}

static const rc_snapshot_provider *find_provider(const rc_snapshot *snapshot, rc_str name)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (rc_str_eq(snapshot->providers[i].config->name, name))
            return &snapshot->providers[i];
    return NULL;
}

/* A reload may have changed a provider's pool, which then gives out credentials that the exchange's
 * own snapshot lacks. A newer snapshot's key is used only if its provider has the same origin, so
 * that no key goes to another address. Otherwise the first key of the exchange's own snapshot is
 * used. */
bool rc_loop_find_key(rc_loop *loop, const rc_snapshot_provider *provider, uint16_t credential,
                      rc_secret *ret_key)
{
    if (rc_snapshot_provider_key(provider, credential, ret_key))
        return true;
    if (!is_current(loop))
        rc_loop_refresh_snapshot(loop);
    for (const rc_snapshot_ref *at = loop->snapshot_refs; at != NULL; at = at->next) {
        const rc_snapshot_provider *same = find_provider(at->snapshot, provider->config->name);
        if (same != NULL && rc_origin_eq(&same->origin, &provider->origin) &&
            rc_snapshot_provider_key(same, credential, ret_key))
            return true;
    }
    return provider->config->key_count == 0 ||
           rc_snapshot_provider_key(provider, provider->first_key, ret_key);
}
