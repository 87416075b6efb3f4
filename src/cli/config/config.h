/* What `recourse config` shows of a configuration that is good. */
#ifndef RC_CLI_CONFIG_CONFIG_H
#define RC_CLI_CONFIG_CONFIG_H

#include "cli/cli.h"
#include "config/prices/load.h"

/* Providers with the state of their keys, routes, policies with their waits, and what is worth a
 * thought: for people, and as one JSON object. buf: where to. */
void rc_config_summary_push(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices);
void rc_config_summary_json(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices);

/* `recourse config prices`: the prices in force. path: of the configuration, as in
 * rc_cli_config_load. Gives the exit status. */
int rc_cli_config_prices(rc_cli *cli, const char *path, bool is_json);

/* `recourse config import FORM FILE`: a file of another gateway in our form, on out; what is not
 * the same on err. form: NULL for one that is missing. Gives the exit status: 64, 65, 66 or 70. */
int rc_cli_config_import(rc_cli *cli, const char *form, const char *path);

#endif
