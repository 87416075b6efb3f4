/* Connection pools, one per origin: reuse, limits and the queue. Called by call.c, link.c and
 * upstream.c. */
#include "net/client/pool.h"

#include <string.h>

#include "net/client/dial.h"

static rc_pool **slot_of(rc_upstream *upstream, const rc_origin *origin)
{
    return &upstream->pools[origin->hash % RC_UPSTREAM_POOL_SLOTS];
}

static void on_pool_closed(uv_handle_t *handle)
{
    rc_pool *pool = handle->data;
    rc_upstream *upstream = pool->upstream;
    SSL_SESSION_free(pool->session);
    rc_upstream_put(upstream, pool, sizeof(*pool));
    rc_upstream_on_handle_closed(upstream);
}

/* Closes the pool *at. No call and no connection may use it. */
static void close_pool(rc_pool **at)
{
    rc_pool *pool = *at;
    *at = pool->next;
    pool->upstream->counts.origins--;
    uv_close((uv_handle_t *)&pool->timer, on_pool_closed);
}

/* Closes one unused pool to make space for a new pool. Pools become unused because origins change
 * with the configuration. */
static bool evict_unused_pool(rc_upstream *upstream)
{
    if (upstream->counts.origins < upstream->settings.max_origins)
        return true;
    for (size_t i = 0; i < RC_UPSTREAM_POOL_SLOTS; i++)
        for (rc_pool **at = &upstream->pools[i]; *at != NULL; at = &(*at)->next)
            if ((*at)->calls == 0 && (*at)->connection_count == 0) {
                close_pool(at);
                return true;
            }
    return false;
}

static rc_pool *find(rc_upstream *upstream, const rc_origin *origin)
{
    rc_pool *pool = *slot_of(upstream, origin);
    while (pool != NULL && !rc_origin_eq(&pool->origin, origin))
        pool = pool->next;
    return pool;
}

static rc_pool *add(rc_upstream *upstream, const rc_origin *origin)
{
    rc_pool *pool = rc_upstream_get(upstream, sizeof(*pool));
    if (pool == NULL)
        return NULL;
    memset(pool, 0, sizeof(*pool));
    pool->origin = *origin;
    pool->upstream = upstream;
    pool->timer.data = pool;
    uv_timer_init(upstream->loop, &pool->timer);
    upstream->handles++;
    upstream->counts.origins++;
    pool->next = *slot_of(upstream, origin);
    *slot_of(upstream, origin) = pool;
    return pool;
}

static void uncount_connection(rc_pool *pool)
{
    pool->connection_count--;
    pool->upstream->counts.connections--;
}

static void take_out(rc_link *link)
{
    rc_pool *pool = link->pool;
    if (link->next != NULL)
        link->next->prev = link->prev;
    else
        pool->newest = link->prev;
    if (link->prev != NULL)
        link->prev->next = link->next;
    else
        pool->oldest = link->next;
    link->next = link->prev = NULL;
    pool->idle--;
    pool->upstream->counts.idle--;
}

static void put_in(rc_link *link, uint64_t now_ms)
{
    rc_pool *pool = link->pool;
    const rc_upstream_settings *settings = &pool->upstream->settings;
    uint64_t old_at_ms = link->opened_at_ms + settings->age_ms;
    uint64_t until_ms = now_ms + settings->idle_ms;
    link->state = RC_LINK_IDLE;
    link->idle_at_ms = now_ms;
    link->next = NULL;
    link->prev = pool->newest;
    if (pool->newest != NULL)
        pool->newest->next = link;
    else
        pool->oldest = link;
    pool->newest = link;
    pool->idle++;
    pool->upstream->counts.idle++;
    rc_link_set_deadline(link, until_ms < old_at_ms ? until_ms : old_at_ms);
}

/* Closes an idle link without starting a queued call. */
static void close_idle(rc_link *link)
{
    rc_pool *pool = link->pool;
    take_out(link);
    rc_link_close(link, false);
    uncount_connection(pool);
}

/* Starts the call on an idle link. Returns false if no idle link is usable. */
static bool begin_idle(rc_pool *pool, rc_upstream_call *call)
{
    rc_upstream *upstream = pool->upstream;
    while (pool->newest != NULL) {
        rc_link *link = pool->newest;
        uint64_t idle_ms = uv_now(upstream->loop) - link->idle_at_ms;
        if (idle_ms >= upstream->settings.stale_check_ms && rc_link_is_stale(link)) {
            close_idle(link);
            upstream->counts.redialled++;
            continue;
        }
        take_out(link);
        if (rc_upstream_attach(call, link, true)) {
            upstream->counts.reused++;
            return true;
        }
        rc_link_close(link, false);
        uncount_connection(pool);
        upstream->counts.redialled++;
    }
    return false;
}

/* Starts the call on an idle link or with a new dial. Returns RC_UPSTREAM_QUEUE_FULL if there is no
 * idle link and the pool already has max_connections connections. */
static rc_upstream_kind begin_now(rc_pool *pool, rc_upstream_call *call)
{
    if (begin_idle(pool, call))
        return RC_UPSTREAM_NONE;
    if (pool->connection_count >= pool->upstream->settings.max_connections)
        return RC_UPSTREAM_QUEUE_FULL;
    pool->connection_count++;
    pool->upstream->counts.connections++;
    call->state = RC_CALL_DIALING;
    call->dial = rc_dial_new(call);
    if (call->dial != NULL)
        return RC_UPSTREAM_NONE;
    uncount_connection(pool);
    return RC_UPSTREAM_NO_MEMORY;
}

static void leave_queue(rc_upstream_call *call)
{
    rc_pool *pool = call->pool;
    if (call->queue_prev != NULL)
        call->queue_prev->queue_next = call->queue_next;
    else
        pool->first = call->queue_next;
    if (call->queue_next != NULL)
        call->queue_next->queue_prev = call->queue_prev;
    else
        pool->last = call->queue_prev;
    call->queue_next = call->queue_prev = NULL;
    pool->queued--;
    pool->upstream->counts.queued--;
}

/* Fails queued calls that have waited too long. The time limit is the same for all calls, so the
 * first call in the queue expires first. Also fails calls for which there was no memory when a
 * connection became free. */
static void on_queue_timer(uv_timer_t *timer)
{
    rc_pool *pool = timer->data;
    uint64_t now_ms = uv_now(pool->upstream->loop);
    pool->is_timer_on = false;
    pool->calls++;
    while (pool->first != NULL && pool->first->queued_until_ms <= now_ms) {
        rc_upstream_call *call = pool->first;
        rc_upstream_fail(
            call, call->queued_until_ms == 0 ? RC_UPSTREAM_NO_MEMORY : RC_UPSTREAM_QUEUE_TIMEOUT,
            NULL);
    }
    pool->calls--;
    if (pool->first == NULL || pool->is_timer_on || pool->upstream->is_closing)
        return;
    pool->is_timer_on = true;
    uv_timer_start(timer, on_queue_timer, pool->first->queued_until_ms - now_ms, 0);
}

static void enter_queue(rc_pool *pool, rc_upstream_call *call)
{
    uint32_t wait_ms = pool->upstream->settings.queue_ms;
    call->state = RC_CALL_QUEUED;
    call->queued_until_ms = uv_now(pool->upstream->loop) + wait_ms;
    call->queue_next = NULL;
    call->queue_prev = pool->last;
    if (pool->last != NULL)
        pool->last->queue_next = call;
    else
        pool->first = call;
    pool->last = call;
    pool->queued++;
    pool->upstream->counts.queued++;
    if (pool->is_timer_on)
        return;
    pool->is_timer_on = true;
    uv_timer_start(&pool->timer, on_queue_timer, wait_ms, 0);
}

/* Starts queued calls while there are free connections. */
static void serve(rc_pool *pool)
{
    const rc_upstream_settings *settings = &pool->upstream->settings;
    while (pool->first != NULL && !pool->upstream->is_closing &&
           (pool->newest != NULL || pool->connection_count < settings->max_connections)) {
        rc_upstream_call *call = pool->first;
        leave_queue(call);
        if (begin_now(pool, call) == RC_UPSTREAM_NONE)
            continue;
        /* If memory ran out, the call returns to the front of the queue, where on_queue_timer will
         * fail it. */
        call->state = RC_CALL_QUEUED;
        call->queued_until_ms = 0;
        call->queue_next = pool->first;
        if (pool->first != NULL)
            pool->first->queue_prev = call;
        else
            pool->last = call;
        pool->first = call;
        pool->queued++;
        pool->upstream->counts.queued++;
        pool->is_timer_on = true;
        uv_timer_start(&pool->timer, on_queue_timer, 0, 0);
        return;
    }
}

rc_upstream_kind rc_pool_begin(rc_upstream_call *call, const rc_origin *origin)
{
    rc_upstream *upstream = call->upstream;
    rc_upstream_kind kind = RC_UPSTREAM_QUEUE_FULL;
    rc_pool *pool = find(upstream, origin);
    if (pool == NULL && !evict_unused_pool(upstream))
        return RC_UPSTREAM_TOO_MANY_ORIGINS;
    if (pool == NULL)
        pool = add(upstream, origin);
    if (pool == NULL)
        return RC_UPSTREAM_NO_MEMORY;
    call->pool = pool;
    pool->calls++;
    if (pool->first == NULL)
        kind = begin_now(pool, call);
    if (kind == RC_UPSTREAM_QUEUE_FULL && pool->queued < upstream->settings.max_queued) {
        enter_queue(pool, call);
        kind = RC_UPSTREAM_NONE;
    }
    if (kind != RC_UPSTREAM_NONE) {
        pool->calls--;
        call->pool = NULL;
    }
    return kind;
}

static bool is_keepable(rc_link *link, uint64_t now_ms)
{
    const rc_upstream_settings *settings = &link->upstream->settings;
    return link->state == RC_LINK_BUSY && link->writes == 0 && !link->upstream->is_closing &&
           link->requests < settings->max_requests &&
           now_ms - link->opened_at_ms < settings->age_ms && settings->max_idle > 0 &&
           rc_link_start_reading(link);
}

bool rc_pool_leave(rc_upstream_call *call, rc_pool_release_mode mode)
{
    rc_pool *pool = call->pool;
    rc_link *link = call->link;
    uint64_t now_ms = uv_now(call->upstream->loop);
    bool is_kept = false;
    if (call->state == RC_CALL_QUEUED) {
        leave_queue(call);
    } else if (call->dial != NULL) {
        rc_dial *dial = call->dial;
        call->dial = NULL;
        rc_dial_cancel(dial);
        uncount_connection(pool);
    } else if (link != NULL && mode == RC_POOL_KEEP && is_keepable(link, now_ms)) {
        link->call = NULL;
        put_in(link, now_ms);
        is_kept = true;
        if (pool->idle > call->upstream->settings.max_idle)
            close_idle(pool->oldest);
    } else if (link != NULL) {
        rc_link_close(link, mode == RC_POOL_RESET);
        uncount_connection(pool);
    }
    call->link = NULL;
    call->pool = NULL;
    pool->calls--;
    serve(pool);
    return is_kept;
}

bool rc_pool_redial(rc_upstream_call *call)
{
    rc_dial *dial = rc_dial_new(call);
    if (dial == NULL)
        return false;
    rc_link_close(call->link, true);
    call->link = NULL;
    call->dial = dial;
    call->was_reused = false;
    call->state = RC_CALL_DIALING;
    call->upstream->counts.redialled++;
    return true;
}

void rc_pool_discard(rc_link *link)
{
    rc_pool *pool = link->pool;
    close_idle(link);
    serve(pool);
}

void rc_pool_close_all(rc_upstream *upstream)
{
    for (size_t i = 0; i < RC_UPSTREAM_POOL_SLOTS; i++)
        while (upstream->pools[i] != NULL) {
            rc_pool *pool = upstream->pools[i];
            while (pool->newest != NULL)
                close_idle(pool->newest);
            close_pool(&upstream->pools[i]);
        }
}
