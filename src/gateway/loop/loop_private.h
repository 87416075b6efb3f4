/* The rc_loop struct and the loop's functions for its own files and for rc_exchange. */
#ifndef RC_GATEWAY_LOOP_LOOP_PRIVATE_H
#define RC_GATEWAY_LOOP_LOOP_PRIVATE_H

#include <recourse/id.h>

#include "dialect/event_template.h"
#include "gateway/loop/demo.h"
#include "gateway/loop/loop.h"
#include "gateway/loop/stall.h"
#include "gateway/state/hub.h"
#include "net/client/upstream.h"
#include "net/server/responder.h"

#define RC_LOOP_ENTROPY_BYTES 512
/* Exchanges and attempts whose memory is kept for the next requests; at most so many of each. */
#define RC_LOOP_SPARE_MAX 64

typedef struct rc_exchange rc_exchange;
typedef struct rc_attempt rc_attempt;
typedef struct rc_metrics_shard rc_metrics_shard;

/* This loop's reference to a snapshot. The newest is first in the list; older ones stay as long as
 * exchanges use them. */
typedef struct rc_snapshot_ref {
    struct rc_snapshot_ref *next;
    rc_snapshot *snapshot;
    uint32_t exchange_count;
} rc_snapshot_ref;

/* Event templates per loop. With more targets that stream at once, two targets share a slot. */
#define RC_LOOP_TEMPLATES 8u

struct rc_loop {
    uv_loop_t *uv_loop;
    rc_loop_settings settings;
    rc_hub *hub;
    rc_snapshot_ref *snapshot_refs;
    rc_server server;
    rc_upstream *upstream;
    rc_demo *demo; /* NULL: no request has gone to the demo provider. */
    rc_metrics_shard *metrics;
    rc_stall stall;
    rc_id_maker ids;
    uv_timer_t drain;

    uv_async_t acknowledged_async; /* Wakes the loop: the store has acknowledged records. */
    uv_mutex_t acknowledged_lock;
    rc_exchange *acknowledged; /* Exchanges whose record was acknowledged. Guarded by
                                * acknowledged_lock. */

    uint32_t exchange_count; /* Exchanges that are not over. */
    uint32_t unacknowledged; /* Exchanges that ended before the store acknowledged their record. */
    rc_exchange *live;       /* List of the exchanges that are not over, newest first. */
    rc_exchange *spare_exchanges;
    uint32_t spare_exchange_count;
    rc_attempt *spare_attempts;
    uint32_t spare_attempt_count;
    uint32_t closing_timers;
    rc_skips skips;                                 /* Targets that the latest call step passed
                                                     * over. */
    rc_event_template templates[RC_LOOP_TEMPLATES]; /* Event templates of streams, indexed by target
                                                     * row. */

    bool is_stopping;
    bool is_server_stopped;
    bool is_upstream_closed;
    uint32_t open_handles; /* Open handles among drain, acknowledged_async and stall. */
    size_t entropy_at;
    uint8_t entropy[RC_LOOP_ENTROPY_BYTES];
};

static inline uint64_t rc_loop_now(const rc_loop *loop)
{
    return uv_now(loop->uv_loop);
}

/* Random bytes; one system call serves many requests. size: at most RC_LOOP_ENTROPY_BYTES. */
void rc_loop_entropy(rc_loop *loop, void *bytes, size_t size);
uint64_t rc_loop_entropy_u64(rc_loop *loop);
rc_id rc_loop_next_id(rc_loop *loop, int64_t now_unix_ms);
int64_t rc_loop_unix_ms(const rc_loop *loop);

/* rc_loop_refresh_snapshot: adds a reference to the hub's newest snapshot to the list.
 * rc_loop_drop_snapshot: removes the reference at this link of the list and frees it. */
void rc_loop_refresh_snapshot(rc_loop *loop);
void rc_loop_drop_snapshot(rc_loop *loop, rc_snapshot_ref **at);

/* Gives the newest snapshot to one more exchange; release returns it. */
rc_snapshot_ref *rc_loop_acquire_snapshot(rc_loop *loop);
void rc_loop_release_snapshot(rc_loop *loop, rc_snapshot_ref *ref);

/* Finds a credential's key in the provider's own snapshot or in a newer one. ret_key: views. False:
 * no snapshot has it. */
bool rc_loop_find_key(rc_loop *loop, const rc_snapshot_provider *provider, uint16_t credential,
                      rc_secret *ret_key);

/* The demo provider, created by the first call. NULL: out of memory. */
rc_demo *rc_loop_demo(rc_loop *loop);

/* Both empty a buffer for the next request. rc_buf_recycle keeps the memory of a small buffer;
 * rc_buf_release always frees it. */
void rc_buf_recycle(rc_buf *buf);
void rc_buf_release(rc_buf *buf);

/* Writes the loop's counters to the metrics and to settings.stats. */
void rc_loop_publish_stats(const rc_loop *loop);

/* Called when an exchange is over; when the store has acknowledged the record of an exchange that
 * was over before; and when the timer of a spare exchange is closed. */
void rc_loop_on_exchange_over(rc_loop *loop);
void rc_loop_on_exchange_acknowledged(rc_loop *loop);
void rc_loop_on_timer_closed(rc_loop *loop);

/* rc_loop_close_spare_exchanges: closes the timers of spare exchanges; their memory is freed once
 * these are closed. */
void rc_loop_close_spare_exchanges(rc_loop *loop);
void rc_loop_free_spare_attempts(rc_loop *loop);

/* Handles the exchanges on the acknowledged list. Runs on the loop's thread. */
void rc_loop_on_acknowledged(uv_async_t *async);

/* Responds to the paths of the health endpoints. True: it has responded. */
bool rc_loop_respond_health(rc_loop *loop, rc_responder *responder, const rc_http1 *reader,
                            const char *head);
/* Responds to GET and HEAD of "/" with a short page about the gateway. True: it has responded. */
bool rc_loop_respond_root(rc_responder *responder, const rc_http1 *reader, const char *head);

/* Renders the error for a request that is malformed or does not arrive completely: in the dialect
 * of its path, else in OpenAI's. ctx: the rc_loop. */
void rc_loop_render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);

#endif
