/* Editions of the configuration, as one loop uses them; and the keys in them. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"

void rc_loop_drop_snapshot(rc_loop *loop, rc_snapshot_ref **at)
{
    rc_snapshot_ref *edition = *at;
    *at = edition->next;
    rc_snapshot_release(edition->snapshot);
    loop->settings.alloc.put(loop->settings.alloc.ctx, edition, sizeof *edition);
}

/* Without memory the one that is there goes on; the next request asks again. */
void rc_loop_refresh_snapshot(rc_loop *loop)
{
    const rc_alloc *alloc = &loop->settings.alloc;
    rc_snapshot_ref *edition = alloc->get(alloc->ctx, sizeof *edition);
    if (edition == NULL)
        return;
    *edition =
        (rc_snapshot_ref){.next = loop->snapshot_refs, .snapshot = rc_hub_take_snapshot(loop->hub)};
    if (edition->snapshot == NULL) {
        alloc->put(alloc->ctx, edition, sizeof *edition);
        return;
    }
    loop->snapshot_refs = edition;
    if (edition->next != NULL && edition->next->exchange_count == 0)
        rc_loop_drop_snapshot(loop, &edition->next);
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

void rc_loop_release_snapshot(rc_loop *loop, rc_snapshot_ref *edition)
{
    edition->exchange_count--;
    if (edition->exchange_count > 0 || edition == loop->snapshot_refs)
        return;
    rc_snapshot_ref **at = &loop->snapshot_refs->next;
    while (*at != edition)
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

/* A pool that a reload has changed gives credentials that the job's own edition does not have. A
 * key goes to the place that it was given for, and to no other; where it cannot be had, the first
 * of the job's own edition serves. */
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
