/* The prices that a configuration names, from wherever they are. */
#ifndef RC_CONFIG_PRICES_LOAD_H
#define RC_CONFIG_PRICES_LOAD_H

#include "config/load.h"
#include "config/prices/prices.h"

/* Loads the file that `prices` names, beside the configuration; without one, the built-in prices.
 * source: the configuration's. RC_OK; RC_E_NOT_FOUND: the file cannot be read, for the reason in
 * ret_source->error; else as rc_prices_parse. rc_prices_done and rc_config_source_done are due in
 * each case. config, source: borrow. */
rc_status rc_prices_load(rc_prices *prices, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const rc_config *config, const rc_config_source *source,
                         rc_config_source *ret_source);

#endif
