/* rc_unpriced: a target (provider and model) that has no price although a budget counts its cost.
 * The cost of such a target counts as 0, so that the budget neither warns nor stops.
 *
 * The search covers the targets of routes, and the providers whose models clients can name
 * directly. A target without a fixed model is unpriced if no model of its provider has a price. If
 * some of the models have a price, a model without one is noticed only when it is called. */
#ifndef RC_CONFIG_PRICES_UNPRICED_H
#define RC_CONFIG_PRICES_UNPRICED_H

#include "config/prices/prices.h"

/* Maximum number of targets that rc_unpriced_find reports one by one. */
#define RC_UNPRICED_SHOWN 16u

typedef struct rc_unpriced {
    rc_str provider;
    rc_str model; /* Name of the model; "*": any model of the provider. */
    /* Kind of the first budget that counts the target's cost: "client", "route" or "budget". */
    const char *kind;
    rc_str name;        /* Name of that budget. */
    size_t other_count; /* Number of further budgets that count the target's cost. */
} rc_unpriced;

typedef void (*rc_unpriced_visitor)(void *ctx, const rc_unpriced *unpriced);

/* Calls `each` once for each of the first RC_UNPRICED_SHOWN unpriced targets, and returns the
 * number of all unpriced targets. The members of the rc_unpriced view config. The rc_unpriced
 * itself is valid during the call of `each`. */
size_t rc_unpriced_find(const rc_prices *prices, const rc_config *config, rc_unpriced_visitor each,
                        void *ctx);

/* Appends a message such as "up/m has no price: what it costs does not count for client app and 2
 * more budgets". */
void rc_unpriced_push(rc_buf *buf, const rc_unpriced *unpriced);

/* Returns a static text: advice on how to set the price of a target. */
const char *rc_unpriced_advice(void);

#endif
