/* rc_runtime: the services of one event loop for its exchanges: time, randomness and ids, config
 * snapshots, reusable memory, connections to providers, and the queue of acknowledged records.
 *
 *   rc_loop ──owns──► rc_runtime ◄──uses── rc_exchange, rc_attempt
 *      ▲                  │
 *      └── on_released ───┘  while the loop closes
 *
 * Only the loop's own thread uses a runtime, except for the queue of acknowledged records, which
 * the store's thread fills. */
#ifndef RC_GATEWAY_RUNTIME_RUNTIME_H
#define RC_GATEWAY_RUNTIME_RUNTIME_H

#include <uv.h>

#include <recourse/call.h>
#include <recourse/id.h>

#include "base/secret.h"
#include "dialect/event_template.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/waiting.h"

#define RC_RUNTIME_ENTROPY_BYTES 512
/* Maximum number of ended exchanges, and of ended attempts, whose memory is reused for the next
 * requests. */
#define RC_RUNTIME_SPARE_MAX 64
/* Number of event templates. If there are more targets, some of them share a template. */
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

/* This loop's reference to a snapshot of the configuration. The list of references begins with the
 * newest snapshot. A reference to an older snapshot is dropped when the last exchange that uses it
 * is over. */
typedef struct rc_snapshot_ref {
    struct rc_snapshot_ref *next;
    rc_snapshot *snapshot;
    uint32_t exchange_count;
} rc_snapshot_ref;

/* The owner zeroes the struct and sets the members up to and including `owner`. The pointers of
 * these members are borrowed until rc_runtime_done. */
typedef struct rc_runtime {
    uv_loop_t *uv_loop;
    rc_hub *hub;
    const rc_server *server;   /* Read for its counters. */
    const rc_sys_calls *calls; /* Clock and random source. */
    rc_alloc alloc;
    rc_loop_stats *stats; /* NULL: the counters are not published. */
    rc_exchange_observer observer;
    /* Called when an exchange, a record, a timer or a demo call has ended while is_closing is
     * true. */
    void (*on_released)(void *owner);
    void *owner;

    rc_upstream *upstream; /* Opened and closed by the owner. NULL while it is closed. */
    rc_metrics_shard *metrics;
    rc_snapshot_ref *snapshot_refs;
    rc_demo *demo;    /* NULL until a request goes to the demo provider. */
    bool is_stopping; /* The gateway stops: no exchange begins to wait for a budget any more. */
    bool is_closing;  /* The loop closes: no exchange begins any more. */

    uv_async_t acknowledged_async; /* Wakes the loop when the store has acknowledged records. Opened
                                    * and closed by the owner. */
    uv_mutex_t acknowledged_lock;
    rc_exchange *acknowledged; /* Exchanges whose record was acknowledged. Guarded by
                                * acknowledged_lock. */

    rc_waiting_loop waiting; /* Wakes the exchanges of this loop that wait for a target. Opened and
                              * closed by the owner. */

    uint32_t exchange_count; /* Exchanges that are not over. */
    uint32_t unacknowledged; /* Exchanges that ended before the store acknowledged their record. */
    uint32_t closing_timers; /* Timers of freed exchanges that are not closed yet. */
    uint32_t spare_exchange_count;
    uint32_t spare_attempt_count;
    rc_exchange *live; /* List of the exchanges that are not over, newest first. */
    rc_exchange *spare_exchanges;
    rc_attempt *spare_attempts;
    rc_skips skips; /* Chain entries that rc_call skipped during its latest input. */
    rc_event_template templates[RC_RUNTIME_TEMPLATES]; /* Indexed by the metrics row of a target,
                                                        * modulo RC_RUNTIME_TEMPLATES. */

    int64_t unix_ms;     /* Wall time at unix_at_ms. 0: not read yet. */
    uint64_t unix_at_ms; /* Time of the loop at which unix_ms was read. */
    rc_id_maker ids;
    size_t entropy_at;
    uint8_t entropy[RC_RUNTIME_ENTROPY_BYTES];
} rc_runtime;

/* Initialises the members behind `owner`. Returns false if memory runs out; then nothing needs to
 * be freed. */
bool rc_runtime_init(rc_runtime *runtime, uint32_t loop_number);
/* Frees the members that the runtime owns. The runtime must be idle, and the owner must have closed
 * `upstream` and acknowledged_async. */
void rc_runtime_done(rc_runtime *runtime);
/* Returns whether no exchange, record or demo call uses the runtime any more. */
bool rc_runtime_is_idle(const rc_runtime *runtime);

static inline uint64_t rc_runtime_now(const rc_runtime *runtime)
{
    return uv_now(runtime->uv_loop);
}

/* Returns the wall time. The clock is read again when the time of the loop has changed. */
int64_t rc_runtime_unix_ms(rc_runtime *runtime);

/* Writes random bytes from a buffer; one system call fills the buffer for many requests. size: at
 * most RC_RUNTIME_ENTROPY_BYTES. */
void rc_runtime_entropy(rc_runtime *runtime, void *bytes, size_t size);
uint64_t rc_runtime_entropy_u64(rc_runtime *runtime);
rc_id rc_runtime_next_id(rc_runtime *runtime, int64_t now_unix_ms);

/* rc_runtime_acquire_snapshot: returns a reference to the newest snapshot for an exchange.
 * rc_runtime_release_snapshot: releases the reference. */
rc_snapshot_ref *rc_runtime_acquire_snapshot(rc_runtime *runtime);
void rc_runtime_release_snapshot(rc_runtime *runtime, rc_snapshot_ref *ref);

/* Finds a credential's key in the provider's own snapshot or in a newer one. ret_key views (points
 * into) the snapshot. Returns false if no snapshot has the key. */
bool rc_runtime_find_key(rc_runtime *runtime, const rc_snapshot_provider *provider,
                         uint16_t credential, rc_secret *ret_key);

/* Returns the demo provider; creates it at the first call. Returns NULL if memory runs out. */
rc_demo *rc_runtime_demo(rc_runtime *runtime);

/* Empty a buffer for the next request. rc_buf_recycle keeps the memory of a small buffer;
 * rc_buf_release always frees the memory. */
void rc_buf_recycle(rc_buf *buf);
void rc_buf_release(rc_buf *buf);

/* Writes the counters of the server, the exchanges and the connections to the metrics and to
 * `stats`. */
void rc_runtime_publish_stats(const rc_runtime *runtime);

/* Called when an exchange is over. */
void rc_runtime_on_exchange_over(rc_runtime *runtime);

/* Called when an exchange, a record, a timer or a demo call has ended. */
static inline void rc_runtime_on_released(rc_runtime *runtime)
{
    if (runtime->is_closing)
        runtime->on_released(runtime->owner);
}

#endif
