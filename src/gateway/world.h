/* rc_gate_world: what all loops of a gateway share.
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
#ifndef RC_GATEWAY_WORLD_H
#define RC_GATEWAY_WORLD_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/shared.h>

#include "base/secret.h"
#include "gateway/health.h"
#include "gateway/metrics.h"
#include "gateway/plan.h"
#include "gateway/purse.h"
#include "gateway/quota_board.h"
#include "gateway/repeats.h"
#include "store/writer.h"
#include "sys/calls.h"

/* Of targets, and of credentials. */
#define RC_WORLD_ROWS_MAX 60000u
/* Of targets that no route names: clients name them. */
#define RC_WORLD_GUESTS_MAX 512u
#define RC_WORLD_PRINT_BYTES 8

/* What is known of a key without knowing it: a part of its hash. */
typedef struct rc_world_print {
    uint8_t bytes[RC_WORLD_PRINT_BYTES];
} rc_world_print;

typedef struct rc_world_target {
    char *name; /* "provider/model" */
    uint16_t name_len;
    uint16_t provider_len; /* of the name */
    uint32_t edition;      /* the latest that names it */
    uint32_t users;        /* jobs, and whoever else has taken it by a name that is no route's */
    uint64_t rested_at_ms; /* since when there are none */
    bool is_guest;         /* no route does; a client has */
    rc_health health;      /* by the calls that ended */
} rc_world_target;

typedef struct rc_world_credential {
    char *name; /* "provider:1" */
    uint16_t name_len;
    uint16_t provider_len;
    uint16_t pool_count; /* of the first of a provider's list: how many there are; else 0 */
    bool is_refused;     /* the store has a mark that says so */
    rc_world_print print;
} rc_world_credential;

struct rc_gate_world {
    rc_alloc alloc;
    const rc_sys_calls *calls;
    uv_mutex_t shared_lock; /* of shared, whose functions take it, and of the routes' chains */
    rc_shared shared;
    uv_mutex_t lock; /* of all below but for what is atomic; comes before the other one */
    rc_world_target *targets;
    uint32_t target_count;
    uint32_t target_room;
    uint32_t guests;
    rc_world_credential *credentials;
    uint32_t credential_count;
    uint32_t credential_room;
    uint16_t *index; /* of target names; 0: free, else the row + 1 */
    uint32_t index_size;
    uint32_t loops;           /* how many there are */
    rc_gate_plans *plans;     /* the newest; NULL: none yet */
    atomic_uint edition;      /* of the newest */
    rc_writer *writer;        /* NULL: there is no audit */
    rc_str store_url;         /* its own memory; empty: there is no audit */
    atomic_uint in_flight;    /* requests of all loops */
    atomic_uint refused;      /* credentials with such a mark */
    atomic_size_t kept_bytes; /* of their bodies */
    rc_metrics *metrics;
    rc_purse purse;        /* budgets of money; has locks of its own */
    rc_quota_board quotas; /* what is left of providers' limits; has a lock of its own */
    rc_repeats repeats;    /* requests that were answered for good; has a lock of its own */
    uint8_t hop_len;       /* 0: this gateway has no name in Via */
    char hop[RC_GATE_HOP_LEN];
};

/* This gateway, as Via names it; empty: it does not. */
static inline rc_str rc_gate_world_hop(const rc_gate_world *world)
{
    return rc_str_make(world->hop, world->hop_len);
}

/* RC_E_NOMEM: nothing is left. loops: how many will count. calls: borrows until done. alloc:
 * copies; it must serve all threads. */
rc_status rc_gate_world_init(rc_gate_world *world, const rc_sys_calls *calls, const rc_alloc *alloc,
                             uint32_t loops, uint64_t now_ms);

/* No loop uses it any more, and the writer was stopped. */
void rc_gate_world_done(rc_gate_world *world);

/* ---- editions ---- */

/* Makes plans and publishes them: requests that come from now on are theirs. False: why is in
 * ret_trouble, nothing has changed, and what was given is still the caller's. given: takes on
 * success. One thread at a time. */
bool rc_gate_world_load(rc_gate_world *world, const rc_gate_given *given, uint64_t now_ms,
                        rc_gate_trouble *ret_trouble);

/* Takes over what the store knows of budgets that are new. */
void rc_gate_world_recall_money(rc_gate_world *world, const rc_gate_plans *plans);

/* The newest; gives a reference. NULL: there is none. */
rc_gate_plans *rc_gate_world_plans(rc_gate_world *world);

static inline uint32_t rc_gate_world_edition(const rc_gate_world *world)
{
    return atomic_load_explicit(&world->edition, memory_order_acquire);
}

/* ---- rows ---- */

/* The target's row, a new one if need be. RC_NO_TARGET: no memory, or there are too many. */
uint16_t rc_gate_world_target(rc_gate_world *world, rc_str provider, rc_str model, uint64_t now_ms);

/* The same for one that a client names, perhaps alone: it is that one's until it is left, once for
 * each time. RC_NO_TARGET: there are enough of these, and all are in use. */
uint16_t rc_gate_world_guest(rc_gate_world *world, rc_str provider, rc_str model,
                             const rc_gate_provider *pool, uint64_t now_ms);
void rc_gate_world_leave(rc_gate_world *world, uint16_t target, uint64_t now_ms);

/* The rows of a provider's keys, side by side: the first. False: no memory, or too many. */
bool rc_gate_world_pool(rc_gate_world *world, rc_str provider, const rc_world_print *prints,
                        size_t count, uint64_t now_ms, uint16_t *ret_first);

/* An edition names the target. */
void rc_gate_world_set_edition(rc_gate_world *world, uint16_t target, uint32_t edition);

/* What all targets of a provider have: its credentials and its limit. */
void rc_gate_world_set_pool(rc_gate_world *world, const rc_gate_provider *provider,
                            uint32_t edition);

/* Where the next call of a route begins; and it was delivered by that entry. */
uint16_t rc_gate_world_first(rc_gate_world *world, const rc_gate_route *route);
void rc_gate_world_delivered(rc_gate_world *world, rc_gate_route *route, uint16_t entry);

/* A call to the target ended. */
void rc_gate_world_note(rc_gate_world *world, uint16_t target, rc_health_word word, rc_code code,
                        int64_t now_unix_ms);

/* An operator takes a target out of service, or back. */
void rc_gate_world_set_service(rc_gate_world *world, uint16_t target, bool is_in_service,
                               int64_t now_unix_ms);

/* Is there a route, or without routes a provider, that can be asked now? */
bool rc_gate_world_can_serve(rc_gate_world *world, uint64_t now_ms);

/* The row of a name, to be left as a guest's is; RC_NO_TARGET: there is none. */
uint16_t rc_gate_world_take_target(rc_gate_world *world, rc_str name);
/* The row of a credential's name. */
uint16_t rc_gate_world_find_credential(rc_gate_world *world, rc_str name);

/* The name, copied; false: there is no such row, or no room. */
bool rc_gate_world_credential_name(rc_gate_world *world, uint16_t credential, rc_buf *ret_name);

/* What a target that is passed over rests for. */
typedef struct rc_gate_rest {
    rc_code code;  /* the failure that closed it; NONE: not known, or it does not rest */
    bool is_429;   /* that failure was told with the status 429 */
    bool is_named; /* the provider has named the time when it opens */
} rc_gate_rest;

/* Appends "quota used up (key m:1)". reason: why it is passed over. */
rc_gate_rest rc_gate_world_rest(rc_gate_world *world, uint16_t target, rc_reason reason,
                                uint64_t now_ms, rc_buf *words);

rc_world_print rc_world_print_of(rc_secret key);
bool rc_world_print_eq(const rc_world_print *a, const rc_world_print *b);

/* ---- limits: credentials at one target ---- */

/* The target's pool; what is known of its keys there stays known. With the lock held. */
void rc_world_set_row_pool(rc_gate_world *world, uint16_t row, uint16_t first, uint16_t count);
/* Does one of its credentials cool here? With shared's lock held. */
bool rc_world_has_limits(const rc_target *target, uint64_t now_ms);
void rc_world_free_limits(rc_gate_world *world);

/* ---- marks ---- */

/* Room for a mark's name. */
#define RC_WORLD_MARK_MAX 300

/* What a restart must not forget of a credential: at large, else at this target. False: nothing.
 * target: RC_NO_TARGET: at large alone. name: RC_WORLD_MARK_MAX bytes, which the mark views. */
bool rc_gate_world_mark(rc_gate_world *world, uint16_t target, uint16_t credential, uint64_t now_ms,
                        int64_t now_unix_ms, char *name, rc_store_mark *ret_mark);

/* It was refused, and works: the mark that makes the store forget it. False: there is nothing to
 * forget. */
bool rc_gate_world_unmark(rc_gate_world *world, uint16_t credential, uint64_t now_ms, char *name,
                          rc_store_mark *ret_mark);

/* Marks with their names. */
#define RC_WORLD_MARKS_MAX 128u
typedef struct rc_world_marks {
    rc_store_mark marks[RC_WORLD_MARKS_MAX];
    size_t count;
    char names[RC_WORLD_MARKS_MAX][RC_WORLD_MARK_MAX];
} rc_world_marks;

/* What is kept of a credential, at large and at every target, or of all credentials at one target
 * (the other is RC_NO_TARGET), as marks that make the store forget it. Those that do not fit are
 * left out. */
void rc_gate_world_forget(rc_gate_world *world, uint16_t target, uint16_t credential,
                          uint64_t now_ms, rc_world_marks *ret_marks);

/* Takes over what the store remembers. Before the first request. now_unix_ms: of a clock that may
 * have been set back. */
bool rc_gate_world_recall(rc_gate_world *world, rc_store *store, uint64_t now_ms,
                          int64_t now_unix_ms, rc_store_fault *fault);

#endif
