/* rc_sim_upstream: a simulated provider.
 *
 *   call ──► fault? ──► quota? ──► rate? ──► concurrency? ──► capacity? ──► served (slow, cut)
 *              │          │         │            │               │
 *              └──────────┴─────────┴─ refused at once ──────────┘
 *
 * The limits are token buckets, which each call refills for the time since the previous call. */
#ifndef RC_SIM_UPSTREAM_H
#define RC_SIM_UPSTREAM_H

#include "sim/outcome.h"
#include "sim/rng.h"

/* A token bucket. `level` and `max` are in millionths of a token, `rate` is in millionths of a
 * token per millisecond. */
typedef struct rc_sim_token_bucket {
    uint64_t level;
    uint64_t max;
    uint64_t rate;
    uint64_t at_ms;
} rc_sim_token_bucket;

typedef struct rc_sim_key {
    rc_sim_token_bucket requests;
    rc_sim_token_bucket tokens;
    uint64_t used; /* Requests counted against the quota. */
} rc_sim_key;

typedef struct rc_sim_upstream {
    const rc_sim_provider *spec;
    uint32_t in_flight;
    rc_sim_token_bucket capacity;
    rc_sim_key keys[RC_SIM_KEYS_MAX];
    struct rc_sim_upstream *keys_of; /* The provider whose keys this one uses; NULL: its own. */
} rc_sim_upstream;

/* The parameters of a call. */
typedef struct rc_sim_call {
    uint32_t key;
    uint32_t tokens_in;
    uint32_t tokens_out;
    bool is_streaming;
} rc_sim_call;

/* How a call proceeds if the client does not time out. */
typedef struct rc_sim_timeline {
    rc_sim_outcome outcome;
    uint64_t first_ms; /* From the start of the call to the first content; RC_UNLIMITED: no
                        * content. */
    /* From the start to the end of the call; RC_UNLIMITED: the provider never ends it. */
    uint64_t done_ms;
    bool holds_slot; /* The call counts in in_flight until rc_sim_upstream_release. */
} rc_sim_timeline;

/* Initialises a provider. spec: borrows as long as the provider is used. */
void rc_sim_upstream_init(rc_sim_upstream *upstream, const rc_sim_provider *spec);
/* Makes a call at the time now_ms and returns how the call proceeds. */
rc_sim_timeline rc_sim_upstream_call(rc_sim_upstream *upstream, const rc_sim_call *call,
                                     uint64_t now_ms, rc_sim_rng *rng);
/* Whether a provider would serve a call now; for the oracle. */
typedef struct rc_sim_prospect {
    bool is_accepted;  /* The call would be served, unless a random fault hits it. */
    uint64_t at_ms;    /* If not: the earliest time at which it may be; RC_UNLIMITED: not known. */
    uint32_t fail_pct; /* Probability of a random fault. */
    bool may_hang;     /* A random fault makes the call wait for the client's timeout. */
} rc_sim_prospect;
rc_sim_prospect rc_sim_upstream_prospect(rc_sim_upstream *upstream, const rc_sim_call *call,
                                         uint64_t now_ms);
/* Ends a call whose timeline has holds_slot. */
void rc_sim_upstream_release(rc_sim_upstream *upstream);

#endif
