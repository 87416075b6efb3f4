/* rc_sim_rng: chance that is the same on every machine (xoshiro256**, seeded by splitmix64). */
#ifndef RC_SIM_RNG_H
#define RC_SIM_RNG_H

#include <stdint.h>

#include "sim/scenario.h"

typedef struct rc_sim_rng {
    uint64_t state[4];
} rc_sim_rng;

/* Streams of one seed have nothing to do with each other. */
void rc_sim_rng_init(rc_sim_rng *rng, uint64_t seed, uint64_t stream);

uint64_t rc_sim_rng_next(rc_sim_rng *rng);

/* 0 .. bound - 1; 0 for bound 0. */
uint32_t rc_sim_rng_below(rc_sim_rng *rng, uint32_t bound);

/* True in pct of 100. */
bool rc_sim_rng_hits(rc_sim_rng *rng, uint32_t pct);

/* The time to the next of events that come at random, `mean` apart on average (of any unit, at most
 * 2^42): the exponential distribution, in whole numbers. */
uint64_t rc_sim_rng_gap(rc_sim_rng *rng, uint64_t mean);

/* A value of the spread. spread: borrows. */
uint32_t rc_sim_rng_spread(rc_sim_rng *rng, const rc_sim_spread *spread);

#endif
