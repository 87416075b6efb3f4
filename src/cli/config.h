/* What `recourse config` shows of a configuration that is good. */
#ifndef RC_CLI_CONFIG_H
#define RC_CLI_CONFIG_H

#include "cli/cli.h"
#include "config/prices_load.h"

/* Providers with the state of their keys, routes, policies with their waits: for people, and as one
 * JSON object. buf: where to. */
void rc_config_summary_push(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source);
void rc_config_summary_json(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source);

/* `recourse config prices`: the prices in force. path: of the configuration, as in
 * rc_cli_config_load. Gives the exit status. */
int rc_cli_config_prices(rc_cli *cli, const char *path, bool is_json);

/* What can be said of a secret without reading it: "set", "not set", "missing" ... Gives a static
 * word. */
const char *rc_secret_state(const rc_sys_calls *calls, const rc_secret_ref *ref);

#endif
