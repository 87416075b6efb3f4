/* rc_hub: what all loops of a gateway share.
 *
 *   loop ──┐              ┌── rc_shared: targets and credentials, by number
 *   loop ──┼──► world ────┼── their names, in rows that stay as long as somebody may mean them
 *   admin ─┘              ├── plans: the newest edition of the configuration
 *                         └── the audit's writer, the rules of classification
 *
 * A row is a target (provider/model) or a credential (provider:1). Its number is good as long as
 * the process: a reload gives the same name the same row, so that what is known of a target, and
 * the calls in flight to it, outlive every edition. The credentials of a provider lie side by side;
 * a changed list of keys gets rows of its own, and a key that is in both keeps what is known of it.
 * A target that clients alone name is a guest. There are so many rows for these; when all are
 * taken, the one that has rested longest and of which there is nothing to know becomes another's.
 *
 * Any thread may use it; its locks are held for microseconds. */
#ifndef RC_GATEWAY_STATE_HUB_H
#define RC_GATEWAY_STATE_HUB_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/shared.h>

#include "base/secret.h"
#include "gateway/observe/metrics.h"
#include "gateway/state/budgets.h"
#include "gateway/state/quota_cache.h"
#include "gateway/state/repeats.h"
#include "gateway/state/snapshot.h"
#include "policy/health.h"
#include "store/writer.h"
#include "sys/calls.h"

/* Of targets, and of credentials. */
#define RC_HUB_ROWS_MAX 60000u
/* Of targets that no route names: clients name them. */
#define RC_HUB_NAMED_TARGETS_MAX 512u
#define RC_KEY_FINGERPRINT_BYTES 8

/* What is known of a key without knowing it: a part of its hash. */
typedef struct rc_key_fingerprint {
    uint8_t bytes[RC_KEY_FINGERPRINT_BYTES];
} rc_key_fingerprint;

typedef struct rc_hub_target {
    char *name; /* "provider/model" */
    uint16_t name_len;
    uint16_t provider_len;    /* of the name */
    uint32_t generation;      /* the latest that names it */
    uint32_t users;           /* jobs, and whoever else has taken it by a name that is no route's */
    uint64_t unused_since_ms; /* since when there are none */
    bool is_client_named;     /* no route does; a client has */
    rc_health health;         /* by the calls that ended */
} rc_hub_target;

typedef struct rc_hub_credential {
    char *name; /* "provider:1" */
    uint16_t name_len;
    uint16_t provider_len;
    uint16_t pool_count; /* of the first of a provider's list: how many there are; else 0 */
    bool is_refused;     /* the store has a mark that says so */
    rc_key_fingerprint fingerprint;
} rc_hub_credential;

struct rc_hub {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    uv_mutex_t shared_lock; /* of shared, whose functions take it, and of the routes' chains */
    rc_shared shared;
    uv_mutex_t lock; /* of all below but for what is atomic; comes before the other one */
    rc_hub_target *targets;
    uint32_t target_count;
    uint32_t target_capacity;
    uint32_t named_target_count;
    rc_hub_credential *credentials;
    uint32_t credential_count;
    uint32_t credential_capacity;
    uint16_t *index; /* of target names; 0: free, else the row + 1 */
    uint32_t index_size;
    uint32_t loop_count;      /* how many there are */
    rc_snapshot *snapshot;    /* the newest; NULL: none yet */
    atomic_uint generation;   /* of the newest */
    rc_writer *writer;        /* NULL: there is no audit */
    rc_str store_url;         /* its own memory; empty: there is no audit */
    atomic_uint in_flight;    /* requests of all loops */
    atomic_uint refused;      /* credentials with such a mark */
    atomic_size_t kept_bytes; /* of their bodies */
    rc_metrics *metrics;
    rc_budgets budgets;    /* budgets of money; has locks of its own */
    rc_quota_cache quotas; /* what is left of providers' limits; has a lock of its own */
    rc_repeats repeats;    /* requests that were answered for good; has a lock of its own */
    uint8_t hop_len;       /* 0: this gateway has no name in Via */
    char hop[RC_HOP_LEN];
};

/* This gateway, as Via names it; empty: it does not. */
static inline rc_str rc_hub_hop(const rc_hub *hub)
{
    return rc_str_make(hub->hop, hub->hop_len);
}

/* RC_E_NOMEM: nothing is left. loops: how many will count. calls: borrows until done. alloc:
 * copies; it must serve all threads. */
rc_status rc_hub_init(rc_hub *hub, const rc_sys_calls *calls, const rc_alloc *alloc, uint32_t loops,
                      uint64_t now_ms);

/* No loop uses it any more, and the writer was stopped. */
void rc_hub_done(rc_hub *hub);

/* ---- editions ---- */

/* Makes plans and publishes them: requests that come from now on are theirs. False: why is in
 * ret_error, nothing has changed, and what was given is still the caller's. given: takes on
 * success. One thread at a time. */
bool rc_hub_load(rc_hub *hub, const rc_snapshot_input *input, uint64_t now_ms,
                 rc_load_error *ret_error);

/* Takes over what the store knows of budgets that are new. */
void rc_hub_restore_budgets(rc_hub *hub, const rc_snapshot *snapshot);

/* The newest; gives a reference. NULL: there is none. */
rc_snapshot *rc_hub_take_snapshot(rc_hub *hub);

static inline uint32_t rc_hub_generation(const rc_hub *hub)
{
    return atomic_load_explicit(&hub->generation, memory_order_acquire);
}

/* ---- rows ---- */

/* The target's row, a new one if need be. RC_NO_TARGET: no memory, or there are too many. */
uint16_t rc_hub_add_target(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms);

/* The same for one that a client names, perhaps alone: it is that one's until it is left, once for
 * each time. RC_NO_TARGET: there are enough of these, and all are in use. */
uint16_t rc_hub_take_named_target(rc_hub *hub, rc_str provider, rc_str model,
                                  const rc_snapshot_provider *pool, uint64_t now_ms);
void rc_hub_release_target(rc_hub *hub, uint16_t target, uint64_t now_ms);

/* The rows of a provider's keys, side by side: the first. False: no memory, or too many. */
bool rc_hub_add_pool(rc_hub *hub, rc_str provider, const rc_key_fingerprint *fingerprints,
                     size_t count, uint64_t now_ms, uint16_t *ret_first);

/* An edition names the target. */
void rc_hub_set_generation(rc_hub *hub, uint16_t target, uint32_t generation);

/* What all targets of a provider have: its credentials and its limit. */
void rc_hub_set_pool(rc_hub *hub, const rc_snapshot_provider *provider, uint32_t generation);

/* Where the next call of a route begins; and it was delivered by that entry. */
uint16_t rc_hub_first_entry(rc_hub *hub, const rc_route *route);
void rc_hub_on_delivered(rc_hub *hub, rc_route *route, uint16_t entry);

/* A call to the target ended. */
void rc_hub_note_health(rc_hub *hub, uint16_t target, rc_health_verdict verdict, rc_code code,
                        int64_t now_unix_ms);

/* An operator takes a target out of service, or back. */
void rc_hub_set_service(rc_hub *hub, uint16_t target, bool is_in_service, int64_t now_unix_ms);

/* Is there a route, or without routes a provider, that can be asked now? */
bool rc_hub_can_serve(rc_hub *hub, uint64_t now_ms);

/* The row of a name, to be left as a guest's is; RC_NO_TARGET: there is none. */
uint16_t rc_hub_take_target(rc_hub *hub, rc_str name);
/* The row of a credential's name. */
uint16_t rc_hub_find_credential(rc_hub *hub, rc_str name);

/* The name, copied; false: there is no such row, or no room. */
bool rc_hub_credential_name(rc_hub *hub, uint16_t credential, rc_buf *ret_name);

/* What a target that is passed over rests for. */
typedef struct rc_unavailable {
    rc_code code;       /* the failure that closed it; NONE: not known, or it does not rest */
    bool is_429;        /* that failure was told with the status 429 */
    bool is_time_named; /* the provider has named the time when it opens */
} rc_unavailable;

/* Appends "quota used up (key m:1)". reason: why it is passed over. */
rc_unavailable rc_hub_why_unavailable(rc_hub *hub, uint16_t target, rc_reason reason,
                                      uint64_t now_ms, rc_buf *words);

rc_key_fingerprint rc_key_fingerprint_of(rc_secret key);
bool rc_key_fingerprint_eq(const rc_key_fingerprint *a, const rc_key_fingerprint *b);

/* ---- limits: credentials at one target ---- */

/* The target's pool; what is known of its keys there stays known. With the lock held. */
void rc_hub_set_row_pool(rc_hub *hub, uint16_t row, uint16_t first, uint16_t count);
/* Does one of its credentials cool here? With shared's lock held. */
bool rc_hub_has_limits(const rc_target *target, uint64_t now_ms);
void rc_hub_free_limits(rc_hub *hub);

/* ---- marks ---- */

/* Room for a mark's name. */
#define RC_HUB_SAVED_NAME_MAX 300

/* What a restart must not forget of a credential: at large, else at this target. False: nothing.
 * target: RC_NO_TARGET: at large alone. name: RC_HUB_SAVED_NAME_MAX bytes, which the mark views. */
bool rc_hub_save_credential(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                            int64_t now_unix_ms, char *name, rc_saved_state *ret_saved);

/* It was refused, and works: the mark that makes the store forget it. False: there is nothing to
 * forget. */
bool rc_hub_unsave_credential(rc_hub *hub, uint16_t credential, uint64_t now_ms, char *name,
                              rc_saved_state *ret_saved);

/* Marks with their names. */
#define RC_HUB_SAVED_MAX 128u
typedef struct rc_hub_saved_states {
    rc_saved_state states[RC_HUB_SAVED_MAX];
    size_t count;
    char names[RC_HUB_SAVED_MAX][RC_HUB_SAVED_NAME_MAX];
} rc_hub_saved_states;

/* What is kept of a credential, at large and at every target, or of all credentials at one target
 * (the other is RC_NO_TARGET), as marks that make the store forget it. Those that do not fit are
 * left out. */
void rc_hub_clear_saved(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                        rc_hub_saved_states *ret_marks);

/* Takes over what the store remembers. Before the first request. now_unix_ms: of a clock that may
 * have been set back. */
bool rc_hub_restore(rc_hub *hub, rc_store *store, uint64_t now_ms, int64_t now_unix_ms,
                    rc_store_fault *fault);

#endif
