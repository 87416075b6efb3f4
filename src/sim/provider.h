/* rc_sim_site: a provider of the simulated world while it runs.
 *
 *   ask ──► fault? ──► quota? ──► rate? ──► room? ──► capacity? ──► served (slow, cut)
 *             │          │         │         │           │
 *             └──────────┴─────────┴── refused at once ──┘
 *
 * Limits are buckets that are brought up to date when somebody asks: time costs nothing. */
#ifndef RC_SIM_PROVIDER_H
#define RC_SIM_PROVIDER_H

#include "sim/answer.h"
#include "sim/rng.h"

/* In millionths, filled at rate millionths a millisecond. */
typedef struct rc_sim_bucket_state {
    uint64_t level;
    uint64_t max;
    uint64_t rate;
    uint64_t at_ms;
} rc_sim_bucket_state;

typedef struct rc_sim_key {
    rc_sim_bucket_state requests;
    rc_sim_bucket_state tokens;
    uint64_t used; /* requests, against the quota */
} rc_sim_key;

typedef struct rc_sim_site {
    const rc_sim_provider *spec;
    uint32_t in_flight;
    rc_sim_bucket_state capacity;
    uint64_t warm_from_ms; /* the end of the last outage so far; 0: none */
    rc_sim_key keys[RC_SIM_KEYS_MAX];
} rc_sim_site;

/* What a call asks for. */
typedef struct rc_sim_ask {
    uint32_t key;
    uint32_t tokens_in;
    uint32_t tokens_out;
    bool is_streaming;
} rc_sim_ask;

/* How it goes on, when nobody cuts it short. */
typedef struct rc_sim_course {
    rc_sim_answer answer;
    uint64_t first_ms; /* from asking to the first content; RC_UNLIMITED: none comes */
    uint64_t done_ms;  /* to the end; RC_UNLIMITED: it never ends by itself */
    bool is_held;      /* it takes a place until rc_sim_site_leave */
} rc_sim_course;

/* spec: borrows until the site is not used any more. */
void rc_sim_site_init(rc_sim_site *site, const rc_sim_provider *spec);
rc_sim_course rc_sim_site_ask(rc_sim_site *site, const rc_sim_ask *ask, uint64_t now_ms,
                              rc_sim_rng *rng);
void rc_sim_site_leave(rc_sim_site *site);

#endif
