/* rc_sim_upstream: a provider of the simulated world while it runs.
 *
 *   ask ──► fault? ──► quota? ──► rate? ──► room? ──► capacity? ──► served (slow, cut)
 *             │          │         │         │           │
 *             └──────────┴─────────┴── refused at once ──┘
 *
 * Limits are buckets that are brought up to date when somebody asks: time costs nothing. */
#ifndef RC_SIM_UPSTREAM_H
#define RC_SIM_UPSTREAM_H

#include "sim/outcome.h"
#include "sim/rng.h"

/* In millionths, filled at rate millionths a millisecond. */
typedef struct rc_sim_token_bucket {
    uint64_t level;
    uint64_t max;
    uint64_t rate;
    uint64_t at_ms;
} rc_sim_token_bucket;

typedef struct rc_sim_key {
    rc_sim_token_bucket requests;
    rc_sim_token_bucket tokens;
    uint64_t used; /* requests, against the quota */
} rc_sim_key;

typedef struct rc_sim_upstream {
    const rc_sim_provider *spec;
    uint32_t in_flight;
    rc_sim_token_bucket capacity;
    uint64_t warm_from_ms; /* the end of the last outage so far; 0: none */
    rc_sim_key keys[RC_SIM_KEYS_MAX];
} rc_sim_upstream;

/* What a call asks for. */
typedef struct rc_sim_call {
    uint32_t key;
    uint32_t tokens_in;
    uint32_t tokens_out;
    bool is_streaming;
} rc_sim_call;

/* How it goes on, when nobody cuts it short. */
typedef struct rc_sim_timeline {
    rc_sim_outcome outcome;
    uint64_t first_ms; /* from asking to the first content; RC_UNLIMITED: none comes */
    uint64_t done_ms;  /* to the end; RC_UNLIMITED: it never ends by itself */
    bool holds_slot;   /* it takes a place until rc_sim_upstream_release */
} rc_sim_timeline;

/* spec: borrows until the site is not used any more. */
void rc_sim_upstream_init(rc_sim_upstream *upstream, const rc_sim_provider *spec);
rc_sim_timeline rc_sim_upstream_call(rc_sim_upstream *upstream, const rc_sim_call *call,
                                     uint64_t now_ms, rc_sim_rng *rng);
void rc_sim_upstream_release(rc_sim_upstream *upstream);

#endif
