/* The parsed query string of an audit path.
 *
 *   since=1h&outcome=failed&target=openai/gpt-4o&limit=50     operations
 *   since=24h&by=time,target&step=30m                         statistics
 *
 * rc_audit_query has the parameters. One that is unknown, repeated or invalid is rejected; for an
 * unknown one the nearest known name is suggested. */
#ifndef RC_GATEWAY_ADMIN_AUDIT_QUERY_H
#define RC_GATEWAY_ADMIN_AUDIT_QUERY_H

#include "audit/query.h"
#include "gateway/admin/core.h"

#define RC_ADMIN_LIST_DEFAULT 50
#define RC_ADMIN_QUERY_MAX ((size_t)8 << 10)

/* Parses a query. text: without its question mark; borrows. clock: copies. arena: borrows; the
 * query views it. False: ret_problem says why, with texts in the arena; or the arena is out of
 * memory. */
bool rc_admin_audit_query_parse(rc_str text, rc_audit_query_kind kind, const rc_audit_clock *clock,
                                rc_arena *arena, rc_audit_query *ret_query,
                                rc_admin_problem *ret_problem);

#endif
