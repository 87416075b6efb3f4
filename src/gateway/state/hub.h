/* rc_hub: the state that all loops of a gateway share.
 *
 *   loop ──┐              ┌── rc_shared: state of targets and credentials, by row number
 *   loop ──┼──► rc_hub ───┼── the registry: the names of these rows
 *   admin ─┘              ├── the newest configuration snapshot
 *                         └── the audit's writer, metrics, budgets, quotas
 *
 * A row is a target (provider/model) or a credential (provider:1). A name has the same row number
 * after a reload, so that breakers, cooldowns and calls in flight survive the reload. The
 * credentials of a provider have consecutive rows; a changed list of keys gets new rows, and the
 * state of each key that is in both lists is copied. A named target is one that a client names in a
 * request and no route contains. At most RC_HUB_NAMED_TARGETS_MAX named targets have rows. When all
 * these rows are taken, the next name gets the row that has been unused longest, if that row has no
 * state to lose.
 *
 * Any thread may call these functions, except where a function says otherwise. The locks of the hub
 * are held for microseconds. */
#ifndef RC_GATEWAY_STATE_HUB_H
#define RC_GATEWAY_STATE_HUB_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/shared.h>

#include "base/secret.h"
#include "codec/hops.h"
#include "gateway/state/budgets.h"
#include "gateway/state/client_limits.h"
#include "gateway/state/quota_cache.h"
#include "gateway/state/repeats.h"
#include "gateway/state/snapshot.h"
#include "gateway/state/waiting.h"
#include "policy/health.h"
#include "store/record.h"

typedef struct rc_metrics rc_metrics;
typedef struct rc_store rc_store;
typedef struct rc_store_fault rc_store_fault;
typedef struct rc_sys_calls rc_sys_calls;
typedef struct rc_writer rc_writer;

/* Maximum number of rows of targets, and of credentials. */
#define RC_HUB_ROWS_MAX 60000u
/* Maximum number of rows of named targets: targets that clients name and no route contains. */
#define RC_HUB_NAMED_TARGETS_MAX 512u
#define RC_KEY_FINGERPRINT_BYTES 8

/* Identifies a key without revealing it: the first bytes of a hash. */
typedef struct rc_key_fingerprint {
    uint8_t bytes[RC_KEY_FINGERPRINT_BYTES];
} rc_key_fingerprint;

typedef struct rc_hub_target {
    char *name; /* "provider/model" */
    uint16_t name_len;
    uint16_t provider_len;    /* Length of the provider's name in `name`. */
    uint32_t generation;      /* Generation of the latest snapshot whose configuration has this
                                 target. */
    uint32_t users;           /* Exchanges and admin actions that hold a reference to this row. */
    uint64_t unused_since_ms; /* When `users` became 0. */
    uint64_t usual_output; /* Mean output tokens of about the latest 32 responses; 0: not known. */
    bool is_client_named;  /* A named target: a client names it, no route contains it. */
    rc_health health;      /* Health, computed from the results of recent calls. */
} rc_hub_target;

typedef struct rc_hub_credential {
    char *name; /* "provider:1" */
    uint16_t name_len;
    uint16_t provider_len;
    uint16_t pool_count; /* In the first row of a provider's list of keys: the number of keys. In
                            all other rows: 0. */
    bool is_refused;     /* The store has a saved state which states that the provider rejected this
                          * key. */
    rc_key_fingerprint fingerprint;
} rc_hub_credential;

struct rc_hub {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    uv_mutex_t shared_lock; /* Guards the chains of the routes and `shared`. The functions of
                             * rc_shared lock it themselves. */
    rc_shared shared;
    rc_waiting waiting; /* The queue of requests that wait for a target. */
    uv_mutex_t lock; /* Guards all members below that are not atomic. A thread that needs both locks
                      * locks this one before shared_lock. */
    rc_hub_target *targets;
    uint32_t target_count;
    uint32_t target_capacity;
    uint32_t named_target_count;
    rc_hub_credential *credentials;
    uint32_t credential_count;
    uint32_t credential_capacity;
    uint16_t *index; /* Hash table of target names. 0 marks a free slot; other values are row +
                        1. */
    uint32_t index_size;
    uint32_t loop_count;
    rc_snapshot *snapshot;     /* The newest snapshot. NULL before the first rc_hub_load. */
    atomic_uint generation;    /* Generation of the newest snapshot: a counter that each load
                               * increments. */
    rc_writer *writer;         /* NULL if the audit is off. */
    rc_str store_url;          /* The hub's copy of the store's URL. Empty if the audit is off. */
    atomic_uint in_flight;     /* Requests in progress on all loops. */
    atomic_uint refused;       /* Number of credentials whose is_refused is true. */
    atomic_size_t kept_bytes;  /* Bytes of request bodies that all loops hold in memory. */
    atomic_bool limits_tokens; /* A provider has stated a limit of tokens, so the tokens of requests
                                * are estimated before they are sent. */
    rc_metrics *metrics;
    rc_budgets budgets;            /* Budgets of money. Has locks of its own. */
    rc_client_table client_limits; /* Limits of the clients. Has a lock of its own. */
    rc_quota_cache quotas;         /* Last known quotas of providers. Has a lock of its own. */
    rc_repeats repeats; /* Requests that clients sent again after a final failure. Has a lock of
                            * its own. */
    uint8_t hop_len;    /* Length of `hop`. 0 if the gateway has no name in Via. */
    char hop[RC_HOP_LEN];
};

/* Returns this gateway's name in the Via header; empty if it has no name. The result views (points
 * into) the hub. */
static inline rc_str rc_hub_hop(const rc_hub *hub)
{
    return rc_str_make(hub->hop, hub->hop_len);
}

/* Initialises the hub. loops: number of loops, one metrics shard each. calls: borrows until
 * rc_hub_done. alloc: copies the struct; it must be safe for use from all threads. After RC_E_NOMEM
 * nothing needs to be freed. */
rc_status rc_hub_init(rc_hub *hub, const rc_sys_calls *calls, const rc_alloc *alloc, uint32_t loops,
                      uint64_t now_ms);

/* Frees all members. No loop may use the hub any more, and the writer must be stopped. */
void rc_hub_done(rc_hub *hub);

/* ---- snapshots ---- */

/* Makes a snapshot and publishes it for requests that arrive after the call. input: takes ownership
 * of its members on success. On failure the function returns false, ret_error has the reason and
 * nothing has changed. Only one thread at a time may call this function. */
bool rc_hub_load(rc_hub *hub, const rc_snapshot_input *input, uint64_t now_ms,
                 rc_load_error *ret_error);

/* Reads the spent amounts of the budgets that are new in this snapshot from the store. */
void rc_hub_restore_budgets(rc_hub *hub, const rc_snapshot *snapshot);

/* Gives the caller a reference to the newest snapshot; NULL if there is no snapshot. */
rc_snapshot *rc_hub_take_snapshot(rc_hub *hub);

static inline uint32_t rc_hub_generation(const rc_hub *hub)
{
    return atomic_load_explicit(&hub->generation, memory_order_acquire);
}

/* ---- registry of targets and credentials ---- */

/* Returns the row of a target that the configuration names, and adds the row if it is missing.
 * Returns RC_NO_TARGET if there is no memory or no free row. */
uint16_t rc_hub_add_target(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms);

/* rc_hub_take_named_target: returns the row of a target that a client names, and holds a reference
 * to the row. pool: the provider; borrows during the call. Returns RC_NO_TARGET if all rows for
 * named targets are in use. rc_hub_release_target: releases the reference; needed once for each row
 * that was taken. */
uint16_t rc_hub_take_named_target(rc_hub *hub, rc_str provider, rc_str model,
                                  const rc_snapshot_provider *pool, uint64_t now_ms);
void rc_hub_release_target(rc_hub *hub, uint16_t target, uint64_t now_ms);

/* Finds or adds the consecutive rows of a provider's keys. ret_first: receives the first row.
 * fingerprints: borrows during the call. Returns false if there is no memory or no free row. */
bool rc_hub_add_pool(rc_hub *hub, rc_str provider, const rc_key_fingerprint *fingerprints,
                     size_t count, uint64_t now_ms, uint16_t *ret_first);

/* Records that the snapshot of this generation has the target. */
void rc_hub_set_generation(rc_hub *hub, uint16_t target, uint32_t generation);

/* Sets the credentials and the in-flight limit of all targets of a provider. */
void rc_hub_set_pool(rc_hub *hub, const rc_snapshot_provider *provider, uint32_t generation);

/* rc_hub_first_entry: returns the chain entry at which the next call of a route begins.
 * rc_hub_on_delivered: records that a call succeeded at this chain entry. */
uint16_t rc_hub_first_entry(rc_hub *hub, const rc_route *route);
void rc_hub_on_delivered(rc_hub *hub, rc_route *route, uint16_t entry);

/* Updates a target's health after a call. */
void rc_hub_note_health(rc_hub *hub, uint16_t target, rc_health_verdict verdict, rc_code code,
                        int64_t now_unix_ms);

/* Updates the usual number of output tokens of a target after a response with a known usage, if a
 * provider limits tokens. */
void rc_hub_note_output(rc_hub *hub, uint16_t target, uint64_t tokens);
/* Returns the usual number of output tokens of a target; 0: not known. */
uint64_t rc_hub_usual_output(rc_hub *hub, uint16_t target);

/* Records that fallback_on of a route has hidden a failure of the target from a client. */
void rc_hub_note_masked(rc_hub *hub, uint16_t target, rc_code code, int64_t now_unix_ms);

/* Takes a target out of service or puts it back into service, by an operator's order. */
void rc_hub_set_service(rc_hub *hub, uint16_t target, bool is_in_service, int64_t now_unix_ms);

/* Whether at least one route (or, without routes, one provider) can be called now. */
bool rc_hub_can_serve(rc_hub *hub, uint64_t now_ms);

/* Finds a target by its name and holds a reference to its row, which the caller releases by
 * rc_hub_release_target. Returns RC_NO_TARGET if the name is unknown. */
uint16_t rc_hub_take_target(rc_hub *hub, rc_str name);
/* Finds a credential by its name. Returns RC_NO_TARGET if the name is unknown. */
uint16_t rc_hub_find_credential(rc_hub *hub, rc_str name);

/* Appends the credential's name. Returns false if the row does not exist or ret_name is full. */
bool rc_hub_credential_name(rc_hub *hub, uint16_t credential, rc_buf *ret_name);

rc_key_fingerprint rc_key_fingerprint_of(rc_secret key);
bool rc_key_fingerprint_eq(const rc_key_fingerprint *a, const rc_key_fingerprint *b);

/* ---- limits of credentials at one target ---- */

/* Sets the target's pool of credentials. The state of keys that were in the old pool is copied. The
 * caller holds hub->lock. */
void rc_hub_set_row_pool(rc_hub *hub, uint16_t row, uint16_t first, uint16_t count);
/* Whether one of the target's credentials is not healthy at this target. The caller holds
 * shared_lock. */
bool rc_hub_has_limits(const rc_target *target, uint64_t now_ms);
void rc_hub_free_limits(rc_hub *hub);

/* ---- state that survives a restart ---- */

/* Space for the name of a saved state. */
#define RC_HUB_SAVED_NAME_MAX 300

/* Makes the saved state of a credential. The saved state is the credential's own state or, if the
 * credential has none to save, its state at the target `target`. If target is RC_NO_TARGET, only
 * the credential's own state is considered. name: space for RC_HUB_SAVED_NAME_MAX bytes; ret_saved
 * views (points into) it. Returns false if there is nothing to save. */
bool rc_hub_save_credential(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                            int64_t now_unix_ms, char *name, rc_saved_state *ret_saved);

/* Called when a rejected credential works again: makes the entry that removes the credential's
 * saved state from the store. name: space for RC_HUB_SAVED_NAME_MAX bytes; ret_saved views (points
 * into) it. Returns false if the store has no saved state. */
bool rc_hub_unsave_credential(rc_hub *hub, uint16_t credential, uint64_t now_ms, char *name,
                              rc_saved_state *ret_saved);

/* A list of saved states with storage for their names. */
#define RC_HUB_SAVED_MAX 128u
typedef struct rc_hub_saved_states {
    rc_saved_state states[RC_HUB_SAVED_MAX];
    size_t count;
    char names[RC_HUB_SAVED_MAX][RC_HUB_SAVED_NAME_MAX];
} rc_hub_saved_states;

/* Makes entries that remove saved states from the store. If target is RC_NO_TARGET, these are the
 * states of one credential: its own state and its state at each target. If credential is
 * RC_NO_TARGET, these are the states of all credentials at one target. Entries beyond
 * RC_HUB_SAVED_MAX are left out. */
void rc_hub_clear_saved(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                        rc_hub_saved_states *ret_states);

/* Restores the saved states from the store. Must be called before the first request. now_unix_ms:
 * the system time, which may have been set back since the states were saved. Returns false if the
 * store cannot be read; `fault` then has the reason. */
bool rc_hub_restore(rc_hub *hub, rc_store *store, uint64_t now_ms, int64_t now_unix_ms,
                    rc_store_fault *fault);

#endif
