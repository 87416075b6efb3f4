/* The operator's side of `recourse serve`: where it listens, what it shows, what it does. */
#ifndef RC_CLI_SERVE_ADMIN_H
#define RC_CLI_SERVE_ADMIN_H

#include "cli/serve/run.h"

/* Opens it where the configuration says, or nowhere. RC_EXIT_OK; else the exit status, and err says
 * why not. */
int rc_serve_admin_open(rc_serve_run *run);

/* Another edition may have another token. */
void rc_serve_admin_renew(rc_serve_run *run);

/* Ends it; on_stopped of rc_serve_run's counting follows. */
void rc_serve_admin_stop(rc_serve_run *run);

#endif
