/* Internal functions of rc_shared for call*.c and hedge.c. Except for rc_shared_lock, their callers
 * hold the lock of rc_shared. */
#ifndef RC_POLICY_SHARED_PRIVATE_H
#define RC_POLICY_SHARED_PRIVATE_H

#include <recourse/reason.h>
#include <recourse/shared.h>

/* rc_shared_lock takes the lock and rc_shared_unlock releases it. Both functions do nothing if
 * rc_shared has no lock functions. The lock is not recursive: while it is held, no public function
 * of shared.h may be called. */
void rc_shared_lock(const rc_shared *shared);
void rc_shared_unlock(const rc_shared *shared);

/* Returns whether an attempt may be sent to the target now. Changes nothing. If the result is true,
 * rc_breaker_admit, rc_limiter_take and rc_shared_pick_credential succeed under the same lock.
 * `is_alone`: the call can use no other target, so assumed cooldowns are ignored (cooldown.h).
 *
 * The outputs are written only if the result is false. *ret_reason is the first reason that
 * applies, in this order: out of service, credentials dead, cooling, breaker, credentials, busy.
 * *ret_until_ms is the earliest time at which the target may open, 0 if it is not known,
 * RC_UNLIMITED if the target does not open however long the call waits. A target number outside the
 * array counts as out of service. */
bool rc_shared_is_target_open(const rc_shared *shared, uint16_t target, bool is_alone,
                              uint64_t now_ms, rc_reason *ret_reason, uint64_t *ret_until_ms);

/* Picks the next usable credential of the target's pool (round robin). A credential in an assumed
 * cooldown is picked only if all others are unusable; rc_shared_is_target_open has already decided
 * whether that is allowed. If the target needs no credential, the result is true and
 * *ret_credential is RC_NO_TARGET. Returns false, without writing *ret_credential, if no credential
 * is usable. */
bool rc_shared_pick_credential(rc_shared *shared, uint16_t target, uint64_t now_ms,
                               uint16_t *ret_credential);

/* As rc_shared_pick_credential, but picks neither the credential `excluded` nor one in a cooldown.
 * Returns false if no such credential exists, or if the target needs no credential. */
bool rc_shared_pick_other_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     uint64_t now_ms, uint16_t *ret_credential);

/* Like rc_shared_is_target_open. passes_breaker: an open breaker does not close the target. */
bool rc_shared_is_open_past(const rc_shared *shared, uint16_t target, bool is_alone,
                            bool passes_breaker, uint64_t now_ms, rc_reason *ret_reason,
                            uint64_t *ret_until_ms);

/* Returns whether the admission of the target (admission.h) and the learned rate limits of its
 * credentials allow a call now. Always true without a queue. cost: NULL: the call ignores learned
 * rate limits. The outputs are written only if the result is false, as by
 * rc_shared_is_target_open. */
bool rc_shared_is_admitted(const rc_shared *shared, uint16_t target, bool is_alone,
                           const rc_limit_cost *cost, uint64_t now_ms, rc_reason *ret_reason,
                           uint64_t *ret_until_ms);

/* Of the usable credentials whose learned rate limits allow the call now, picks the one with the
 * largest share left. Returns false if no such credential exists, or if rate limits are not
 * learned. */
bool rc_shared_pick_ready_credential(rc_shared *shared, uint16_t target, uint16_t excluded,
                                     const rc_limit_cost *cost, uint64_t now_ms,
                                     uint16_t *ret_credential);

/* Returns the learned rate limits of a credential at the target; NULL: rate limits are not
 * learned. */
rc_rate_limits *rc_target_learned(const rc_shared *shared, const rc_target *target,
                                  uint16_t credential);

/* rc_shared_is_usable returns whether a credential may be used at this target.
 * rc_shared_ready_at_ms returns the time from which on the credential may be used, and ignores a
 * refresh in progress. `is_alone`: assumed cooldowns are ignored (cooldown.h). A credential number
 * outside the array is never usable. */
bool rc_shared_is_usable(const rc_shared *shared, const rc_target *target, uint16_t credential,
                         bool is_alone, uint64_t now_ms);
uint64_t rc_shared_ready_at_ms(const rc_shared *shared, const rc_target *target,
                               uint16_t credential, bool is_alone);

/* Returns whether the credential of the target that becomes usable first does so only for a probe:
 * its quota is used up, and the provider named no time. */
bool rc_shared_is_probe_next(const rc_shared *shared, uint16_t target);

/* These functions return a row of the arrays of rc_shared, which the caller may use while it holds
 * the lock; NULL for a number outside the array. */
rc_target *rc_shared_target(const rc_shared *shared, uint16_t target);
rc_credential *rc_shared_credential(const rc_shared *shared, uint16_t credential);

#endif
