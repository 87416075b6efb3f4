/* rc_gate_plans: an edition of the configuration, in the form in which calls use it.
 *
 *   providers ──► origins, keys ──► credentials ─┐
 *   routes ────► places ──────────► targets ─────┴──► rows of rc_gate_world
 *        └─────► rc_plan, one a route; and one a provider, for models that name theirs
 *
 * Built once, then read by any thread; what changes is in the world. Loops and jobs hold
 * references, and the last one to let go wipes the keys. */
#ifndef RC_GATEWAY_PLAN_H
#define RC_GATEWAY_PLAN_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/call.h>
#include <recourse/rules.h>

#include "base/arena.h"
#include "base/secret.h"
#include "config/config.h"
#include "config/prices.h"
#include "gateway/purse.h"
#include "gateway/request.h"
#include "net/origin.h"
#include "sys/calls.h"

typedef struct rc_gate_world rc_gate_world;

/* A secret's own copy, wiped at the end. */
typedef struct rc_gate_key {
    char *bytes;
    size_t len;
    struct rc_gate_key *old; /* that it took the place of; NULL: none */
} rc_gate_key;

typedef struct rc_gate_provider {
    const rc_config_provider *config;
    rc_origin origin;
    bool is_demo;                 /* it lives in this process */
    uint16_t first_key;           /* row of the first credential */
    _Atomic(rc_gate_key *) *keys; /* as many as config has; a refreshed one takes another's place */
    uint16_t any;                 /* row of its model "*": for those that have no row */
} rc_gate_provider;

/* Whom an entry of a plan asks. */
typedef struct rc_gate_place {
    const rc_gate_provider *provider;
    rc_str model;  /* "*": the one that the client named */
    rc_str quoted; /* the model as JSON has it; empty: it is open, or none that can be asked for */
    rc_str told;   /* the target as a header tells it; empty: the model is open */
    uint16_t metric;         /* row of the target */
    uint64_t context_window; /* in tokens; 0: not known */
    bool has_price; /* price says what an input that is not long costs; NULL: nobody knows */
    const rc_config_price *price;
} rc_gate_place;

/* Tokens of an input beyond which a price may be another one. */
#define RC_GATE_PRICE_SHORT 32000u

typedef struct rc_gate_route {
    rc_str name; /* the pattern; of a provider's own plan the provider's name */
    rc_plan plan;
    const rc_gate_place *places; /* as many as plan has entries */
    rc_chain chain;              /* behind the world's lock */
    uint64_t deadline_ms;
    uint64_t max_deadline_ms; /* the longest that a client may ask for; never below deadline_ms */
    uint64_t max_wait_ms;     /* 0: no limit */
    uint64_t hedge_ms;        /* 0: never */
    rc_config_timeouts timeouts;
    bool is_open;    /* a place of it leaves the model open */
    bool is_picky;   /* a target of it lacks something that a request may need */
    bool is_direct;  /* a provider's own */
    uint16_t metric; /* row of the route */
} rc_gate_route;

/* A longer path is cut. */
#define RC_GATE_FILE_MAX 256

/* What an edition is made of. */
typedef struct rc_gate_given {
    rc_config *config;           /* from the world's allocator, as is what it holds */
    rc_rules *rules;             /* of the user; NULL: the built-in ones alone */
    rc_prices *prices;           /* from the world's allocator */
    char file[RC_GATE_FILE_MAX]; /* where it was read, for people; "": the environment */
    bool is_environment;         /* made from variables: there is no file */
} rc_gate_given;

/* Takes; also what is NULL. */
void rc_gate_given_done(rc_gate_given *given, const rc_alloc *alloc);

typedef struct rc_gate_plans {
    atomic_uint refs;
    uint32_t edition;
    int64_t loaded_unix_ms;
    rc_gate_world *world;
    rc_gate_given given; /* its own */
    const rc_config *config;
    const rc_prices *prices;
    rc_purse_edition money;
    bool has_money;   /* the edition of the purse is made */
    bool has_budgets; /* somebody's money is limited */
    rc_alloc alloc;
    rc_arena arena;              /* behind fresh_lock once it is made */
    uv_mutex_t fresh_lock;       /* one key is refreshed at a time */
    rc_gate_provider *providers; /* as many as config has */
    rc_gate_key *tokens;         /* as many as config has clients */
    uint16_t *client_metrics;    /* the same: rows */
    rc_gate_key admin_token;     /* empty: there is none */
    rc_gate_route *routes;       /* as many as config has */
    rc_gate_route *direct;       /* as many as config has providers */
} rc_gate_plans;

/* Why plans could not be made: one line, without secrets. */
typedef struct rc_gate_trouble {
    bool is_memory;
    bool is_secret;  /* a key or token is not where it should be */
    int store_fault; /* rc_store_fault_kind; 0: it is not the store's */
    char text[512];  /* ends in NUL */
} rc_gate_trouble;

/* Makes an edition with one reference; reads the secrets. NULL: why is in ret_trouble, and what was
 * given is still the caller's. given: takes on success. world: borrows. */
rc_gate_plans *rc_gate_plans_new(rc_gate_world *world, const rc_gate_given *given, uint32_t edition,
                                 uint64_t now_ms, rc_gate_trouble *ret_trouble);

/* One reference more, one less. NULL is allowed. */
rc_gate_plans *rc_gate_plans_take(rc_gate_plans *plans);
void rc_gate_plans_drop(rc_gate_plans *plans);

/* What a request is to be tried at. */
typedef struct rc_gate_choice {
    rc_gate_route *route; /* NULL: there is none */
    rc_str model;         /* of a model that names its provider: the rest; else as it came */
} rc_gate_choice;

/* A model that begins with a provider's name and a slash is that provider's; else the first
 * route that fits. request: borrows. */
rc_gate_choice rc_gate_plans_choose(rc_gate_plans *plans, const rc_gate_request *request);

/* Is the model one of a provider that is not configured, and nobody but the demo would answer for
 * it (route: what was chosen; NULL: none)? Then text gets a sentence that says what to do. Borrows.
 * */
bool rc_gate_plans_absent(const rc_gate_plans *plans, const rc_gate_route *route, rc_str model,
                          rc_buf *text);

/* The row of the target that an entry of a route asks for this model. */
uint16_t rc_gate_route_target(rc_gate_plans *plans, const rc_gate_route *route, uint16_t entry,
                              rc_str model, uint64_t now_ms);

/* What of rc_plan's capabilities an endpoint asks for. Those of our own, the last of the table, ask
 * for none. */
static inline uint32_t rc_gate_need_of(const rc_gate_endpoint *endpoint)
{
    return endpoint->wire == RC_WIRE_LOCAL ? 0 : UINT32_C(1) << (8 + (unsigned)endpoint->id);
}

#define RC_GATE_NEEDS_MASK UINT32_C(0xff)

/* Is it a client's token? Compares in constant time. Gives the client's number, or SIZE_MAX. */
size_t rc_gate_plans_client(const rc_gate_plans *plans, rc_secret token);

/* The key of a credential of this provider. False: this edition does not know it. Views plans. */
bool rc_gate_provider_key(const rc_gate_provider *provider, uint16_t credential,
                          rc_secret *ret_key);

/* Reads a key again from where it is, unless that was done since used was sent. True: it is another
 * one now. */
bool rc_gate_provider_refresh(rc_gate_plans *plans, rc_gate_provider *provider, uint16_t credential,
                              rc_secret used);

/* Reads the secrets: a part of new. */
bool rc_gate_plans_read_keys(rc_gate_plans *plans, rc_gate_trouble *ret_trouble);
void rc_gate_plans_wipe_keys(rc_gate_plans *plans);

/* Adds to the line. */
void rc_gate_trouble_add(rc_gate_trouble *trouble, rc_str text);

#endif
