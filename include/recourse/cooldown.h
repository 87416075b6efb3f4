/* rc_cooldown: a target or credential is left alone until a time. */
#ifndef RECOURSE_COOLDOWN_H
#define RECOURSE_COOLDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_cooldown {
    uint64_t told_until_ms;    /* a server, a store or a person said so: holds for everybody */
    uint64_t assumed_until_ms; /* our own guess: holds where there is something else to ask */
} rc_cooldown;

/* Both keep max(old, new). */
RC_API void rc_cooldown_tell(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_assume(rc_cooldown *cooldown, uint64_t until_ms);
RC_API void rc_cooldown_clear(rc_cooldown *cooldown);

/* The end of it; 0 or the past: it is over. is_alone: there is nothing else to ask, so that a guess
 * does not count. */
RC_API uint64_t rc_cooldown_until_ms(const rc_cooldown *cooldown, bool is_alone);
RC_API bool rc_cooldown_is_on(const rc_cooldown *cooldown, bool is_alone, uint64_t now_ms);

RC_END_DECLS

#endif
