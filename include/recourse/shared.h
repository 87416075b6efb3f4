/* rc_shared: the state that all calls of a process share. The shared state has the cooldowns of
 * targets and credentials, the circuit breakers, the retry budget, and the number of calls in
 * flight.
 *
 *                   ┌──────────────┐
 *   rc_call ──────► │  rc_shared   │ ◄────── admin: takes targets in and out of service
 *   rc_call ──────► │ targets      │ ◄────── store: state from before a restart and from other
 *   rc_call ──────► │ credentials  │         machines
 *                   │ retry_budget │
 *                   └──────────────┘
 *
 * The caller provides the storage. If `lock` and `unlock` are set, any number of threads may use
 * the shared state. Every function of this header, and every rc_call function that changes the
 * shared state, takes the lock once and releases it within a microsecond. Times are monotonic
 * milliseconds. If a caller passes an earlier time than a previous caller, the later of the two
 * times is used. */
#ifndef RECOURSE_SHARED_H
#define RECOURSE_SHARED_H

#include <recourse/admission.h>
#include <recourse/breaker.h>
#include <recourse/cooldown.h>
#include <recourse/credential.h>
#include <recourse/export.h>
#include <recourse/limiter.h>
#include <recourse/policy.h>
#include <recourse/queue.h>
#include <recourse/rate_limits.h>
#include <recourse/retry_budget.h>

RC_BEGIN_DECLS

#define RC_NO_TARGET UINT16_MAX

/* The state of one target (provider and model). */
typedef struct rc_target {
    rc_cooldown cooldown;
    rc_breaker breaker;
    rc_admission admission; /* used if rc_shared has a queue */
    rc_limiter limiter;
    bool is_out_of_service;    /* an operator took the target out of service */
    uint16_t first_credential; /* the target's pool is credentials[first_credential ..
                                  first_credential + credential_count) */
    uint16_t credential_count; /* size of the pool; 0: the target needs no credential */
    uint16_t next_credential;  /* index in the pool at which the next search for a credential begins
                                  (round robin) */
    rc_code cooled_for;        /* code of the failure that caused the cooldown; RC_CODE_NONE: not
                                  known */
    rc_code failed_for;        /* code of the latest failure that the breaker counted */
    bool is_429;               /* the failure in cooled_for had status 429 */
    bool is_cooldown_hinted;   /* the provider named the end of the cooldown */
    uint8_t silent_in_a_row;   /* number of calls without any response since the target last
                                  responded */
    uint8_t silent_cooldowns;  /* number of cooldowns because of missing responses since the target
                                  last responded */
    uint16_t failed_in_a_row;  /* number of failures since the latest response, at most 1000; a
                                  member of a group with RC_GROUP_FAILING of them gets only
                                  probes */
    uint64_t silent_at_ms;     /* start of the latest cooldown because of missing responses */
    uint64_t group_probe_at_ms; /* time from which a failing member of a group gets one probe */
    rc_credential *limits;      /* one row for each credential of the pool, for limits that apply
                                  only at this target; NULL: every limit of a credential applies at
                                  all targets */
    rc_rate_limits
        *learned; /* learned rate limits: one row for each credential of the pool (one row, if the
                     pool is empty); NULL: rate limits are not learned */
} rc_target;

/* Settings of the shared state that all targets have in common. */

typedef struct rc_shared_settings {
    rc_retry_budget_settings retry_budget;
    rc_breaker_settings breaker;
    /* Default 5000, in milliseconds: the cooldown after a rate limit or overload for which the
     * provider named no time, and the first cooldown of a target that does not respond; 0: no
     * assumed cooldowns. */
    uint32_t cooldown_ms;
    /* Default 600000, in milliseconds: the longest cooldown of a rejected credential, or of an
     * exhausted quota for which the provider named no time. The first such cooldown of a credential
     * lasts 30 s, and each further one twice as long. */
    uint32_t exhausted_ms;
} rc_shared_settings;

/* Returns the default settings. */
RC_API rc_shared_settings rc_shared_settings_default(void);

/* Functions by which a queue notifies its owner. The functions are called while the lock is held,
 * so they must return quickly and must not call functions of Recourse. Each of the functions may be
 * NULL. */
typedef struct rc_queue_owner {
    void *ctx;
    /* The request of `owner` (rc_call_options.owner) was granted an attempt or refused. The thread
     * that owns the call must then call rc_call_on_wake. */
    void (*wake)(void *ctx, void *owner);
    /* The owner must call rc_shared_run_queue at at_ms, which replaces the time that was requested
     * before; RC_UNLIMITED: no time. */
    void (*run_at)(void *ctx, uint64_t at_ms);
} rc_queue_owner;

typedef struct rc_shared {
    rc_shared_settings settings;
    rc_retry_budget retry_budget;
    rc_target *targets;
    uint16_t target_count;
    rc_credential *credentials;
    uint16_t credential_count;
    void *lock_ctx;
    void (*lock)(void *ctx);   /* NULL: only one thread uses the state */
    void (*unlock)(void *ctx); /* NULL if and only if `lock` is NULL */
    rc_queue *queue;           /* the waiting queue (queue.h); NULL: no request waits in a queue */
    rc_queue_owner queue_owner;
    uint64_t queue_run_at_ms; /* the time that `run_at` requested last; RC_UNLIMITED: none */
} rc_shared;

/* Sets the initial state: all targets and credentials are healthy, the retry budget is full,
 * targets have no credentials and no limits. settings: copies the struct. targets, credentials:
 * borrows the caller's arrays for as long as `shared` is used. Afterwards rc_shared_set_pool sets
 * the pool of each target. */
RC_API void rc_shared_init(rc_shared *shared, const rc_shared_settings *settings,
                           rc_target *targets, uint16_t target_count, rc_credential *credentials,
                           uint16_t credential_count, uint64_t now_ms);

/* Moves the state to larger arrays. The existing rows keep their indexes, and the new rows get the
 * initial state. The caller may free the old arrays afterwards. If a new count is below the current
 * count, the function does nothing. targets, credentials: borrows the new arrays for as long as
 * `shared` is used. */
RC_API void rc_shared_grow(rc_shared *shared, rc_target *targets, uint16_t target_count,
                           rc_credential *credentials, uint16_t credential_count, uint64_t now_ms);

/* Replaces the settings, for example after a reload of the configuration. The state does not
 * change. settings: copies the struct. */
RC_API void rc_shared_set_settings(rc_shared *shared, const rc_shared_settings *settings,
                                   uint64_t now_ms);

/* rc_shared_set_lock sets the lock, rc_shared_set_pool a target's pool of credentials, and
 * rc_shared_set_limit a target's limit of calls in flight. These and the following functions ignore
 * numbers of targets and credentials outside the arrays. A pool that exceeds the array of
 * credentials is not set.
 *
 * ctx: borrows for as long as `shared` is used. limits: borrows an array of `count` initialised
 * rows until the target's pool is set again. The rows store the limits that a provider applies per
 * model, such as a rate or a daily quota. If `limits` is NULL, every limit of a credential applies
 * at all targets. */
RC_API void rc_shared_set_lock(rc_shared *shared, void *ctx, void (*lock)(void *),
                               void (*unlock)(void *));
RC_API void rc_shared_set_pool(rc_shared *shared, uint16_t target, uint16_t first_credential,
                               uint16_t count, rc_credential *limits);
RC_API void rc_shared_set_limit(rc_shared *shared, uint16_t target, uint32_t max_in_flight);
/* Sets whether the owner of the key can obtain a fresh key; false at the start. */
RC_API void rc_shared_set_refresh(rc_shared *shared, uint16_t credential, bool can_refresh);

/* Sets the rows in which the rate limits of a target's credentials are learned: one row for each
 * credential of the pool, one row if the target needs no credential. To be called after each
 * rc_shared_set_pool, which removes the rows. learned: borrows initialised rows until the pool is
 * set again; NULL, as after rc_shared_set_pool: nothing is learned about the target (the setting
 * `learn: off`): neither rate limits, nor the rate, nor the number of concurrent calls that it
 * accepts. A refused call then sets a cooldown as without a queue. */
RC_API void rc_shared_set_learned(rc_shared *shared, uint16_t target, rc_rate_limits *learned);

/* Sets the queue in which calls wait for a target (queue.h). queue: borrows for as long as `shared`
 * is used; NULL: calls do not wait for targets (the setting `wait: off`), and every call that waits
 * in the old queue must be ended first. owner: copies the struct. */
RC_API void rc_shared_set_queue(rc_shared *shared, rc_queue *queue, const rc_queue_owner *owner);
/* Grants attempts to the calls in the queue whose targets are open now, and refuses the calls that
 * can no longer start in time. The inputs of every call do the same, so the owner needs this
 * function only at the times that rc_queue_owner.run_at requests, and after a change of the state
 * by the functions below. The function does nothing if rc_shared has no queue. */
RC_API void rc_shared_run_queue(rc_shared *shared, uint64_t now_ms, uint64_t entropy);

/* Both functions set an enforced cooldown that comes from an operator, a store or another machine.
 * An until_ms before the current end of a cooldown changes nothing. For the state DEAD, until_ms is
 * the time of the probe (rc_credential_kill). The state HEALTHY is ignored;
 * rc_shared_revive_credential sets it. */
RC_API void rc_shared_cool_down_target(rc_shared *shared, uint16_t target, uint64_t until_ms);
RC_API void rc_shared_cool_down_credential(rc_shared *shared, uint16_t credential,
                                           rc_credential_state state, uint64_t until_ms);
/* Sets a cooldown of a credential that applies only at one target. `state` is COOLING or EXHAUSTED.
 * The function does nothing if the target's pool was set without `limits`. */
RC_API void rc_shared_limit_credential(rc_shared *shared, uint16_t target, uint16_t credential,
                                       rc_credential_state state, uint64_t until_ms);
/* Takes a target into service or out of service. */
RC_API void rc_shared_set_service(rc_shared *shared, uint16_t target, bool is_in_service);
/* Resets a target for an operator: ends its cooldown, ends the limits of its credentials at this
 * target, forgets their learned rate limits, and closes its breaker. */
RC_API void rc_shared_clear_target(rc_shared *shared, uint16_t target, uint64_t now_ms);
/* Makes a credential HEALTHY at every target, because a new key exists under the same id. */
RC_API void rc_shared_revive_credential(rc_shared *shared, uint16_t credential);

/* Returns the row with the limits of a credential at this target. The result views the target, so
 * the caller must hold the lock. The result is NULL if the credential is not in the pool or the
 * pool was set without `limits`. */
RC_API rc_credential *rc_target_limit(const rc_target *target, uint16_t credential);

/* Returns whether all fields are consistent, for tests and fuzzing. */
RC_API bool rc_shared_validate(const rc_shared *shared);

RC_END_DECLS

#endif
