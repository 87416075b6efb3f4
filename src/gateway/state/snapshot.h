/* rc_snapshot: an immutable snapshot of the configuration in the form that calls use.
 *
 *   providers ──► origins, keys ──► credentials ─┐
 *   routes ────► entries ─────────► targets ─────┴──► rows of rc_hub
 *        └─────► rc_plan, one per route; and one per provider, for "provider/model" names
 *
 * A snapshot is built once and then read by any thread; state that changes is in rc_hub. Loops and
 * exchanges hold references to a snapshot. Releasing the last reference wipes the keys and frees
 * the snapshot. */
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
#include "dialect/endpoint.h"
#include "gateway/state/budgets.h"
#include "gateway/state/route_index.h"
#include "gateway/state/snapshot_input.h"

typedef struct rc_client_request rc_client_request;
typedef struct rc_config_price rc_config_price;
typedef struct rc_hub rc_hub;
typedef struct rc_model_facts rc_model_facts;
typedef struct rc_prices rc_prices;

/* A copy of a secret. The copy is wiped when the snapshot is freed. */
typedef struct rc_snapshot_key {
    char *bytes;
    size_t len;
    struct rc_snapshot_key *previous; /* The key that a refresh replaced by this key; attempts may
                                       * still use it. NULL if this key is the first one. */
} rc_snapshot_key;

typedef struct rc_snapshot_provider {
    const rc_config_provider *config;
    rc_origin origin;
    bool is_demo;       /* The provider is the mock provider inside this process. */
    uint16_t first_key; /* Hub row of the first credential. */
    _Atomic(rc_snapshot_key *)
        *keys;           /* One per configured key. A refreshed key replaces the pointer. */
    uint16_t any_target; /* Hub row of the provider's model "*", for models that have no row of
                            their own. */
} rc_snapshot_provider;

/* The provider and model of one chain entry. */
typedef struct rc_route_entry {
    const rc_snapshot_provider *provider;
    rc_str model;  /* "*" stands for the model that the client named. */
    rc_str quoted; /* The model as a JSON string. Empty if the model is "*" or no valid name. */
    rc_str header_text;      /* The target's name in response headers. Empty if the model is "*". */
    uint16_t metric;         /* The target's row in the metrics. */
    uint64_t context_window; /* In tokens. 0 if unknown. */
    bool has_price;          /* The model is not "*", so `price` is valid: the price of inputs up to
                              * RC_ROUTE_SHORT_INPUT_TOKENS, or NULL if the price is unknown. */
    const rc_config_price *price;
    const rc_config_target *target; /* The entry in the configuration. NULL for the route of a
                                     * single provider. */
} rc_route_entry;

/* Inputs up to this number of tokens have the price in rc_route_entry. Longer inputs may cost
 * more. */
#define RC_ROUTE_SHORT_INPUT_TOKENS 32000u

typedef struct rc_route {
    rc_str name; /* The route's pattern. The route of a single provider has the provider's name. */
    rc_plan plan;
    const rc_route_entry *entries; /* One per entry of the plan. */
    rc_chain chain;                /* Guarded by the hub's shared_lock. */
    uint64_t deadline_ms;
    uint64_t max_deadline_ms; /* The longest deadline that a client may request. Never below
                               * deadline_ms. */
    uint64_t max_wait_ms;     /* Longest total time that a call may wait. 0 for no limit. */
    bool is_wait_off;         /* Calls never wait in the queue. */
    bool is_learn_off;        /* Calls ignore learned rate limits. */
    uint64_t hedge_ms;        /* Time after which a slow attempt gets a hedge. 0 for no hedging. */
    rc_config_timeouts timeouts;
    uint32_t translated;     /* Bits of the rc_dialects of clients whose requests have to be
                              * translated for at least one entry. */
    uint32_t translate;      /* An rc_config_translate. */
    rc_config_sticky sticky; /* Which requests use the same member of a group. */
    bool is_open;            /* One of the chain entries has the model "*". */
    bool checks_needs;       /* One of the targets lacks a capability that a request may need. */
    bool is_direct;          /* The route of one provider, for "provider/model" names. */
    uint16_t metric;         /* The route's row in the metrics. */
} rc_route;

typedef struct rc_snapshot {
    atomic_uint refs;
    uint32_t generation;
    int64_t loaded_unix_ms;
    rc_hub *hub;
    rc_snapshot_input input; /* The configuration, rules and prices. Owned by the snapshot. */
    const rc_config *config;
    const rc_prices *prices;
    rc_budgets_snapshot budgets;
    bool has_budget_rows; /* `budgets` is initialised. */
    bool has_budgets;     /* At least one budget is configured. */
    rc_alloc alloc;
    rc_arena arena;                  /* Guarded by refresh_lock after the snapshot is published. */
    uv_mutex_t refresh_lock;         /* Serialises refreshes of keys. */
    rc_snapshot_provider *providers; /* One per configured provider. */
    rc_snapshot_key *tokens;         /* One per configured client. */
    struct rc_client_row **client_limits; /* One per configured client; NULL: it has no limits. */
    uint16_t *client_metrics;             /* One per configured client: its row in the metrics. */
    rc_snapshot_key admin_token;          /* Empty if none is configured. */
    rc_route *routes;                     /* One per configured route. */
    rc_route_index route_index;           /* Finds the route of a model name. */
    rc_route *direct;                     /* One per configured provider. */
    uint32_t translated;                  /* The bits `translated` of all routes. */
} rc_snapshot;

/* Makes a snapshot with one reference and reads the secrets. hub: borrows for the lifetime of the
 * snapshot. input: takes ownership of its members on success. Returns NULL on failure; ret_error
 * then has the reason. */
rc_snapshot *rc_snapshot_new(rc_hub *hub, const rc_snapshot_input *input, uint32_t generation,
                             uint64_t now_ms, rc_load_error *ret_error);

/* rc_snapshot_retain: adds a reference. rc_snapshot_release: drops a reference; accepts NULL. */
rc_snapshot *rc_snapshot_retain(rc_snapshot *snapshot);
void rc_snapshot_release(rc_snapshot *snapshot);

/* The route for a request. */
typedef struct rc_route_choice {
    rc_route *route; /* NULL if no route matches. */
    rc_str model;    /* For "provider/model" the part behind the slash; for all other names the name
                        as the client sent it. */
} rc_route_choice;

/* Chooses the route of a request. A model name "provider/model" has the provider's own route; every
 * other name has the first configured route that matches. request: borrows during the call; the
 * result's model points into it. */
rc_route_choice rc_snapshot_choose(rc_snapshot *snapshot, const rc_client_request *request);

/* Whether the model belongs to a well-known provider that is not configured, so that only the demo
 * provider would respond. If the result is true, a sentence with advice was appended to `text`.
 * route: the chosen route, or NULL. snapshot, route, model: borrows during the call. */
bool rc_snapshot_explain_missing_provider(const rc_snapshot *snapshot, const rc_route *route,
                                          rc_str model, rc_buf *text);

/* Returns the hub row of the target that this chain entry uses for the model. If the model cannot
 * get a row of its own, this is the row of the chain entry. */
uint16_t rc_route_take_target(rc_snapshot *snapshot, const rc_route *route, uint16_t entry,
                              rc_str model, uint64_t now_ms);

/* Returns the capability bit of an endpoint in rc_plan. Endpoints that the gateway serves itself
 * (the last rows of the table) have no bit. */
static inline uint32_t rc_endpoint_need(const rc_endpoint *endpoint)
{
    return endpoint->wire == RC_WIRE_LOCAL ? 0 : UINT32_C(1) << (8 + (unsigned)endpoint->id);
}

/* The RC_NEED_ bits that a configuration can set. RC_NEED_TRANSLATION is not among them: the
 * exchange clears it for single requests. */
#define RC_ROUTE_NEEDS_MASK UINT32_C(0x7f)

/* Returns the interface (API) through which a request to this endpoint reaches the target of a
 * chain entry. This interface differs from the endpoint's own one if the request has to be
 * translated. RC_DIALECT_PROBLEM: the target cannot be used for this endpoint. */
rc_dialect rc_route_interface(const rc_route *route, uint16_t entry, const rc_endpoint *endpoint);
/* Returns whether requests to this endpoint have to be translated for some target of the route. */
bool rc_route_may_translate(const rc_route *route, const rc_endpoint *endpoint);
/* Returns whether requests to this endpoint have to be translated for a target of any route. Then
 * the clients of this API may have responses with seals, and send them to every route. */
bool rc_snapshot_may_seal(const rc_snapshot *snapshot, const rc_endpoint *endpoint);
/* Returns what is known about the model of a chain entry. model: the model that is requested from
 * the provider. */
rc_model_facts rc_route_model_facts(const rc_route *route, uint16_t entry, rc_str model);

/* Finds the client with this token; compares in constant time. Returns the client's index, or
 * SIZE_MAX if no client has the token. */
size_t rc_snapshot_find_client(const rc_snapshot *snapshot, rc_secret token);

/* Reads the key of a credential of this provider. ret_key views (points into) the snapshot. Returns
 * false if the snapshot does not have the credential. */
bool rc_snapshot_provider_key(const rc_snapshot_provider *provider, uint16_t credential,
                              rc_secret *ret_key);

/* Reads a key again from its file or variable, unless another request has replaced the key `used`
 * already. Returns true if the current key differs from `used`. */
bool rc_snapshot_provider_refresh(rc_snapshot *snapshot, rc_snapshot_provider *provider,
                                  uint16_t credential, rc_secret used);

/* rc_snapshot_read_keys: reads all secrets; called by rc_snapshot_new. rc_snapshot_wipe_keys: wipes
 * all secrets; called when the last reference is dropped. */
bool rc_snapshot_read_keys(rc_snapshot *snapshot, rc_load_error *ret_error);
void rc_snapshot_wipe_keys(rc_snapshot *snapshot);

#endif
