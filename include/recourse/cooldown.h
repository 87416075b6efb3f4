/* rc_cooldown: the time until which a target or credential is not used.
 *
 * A turn is the permission to start for a call that waited for the end of an enforced cooldown.
 * Without turns, all waiting calls would start at once. One turn exists when the cooldown ends, and
 * each call that succeeds adds two turns. The turns that are granted by time double every second,
 * and after ten seconds the number of turns is unlimited. If the end of the cooldown moves to a
 * later time, the count of turns starts again. */
#ifndef RECOURSE_COOLDOWN_H
#define RECOURSE_COOLDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_cooldown {
    uint64_t enforced_until_ms; /* end named by a server, a store or an operator; respected by every
                                   call */
    uint64_t assumed_until_ms;  /* end that Recourse estimated; ignored by a call that can use no
                                   other target */
    uint16_t turns_taken;       /* number of turns taken since enforced_until_ms and not returned */
    uint16_t turns_earned;      /* number of turns added by successful calls */
} rc_cooldown;

/* rc_cooldown_enforce and rc_cooldown_assume move the enforced or the assumed end to a later time;
 * an until_ms before the current end changes nothing. rc_cooldown_clear removes both ends and the
 * turns. */
RC_API void rc_cooldown_enforce(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_assume(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_clear(rc_cooldown *cooldown);

/* rc_cooldown_until_ms returns the end of the cooldown; 0 or a past time means that there is no
 * cooldown. rc_cooldown_is_on returns whether the cooldown applies at now_ms. is_alone: the call
 * can use no other target, so the assumed end is ignored. */
RC_API uint64_t rc_cooldown_until_ms(const rc_cooldown *cooldown, bool is_alone);
RC_API bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms);

/* Returns whether a call that waited for the enforced end may start now, because a turn is
 * available. */
RC_API bool rc_cooldown_has_turn(const rc_cooldown *cooldown, uint64_t now_ms);
/* Records that a call that waited starts now and takes a turn. Calls that did not wait need no
 * turn. */
RC_API void rc_cooldown_take_turn(rc_cooldown *cooldown, uint64_t now_ms);
/* Both functions record the result of a call that began at began_ms, at most once per call.
 * rc_cooldown_earn_turns is for a call whose response has begun, whether the call took a turn or
 * not. rc_cooldown_return_turn is for a call that took a turn and ended without a response. A call
 * that began before the enforced end changes nothing. */
RC_API void rc_cooldown_earn_turns(rc_cooldown *cooldown, uint64_t began_ms);
RC_API void rc_cooldown_return_turn(rc_cooldown *cooldown, uint64_t began_ms);

RC_END_DECLS

#endif
