/* rc_quota_cache: the latest quotas that providers reported, by key and model.
 *
 *   loop ──┐  quotas of one response            ┌─ a warning, once for a limit and its window
 *   loop ──┼─────────────────────────► cache ───┤
 *   loop ──┘                                    └─ facts for the admin interface and the metrics
 *
 * Of several limits of one kind, the cache stores the one with the least remaining quota, until
 * that limit renews (rc_quota_window_ms). The cache holds RC_QUOTA_CACHE_MAX pairs of a key and a
 * model; a new pair evicts the one that was updated longest ago. Any thread may call these
 * functions. The lock is held for less than a microsecond. */
#ifndef RC_GATEWAY_STATE_QUOTA_CACHE_H
#define RC_GATEWAY_STATE_QUOTA_CACHE_H

#include <uv.h>

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "policy/quota.h"

#define RC_QUOTA_CACHE_MAX 1024u
#define RC_QUOTA_CACHE_BUCKETS 256u
/* Names of limits with more bytes are truncated. */
#define RC_QUOTA_NAME_MAX 32u

typedef struct rc_quota_fact {
    rc_quota_kind kind;
    uint8_t name_len;
    char name[RC_QUOTA_NAME_MAX];
    int64_t remaining;
    int64_t limit;
    int64_t renews_unix_ms; /* When the limit renews. 0 if the provider did not state a time. */
    int64_t until_unix_ms;  /* The fact is valid until this time. 0 if the pair has no limit of this
                             * kind. */
} rc_quota_fact;

/* A fact with the hub's rows of its target and credential. */
typedef struct rc_quota_entry {
    uint16_t target;
    uint16_t credential; /* RC_NO_TARGET if no key was sent. */
    rc_quota_fact fact;
} rc_quota_entry;

typedef struct rc_quota_pair rc_quota_pair;

typedef struct rc_quota_cache {
    rc_alloc alloc;
    uv_mutex_t lock;
    rc_quota_pair *pairs;
    uint32_t count;
    uint32_t capacity;
    uint16_t buckets[RC_QUOTA_CACHE_BUCKETS]; /* Index + 1 of the first pair in each hash bucket. 0
                                               * for an empty bucket. */
} rc_quota_cache;

/* Initialises the cache. alloc: copies the struct; it must be safe for use from all threads. After
 * RC_E_NOMEM nothing needs to be freed. */
rc_status rc_quota_cache_init(rc_quota_cache *cache, const rc_alloc *alloc);
void rc_quota_cache_done(rc_quota_cache *cache);

/* Stores the quotas of one response. Returns the limit to warn about; NULL if no warning is due.
 * The result views (points into) quotas. If there is no memory, nothing is stored and NULL is
 * returned. */
const rc_quota *rc_quota_cache_update(rc_quota_cache *cache, uint16_t target, uint16_t credential,
                                      const rc_quotas *quotas);

/* Removes all facts of a row, because the row will belong to another target. */
void rc_quota_cache_remove(rc_quota_cache *cache, uint16_t target);

/* Copies the facts that are valid now, at most `capacity` of them. Returns their number. */
uint32_t rc_quota_cache_list(rc_quota_cache *cache, int64_t now_unix_ms, rc_quota_entry *ret_list,
                             uint32_t capacity);
/* Returns an upper bound of the number of facts that rc_quota_cache_list returns. */
uint32_t rc_quota_cache_max_count(rc_quota_cache *cache);

static inline rc_str rc_quota_fact_name(const rc_quota_fact *fact)
{
    return fact->name_len > 0 ? rc_str_make(fact->name, fact->name_len) : RC_STR("limit");
}

/* Whether less than RC_QUOTA_LOW_PERCENT of the limit is left. fact: borrows during the call. */
bool rc_quota_fact_is_low(const rc_quota_fact *fact);
/* Whether `a` has a smaller share of its limit left than `b`. a, b: borrows during the call. */
bool rc_quota_fact_is_lower(const rc_quota_fact *a, const rc_quota_fact *b);

#endif
