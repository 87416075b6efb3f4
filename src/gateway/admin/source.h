/* rc_admin_source: the state that the admin interface shows and the actions that it offers, as a
 * table of functions.
 *
 *   rc_admin ──fill_snapshot──► rc_admin_snapshot      the current state
 *            ──act────────────► rc_admin_outcome       an operator's action
 *
 * Both functions are called on the admin server's loop and must not block. A snapshot is a copy of
 * the state in the given arena, so it does not change while it is rendered. A snapshot contains no
 * secrets: keys are named by their ids. */
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

/* Maximum number of quotas that are shown for a key, or for a target without keys. If there are
 * more, the lowest quotas are shown. */
#define RC_ADMIN_QUOTAS_MAX 8u

/* The remainder of a provider's limit, as the provider's latest response reported it. */
typedef struct rc_admin_quota {
    rc_str target; /* The target that the limit belongs to. */
    rc_str name;   /* The provider's name for the limit, such as "requests". */
    rc_quota_kind kind;
    uint64_t remaining;
    uint64_t limit;
    int64_t renews_unix_ms; /* When the limit renews. 0 if the provider did not state a time. */
    bool is_low;
} rc_admin_quota;

/* Maximum number of learned limits that are shown for a key, or for a target without keys. */
#define RC_ADMIN_LEARNED_MAX 64u

/* A rate limit of a key at a target, as the gateway has learned it. */
typedef struct rc_admin_learned {
    rc_str target;       /* The target that the limit belongs to. */
    const char *kind;    /* "requests", "tokens", "input_tokens", "output_tokens"; "rate": a rate of
                        * calls, found from refusals without headers. */
    int64_t limit;       /* 0 for "rate". */
    int64_t remaining;   /* Negative: calls have used more than was left. */
    uint64_t rate_milli; /* "rate": calls per 1000 s. */
    uint64_t full_ms;    /* Time until the limit is full again. 0: it is full, or the time is not
                          * known. */
    bool is_window;      /* The limit returns as a whole; otherwise it refills continuously. */
    bool is_unnamed;     /* The configuration does not have the target. */
} rc_admin_learned;

/* A provider with a model, as routes name it. The model "*" stands for all models that no route
 * names. */
typedef struct rc_admin_target {
    rc_str provider;
    rc_str model;
    bool is_unnamed;         /* A client named the target; the configuration does not have it. */
    bool is_out_of_service;  /* An operator has taken the target out of service. */
    uint64_t cooling_ms;     /* Remaining cooldown. 0 if the target is not cooling down. */
    bool is_cooling_assumed; /* The provider did not state how long the cooldown lasts. If such a
                              * target is the last one of a chain, it is called in spite of the
                              * cooldown. */
    rc_code cooling_code;    /* The failure that caused the cooldown. RC_CODE_NONE if unknown. */
    rc_breaker_state breaker;
    uint64_t open_ms; /* Time until the breaker half-opens. */
    uint32_t in_flight;
    uint32_t max_in_flight; /* Maximum number of calls in flight. 0 for no limit. */
    uint32_t keys;          /* Number of the target's keys. */
    uint32_t usable_keys;
    const rc_admin_quota *quotas; /* Quotas of calls that are sent without a key. */
    size_t quota_count;
    const rc_admin_learned *learned; /* Learned limits of calls that are sent without a key, and
                                      * the rate of the whole target. */
    size_t learned_count;
    rc_admission_state admission;
    bool is_held; /* Hardly any call succeeds, so the target gets only probes. */
    rc_health_state health;
    rc_health_share recent; /* Results of the latest calls. */
    int64_t failed_unix_ms; /* Time of the latest failure. 0 if there was none. */
    rc_code failed_with;   /* Code of the latest call, if the health state is not "up". RC_CODE_NONE
                            * if unknown. */
    int64_t since_unix_ms; /* When the health state began. 0 if unknown. */
    rc_code masked_with; /* Code of the latest failure that fallback_on of a route has hidden from a
                            * client. RC_CODE_NONE: none since the latest success. */
    uint32_t masked_count;  /* Number of these failures since the latest success. */
    int64_t masked_unix_ms; /* Time of the first of them. */
} rc_admin_target;

typedef struct rc_admin_key {
    rc_str id; /* The key's id, such as "openai:1". Never the key itself. */
    rc_str provider;
    rc_credential_state state;
    uint64_t until_ms;        /* Time until the key can be used. 0 for a healthy or dead key. */
    uint32_t limited_targets; /* Number of targets at which this key has reached a limit of its
                               * own. */
    const rc_admin_quota *quotas;
    size_t quota_count;
    const rc_admin_learned *learned;
    size_t learned_count;
    /* Remainder of each kind of limit, in thousandths of the limit, at the target where the least
     * remains. -1 if unknown. */
    int16_t left_milli[RC_QUOTA_KIND_COUNT];
} rc_admin_key;

typedef struct rc_admin_retry_budget {
    bool is_on; /* If false, there is no retry budget and every retry is granted. */
    uint32_t tokens;
    uint32_t burst;
    uint32_t ratio_milli;
    uint32_t floor_per_s;
} rc_admin_retry_budget;

/* A budget of money. */
typedef struct rc_admin_money_budget {
    rc_str scope; /* The budget's scope, such as "client app". */
    rc_ledger_state state;
} rc_admin_money_budget;

/* The limits of a client, and what remains of them. A limit of 0 is no limit. */
typedef struct rc_admin_client {
    rc_str name;
    uint64_t rpm;
    uint64_t rpm_left;
    uint64_t tpm;
    uint64_t tpm_left;
    uint64_t max_in_flight;
    uint64_t in_flight;
    uint64_t refused_rpm; /* Requests that were refused because of this limit. */
    uint64_t refused_tpm;
    uint64_t refused_in_flight;
} rc_admin_client;

/* A client that repeats requests after final errors. */
typedef struct rc_admin_repeat {
    rc_str client;
    bool is_product; /* `client` is a product from User-Agent, not a configured name. */
    uint64_t count;
    int64_t last_unix_ms;
    rc_code code; /* Code of the latest repeated request. */
} rc_admin_repeat;

/* Maximum number of waiting requests that are listed. */
#define RC_ADMIN_WAITERS_MAX 100u

/* A request that waits in the queue. */
typedef struct rc_admin_waiter {
    rc_str request_id;
    rc_str client; /* Empty if the client is not known. */
    rc_str route;
    rc_str model;
    const rc_str *targets; /* The targets that the request waits for. */
    size_t target_count;
    uint64_t waited_ms;
    uint64_t start_in_ms; /* Time until the latest start. 0 if that time has passed. */
    uint64_t until_ms;    /* Time until the wait ends at the latest. */
    bool has_no_end;      /* The request has no deadline: start_in_ms and until_ms are unlimited. */
} rc_admin_waiter;

/* The queue of waiting requests. */
typedef struct rc_admin_queue {
    uint64_t count;
    uint64_t max_count;
    uint64_t bytes;
    uint64_t max_bytes;
    const rc_admin_waiter *waiters; /* The oldest first, at most RC_ADMIN_WAITERS_MAX. */
    size_t waiter_count;
} rc_admin_queue;

typedef struct rc_admin_loop {
    uint32_t connections;
    uint32_t in_flight;
    uint32_t upstream_idle;
    uint32_t upstream_busy;
    uint64_t requests;
    uint64_t stalls;
} rc_admin_loop;

typedef struct rc_admin_store {
    bool is_on; /* The audit is on. */
    bool is_down;
    rc_str kind;        /* "sqlite". Never the URL, which may contain a password. */
    rc_str down_reason; /* Reason why the store is down, as a text for people. Empty if the store
                         * works. */
    uint64_t queued;
    uint64_t kept;
    uint64_t lost;
    uint64_t refused;
} rc_admin_store;

typedef struct rc_admin_config {
    rc_str file;                 /* Path of the file. Empty if the configuration was made from the
                                    environment. */
    uint64_t generation;         /* 1 for the first configuration, plus 1 for each reload. */
    int64_t loaded_unix_ms;      /* Load time of the configuration in force. */
    bool is_refused;             /* The latest reload was rejected. */
    rc_str refusal;              /* Reason for the rejection: "FILE:LINE:COLUMN: KEY: what is
                                    wrong". */
    const rc_str *needs_restart; /* Configuration keys whose new values take effect only after a
                                    restart. */
    size_t needs_restart_count;
} rc_admin_config;

typedef struct rc_admin_snapshot {
    int64_t now_unix_ms;
    int64_t started_unix_ms;
    bool is_ready;           /* The gateway accepts requests. */
    bool is_draining;        /* The gateway is shutting down. */
    rc_str not_ready_reason; /* Reason why the gateway is not ready, as a text for people. */
    uint64_t log_dropped;    /* Number of log lines that could not be written. */
    rc_admin_retry_budget retry_budget;
    rc_admin_store store;
    rc_admin_config config;
    const rc_admin_target *targets;
    size_t target_count;
    const rc_admin_key *keys;
    size_t key_count;
    const rc_admin_money_budget *money_budgets;
    size_t money_budget_count;
    const rc_admin_client *clients; /* Clients with limits. */
    size_t client_count;
    const rc_admin_repeat *repeats;
    size_t repeat_count;
    rc_admin_queue queue;
    const rc_admin_loop *loops;
    size_t loop_count;
} rc_admin_snapshot;

typedef enum rc_admin_action_kind {
    RC_ADMIN_TARGET_OUT = 1,   /* Takes a target out of service. */
    RC_ADMIN_TARGET_IN = 2,    /* Puts a target back into service. */
    RC_ADMIN_TARGET_CLEAR = 3, /* Ends a target's cooldown and closes its breaker. */
    RC_ADMIN_KEY_REVIVE = 4,   /* Makes a key healthy again. */
    RC_ADMIN_RELOAD = 5,
    RC_ADMIN_DRAIN = 6,       /* Accepts no more requests, finishes the requests in progress and
                                 exits. */
    RC_ADMIN_BUDGET_RAISE = 7 /* Raises a budget's limit until it renews. */
} rc_admin_action_kind;

typedef struct rc_admin_action {
    rc_admin_action_kind kind;
    rc_str provider; /* The target's provider. */
    rc_str model;
    rc_str key;    /* A key's id. */
    rc_str budget; /* A budget's scope. */
    uint64_t usd_micro;
    rc_str reason; /* The operator's reason, for the audit. May be empty. */
    rc_str peer;   /* Address of the operator, or "unix". */
} rc_admin_action;

typedef enum rc_admin_outcome_kind {
    RC_ADMIN_DONE = 0,
    RC_ADMIN_NOT_FOUND = 1, /* The target, key or budget does not exist. */
    RC_ADMIN_REFUSED = 2,   /* `text` has the reason for the refusal. For a rejected reload it is
                             * the error with its position in the file. */
    RC_ADMIN_FAILED = 3     /* The action is not possible now; `text` has the reason. */
} rc_admin_outcome_kind;

typedef struct rc_admin_outcome {
    rc_admin_outcome_kind kind;
    char text[512]; /* NUL-terminated. */
} rc_admin_outcome;

typedef struct rc_admin_source {
    /* Fills in the current state. arena: borrows during the call; ret_snapshot views (points into)
     * its memory. The caller has zeroed ret_snapshot. Returns false if memory runs out. */
    bool (*fill_snapshot)(void *ctx, rc_arena *arena, rc_admin_snapshot *ret_snapshot);
    /* Carries out an action. action: borrows during the call. */
    void (*act)(void *ctx, const rc_admin_action *action, rc_admin_outcome *ret_outcome);
    void *ctx;
} rc_admin_source;

/* ---- for implementers of a source ---- */

/* rc_admin_fill_target, rc_admin_fill_key and rc_admin_fill_retry_budget fill in the state from
 * rc_shared, without names. The caller holds the lock of rc_shared. If the row does not exist,
 * nothing is set. */
void rc_admin_fill_target(const rc_shared *shared, uint16_t target, uint64_t now_ms,
                          rc_admin_target *ret_target);
/* Fills in the health of a target, after rc_admin_fill_target. */
void rc_admin_fill_health(const rc_health *health, int64_t now_unix_ms,
                          rc_admin_target *ret_target);
void rc_admin_fill_key(const rc_shared *shared, uint16_t credential, uint64_t now_ms,
                       rc_admin_key *ret_key);
void rc_admin_fill_retry_budget(rc_retry_budget *budget, uint64_t now_ms,
                                rc_admin_retry_budget *ret_budget);

/* The reason why a gateway is not ready when no target of any route is available. */
#define RC_ADMIN_NO_ROUTE "no route can be served: all targets are down or disabled"

/* ---- for renderers ---- */

/* The state that is shown for a target. If several states apply, the first of OUT, COOLING, OPEN,
 * NO_KEY and FULL is shown. */
typedef enum rc_admin_target_state {
    RC_TARGET_UP = 0,
    RC_TARGET_OUT = 1,
    RC_TARGET_COOLING = 2,
    RC_TARGET_OPEN = 3,   /* The breaker is open. */
    RC_TARGET_NO_KEY = 4, /* The target has keys, and none is usable. */
    RC_TARGET_FULL = 5    /* The target is at its in-flight limit. */
} rc_admin_target_state;

rc_admin_target_state rc_admin_target_state_of(const rc_admin_target *target);
/* Returns "up", "out_of_service", "cooling", "breaker_open", "no_key" or "full". */
const char *rc_admin_target_state_name(rc_admin_target_state state);

#endif
