/* What a call may ask, what it takes for a try and gives back, what its failures tell others. */
#include "core/call_private.h"
#include "core/shared_private.h"

/* --- the chain --- */

uint16_t rc_call_chain_count(const rc_call *call)
{
    const rc_plan *plan = call->plan;
    bool is_all = plan->chain_count == 0 || plan->chain_count > plan->entry_count;
    return is_all ? plan->entry_count : plan->chain_count;
}

/* Guesses count where there is something else to ask. For a context that is too long for the others
 * there is nothing else than the target with the larger window. */
static bool is_alone(const rc_call *call)
{
    return call->is_alone || call->went_to_larger || call->why.code == RC_CODE_CONTEXT_OVERFLOW;
}

bool rc_call_is_open(const rc_call *call, uint16_t entry, rc_skip *ret_skip)
{
    const rc_chain_entry *row = &call->plan->entries[entry];
    rc_skip skip = {.entry = entry, .reason = RC_WHY_SKIP_CAPABILITY};
    if ((call->needs & ~row->capabilities) == 0 &&
        rc_shared_is_target_open(call->shared, row->target, is_alone(call), call->now_ms,
                                 &skip.reason, &skip.until_ms))
        return true;
    *ret_skip = skip;
    return false;
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

static void note_closed(const rc_call *call, rc_call_search *search, const rc_skip *skip)
{
    rc_call_note_skip(call, skip);
    uint32_t lacks = call->needs & ~call->plan->entries[skip->entry].capabilities;
    search->missing &= lacks;
    if (lacks != 0)
        return;
    search->is_capable = true;
    uint64_t until_ms = skip->until_ms;
    if (until_ms != 0 && until_ms != RC_UNLIMITED &&
        (search->until_ms == 0 || until_ms < search->until_ms))
        search->until_ms = until_ms;
}

/* The places of the chain are counted from where the call begins, round to the one before it: so
 * `forward` means the same for every call, and no entry comes twice. */
static rc_call_search find_open(const rc_call *call, uint32_t place, uint16_t other_than)
{
    rc_call_search search = {.entry = RC_NO_TARGET, .missing = call->needs};
    uint32_t count = rc_call_chain_count(call);
    for (; place < count; place++) {
        uint32_t sum = call->first_entry + place;
        uint16_t entry = (uint16_t)(sum < count ? sum : sum - count);
        rc_skip skip = {0};
        if (call->plan->entries[entry].target == other_than)
            continue;
        if (rc_call_is_open(call, entry, &skip)) {
            search.entry = entry;
            return search;
        }
        note_closed(call, &search, &skip);
    }
    return search;
}

rc_call_search rc_call_find_first(const rc_call *call)
{
    rc_call_search search = find_open(call, 0, RC_NO_TARGET);
    if (search.missing == 0 && call->plan->entry_count > 0)
        search.missing = call->needs & ~call->plan->entries[call->first_entry].capabilities;
    return search;
}

rc_call_search rc_call_find_next(const rc_call *call, bool other_target)
{
    uint32_t count = rc_call_chain_count(call);
    uint16_t entry = call->flight.entry;
    /* The others are too small for what was sent to the one with the larger window. */
    if (call->went_to_larger || entry >= count)
        return (rc_call_search){.entry = RC_NO_TARGET};
    uint32_t place = entry >= call->first_entry ? (uint32_t)(entry - call->first_entry)
                                                : entry + count - call->first_entry;
    return find_open(call, place + 1, other_target ? call->flight.target : RC_NO_TARGET);
}

/* --- taking and giving back --- */

rc_flight rc_call_take(const rc_call *call, uint16_t entry, uint16_t credential)
{
    rc_shared *shared = call->shared;
    rc_flight flight = {.entry = entry,
                        .target = call->plan->entries[entry].target,
                        .credential = credential,
                        .at_ms = call->now_ms};
    rc_target *target = rc_shared_target(shared, flight.target);
    if (!target)
        return flight;
    if (credential == RC_NO_TARGET &&
        !rc_shared_pick_credential(shared, flight.target, is_alone(call), call->now_ms,
                                   &flight.credential))
        flight.credential = RC_NO_TARGET;
    flight.is_on = rc_limiter_take(&target->limiter);
    flight.pass =
        (uint8_t)rc_breaker_admit(&target->breaker, &shared->settings.breaker, call->now_ms);
    return flight;
}

void rc_call_give_back(const rc_call *call, rc_flight *flight, rc_breaker_end end, uint64_t entropy)
{
    rc_target *target = rc_shared_target(call->shared, flight->target);
    if (!flight->is_on || !target)
        return;
    flight->is_on = false;
    rc_limiter_put(&target->limiter);
    /* What began before the target came back says nothing of it since. */
    if (rc_breaker_is_stale(&target->breaker, flight->at_ms))
        end = RC_BREAKER_SAID_NOTHING;
    rc_breaker_on_end(&target->breaker, &call->shared->settings.breaker,
                      (rc_breaker_pass)flight->pass, end, call->now_ms, entropy);
}

/* --- what a failure tells everybody --- */

typedef enum cools {
    COOLS_NOTHING,
    COOLS_CREDENTIAL, /* or the target, if it has no pool */
    COOLS_TARGET
} cools;

bool rc_call_is_capacity(const rc_setback *why)
{
    return why->category == RC_CATEGORY_CAPACITY;
}

static cools what_cools(const rc_setback *why)
{
    bool is_of_model = why->limit_kind == RC_LIMIT_KIND_CONCURRENCY ||
                       why->limit_kind == RC_LIMIT_KIND_MODEL_CAPACITY;
    if (why->retry_after_ms == 0)
        return COOLS_NOTHING;
    if (rc_call_is_capacity(why) || why->code == RC_CODE_RATE_LIMITED)
        return is_of_model ? COOLS_TARGET : COOLS_CREDENTIAL;
    if (why->code == RC_CODE_OVERLOADED || why->code == RC_CODE_MODEL_LOADING)
        return COOLS_TARGET;
    return why->is_retryable && why->retry_after_ms > 0 ? COOLS_TARGET : COOLS_NOTHING;
}

static void cool(const rc_call *call, rc_target *target, rc_credential *credential,
                 const rc_setback *why)
{
    const rc_shared_settings *settings = &call->shared->settings;
    bool is_used_up = rc_call_is_capacity(why);
    /* A quota does not come back by itself in seconds: even a guess at its end holds for everybody.
     */
    bool is_told = why->retry_after_ms > 0 || is_used_up;
    uint64_t wait_ms = is_used_up ? settings->exhausted_ms : settings->cooldown_ms;
    if (why->retry_after_ms > 0)
        wait_ms = (uint64_t)why->retry_after_ms;
    uint64_t until_ms =
        wait_ms < RC_UNLIMITED - call->now_ms ? call->now_ms + wait_ms : RC_UNLIMITED - 1;
    if (credential)
        rc_credential_cool(credential, is_used_up ? RC_CREDENTIAL_EXHAUSTED : RC_CREDENTIAL_COOLING,
                           until_ms, is_told);
    else if (is_told)
        rc_cooldown_tell(&target->cooldown, until_ms);
    else
        rc_cooldown_assume(&target->cooldown, until_ms);
}

void rc_call_tell_all(const rc_call *call, const rc_flight *flight, const rc_setback *why)
{
    rc_target *target = rc_shared_target(call->shared, flight->target);
    rc_credential *credential = rc_shared_credential(call->shared, flight->credential);
    if (!target)
        return;
    cools what = what_cools(why);
    if (what == COOLS_CREDENTIAL)
        cool(call, target, credential, why);
    else if (what == COOLS_TARGET)
        cool(call, target, NULL, why);

    if (why->code != RC_CODE_AUTH_FAILED || !credential || credential->is_refreshing)
        return;
    bool was_refreshed = flight == &call->flight && call->is_refreshed;
    if (was_refreshed || !credential->can_refresh)
        rc_credential_kill(credential);
}
