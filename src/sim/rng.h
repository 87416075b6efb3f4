/* rc_sim_rng: a random number generator with the same results on every machine (xoshiro256**,
 * seeded by splitmix64). */
#ifndef RC_SIM_RNG_H
#define RC_SIM_RNG_H

#include <stdint.h>

#include "sim/scenario.h"

typedef struct rc_sim_rng {
    uint64_t state[4];
} rc_sim_rng;

/* Seeds the generator. Generators with the same `seed` and different `stream` numbers are
 * independent. */
void rc_sim_rng_init(rc_sim_rng *rng, uint64_t seed, uint64_t stream);

/* Returns 64 random bits. */
uint64_t rc_sim_rng_next(rc_sim_rng *rng);

/* Returns a random number from 0 to bound - 1, or 0 if `bound` is 0. */
uint32_t rc_sim_rng_below(rc_sim_rng *rng, uint32_t bound);

/* Returns true with a probability of `pct` percent. */
bool rc_sim_rng_hits(rc_sim_rng *rng, uint32_t pct);

/* Returns the random time until the next event of a Poisson process, that is, an exponentially
 * distributed whole number with the mean value `mean`. `mean` may have any unit and is at most
 * 2^42. */
uint64_t rc_sim_rng_gap(rc_sim_rng *rng, uint64_t mean);

/* Returns a random value of the distribution `spread`. spread: borrows during the call. */
uint32_t rc_sim_rng_spread(rc_sim_rng *rng, const rc_sim_spread *spread);

#endif
