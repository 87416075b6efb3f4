/* rc_credential: what is known of one key. The key itself is not here.
 *
 *   HEALTHY ──rate limit──► COOLING ──time──► HEALTHY
 *      │ └────quota───────► EXHAUSTED ──time──► HEALTHY
 *      └──refused, and not refreshed──► DEAD ──a new key, or it works after all──► HEALTHY */
#ifndef RECOURSE_CREDENTIAL_H
#define RECOURSE_CREDENTIAL_H

#include <recourse/cooldown.h>

RC_BEGIN_DECLS

typedef enum rc_credential_state {
    RC_CREDENTIAL_HEALTHY = 0,
    RC_CREDENTIAL_COOLING = 1,
    RC_CREDENTIAL_EXHAUSTED = 2,
    RC_CREDENTIAL_DEAD = 3
} rc_credential_state;

typedef struct rc_credential {
    rc_cooldown cooldown;
    rc_credential_state state; /* why it cools; a time that is over makes it HEALTHY */
    bool can_refresh;          /* whoever holds the key can get a fresh one */
    bool is_refreshing;        /* one call does so now */
    bool is_429;               /* the provider said with 429 that its quota is used up */
    uint8_t cooldown_count; /* cooldowns by our own choice since it last worked: each is longer */
} rc_credential;

/* Healthy. */
RC_API void rc_credential_init(rc_credential *credential, bool can_refresh);

/* A limit was hit: COOLING or EXHAUSTED (other states are ignored) until a time that a server told
 * or that we assume (cooldown.h). Of two reasons the one that holds longer is the state. A dead one
 * stays dead. */
RC_API void rc_credential_cool_down(rc_credential *credential, rc_credential_state state,
                                    uint64_t until_ms, bool is_enforced);

/* It was refused. It is asked again at probe_at_ms, as a provider may have been mistaken: whose
 * call that is does not suffer for it. 0: never. */
RC_API void rc_credential_kill(rc_credential *credential, uint64_t probe_at_ms);
/* There is a new key under the same id. */
RC_API void rc_credential_revive(rc_credential *credential);

/* The state as of now. */
RC_API rc_credential_state rc_credential_state_at(const rc_credential *credential, uint64_t now_ms);

/* May it be used? is_alone: as in cooldown.h. Not while it is being refreshed: the key that is
 * there was refused a moment ago. A dead one when the time of its probe is there. */
RC_API bool rc_credential_is_usable(const rc_credential *credential, bool is_alone,
                                    uint64_t now_ms);

/* When it may be used, a refresh that is under way aside; RC_UNLIMITED (policy.h) for a dead one.
 */
RC_API uint64_t rc_credential_ready_at_ms(const rc_credential *credential, bool is_alone);

RC_API const char *rc_credential_state_name(rc_credential_state state);

RC_END_DECLS

#endif
