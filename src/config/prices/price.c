/* Computes the cost of a charge. Called by the gateway's exchange_ledger.c and budgets.c. */
#include "config/prices/price.h"

#define MILLION UINT64_C(1000000)

/* An exact amount: `whole` millionths of a dollar, and `fraction` millionths of a millionth. */
typedef struct amount {
    uint64_t whole;
    uint64_t fraction;
} amount;

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) || product > RC_COST_MAX ? RC_COST_MAX : product;
}

static void add_whole(amount *sum, uint64_t whole)
{
    sum->whole = whole > RC_COST_MAX - sum->whole ? RC_COST_MAX : sum->whole + whole;
}

/* Adds the cost of `units` at a price per million units. */
static void add(amount *sum, uint64_t units, uint64_t per_million)
{
    add_whole(sum, times(units, per_million / MILLION));
    add_whole(sum, times(units / MILLION, per_million % MILLION));
    sum->fraction += (units % MILLION) * (per_million % MILLION);
    add_whole(sum, sum->fraction / MILLION);
    sum->fraction %= MILLION;
}

uint64_t rc_price_cost(const rc_config_price *price, const rc_charge *charge)
{
    amount sum = {0, 0};
    bool is_free = !charge->is_measured && !charge->is_estimated;
    if (price == NULL || is_free)
        return 0;
    if (price->told && charge->has_cost)
        return charge->cost_micros < RC_COST_MAX ? charge->cost_micros : RC_COST_MAX;
    uint64_t written_5m = charge->written - charge->written_1h;
    add(&sum, charge->input - charge->cached - charge->written, price->input);
    add(&sum, charge->cached, price->cached_input);
    add(&sum, written_5m, price->cache_write);
    add(&sum, charge->written_1h, price->cache_write_1h);
    add(&sum, charge->output, price->output);
    add(&sum, charge->audio_ms, times(price->second, 1000));
    add_whole(&sum, times(charge->images, price->image));
    add_whole(&sum, price->request);
    if (sum.fraction >= MILLION / 2)
        add_whole(&sum, 1);
    return sum.whole;
}
