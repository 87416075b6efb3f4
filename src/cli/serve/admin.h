/* The admin server of `recourse serve`. */
#ifndef RC_CLI_SERVE_ADMIN_H
#define RC_CLI_SERVE_ADMIN_H

#include "cli/serve/run.h"

/* Opens the admin server at the configured addresses, if any. Returns RC_EXIT_OK, or the exit
 * status with the reason in err. */
int rc_serve_admin_open(rc_serve_run *run);

/* Called after a reload: applies a changed admin token and closes the live streams that were opened
 * with the old token. */
void rc_serve_admin_renew(rc_serve_run *run);

/* Starts to close the admin server, which calls on_stopped in admin.c when it is closed. */
void rc_serve_admin_stop(rc_serve_run *run);

#endif
