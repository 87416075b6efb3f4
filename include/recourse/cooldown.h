/* rc_cooldown: a target or credential is left alone until a time; then few calls ask it first.
 *
 * Turns: many calls wait for the end that a server named. When it is there, one of them goes. Each
 * call that is let through gives two others a turn, each second doubles what time gives, and after
 * ten seconds everybody may go. A later end begins anew. */
#ifndef RECOURSE_COOLDOWN_H
#define RECOURSE_COOLDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_cooldown {
    uint64_t enforced_until_ms; /* a server, a store or a person said so: holds for everybody */
    uint64_t assumed_until_ms;  /* our own guess: holds where there is something else to ask */
    uint16_t turns_taken;       /* since told_until_ms; given back by calls that learned nothing */
    uint16_t turns_earned;      /* by calls that were let through */
} rc_cooldown;

/* Both keep max(old, new). */
RC_API void rc_cooldown_enforce(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_assume(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_clear(rc_cooldown *cooldown);

/* The end of it; 0 or the past: it is over. is_alone: there is nothing else to ask, so that a guess
 * does not count. */
RC_API uint64_t rc_cooldown_until_ms(const rc_cooldown *cooldown, bool is_alone);
RC_API bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms);

/* Is there a turn for one of those who waited for the end that was told? */
RC_API bool rc_cooldown_has_turn(const rc_cooldown *cooldown, uint64_t now_ms);
/* One of them begins. Who comes without having waited needs no turn. */
RC_API void rc_cooldown_take_turn(rc_cooldown *cooldown, uint64_t now_ms);
/* Any call that began at began_ms was let through; one that took a turn ended without having shown
 * that. Once a call. One that began before the end says nothing. */
RC_API void rc_cooldown_earn_turns(rc_cooldown *cooldown, uint64_t began_ms);
RC_API void rc_cooldown_return_turn(rc_cooldown *cooldown, uint64_t began_ms);

RC_END_DECLS

#endif
