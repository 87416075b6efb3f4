/* The search of rc_call for an open entry of the chain. Called by call*.c, hedge.c and chain.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

uint16_t rc_plan_chain_count(const rc_plan *plan)
{
    bool is_all = plan->chain_count == 0 || plan->chain_count > plan->entry_count;
    return is_all ? plan->entry_count : plan->chain_count;
}

uint32_t rc_call_max_calls(const rc_call *call)
{
    uint32_t max_calls = call->plan->policy->max_calls;
    return call->max_calls < max_calls ? call->max_calls : max_calls;
}

uint32_t rc_call_max_entry_attempts(const rc_call *call, uint16_t entry)
{
    const rc_plan *plan = call->plan;
    uint32_t entry_max = entry < plan->entry_count ? plan->entries[entry].max_attempts : 0;
    return entry_max ? entry_max : rc_policy_rule(plan->policy, call->failure.code)->max_attempts;
}

bool rc_call_has_own_attempts(const rc_call *call, uint16_t entry)
{
    return call->plan->is_failover_last || call->plan->entries[entry].max_attempts > 0;
}

/* --- open entries --- */

/* Returns whether the call can use only one target, so that assumed cooldowns are ignored. A
 * request that overflowed a context window can use only the plan's target with the larger
 * window. */
static bool is_alone(const rc_call *call)
{
    return call->is_alone || call->went_to_larger || call->failure.code == RC_CODE_CONTEXT_OVERFLOW;
}

static bool is_admitted(const rc_call *call, uint16_t target, bool as_alone, rc_skip *skip)
{
    rc_limit_cost cost = rc_limit_cost_of(call->tokens_in, call->tokens_out);
    if (!rc_call_may_queue(call))
        return true;
    return rc_shared_is_admitted(call->shared, target, as_alone, call->never_learns ? NULL : &cost,
                                 call->now_ms, &skip->reason, &skip->until_ms);
}

static bool is_open(const rc_call *call, uint16_t entry, bool as_alone, rc_skip *ret_skip)
{
    const rc_chain_entry *row = &call->plan->entries[entry];
    const uint32_t lacks = call->needs & ~row->capabilities;
    rc_skip skip = {.entry = entry,
                    .reason = (lacks & RC_NEED_TRANSLATION) != 0 ? RC_WHY_SKIP_TRANSLATION
                                                                 : RC_WHY_SKIP_CAPABILITY};
    if (lacks == 0 &&
        rc_shared_is_open_past(call->shared, row->target, as_alone,
                               as_alone && rc_call_may_queue(call), call->now_ms, &skip.reason,
                               &skip.until_ms) &&
        is_admitted(call, row->target, as_alone, &skip))
        return true;
    *ret_skip = skip;
    return false;
}

bool rc_call_is_open(const rc_call *call, uint16_t entry, rc_skip *ret_skip)
{
    return is_open(call, entry, is_alone(call), ret_skip);
}

bool rc_call_is_open_alone(const rc_call *call, uint16_t entry, rc_skip *ret_skip)
{
    return is_open(call, entry, true, ret_skip);
}

void rc_call_note_skip(const rc_call *call, const rc_skip *skip)
{
    rc_skips *skips = call->skips;
    if (!skips)
        return;
    if (skips->count < RC_SKIPS_MAX)
        skips->list[skips->count] = *skip;
    skips->count++;
}

void rc_call_note_closed(const rc_call *call, rc_call_search *search, const rc_skip *skip)
{
    rc_call_note_skip(call, skip);
    uint32_t lacks = call->needs & ~call->plan->entries[skip->entry].capabilities;
    search->missing &= lacks;
    if (lacks != 0)
        return;
    search->is_capable = true;
    search->is_dead = search->is_dead || skip->reason == RC_WHY_CREDENTIALS_DEAD;
    search->may_open = search->may_open || skip->until_ms != RC_UNLIMITED;
    search->is_worth_waiting =
        search->is_worth_waiting ||
        (skip->until_ms != RC_UNLIMITED &&
         !(skip->reason == RC_WHY_SKIP_CREDENTIALS &&
           rc_shared_is_probe_next(call->shared, call->plan->entries[skip->entry].target)));
    uint64_t until_ms = skip->until_ms;
    search->is_busy = search->is_busy || until_ms == 0;
    if (until_ms == 0 || until_ms == RC_UNLIMITED)
        return;
    if (search->until_ms == 0 || until_ms < search->until_ms)
        search->until_ms = until_ms;
    if (skip->reason != RC_WHY_SKIP_CREDENTIALS &&
        (search->cooled_ms == 0 || until_ms < search->cooled_ms))
        search->cooled_ms = until_ms;
}

/* --- searches --- */

/* Position 0 is the entry where the call begins. Positions go to the end of the chain and continue
 * at its first entry, so that a search by position visits every entry once. */
uint32_t rc_call_position(const rc_call *call, uint16_t entry)
{
    uint16_t first = call->first_entry;
    return entry >= first ? (uint32_t)(entry - first)
                          : (uint32_t)(entry + rc_plan_chain_count(call->plan) - first);
}

bool rc_call_is_spent(const rc_call *call, uint16_t entry)
{
    return call->round > 0 && (entry >= 64 || (call->spent_entries >> entry & 1) != 0);
}

/* Finds the first open entry from `position` on, which is the position of the first entry of a
 * group. `tried`: the members of the first group that are left out. */
static rc_call_search find_open(const rc_call *call, uint32_t position, uint32_t tried,
                                uint16_t other_than)
{
    rc_call_search search = {.entry = RC_NO_TARGET, .missing = call->needs};
    uint32_t count = rc_plan_chain_count(call->plan);
    while (position < count) {
        uint32_t sum = call->first_entry + position;
        uint16_t entry = (uint16_t)(sum < count ? sum : sum - count);
        rc_group group = rc_plan_group(call->plan, entry);
        search.entry = rc_call_find_member(call, group, tried, other_than, &search);
        if (search.entry != RC_NO_TARGET)
            return search;
        position += group.count;
        tried = 0;
    }
    return search;
}

rc_call_search rc_call_find_first(const rc_call *call)
{
    rc_call_search search = find_open(call, 0, 0, RC_NO_TARGET);
    if (search.missing == 0 && call->plan->entry_count > 0)
        search.missing = call->needs & ~call->plan->entries[call->first_entry].capabilities;
    return search;
}

/* Returns whether no further entry of the chain can serve the call. Once the call has used the
 * target with the larger context window, the windows of all other targets are too small. */
static bool has_left_chain(const rc_call *call)
{
    return call->went_to_larger || call->attempt.entry >= rc_plan_chain_count(call->plan);
}

uint16_t rc_call_next_round(const rc_call *call)
{
    bool has_own = rc_call_has_own_attempts(call, call->attempt.entry);
    return (uint16_t)(has_own ? call->round + 1u : call->entry_attempts);
}

static rc_call_search find_round(const rc_call *call, uint16_t other_than)
{
    rc_call next = *call;
    next.skips = NULL;
    next.round = rc_call_next_round(call);
    uint32_t max_attempts = rc_policy_rule(call->plan->policy, call->failure.code)->max_attempts;
    if (has_left_chain(call) || next.round >= max_attempts)
        return (rc_call_search){.entry = RC_NO_TARGET};
    return find_open(&next, 0, 0, other_than);
}

rc_call_search rc_call_find_round(const rc_call *call)
{
    bool is_other = call->now_ms < call->not_before_ms;
    return find_round(call, is_other ? call->attempt.target : RC_NO_TARGET);
}

uint64_t rc_call_reopens_at_ms(const rc_call *call)
{
    rc_skip here = {0};
    if (rc_call_is_open_alone(call, call->attempt.entry, &here))
        return call->not_before_ms;
    return here.until_ms > call->not_before_ms ? here.until_ms : call->not_before_ms;
}

uint64_t rc_call_round_opens_at_ms(const rc_call *call)
{
    const rc_call_search closed = find_round(call, call->attempt.target);
    /* After an exhausted quota, the call does not wait until another key cools down, because that
     * key may belong to the same account. */
    return rc_call_is_capacity(&call->failure) ? closed.cooled_ms : closed.until_ms;
}

bool rc_call_may_stay(const rc_call *call)
{
    uint16_t entry = call->attempt.entry;
    return call->calls > 0 && entry < call->plan->entry_count &&
           rc_call_has_own_attempts(call, entry) &&
           call->entry_attempts < rc_call_max_entry_attempts(call, entry);
}

static rc_call_search find_queued(const rc_call *call)
{
    bool is_other = call->now_ms < call->not_before_ms;
    uint16_t other_than = is_other ? call->attempt.target : RC_NO_TARGET;
    rc_call_search search = find_open(call, 0, 0, other_than);
    if (search.entry == RC_NO_TARGET && !is_alone(call)) {
        rc_call alone = *call;
        alone.is_alone = true;
        search = find_open(&alone, 0, 0, other_than);
    }
    if (search.entry != RC_NO_TARGET || !is_other)
        return search;
    /* The target of the latest failure may open at the time that its provider named. */
    search.is_capable = search.may_open = search.is_worth_waiting = true;
    if (search.until_ms == 0 || call->not_before_ms < search.until_ms)
        search.until_ms = call->not_before_ms;
    return search;
}

/* Finds the entry that a call in the queue may use now. The entry of the latest attempt is used
 * again while it has attempts of its own left, although rounds leave out such entries. */
rc_call_search rc_call_find_queued(const rc_call *call)
{
    rc_call view = *call;
    if (rc_call_may_stay(call) && call->attempt.entry < 64)
        view.spent_entries &= ~(UINT64_C(1) << call->attempt.entry);
    return find_queued(&view);
}

rc_call_search rc_call_find_next(const rc_call *call, bool other_target)
{
    if (has_left_chain(call))
        return (rc_call_search){.entry = RC_NO_TARGET};
    /* A retry time that the provider named (not_before_ms) closes the target of the latest failure,
     * and therefore every entry of the chain with this target. */
    bool is_other = other_target || call->now_ms < call->not_before_ms;
    return find_open(call, call->next_position, call->tried_members,
                     is_other ? call->attempt.target : RC_NO_TARGET);
}

uint16_t rc_call_find_silent(const rc_call *call)
{
    uint16_t found = RC_NO_TARGET;
    uint64_t found_until_ms = RC_UNLIMITED;
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan); i++) {
        const rc_target *target = rc_shared_target(call->shared, call->plan->entries[i].target);
        rc_skip skip = {0};
        if (!target || !rc_call_is_silent(target->cooled_for) || !is_open(call, i, true, &skip) ||
            is_open(call, i, false, &skip) || skip.until_ms >= found_until_ms)
            continue;
        found = i;
        found_until_ms = skip.until_ms;
    }
    return found;
}

/* Records that a member of the group at next_position was used. When all members were used, the
 * call continues behind the group. */
static void move_past_member(rc_call *call, rc_group group, uint16_t entry)
{
    const uint32_t position = rc_call_position(call, group.first);
    const uint32_t all = group.count < 32 ? (UINT32_C(1) << group.count) - 1 : UINT32_MAX;
    if (position < call->next_position)
        return;
    if (position > call->next_position)
        call->tried_members = 0;
    call->next_position = (uint16_t)position;
    call->tried_members |= UINT32_C(1) << (entry - group.first);
    if (call->tried_members != all)
        return;
    call->next_position = (uint16_t)(position + group.count);
    call->tried_members = 0;
}

void rc_call_restart_chain(rc_call *call)
{
    call->next_position = 0;
    call->tried_members = 0;
}

void rc_call_move_past(rc_call *call, uint16_t entry)
{
    if (entry >= rc_plan_chain_count(call->plan))
        return;
    move_past_member(call, rc_plan_group(call->plan, entry), entry);
    /* The attempts at an entry with max_attempts of its own all take place in one round, so later
     * rounds leave the entry out. */
    if (entry < 64 && rc_call_has_own_attempts(call, entry))
        call->spent_entries |= UINT64_C(1) << entry;
}

rc_reason rc_call_unavailable_reason(const rc_call_search *search)
{
    return search->is_dead && !search->may_open ? RC_WHY_CREDENTIALS_DEAD : RC_WHY_ALL_UNAVAILABLE;
}
