/* rc_loop: life cycle of one event loop and the handler of its rc_server. Called by gateway.c; its
 * exchanges call the functions of loop_private.h. */
#include "gateway/loop/loop.h"

#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "gateway/observe/metrics.h"
#include "sys/clock.h"
#include "sys/entropy.h"

#define HANDLES 3
/* Maximum number of connections to one origin. */
#define CONNECTIONS_MAX 60000u
/* Largest buffer whose memory is kept for the next request. */
#define RECYCLE_MAX_BYTES 4096u
/* Time to deliver the final errors at the end of a drain before all connections are closed. */
#define FINAL_REPLY_MS 3000u

/* ---- randomness and time ---- */

/* Refills the random bytes. Without a random source they are derived from the clock, so that the
 * gateway still serves; waits and ids need no secrecy. */
static void refill(rc_loop *loop)
{
    if (!rc_entropy_get(loop->settings.calls, loop->entropy, sizeof loop->entropy)) {
        uint64_t seed = uv_hrtime();
        for (size_t i = 0; i < sizeof loop->entropy; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            loop->entropy[i] = (uint8_t)(seed >> 56);
        }
    }
    loop->entropy_at = 0;
}

void rc_loop_entropy(rc_loop *loop, void *bytes, size_t size)
{
    if (sizeof loop->entropy - loop->entropy_at < size)
        refill(loop);
    memcpy(bytes, loop->entropy + loop->entropy_at, size);
    loop->entropy_at += size;
}

uint64_t rc_loop_entropy_u64(rc_loop *loop)
{
    uint64_t number;
    rc_loop_entropy(loop, &number, sizeof number);
    return number;
}

rc_id rc_loop_next_id(rc_loop *loop, int64_t now_unix_ms)
{
    uint8_t bytes[10];
    rc_loop_entropy(loop, bytes, sizeof bytes);
    return rc_id_make(&loop->ids, now_unix_ms, bytes);
}

int64_t rc_loop_unix_ms(const rc_loop *loop)
{
    return rc_clock_unix_ms(loop->settings.calls);
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

/* ---- stopping ---- */

static void store(atomic_uint *number, uint32_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static void free_loop(rc_loop *loop)
{
    const rc_loop_settings settings = loop->settings;
    rc_demo_free(loop->demo);
    while (loop->snapshot_refs != NULL)
        rc_loop_drop_snapshot(loop, &loop->snapshot_refs);
    rc_loop_free_spare_attempts(loop);
    uv_mutex_destroy(&loop->acknowledged_lock);
    settings.alloc.put(settings.alloc.ctx, loop, sizeof *loop);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

static void check_end(rc_loop *loop);

static void on_handle_closed(uv_handle_t *handle)
{
    rc_loop *loop = handle->data;
    loop->open_handles--;
    check_end(loop);
}

static void on_stall_closed(void *ctx)
{
    rc_loop *loop = ctx;
    loop->open_handles--;
    check_end(loop);
}

static void on_upstream_closed(void *ctx)
{
    rc_loop *loop = ctx;
    loop->is_upstream_closed = true;
    check_end(loop);
}

static void on_demo_idle(void *ctx)
{
    check_end(ctx);
}

/* Closes in order: the server and its exchanges, then the connections to providers, then the
 * handles; frees the loop when all are closed. Called whenever one of them has ended. */
static void check_end(rc_loop *loop)
{
    const bool is_idle = loop->demo == NULL || rc_demo_is_idle(loop->demo);
    if (!loop->is_server_stopped || loop->exchange_count > 0 || loop->unacknowledged > 0 ||
        !is_idle)
        return;
    if (loop->upstream != NULL) {
        rc_upstream *upstream = loop->upstream;
        loop->upstream = NULL;
        rc_upstream_close(upstream, on_upstream_closed, loop);
    }
    if (loop->open_handles == HANDLES && !uv_is_closing((uv_handle_t *)&loop->drain)) {
        uv_close((uv_handle_t *)&loop->drain, on_handle_closed);
        rc_stall_close(&loop->stall, on_stall_closed);
        uv_close((uv_handle_t *)&loop->acknowledged_async, on_handle_closed);
        rc_loop_close_spare_exchanges(loop);
    }
    if (loop->is_upstream_closed && loop->open_handles == 0 && loop->closing_timers == 0)
        free_loop(loop);
}

void rc_loop_on_exchange_over(rc_loop *loop)
{
    loop->exchange_count--;
    if (loop->settings.stats != NULL)
        store(&loop->settings.stats->in_flight, loop->exchange_count);
    if (loop->is_server_stopped)
        check_end(loop);
}

void rc_loop_on_exchange_acknowledged(rc_loop *loop)
{
    loop->unacknowledged--;
    check_end(loop);
}

void rc_loop_on_timer_closed(rc_loop *loop)
{
    loop->closing_timers--;
    check_end(loop);
}

static void cut_short(rc_loop *loop, bool (*is_selected)(const rc_exchange *exchange))
{
    for (rc_exchange *exchange = loop->live, *next = NULL; exchange != NULL; exchange = next) {
        next = exchange->live_next;
        if (is_selected(exchange))
            rc_exchange_feed_kind(exchange, RC_INPUT_DRAIN);
    }
}

/* Ends exchanges that still wait for the store. Later acknowledgements reach no client. */
static void end_pending_records(rc_loop *loop)
{
    for (rc_exchange *exchange = loop->live, *next = NULL; exchange != NULL; exchange = next) {
        next = exchange->live_next;
        rc_exchange_feed_kind(exchange, RC_INPUT_CLOSING);
    }
}

static void on_last_timer(uv_timer_t *timer)
{
    rc_loop *loop = timer->data;
    end_pending_records(loop);
    rc_server_close(&loop->server);
}

static bool is_any(const rc_exchange *exchange)
{
    (void)exchange;
    return true;
}

static bool is_paused(const rc_exchange *exchange)
{
    return exchange->machine.state == RC_EXCHANGE_PAUSED;
}

/* Drain time is over: sends an error to the clients that still wait; FINAL_REPLY_MS later all
 * connections are closed. */
static void on_drain_timer(uv_timer_t *timer)
{
    cut_short(timer->data, is_any);
    (void)uv_timer_start(timer, on_last_timer, FINAL_REPLY_MS, 0);
}

void rc_loop_stop(rc_loop *loop)
{
    if (loop->is_stopping)
        return;
    loop->is_stopping = true;
    const rc_config *config = loop->snapshot_refs->snapshot->config;
    (void)uv_timer_start(&loop->drain, on_drain_timer, config->limits.drain_ms, 0);
    rc_server_stop(&loop->server);
    /* A budget rarely renews during a drain. Paused clients get an error now and can go to another
     * gateway. */
    cut_short(loop, is_paused);
}

void rc_loop_close(rc_loop *loop)
{
    loop->is_stopping = true;
    rc_server_close(&loop->server);
}

void rc_loop_publish_stats(const rc_loop *loop)
{
    const rc_server_stats *clients = rc_server_get_stats(&loop->server);
    const rc_upstream_counts upstream =
        loop->upstream != NULL ? rc_upstream_count(loop->upstream) : (rc_upstream_counts){0};
    const uint32_t busy = upstream.connections - upstream.idle;
    rc_metrics_set_connections(loop->metrics, clients->connections);
    rc_metrics_set_upstream(loop->metrics, upstream.idle, busy);
    rc_metrics_set_redials(loop->metrics, upstream.redialled);
    rc_loop_stats *stats = loop->settings.stats;
    if (stats == NULL)
        return;
    store(&stats->connections, clients->connections);
    store(&stats->in_flight, loop->exchange_count);
    store(&stats->upstream_idle, upstream.idle);
    store(&stats->upstream_busy, busy);
    atomic_store_explicit(&stats->requests, clients->requests, memory_order_relaxed);
}

/* ---- callbacks of rc_server ---- */

static void on_request(void *ctx, rc_responder *responder, const rc_http1 *reader, const char *head)
{
    rc_loop *loop = ctx;
    if (rc_loop_respond_health(loop, responder, reader, head) ||
        rc_loop_respond_root(responder, reader, head))
        return;
    const char *head_copy = rc_responder_keep_head(responder);
    rc_exchange *exchange = head_copy != NULL ? rc_exchange_new(loop, responder) : NULL;
    if (exchange != NULL)
        rc_exchange_on_head(exchange, head_copy);
    else
        rc_responder_abort(responder);
}

static void on_body(void *ctx, rc_responder *responder, rc_str piece)
{
    rc_exchange *exchange = rc_responder_owner(responder);
    (void)ctx;
    if (exchange != NULL)
        rc_exchange_on_body(exchange, piece);
}

static void on_body_end(void *ctx, rc_responder *responder)
{
    rc_exchange *exchange = rc_responder_owner(responder);
    (void)ctx;
    if (exchange != NULL)
        rc_exchange_on_body_end(exchange);
}

static void on_drained(void *ctx, rc_responder *responder)
{
    rc_exchange *exchange = rc_responder_owner(responder);
    (void)ctx;
    if (exchange != NULL)
        rc_exchange_on_drained(exchange);
}

static void on_done(void *ctx, rc_responder *responder)
{
    rc_exchange *exchange = rc_responder_owner(responder);
    (void)ctx;
    if (exchange != NULL)
        rc_exchange_feed_kind(exchange, RC_INPUT_SENT);
}

static void on_gone(void *ctx, rc_responder *responder, const rc_disconnect *gone)
{
    rc_exchange *exchange = rc_responder_owner(responder);
    (void)ctx;
    if (exchange != NULL)
        rc_exchange_on_gone(exchange, gone);
}

static void on_stopped(void *ctx)
{
    rc_loop *loop = ctx;
    loop->is_server_stopped = true;
    check_end(loop);
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_disconnect = on_gone,
    .render_refusal = rc_loop_render_refusal,
    .on_stopped = on_stopped,
};

/* ---- starting ---- */

/* Each loop gets an equal share of max_connections. Loops do not wake each other, so they cannot
 * pass on unused capacity. */
static rc_server_settings server_settings(const rc_config *config, uint32_t loops)
{
    const uint32_t part = (uint32_t)config->limits.max_connections / loops;
    rc_server_settings http = rc_server_settings_default;
    http.limits.head_bytes = (uint32_t)config->limits.max_header_bytes;
    http.max_connections = part > 0 ? part : 1;
    return http;
}

rc_demo *rc_loop_demo(rc_loop *loop)
{
    if (loop->demo == NULL)
        loop->demo = rc_demo_new(loop->uv_loop, &loop->settings.alloc, on_demo_idle, loop);
    return loop->demo;
}

/* RC_E_NOMEM: handles that were opened are freed when the uv loop runs. */
static rc_status start(rc_loop *loop)
{
    const rc_server_settings http =
        server_settings(loop->snapshot_refs->snapshot->config, loop->hub->loop_count);
    rc_upstream_settings upstream = rc_upstream_settings_default();
    upstream.alloc = loop->settings.alloc;
    /* max_in_flight limits the requests, so more connections are never needed. */
    const uint64_t most = loop->snapshot_refs->snapshot->config->limits.max_in_flight;
    upstream.max_connections = (uint32_t)(most < CONNECTIONS_MAX ? most : CONNECTIONS_MAX);
    rc_status status = rc_upstream_new(loop->uv_loop, &upstream, &loop->upstream);
    loop->is_upstream_closed = loop->upstream == NULL;
    if (status == RC_OK)
        status = rc_server_init(&loop->server, loop->uv_loop, &loop->settings.alloc, &http,
                                &handler, loop);
    return status;
}

/* Counts an iteration that blocked the other connections for more than RC_STALL_MS. */
static void on_stall(void *ctx, uint64_t took_ms)
{
    const rc_loop *loop = ctx;
    (void)took_ms;
    rc_metrics_on_stall(loop->metrics);
    if (loop->settings.stats != NULL)
        atomic_fetch_add(&loop->settings.stats->stalls, 1);
}

static bool open_handles(rc_loop *loop)
{
    if (uv_mutex_init(&loop->acknowledged_lock) != 0)
        return false;
    if (uv_async_init(loop->uv_loop, &loop->acknowledged_async, rc_loop_on_acknowledged) != 0) {
        uv_mutex_destroy(&loop->acknowledged_lock);
        return false;
    }
    (void)uv_timer_init(loop->uv_loop, &loop->drain);
    rc_stall_init(&loop->stall, loop->uv_loop, RC_STALL_MS, on_stall, loop);
    loop->drain.data = loop;
    loop->acknowledged_async.data = loop;
    loop->open_handles = HANDLES;
    return true;
}

rc_loop *rc_loop_new(uv_loop_t *uv_loop, const rc_loop_settings *settings)
{
    const rc_alloc *alloc = &settings->alloc;
    rc_loop *loop = alloc->get(alloc->ctx, sizeof *loop);
    if (loop == NULL)
        return NULL;
    memset(loop, 0, sizeof *loop);
    loop->uv_loop = uv_loop;
    loop->settings = *settings;
    loop->hub = settings->hub;
    loop->metrics = rc_metrics_shard_get(loop->hub->metrics, settings->loop_number);
    loop->entropy_at = sizeof loop->entropy;
    rc_loop_refresh_snapshot(loop);
    if (loop->snapshot_refs == NULL || !open_handles(loop)) {
        if (loop->snapshot_refs != NULL)
            rc_loop_drop_snapshot(loop, &loop->snapshot_refs);
        alloc->put(alloc->ctx, loop, sizeof *loop);
        return NULL;
    }
    if (start(loop) == RC_OK)
        return loop;
    loop->settings.on_stopped = NULL;
    on_stopped(loop);
    return NULL;
}

rc_listen_result rc_loop_listen(rc_loop *loop, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening)
{
    return rc_server_listen_tcp(&loop->server, host, port, share, ret_listening);
}

rc_listen_result rc_loop_listen_fd(rc_loop *loop, int fd, rc_listening *ret_listening)
{
    return rc_server_listen_fd(&loop->server, fd, ret_listening);
}

bool rc_loop_adopt(rc_loop *loop, int fd)
{
    return rc_server_adopt(&loop->server, fd);
}
