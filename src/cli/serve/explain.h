/* POST /admin/v1/explain: what `recourse explain` says, for the dashboard. The body is the failure
 * as somebody has it, in any form; ?provider=, ?model= and ?status= say what else is known. */
#ifndef RC_CLI_SERVE_EXPLAIN_H
#define RC_CLI_SERVE_EXPLAIN_H

#include "gateway/admin/task.h"
#include "gateway/state/hub.h"

/* The caller's storage; the fields are private. */
typedef struct rc_serve_explain {
    rc_admin_task_pool *works;
    rc_hub *hub; /* NULL: the built-in rules alone */
    const rc_sys_calls *calls;
} rc_serve_explain;

/* Its path. explain: borrows until the server has stopped. */
rc_admin_table rc_serve_explain_table(rc_serve_explain *explain);

#endif
