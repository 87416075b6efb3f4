/* rc_runtime: what the exchanges of one event loop run on: time, randomness and ids, config
 * snapshots, spare memory, connections to providers, and the queue of acknowledged records.
 *
 *   rc_loop ──owns──► rc_runtime ◄──uses── rc_exchange, rc_attempt
 *      ▲                  │
 *      └── on_released ───┘  while the loop closes
 *
 * Only the loop's own thread uses it, except for the members of the queue. */
#ifndef RC_GATEWAY_RUNTIME_RUNTIME_H
#define RC_GATEWAY_RUNTIME_RUNTIME_H

#include <uv.h>

#include <recourse/call.h>
#include <recourse/id.h>

#include "base/secret.h"
#include "dialect/event_template.h"
#include "gateway/observe/exchange_summary.h"

#define RC_RUNTIME_ENTROPY_BYTES 512
/* Exchanges and attempts whose memory is kept for the next requests; at most so many of each. */
#define RC_RUNTIME_SPARE_MAX 64
/* Event templates. With more targets that stream at once, two targets share a slot. */
#define RC_RUNTIME_TEMPLATES 8u

typedef struct rc_attempt rc_attempt;
typedef struct rc_demo rc_demo;
typedef struct rc_exchange rc_exchange;
typedef struct rc_hub rc_hub;
typedef struct rc_loop_stats rc_loop_stats;
typedef struct rc_metrics_shard rc_metrics_shard;
typedef struct rc_server rc_server;
typedef struct rc_snapshot rc_snapshot;
typedef struct rc_snapshot_provider rc_snapshot_provider;
typedef struct rc_sys_calls rc_sys_calls;
typedef struct rc_upstream rc_upstream;

/* This loop's reference to a snapshot. The newest is first in the list; older ones stay as long as
 * exchanges use them. */
typedef struct rc_snapshot_ref {
    struct rc_snapshot_ref *next;
    rc_snapshot *snapshot;
    uint32_t exchange_count;
} rc_snapshot_ref;

/* Zeroed by the owner, which then sets the members up to `owner`. All pointers are borrowed. */
typedef struct rc_runtime {
    uv_loop_t *uv_loop;
    rc_hub *hub;
    const rc_server *server;   /* For its counters. */
    const rc_sys_calls *calls; /* Clock and random source. */
    rc_alloc alloc;
    rc_loop_stats *stats; /* NULL: not published. */
    rc_exchange_observer observer;
    /* While is_closing: something has ended that the owner may wait for. */
    void (*on_released)(void *owner);
    void *owner;

    rc_upstream *upstream; /* The owner opens and closes it. NULL: closed. */
    rc_metrics_shard *metrics;
    rc_snapshot_ref *snapshot_refs;
    rc_demo *demo;    /* NULL: no request has gone to the demo provider. */
    bool is_stopping; /* No wait for a budget begins any more. */
    bool is_closing;  /* No exchange begins any more. */

    uv_async_t acknowledged_async; /* Wakes the loop: the store has acknowledged records. The owner
                                    * opens and closes it. */
    uv_mutex_t acknowledged_lock;
    rc_exchange *acknowledged; /* Exchanges whose record was acknowledged. Guarded by
                                * acknowledged_lock. */

    uint32_t exchange_count; /* Exchanges that are not over. */
    uint32_t unacknowledged; /* Exchanges that ended before the store acknowledged their record. */
    uint32_t closing_timers; /* Timers of freed exchanges that are not closed yet. */
    uint32_t spare_exchange_count;
    uint32_t spare_attempt_count;
    rc_exchange *live; /* List of the exchanges that are not over, newest first. */
    rc_exchange *spare_exchanges;
    rc_attempt *spare_attempts;
    rc_skips skips; /* Targets that the latest call step passed over. */
    rc_event_template templates[RC_RUNTIME_TEMPLATES]; /* Indexed by target row. */

    rc_id_maker ids;
    size_t entropy_at;
    uint8_t entropy[RC_RUNTIME_ENTROPY_BYTES];
} rc_runtime;

/* Initialises the other members. False: out of memory, and nothing is left to free. */
bool rc_runtime_init(rc_runtime *runtime, uint32_t loop_number);
/* Frees what the runtime owns. It must be idle, its upstream client and its async closed. */
void rc_runtime_done(rc_runtime *runtime);
/* True: no exchange, no record and no demo call is left that the runtime must outlive. */
bool rc_runtime_is_idle(const rc_runtime *runtime);

static inline uint64_t rc_runtime_now(const rc_runtime *runtime)
{
    return uv_now(runtime->uv_loop);
}

int64_t rc_runtime_unix_ms(const rc_runtime *runtime);

/* Random bytes; one system call serves many requests. size: at most RC_RUNTIME_ENTROPY_BYTES. */
void rc_runtime_entropy(rc_runtime *runtime, void *bytes, size_t size);
uint64_t rc_runtime_entropy_u64(rc_runtime *runtime);
rc_id rc_runtime_next_id(rc_runtime *runtime, int64_t now_unix_ms);

/* Gives the newest snapshot to one more exchange; release returns it. */
rc_snapshot_ref *rc_runtime_acquire_snapshot(rc_runtime *runtime);
void rc_runtime_release_snapshot(rc_runtime *runtime, rc_snapshot_ref *ref);

/* Finds a credential's key in the provider's own snapshot or in a newer one. ret_key: views. False:
 * no snapshot has it. */
bool rc_runtime_find_key(rc_runtime *runtime, const rc_snapshot_provider *provider,
                         uint16_t credential, rc_secret *ret_key);

/* The demo provider, created by the first call. NULL: out of memory. */
rc_demo *rc_runtime_demo(rc_runtime *runtime);

/* Both empty a buffer for the next request. rc_buf_recycle keeps the memory of a small buffer;
 * rc_buf_release always frees it. */
void rc_buf_recycle(rc_buf *buf);
void rc_buf_release(rc_buf *buf);

/* Writes the counters of the server, the exchanges and the connections to the metrics and to
 * `stats`. */
void rc_runtime_publish_stats(const rc_runtime *runtime);

/* An exchange is over. */
void rc_runtime_on_exchange_over(rc_runtime *runtime);

/* An exchange, a record, a timer or a demo call has ended. */
static inline void rc_runtime_on_released(rc_runtime *runtime)
{
    if (runtime->is_closing)
        runtime->on_released(runtime->owner);
}

#endif
