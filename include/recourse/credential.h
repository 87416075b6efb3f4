/* rc_credential: the availability of one API key. The key itself is not part of this state.
 *
 *   HEALTHY ──rate limit──► COOLING ──time──► HEALTHY
 *      │ └────quota───────► EXHAUSTED ──time──► HEALTHY
 *      └──refused, and not refreshed──► DEAD ──new key, or a probe succeeds──► HEALTHY */
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
    rc_credential_state state; /* reason of the cooldown; once the cooldown is over,
                                  rc_credential_state_at returns HEALTHY although this member stays
                                  unchanged */
    bool can_refresh;          /* the owner of the key can obtain a fresh key */
    bool is_refreshing;        /* one call is refreshing the key now */
    bool is_429;               /* the latest limit came with status 429 */
    uint8_t cooldown_count;    /* number of cooldowns of estimated length since the last success;
                                  each one is longer than the previous one */
} rc_credential;

/* Initialises a credential in the state HEALTHY. */
RC_API void rc_credential_init(rc_credential *credential, bool can_refresh);

/* Records a limit. `state` is COOLING or EXHAUSTED; other states are ignored. The time until_ms is
 * enforced or assumed (cooldown.h). If the credential already has a limit, the state is that of the
 * limit that ends later. A DEAD credential stays DEAD. */
RC_API void rc_credential_cool_down(rc_credential *credential, rc_credential_state state,
                                    uint64_t until_ms, bool is_enforced);

/* Records that the provider rejected the key. From probe_at_ms on one call may test the key again,
 * because the provider may have rejected it by mistake. If probe_at_ms is 0, the key is never
 * tested again. */
RC_API void rc_credential_kill(rc_credential *credential, uint64_t probe_at_ms);
/* Makes the credential HEALTHY, because a new key exists under the same id. */
RC_API void rc_credential_revive(rc_credential *credential);

/* Returns the state at now_ms: HEALTHY once a cooldown is over. */
RC_API rc_credential_state rc_credential_state_at(const rc_credential *credential, uint64_t now_ms);

/* Returns whether a call may use the credential. is_alone: the call can use no other target
 * (cooldown.h). During a refresh the result is false, because the provider has just rejected the
 * current key. A DEAD credential is usable from the time of its probe. */
RC_API bool rc_credential_is_usable(const rc_credential *credential, bool is_alone,
                                    uint64_t now_ms);

/* Returns the time from which the credential may be used, ignoring a refresh that is in progress.
 * For a DEAD credential the result is RC_UNLIMITED (policy.h). */
RC_API uint64_t rc_credential_ready_at_ms(const rc_credential *credential, bool is_alone);

/* Returns "healthy", "cooling", "exhausted" or "dead". The result is a static string. */
RC_API const char *rc_credential_state_name(rc_credential_state state);

RC_END_DECLS

#endif
