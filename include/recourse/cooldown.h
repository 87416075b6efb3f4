/* rc_cooldown: the time until which a target or credential is not used.
 *
 * Turns limit the calls that resume at the end of an enforced cooldown, so that not all waiting
 * calls are sent at once. At the end one waiting call gets a turn. Each call that succeeds adds two
 * turns; the turns granted by time double every second; after ten seconds there is no limit. A
 * later end of the cooldown resets the turns. */
#ifndef RECOURSE_COOLDOWN_H
#define RECOURSE_COOLDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_cooldown {
    uint64_t enforced_until_ms; /* end named by a server, a store or an operator; always applies */
    uint64_t assumed_until_ms; /* end that Recourse estimated; applies if there is an alternative */
    uint16_t turns_taken;      /* turns taken since enforced_until_ms and not returned */
    uint16_t turns_earned;     /* turns added by successful calls */
} rc_cooldown;

/* Move an end later (the maximum of old and new); clear removes both ends and the turns. */
RC_API void rc_cooldown_enforce(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_assume(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_clear(rc_cooldown *cooldown);

/* Return the end of the cooldown (0 or a past time: none), and whether it applies now. is_alone:
 * the call has no alternative, so the assumed end is ignored. */
RC_API uint64_t rc_cooldown_until_ms(const rc_cooldown *cooldown, bool is_alone);
RC_API bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms);

/* Returns whether a call that waited for the enforced end may start now. */
RC_API bool rc_cooldown_has_turn(const rc_cooldown *cooldown, uint64_t now_ms);
/* Records that a call that waited starts now. Calls that did not wait need no turn. */
RC_API void rc_cooldown_take_turn(rc_cooldown *cooldown, uint64_t now_ms);
/* Record the result of a call that began at began_ms, at most once per call. earn_turns: the call
 * was accepted, whether it took a turn or not. return_turn: a call that took a turn ended without
 * being accepted. A call that began before the enforced end changes nothing. */
RC_API void rc_cooldown_earn_turns(rc_cooldown *cooldown, uint64_t began_ms);
RC_API void rc_cooldown_return_turn(rc_cooldown *cooldown, uint64_t began_ms);

RC_END_DECLS

#endif
