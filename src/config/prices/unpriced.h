/* rc_unpriced: a target that has no price although a budget counts it. Its cost counts as 0, so the
 * budget neither warns nor stops.
 *
 * The search covers the targets of routes, and the providers whose models clients can name
 * directly. A target without a fixed model is unpriced if no model of its provider has a price; for
 * other models a missing price shows up in the single calls. */
#ifndef RC_CONFIG_PRICES_UNPRICED_H
#define RC_CONFIG_PRICES_UNPRICED_H

#include "config/prices/prices.h"

/* Targets that rc_unpriced_find reports one by one. */
#define RC_UNPRICED_SHOWN 16u

typedef struct rc_unpriced {
    rc_str provider;
    rc_str model;       /* "*": any model of the provider. */
    const char *kind;   /* Kind of the first budget that counts it: "client", "route", "budget". */
    rc_str name;        /* Name of that budget. */
    size_t other_count; /* Number of further budgets that count it. */
} rc_unpriced;

typedef void (*rc_unpriced_visitor)(void *ctx, const rc_unpriced *unpriced);

/* Calls each once for every unpriced target, for the first RC_UNPRICED_SHOWN only. Returns how many
 * there are. The rc_unpriced is a view of config, valid during the call. */
size_t rc_unpriced_find(const rc_prices *prices, const rc_config *config, rc_unpriced_visitor each,
                        void *ctx);

/* Appends "up/m has no price: what it costs does not count for client app and 2 more budgets". */
void rc_unpriced_push(rc_buf *buf, const rc_unpriced *unpriced);

/* Returns advice for a message: how to give a target a price. Static. */
const char *rc_unpriced_advice(void);

#endif
