/* What a gateway is made of, from its files: the configuration and what it names. */
#ifndef RC_CLI_SERVE_LOAD_H
#define RC_CLI_SERVE_LOAD_H

#include "cli/cli.h"
#include "gateway/state/snapshot.h"

/* Loads it all. RC_EXIT_OK: *ret_input is the caller's to rc_snapshot_input_done. Else the exit
 * status, and err says what is wrong and where. command: who asks, for the talk. path: NULL for the
 * configuration that is found. */
int rc_serve_load(rc_cli *cli, const char *command, const char *path, rc_snapshot_input *ret_input);

#endif
