/* rc_quota_cache: a hash table of the latest quotas. Called by attempt_response.c and the
 * admin interface. */
#include "gateway/state/quota_cache.h"

#include <string.h>

#define FIRST_CAPACITY 8u

struct rc_quota_pair {
    uint16_t target;
    uint16_t credential;
    uint16_t next; /* Index + 1 of the next pair in the same hash bucket. 0 if this is the last
                    * pair. */
    bool is_used;
    int64_t updated_unix_ms;
    rc_quota_alarm alarm;
    rc_quota_fact facts[RC_QUOTA_KIND_COUNT];
};

rc_status rc_quota_cache_init(rc_quota_cache *cache, const rc_alloc *alloc)
{
    memset(cache, 0, sizeof *cache);
    cache->alloc = *alloc;
    return uv_mutex_init(&cache->lock) == 0 ? RC_OK : RC_E_NOMEM;
}

void rc_quota_cache_done(rc_quota_cache *cache)
{
    if (cache->pairs != NULL)
        cache->alloc.put(cache->alloc.ctx, cache->pairs, cache->capacity * sizeof *cache->pairs);
    uv_mutex_destroy(&cache->lock);
}

/* ---- pairs of a key and a model; the caller holds the lock ---- */

static uint16_t *bucket_of(rc_quota_cache *cache, uint16_t target, uint16_t credential)
{
    const uint32_t key = (uint32_t)target << 16 | credential;
    return &cache->buckets[(key * UINT32_C(2654435761)) >> 24];
}

static rc_quota_pair *find(rc_quota_cache *cache, uint16_t target, uint16_t credential)
{
    uint32_t at = *bucket_of(cache, target, credential);
    while (at != 0) {
        rc_quota_pair *pair = &cache->pairs[at - 1];
        if (pair->target == target && pair->credential == credential)
            return pair;
        at = pair->next;
    }
    return NULL;
}

static void drop(rc_quota_cache *cache, rc_quota_pair *pair)
{
    const uint16_t index = (uint16_t)(pair - cache->pairs + 1);
    uint16_t *at = bucket_of(cache, pair->target, pair->credential);
    while (*at != index)
        at = &cache->pairs[*at - 1].next;
    *at = pair->next;
    pair->is_used = false;
}

static bool grow(rc_quota_cache *cache)
{
    const rc_alloc *alloc = &cache->alloc;
    const uint32_t capacity = cache->capacity > 0 ? cache->capacity * 2 : FIRST_CAPACITY;
    if (capacity > RC_QUOTA_CACHE_MAX)
        return false;
    rc_quota_pair *pairs = alloc->get(alloc->ctx, capacity * sizeof *pairs);
    if (pairs == NULL)
        return false;
    if (cache->pairs != NULL) {
        memcpy(pairs, cache->pairs, cache->count * sizeof *pairs);
        alloc->put(alloc->ctx, cache->pairs, cache->capacity * sizeof *cache->pairs);
    }
    cache->pairs = pairs;
    cache->capacity = capacity;
    return true;
}

/* Returns a free pair. If there is no free pair, removes the pair that was updated longest ago from
 * its hash chain and returns it. NULL if there are no pairs. */
static rc_quota_pair *oldest(rc_quota_cache *cache)
{
    rc_quota_pair *found = NULL;
    for (uint32_t i = 0; i < cache->count; i++) {
        rc_quota_pair *pair = &cache->pairs[i];
        if (!pair->is_used)
            return pair;
        if (found == NULL || pair->updated_unix_ms < found->updated_unix_ms)
            found = pair;
    }
    if (found != NULL)
        drop(cache, found);
    return found;
}

static rc_quota_pair *add(rc_quota_cache *cache, uint16_t target, uint16_t credential)
{
    rc_quota_pair *pair = cache->count < cache->capacity || grow(cache)
                              ? &cache->pairs[cache->count++]
                              : oldest(cache);
    if (pair == NULL)
        return NULL;
    uint16_t *bucket = bucket_of(cache, target, credential);
    *pair = (rc_quota_pair){
        .target = target, .credential = credential, .next = *bucket, .is_used = true};
    *bucket = (uint16_t)(pair - cache->pairs + 1);
    return pair;
}

/* ---- updating ---- */

static const rc_quota *lowest_of(const rc_quotas *quotas, rc_quota_kind kind)
{
    const rc_quota *lowest = NULL;
    for (uint32_t i = 0; i < quotas->count; i++) {
        const rc_quota *quota = &quotas->list[i];
        if (quota->kind == kind && rc_quota_is_sound(quota) &&
            (lowest == NULL || rc_quota_is_lower(quota, lowest)))
            lowest = quota;
    }
    return lowest;
}

static void set_fact(rc_quota_fact *fact, const rc_quota *quota, int64_t now_unix_ms)
{
    size_t len = quota->name.len;
    if (len > RC_QUOTA_NAME_MAX)
        len = RC_QUOTA_NAME_MAX;
    fact->kind = quota->kind;
    fact->name_len = (uint8_t)len;
    if (len > 0)
        memcpy(fact->name, quota->name.ptr, len);
    fact->remaining = quota->remaining;
    fact->limit = quota->limit;
    fact->renews_unix_ms = quota->reset_ms > 0 ? now_unix_ms + quota->reset_ms : 0;
    fact->until_unix_ms = now_unix_ms + rc_quota_window_ms(quota);
}

static bool is_any_sound(const rc_quotas *quotas)
{
    for (uint32_t i = 0; i < quotas->count; i++)
        if (rc_quota_is_sound(&quotas->list[i]))
            return true;
    return false;
}

const rc_quota *rc_quota_cache_update(rc_quota_cache *cache, uint16_t target, uint16_t credential,
                                      const rc_quotas *quotas)
{
    const rc_quota *low = NULL;
    if (!is_any_sound(quotas))
        return NULL;
    uv_mutex_lock(&cache->lock);
    rc_quota_pair *pair = find(cache, target, credential);
    if (pair == NULL)
        pair = add(cache, target, credential);
    for (int kind = 0; pair != NULL && kind < RC_QUOTA_KIND_COUNT; kind++) {
        const rc_quota *lowest = lowest_of(quotas, (rc_quota_kind)kind);
        if (lowest != NULL)
            set_fact(&pair->facts[kind], lowest, quotas->now_unix_ms);
    }
    if (pair != NULL) {
        pair->updated_unix_ms = quotas->now_unix_ms;
        low = rc_quota_alarm_next(&pair->alarm, quotas);
    }
    uv_mutex_unlock(&cache->lock);
    return low;
}

void rc_quota_cache_remove(rc_quota_cache *cache, uint16_t target)
{
    uv_mutex_lock(&cache->lock);
    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->pairs[i].is_used && cache->pairs[i].target == target)
            drop(cache, &cache->pairs[i]);
    uv_mutex_unlock(&cache->lock);
}

/* ---- listing ---- */

uint32_t rc_quota_cache_max_count(rc_quota_cache *cache)
{
    uv_mutex_lock(&cache->lock);
    const uint32_t max_count = cache->count * RC_QUOTA_KIND_COUNT;
    uv_mutex_unlock(&cache->lock);
    return max_count;
}

static uint32_t list_pair(const rc_quota_pair *pair, int64_t now_unix_ms, rc_quota_entry *list,
                          uint32_t capacity)
{
    uint32_t count = 0;
    for (int kind = 0; kind < RC_QUOTA_KIND_COUNT && count < capacity; kind++)
        if (pair->facts[kind].until_unix_ms > now_unix_ms)
            list[count++] = (rc_quota_entry){
                .target = pair->target, .credential = pair->credential, .fact = pair->facts[kind]};
    return count;
}

uint32_t rc_quota_cache_list(rc_quota_cache *cache, int64_t now_unix_ms, rc_quota_entry *ret_list,
                             uint32_t capacity)
{
    uint32_t count = 0;
    uv_mutex_lock(&cache->lock);
    for (uint32_t i = 0; i < cache->count; i++)
        if (cache->pairs[i].is_used)
            count += list_pair(&cache->pairs[i], now_unix_ms, ret_list + count, capacity - count);
    uv_mutex_unlock(&cache->lock);
    return count;
}

static rc_quota quota_of(const rc_quota_fact *fact)
{
    return (rc_quota){.remaining = fact->remaining, .limit = fact->limit};
}

bool rc_quota_fact_is_low(const rc_quota_fact *fact)
{
    const rc_quota quota = quota_of(fact);
    return rc_quota_is_low(&quota, RC_QUOTA_LOW_PERCENT);
}

bool rc_quota_fact_is_lower(const rc_quota_fact *a, const rc_quota_fact *b)
{
    const rc_quota first = quota_of(a);
    const rc_quota second = quota_of(b);
    return rc_quota_is_lower(&first, &second);
}
