/* Internal functions of rc_call, shared by call*.c, chain.c and hedge.c. Their callers hold the
 * lock of rc_shared. An entry of the chain is open if an attempt may be sent to its target now,
 * otherwise closed. */
#ifndef RC_POLICY_CALL_PRIVATE_H
#define RC_POLICY_CALL_PRIVATE_H

#include <recourse/call.h>

enum {
    RC_CALL_NEW = 0,
    RC_CALL_TRYING = 1,
    RC_CALL_WAITING = 2,
    RC_CALL_REFRESHING = 3,
    RC_CALL_DONE = 4
};

/* Result of a search along the chain. */
typedef struct rc_call_search {
    uint16_t entry;     /* The open entry that was found; RC_NO_TARGET: every entry is closed. */
    uint64_t until_ms;  /* If every entry is closed: the earliest time at which an entry may open;
                           0: not known. */
    uint64_t cooled_ms; /* Like until_ms, but only for entries whose targets have a usable key; 0:
                           not known. */
    bool is_capable;    /* At least one closed entry has the capabilities that the request needs. */
    bool may_open;      /* At least one capable entry opens without an operator's action. */
    bool is_worth_waiting; /* As may_open, but an entry whose keys open only for a probe, because a
                              quota is used up and the provider named no time, does not count. */
    bool is_dead;          /* At least one capable entry has only credentials that the provider
                           rejected. */
    bool is_busy;     /* At least one capable entry opens at a time that depends on other calls. */
    uint32_t missing; /* If no entry is capable: the capabilities that the request needs and the
                           chain lacks, as in rc_action.missing. */
} rc_call_search;

/* Returns a_ms + b_ms, at most RC_UNLIMITED. */
static inline uint64_t rc_call_add_ms(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms < RC_UNLIMITED - b_ms ? a_ms + b_ms : RC_UNLIMITED;
}

/* --- call_search.c --- */

/* Returns the number of entries in the chain. */
uint16_t rc_plan_chain_count(const rc_plan *plan);

/* Returns the position of a chain entry, counted from the entry where the call begins. */
uint32_t rc_call_position(const rc_call *call, uint16_t entry);

/* Returns the maximum number of attempts of the whole request: the smaller of the policy's limit
 * and the limit in rc_call. */
uint32_t rc_call_max_calls(const rc_call *call);

/* Returns the maximum number of attempts at an entry, which may depend on the code of the latest
 * failure. */
uint32_t rc_call_max_entry_attempts(const rc_call *call, uint16_t entry);

/* Returns whether all attempts at the entry take place before the call continues with the next
 * entry: the entry has max_attempts of its own, or the plan has is_failover_last. */
bool rc_call_has_own_attempts(const rc_call *call, uint16_t entry);

/* Returns whether an attempt may be sent to the entry now. If the entry is closed, *ret_skip gets
 * the reason and the time at which it may open; otherwise *ret_skip is not written. */
bool rc_call_is_open(const rc_call *call, uint16_t entry, rc_skip *ret_skip);

/* As rc_call_is_open, but assumed cooldowns do not close the entry. Used for a call to which no
 * other target is open. */
bool rc_call_is_open_alone(const rc_call *call, uint16_t entry, rc_skip *ret_skip);

/* Adds a skipped entry to the call's list of skips, if it has one. The audit records the skips. */
void rc_call_note_skip(const rc_call *call, const rc_skip *skip);

/* Records an entry that a search found closed. */
void rc_call_note_closed(const rc_call *call, rc_call_search *search, const rc_skip *skip);

/* Finds the first open entry, starting where the call begins. */
rc_call_search rc_call_find_first(const rc_call *call);

/* Among the entries that are closed only because their target did not respond, returns the one
 * whose target opens first; RC_NO_TARGET if no entry is closed for this reason only. */
uint16_t rc_call_find_silent(const rc_call *call);

/* Finds the chain entry at which a call in the queue may start now: the first open one. The target
 * of the latest failure is left out until the retry time that its provider named. An assumed
 * cooldown closes a target only if another target is open. */
rc_call_search rc_call_find_queued(const rc_call *call);
/* Returns whether the entry of the latest attempt has attempts of its own left. */
bool rc_call_may_stay(const rc_call *call);

/* Finds the first open entry after all entries tried so far. `other_target`: entries with the
 * target of the latest attempt are left out. */
rc_call_search rc_call_find_next(const rc_call *call, bool other_target);

/* A round is one pass over the chain. After the first round, later rounds try the entries again
 * that have no max_attempts of their own. rc_call_next_round returns the number of the next round.
 * rc_call_find_round returns the first open entry of that round, or none if the policy allows no
 * further round. */
uint16_t rc_call_next_round(const rc_call *call);
rc_call_search rc_call_find_round(const rc_call *call);
/* Returns the time at which the entry of the latest attempt may be tried again; 0: now, or not
 * known. */
uint64_t rc_call_reopens_at_ms(const rc_call *call);
/* Returns the earliest time at which an entry may open that has another target than the latest
 * attempt; 0: not known. Called when every entry is closed. */
uint64_t rc_call_round_opens_at_ms(const rc_call *call);

/* Marks the entry as tried, so that later searches start at the entry after it. */
void rc_call_move_past(rc_call *call, uint16_t entry);
/* Makes later searches start again where the call began. */
void rc_call_restart_chain(rc_call *call);
/* Returns whether the current round leaves the entry out. */
bool rc_call_is_spent(const rc_call *call, uint16_t entry);

/* Returns why a search found no open entry: RC_WHY_CREDENTIALS_DEAD if no closed entry can open
 * before an operator replaces a key, otherwise RC_WHY_ALL_UNAVAILABLE. */
rc_reason rc_call_unavailable_reason(const rc_call_search *search);

/* --- call_attempt.c --- */

/* Starts an attempt at an open entry: takes one of the target's slots for calls in flight, gets the
 * breaker's permission, and picks a credential. `credential`: RC_NO_TARGET means the next usable
 * credential of the target. */
rc_call_attempt rc_call_start_attempt(const rc_call *call, uint16_t entry, uint16_t credential);

/* Returns whether the target's circuit breaker counts the failure as a success, as a failure, or
 * not at all. */
rc_breaker_outcome rc_call_breaker_outcome(const rc_failure_facts *failure);
/* Ends an attempt: releases its slot of the target, its breaker probe and its turn. A second call
 * for the same attempt has no effect. `failure`: the failure of the attempt; NULL: it succeeded or,
 * with the outcome NEUTRAL, was cancelled. */
void rc_call_end_attempt(const rc_call *call, rc_call_attempt *attempt, rc_breaker_outcome outcome,
                         const rc_failure_facts *failure, uint64_t entropy);
/* Called when the response to an attempt has begun. If the attempt was a probe of a rejected or
 * exhausted credential, the credential becomes healthy. */
void rc_call_clear_key(const rc_call *call, const rc_call_attempt *attempt);
/* Called when the response to an attempt has begun: ends a cooldown that was assumed because of
 * missing responses. */
void rc_call_clear_target(const rc_call *call, const rc_call_attempt *attempt);
/* Records a successful attempt: calls rc_call_clear_key, rc_call_clear_target, rc_call_earn_turns
 * and rc_call_end_attempt. */
void rc_call_note_success(const rc_call *call, rc_call_attempt *attempt);

/* --- call_target.c --- */

/* The first cooldown of a rejected or exhausted key for which the provider named no time. */
#define RC_CALL_KEY_COOLDOWN_MS UINT64_C(30000)

/* Returns the length of a key's next cooldown if the provider named no time: 30 s, doubled each
 * time up to exhausted_ms. */
uint64_t rc_call_key_cooldown_ms(const rc_call *call, const rc_credential *row);

/* Returns whether the code stands for a call without any response. */
bool rc_call_is_silent(rc_code code);
/* Called when an attempt starts. If the target was cooled down for missing responses, this extends
 * its assumed cooldown, so that only one call at a time probes the target. */
void rc_call_hold_others(const rc_shared *shared, rc_target *target, uint64_t now_ms);
/* Called when the target has responded to an attempt that began at began_ms: clears the cooldown
 * assumed for missing responses. */
void rc_call_end_silence(rc_target *target, uint64_t began_ms);

/* Excludes the entry from later rounds if an attempt there would fail in the same way. */
void rc_call_note_spent(rc_call *call, uint16_t entry, const rc_failure_facts *failure);

/* Marks the credential as dead after the provider rejected it. After 30 s one call probes the
 * credential with its request; each further rejection doubles that time. */
void rc_call_kill_key(const rc_call *call, rc_credential *key);

/* Returns whether spec/errors.def gives the failure's code the category capacity (quota, plan,
 * credit or balance). Such a failure is not retried with the same credential, because only another
 * credential or target may have capacity. */
bool rc_call_is_capacity(const rc_failure_facts *failure);

/* Records in rc_shared which target or credential a failure closes for all calls, and until
 * when. */
void rc_call_publish_failure(const rc_call *call, const rc_call_attempt *attempt,
                             const rc_failure_facts *failure);

/* --- chain.c --- */

/* Of the open members of a group, returns the one that the call uses next; RC_NO_TARGET if every
 * member is closed. The closed members are added to `search`. `tried`: bit set of the members that
 * are left out. `other_than`: members with this target are left out. */
uint16_t rc_call_find_member(const rc_call *call, rc_group group, uint32_t tried,
                             uint16_t other_than, rc_call_search *search);

/* rc_target_is_failing returns whether the target, as a member of a group, gets only probes.
 * rc_target_note_failure records a failure. rc_target_hold_probes is called when an attempt starts:
 * no other call probes a failing target for some time. */
bool rc_target_is_failing(const rc_target *target);
void rc_target_note_failure(rc_target *target, const rc_failure_facts *failure, uint64_t now_ms);
void rc_target_hold_probes(rc_target *target, uint64_t now_ms);

/* --- call_turn.c --- */

/* Maximum number of waits that do not count as attempts. After RC_CALL_TURN_WAITS_MAX waits for a
 * turn, a call starts its attempt without a turn. After RC_CALL_LIMIT_WAITS_MAX waits for a rate
 * limit that another call has met again, each further wait counts as an attempt. */
#define RC_CALL_TURN_WAITS_MAX 64u
#define RC_CALL_LIMIT_WAITS_MAX 16u

/* A turn is the permission to start for a call that waited for the end of a rate limit or an
 * overload (cooldown.h). Turns keep the waiting calls from starting all at once. rc_call_take_turn
 * is called when the attempt of a call that waited begins. rc_call_earn_turns is called when the
 * response of an attempt has begun, and has an effect once for each attempt. rc_call_return_turn is
 * called when an attempt has ended: if no response had begun, another call may take the turn. */
void rc_call_take_turn(const rc_call *call, rc_call_attempt *attempt);
void rc_call_earn_turns(const rc_call *call, rc_call_attempt *attempt);
void rc_call_return_turn(const rc_call *call, const rc_call_attempt *attempt);

/* Makes a call that has waited wait once more, for its turn at an open entry. Returns false if the
 * call has a turn, has no time left to wait, or has waited for turns too often. */
bool rc_call_wait_turn(rc_call *call, uint16_t entry, uint64_t entropy, rc_action *ret_action);
/* Called when a call finds its entry closed after a wait, because another call met the rate limit
 * again. Returns whether the next wait is one of those that do not count as attempts. */
bool rc_call_take_limit_wait(rc_call *call, const rc_skip *closed);

/* --- call_queue.c --- */

/* Returns whether the call may wait in the queue of rc_shared. */
bool rc_call_may_queue(const rc_call *call);
/* rc_call_note_arrival records in the admission of the first target that a request arrived.
 * rc_call_note_retry records in the retry budget how a retry ended. */
void rc_call_note_arrival(const rc_call *call);
void rc_call_note_retry(const rc_call *call, bool is_success);
/* Lets the call wait in the queue. Returns WAIT, or STOP if the queue is full or the call could not
 * start in time. `opens_at_ms`: the earliest time at which a target may open; 0: not known. The
 * attempt may be granted at once: the caller must call rc_call_run_queue afterwards and return
 * call->last. */
rc_action rc_call_enqueue(rc_call *call, uint64_t opens_at_ms);
/* Removes the call from the queue; does nothing if the call is not in the queue. */
void rc_call_leave_queue(rc_call *call);
/* Ends a call that waited in the queue and cannot start in time. */
rc_action rc_call_end_queueing(rc_call *call);
/* Refuses the calls in the queue that cannot start in time any more, and grants attempts to those
 * whose targets are open. `self`: the call whose input runs now, whose owner is not notified; NULL:
 * none. */
void rc_call_run_queue(rc_shared *shared, const rc_call *self, uint64_t now_ms);

/* --- call_wait.c --- */

/* Returns whether at most policy.min_remaining_ms would be left of the deadline at the time
 * at_ms. */
bool rc_call_is_too_little_left(const rc_call *call, uint64_t at_ms);
/* Steps 7 and 8 of docs/internals/call.md. rc_call_no_wait_reason returns the reason why the call
 * cannot wait for wait_ms, or RC_WHY_NONE if it can. rc_call_wait_for returns the action
 * RC_DO_WAIT, or RC_DO_STOP with that reason. rc_call_wait_for takes no retry token, because its
 * caller takes the token for the next attempt. rc_call_take_token_and_wait takes the token
 * itself. */
rc_reason rc_call_no_wait_reason(const rc_call *call, uint64_t wait_ms);
rc_action rc_call_wait_for(rc_call *call, uint64_t wait_ms, rc_reason reason);
rc_action rc_call_take_token_and_wait(rc_call *call, uint64_t wait_ms, rc_reason reason);
/* Returns the wait, extended so that it ends after until_ms, the time at which a closed target
 * opens. */
uint64_t rc_call_wait_until_open(const rc_call *call, uint64_t wait_ms, uint64_t until_ms,
                                 uint64_t backoff_ms, uint64_t entropy);
/* Waits for the entry of the latest attempt, which opens at until_ms; 0: now, or not known. */
rc_action rc_call_wait_here(rc_call *call, uint64_t until_ms, uint64_t entropy);
/* Waits again for an entry that is still closed after a wait, or stops with the reason `spent`. */
rc_action rc_call_wait_again(rc_call *call, uint64_t until_ms, rc_reason spent, uint64_t back_at_ms,
                             uint64_t entropy);

/* --- call_key.c --- */

/* Step 5: finds another credential of the same target, for a call whose credential has reached a
 * limit. Returns false if no other credential is usable. */
bool rc_call_find_credential(const rc_call *call, uint16_t *ret_credential);
/* rc_call_may_refresh returns whether the rejected credential may be refreshed. rc_call_refresh
 * requests the refresh. */
bool rc_call_may_refresh(const rc_call *call, const rc_credential *credential);
rc_action rc_call_refresh(rc_call *call, rc_credential *credential, uint64_t entropy);
/* Starts an attempt with another key of the target after the provider rejected a key. Returns false
 * if the target has no other usable key, or if no further attempt is allowed. */
bool rc_call_find_next_key(rc_call *call, rc_action *ret_action);
/* Continues with the next target after a rejected credential was probed and rejected again. Returns
 * false if no next target is open, or if no further attempt is allowed. */
bool rc_call_go_past_probe(rc_call *call, rc_action *ret_action);
/* Chooses the action after the refresh of a credential failed: an attempt with another credential
 * of the same target, or a stop. */
rc_action rc_call_on_refresh_failed(rc_call *call);
/* Continues after the refresh of a rejected key. */
rc_action rc_call_resume_refreshed(rc_call *call, uint64_t entropy);

/* --- call_decide.c --- */

/* Step 3: returns why the latest failure is not retried; RC_WHY_NONE: it may be retried. */
rc_reason rc_call_refusal_reason(const rc_call *call);
/* Continues with the next target after a fatal failure whose code is in plan.fallback_on. Returns
 * false if no next target can be tried. */
bool rc_call_go_to_masking(rc_call *call, rc_action *ret_action);
/* Step 4: returns the reason of the limit that forbids a further attempt (deadline, number of
 * calls, retry budget, remaining time); RC_WHY_NONE: a further attempt is allowed. */
rc_reason rc_call_spent_reason(const rc_call *call);

/* Chooses the action after the failure in call->failure. The caller has already ended the failed
 * attempt. */
rc_action rc_call_decide(rc_call *call, uint64_t entropy);
/* Chooses the action after a wait, or after a refresh of a credential that succeeded. */
rc_action rc_call_resume(rc_call *call, uint64_t entropy);

/* --- call_action.c --- */

/* These three functions build an action and store it as the call's latest action: rc_call_do_try an
 * attempt, rc_call_do_stop a stop, rc_call_do_end any final action. */
rc_action rc_call_do_try(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason);
rc_action rc_call_do_stop(rc_call *call, rc_reason reason, uint64_t at_ms);
rc_action rc_call_do_end(rc_call *call, rc_action_kind kind, rc_reason reason);
/* Builds an action of this kind, in which the latest attempt is described. */
rc_action rc_call_action_of(const rc_call *call, rc_action_kind kind, rc_reason reason);
/* Builds the WAIT of a call in the queue, which leaves at leave_at_ms at the latest. opens_at_ms:
 * the time at which a target is expected to open, which is the announced end of the wait; 0: not
 * known. */
rc_action rc_call_do_queue(rc_call *call, uint64_t leave_at_ms, uint64_t opens_at_ms);
/* rc_call_take_token takes a token of the retry budget for a further attempt. rc_call_retry_with
 * takes the token and starts the attempt; its caller has checked with rc_call_spent_reason that the
 * budget has a token. */
void rc_call_take_token(rc_call *call);
rc_action rc_call_retry_with(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason);

#endif
