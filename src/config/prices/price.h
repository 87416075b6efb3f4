/* rc_config_price: the price of a model, and the cost of a charge.
 *
 * Money is an integer number of millionths of a US dollar everywhere, from the price file to the
 * audit. A cost is summed exactly, with fractions of a millionth, and rounded once to the nearest
 * millionth (half up). So each cost is exact to half a millionth, and sums of costs are exact. */
#ifndef RC_CONFIG_PRICES_PRICE_H
#define RC_CONFIG_PRICES_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "dialect/usage_charge.h"

/* Highest accepted price: 100,000 dollars. */
#define RC_PRICE_MAX UINT64_C(100000000000)

/* Highest cost; larger ones are clamped to it: a thousand million dollars. */
#define RC_COST_MAX UINT64_C(1000000000000000)

/* A row of the price file. The members are the keys of spec/config.def. */
typedef struct rc_config_price {
    rc_str kind;                /* Kind of the provider; "": any. */
    rc_str provider;            /* Name of the provider in the configuration; "": any. */
    rc_str model;               /* Pattern; * matches any text. */
    uint64_t over_input_tokens; /* Applies only above this number of input tokens; 0: always. */
    uint64_t input; /* Per million tokens, in millionths of a dollar, like the next four. */
    uint64_t output;
    uint64_t cached_input;
    uint64_t cache_write;
    uint64_t cache_write_1h;
    uint64_t image; /* Per image, second of audio or request, in millionths of a dollar. */
    uint64_t second;
    uint64_t request;
    bool told; /* A cost that the provider reports is used instead. */
} rc_config_price;

/* Returns the cost of a charge in millionths of a dollar, at most RC_COST_MAX; 0 for an empty
 * charge or if price is NULL. price, charge: borrow. */
uint64_t rc_price_cost(const rc_config_price *price, const rc_charge *charge);

#endif
