/* The parsed query string of an audit path.
 *
 *   since=1h&outcome=failed&target=openai/gpt-4o&limit=50     operations
 *   since=24h&by=time,target&step=30m                         statistics
 *
 * The parameters are described at rc_audit_query. An unknown, repeated or invalid parameter is
 * rejected. For an unknown parameter the nearest known name is suggested. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_QUERY_H
#define RC_GATEWAY_ADMIN_AUDIT_QUERY_H

#include "audit/query.h"
#include "gateway/admin/core.h"

#define RC_ADMIN_LIST_DEFAULT 50
#define RC_ADMIN_QUERY_MAX ((size_t)8 << 10)

/* Parses a query. text: without its question mark; borrows during the call. clock: copies the
 * struct. arena: borrows during the call; ret_query views (points into) its memory. Returns false
 * if the query is rejected; ret_problem then has the reason, with texts in the arena. Also returns
 * false if the arena has no memory. */
bool rc_admin_audit_query_parse(rc_str text, rc_audit_query_kind kind, const rc_audit_clock *clock,
                                rc_arena *arena, rc_audit_query *ret_query,
                                rc_admin_problem *ret_problem);

#endif
