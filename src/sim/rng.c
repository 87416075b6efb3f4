/* Random numbers without floating point. Called by the simulator and the rival loops. */
#include "sim/rng.h"

/* ln 2 in units of 1/65536. */
#define LN2_Q16 45426

static uint64_t splitmix(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

void rc_sim_rng_init(rc_sim_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t mix = stream;
    uint64_t state = seed ^ splitmix(&mix);
    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix(&state);
}

uint64_t rc_sim_rng_next(rc_sim_rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

uint32_t rc_sim_rng_below(rc_sim_rng *rng, uint32_t bound)
{
    return (uint32_t)(((rc_sim_rng_next(rng) >> 32) * bound) >> 32);
}

bool rc_sim_rng_hits(rc_sim_rng *rng, uint32_t pct)
{
    return pct >= 100 || rc_sim_rng_below(rng, 100) < pct;
}

/* Returns the binary logarithm of x > 0 in units of 1/65536. Each squaring gives one bit of the
 * fraction. libm is not used, because its last digit differs between systems. */
static uint64_t log2_q16(uint32_t x)
{
    uint32_t whole = 31 - (uint32_t)__builtin_clz(x);
    /* A number from 1 to 2, with 31 fractional bits. */
    uint64_t mantissa = (uint64_t)x << (31 - whole);
    uint64_t log = whole;
    for (int i = 0; i < 16; i++) {
        mantissa = (mantissa * mantissa) >> 31;
        log <<= 1;
        if (mantissa >> 32 != 0) {
            mantissa >>= 1;
            log |= 1;
        }
    }
    return log;
}

uint64_t rc_sim_rng_gap(rc_sim_rng *rng, uint64_t mean)
{
    uint32_t u = (uint32_t)(rc_sim_rng_next(rng) >> 32) | 1;
    uint64_t minus_ln_q16 = (((UINT64_C(32) << 16) - log2_q16(u)) * LN2_Q16) >> 16;
    return (mean * minus_ln_q16) >> 16;
}

/* Returns the value at the fraction `at` / `of` of the way from `low` to `high`. */
static uint32_t between(uint32_t low, uint32_t high, uint32_t at, uint32_t of)
{
    return low + (uint32_t)((uint64_t)(high - low) * at / of);
}

uint32_t rc_sim_rng_spread(rc_sim_rng *rng, const rc_sim_spread *spread)
{
    uint32_t u = rc_sim_rng_below(rng, 10000);
    if (u < 5000)
        return between(spread->min, spread->p50, u, 5000);
    if (u < 9000)
        return between(spread->p50, spread->p90, u - 5000, 4000);
    if (u < 9900)
        return between(spread->p90, spread->p99, u - 9000, 900);
    return between(spread->p99, spread->max, u - 9900, 100);
}
