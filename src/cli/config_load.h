/* Loads the configuration for a command and prints its faults. */
#ifndef RC_CLI_CONFIG_LOAD_H
#define RC_CLI_CONFIG_LOAD_H

#include <recourse/report.h>

#include "cli/cli.h"
#include "config/load.h"

#define RC_EXIT_CONFIG 78

/* Loads the configuration from path, from standard input ("-"), or from the default location
 * (NULL). Returns RC_EXIT_OK and gives *ret_config, which the caller ends with rc_config_done.
 * Otherwise err holds the reason (every fault with its line), and the result is the exit status
 *   66  the file cannot be read
 *   78  the configuration is invalid
 *   70  out of memory
 * command: the name of the calling command, for the message. */
int rc_cli_config_load(rc_cli *cli, const char *command, const char *path, rc_config *ret_config);

/* Appends the faults of a configuration source to buf, each as
 *   recourse.yaml:12:7: routes[0].polcy: unknown key; did you mean policy?
 *     12 |     polcy: ...
 *        |     ^
 * A source line that may hold a secret is left out, and so is the value of an unknown key. */
void rc_config_faults_push(rc_buf *buf, const rc_config_source *source, unsigned width,
                           bool has_utf8);

/* Gives one ConfigSchemaViolation report for all faults of the source: its message is the first
 * fault, its context has all listed faults. */
const rc_report *rc_config_faults_report(rc_cli *cli, const rc_config_source *source);

/* Prints the message that rc_cli_config_load prints if loading the source failed with status, and
 * returns the exit status for it. */
int rc_cli_config_refuse(rc_cli *cli, const char *command, const rc_config_source *source,
                         rc_status status);

#endif
