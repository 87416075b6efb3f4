/* `recourse serve`: the gateway as a process.
 *
 *   options ──► configuration ──► rc_gateway ──► SIGHUP: another edition of the configuration
 *                                            ──► SIGINT, SIGTERM: drains; a second one: at once */
#ifndef RC_CLI_SERVE_SERVE_H
#define RC_CLI_SERVE_SERVE_H

#include "cli/cli.h"

typedef struct rc_serve_options {
    const char *config_path; /* NULL: the one that is found */
    const char *listen;      /* HOST:PORT; NULL: the configuration's */
    const char *admin;       /* HOST:PORT of the operator's side, or off; NULL: as configured */
    const char *port_file;   /* NULL: none */
    int log_format;          /* rc_config_log_format; -1: the configuration's */
} rc_serve_options;

/* Serves until a signal. The exit status. options: borrows. */
int rc_serve(rc_cli *cli, const rc_serve_options *options);

#endif
