/* rc_prices: the list of prices: first those of the price file, then the built-in prices.
 *
 *   as_of: 2026-08-08
 *   prices:
 *     - {kind: openai, model: "gpt-4o-mini*", input: 0.15, output: 0.60, cached_input: 0.075}
 *     - {provider: azure, model: "*", input: 2.20, output: 8.80}
 *
 * The first row that matches applies. A caller may cache the result of rc_prices_find for a model
 * as long as the number of input tokens stays on the same side of each over_input_tokens. */
#ifndef RC_CONFIG_PRICES_PRICES_H
#define RC_CONFIG_PRICES_PRICES_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>

#include "base/arena.h"
#include "config/config.h"
#include "config/prices/price.h"

/* Maximum number of rows in the file. The check for unreachable rows compares every pair. */
#define RC_PRICES_MAX 1024

/* The simple values of the price file. */
typedef struct rc_config_prices {
    bool built_in;
} rc_config_prices;

/* The prices, in the caller's storage. Pointers into the prices are valid until rc_prices_done. */
typedef struct rc_prices {
    rc_yaml doc;
    rc_arena arena;
    rc_config_prices settings;
    rc_str as_of; /* Date of the file's prices; "": no file, or an empty file. */
    rc_config_price *own;
    size_t own_count;
} rc_prices;

/* Sets the built-in prices. rc_prices_done is not required afterwards. */
void rc_prices_init(rc_prices *prices);

/* Parses a price file. Returns RC_OK or RC_E_NOMEM; if the text has errors, adds them to `faults`
 * and returns a status as rc_config_parse does. The caller must call rc_prices_done in each case.
 * text: copies. alloc: copies the struct. */
rc_status rc_prices_parse(rc_prices *prices, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* Frees the memory of `prices`. May be called after any result of the functions above, and more
 * than once. */
void rc_prices_done(rc_prices *prices);

/* Returns the price of a model for a provider of this kind and name and a request with
 * input_tokens, or NULL if there is no price. The result points into prices, or is static. kind,
 * provider, model: borrows during the call. */
const rc_config_price *rc_prices_find(const rc_prices *prices, rc_str kind, rc_str provider,
                                      rc_str model, uint64_t input_tokens);

/* Returns whether any model of the provider has a price. kind, provider: borrows during the
 * call. */
bool rc_prices_has_any(const rc_prices *prices, rc_str kind, rc_str provider);

/* Returns the price at `index`, in the order in which rc_prices_find searches, or NULL if the index
 * is too large. *ret_is_own is true if the price is from the file. The result points into prices,
 * or is static. */
const rc_config_price *rc_prices_at(const rc_prices *prices, size_t index, bool *ret_is_own);

/* Returns the static date of the built-in prices, such as "2026-08-08". */
const char *rc_prices_builtin_as_of(void);

#endif
