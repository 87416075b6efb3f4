/* What the machines of the core need of rc_shared while they hold its lock. None of these takes the
 * lock itself, but for rc_shared_lock. */
#ifndef RC_POLICY_SHARED_PRIVATE_H
#define RC_POLICY_SHARED_PRIVATE_H

#include <recourse/reason.h>
#include <recourse/shared.h>

/* Both do nothing when no lock is set. Not recursive: no public function of shared.h in between. */
void rc_shared_lock(const rc_shared *shared);
void rc_shared_unlock(const rc_shared *shared);

/* May the target be asked now? Changes nothing; a true answer still has to be followed by
 * rc_breaker_admit, rc_limiter_take and rc_shared_pick_credential, under the same lock, and they
 * then succeed. is_alone: there is no other target, so that guesses do not count (cooldown.h).
 *
 * Only when false: *ret_reason is the first of out of service, credentials dead, cooling, breaker,
 * credentials, busy that holds; *ret_until_ms is the earliest time at which the target may be open
 * as far as is known now, 0 when that is not known, RC_UNLIMITED when time alone will not open it.
 * A target that does not exist is out of service. */
bool rc_shared_is_target_open(const rc_shared *shared, uint16_t target, bool is_alone,
                              uint64_t now_ms, rc_reason *ret_reason, uint64_t *ret_until_ms);

/* The next credential of the target's pool that can be used: calls take turns. One that cools by a
 * guess is taken only when no other is left: whether it may be asked at all was seen before. True
 * with RC_NO_TARGET: the target needs none. False: none can be used, *ret_credential is not
 * written. */
bool rc_shared_pick_credential(rc_shared *shared, uint16_t target, uint64_t now_ms,
                               uint16_t *ret_credential);

/* The same, but another one than `than`, and never one that cools. False: there is none, or the
 * target has no pool. */
bool rc_shared_pick_other_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     uint64_t now_ms, uint16_t *ret_credential);

/* May the credential be used at this target; and when, a refresh that is under way aside. is_alone:
 * as in cooldown.h. A credential that does not exist: no, and never. */
bool rc_shared_is_usable(const rc_shared *shared, const rc_target *target, uint16_t credential,
                         bool is_alone, uint64_t now_ms);
uint64_t rc_shared_ready_at_ms(const rc_shared *shared, const rc_target *target,
                               uint16_t credential, bool is_alone);

/* Pointers into the arrays, borrowed under the lock. NULL: there is none of that number. */
rc_target *rc_shared_target(const rc_shared *shared, uint16_t target);
rc_credential *rc_shared_credential(const rc_shared *shared, uint16_t credential);

#endif
