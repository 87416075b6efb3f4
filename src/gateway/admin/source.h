/* rc_admin_source: what the operator's side shows and does, behind one table of calls.
 *
 *   rc_admin ──look──► rc_admin_snapshot      what there is now
 *            ──act───► rc_admin_outcome       what an operator wants done
 *
 * Both are called on the admin server's loop and may not wait. What a snapshot holds is copied into
 * the arena that look is given: it stays the same while it is shown, whatever other threads do. No
 * secret is in it: a key is named by its id. */
#ifndef RC_GATEWAY_ADMIN_SOURCE_H
#define RC_GATEWAY_ADMIN_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/shared.h>
#include <recourse/str.h>

#include "base/arena.h"
#include "policy/health.h"
#include "policy/ledger.h"
#include "policy/quota.h"

/* Of one key, or of a target without keys: the lowest ones. */
#define RC_ADMIN_QUOTAS_MAX 8u

/* What is left of a provider's own limit, as it said with its latest answer. */
typedef struct rc_admin_quota {
    rc_str target; /* whose limit it is */
    rc_str name;   /* "requests", as the provider calls it */
    rc_quota_kind kind;
    uint64_t remaining;
    uint64_t limit;
    int64_t renews_unix_ms; /* 0: not told */
    bool is_low;
} rc_admin_quota;

/* A provider with a model, as routes name them; model "*": all that no route names. */
typedef struct rc_admin_target {
    rc_str provider;
    rc_str model;
    bool is_unnamed;        /* a client named the model; the configuration does not */
    bool is_out_of_service; /* by an operator */
    uint64_t cooling_ms;    /* for how long still; 0: it does not cool down */
    bool
        is_cooling_assumed; /* nobody told how long: where nothing else can be asked, it is asked */
    rc_code cooling_code;   /* what it cools down for; NONE: not known */
    rc_breaker_state breaker;
    uint64_t open_ms; /* for how long the breaker is still open */
    uint32_t in_flight;
    uint32_t max_in_flight; /* 0: no limit */
    uint32_t keys;          /* it has */
    uint32_t usable_keys;
    const rc_admin_quota *quotas; /* of calls without a key */
    size_t quota_count;
    rc_health_state health;
    rc_code failed_with;   /* its latest call, of one that is not up; NONE: not known */
    int64_t since_unix_ms; /* when its health began; 0: not known */
} rc_admin_target;

typedef struct rc_admin_key {
    rc_str id; /* never the key */
    rc_str provider;
    rc_credential_state state;
    uint64_t until_ms;        /* for how long still; 0: it is healthy, or dead for good */
    uint32_t limited_targets; /* where a limit holds that is not of the key at large */
    const rc_admin_quota *quotas;
    size_t quota_count;
    /* Of one that has some: at the target where that is least; -1: not known. */
    int16_t left_milli[RC_QUOTA_KIND_COUNT];
} rc_admin_key;

typedef struct rc_admin_retry_budget {
    bool is_on; /* false: there is none, every retry is granted */
    uint32_t tokens;
    uint32_t burst;
    uint32_t ratio_milli;
    uint32_t floor_per_s;
} rc_admin_retry_budget;

/* A budget of money. */
typedef struct rc_admin_money_budget {
    rc_str scope; /* "client app" */
    rc_ledger_state state;
} rc_admin_money_budget;

/* A client that sends again what was answered for good. */
typedef struct rc_admin_repeat {
    rc_str client;
    bool is_product; /* of a User-Agent; else the configuration's */
    uint64_t count;
    int64_t last_unix_ms;
    rc_code code; /* of the latest answer */
} rc_admin_repeat;

typedef struct rc_admin_loop {
    uint32_t connections;
    uint32_t in_flight;
    uint32_t upstream_idle;
    uint32_t upstream_busy;
    uint64_t requests;
    uint64_t stalls;
} rc_admin_loop;

typedef struct rc_admin_store {
    bool is_on; /* false: there is no audit */
    bool is_down;
    rc_str kind;        /* "sqlite"; never its address, which may hold a password */
    rc_str down_reason; /* of one that is down, for people */
    uint64_t queued;
    uint64_t kept;
    uint64_t lost;
    uint64_t refused;
} rc_admin_store;

typedef struct rc_admin_config {
    rc_str file;                 /* empty: the environment */
    uint64_t generation;         /* 1 for the first, one more with each reload */
    int64_t loaded_unix_ms;      /* the one that holds */
    bool is_refused;             /* the latest reload was refused; */
    rc_str refusal;              /* "FILE:LINE:COLUMN: KEY: what is wrong" */
    const rc_str *needs_restart; /* keys in which the edition differs from what runs: a restart */
    size_t needs_restart_count;
} rc_admin_config;

typedef struct rc_admin_snapshot {
    int64_t now_unix_ms;
    int64_t started_unix_ms;
    bool is_ready;           /* it takes requests */
    bool is_draining;        /* it is going to end */
    rc_str not_ready_reason; /* of one that is not ready, for people */
    uint64_t log_dropped;    /* lines that could not be written */
    rc_admin_retry_budget retry_budget;
    rc_admin_store store;
    rc_admin_config config;
    const rc_admin_target *targets;
    size_t target_count;
    const rc_admin_key *keys;
    size_t key_count;
    const rc_admin_money_budget *money_budgets;
    size_t money_budget_count;
    const rc_admin_repeat *repeats;
    size_t repeat_count;
    const rc_admin_loop *loops;
    size_t loop_count;
} rc_admin_snapshot;

typedef enum rc_admin_action_kind {
    RC_ADMIN_TARGET_OUT = 1,   /* take it out of service */
    RC_ADMIN_TARGET_IN = 2,    /* and put it back */
    RC_ADMIN_TARGET_CLEAR = 3, /* forget its cooldown, close its breaker */
    RC_ADMIN_KEY_REVIVE = 4,   /* healthy again */
    RC_ADMIN_RELOAD = 5,
    RC_ADMIN_DRAIN = 6,       /* take no more requests, finish, end */
    RC_ADMIN_BUDGET_RAISE = 7 /* let more be spent until the budget renews */
} rc_admin_action_kind;

typedef struct rc_admin_action {
    rc_admin_action_kind kind;
    rc_str provider; /* of a target */
    rc_str model;
    rc_str key;    /* an id */
    rc_str budget; /* the scope of a budget */
    uint64_t usd_micro;
    rc_str reason; /* the operator's, for the audit; may be empty */
    rc_str peer;   /* the peer: an address, or "unix" */
} rc_admin_action;

typedef enum rc_admin_outcome_kind {
    RC_ADMIN_DONE = 0,
    RC_ADMIN_NOT_FOUND = 1, /* there is no such target, key or budget */
    RC_ADMIN_REFUSED = 2,   /* text says why: of a reload what is wrong and where */
    RC_ADMIN_FAILED = 3     /* it could not be done now; text says why */
} rc_admin_outcome_kind;

typedef struct rc_admin_outcome {
    rc_admin_outcome_kind kind;
    char text[512]; /* ends in NUL */
} rc_admin_outcome;

typedef struct rc_admin_source {
    /* False: there is no memory. arena: borrows. ret_snapshot is zeroed. */
    bool (*fill_snapshot)(void *ctx, rc_arena *arena, rc_admin_snapshot *ret_snapshot);
    /* action: views. */
    void (*act)(void *ctx, const rc_admin_action *action, rc_admin_outcome *ret_outcome);
    void *ctx;
} rc_admin_source;

/* ---- for whoever fills a snapshot ---- */

/* What rc_shared knows of a target, or of a credential, as of now; the names are left alone. The
 * caller holds the lock. A target or credential that does not exist is left alone, too. */
void rc_admin_fill_target(const rc_shared *shared, uint16_t target, uint64_t now_ms,
                          rc_admin_target *ret_target);
/* The health of a target that rc_admin_fill_target has looked at. */
void rc_admin_fill_health(const rc_health *health, int64_t now_unix_ms,
                          rc_admin_target *ret_target);
void rc_admin_fill_key(const rc_shared *shared, uint16_t credential, uint64_t now_ms,
                       rc_admin_key *ret_key);
void rc_admin_fill_retry_budget(rc_retry_budget *budget, uint64_t now_ms,
                                rc_admin_retry_budget *ret_budget);

/* Why a gateway is not ready when no target of any route can be asked. */
#define RC_ADMIN_NO_ROUTE "no route can be served: all targets are down or disabled"

/* ---- for whoever shows one ---- */

/* In the order in which they hold: what an operator did comes first. */
typedef enum rc_admin_target_state {
    RC_TARGET_UP = 0,
    RC_TARGET_OUT = 1,
    RC_TARGET_COOLING = 2,
    RC_TARGET_OPEN = 3,   /* its breaker is */
    RC_TARGET_NO_KEY = 4, /* it has keys, and none can be used */
    RC_TARGET_FULL = 5    /* as many calls as it takes are under way */
} rc_admin_target_state;

rc_admin_target_state rc_admin_target_state_of(const rc_admin_target *target);
/* "up", "out_of_service", "cooling", "breaker_open", "no_key", "full". */
const char *rc_admin_target_state_name(rc_admin_target_state state);

#endif
