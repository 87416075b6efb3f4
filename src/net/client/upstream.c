/* The upstream client of one loop: creation, shutdown, counters. Called by the gateway's loops,
 * src/client, the doctor's probe and the other files of net/client. */
#include "net/client/upstream.h"

#include <string.h>

#include <recourse/stdlib.h>

#include "net/client/pool.h"

rc_upstream_settings rc_upstream_settings_default(void)
{
    return (rc_upstream_settings){
        .max_connections = 128,
        .max_idle = 64,
        .max_requests = 10000,
        .max_queued = 1024,
        .max_origins = 256,
        .idle_ms = 55 * 1000,
        .age_ms = 10 * 60 * 1000,
        .queue_ms = 5 * 1000,
        .next_dial_ms = 250,
        .stale_check_ms = 100,
        .send_high_bytes = 256 << 10,
        .send_low_bytes = 64 << 10,
        .limits = rc_http1_limits_default,
        .resolve = {.cache_ms = 30 * 1000, .names_max = 256},
        .alloc = rc_alloc_stdlib(),
    };
}

rc_status rc_upstream_new(uv_loop_t *loop, const rc_upstream_settings *settings,
                          rc_upstream **ret_upstream)
{
    rc_upstream *upstream = settings->alloc.get(settings->alloc.ctx, sizeof(*upstream));
    if (upstream == NULL)
        return RC_E_NOMEM;
    memset(upstream, 0, offsetof(rc_upstream, read));
    upstream->loop = loop;
    upstream->settings = *settings;
    upstream->tls = settings->tls;
    rc_resolver_init(&upstream->resolver, loop, &settings->resolve, settings->alloc);
    upstream->handles = 1;
    *ret_upstream = upstream;
    return RC_OK;
}

bool rc_upstream_has_tls(rc_upstream *upstream)
{
    const rc_tls_settings settings = {.ca_file = NULL};
    const char *why = NULL;
    if (upstream->sink == NULL) {
        upstream->sink = rc_upstream_get(upstream, sizeof(*upstream->sink));
        if (upstream->sink != NULL)
            upstream->sink->len = 0;
    }
    if (upstream->plain == NULL)
        upstream->plain = rc_upstream_get(upstream, RC_TLS_PLAIN_BYTES);
    if (upstream->tls == NULL) {
        upstream->tls = rc_tls_new(&settings, &why);
        upstream->owns_tls = upstream->tls != NULL;
    }
    return upstream->sink != NULL && upstream->plain != NULL && upstream->tls != NULL;
}

void rc_upstream_on_handle_closed(rc_upstream *upstream)
{
    if (--upstream->handles > 0)
        return;
    void (*on_closed)(void *) = upstream->on_closed;
    void *ctx = upstream->closed_ctx;
    if (upstream->owns_tls)
        rc_tls_free(upstream->tls);
    rc_upstream_put(upstream, upstream->sink, sizeof(*upstream->sink));
    rc_upstream_put(upstream, upstream->plain, RC_TLS_PLAIN_BYTES);
    rc_alloc alloc = upstream->settings.alloc;
    alloc.put(alloc.ctx, upstream, sizeof(*upstream));
    if (on_closed != NULL)
        on_closed(ctx);
}

/* Called when the resolver has closed. The resolver counts as one handle. */
static void on_resolver_closed(void *ctx)
{
    rc_upstream_on_handle_closed(ctx);
}

/* Called when the timer has closed. This timer ensures that on_closed is called from the loop even
 * if no other handle is open. */
static void on_timer_closed(uv_handle_t *handle)
{
    rc_upstream *upstream = handle->data;
    rc_upstream_on_handle_closed(upstream);
}

void rc_upstream_close(rc_upstream *upstream, void (*on_closed)(void *ctx), void *ctx)
{
    upstream->on_closed = on_closed;
    upstream->closed_ctx = ctx;
    upstream->is_closing = true;
    upstream->handles++;
    upstream->close_timer.data = upstream;
    uv_timer_init(upstream->loop, &upstream->close_timer);
    uv_close((uv_handle_t *)&upstream->close_timer, on_timer_closed);
    while (upstream->live != NULL)
        rc_upstream_fail(upstream->live, RC_UPSTREAM_SHUTDOWN, NULL);
    rc_pool_close_all(upstream);
    rc_resolver_close(&upstream->resolver, on_resolver_closed, upstream);
}

rc_upstream_counts rc_upstream_count(const rc_upstream *upstream)
{
    return upstream->counts;
}
