/* rc_runtime: time, randomness, ids, config snapshots, connections to providers and counters of the
 * exchanges of one event loop. Called by loop.c and by the files of src/gateway/exchange. */
#include "gateway/runtime/runtime.h"
#include "base/str.h"
#include "gateway/observe/loop_stats.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/demo.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/client/upstream.h"
#include "net/server/server.h"
#include "sys/clock.h"
#include "sys/entropy.h"

/* Largest buffer whose memory is reused for the next request; larger buffers are freed. */
#define RECYCLE_MAX_BYTES 4096u

/* ---- randomness and time ---- */

/* Refills the random bytes. If the random source fails, they are derived from the clock, so that
 * the gateway still works. The clock is good enough for waits and ids, which need no secrecy. */
static void refill(rc_runtime *runtime)
{
    if (!rc_entropy_get(runtime->calls, runtime->entropy, sizeof runtime->entropy)) {
        uint64_t seed = uv_hrtime();
        for (size_t i = 0; i < sizeof runtime->entropy; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            runtime->entropy[i] = (uint8_t)(seed >> 56);
        }
    }
    runtime->entropy_at = 0;
}

void rc_runtime_entropy(rc_runtime *runtime, void *bytes, size_t size)
{
    if (sizeof runtime->entropy - runtime->entropy_at < size)
        refill(runtime);
    memcpy(bytes, runtime->entropy + runtime->entropy_at, size);
    runtime->entropy_at += size;
}

uint64_t rc_runtime_entropy_u64(rc_runtime *runtime)
{
    uint64_t number;
    rc_runtime_entropy(runtime, &number, sizeof number);
    return number;
}

rc_id rc_runtime_next_id(rc_runtime *runtime, int64_t now_unix_ms)
{
    uint8_t bytes[10];
    rc_runtime_entropy(runtime, bytes, sizeof bytes);
    return rc_id_make(&runtime->ids, now_unix_ms, bytes);
}

int64_t rc_runtime_unix_ms(rc_runtime *runtime)
{
    const uint64_t now_ms = rc_runtime_now(runtime);
    if (runtime->unix_ms == 0 || runtime->unix_at_ms != now_ms) {
        runtime->unix_ms = rc_clock_unix_ms(runtime->calls);
        runtime->unix_at_ms = now_ms;
    }
    return runtime->unix_ms;
}

/* ---- reusable buffers ---- */

void rc_buf_release(rc_buf *buf)
{
    const rc_alloc alloc = buf->alloc;
    const size_t max_bytes = buf->max_bytes;
    rc_buf_done(buf);
    rc_buf_init(buf, &alloc, max_bytes);
}

void rc_buf_recycle(rc_buf *buf)
{
    if (buf->size > RECYCLE_MAX_BYTES)
        rc_buf_release(buf);
    else
        rc_buf_reset(buf);
}

/* ---- config snapshots ---- */

static void drop_snapshot(rc_runtime *runtime, rc_snapshot_ref **at)
{
    rc_snapshot_ref *ref = *at;
    *at = ref->next;
    rc_snapshot_release(ref->snapshot);
    runtime->alloc.put(runtime->alloc.ctx, ref, sizeof *ref);
}

/* Replaces the loop's snapshot by the newest one. If memory runs out, the loop continues with the
 * old snapshot, and the next request calls this function again. */
static void refresh_snapshot(rc_runtime *runtime)
{
    const rc_alloc *alloc = &runtime->alloc;
    rc_snapshot_ref *ref = alloc->get(alloc->ctx, sizeof *ref);
    if (ref == NULL)
        return;
    *ref = (rc_snapshot_ref){.next = runtime->snapshot_refs,
                             .snapshot = rc_hub_take_snapshot(runtime->hub)};
    if (ref->snapshot == NULL) {
        alloc->put(alloc->ctx, ref, sizeof *ref);
        return;
    }
    runtime->snapshot_refs = ref;
    if (ref->next != NULL && ref->next->exchange_count == 0)
        drop_snapshot(runtime, &ref->next);
}

static bool is_current(const rc_runtime *runtime)
{
    return runtime->snapshot_refs->snapshot->generation == rc_hub_generation(runtime->hub);
}

rc_snapshot_ref *rc_runtime_acquire_snapshot(rc_runtime *runtime)
{
    if (!is_current(runtime))
        refresh_snapshot(runtime);
    runtime->snapshot_refs->exchange_count++;
    return runtime->snapshot_refs;
}

void rc_runtime_release_snapshot(rc_runtime *runtime, rc_snapshot_ref *ref)
{
    ref->exchange_count--;
    if (ref->exchange_count > 0 || ref == runtime->snapshot_refs)
        return;
    rc_snapshot_ref **at = &runtime->snapshot_refs->next;
    while (*at != ref)
        at = &(*at)->next;
    drop_snapshot(runtime, at);
}

static const rc_snapshot_provider *find_provider(const rc_snapshot *snapshot, rc_str name)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (rc_str_eq(snapshot->providers[i].config->name, name))
            return &snapshot->providers[i];
    return NULL;
}

/* A reload may have changed the provider's pool of credentials, so that a call uses a credential
 * that the exchange's own snapshot lacks. The key of a newer snapshot is used only if the
 * provider's origin is the same in both snapshots, so that no key is sent to another address.
 * Otherwise the first key of the exchange's own snapshot is used. */
bool rc_runtime_find_key(rc_runtime *runtime, const rc_snapshot_provider *provider,
                         uint16_t credential, rc_secret *ret_key)
{
    if (rc_snapshot_provider_key(provider, credential, ret_key))
        return true;
    if (!is_current(runtime))
        refresh_snapshot(runtime);
    for (const rc_snapshot_ref *at = runtime->snapshot_refs; at != NULL; at = at->next) {
        const rc_snapshot_provider *same = find_provider(at->snapshot, provider->config->name);
        if (same != NULL && rc_origin_eq(&same->origin, &provider->origin) &&
            rc_snapshot_provider_key(same, credential, ret_key))
            return true;
    }
    return provider->config->key_count == 0 ||
           rc_snapshot_provider_key(provider, provider->first_key, ret_key);
}

/* ---- the demo provider ---- */

static void on_demo_idle(void *ctx)
{
    rc_runtime_on_released(ctx);
}

rc_demo *rc_runtime_demo(rc_runtime *runtime)
{
    if (runtime->demo == NULL)
        runtime->demo = rc_demo_new(runtime->uv_loop, &runtime->alloc, on_demo_idle, runtime);
    return runtime->demo;
}

/* ---- counters ---- */

static void store(atomic_uint *number, uint32_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

void rc_runtime_publish_stats(const rc_runtime *runtime)
{
    const rc_server_stats *clients = rc_server_get_stats(runtime->server);
    const rc_upstream_counts upstream =
        runtime->upstream != NULL ? rc_upstream_count(runtime->upstream) : (rc_upstream_counts){0};
    const uint32_t busy = upstream.connections - upstream.idle;
    rc_metrics_set_connections(runtime->metrics, clients->connections);
    rc_metrics_set_upstream(runtime->metrics, upstream.idle, busy);
    rc_metrics_set_redials(runtime->metrics, upstream.redialled);
    rc_loop_stats *stats = runtime->stats;
    if (stats == NULL)
        return;
    store(&stats->connections, clients->connections);
    store(&stats->in_flight, runtime->exchange_count);
    store(&stats->upstream_idle, upstream.idle);
    store(&stats->upstream_busy, busy);
    atomic_store_explicit(&stats->requests, clients->requests, memory_order_relaxed);
}

void rc_runtime_on_exchange_over(rc_runtime *runtime)
{
    runtime->exchange_count--;
    if (runtime->stats != NULL)
        store(&runtime->stats->in_flight, runtime->exchange_count);
    rc_runtime_on_released(runtime);
}

/* ---- life cycle ---- */

bool rc_runtime_init(rc_runtime *runtime, uint32_t loop_number)
{
    runtime->metrics = rc_metrics_shard_get(runtime->hub->metrics, loop_number);
    runtime->entropy_at = sizeof runtime->entropy;
    if (uv_mutex_init(&runtime->acknowledged_lock) != 0)
        return false;
    refresh_snapshot(runtime);
    if (runtime->snapshot_refs != NULL)
        return true;
    uv_mutex_destroy(&runtime->acknowledged_lock);
    return false;
}

void rc_runtime_done(rc_runtime *runtime)
{
    rc_demo_free(runtime->demo);
    while (runtime->snapshot_refs != NULL)
        drop_snapshot(runtime, &runtime->snapshot_refs);
    uv_mutex_destroy(&runtime->acknowledged_lock);
}

bool rc_runtime_is_idle(const rc_runtime *runtime)
{
    return runtime->exchange_count == 0 && runtime->unacknowledged == 0 &&
           (runtime->demo == NULL || rc_demo_is_idle(runtime->demo));
}
