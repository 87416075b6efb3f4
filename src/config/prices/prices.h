/* rc_prices: the prices in force, those of the price file before the built-in ones.
 *
 *   as_of: 2026-08-08
 *   prices:
 *     - {kind: openai, model: "gpt-4o-mini*", input: 0.15, output: 0.60, cached_input: 0.075}
 *     - {provider: azure, model: "*", input: 2.20, output: 8.80}
 *
 * The first row that matches applies. The result of rc_prices_find for a target with a fixed model
 * can be cached as long as the input stays on the same side of each over_input_tokens. */
#ifndef RC_CONFIG_PRICES_PRICES_H
#define RC_CONFIG_PRICES_PRICES_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>

#include "base/arena.h"
#include "config/config.h"
#include "config/prices/price.h"

/* Upper limit of the file's rows: the check for unreachable rows compares every pair. */
#define RC_PRICES_MAX 1024

/* The simple values of the price file. */
typedef struct rc_config_prices {
    bool built_in;
} rc_config_prices;

/* Prices in the caller's storage. The pointers are valid until rc_prices_done. */
typedef struct rc_prices {
    rc_yaml doc;
    rc_arena arena;
    rc_config_prices settings;
    rc_str as_of; /* Date of the file's prices; "": no file, or an empty one. */
    rc_config_price *own;
    size_t own_count;
} rc_prices;

/* Sets the built-in prices. rc_prices_done is not required afterwards. */
void rc_prices_init(rc_prices *prices);

/* Parses a price file. Returns RC_OK, RC_E_NOMEM, or as rc_config_parse with the errors in faults.
 * The caller calls rc_prices_done in each case. text: copies. alloc: copies. */
rc_status rc_prices_parse(rc_prices *prices, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* Frees what prices holds. Valid after any of the functions above, and more than once. */
void rc_prices_done(rc_prices *prices);

/* Returns the price of a model by the kind and name of its provider and the input tokens of the
 * request; NULL: no price. The result is a view of prices, or static. kind, provider, model:
 * borrow. */
const rc_config_price *rc_prices_find(const rc_prices *prices, rc_str kind, rc_str provider,
                                      rc_str model, uint64_t input_tokens);

/* Whether any model of the provider has a price. kind, provider: borrow. */
bool rc_prices_has_any(const rc_prices *prices, rc_str kind, rc_str provider);

/* Returns the price at an index, in matching order; NULL past the end. ret_is_own: whether it is
 * from the file. The result is a view of prices, or static. */
const rc_config_price *rc_prices_at(const rc_prices *prices, size_t index, bool *ret_is_own);

/* Returns the date of the built-in prices, "2026-08-08". Static. */
const char *rc_prices_builtin_as_of(void);

#endif
