/* Editions of the configuration, as one loop uses them; and the keys in them. */
#include "base/str.h"
#include "gateway/job.h"

void rc_gate_drop_edition(rc_gate *gate, rc_gate_edition **at)
{
    rc_gate_edition *edition = *at;
    *at = edition->next;
    rc_gate_plans_drop(edition->plans);
    gate->settings.alloc.put(gate->settings.alloc.ctx, edition, sizeof *edition);
}

/* Without memory the one that is there goes on; the next request asks again. */
void rc_gate_renew(rc_gate *gate)
{
    const rc_alloc *alloc = &gate->settings.alloc;
    rc_gate_edition *edition = alloc->get(alloc->ctx, sizeof *edition);
    if (edition == NULL)
        return;
    *edition = (rc_gate_edition){.next = gate->editions, .plans = rc_gate_world_plans(gate->world)};
    if (edition->plans == NULL) {
        alloc->put(alloc->ctx, edition, sizeof *edition);
        return;
    }
    gate->editions = edition;
    if (edition->next != NULL && edition->next->jobs == 0)
        rc_gate_drop_edition(gate, &edition->next);
}

static bool is_new(const rc_gate *gate)
{
    return gate->editions->plans->edition == rc_gate_world_edition(gate->world);
}

rc_gate_edition *rc_gate_enter(rc_gate *gate)
{
    if (!is_new(gate))
        rc_gate_renew(gate);
    gate->editions->jobs++;
    return gate->editions;
}

void rc_gate_leave(rc_gate *gate, rc_gate_edition *edition)
{
    edition->jobs--;
    if (edition->jobs > 0 || edition == gate->editions)
        return;
    rc_gate_edition **at = &gate->editions->next;
    while (*at != edition)
        at = &(*at)->next;
    rc_gate_drop_edition(gate, at);
}

static const rc_gate_provider *find_provider(const rc_gate_plans *plans, rc_str name)
{
    for (size_t i = 0; i < plans->config->provider_count; i++)
        if (rc_str_eq(plans->providers[i].config->name, name))
            return &plans->providers[i];
    return NULL;
}

/* A pool that a reload has changed gives credentials that the job's own edition does not have. A
 * key goes to the place that it was given for, and to no other; where it cannot be had, the first
 * of the job's own edition serves. */
bool rc_gate_find_key(rc_gate *gate, const rc_gate_provider *provider, uint16_t credential,
                      rc_secret *ret_key)
{
    if (rc_gate_provider_key(provider, credential, ret_key))
        return true;
    if (!is_new(gate))
        rc_gate_renew(gate);
    for (const rc_gate_edition *at = gate->editions; at != NULL; at = at->next) {
        const rc_gate_provider *same = find_provider(at->plans, provider->config->name);
        if (same != NULL && rc_origin_eq(&same->origin, &provider->origin) &&
            rc_gate_provider_key(same, credential, ret_key))
            return true;
    }
    return provider->config->key_count == 0 ||
           rc_gate_provider_key(provider, provider->first_key, ret_key);
}
