/* rc_config_price: the price of a model, and the cost of a charge (the tokens of an attempt).
 *
 * Everywhere in the program, money is an integer number of millionths of a US dollar. A cost is
 * summed exactly, with fractions of a millionth, and rounded once to the nearest millionth (half
 * up). So the error of a cost is at most half a millionth. Sums of costs have no further error. */
#ifndef RC_CONFIG_PRICES_PRICE_H
#define RC_CONFIG_PRICES_PRICE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

#include "dialect/usage_charge.h"

/* Highest accepted price: 100,000 dollars. */
#define RC_PRICE_MAX UINT64_C(100000000000)

/* Highest cost, a thousand million dollars. A larger cost is reduced to RC_COST_MAX. */
#define RC_COST_MAX UINT64_C(1000000000000000)

/* A row of the price file. The members are the keys of the price section in spec/config.def. */
typedef struct rc_config_price {
    rc_str kind;                /* Kind of the provider; "": any kind. */
    rc_str provider;            /* Name of the provider in the configuration; "": any provider. */
    rc_str model;               /* Pattern of model names; "*" matches any text. */
    uint64_t over_input_tokens; /* The row applies only to requests with more input tokens. 0: the
                                 * row applies to all requests. */
    uint64_t input; /* `input` and the next four members are prices per million tokens, in
                     * millionths of a dollar. */
    uint64_t output;
    uint64_t cached_input;
    uint64_t cache_write;
    uint64_t cache_write_1h;
    uint64_t image; /* `image` and the next two members are the prices of an image, a second of
                     * audio and a request, in millionths of a dollar. */
    uint64_t second;
    uint64_t request;
    bool told; /* If the provider reports the cost of a response, that cost replaces the computed
                * one. */
} rc_config_price;

/* Returns the cost of a charge in millionths of a dollar, at most RC_COST_MAX. Returns 0 for an
 * empty charge or if `price` is NULL. price, charge: borrows during the call. */
uint64_t rc_price_cost(const rc_config_price *price, const rc_charge *charge);

#endif
