/* `recourse serve`: the gateway as a process.
 *
 *   options ──► configuration ──► rc_gateway ──► SIGHUP: reloads the configuration
 *                                            ──► SIGINT, SIGTERM: drains; a second one: at once */
#ifndef RC_CLI_SERVE_SERVE_H
#define RC_CLI_SERVE_SERVE_H

#include "cli/cli.h"

typedef struct rc_serve_options {
    const char *config_path; /* NULL: the default configuration. */
    const char *listen;      /* HOST:PORT; NULL: the address in the configuration. */
    /* HOST:PORT of the admin server, or off; NULL: as in the configuration. */
    const char *admin;
    const char *port_file; /* File to which the port is written; NULL: none. */
    int log_format;        /* rc_config_log_format; -1: the format in the configuration. */
} rc_serve_options;

/* Serves until a signal ends the gateway; returns the exit status. options: borrows during the
 * call. */
int rc_serve(rc_cli *cli, const rc_serve_options *options);

#endif
