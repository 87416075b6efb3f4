/* rc_admin_audit: queries of the audit over the admin interface.
 *
 *   GET /admin/v1/operations         a page of operations, newest first
 *   GET /admin/v1/operations/{id}    one operation with all its records and reports
 *   GET /admin/v1/stats              sums, grouped by time and other attributes
 *
 * Each query runs on a thread of its own with its own read-only connection to the store. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_H
#define RC_GATEWAY_ADMIN_AUDIT_H

#include "gateway/admin/task.h"

#define RC_ADMIN_STORE_URL_MAX 4200

/* Lives in the caller's storage. The members are private. */
typedef struct rc_admin_audit {
    rc_admin_task_pool *tasks;
    const rc_sys_calls *calls;
    char url[RC_ADMIN_STORE_URL_MAX];
    size_t url_len; /* 0 if the audit is off. */
} rc_admin_audit;

/* Initialises the struct. url: copies the text; has the form that rc_store_open accepts; an empty
 * url means that the audit is off. tasks, calls: borrows until the server has stopped. Returns
 * false if the url is too long. */
bool rc_admin_audit_init(rc_admin_audit *audit, rc_str url, rc_admin_task_pool *tasks,
                         const rc_sys_calls *calls);

/* Returns the routes of the audit. audit: borrows until the server has stopped. */
rc_admin_table rc_admin_audit_table(rc_admin_audit *audit);

#endif
