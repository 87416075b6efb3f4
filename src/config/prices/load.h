/* Loads the price file that a configuration names. */
#ifndef RC_CONFIG_PRICES_LOAD_H
#define RC_CONFIG_PRICES_LOAD_H

#include "config/load.h"
#include "config/prices/prices.h"

/* Loads the file that the configuration's key `prices` names, relative to the configuration file,
 * which `source` describes. If the configuration has no key `prices`, sets the built-in prices.
 * Returns RC_E_NOT_FOUND if the file cannot be read, with the reason in ret_source->error;
 * otherwise the status of rc_prices_parse. The caller must call rc_prices_done(prices) and
 * rc_config_source_done(ret_source) in each case. config, source: borrows during the call. */
rc_status rc_prices_load(rc_prices *prices, const rc_sys_calls *calls, const rc_alloc *alloc,
                         const rc_config *config, const rc_config_source *source,
                         rc_config_source *ret_source);

#endif
