/* rc_loop: life cycle of one event loop and the handler of its rc_server. Called by gateway.c. */
#include "gateway/loop/loop.h"
#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "gateway/loop/loop_private.h"
#include "gateway/loop/stall.h"
#include "gateway/observe/metrics.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/client/upstream.h"
#include "net/server/responder.h"
#include "net/server/server.h"

#define HANDLES 4
/* Maximum number of connections to one origin. */
#define CONNECTIONS_MAX 60000u
/* Time in which the last error responses are delivered at the end of a drain. After this time all
 * connections are closed. */
#define FINAL_REPLY_MS 3000u

/* ---- stopping ---- */

static void free_loop(rc_loop *loop)
{
    void (*const on_stopped)(void *ctx) = loop->on_stopped;
    void *ctx = loop->ctx;
    const rc_alloc alloc = loop->runtime.alloc;
    rc_runtime_done(&loop->runtime);
    alloc.put(alloc.ctx, loop, sizeof *loop);
    if (on_stopped != NULL)
        on_stopped(ctx);
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

static void on_waiting_closed(void *ctx)
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

/* Closes the loop in this order: the server and its exchanges, the connections to providers, the
 * handles. When all of these are closed, the loop is freed. Called whenever the server, an
 * exchange, a connection to a provider or a handle has closed. */
static void check_end(rc_loop *loop)
{
    rc_runtime *runtime = &loop->runtime;
    if (!runtime->is_closing || !rc_runtime_is_idle(runtime))
        return;
    if (runtime->upstream != NULL) {
        rc_upstream *upstream = runtime->upstream;
        runtime->upstream = NULL;
        rc_upstream_close(upstream, on_upstream_closed, loop);
    }
    if (loop->open_handles == HANDLES && !uv_is_closing((uv_handle_t *)&loop->drain)) {
        uv_close((uv_handle_t *)&loop->drain, on_handle_closed);
        rc_stall_close(&loop->stall, on_stall_closed);
        uv_close((uv_handle_t *)&runtime->acknowledged_async, on_handle_closed);
        rc_waiting_close(&runtime->waiting);
        rc_exchange_close_spares(runtime);
    }
    if (loop->is_upstream_closed && loop->open_handles == 0 && runtime->closing_timers == 0)
        free_loop(loop);
}

static void on_released(void *owner)
{
    check_end(owner);
}

static void on_last_timer(uv_timer_t *timer)
{
    rc_loop *loop = timer->data;
    rc_exchange_close_all(&loop->runtime);
    rc_server_close(&loop->server);
}

/* Called when the drain time is over. Sends an error to the clients that still wait. All
 * connections are closed FINAL_REPLY_MS later. */
static void on_drain_timer(uv_timer_t *timer)
{
    rc_loop *loop = timer->data;
    rc_exchange_drain_all(&loop->runtime);
    (void)uv_timer_start(timer, on_last_timer, FINAL_REPLY_MS, 0);
}

void rc_loop_stop(rc_loop *loop)
{
    if (loop->runtime.is_stopping)
        return;
    loop->runtime.is_stopping = true;
    const rc_config *config = loop->runtime.snapshot_refs->snapshot->config;
    (void)uv_timer_start(&loop->drain, on_drain_timer, config->limits.drain_ms, 0);
    rc_server_stop(&loop->server);
    /* A budget rarely renews during a drain. Clients whose request waits for a budget get an error
     * now and can use another gateway. */
    rc_exchange_drain_paused(&loop->runtime);
}

void rc_loop_close(rc_loop *loop)
{
    loop->runtime.is_stopping = true;
    rc_server_close(&loop->server);
}

/* ---- callbacks of rc_server ---- */

static void on_request(void *ctx, rc_responder *responder, const rc_http1 *reader, const char *head)
{
    rc_loop *loop = ctx;
    if (rc_loop_respond_health(&loop->runtime, responder, reader, head) ||
        rc_loop_respond_root(responder, reader, head))
        return;
    const char *head_copy = rc_responder_keep_head(responder);
    rc_exchange *exchange = head_copy != NULL ? rc_exchange_new(&loop->runtime, responder) : NULL;
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
        rc_exchange_on_sent(exchange);
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
    loop->runtime.is_closing = true;
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

/* Each loop gets an equal share of max_connections. One loop cannot use the unused share of another
 * loop, because loops do not wake each other. */
static rc_server_settings server_settings(const rc_config *config, uint32_t loops)
{
    const uint32_t part = (uint32_t)config->limits.max_connections / loops;
    rc_server_settings http = rc_server_settings_default;
    http.limits.head_bytes = (uint32_t)config->limits.max_header_bytes;
    http.max_connections = part > 0 ? part : 1;
    return http;
}

/* Opens the connections to providers and the server. After RC_E_NOMEM the caller runs the uv loop,
 * which closes the handles that were already opened. */
static rc_status start(rc_loop *loop)
{
    const rc_server_settings http = server_settings(loop->runtime.snapshot_refs->snapshot->config,
                                                    loop->runtime.hub->loop_count);
    rc_upstream_settings upstream = rc_upstream_settings_default();
    upstream.alloc = loop->runtime.alloc;
    /* The loop never needs more connections, because max_in_flight limits the requests. */
    const uint64_t most = loop->runtime.snapshot_refs->snapshot->config->limits.max_in_flight;
    upstream.max_connections = (uint32_t)(most < CONNECTIONS_MAX ? most : CONNECTIONS_MAX);
    rc_status status = rc_upstream_new(loop->runtime.uv_loop, &upstream, &loop->runtime.upstream);
    loop->is_upstream_closed = loop->runtime.upstream == NULL;
    if (status == RC_OK)
        status = rc_server_init(&loop->server, loop->runtime.uv_loop, &loop->runtime.alloc, &http,
                                &handler, loop);
    return status;
}

/* Counts the callbacks of one iteration of the loop that blocked all connections for more than
 * RC_STALL_MS. */
static void on_stall(void *ctx, uint64_t took_ms)
{
    const rc_loop *loop = ctx;
    (void)took_ms;
    rc_metrics_on_stall(loop->runtime.metrics);
    if (loop->runtime.stats != NULL)
        atomic_fetch_add(&loop->runtime.stats->stalls, 1);
}

static bool open_handles(rc_loop *loop)
{
    rc_runtime *runtime = &loop->runtime;
    runtime->waiting.waiting = &runtime->hub->waiting;
    runtime->waiting.on_wake = rc_exchange_on_wake;
    runtime->waiting.on_closed = on_waiting_closed;
    runtime->waiting.ctx = loop;
    if (uv_async_init(runtime->uv_loop, &runtime->acknowledged_async,
                      rc_exchange_on_acknowledgements) != 0)
        return false;
    if (!rc_waiting_open(&runtime->waiting, runtime->uv_loop)) {
        uv_close((uv_handle_t *)&runtime->acknowledged_async, NULL);
        return false;
    }
    (void)uv_timer_init(loop->runtime.uv_loop, &loop->drain);
    rc_stall_init(&loop->stall, loop->runtime.uv_loop, RC_STALL_MS, on_stall, loop);
    loop->drain.data = loop;
    loop->runtime.acknowledged_async.data = &loop->runtime;
    loop->open_handles = HANDLES;
    return true;
}

static void set_runtime(rc_loop *loop, uv_loop_t *uv_loop, const rc_loop_settings *settings)
{
    rc_runtime *runtime = &loop->runtime;
    runtime->uv_loop = uv_loop;
    runtime->hub = settings->hub;
    runtime->server = &loop->server;
    runtime->calls = settings->calls;
    runtime->alloc = settings->alloc;
    runtime->stats = settings->stats;
    runtime->observer = settings->observer;
    runtime->on_released = on_released;
    runtime->owner = loop;
}

rc_loop *rc_loop_new(uv_loop_t *uv_loop, const rc_loop_settings *settings)
{
    const rc_alloc *alloc = &settings->alloc;
    rc_loop *loop = alloc->get(alloc->ctx, sizeof *loop);
    if (loop == NULL)
        return NULL;
    memset(loop, 0, sizeof *loop);
    set_runtime(loop, uv_loop, settings);
    loop->on_stopped = settings->on_stopped;
    loop->ctx = settings->ctx;
    if (!rc_runtime_init(&loop->runtime, settings->loop_number)) {
        alloc->put(alloc->ctx, loop, sizeof *loop);
        return NULL;
    }
    if (!open_handles(loop)) {
        rc_runtime_done(&loop->runtime);
        alloc->put(alloc->ctx, loop, sizeof *loop);
        return NULL;
    }
    if (start(loop) == RC_OK)
        return loop;
    loop->on_stopped = NULL;
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
