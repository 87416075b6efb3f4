/* Internal functions of rc_shared for call*.c and hedge.c, which hold its lock. Only rc_shared_lock
 * takes the lock. */
#ifndef RC_POLICY_SHARED_PRIVATE_H
#define RC_POLICY_SHARED_PRIVATE_H

#include <recourse/reason.h>
#include <recourse/shared.h>

/* rc_shared_lock takes the lock and rc_shared_unlock releases it. Both functions do nothing if no
 * lock is set. The lock is not recursive: while it is held, no public function of shared.h may be
 * called. */
void rc_shared_lock(const rc_shared *shared);
void rc_shared_unlock(const rc_shared *shared);

/* Returns whether an attempt may be sent to the target now. Changes nothing. If the result is true,
 * rc_breaker_admit, rc_limiter_take and rc_shared_pick_credential succeed under the same lock.
 * `is_alone`: there is no other target, so assumed cooldowns do not count (cooldown.h).
 *
 * The outputs are written only if the result is false. *ret_reason is the first reason that
 * applies, in this order: out of service, credentials dead, cooling, breaker, credentials, busy.
 * *ret_until_ms is the earliest time at which the target may open, 0 if it is not known,
 * RC_UNLIMITED if the target does not open by waiting. A target that does not exist is out of
 * service. */
bool rc_shared_is_target_open(const rc_shared *shared, uint16_t target, bool is_alone,
                              uint64_t now_ms, rc_reason *ret_reason, uint64_t *ret_until_ms);

/* Picks the next usable credential of the target's pool (round robin). A credential in an assumed
 * cooldown is picked only if no other credential is left; rc_shared_is_target_open has already
 * decided whether that is allowed. If the target needs no credential, the result is true and
 * *ret_credential is RC_NO_TARGET. False: no credential is usable, and *ret_credential is not
 * written. */
bool rc_shared_pick_credential(rc_shared *shared, uint16_t target, uint64_t now_ms,
                               uint16_t *ret_credential);

/* As rc_shared_pick_credential, but picks neither the credential `excluded` nor one in a cooldown.
 * False: there is no such credential, or the target has no pool. */
bool rc_shared_pick_other_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     uint64_t now_ms, uint16_t *ret_credential);

/* rc_shared_is_usable returns whether a credential may be used at this target.
 * rc_shared_ready_at_ms returns from which time on; it ignores a refresh in progress. `is_alone`:
 * assumed cooldowns do not count (cooldown.h). A credential that does not exist is never usable. */
bool rc_shared_is_usable(const rc_shared *shared, const rc_target *target, uint16_t credential,
                         bool is_alone, uint64_t now_ms);
uint64_t rc_shared_ready_at_ms(const rc_shared *shared, const rc_target *target,
                               uint16_t credential, bool is_alone);

/* Return a row of the arrays of rc_shared, borrowed while the lock is held. NULL: the row does not
 * exist. */
rc_target *rc_shared_target(const rc_shared *shared, uint16_t target);
rc_credential *rc_shared_credential(const rc_shared *shared, uint16_t credential);

#endif
