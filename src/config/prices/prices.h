/* rc_prices: the prices in force: those of a file, then those that are built in.
 *
 *   as_of: 2026-08-08
 *   prices:
 *     - {kind: openai, model: "gpt-4o-mini*", input: 0.15, output: 0.60, cached_input: 0.075}
 *     - {provider: azure, model: "*", input: 2.20, output: 8.80}
 *
 * The first one that fits counts. A target whose model does not change has the same few candidates
 * for ever; whoever looks for them often can keep what rc_prices_find gave for it and the same
 * answer to "more input than over_input_tokens". */
#ifndef RC_CONFIG_PRICES_PRICES_H
#define RC_CONFIG_PRICES_PRICES_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/status.h>

#include "base/arena.h"
#include "config/config.h"
#include "config/prices/price.h"

/* Every pair is compared. */
#define RC_PRICES_MAX 1024

/* The keys of the file beside its list. */
typedef struct rc_config_prices {
    bool built_in;
} rc_config_prices;

/* The caller's storage. Everything in it lives until done. */
typedef struct rc_prices {
    rc_yaml doc;
    rc_arena arena;
    rc_config_prices settings;
    rc_str as_of; /* "": there is no file, or an empty one */
    rc_config_price *own;
    size_t own_count;
} rc_prices;

/* Without a file: the built-in ones. Needs no done. */
void rc_prices_init(rc_prices *prices);

/* Reads text. RC_OK; RC_E_NOMEM; else faults says what is wrong, as rc_config_parse does.
 * rc_prices_done is due in each case. text: copies. alloc: copies. */
rc_status rc_prices_parse(rc_prices *prices, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults);

/* In any state after one of these, also twice. */
void rc_prices_done(rc_prices *prices);

/* The price of a model, by the kind and the name of its provider; NULL: there is none. Views
 * prices, or static. kind, provider, model: borrow. */
const rc_config_price *rc_prices_find(const rc_prices *prices, rc_str kind, rc_str provider,
                                      rc_str model, uint64_t input_tokens);

/* Has any model of a provider a price? kind, provider: borrow. */
bool rc_prices_has_any(const rc_prices *prices, rc_str kind, rc_str provider);

/* Those in force, in their order; NULL past the end. is_own: of the file. Views prices, or static.
 */
const rc_config_price *rc_prices_at(const rc_prices *prices, size_t index, bool *ret_is_own);

/* "2026-08-08": when the built-in ones held. Static. */
const char *rc_prices_builtin_as_of(void);

#endif
