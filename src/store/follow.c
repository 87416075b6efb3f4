#include "store/follow.h"

#include <string.h>

#define MINUTE_MS INT64_C(60000)
#define OVERLAP_MS MINUTE_MS
#define SLOTS_MIN 1024

typedef struct look {
    uint64_t every; /* steps */
    int64_t back_ms;
} look;

static const look looks[RC_FOLLOW_LOOKS] = {
    {1, 2 * MINUTE_MS},
    {16, 30 * MINUTE_MS},
    {256, 480 * MINUTE_MS},
};

static const rc_store_filter notices = {.has_outcome = true, .outcome = RC_OUTCOME_NOTICE};

/* --- what was given --- */

static size_t slot_of(const rc_follow_seen *seen, size_t slots, int64_t key)
{
    size_t at = (size_t)((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (slots - 1);
    while (seen[at].key != 0 && seen[at].key != key)
        at = (at + 1) & (slots - 1);
    return at;
}

/* Moves what ended from then on to a table of that size. */
static rc_status rebuild(rc_follow *follow, size_t slots, int64_t from_unix_ms)
{
    const rc_alloc *alloc = &follow->alloc;
    rc_follow_seen *seen = alloc->get(alloc->ctx, slots * sizeof(*seen));
    if (seen == NULL)
        return RC_E_NOMEM;
    memset(seen, 0, slots * sizeof(*seen));
    size_t count = 0;
    for (size_t i = 0; i < follow->seen_slots; i++) {
        const rc_follow_seen *old = &follow->seen[i];
        if (old->key == 0 || old->ended_unix_ms < from_unix_ms)
            continue;
        seen[slot_of(seen, slots, old->key)] = *old;
        count++;
    }
    if (follow->seen != NULL)
        alloc->put(alloc->ctx, follow->seen, follow->seen_slots * sizeof(*seen));
    follow->seen = seen;
    follow->seen_slots = slots;
    follow->seen_count = count;
    return RC_OK;
}

/* No look that is still to come asks for what ended before this. */
static int64_t forgotten_before(const rc_follow *follow)
{
    int64_t earliest = follow->looked_unix_ms[0];
    for (size_t i = 1; i < RC_FOLLOW_LOOKS; i++)
        if (follow->looked_unix_ms[i] < earliest)
            earliest = follow->looked_unix_ms[i];
    return earliest - OVERLAP_MS;
}

/* Forgets what nobody asks for; where that is not enough, the older half of all there is, and then
 * it is not asked for any more either. */
static rc_status make_room(rc_follow *follow)
{
    const size_t slots = follow->seen_slots;
    rc_status status = rebuild(follow, slots > 0 ? slots : SLOTS_MIN, forgotten_before(follow));
    if (status != RC_OK || follow->seen_count < follow->seen_slots / 4)
        return status;
    if (follow->seen_slots < 2 * RC_FOLLOW_SEEN_MAX)
        return rebuild(follow, follow->seen_slots * 2, INT64_MIN);
    int64_t last = follow->from_unix_ms;
    for (size_t i = 0; i < follow->seen_slots; i++)
        if (follow->seen[i].ended_unix_ms > last)
            last = follow->seen[i].ended_unix_ms;
    follow->from_unix_ms += (last - follow->from_unix_ms) / 2 + 1;
    return rebuild(follow, follow->seen_slots, follow->from_unix_ms);
}

rc_status rc_follow_skip(rc_follow *follow, const rc_record *operation)
{
    if (follow->seen_count >= follow->seen_slots / 2) {
        const rc_status status = make_room(follow);
        if (status != RC_OK)
            return status;
    }
    rc_follow_seen *slot = &follow->seen[slot_of(follow->seen, follow->seen_slots, operation->key)];
    if (slot->key == 0)
        follow->seen_count++;
    *slot = (rc_follow_seen){.key = operation->key, .ended_unix_ms = operation->unix_ms};
    return RC_OK;
}

static bool was_given(const rc_follow *follow, int64_t key)
{
    return follow->seen_slots > 0 &&
           follow->seen[slot_of(follow->seen, follow->seen_slots, key)].key == key;
}

/* --- steps --- */

void rc_follow_init(rc_follow *follow, const rc_store_filter *filter, bool has_notices,
                    int64_t now_unix_ms, const rc_alloc *alloc)
{
    memset(follow, 0, sizeof(*follow));
    follow->alloc = *alloc;
    follow->filter = *filter;
    follow->has_notices = has_notices && !filter->has_outcome;
    follow->from_unix_ms = now_unix_ms;
    for (size_t i = 0; i < RC_FOLLOW_LOOKS; i++)
        follow->looked_unix_ms[i] = now_unix_ms;
}

void rc_follow_done(rc_follow *follow)
{
    if (follow->seen != NULL)
        follow->alloc.put(follow->alloc.ctx, follow->seen,
                          follow->seen_slots * sizeof(*follow->seen));
    follow->seen = NULL;
    follow->seen_slots = 0;
}

typedef struct passing {
    rc_follow *follow;
    rc_record_each each; /* NULL: nobody is given anything, it only counts as given */
    void *ctx;
    uint32_t given;
    bool is_out_of_memory;
} passing;

static bool pass(void *ctx, const rc_record *operation)
{
    passing *p = ctx;
    if (was_given(p->follow, operation->key))
        return true;
    if (rc_follow_skip(p->follow, operation) != RC_OK) {
        p->is_out_of_memory = true;
        return false;
    }
    if (p->each == NULL)
        return true;
    p->given++;
    return p->each(p->ctx, operation) && p->given < RC_FOLLOW_STEP_MAX;
}

static bool take_look(rc_store *store, passing *p, const rc_store_filter *filter, const look *how,
                      int64_t since_unix_ms, int64_t now_unix_ms, rc_store_fault *fault)
{
    rc_store_query query = {.filter = *filter, .is_oldest_first = true};
    query.filter.from_unix_ms = now_unix_ms - how->back_ms;
    query.filter.until_unix_ms = 0;
    query.filter.ended_unix_ms =
        since_unix_ms > p->follow->from_unix_ms ? since_unix_ms : p->follow->from_unix_ms;
    if (!rc_store_list(store, &query, pass, p, fault))
        return false;
    return !p->is_out_of_memory ||
           rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "follow", NULL, NULL);
}

/* The clock was set back: operations that end from now on have times before those of the last
 * looks. The looks go back to the new time; operations that ended later than that by the old clock
 * count as given. */
static bool follow_clock_back(rc_follow *follow, rc_store *store, int64_t now_unix_ms,
                              rc_store_fault *fault)
{
    passing p = {.follow = follow};
    if (now_unix_ms < follow->from_unix_ms)
        follow->from_unix_ms = now_unix_ms;
    for (size_t i = 0; i < RC_FOLLOW_LOOKS; i++)
        follow->looked_unix_ms[i] = now_unix_ms;
    return take_look(store, &p, &follow->filter, &looks[RC_FOLLOW_LOOKS - 1],
                     now_unix_ms - OVERLAP_MS, now_unix_ms, fault) &&
           (!follow->has_notices || take_look(store, &p, &notices, &looks[RC_FOLLOW_LOOKS - 1],
                                              now_unix_ms - OVERLAP_MS, now_unix_ms, fault));
}

bool rc_follow_step(rc_follow *follow, rc_store *store, int64_t now_unix_ms, rc_record_each each,
                    void *ctx, rc_store_fault *fault)
{
    passing p = {.follow = follow, .each = each, .ctx = ctx};
    if (now_unix_ms < follow->looked_unix_ms[0] - OVERLAP_MS &&
        !follow_clock_back(follow, store, now_unix_ms, fault))
        return false;
    follow->steps++;
    for (size_t i = 0; i < RC_FOLLOW_LOOKS && p.given < RC_FOLLOW_STEP_MAX; i++) {
        if (follow->steps % looks[i].every != 0)
            continue;
        const int64_t since = follow->looked_unix_ms[i] - OVERLAP_MS;
        if (!take_look(store, &p, &follow->filter, &looks[i], since, now_unix_ms, fault) ||
            (follow->has_notices &&
             !take_look(store, &p, &notices, &looks[i], since, now_unix_ms, fault)))
            return false;
        /* What did not fit is looked for again. */
        if (p.given < RC_FOLLOW_STEP_MAX)
            follow->looked_unix_ms[i] = now_unix_ms;
    }
    return true;
}
