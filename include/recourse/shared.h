/* rc_shared: what all calls of a process know together: which targets and credentials cool down,
 * which breakers are open, how much of the retry budget is left, how many calls are in flight.
 *
 *                   ┌──────────────┐
 *   rc_call ──────► │  rc_shared   │ ◄────── admin: in and out of service, state for people
 *   rc_call ──────► │ targets      │ ◄────── store: what was known before the restart, and what
 *   rc_call ──────► │ credentials  │         other machines say
 *                   │ budget       │
 *                   └──────────────┘
 *
 * The caller gives the storage. With lock and unlock set, any number of threads may use it: every
 * function here and every step of a call takes the lock once and holds it for less than a
 * microsecond. Times are monotonic milliseconds; a time that runs backwards counts as standing
 * still. */
#ifndef RECOURSE_SHARED_H
#define RECOURSE_SHARED_H

#include <recourse/breaker.h>
#include <recourse/cooldown.h>
#include <recourse/credential.h>
#include <recourse/export.h>
#include <recourse/limiter.h>
#include <recourse/policy.h>
#include <recourse/retry_budget.h>

RC_BEGIN_DECLS

#define RC_NO_TARGET UINT16_MAX

/* What one target (provider and model) is known for. */
typedef struct rc_target {
    rc_cooldown cooldown;
    rc_breaker breaker;
    rc_limiter limiter;
    bool is_out_of_service;    /* by an operator */
    uint16_t first_credential; /* its pool: credentials[first .. first + count) */
    uint16_t credential_count; /* 0: it needs none */
    uint16_t next_credential;  /* where the search begins: calls take turns */
    rc_code cooled_for;        /* the failure that its cooldown is for; NONE: not known */
    rc_code failed_for;        /* the latest failure that its breaker has counted */
    bool is_429;               /* cooled_for was told with this status */
    bool is_cooldown_hinted;   /* its server named the end of its cooldown */
    uint8_t silent_in_a_row;   /* calls without any response since the latest response */
    uint8_t silent_cooldowns;  /* cooldowns for that since then */
    uint64_t silent_at_ms;     /* when the latest of these began */
    rc_credential *limits;     /* of each of the pool, here alone; NULL: limits hold everywhere */
} rc_target;

typedef struct rc_shared_settings {
    rc_retry_budget_settings retry_budget;
    rc_breaker_settings breaker;
    uint32_t
        cooldown_ms; /* of a rate limit or overload without a hint, and the first one of a target
                              that does not respond: 5000; 0: neither is assumed */
    uint32_t
        exhausted_ms; /* of a used-up quota without a hint, and of a refused credential: from 30 s
                              up to this, doubled each time: 600000 */
} rc_shared_settings;

/* SPEC's numbers. */
RC_API rc_shared_settings rc_shared_settings_default(void);

typedef struct rc_shared {
    rc_shared_settings settings;
    rc_retry_budget retry_budget;
    rc_target *targets;
    uint16_t target_count;
    rc_credential *credentials;
    uint16_t credential_count;
    void *lock_ctx;
    void (*lock)(void *ctx);   /* NULL: one thread alone uses it */
    void (*unlock)(void *ctx); /* NULL with lock */
} rc_shared;

/* Puts everything into its first state: all healthy, budget full, no pools, no limits. settings:
 * copies. targets and credentials are the caller's arrays, borrowed until done with; each target's
 * pool is set by rc_shared_set_pool afterwards. */
RC_API void rc_shared_init(rc_shared *shared, const rc_shared_settings *settings,
                           rc_target *targets, uint16_t target_count, rc_credential *credentials,
                           uint16_t credential_count, uint64_t now_ms);

/* More room: what is known moves to the start of larger arrays, the new rows are in their first
 * state. The old arrays are the caller's again. Numbers stay what they are. A count below the
 * present one changes nothing. targets, credentials: borrow as in init. */
RC_API void rc_shared_grow(rc_shared *shared, rc_target *targets, uint16_t target_count,
                           rc_credential *credentials, uint16_t credential_count, uint64_t now_ms);

/* Other settings from now on, as after a reload of a configuration: what is known stays known.
 * settings: copies. */
RC_API void rc_shared_set_settings(rc_shared *shared, const rc_shared_settings *settings,
                                   uint64_t now_ms);

/* All of the following ignore a target or credential that does not exist; a pool that does not fit
 * the array changes nothing. ctx: borrows until done with. limits: borrows until the target's pool
 * is set anew; as many as the pool has, as they are to begin with. They keep what a provider limits
 * by model: a rate, or the use in a day. NULL: every limit closes the credential for all targets.
 */
RC_API void rc_shared_set_lock(rc_shared *shared, void *ctx, void (*lock)(void *),
                               void (*unlock)(void *));
RC_API void rc_shared_set_pool(rc_shared *shared, uint16_t target, uint16_t first_credential,
                               uint16_t count, rc_credential *limits);
RC_API void rc_shared_set_limit(rc_shared *shared, uint16_t target, uint32_t max_in_flight);
/* Can whoever holds the key get a fresh one? At first: no. */
RC_API void rc_shared_set_refresh(rc_shared *shared, uint16_t credential, bool can_refresh);

/* An operator, a store or another machine says so. until_ms only ever moves a cooldown later. Of a
 * credential that is DEAD it is the time of its probe (rc_credential_kill); HEALTHY is ignored:
 * rc_shared_revive_credential. */
RC_API void rc_shared_cool_down_target(rc_shared *shared, uint16_t target, uint64_t until_ms);
RC_API void rc_shared_cool_down_credential(rc_shared *shared, uint16_t credential,
                                           rc_credential_state state, uint64_t until_ms);
/* The same for one target alone: COOLING or EXHAUSTED. Ignored if its pool keeps no limits. */
RC_API void rc_shared_limit_credential(rc_shared *shared, uint16_t target, uint16_t credential,
                                       rc_credential_state state, uint64_t until_ms);
RC_API void rc_shared_set_service(rc_shared *shared, uint16_t target, bool is_in_service);
/* An operator knows better: its cooldown and its credentials' limits here are over, its breaker is
 * closed. */
RC_API void rc_shared_clear_target(rc_shared *shared, uint16_t target, uint64_t now_ms);
/* A new key under the same id: healthy again, at every target. */
RC_API void rc_shared_revive_credential(rc_shared *shared, uint16_t credential);

/* What is known of a credential at this target alone, borrowed under the lock. NULL: it is not of
 * its pool, or the pool keeps no limits. */
RC_API rc_credential *rc_target_limit(const rc_target *target, uint16_t credential);

/* Is everything within its bounds? For tests and fuzzing. */
RC_API bool rc_shared_validate(const rc_shared *shared);

RC_END_DECLS

#endif
