/* The chain of a route: its groups, the choice among the members of a group, and the entry at which
 * a call begins. Called by the call*.c files, the gateway and src/cli/config/summary.c. */
#include <recourse/chain.h>

#include "policy/call_private.h"
#include "policy/health.h"
#include "policy/shared_private.h"

/* --- sticky start --- */

void rc_chain_init(rc_chain *chain, rc_revert revert)
{
    *chain = (rc_chain){.revert = revert};
}

uint16_t rc_chain_first(const rc_chain *chain)
{
    return chain->revert == RC_REVERT_NEVER ? chain->active : 0;
}

void rc_chain_on_success(rc_chain *chain, const rc_plan *plan, uint16_t entry)
{
    /* The target for contexts that are too long is not part of the chain, so it does not become the
     * first entry of later calls. */
    if (entry < rc_plan_chain_count(plan))
        chain->active = rc_plan_group(plan, entry).first;
}

const char *rc_revert_name(rc_revert revert)
{
    switch (revert) {
    case RC_REVERT_COOLDOWN_EXPIRY:
        return "cooldown-expiry";
    case RC_REVERT_NEVER:
        return "never";
    }
    return "";
}

/* --- groups --- */

rc_group rc_plan_group(const rc_plan *plan, uint16_t entry)
{
    const uint16_t count = rc_plan_chain_count(plan);
    const rc_chain_entry *entries = plan->entries;
    if (entry >= count || entries[entry].group == 0)
        return (rc_group){.first = entry, .count = 1};
    uint16_t first = entry;
    while (first > 0 && entries[first - 1].group == entries[entry].group)
        first--;
    uint16_t end = (uint16_t)(entry + 1);
    while (end < count && entries[end].group == entries[entry].group)
        end++;
    first = (uint16_t)(first + (uint16_t)((entry - first) / RC_GROUP_MAX * RC_GROUP_MAX));
    const uint16_t left = (uint16_t)(end - first);
    return (rc_group){.first = first, .count = left < RC_GROUP_MAX ? left : RC_GROUP_MAX};
}

const char *rc_spread_name(rc_spread spread)
{
    switch (spread) {
    case RC_SPREAD_WEIGHT:
        return "weight";
    case RC_SPREAD_LEAST_BUSY:
        return "least-busy";
    case RC_SPREAD_REMAINING:
        return "remaining";
    }
    return "";
}

/* --- rendezvous hashing --- */

#define COST_BITS 24u

/* Mixes all bits of a number (the finalizer of SplitMix64). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns -log2(hash / 2^64) with COST_BITS fractional bits. Each squaring of the mantissa yields
 * the next bit of the logarithm. */
static uint32_t minus_log2(uint64_t hash)
{
    hash |= 1;
    const uint32_t zeros = (uint32_t)__builtin_clzll(hash);
    uint64_t mantissa = hash << zeros >> 32; /* from 2^31 (1.0) to 2^32 - 1 (just below 2.0) */
    uint32_t log = 63 - zeros;
    for (uint32_t i = 0; i < COST_BITS; i++) {
        mantissa = mantissa * mantissa >> 31;
        const uint32_t bit = (uint32_t)(mantissa >> 32);
        mantissa >>= bit;
        log = log << 1 | bit;
    }
    return (UINT32_C(64) << COST_BITS) - log;
}

uint64_t rc_spread_hash(rc_str text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return hash != 0 ? hash : 1;
}

uint32_t rc_spread_cost(uint64_t key, uint32_t id)
{
    return minus_log2(mix(key ^ mix(id)));
}

/* --- members that fail --- */

/* Time until the next probe of a failing member: PROBE_FIRST_MS, doubled with each further failure
 * up to PROBE_MAX_MS. */
#define PROBE_FIRST_MS UINT64_C(1000)
#define PROBE_MAX_MS UINT64_C(30000)
#define FAILED_MAX 1000u

bool rc_target_is_failing(const rc_target *target)
{
    return target->failed_in_a_row >= RC_GROUP_FAILING;
}

static uint64_t probe_gap_ms(const rc_target *target)
{
    uint64_t gap_ms = PROBE_FIRST_MS;
    for (uint32_t i = RC_GROUP_FAILING; i < target->failed_in_a_row && gap_ms < PROBE_MAX_MS; i++)
        gap_ms *= 2;
    return gap_ms < PROBE_MAX_MS ? gap_ms : PROBE_MAX_MS;
}

void rc_target_hold_probes(rc_target *target, uint64_t now_ms)
{
    if (rc_target_is_failing(target))
        target->group_probe_at_ms = now_ms + probe_gap_ms(target);
}

void rc_target_note_failure(rc_target *target, const rc_failure_facts *failure, uint64_t now_ms)
{
    const rc_health_verdict verdict = rc_health_verdict_of(failure->code, false);
    /* A rate limit closes the credential or limits the rate, and says nothing about other calls. */
    if (failure->is_target_exempt || failure->code == RC_CODE_RATE_LIMITED ||
        verdict == RC_HEALTH_VERDICT_NONE)
        return;
    if (verdict == RC_HEALTH_VERDICT_GOOD) {
        target->failed_in_a_row = 0;
        return;
    }
    target->failed_in_a_row =
        (uint16_t)(target->failed_in_a_row + (target->failed_in_a_row < FAILED_MAX));
    rc_target_hold_probes(target, now_ms);
}

/* --- choice among the members --- */

typedef struct member {
    uint16_t entry;
    const rc_target *target;
    uint32_t cost;
    uint64_t weight;
    uint32_t busy; /* number of calls in flight */
    uint32_t room; /* number of calls for which the rate limits have room; UINT32_MAX: not known */
} member;

/* A room above this value counts as this value, so that products fit into 64 bits. */
#define ROOM_MAX 100000u

static uint32_t room_of(const rc_call *call, const rc_target *target)
{
    const rc_limit_cost cost = rc_limit_cost_of(call->tokens_in, call->tokens_out);
    uint64_t room = 0;
    const uint16_t count = target->credential_count > 0 ? target->credential_count : 1;
    for (uint16_t i = 0; i < count; i++) {
        const uint16_t key = (uint16_t)(target->first_credential + i);
        const rc_rate_limits *learned = rc_target_learned(call->shared, target, key);
        if (learned == NULL)
            return UINT32_MAX;
        if (target->credential_count > 0 &&
            !rc_shared_is_usable(call->shared, target, key, true, call->now_ms))
            continue;
        const uint32_t more = rc_rate_limits_room(learned, &cost, call->now_ms);
        if (more == UINT32_MAX)
            return UINT32_MAX;
        room += more;
    }
    return room < ROOM_MAX ? (uint32_t)room : ROOM_MAX;
}

/* Multiplies the weights by the rooms. A member with unknown limits gets the largest known room of
 * the group, so that unknown limits never look like used ones. */
static void weigh_by_room(member *members, uint32_t count)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        if (members[i].room != UINT32_MAX && members[i].room > most)
            most = members[i].room;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t room = members[i].room != UINT32_MAX ? members[i].room : most;
        members[i].weight *= room > 0 ? room : 1;
    }
}

static bool is_better(const member *a, const member *b, bool by_busy)
{
    if (b->target == NULL)
        return true;
    if (by_busy && a->busy * b->weight != b->busy * a->weight)
        return a->busy * b->weight < b->busy * a->weight;
    return a->cost * b->weight < b->cost * a->weight;
}

/* Returns the key by which the call chooses: the sticky key if the group is sticky and the call has
 * one. */
static uint64_t key_of(const rc_call *call, const rc_chain_entry *first, bool *ret_is_sticky)
{
    *ret_is_sticky = first->is_sticky && call->sticky_key != 0;
    return *ret_is_sticky ? call->sticky_key : call->spread_key;
}

/* Returns the open member that the group's rule prefers; the target of the result is NULL if there
 * is no such member. only_well: failing members are left out. */
static member best_of(const member *members, uint32_t count, bool by_busy, bool only_well)
{
    member best = {.entry = RC_NO_TARGET};
    for (uint32_t i = 0; i < count; i++)
        if ((!only_well || !rc_target_is_failing(members[i].target)) &&
            is_better(&members[i], &best, by_busy))
            best = members[i];
    return best;
}

static uint16_t choose(const rc_call *call, const rc_chain_entry *first, member *members,
                       uint32_t count)
{
    bool is_sticky = false;
    const uint64_t key = key_of(call, first, &is_sticky);
    const bool by_busy = first->spread == RC_SPREAD_LEAST_BUSY && !is_sticky;
    const bool by_room = first->spread == RC_SPREAD_REMAINING && !is_sticky;
    for (uint32_t i = 0; i < count; i++) {
        const rc_chain_entry *row = &call->plan->entries[members[i].entry];
        members[i].cost = rc_spread_cost(key, row->id);
        members[i].room = by_room ? room_of(call, members[i].target) : UINT32_MAX;
    }
    if (by_room)
        weigh_by_room(members, count);
    const member best = best_of(members, count, by_busy, false);
    const member well = best_of(members, count, by_busy, true);
    if (best.target == NULL || well.target == NULL || best.entry == well.entry)
        return best.entry;
    /* The preferred member is failing. A call that can be sent again probes this member when a
     * probe is due. */
    if (call->calls == 0 && !call->is_unrepeatable &&
        call->now_ms >= best.target->group_probe_at_ms)
        return best.entry;
    const rc_skip skip = {.entry = best.entry,
                          .reason = RC_WHY_SKIP_FAILING,
                          .until_ms = best.target->group_probe_at_ms};
    rc_call_note_skip(call, &skip);
    return well.entry;
}

uint16_t rc_call_find_member(const rc_call *call, rc_group group, uint32_t tried,
                             uint16_t other_than, rc_call_search *search)
{
    member members[RC_GROUP_MAX];
    uint32_t count = 0;
    for (uint16_t i = 0; i < group.count; i++) {
        const uint16_t entry = (uint16_t)(group.first + i);
        const rc_chain_entry *row = &call->plan->entries[entry];
        rc_skip skip = {0};
        if ((tried >> i & 1) != 0 || row->target == other_than || rc_call_is_spent(call, entry))
            continue;
        if (!rc_call_is_open(call, entry, &skip)) {
            rc_call_note_closed(call, search, &skip);
            continue;
        }
        members[count++] = (member){.entry = entry,
                                    .target = rc_shared_target(call->shared, row->target),
                                    .weight = row->weight > 0 ? row->weight : 1};
        members[count - 1].busy = members[count - 1].target->limiter.in_flight;
    }
    if (count == 0)
        return RC_NO_TARGET;
    /* Most entries have one target: the choice costs more than the rest of the search. */
    return count == 1 ? members[0].entry
                      : choose(call, &call->plan->entries[group.first], members, count);
}
