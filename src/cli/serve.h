/* `recourse serve`: the gateway as a process.
 *
 *   options ──► configuration ──► rc_gate ──► until SIGINT or SIGTERM; at the second one at once */
#ifndef RC_CLI_SERVE_H
#define RC_CLI_SERVE_H

#include "cli/cli.h"
#include "config/config.h"

typedef struct rc_serve_options {
    const rc_config *config;
    const char *host;
    uint16_t port;
    const char *port_file; /* NULL: none */
    bool is_verbose;       /* a line for each request */
} rc_serve_options;

/* Serves until a signal. The exit status. options: borrows. */
int rc_serve(rc_cli *cli, const rc_serve_options *options);

#endif
