/* The parts of rc_call, for call*.c and hedge.c. All but the inputs of call.c expect the lock of
 * rc_shared to be held. */
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

/* What a look along the chain found. */
typedef struct rc_call_search {
    uint16_t entry;     /* RC_NO_TARGET: none is open */
    uint64_t until_ms;  /* then: the earliest time at which one may be; 0: not known */
    uint64_t cooled_ms; /* the same of those that have a key to use; 0: not known */
    bool is_capable;    /* one of them has what the request needs */
    bool may_open;      /* one of these will open by itself */
    bool is_dead;       /* one of these has no credential that is not dead */
    uint32_t missing;   /* if none is capable: as in rc_action */
} rc_call_search;

/* --- call_target.c --- */

/* The length of the chain. */
uint16_t rc_plan_chain_count(const rc_plan *plan);

/* The place of an entry of the chain, counted from where the call begins. */
uint32_t rc_call_position(const rc_call *call, uint16_t entry);

/* The calls of the whole request, by the policy and by its owner. */
uint32_t rc_call_max_calls(const rc_call *call);

/* The tries that an entry may have, by the latest failure. */
uint32_t rc_call_max_entry_attempts(const rc_call *call, uint16_t entry);

/* May the entry be asked now? Written only when false: what keeps it closed. */
bool rc_call_is_open(const rc_call *call, uint16_t entry, rc_skip *ret_skip);

/* The same for a call that has nothing else to ask: what we only assume does not close it. */
bool rc_call_is_open_alone(const rc_call *call, uint16_t entry, rc_skip *ret_skip);

/* For the audit. */
void rc_call_note_skip(const rc_call *call, const rc_skip *skip);

/* The first open entry, from where the call begins. */
rc_call_search rc_call_find_first(const rc_call *call);

/* Of entries that are closed only because their target did not respond, the one that opens first;
 * RC_NO_TARGET: none. */
uint16_t rc_call_find_silent(const rc_call *call);

/* The first open entry behind all that were asked. other_target: one with another target. */
rc_call_search rc_call_find_next(const rc_call *call, bool other_target);

/* The round after a wait: every entry of the chain was asked, and those that do not name tries may
 * be asked again. The first open one; none when the policy allows no further round. */
uint16_t rc_call_next_round(const rc_call *call);
rc_call_search rc_call_find_round(const rc_call *call);
/* When the latest entry may be asked again; 0: now, or not known. */
uint64_t rc_call_reopens_at_ms(const rc_call *call);
/* If none is open: when the first one with another target than the latest may be; 0: not known. */
uint64_t rc_call_round_opens_at_ms(const rc_call *call);

/* A failure that repeats itself at this entry: no later round asks it again. */
void rc_call_note_spent(rc_call *call, uint16_t entry, const rc_failure_facts *failure);

/* The entry is asked: whoever comes next stands behind it. */
void rc_call_move_past(rc_call *call, uint16_t entry);

/* Why a search found nobody: ALL_UNAVAILABLE, or CREDENTIALS_DEAD if only new keys would help. */
rc_reason rc_call_unavailable_reason(const rc_call_search *search);

/* The credential was refused: it is asked again by one call after 30 s, later and later after each
 * further refusal. */
void rc_call_kill_key(const rc_call *call, rc_credential *key);

/* Starts a try of an entry that is open. credential: RC_NO_TARGET for the one whose turn it is. */
rc_call_attempt rc_call_start_attempt(const rc_call *call, uint16_t entry, uint16_t credential);

/* What a failure says of its target. */
rc_breaker_outcome rc_call_breaker_outcome(const rc_failure_facts *failure);
/* The try has ended; once for each take, more often does no harm. */
void rc_call_end_attempt(const rc_call *call, rc_call_attempt *attempt, rc_breaker_outcome end,
                         uint64_t entropy);
/* The provider has begun to answer: the credential is good. */
void rc_call_clear_key(const rc_call *call, const rc_call_attempt *attempt);
/* The target responds. */
void rc_call_clear_target(const rc_call *call, const rc_call_attempt *attempt);
/* The same for one that worked. */
void rc_call_note_success(const rc_call *call, rc_call_attempt *attempt);

/* Quota, plan, credit or balance, by the code's own row: never retried, but another credential or
 * target may have some. */
bool rc_call_is_capacity(const rc_failure_facts *failure);

/* What a failure tells everybody: who must be left alone, and until when. */
void rc_call_publish_failure(const rc_call *call, const rc_call_attempt *attempt,
                             const rc_failure_facts *failure);

/* --- call_turn.c --- */

/* So many waits of a call are no tries; its waiting after these ends with its tries. */
#define RC_CALL_TURN_WAITS_MAX 64u
#define RC_CALL_LIMIT_WAITS_MAX 16u

/* After a rate limit or an overload, few of the calls that waited go first (cooldown.h). The try of
 * one of them begins; the answer of any try begins, which counts once; the try ends, and if no
 * answer began, another call has its turn. */
void rc_call_take_turn(const rc_call *call, rc_call_attempt *attempt);
void rc_call_earn_turns(const rc_call *call, rc_call_attempt *attempt);
void rc_call_return_turn(const rc_call *call, const rc_call_attempt *attempt);

/* A call that has waited would ask this entry, which is open: it waits for its turn. False: it is
 * its turn, or it has no time to wait. */
bool rc_call_wait_turn(rc_call *call, uint16_t entry, uint64_t entropy, rc_action *ret_action);
/* The call woke and finds its entry closed, because another call was told to wait longer: to wait
 * for that is no try. False: it is one. */
bool rc_call_take_limit_wait(rc_call *call, const rc_skip *closed);

/* --- call_decide.c --- */

/* Steps 7 and 8: NONE, or why the call cannot wait so long; and WAIT or STOP by that, for who has
 * paid for the call that comes after. */
rc_reason rc_call_no_wait_reason(const rc_call *call, uint64_t wait_ms);
rc_action rc_call_wait_for(rc_call *call, uint64_t wait_ms, rc_reason reason);

/* Step 4: NONE, or what no other call can be made for. */
rc_reason rc_call_spent_reason(const rc_call *call);

/* The decision after a failure, which is call->why; the try was given back. */
rc_action rc_call_decide(rc_call *call, uint64_t entropy);

/* The refused credential could not be refreshed: another one of the target, else STOP. */
rc_action rc_call_on_refresh_failed(rc_call *call);

/* After a wait or a refresh. */
rc_action rc_call_resume(rc_call *call, uint64_t entropy);

/* The actions. */
rc_action rc_call_do_try(rc_call *call, uint16_t entry, uint16_t credential, rc_reason reason);
rc_action rc_call_do_stop(rc_call *call, rc_reason reason, uint64_t at_ms);
rc_action rc_call_do_end(rc_call *call, rc_action_kind what, rc_reason reason);

#endif
