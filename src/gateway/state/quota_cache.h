/* rc_quota_cache: what providers have said is left of their limits, by key and model.
 *
 *   loop ──┐  the numbers of one answer          ┌─ warn: once for a limit and its window
 *   loop ──┼────────────────────────────► board ─┤
 *   loop ──┘                                     └─ facts, for whoever looks
 *
 * Of each kind of limit the one that is lowest is kept, until it is renewed (rc_quota_window_ms).
 * There is room for so many pairs of a key and a model; beyond them the one that was heard of
 * longest ago makes room. Any thread may use it; its lock is held for less than a microsecond. */
#ifndef RC_GATEWAY_STATE_QUOTA_CACHE_H
#define RC_GATEWAY_STATE_QUOTA_CACHE_H

#include <uv.h>

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "policy/quota.h"

#define RC_QUOTA_CACHE_MAX 1024u
#define RC_QUOTA_CACHE_BUCKETS 256u
/* Of a limit's name; a longer one is cut. */
#define RC_QUOTA_NAME_MAX 32u

typedef struct rc_quota_fact {
    rc_quota_kind kind;
    uint8_t name_len;
    char name[RC_QUOTA_NAME_MAX];
    int64_t remaining;
    int64_t limit;
    int64_t renews_unix_ms; /* 0: not told */
    int64_t until_unix_ms;  /* it counts until then; 0: there is none */
} rc_quota_fact;

/* A fact with whose it is: rows of the world. */
typedef struct rc_quota_entry {
    uint16_t target;
    uint16_t credential; /* RC_NO_TARGET: no key was used */
    rc_quota_fact fact;
} rc_quota_entry;

typedef struct rc_quota_pair rc_quota_pair;

typedef struct rc_quota_cache {
    rc_alloc alloc;
    uv_mutex_t lock;
    rc_quota_pair *pairs;
    uint32_t count;
    uint32_t capacity;
    uint16_t buckets[RC_QUOTA_CACHE_BUCKETS]; /* place + 1 of each one's first pair; 0: none */
} rc_quota_cache;

/* RC_E_NOMEM: nothing is left. alloc: copies; it must serve all threads. */
rc_status rc_quota_cache_init(rc_quota_cache *cache, const rc_alloc *alloc);
void rc_quota_cache_done(rc_quota_cache *cache);

/* What an answer said. The limit that is to be warned of; NULL: none is. Without memory nothing is
 * kept, and nobody warned. Views quotas. */
const rc_quota *rc_quota_cache_update(rc_quota_cache *cache, uint16_t target, uint16_t credential,
                                      const rc_quotas *quotas);

/* The row is another target's from now on. */
void rc_quota_cache_remove(rc_quota_cache *cache, uint16_t target);

/* The facts that count now, room of them at most: how many there are. */
uint32_t rc_quota_cache_list(rc_quota_cache *cache, int64_t now_unix_ms, rc_quota_entry *ret_list,
                             uint32_t capacity);
/* No more than these can there be. */
uint32_t rc_quota_cache_max_count(rc_quota_cache *cache);

static inline rc_str rc_quota_fact_name(const rc_quota_fact *fact)
{
    return fact->name_len > 0 ? rc_str_make(fact->name, fact->name_len) : RC_STR("limit");
}

/* fact: borrows. */
bool rc_quota_fact_is_low(const rc_quota_fact *fact);
/* Is less of a left than of b, in proportion? Both: borrow. */
bool rc_quota_fact_is_lower(const rc_quota_fact *a, const rc_quota_fact *b);

#endif
