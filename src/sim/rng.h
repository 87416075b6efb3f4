/* rc_sim_rng: a random number generator with the same results on every machine (xoshiro256**,
 * seeded by splitmix64). */
#ifndef RC_SIM_RNG_H
#define RC_SIM_RNG_H

#include <stdint.h>

#include "sim/scenario.h"

typedef struct rc_sim_rng {
    uint64_t state[4];
} rc_sim_rng;

/* Seeds the generator. Different streams of one seed are independent. */
void rc_sim_rng_init(rc_sim_rng *rng, uint64_t seed, uint64_t stream);

/* Returns 64 random bits. */
uint64_t rc_sim_rng_next(rc_sim_rng *rng);

/* Returns a number in 0 .. bound - 1; 0 for bound 0. */
uint32_t rc_sim_rng_below(rc_sim_rng *rng, uint32_t bound);

/* Returns true with a probability of pct percent. */
bool rc_sim_rng_hits(rc_sim_rng *rng, uint32_t pct);

/* Returns the time to the next of random events that are `mean` apart on average: an exponential
 * distribution in whole numbers. mean: in any unit, at most 2^42. */
uint64_t rc_sim_rng_gap(rc_sim_rng *rng, uint64_t mean);

/* Returns a random value of the distribution. spread: borrows. */
uint32_t rc_sim_rng_spread(rc_sim_rng *rng, const rc_sim_spread *spread);

#endif
