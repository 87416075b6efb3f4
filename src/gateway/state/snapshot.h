/* rc_snapshot: an edition of the configuration, in the form in which calls use it.
 *
 *   providers ──► origins, keys ──► credentials ─┐
 *   routes ────► places ──────────► targets ─────┴──► rows of rc_hub
 *        └─────► rc_plan, one a route; and one a provider, for models that name theirs
 *
 * Built once, then read by any thread; what changes is in the world. Loops and jobs hold
 * references, and the last one to let go wipes the keys. */
#ifndef RC_GATEWAY_STATE_SNAPSHOT_H
#define RC_GATEWAY_STATE_SNAPSHOT_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/call.h>
#include <recourse/rules.h>

#include "base/arena.h"
#include "base/secret.h"
#include "codec/origin.h"
#include "config/config.h"
#include "config/prices/prices.h"
#include "gateway/request/client_request.h"
#include "gateway/state/budgets.h"
#include "sys/calls.h"

typedef struct rc_hub rc_hub;

/* A secret's own copy, wiped at the end. */
typedef struct rc_snapshot_key {
    char *bytes;
    size_t len;
    struct rc_snapshot_key *previous; /* that it took the place of; NULL: none */
} rc_snapshot_key;

typedef struct rc_snapshot_provider {
    const rc_config_provider *config;
    rc_origin origin;
    bool is_demo;       /* it lives in this process */
    uint16_t first_key; /* row of the first credential */
    _Atomic(rc_snapshot_key *)
        *keys;           /* as many as config has; a refreshed one takes another's place */
    uint16_t any_target; /* row of its model "*": for those that have no row */
} rc_snapshot_provider;

/* Whom an entry of a plan asks. */
typedef struct rc_route_entry {
    const rc_snapshot_provider *provider;
    rc_str model;  /* "*": the one that the client named */
    rc_str quoted; /* the model as JSON has it; empty: it is open, or none that can be asked for */
    rc_str header_text;      /* the target as a header tells it; empty: the model is open */
    uint16_t metric;         /* row of the target */
    uint64_t context_window; /* in tokens; 0: not known */
    bool has_price; /* price says what an input that is not long costs; NULL: nobody knows */
    const rc_config_price *price;
} rc_route_entry;

/* Tokens of an input beyond which a price may be another one. */
#define RC_ROUTE_SHORT_INPUT_TOKENS 32000u

typedef struct rc_route {
    rc_str name; /* the pattern; of a provider's own plan the provider's name */
    rc_plan plan;
    const rc_route_entry *entries; /* as many as plan has entries */
    rc_chain chain;                /* behind the world's lock */
    uint64_t deadline_ms;
    uint64_t max_deadline_ms; /* the longest that a client may ask for; never below deadline_ms */
    uint64_t max_wait_ms;     /* 0: no limit */
    uint64_t hedge_ms;        /* 0: never */
    rc_config_timeouts timeouts;
    bool is_open;      /* a place of it leaves the model open */
    bool checks_needs; /* a target of it lacks something that a request may need */
    bool is_direct;    /* a provider's own */
    uint16_t metric;   /* row of the route */
} rc_route;

/* A longer path is cut. */
#define RC_SNAPSHOT_FILE_MAX 256

/* What an edition is made of. */
typedef struct rc_snapshot_input {
    rc_config *config;               /* from the world's allocator, as is what it holds */
    rc_rules *rules;                 /* of the user; NULL: the built-in ones alone */
    rc_prices *prices;               /* from the world's allocator */
    char file[RC_SNAPSHOT_FILE_MAX]; /* where it was read, for people; "": the environment */
    bool is_environment;             /* made from variables: there is no file */
} rc_snapshot_input;

/* Takes; also what is NULL. */
void rc_snapshot_input_done(rc_snapshot_input *input, const rc_alloc *alloc);

typedef struct rc_snapshot {
    atomic_uint refs;
    uint32_t generation;
    int64_t loaded_unix_ms;
    rc_hub *hub;
    rc_snapshot_input input; /* its own */
    const rc_config *config;
    const rc_prices *prices;
    rc_budgets_snapshot budgets;
    bool has_budget_rows; /* the edition of the purse is made */
    bool has_budgets;     /* somebody's money is limited */
    rc_alloc alloc;
    rc_arena arena;                  /* behind fresh_lock once it is made */
    uv_mutex_t refresh_lock;         /* one key is refreshed at a time */
    rc_snapshot_provider *providers; /* as many as config has */
    rc_snapshot_key *tokens;         /* as many as config has clients */
    uint16_t *client_metrics;        /* the same: rows */
    rc_snapshot_key admin_token;     /* empty: there is none */
    rc_route *routes;                /* as many as config has */
    rc_route *direct;                /* as many as config has providers */
} rc_snapshot;

/* Why plans could not be made: one line, without secrets. */
typedef struct rc_load_error {
    bool is_memory;
    bool is_secret;  /* a key or token is not where it should be */
    int store_fault; /* rc_store_fault_kind; 0: it is not the store's */
    char text[512];  /* ends in NUL */
} rc_load_error;

/* Makes an edition with one reference; reads the secrets. NULL: why is in ret_error, and what was
 * given is still the caller's. given: takes on success. world: borrows. */
rc_snapshot *rc_snapshot_new(rc_hub *hub, const rc_snapshot_input *input, uint32_t generation,
                             uint64_t now_ms, rc_load_error *ret_error);

/* One reference more, one less. NULL is allowed. */
rc_snapshot *rc_snapshot_retain(rc_snapshot *snapshot);
void rc_snapshot_release(rc_snapshot *snapshot);

/* What a request is to be tried at. */
typedef struct rc_route_choice {
    rc_route *route; /* NULL: there is none */
    rc_str model;    /* of a model that names its provider: the rest; else as it came */
} rc_route_choice;

/* A model that begins with a provider's name and a slash is that provider's; else the first
 * route that fits. request: borrows. */
rc_route_choice rc_snapshot_choose(rc_snapshot *snapshot, const rc_client_request *request);

/* Is the model one of a provider that is not configured, and nobody but the demo would answer for
 * it (route: what was chosen; NULL: none)? Then text gets a sentence that says what to do. Borrows.
 * */
bool rc_snapshot_explain_missing_provider(const rc_snapshot *snapshot, const rc_route *route,
                                          rc_str model, rc_buf *text);

/* The row of the target that an entry of a route asks for this model. */
uint16_t rc_route_take_target(rc_snapshot *snapshot, const rc_route *route, uint16_t entry,
                              rc_str model, uint64_t now_ms);

/* What of rc_plan's capabilities an endpoint asks for. Those of our own, the last of the table, ask
 * for none. */
static inline uint32_t rc_endpoint_need(const rc_endpoint *endpoint)
{
    return endpoint->wire == RC_WIRE_LOCAL ? 0 : UINT32_C(1) << (8 + (unsigned)endpoint->id);
}

#define RC_ROUTE_NEEDS_MASK UINT32_C(0xff)

/* Is it a client's token? Compares in constant time. Gives the client's number, or SIZE_MAX. */
size_t rc_snapshot_find_client(const rc_snapshot *snapshot, rc_secret token);

/* The key of a credential of this provider. False: this edition does not know it. Views plans. */
bool rc_snapshot_provider_key(const rc_snapshot_provider *provider, uint16_t credential,
                              rc_secret *ret_key);

/* Reads a key again from where it is, unless that was done since used was sent. True: it is another
 * one now. */
bool rc_snapshot_provider_refresh(rc_snapshot *snapshot, rc_snapshot_provider *provider,
                                  uint16_t credential, rc_secret used);

/* Reads the secrets: a part of new. */
bool rc_snapshot_read_keys(rc_snapshot *snapshot, rc_load_error *ret_error);
void rc_snapshot_wipe_keys(rc_snapshot *snapshot);

/* Adds to the line. */
void rc_load_error_add(rc_load_error *error, rc_str text);

#endif
