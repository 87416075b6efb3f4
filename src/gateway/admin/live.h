/* rc_admin_live: requests as they end and states as they change, for whoever watches.
 *
 *   any loop's thread ──tell──► [ box, bounded ] ──async──► main loop ──► GET /admin/v1/live
 *                                                 a second ──look──►       server-sent events
 *
 *   event: operation   one request that ended, with the members that a list of them has
 *   event: quota:warning   a provider's limit is nearly used up: the event of docs/events.md
 *   event: state       /admin/v1/state: at once, when something changed, and every few seconds
 *   event: dropped     how many operations are missing: there were too many, or the reader is slow
 *
 * What failed or needed help has room of its own in the box, so that a flood of successes cannot
 * push it out. While nobody watches, telling costs one look at a number. */
#ifndef RC_GATEWAY_ADMIN_LIVE_H
#define RC_GATEWAY_ADMIN_LIVE_H

#include <uv.h>

#include "gateway/admin/server.h"
#include "gateway/observe/exchange_summary.h"

#define RC_ADMIN_LIVE_LISTENERS_MAX 16
/* Of each sort, between two deliveries. */
#define RC_ADMIN_LIVE_BATCH_MAX 128
/* Of warnings. */
#define RC_ADMIN_LIVE_QUOTAS_MAX 32
#define RC_ADMIN_LIVE_BATCH_MS 100
#define RC_ADMIN_LIVE_POLL_MS 1000
/* Looks between two states when nothing has changed. */
#define RC_ADMIN_LIVE_QUIET_POLLS 5

typedef struct rc_admin_live rc_admin_live;

/* NULL: there is no memory. loop, calls: borrow until closed. alloc, source: copies. */
rc_admin_live *rc_admin_live_new(uv_loop_t *loop, const rc_alloc *alloc, const rc_sys_calls *calls,
                                 const rc_admin_source *source);

/* Any thread. record: borrows. */
void rc_admin_live_publish(rc_admin_live *live, const rc_exchange_summary *record);

/* The same of a provider's limit. news: borrows. */
void rc_admin_live_publish_quota(rc_admin_live *live, const rc_quota_warning *warning);

/* Its path; live: borrows until the server has stopped. */
rc_admin_table rc_admin_live_table(rc_admin_live *live);

/* Nobody watches any more: who may has changed. They may come again. */
void rc_admin_live_disconnect_all(rc_admin_live *live);

/* After the server has stopped and when nobody tells any more. It is freed by the loop. Takes; also
 * NULL. */
void rc_admin_live_close(rc_admin_live *live);

#endif
