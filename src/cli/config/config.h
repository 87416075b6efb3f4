/* Output of `recourse config` for a valid configuration. */
#ifndef RC_CLI_CONFIG_CONFIG_H
#define RC_CLI_CONFIG_CONFIG_H

#include "cli/cli.h"
#include "config/prices/load.h"

/* Append a summary to buf, rc_config_summary_push for a person and rc_config_summary_json as one
 * JSON object: providers with the state of their keys, routes, policies with their waits,
 * warnings. */
void rc_config_summary_push(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices);
void rc_config_summary_json(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices);

/* `recourse config prices`: prints the built-in prices and those of the price file, where the file
 * has priority. Returns the exit status. path: like rc_cli_config_load. */
int rc_cli_config_prices(rc_cli *cli, const char *path, bool is_json);

/* `recourse config import FORM FILE`: converts a file of another gateway; the result goes to out,
 * notes about differences to err. form: the format of the file, such as "litellm"; NULL: not given.
 * Returns the exit status: 0, 64 (usage), 65 (invalid file), 66 (unreadable file) or 70 (no
 * memory). */
int rc_cli_config_import(rc_cli *cli, const char *form, const char *path);

#endif
