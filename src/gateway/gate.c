#include "gateway/gate.h"

#include "base/str.h"
#include "gateway/job.h"
#include "sys/clock.h"
#include "sys/entropy.h"

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

rc_id rc_gate_next_id(rc_gate *gate)
{
    uint8_t bytes[10];
    rc_gate_chance(gate, bytes, sizeof bytes);
    return rc_id_make(&gate->ids, rc_gate_unix_ms(gate), bytes);
}

int64_t rc_gate_unix_ms(const rc_gate *gate)
{
    return rc_clock_unix_ms(gate->settings.calls);
}

/* ---- the end ---- */

static void free_gate(rc_gate *gate)
{
    const rc_gate_settings settings = gate->settings;
    rc_demo_free(gate->demo);
    rc_gate_plans_done(&gate->plans);
    settings.alloc.put(settings.alloc.ctx, gate, sizeof *gate);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

static void check_end(rc_gate *gate);

static void on_drain_closed(uv_handle_t *handle)
{
    rc_gate *gate = handle->data;
    gate->is_drain_closed = true;
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
    if (!gate->is_server_stopped || gate->jobs > 0 || !is_idle)
        return;
    if (gate->upstream != NULL) {
        rc_upstream *upstream = gate->upstream;
        gate->upstream = NULL;
        rc_upstream_close(upstream, on_upstream_closed, gate);
    }
    if (gate->is_upstream_closed && gate->is_drain_closed)
        free_gate(gate);
}

void rc_gate_job_left(rc_gate *gate)
{
    gate->jobs--;
    check_end(gate);
}

static void on_drain_timer(uv_timer_t *timer)
{
    rc_gate *gate = timer->data;
    rc_server_close(&gate->server);
}

void rc_gate_stop(rc_gate *gate)
{
    if (gate->is_stopping)
        return;
    gate->is_stopping = true;
    (void)uv_timer_start(&gate->drain, on_drain_timer, gate->settings.config->limits.drain_ms, 0);
    rc_server_stop(&gate->server);
}

void rc_gate_close(rc_gate *gate)
{
    gate->is_stopping = true;
    rc_server_close(&gate->server);
}

/* ---- what rc_server tells ---- */

static void on_request(void *ctx, rc_exchange *exchange, const rc_http1 *reader, const char *head)
{
    rc_gate *gate = ctx;
    if (rc_gate_answer_health(gate, exchange, rc_http1_target(reader, head)))
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
    (void)gone;
    if (job != NULL)
        rc_gate_job_on_gone(job);
}

static void on_stopped(void *ctx)
{
    rc_gate *gate = ctx;
    gate->is_server_stopped = true;
    uv_close((uv_handle_t *)&gate->drain, on_drain_closed);
    check_end(gate);
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_gone = on_gone,
    .on_stopped = on_stopped,
};

/* ---- the beginning ---- */

static rc_server_settings server_settings(const rc_config *config)
{
    rc_server_settings http = rc_server_settings_default;
    http.limits.head_bytes = (uint32_t)config->limits.max_header_bytes;
    http.max_connections = (uint32_t)config->limits.max_connections;
    return http;
}

static bool has_demo(const rc_gate *gate)
{
    for (size_t i = 0; i < gate->settings.config->provider_count; i++)
        if (gate->plans.providers[i].is_demo)
            return true;
    return false;
}

/* RC_E_NOMEM: the loop has to run before the memory of what was begun is back. */
static rc_status start(rc_gate *gate)
{
    const rc_server_settings http = server_settings(gate->settings.config);
    rc_upstream_settings upstream = rc_upstream_settings_default();
    upstream.alloc = gate->settings.alloc;
    (void)uv_timer_init(gate->loop, &gate->drain); /* never fails */
    gate->drain.data = gate;
    rc_status status = RC_OK;
    if (has_demo(gate)) {
        gate->demo = rc_demo_new(gate->loop, &gate->settings.alloc, on_demo_idle, gate);
        status = gate->demo != NULL ? RC_OK : RC_E_NOMEM;
    }
    if (status == RC_OK)
        status = rc_upstream_new(gate->loop, &upstream, &gate->upstream);
    gate->is_upstream_closed = gate->upstream == NULL;
    if (status == RC_OK)
        status =
            rc_server_init(&gate->server, gate->loop, &gate->settings.alloc, &http, &handler, gate);
    return status;
}

rc_gate *rc_gate_new(uv_loop_t *loop, const rc_gate_settings *settings,
                     rc_gate_trouble *ret_trouble)
{
    const rc_alloc *alloc = &settings->alloc;
    rc_gate *gate = alloc->get(alloc->ctx, sizeof *gate);
    *ret_trouble = (rc_gate_trouble){.is_memory = true, .text = "there is no memory for it"};
    if (gate == NULL)
        return NULL;
    memset(gate, 0, sizeof *gate);
    gate->loop = loop;
    gate->settings = *settings;
    gate->chance_at = sizeof gate->chance;
    if (!rc_gate_plans_init(&gate->plans, settings->config, settings->calls, alloc, uv_now(loop),
                            ret_trouble)) {
        alloc->put(alloc->ctx, gate, sizeof *gate);
        return NULL;
    }
    if (start(gate) == RC_OK)
        return gate;
    *ret_trouble = (rc_gate_trouble){.is_memory = true, .text = "there is no memory for it"};
    gate->settings.on_stopped = NULL;
    on_stopped(gate);
    return NULL;
}

rc_listen_result rc_gate_listen(rc_gate *gate, const char *host, uint16_t port,
                                rc_listening *ret_listening)
{
    return rc_server_listen_tcp(&gate->server, host, port, false, ret_listening);
}
