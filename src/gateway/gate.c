#include "gateway/gate.h"

#include "base/str.h"
#include "gateway/job.h"
#include "sys/clock.h"
#include "sys/entropy.h"

#define HANDLES 3
/* To one origin. */
#define CONNECTIONS_MAX 60000u
/* Of a buffer's memory that is kept for the next request. */
#define REST_MAX_BYTES 4096u
/* For words that are told at the end of a drain to leave. */
#define LAST_MS 3000u

/* ---- chance and time ---- */

/* A system without chance still serves: waits and ids are then by the clock. */
static void refill(rc_gate *gate)
{
    if (!rc_entropy_get(gate->settings.calls, gate->chance, sizeof gate->chance)) {
        uint64_t seed = uv_hrtime();
        for (size_t i = 0; i < sizeof gate->chance; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            gate->chance[i] = (uint8_t)(seed >> 56);
        }
    }
    gate->chance_at = 0;
}

void rc_gate_chance(rc_gate *gate, void *bytes, size_t size)
{
    if (sizeof gate->chance - gate->chance_at < size)
        refill(gate);
    memcpy(bytes, gate->chance + gate->chance_at, size);
    gate->chance_at += size;
}

uint64_t rc_gate_chance_u64(rc_gate *gate)
{
    uint64_t number;
    rc_gate_chance(gate, &number, sizeof number);
    return number;
}

rc_id rc_gate_next_id(rc_gate *gate, int64_t now_unix_ms)
{
    uint8_t bytes[10];
    rc_gate_chance(gate, bytes, sizeof bytes);
    return rc_id_make(&gate->ids, now_unix_ms, bytes);
}

int64_t rc_gate_unix_ms(const rc_gate *gate)
{
    return rc_clock_unix_ms(gate->settings.calls);
}

/* ---- buffers ---- */

void rc_gate_drop_buf(rc_buf *buf)
{
    const rc_alloc alloc = buf->alloc;
    const size_t max_bytes = buf->max_bytes;
    rc_buf_done(buf);
    rc_buf_init(buf, &alloc, max_bytes);
}

void rc_gate_rest_buf(rc_buf *buf)
{
    if (buf->size > REST_MAX_BYTES)
        rc_gate_drop_buf(buf);
    else
        rc_buf_reset(buf);
}

/* ---- the end ---- */

static void store(atomic_uint *number, uint32_t value)
{
    atomic_store_explicit(number, value, memory_order_relaxed);
}

static void free_gate(rc_gate *gate)
{
    const rc_gate_settings settings = gate->settings;
    rc_demo_free(gate->demo);
    while (gate->editions != NULL)
        rc_gate_drop_edition(gate, &gate->editions);
    rc_gate_free_spares(gate);
    uv_mutex_destroy(&gate->kept_lock);
    settings.alloc.put(settings.alloc.ctx, gate, sizeof *gate);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

static void check_end(rc_gate *gate);

static void on_handle_closed(uv_handle_t *handle)
{
    rc_gate *gate = handle->data;
    gate->open_handles--;
    check_end(gate);
}

static void on_stall_closed(void *ctx)
{
    rc_gate *gate = ctx;
    gate->open_handles--;
    check_end(gate);
}

static void on_upstream_closed(void *ctx)
{
    rc_gate *gate = ctx;
    gate->is_upstream_closed = true;
    check_end(gate);
}

static void on_demo_idle(void *ctx)
{
    check_end(ctx);
}

/* In order: clients, their jobs, the providers' side. */
static void check_end(rc_gate *gate)
{
    const bool is_idle = gate->demo == NULL || rc_demo_is_idle(gate->demo);
    if (!gate->is_server_stopped || gate->jobs > 0 || gate->owed > 0 || !is_idle)
        return;
    if (gate->upstream != NULL) {
        rc_upstream *upstream = gate->upstream;
        gate->upstream = NULL;
        rc_upstream_close(upstream, on_upstream_closed, gate);
    }
    if (gate->open_handles == HANDLES && !uv_is_closing((uv_handle_t *)&gate->drain)) {
        uv_close((uv_handle_t *)&gate->drain, on_handle_closed);
        rc_stall_close(&gate->stall, on_stall_closed);
        uv_close((uv_handle_t *)&gate->kept_async, on_handle_closed);
        rc_gate_close_spares(gate);
    }
    if (gate->is_upstream_closed && gate->open_handles == 0 && gate->closing_timers == 0)
        free_gate(gate);
}

void rc_gate_job_left(rc_gate *gate)
{
    gate->jobs--;
    if (gate->settings.pulse != NULL)
        store(&gate->settings.pulse->in_flight, gate->jobs);
    if (gate->is_server_stopped)
        check_end(gate);
}

void rc_gate_job_forgotten(rc_gate *gate)
{
    gate->owed--;
    check_end(gate);
}

void rc_gate_timer_closed(rc_gate *gate)
{
    gate->closing_timers--;
    check_end(gate);
}

static void cut_short(rc_gate *gate, bool (*is_meant)(const rc_gate_job *job))
{
    for (rc_gate_job *job = gate->live, *next = NULL; job != NULL; job = next) {
        next = job->live_next;
        if (is_meant(job))
            rc_gate_job_cut_short(job);
    }
}

/* What the store does not say by now it says to nobody. */
static void tell_unsafe(rc_gate *gate)
{
    for (rc_gate_job *job = gate->live, *next = NULL; job != NULL; job = next) {
        next = job->live_next;
        if (job->state == RC_JOB_KEEPING)
            rc_gate_job_on_unsafe(job);
    }
}

static void on_last_timer(uv_timer_t *timer)
{
    rc_gate *gate = timer->data;
    tell_unsafe(gate);
    rc_server_close(&gate->server);
}

static bool is_any(const rc_gate_job *job)
{
    (void)job;
    return true;
}

static bool is_paused(const rc_gate_job *job)
{
    return job->state == RC_JOB_PAUSED;
}

/* Whoever still waits is told; a moment later all is cut. */
static void on_drain_timer(uv_timer_t *timer)
{
    cut_short(timer->data, is_any);
    (void)uv_timer_start(timer, on_last_timer, LAST_MS, 0);
}

void rc_gate_stop(rc_gate *gate)
{
    if (gate->is_stopping)
        return;
    gate->is_stopping = true;
    const rc_config *config = gate->editions->plans->config;
    (void)uv_timer_start(&gate->drain, on_drain_timer, config->limits.drain_ms, 0);
    rc_server_stop(&gate->server);
    /* Money seldom comes while it drains: another gateway may as well wait for it. */
    cut_short(gate, is_paused);
}

void rc_gate_close(rc_gate *gate)
{
    gate->is_stopping = true;
    rc_server_close(&gate->server);
}

void rc_gate_beat(const rc_gate *gate)
{
    const rc_server_stats *clients = rc_server_get_stats(&gate->server);
    const rc_upstream_counts upstream =
        gate->upstream != NULL ? rc_upstream_count(gate->upstream) : (rc_upstream_counts){0};
    const uint32_t busy = upstream.connections - upstream.idle;
    rc_metrics_set_connections(gate->metrics, clients->connections);
    rc_metrics_set_upstream(gate->metrics, upstream.idle, busy);
    rc_metrics_set_redials(gate->metrics, upstream.redialled);
    rc_gate_pulse *pulse = gate->settings.pulse;
    if (pulse == NULL)
        return;
    store(&pulse->connections, clients->connections);
    store(&pulse->in_flight, gate->jobs);
    store(&pulse->upstream_idle, upstream.idle);
    store(&pulse->upstream_busy, busy);
    atomic_store_explicit(&pulse->requests, clients->requests, memory_order_relaxed);
}

/* ---- what rc_server tells ---- */

static void on_request(void *ctx, rc_exchange *exchange, const rc_http1 *reader, const char *head)
{
    rc_gate *gate = ctx;
    if (rc_gate_answer_health(gate, exchange, reader, head) ||
        rc_gate_answer_root(exchange, reader, head))
        return;
    const char *kept = rc_exchange_keep_head(exchange);
    rc_gate_job *job = kept != NULL ? rc_gate_job_new(gate, exchange) : NULL;
    if (job != NULL)
        rc_gate_job_on_head(job, kept);
    else
        rc_exchange_abort(exchange);
}

static void on_body(void *ctx, rc_exchange *exchange, rc_str piece)
{
    rc_gate_job *job = rc_exchange_owner(exchange);
    (void)ctx;
    if (job != NULL)
        rc_gate_job_on_body(job, piece);
}

static void on_body_end(void *ctx, rc_exchange *exchange)
{
    rc_gate_job *job = rc_exchange_owner(exchange);
    (void)ctx;
    if (job != NULL)
        rc_gate_job_on_body_end(job);
}

static void on_drained(void *ctx, rc_exchange *exchange)
{
    rc_gate_job *job = rc_exchange_owner(exchange);
    (void)ctx;
    if (job != NULL)
        rc_gate_job_on_drained(job);
}

static void on_done(void *ctx, rc_exchange *exchange)
{
    rc_gate_job *job = rc_exchange_owner(exchange);
    (void)ctx;
    if (job != NULL)
        rc_gate_job_on_done(job);
}

static void on_gone(void *ctx, rc_exchange *exchange, const rc_gone *gone)
{
    rc_gate_job *job = rc_exchange_owner(exchange);
    (void)ctx;
    if (job != NULL)
        rc_gate_job_on_gone(job, gone);
}

static void on_stopped(void *ctx)
{
    rc_gate *gate = ctx;
    gate->is_server_stopped = true;
    check_end(gate);
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_gone = on_gone,
    .render_refusal = rc_gate_render_refusal,
    .on_stopped = on_stopped,
};

/* ---- the beginning ---- */

/* Each loop has its part of the connections: they do not wake each other, so that they cannot share
 * what is left. */
static rc_server_settings server_settings(const rc_config *config, uint32_t loops)
{
    const uint32_t part = (uint32_t)config->limits.max_connections / loops;
    rc_server_settings http = rc_server_settings_default;
    http.limits.head_bytes = (uint32_t)config->limits.max_header_bytes;
    http.max_connections = part > 0 ? part : 1;
    return http;
}

rc_demo *rc_gate_demo(rc_gate *gate)
{
    if (gate->demo == NULL)
        gate->demo = rc_demo_new(gate->loop, &gate->settings.alloc, on_demo_idle, gate);
    return gate->demo;
}

/* RC_E_NOMEM: the loop has to run before the memory of what was begun is back. */
static rc_status start(rc_gate *gate)
{
    const rc_server_settings http =
        server_settings(gate->editions->plans->config, gate->world->loops);
    rc_upstream_settings upstream = rc_upstream_settings_default();
    upstream.alloc = gate->settings.alloc;
    /* Requests are limited where they come in; providers limit the rest themselves. */
    const uint64_t most = gate->editions->plans->config->limits.max_in_flight;
    upstream.max_connections = (uint32_t)(most < CONNECTIONS_MAX ? most : CONNECTIONS_MAX);
    rc_status status = rc_upstream_new(gate->loop, &upstream, &gate->upstream);
    gate->is_upstream_closed = gate->upstream == NULL;
    if (status == RC_OK)
        status =
            rc_server_init(&gate->server, gate->loop, &gate->settings.alloc, &http, &handler, gate);
    return status;
}

/* A turn of the loop that takes long keeps everybody else waiting. */
static void on_stall(void *ctx, uint64_t took_ms)
{
    const rc_gate *gate = ctx;
    (void)took_ms;
    rc_metrics_on_stall(gate->metrics);
    if (gate->settings.pulse != NULL)
        atomic_fetch_add(&gate->settings.pulse->stalls, 1);
}

static bool open_handles(rc_gate *gate)
{
    if (uv_mutex_init(&gate->kept_lock) != 0)
        return false;
    if (uv_async_init(gate->loop, &gate->kept_async, rc_gate_on_kept) != 0) {
        uv_mutex_destroy(&gate->kept_lock);
        return false;
    }
    (void)uv_timer_init(gate->loop, &gate->drain); /* never fails */
    rc_stall_init(&gate->stall, gate->loop, RC_STALL_MS, on_stall, gate);
    gate->drain.data = gate;
    gate->kept_async.data = gate;
    gate->open_handles = HANDLES;
    return true;
}

rc_gate *rc_gate_new(uv_loop_t *loop, const rc_gate_settings *settings)
{
    const rc_alloc *alloc = &settings->alloc;
    rc_gate *gate = alloc->get(alloc->ctx, sizeof *gate);
    if (gate == NULL)
        return NULL;
    memset(gate, 0, sizeof *gate);
    gate->loop = loop;
    gate->settings = *settings;
    gate->world = settings->world;
    gate->metrics = rc_metrics_shard_get(gate->world->metrics, settings->loop_number);
    gate->chance_at = sizeof gate->chance;
    rc_gate_renew(gate);
    if (gate->editions == NULL || !open_handles(gate)) {
        if (gate->editions != NULL)
            rc_gate_drop_edition(gate, &gate->editions);
        alloc->put(alloc->ctx, gate, sizeof *gate);
        return NULL;
    }
    if (start(gate) == RC_OK)
        return gate;
    gate->settings.on_stopped = NULL;
    on_stopped(gate);
    return NULL;
}

rc_listen_result rc_gate_listen(rc_gate *gate, const char *host, uint16_t port,
                                rc_listen_share share, rc_listening *ret_listening)
{
    return rc_server_listen_tcp(&gate->server, host, port, share, ret_listening);
}

rc_listen_result rc_gate_listen_fd(rc_gate *gate, int fd, rc_listening *ret_listening)
{
    return rc_server_listen_fd(&gate->server, fd, ret_listening);
}

bool rc_gate_adopt(rc_gate *gate, int fd)
{
    return rc_server_adopt(&gate->server, fd);
}
