/* rc_admin_audit: the audit, as the operator's side shows it.
 *
 *   GET /admin/v1/operations         a page of them, the newest first
 *   GET /admin/v1/operations/{id}    one, with all of its records and reports
 *   GET /admin/v1/stats              added up, by time and by what else is asked for
 *
 * Each question has a connection of its own that only reads, on a thread of its own. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_H
#define RC_GATEWAY_ADMIN_AUDIT_H

#include "gateway/admin/task.h"

#define RC_ADMIN_STORE_URL_MAX 4200

/* The caller's storage; the fields are private. */
typedef struct rc_admin_audit {
    rc_admin_task_pool *tasks;
    const rc_sys_calls *calls;
    char url[RC_ADMIN_STORE_URL_MAX];
    size_t url_len; /* 0: there is no audit */
} rc_admin_audit;

/* url: of the store, as in rc_store_open; empty: there is none; copies. works, calls: borrow until
 * the end. False: the url is too long. */
bool rc_admin_audit_init(rc_admin_audit *audit, rc_str url, rc_admin_task_pool *tasks,
                         const rc_sys_calls *calls);

/* Its paths; audit: borrows until the server has stopped. */
rc_admin_table rc_admin_audit_table(rc_admin_audit *audit);

#endif
