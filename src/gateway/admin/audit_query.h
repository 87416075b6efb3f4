/* rc_admin_audit_query: what the query of a path asks of the audit.
 *
 *   since=1h&outcome=failed&target=openai/gpt-4o&limit=50     operations
 *   since=24h&by=time,target&step=30m                         statistics
 *
 * Times are so long ago (15m, 1h, 7d), RFC 3339, or Unix milliseconds. A parameter that is not
 * known, stands there twice or makes no sense is refused, with the one that may have been meant. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_QUERY_H
#define RC_GATEWAY_ADMIN_AUDIT_QUERY_H

#include "gateway/admin/core.h"
#include "store/store.h"

#define RC_ADMIN_LIST_DEFAULT 50
#define RC_ADMIN_LIST_MAX 500
/* Groups of time in one answer. */
#define RC_ADMIN_STEPS_MAX 240
#define RC_ADMIN_QUERY_MAX ((size_t)8 << 10)

typedef enum rc_admin_audit_query_kind {
    RC_ADMIN_QUERY_LIST = 1, /* of operations */
    RC_ADMIN_QUERY_STATS = 2
} rc_admin_audit_query_kind;

typedef struct rc_admin_audit_query {
    rc_store_query query; /* its strings view the arena */
    rc_str id;            /* LIST: the beginning of an id; empty: of any */
    uint32_t by;          /* STATS: RC_STATS_BY_... */
    int64_t step_ms;      /* STATS by time */
    int64_t now_unix_ms;
} rc_admin_audit_query;

/* False: ret_problem says why; its texts are in the arena. text: the query without its question
 * mark; borrows. arena: borrows. Without memory the arena has failed. */
bool rc_admin_audit_query_parse(rc_str text, rc_admin_audit_query_kind kind, int64_t now_unix_ms,
                                rc_arena *arena, rc_admin_audit_query *ret_query,
                                rc_admin_problem *ret_problem);

/* "req_01KE..." and "rep_01KE..." are one operation: the letters alone. Views id. */
rc_str rc_admin_operation_id(rc_str id);

#endif
