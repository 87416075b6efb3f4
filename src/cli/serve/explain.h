/* rc_serve_explain: POST /admin/v1/explain, which returns the result of `recourse explain` for the
 * dashboard. The body is the failure in any form that `recourse explain` reads; the parameters
 * ?provider=, ?model= and ?status= add known facts. */
#ifndef RC_CLI_SERVE_EXPLAIN_H
#define RC_CLI_SERVE_EXPLAIN_H

#include "gateway/admin/task.h"

typedef struct rc_hub rc_hub;

/* Caller's storage; the members are private. */
typedef struct rc_serve_explain {
    rc_admin_task_pool *works;
    rc_hub *hub; /* Hub of the snapshot with the rules; NULL: only built-in rules. */
    const rc_sys_calls *calls;
} rc_serve_explain;

/* Returns the endpoint for the admin server. explain: borrows until this server has stopped. */
rc_admin_table rc_serve_explain_table(rc_serve_explain *explain);

#endif
