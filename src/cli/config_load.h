/* Loading the configuration for a command, and saying what is wrong with it. */
#ifndef RC_CLI_CONFIG_LOAD_H
#define RC_CLI_CONFIG_LOAD_H

#include <recourse/report.h>

#include "cli/cli.h"
#include "config/load.h"

#define RC_EXIT_CONFIG 78

/* Loads it: a path, "-", or NULL for the one that is found. RC_EXIT_OK: *ret_config is the caller's
 * to rc_config_done. Else the exit status, and err holds the reason, every fault with its line:
 *   66  the file cannot be read
 *   78  it is wrong
 *   70  there is no memory for it
 * command: who asks, for the talk. */
int rc_cli_config_load(rc_cli *cli, const char *command, const char *path, rc_config *ret_config);

/* The faults of a source, each as
 *   recourse.yaml:12:7: routes[0].polcy: unknown key; did you mean policy?
 *     12 |     polcy: ...
 *        |     ^
 * A line that may hold a secret is not shown, nor what stands behind a key that is none. buf: where
 * to. */
void rc_config_faults_push(rc_buf *buf, const rc_config_source *source, unsigned width,
                           bool has_utf8);

/* The faults as one ConfigSchemaViolation report: the first is its message, all are in its context.
 * Gives a report. */
const rc_report *rc_config_faults_report(rc_cli *cli, const rc_config_source *source);

/* What rc_cli_config_load says and gives for a status that is not RC_OK. */
int rc_cli_config_refuse(rc_cli *cli, const char *command, const rc_config_source *source,
                         rc_status status);

#endif
