/* Bytes as a price file. A refused file has faults; a valid one has a date and prices within their
 * limits, each of which applies to some request, and no cost is above its ceiling. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/utf8.h"
#include "config/prices/prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_price(const rc_prices *prices, const rc_config_price *price)
{
    static const rc_charge large = {.input = 100000000,
                                    .output = UINT64_MAX,
                                    .cached = 7,
                                    .written = 9,
                                    .written_1h = 3,
                                    .images = 1000000,
                                    .audio_ms = 1000000,
                                    .is_measured = true};
    require(price->model.len > 0, "a price is for a model");
    require(price->input <= RC_PRICE_MAX && price->output <= RC_PRICE_MAX, "within its bounds");
    require(price->cached_input <= RC_PRICE_MAX && price->cache_write <= RC_PRICE_MAX &&
                price->cache_write_1h <= RC_PRICE_MAX,
            "for caches too");
    require(rc_price_cost(price, &large) <= RC_COST_MAX, "no cost is above its ceiling");
    rc_str kind = price->kind.len > 0 ? price->kind : RC_STR("no-such-kind");
    rc_str provider = price->provider.len > 0 ? price->provider : RC_STR("no such provider");
    require(rc_prices_find(prices, kind, provider, price->model, price->over_input_tokens + 1) !=
                NULL,
            "what is priced is found");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_prices prices;
    rc_config_faults faults;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    rc_status status = rc_prices_parse(
        &prices, rc_str_make(size > 0 ? (const char *)data : NULL, size), &alloc, &faults);
    require((status == RC_OK) == (faults.count == 0), "what is refused has a fault");
    for (size_t i = 0; i < rc_config_faults_listed(&faults); i++) {
        require(faults.list[i].message[0] != '\0', "a fault says something");
        require(rc_utf8_is_valid(rc_str_c(faults.list[i].message)), "in UTF-8");
    }
    if (status == RC_OK) {
        require(prices.own_count == 0 || prices.as_of.len == 10, "prices have a date");
        for (size_t i = 0; i < prices.own_count; i++)
            check_price(&prices, &prices.own[i]);
    }
    rc_prices_done(&prices);
    return 0;
}
