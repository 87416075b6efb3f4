/* rc_admin_audit_query: the parsed query string of an audit path.
 *
 *   since=1h&outcome=failed&target=openai/gpt-4o&limit=50     operations
 *   since=24h&by=time,target&step=30m                         statistics
 *
 * Times are durations back from now (15m, 1h, 7d), RFC 3339, or Unix milliseconds. A parameter that
 * is unknown, repeated or invalid is rejected; for an unknown one the nearest known name is
 * suggested. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_QUERY_H
#define RC_GATEWAY_ADMIN_AUDIT_QUERY_H

#include "gateway/admin/core.h"
#include "store/store.h"

#define RC_ADMIN_LIST_DEFAULT 50
#define RC_ADMIN_LIST_MAX 500
/* Maximum number of groups of time in one response. */
#define RC_ADMIN_STEPS_MAX 240
#define RC_ADMIN_QUERY_MAX ((size_t)8 << 10)

typedef enum rc_admin_audit_query_kind {
    RC_ADMIN_QUERY_LIST = 1, /* Operations */
    RC_ADMIN_QUERY_STATS = 2
} rc_admin_audit_query_kind;

typedef struct rc_admin_audit_query {
    rc_store_query query; /* The query; its strings view the arena. */
    rc_str id;            /* LIST: prefix of an id. Empty: any. */
    uint32_t by;          /* STATS: RC_STATS_BY_... */
    int64_t step_ms;      /* STATS by time: length of a group. */
    int64_t now_unix_ms;
} rc_admin_audit_query;

/* Parses a query. text: without its question mark; borrows. arena: borrows. False: ret_problem says
 * why, with texts in the arena; or the arena is out of memory. */
bool rc_admin_audit_query_parse(rc_str text, rc_admin_audit_query_kind kind, int64_t now_unix_ms,
                                rc_arena *arena, rc_admin_audit_query *ret_query,
                                rc_admin_problem *ret_problem);

/* The id without its prefix: "req_01KE..." and "rep_01KE..." belong to one operation. Views id. */
rc_str rc_admin_operation_id(rc_str id);

#endif
