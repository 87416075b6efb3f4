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

/* Caller's storage; the fields are private. */
typedef struct rc_admin_audit {
    rc_admin_task_pool *tasks;
    const rc_sys_calls *calls;
    char url[RC_ADMIN_STORE_URL_MAX];
    size_t url_len; /* 0: the audit is off. */
} rc_admin_audit;

/* Initialises it. url: copies; as in rc_store_open; empty: the audit is off. tasks, calls: borrows
 * until the end. False: the url is too long. */
bool rc_admin_audit_init(rc_admin_audit *audit, rc_str url, rc_admin_task_pool *tasks,
                         const rc_sys_calls *calls);

/* The routes of the audit. audit: borrows until the server has stopped. */
rc_admin_table rc_admin_audit_table(rc_admin_audit *audit);

#endif
