/* Turns: decides which calls may start first after they waited for the end of a rate limit or an
 * overload. Called by call.c, call_attempt.c and call_decide.c. */
#include "policy/call_private.h"
#include "policy/shared_private.h"

/* A call without a turn waits for a random time and checks again. The maximum of this time is
 * TURN_WAIT_FIRST_MS for the first wait and doubles with each wait, up to TURN_WAIT_MAX_MS. */
#define TURN_WAIT_FIRST_MS UINT64_C(50)
#define TURN_WAIT_MAX_MS UINT64_C(1000)

/* --- turn counters --- */

/* Calls `note` for every cooldown that may limit the attempt: the cooldowns of the target, of the
 * credential, and of the credential at this target. */
static void each_cooldown(const rc_call *call, const rc_call_attempt *attempt,
                          void (*note)(rc_cooldown *, uint64_t), uint64_t at_ms)
{
    rc_target *target = rc_shared_target(call->shared, attempt->target);
    rc_credential *key = rc_shared_credential(call->shared, attempt->credential);
    rc_credential *limit = target ? rc_target_limit(target, attempt->credential) : NULL;
    if (target)
        note(&target->cooldown, at_ms);
    if (key)
        note(&key->cooldown, at_ms);
    if (limit)
        note(&limit->cooldown, at_ms);
}

void rc_call_take_turn(const rc_call *call, rc_call_attempt *attempt)
{
    attempt->has_turn = true;
    each_cooldown(call, attempt, rc_cooldown_take_turn, attempt->at_ms);
}

void rc_call_earn_turns(const rc_call *call, rc_call_attempt *attempt)
{
    if (!attempt->is_in_flight || attempt->is_let_through)
        return;
    attempt->is_let_through = true;
    each_cooldown(call, attempt, rc_cooldown_earn_turns, attempt->at_ms);
}

void rc_call_return_turn(const rc_call *call, const rc_call_attempt *attempt)
{
    if (attempt->has_turn && !attempt->is_let_through)
        each_cooldown(call, attempt, rc_cooldown_return_turn, attempt->at_ms);
}

/* --- turn check --- */

/* Returns whether the key's turns allow an attempt. Turns do not apply to rejected and exhausted
 * keys, which are probed by one call at a time. */
static bool has_key_turn(const rc_credential *row, uint64_t now_ms)
{
    return !row || row->state != RC_CREDENTIAL_COOLING ||
           rc_cooldown_has_turn(&row->cooldown, now_ms);
}

static bool is_limit(rc_code code)
{
    return code == RC_CODE_RATE_LIMITED || code == RC_CODE_OVERLOADED;
}

static bool has_turn(const rc_call *call, uint16_t entry)
{
    const rc_target *target = rc_shared_target(call->shared, call->plan->entries[entry].target);
    if (!target)
        return true;
    if (is_limit(target->cooled_for) && !rc_cooldown_has_turn(&target->cooldown, call->now_ms))
        return false;
    for (uint16_t i = 0; i < target->credential_count; i++) {
        uint16_t key = (uint16_t)(target->first_credential + i);
        if (rc_shared_is_usable(call->shared, target, key, true, call->now_ms) &&
            has_key_turn(rc_shared_credential(call->shared, key), call->now_ms) &&
            has_key_turn(rc_target_limit(target, key), call->now_ms))
            return true;
    }
    return target->credential_count == 0;
}

bool rc_call_wait_turn(rc_call *call, uint16_t entry, uint64_t entropy, rc_action *ret_action)
{
    if (call->turn_waits >= RC_CALL_TURN_WAITS_MAX || has_turn(call, entry))
        return false;
    uint64_t most_ms = TURN_WAIT_FIRST_MS;
    for (uint8_t i = 0; i < call->turn_waits && most_ms < TURN_WAIT_MAX_MS; i++)
        most_ms *= 2;
    uint64_t wait_ms =
        1 + (entropy >> 16) % (most_ms < TURN_WAIT_MAX_MS ? most_ms : TURN_WAIT_MAX_MS);
    /* Waiting for a turn never ends a call: a call that cannot wait longer starts its attempt at
     * once. */
    if (rc_call_no_wait_reason(call, wait_ms) != RC_WHY_NONE)
        return false;
    uint64_t backoff_ms = call->last_wait_ms;
    call->turn_waits++;
    *ret_action = rc_call_wait_for(call, wait_ms, RC_WHY_TARGET_UNAVAILABLE);
    call->last_wait_ms = backoff_ms; /* a wait for a turn does not change the backoff */
    return true;
}

bool rc_call_take_limit_wait(rc_call *call, const rc_skip *closed)
{
    const rc_target *target =
        rc_shared_target(call->shared, call->plan->entries[closed->entry].target);
    bool is_target =
        closed->reason == RC_WHY_SKIP_COOLING && target && is_limit(target->cooled_for);
    bool is_key = closed->reason == RC_WHY_SKIP_CREDENTIALS && is_limit(call->failure.code);
    if (call->limit_waits >= RC_CALL_LIMIT_WAITS_MAX || (!is_target && !is_key) ||
        closed->until_ms <= call->now_ms)
        return false;
    call->limit_waits++;
    return true;
}
