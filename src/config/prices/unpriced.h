/* rc_unpriced: the targets without a price that some budget counts. What they cost is nothing to
 * it: it neither warns nor ends.
 *
 * Looked at are the targets of routes, and providers whose models clients can name themselves. A
 * target that leaves the model open counts as one without a price when no model of its provider has
 * one; what the others cost is seen call by call. */
#ifndef RC_CONFIG_PRICES_UNPRICED_H
#define RC_CONFIG_PRICES_UNPRICED_H

#include "config/prices/prices.h"

/* So many are worth a line each. */
#define RC_UNPRICED_SHOWN 16u

typedef struct rc_unpriced {
    rc_str provider;
    rc_str model;       /* "*": any of the provider's */
    const char *kind;   /* of the first budget that counts it: "client", "route", "budget" */
    rc_str name;        /* the same */
    size_t other_count; /* budgets that count it beside this one */
} rc_unpriced;

typedef void (*rc_unpriced_visitor)(void *ctx, const rc_unpriced *unpriced);

/* Calls each for every one of them, once, the first RC_UNPRICED_SHOWN alone; gives how many there
 * are. unpriced: views config. */
size_t rc_unpriced_find(const rc_prices *prices, const rc_config *config, rc_unpriced_visitor each,
                        void *ctx);

/* Appends "up/m has no price: what it costs does not count for client app and 2 more budgets". */
void rc_unpriced_push(rc_buf *buf, const rc_unpriced *unpriced);

/* "give it one under prices, 0 if it is free". Static. */
const char *rc_unpriced_advice(void);

#endif
