/* What the files of rc_loop and rc_exchange share. */
#ifndef RC_GATEWAY_LOOP_LOOP_PRIVATE_H
#define RC_GATEWAY_LOOP_LOOP_PRIVATE_H

#include <recourse/id.h>

#include "dialect/event_template.h"
#include "gateway/loop/demo.h"
#include "gateway/loop/loop.h"
#include "gateway/loop/stall.h"
#include "net/client/upstream.h"
#include "net/server/responder.h"

#define RC_LOOP_ENTROPY_BYTES 512
/* Jobs and tries that are kept for the next requests. */
#define RC_LOOP_SPARE_MAX 64

typedef struct rc_exchange rc_exchange;
typedef struct rc_attempt rc_attempt;

/* An edition of the plans as this loop uses it. The newest is first; older ones are there as long
 * as jobs use them. */
typedef struct rc_snapshot_ref {
    struct rc_snapshot_ref *next;
    rc_snapshot *snapshot;
    uint32_t exchange_count;
} rc_snapshot_ref;

/* More targets than these that stream at once take turns. */
#define RC_LOOP_TEMPLATES 8u

struct rc_loop {
    uv_loop_t *uv_loop;
    rc_loop_settings settings;
    rc_hub *hub;
    rc_snapshot_ref *snapshot_refs;
    rc_server server;
    rc_upstream *upstream;
    rc_demo *demo; /* NULL: no provider has been one */
    rc_metrics_shard *metrics;
    rc_stall stall;
    rc_id_maker ids;
    uv_timer_t drain;

    uv_async_t acknowledged_async; /* the store has kept something */
    uv_mutex_t acknowledged_lock;
    rc_exchange *acknowledged; /* behind kept_lock */

    uint32_t exchange_count; /* that are not over */
    uint32_t unacknowledged; /* that are, and that the store still knows */
    rc_exchange *live;       /* the same, newest first */
    rc_exchange *spare_exchanges;
    uint32_t spare_exchange_count;
    rc_attempt *spare_attempts;
    uint32_t spare_attempt_count;
    uint32_t closing_timers;
    rc_skips skips;                                 /* of the latest input of any call */
    rc_event_template templates[RC_LOOP_TEMPLATES]; /* of what targets stream, by their rows */

    bool is_stopping;
    bool is_server_stopped;
    bool is_upstream_closed;
    uint32_t open_handles; /* of drain, kept_async and stall */
    size_t entropy_at;
    uint8_t entropy[RC_LOOP_ENTROPY_BYTES];
};

static inline uint64_t rc_loop_now(const rc_loop *loop)
{
    return uv_now(loop->uv_loop);
}

/* Bytes by chance: one system call for many. size: at most RC_LOOP_ENTROPY_BYTES. */
void rc_loop_entropy(rc_loop *loop, void *bytes, size_t size);
uint64_t rc_loop_entropy_u64(rc_loop *loop);
rc_id rc_loop_next_id(rc_loop *loop, int64_t now_unix_ms);
int64_t rc_loop_unix_ms(const rc_loop *loop);

/* Looks for a newer edition; and lets go of one, at its place in the list. */
void rc_loop_refresh_snapshot(rc_loop *loop);
void rc_loop_drop_snapshot(rc_loop *loop, rc_snapshot_ref **at);

/* The newest edition, for one more job; and back. */
rc_snapshot_ref *rc_loop_acquire_snapshot(rc_loop *loop);
void rc_loop_release_snapshot(rc_loop *loop, rc_snapshot_ref *ref);

/* The key of a credential, of the job's edition or a newer one. False: none has it. */
bool rc_loop_find_key(rc_loop *loop, const rc_snapshot_provider *provider, uint16_t credential,
                      rc_secret *ret_key);

/* The demo, made when it is first asked. NULL: no memory. */
rc_demo *rc_loop_demo(rc_loop *loop);

/* A buffer rests until the next request: a small one keeps its memory, a large one does not. And
 * one that is not needed for now gives it back, whatever its size. */
void rc_buf_recycle(rc_buf *buf);
void rc_buf_release(rc_buf *buf);

/* Tells how the loop is doing. */
void rc_loop_publish_stats(const rc_loop *loop);

/* A job is over; the store knows one less that is; a spare job's timer is closed. */
void rc_loop_on_exchange_over(rc_loop *loop);
void rc_loop_on_exchange_acknowledged(rc_loop *loop);
void rc_loop_on_timer_closed(rc_loop *loop);

/* The spare jobs' timers are closed; then the memory goes. */
void rc_loop_close_spare_exchanges(rc_loop *loop);
void rc_loop_free_spare_attempts(rc_loop *loop);

/* The store has kept what jobs wait for. */
void rc_loop_on_acknowledged(uv_async_t *async);

/* Paths of our own that are no endpoint of a provider's: health. True: it was answered. */
bool rc_loop_respond_health(rc_loop *loop, rc_responder *responder, const rc_http1 *reader,
                            const char *head);
/* GET and HEAD of "/": what this is, for anybody. True: it was answered. */
bool rc_loop_respond_root(rc_responder *responder, const rc_http1 *reader, const char *head);

/* What a client is told whose request is none, or does not come: in the dialect of its path, else
 * OpenAI's. ctx: the gate. */
void rc_loop_render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page);

/* Appends the list of models: the names that a client of the dialect can request. */
void rc_snapshot_push_models(const rc_snapshot *snapshot, rc_dialect dialect, rc_buf *buf);
/* Appends one of them. route: that the name leads to; id: borrow. */
void rc_snapshot_push_model(const rc_snapshot *snapshot, const rc_route *route, rc_str id,
                            rc_dialect dialect, rc_buf *buf);

#endif
