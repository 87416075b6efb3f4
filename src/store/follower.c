/* Delivers operations of the audit as they end. Called by `recourse audit tail`. */
#include "store/follower.h"

#include <string.h>

#define MINUTE_MS INT64_C(60000)
#define OVERLAP_MS MINUTE_MS
#define SLOTS_MIN 1024

typedef struct scan {
    uint64_t every; /* The scan runs in each step whose number is a multiple of `every`. */
    int64_t back_ms;
} scan;

static const scan scans[RC_FOLLOWER_SCANS] = {
    {1, 2 * MINUTE_MS},
    {16, 30 * MINUTE_MS},
    {256, 480 * MINUTE_MS},
};

static const rc_store_filter notices = {.has_outcome = true, .outcome = RC_OUTCOME_NOTICE};

/* --- delivered operations --- */

static size_t slot_of(const rc_follower_seen *seen, size_t slots, int64_t key)
{
    size_t at = (size_t)((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (slots - 1);
    while (seen[at].key != 0 && seen[at].key != key)
        at = (at + 1) & (slots - 1);
    return at;
}

/* Makes a new table with `slots` slots. Entries whose operations ended at from_unix_ms or later are
 * moved to it; all other entries are dropped. */
static rc_status rebuild(rc_follower *follower, size_t slots, int64_t from_unix_ms)
{
    const rc_alloc *alloc = &follower->alloc;
    rc_follower_seen *seen = alloc->get(alloc->ctx, slots * sizeof(*seen));
    if (seen == NULL)
        return RC_E_NOMEM;
    memset(seen, 0, slots * sizeof(*seen));
    size_t count = 0;
    for (size_t i = 0; i < follower->seen_slots; i++) {
        const rc_follower_seen *old = &follower->seen[i];
        if (old->key == 0 || old->ended_unix_ms < from_unix_ms)
            continue;
        seen[slot_of(seen, slots, old->key)] = *old;
        count++;
    }
    if (follower->seen != NULL)
        alloc->put(alloc->ctx, follower->seen, follower->seen_slots * sizeof(*seen));
    follower->seen = seen;
    follower->seen_slots = slots;
    follower->seen_count = count;
    return RC_OK;
}

/* Returns the earliest end of an operation that a later scan can still find. */
static int64_t earliest_scanned(const rc_follower *follower)
{
    int64_t earliest = follower->scanned_unix_ms[0];
    for (size_t i = 1; i < RC_FOLLOWER_SCANS; i++)
        if (follower->scanned_unix_ms[i] < earliest)
            earliest = follower->scanned_unix_ms[i];
    return earliest - OVERLAP_MS;
}

/* Drops the entries of operations that no scan can find any more. If the table is still too full
 * and cannot grow, drops the older half of its entries and moves from_unix_ms forward, so that no
 * scan delivers their operations again. */
static rc_status make_space(rc_follower *follower)
{
    const size_t slots = follower->seen_slots;
    rc_status status = rebuild(follower, slots > 0 ? slots : SLOTS_MIN, earliest_scanned(follower));
    if (status != RC_OK || follower->seen_count < follower->seen_slots / 4)
        return status;
    if (follower->seen_slots < 2 * RC_FOLLOWER_SEEN_MAX)
        return rebuild(follower, follower->seen_slots * 2, INT64_MIN);
    int64_t last = follower->from_unix_ms;
    for (size_t i = 0; i < follower->seen_slots; i++)
        if (follower->seen[i].ended_unix_ms > last)
            last = follower->seen[i].ended_unix_ms;
    follower->from_unix_ms += (last - follower->from_unix_ms) / 2 + 1;
    return rebuild(follower, follower->seen_slots, follower->from_unix_ms);
}

rc_status rc_follower_skip(rc_follower *follower, const rc_record *operation)
{
    if (follower->seen_count >= follower->seen_slots / 2) {
        const rc_status status = make_space(follower);
        if (status != RC_OK)
            return status;
    }
    rc_follower_seen *slot =
        &follower->seen[slot_of(follower->seen, follower->seen_slots, operation->key)];
    if (slot->key == 0)
        follower->seen_count++;
    *slot = (rc_follower_seen){.key = operation->key, .ended_unix_ms = operation->unix_ms};
    return RC_OK;
}

static bool was_delivered(const rc_follower *follower, int64_t key)
{
    return follower->seen_slots > 0 &&
           follower->seen[slot_of(follower->seen, follower->seen_slots, key)].key == key;
}

/* --- steps --- */

void rc_follower_init(rc_follower *follower, const rc_store_filter *filter, bool has_notices,
                      int64_t now_unix_ms, const rc_alloc *alloc)
{
    memset(follower, 0, sizeof(*follower));
    follower->alloc = *alloc;
    follower->filter = *filter;
    follower->has_notices = has_notices && !filter->has_outcome;
    follower->from_unix_ms = now_unix_ms;
    for (size_t i = 0; i < RC_FOLLOWER_SCANS; i++)
        follower->scanned_unix_ms[i] = now_unix_ms;
}

void rc_follower_done(rc_follower *follower)
{
    if (follower->seen != NULL)
        follower->alloc.put(follower->alloc.ctx, follower->seen,
                            follower->seen_slots * sizeof(*follower->seen));
    follower->seen = NULL;
    follower->seen_slots = 0;
}

typedef struct delivery {
    rc_follower *follower;
    rc_record_each each; /* NULL: the operations are only marked as delivered. */
    void *ctx;
    uint32_t delivered;
    bool is_out_of_memory;
} delivery;

static bool deliver(void *ctx, const rc_record *operation)
{
    delivery *p = ctx;
    if (was_delivered(p->follower, operation->key))
        return true;
    if (rc_follower_skip(p->follower, operation) != RC_OK) {
        p->is_out_of_memory = true;
        return false;
    }
    if (p->each == NULL)
        return true;
    p->delivered++;
    return p->each(p->ctx, operation) && p->delivered < RC_FOLLOWER_STEP_MAX;
}

static bool run_scan(rc_store *store, delivery *p, const rc_store_filter *filter, const scan *range,
                     int64_t since_unix_ms, int64_t now_unix_ms, rc_store_fault *fault)
{
    rc_store_query query = {.filter = *filter, .is_oldest_first = true};
    query.filter.from_unix_ms = now_unix_ms - range->back_ms;
    query.filter.until_unix_ms = 0;
    query.filter.ended_unix_ms =
        since_unix_ms > p->follower->from_unix_ms ? since_unix_ms : p->follower->from_unix_ms;
    if (!rc_store_list(store, &query, deliver, p, fault))
        return false;
    return !p->is_out_of_memory ||
           rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "follow", NULL, NULL);
}

/* Handles a clock that was set back. Operations that end from now on have earlier times than the
 * last scans, so the scans restart at the new time. Stored operations that ended after the new time
 * count as delivered. */
static bool follow_clock_back(rc_follower *follower, rc_store *store, int64_t now_unix_ms,
                              rc_store_fault *fault)
{
    delivery p = {.follower = follower};
    if (now_unix_ms < follower->from_unix_ms)
        follower->from_unix_ms = now_unix_ms;
    for (size_t i = 0; i < RC_FOLLOWER_SCANS; i++)
        follower->scanned_unix_ms[i] = now_unix_ms;
    return run_scan(store, &p, &follower->filter, &scans[RC_FOLLOWER_SCANS - 1],
                    now_unix_ms - OVERLAP_MS, now_unix_ms, fault) &&
           (!follower->has_notices || run_scan(store, &p, &notices, &scans[RC_FOLLOWER_SCANS - 1],
                                               now_unix_ms - OVERLAP_MS, now_unix_ms, fault));
}

bool rc_follower_step(rc_follower *follower, rc_store *store, int64_t now_unix_ms,
                      rc_record_each each, void *ctx, rc_store_fault *fault)
{
    delivery p = {.follower = follower, .each = each, .ctx = ctx};
    if (now_unix_ms < follower->scanned_unix_ms[0] - OVERLAP_MS &&
        !follow_clock_back(follower, store, now_unix_ms, fault))
        return false;
    follower->steps++;
    for (size_t i = 0; i < RC_FOLLOWER_SCANS && p.delivered < RC_FOLLOWER_STEP_MAX; i++) {
        if (follower->steps % scans[i].every != 0)
            continue;
        const int64_t since = follower->scanned_unix_ms[i] - OVERLAP_MS;
        if (!run_scan(store, &p, &follower->filter, &scans[i], since, now_unix_ms, fault) ||
            (follower->has_notices &&
             !run_scan(store, &p, &notices, &scans[i], since, now_unix_ms, fault)))
            return false;
        /* If this step has delivered its maximum number of operations, a later step scans the same
         * range of time again. */
        if (p.delivered < RC_FOLLOWER_STEP_MAX)
            follower->scanned_unix_ms[i] = now_unix_ms;
    }
    return true;
}
