/* rc_admin_quotas: sorts the quotas and copies them into a snapshot. Called by gateway_admin.c. */
#include "gateway/admin/quota.h"

#include <stdlib.h>

#include "codec/origin.h"
#include "gateway/state/hub.h"

static int compare(const void *first, const void *second)
{
    const rc_quota_entry *a = first;
    const rc_quota_entry *b = second;
    if (a->credential != b->credential)
        return a->credential < b->credential ? -1 : 1;
    if (a->credential == RC_NO_TARGET && a->target != b->target)
        return a->target < b->target ? -1 : 1;
    if (rc_quota_fact_is_lower(&a->fact, &b->fact))
        return -1;
    if (rc_quota_fact_is_lower(&b->fact, &a->fact))
        return 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (int)a->fact.kind - (int)b->fact.kind;
}

void rc_admin_quotas_init(rc_admin_quotas *quotas, rc_hub *hub, rc_arena *arena,
                          int64_t now_unix_ms)
{
    const uint32_t max_count = rc_quota_cache_max_count(&hub->quotas);
    *quotas = (rc_admin_quotas){.hub = hub, .arena = arena};
    rc_quota_entry *list =
        max_count > 0 ? rc_arena_get_array(arena, max_count, sizeof *list) : NULL;
    if (list == NULL)
        return;
    quotas->count = rc_quota_cache_list(&hub->quotas, now_unix_ms, list, max_count);
    qsort(list, quotas->count, sizeof *list, compare);
    quotas->list = list;
}

static rc_admin_quota show(const rc_admin_quotas *quotas, const rc_quota_entry *entry)
{
    const rc_quota_fact *fact = &entry->fact;
    const rc_hub_target *row =
        entry->target < quotas->hub->target_count ? &quotas->hub->targets[entry->target] : NULL;
    return (rc_admin_quota){
        .target = row != NULL ? rc_arena_dup(quotas->arena, rc_str_make(row->name, row->name_len))
                              : rc_str_make(NULL, 0),
        .name = rc_arena_dup(quotas->arena, rc_quota_fact_name(fact)),
        .kind = fact->kind,
        .remaining = (uint64_t)fact->remaining,
        .limit = (uint64_t)fact->limit,
        .renews_unix_ms = fact->renews_unix_ms,
        .is_low = rc_quota_fact_is_low(fact),
    };
}

/* Copies the entries from `next` to `end`, at most RC_ADMIN_QUOTAS_MAX entries. */
static const rc_admin_quota *show_all(const rc_admin_quotas *quotas, uint32_t end,
                                      size_t *ret_count)
{
    uint32_t count = end - quotas->next;
    *ret_count = 0;
    if (count == 0)
        return NULL;
    if (count > RC_ADMIN_QUOTAS_MAX)
        count = RC_ADMIN_QUOTAS_MAX;
    rc_admin_quota *list = rc_arena_get_array(quotas->arena, count, sizeof *list);
    if (list == NULL)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        list[i] = show(quotas, &quotas->list[quotas->next + i]);
    *ret_count = count;
    return list;
}

void rc_admin_quotas_of_key(rc_admin_quotas *quotas, uint16_t credential, rc_admin_key *key)
{
    for (int kind = 0; kind < RC_QUOTA_KIND_COUNT; kind++)
        key->left_milli[kind] = -1;
    while (quotas->next < quotas->count && quotas->list[quotas->next].credential < credential)
        quotas->next++;
    uint32_t end = quotas->next;
    for (; end < quotas->count && quotas->list[end].credential == credential; end++) {
        const rc_quota_fact *fact = &quotas->list[end].fact;
        if (key->left_milli[fact->kind] < 0)
            key->left_milli[fact->kind] = (int16_t)(fact->remaining * 1000 / fact->limit);
    }
    key->quotas = show_all(quotas, end, &key->quota_count);
    quotas->next = end;
}

void rc_admin_quotas_of_target(rc_admin_quotas *quotas, uint16_t target, rc_admin_target *ret)
{
    while (quotas->next < quotas->count && (quotas->list[quotas->next].credential != RC_NO_TARGET ||
                                            quotas->list[quotas->next].target < target))
        quotas->next++;
    uint32_t end = quotas->next;
    while (end < quotas->count && quotas->list[end].target == target)
        end++;
    ret->quotas = show_all(quotas, end, &ret->quota_count);
    quotas->next = end;
}
