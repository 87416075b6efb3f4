/* rc_config_price: what one model costs, and what a charge comes to.
 *
 * Money is whole millionths of a US dollar, from the file to the audit. A cost is added up exactly,
 * parts of a millionth included, and rounded once, to the nearest millionth (a half goes up). So it
 * is wrong by half a millionth of a dollar at most, and sums of costs are exact. */
#ifndef RC_CONFIG_PRICES_PRICE_H
#define RC_CONFIG_PRICES_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "dialect/usage_charge.h"

/* The largest price that is taken: 100,000 dollars. */
#define RC_PRICE_MAX UINT64_C(100000000000)

/* No cost is larger: a thousand million dollars. */
#define RC_COST_MAX UINT64_C(1000000000000000)

/* A row of the file, with the keys of spec/config.def. */
typedef struct rc_config_price {
    rc_str kind;     /* of the provider; "": any */
    rc_str provider; /* its name in the configuration; "": any */
    rc_str model;    /* a pattern: * is any text */
    uint64_t over_input_tokens;
    uint64_t input; /* millionths of a dollar for a million tokens */
    uint64_t output;
    uint64_t cached_input;
    uint64_t cache_write;
    uint64_t cache_write_1h;
    uint64_t image; /* millionths of a dollar for one */
    uint64_t second;
    uint64_t request;
    bool told; /* what the provider says counts */
} rc_config_price;

/* In millionths of a dollar, at most RC_COST_MAX; nothing for a charge of nothing. price: NULL is
 * no price: nothing. price, charge: borrow. */
uint64_t rc_price_cost(const rc_config_price *price, const rc_charge *charge);

#endif
