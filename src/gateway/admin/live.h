/* rc_admin_live: a stream of ended requests and state changes for the dashboard.
 *
 *   any loop's thread ──publish──► [ bounded batch ] ──async──► main loop ──► GET /admin/v1/live
 *                                               every second ──poll──►       server-sent events
 *
 *   event: operation       one request that ended, with the members of the list of operations
 *   event: quota:warning   a provider's limit is nearly used up; see docs/events.md
 *   event: state           /admin/v1/state; sent first, after each change and every few seconds
 *   event: dropped         number of operations that were left out, because there were too many or
 *                          the client reads slowly
 *
 * Failed and retried requests have a queue of their own, so that many successes cannot displace
 * them. While there is no listener, publishing costs one atomic load. */
#ifndef RC_GATEWAY_ADMIN_LIVE_H
#define RC_GATEWAY_ADMIN_LIVE_H

#include <uv.h>

#include "gateway/admin/server.h"
#include "gateway/observe/exchange_summary.h"

#define RC_ADMIN_LIVE_LISTENERS_MAX 16
/* Maximum number of operations in each of the two queues between two deliveries. */
#define RC_ADMIN_LIVE_BATCH_MAX 128
/* Maximum number of quota warnings between two deliveries. */
#define RC_ADMIN_LIVE_QUOTAS_MAX 32
#define RC_ADMIN_LIVE_BATCH_MS 100
#define RC_ADMIN_LIVE_POLL_MS 1000
/* Number of polls without a change after which the state is sent again. */
#define RC_ADMIN_LIVE_QUIET_POLLS 5

typedef struct rc_admin_live rc_admin_live;

/* Makes a stream of live events. loop, calls: borrows until rc_admin_live_close. alloc, source:
 * copies the structs. Returns NULL if memory runs out. */
rc_admin_live *rc_admin_live_new(uv_loop_t *loop, const rc_alloc *alloc, const rc_sys_calls *calls,
                                 const rc_admin_source *source);

/* Returns whether anyone listens. Any thread may call this function. */
bool rc_admin_live_is_read(const rc_admin_live *live);

/* Publishes a request that ended. Any thread may call this function. record: borrows during the
 * call. */
void rc_admin_live_publish(rc_admin_live *live, const rc_exchange_summary *record);

/* Publishes a warning about a provider's limit. Any thread may call this function. warning: borrows
 * during the call. */
void rc_admin_live_publish_quota(rc_admin_live *live, const rc_quota_warning *warning);

/* Returns the route of the stream. live: borrows until the server has stopped. */
rc_admin_table rc_admin_live_table(rc_admin_live *live);

/* Ends the connections of all listeners, because the token has changed. Listeners may connect
 * again. */
void rc_admin_live_disconnect_all(rc_admin_live *live);

/* Closes the stream and frees it later, while the loop runs. Must be called after the server has
 * stopped and all threads have stopped publishing. live: takes; may be NULL. */
void rc_admin_live_close(rc_admin_live *live);

#endif
