/* Loads the files that a gateway needs: the configuration, its rules and its prices. */
#ifndef RC_CLI_SERVE_LOAD_H
#define RC_CLI_SERVE_LOAD_H

#include "cli/cli.h"
#include "gateway/state/snapshot_input.h"

/* Returns RC_EXIT_OK and gives *ret_input, which the caller ends with rc_snapshot_input_done.
 * Otherwise returns the exit status with the reason and its position in err. command: the name of
 * the calling command, for messages. path: NULL selects the default configuration. */
int rc_serve_load(rc_cli *cli, const char *command, const char *path, rc_snapshot_input *ret_input);

#endif
