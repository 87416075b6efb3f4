/* The waiting queue of a gateway: its memory, its timer, and the wake-ups of event loops. Called by
 * hub.c, loop.c and exchange.c; rc_shared calls `wake` and `run_at`. */
#include "gateway/state/waiting.h"

#include <string.h>

#include "policy/call_private.h"

/* ---- callbacks of rc_shared, under its lock ---- */

static void wake(void *ctx, void *owner)
{
    rc_waiting *waiting = ctx;
    rc_waiter *waiter = owner;
    rc_waiting_loop *loop = waiter->loop;
    uv_mutex_lock(&waiting->lock);
    if (!waiter->is_woken) {
        waiter->is_woken = true;
        waiter->next = NULL;
        waiter->prev = loop->last;
        if (loop->last != NULL)
            loop->last->next = waiter;
        else
            loop->first = waiter;
        loop->last = waiter;
        (void)uv_async_send(&loop->async);
    }
    uv_mutex_unlock(&waiting->lock);
}

/* The timer is not moved to a later time, because it is set again when it fires. */
static void run_at(void *ctx, uint64_t at_ms)
{
    rc_waiting *waiting = ctx;
    uv_mutex_lock(&waiting->lock);
    waiting->run_at_ms = at_ms;
    if (at_ms < waiting->timer_at_ms && waiting->loops != NULL)
        (void)uv_async_send(&waiting->loops->async);
    uv_mutex_unlock(&waiting->lock);
}

/* ---- on the thread of a loop ---- */

/* Removes the waiter from the list of its loop. The caller holds the lock. */
static void take(rc_waiting_loop *loop, rc_waiter *waiter)
{
    if (waiter->prev != NULL)
        waiter->prev->next = waiter->next;
    else
        loop->first = waiter->next;
    if (waiter->next != NULL)
        waiter->next->prev = waiter->prev;
    else
        loop->last = waiter->prev;
    waiter->is_woken = false;
}

/* Returns the next woken waiter; NULL if there is none. */
static rc_waiter *take_first(rc_waiting_loop *loop)
{
    uv_mutex_lock(&loop->waiting->lock);
    rc_waiter *waiter = loop->first;
    if (waiter != NULL)
        take(loop, waiter);
    uv_mutex_unlock(&loop->waiting->lock);
    return waiter;
}

static void on_timer(uv_timer_t *timer);

/* Sets the timer, if this loop has the timer of the queue and the timer is not early enough. Times
 * are truncated to whole milliseconds; the additional millisecond prevents a run that is too
 * early. */
static void arm(rc_waiting_loop *loop)
{
    rc_waiting *waiting = loop->waiting;
    const uint64_t now_ms = uv_now(loop->timer.loop);
    uv_mutex_lock(&waiting->lock);
    if (waiting->loops == loop && waiting->run_at_ms < waiting->timer_at_ms) {
        const uint64_t at_ms = waiting->run_at_ms + 1;
        waiting->timer_at_ms = waiting->run_at_ms;
        (void)uv_timer_start(&loop->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
    }
    uv_mutex_unlock(&waiting->lock);
}

static void on_timer(uv_timer_t *timer)
{
    rc_waiting_loop *loop = timer->data;
    rc_waiting *waiting = loop->waiting;
    const uint64_t now_ms = uv_now(timer->loop);
    uv_mutex_lock(&waiting->lock);
    const bool is_due = waiting->loops == loop && waiting->run_at_ms <= now_ms;
    waiting->timer_at_ms = RC_UNLIMITED;
    uv_mutex_unlock(&waiting->lock);
    if (is_due)
        rc_shared_run_queue(waiting->shared, now_ms, 0);
    arm(loop);
}

static void on_async(uv_async_t *async)
{
    rc_waiting_loop *loop = async->data;
    for (rc_waiter *waiter; (waiter = take_first(loop)) != NULL;)
        loop->on_wake(waiter);
    arm(loop);
}

void rc_waiting_forget(rc_waiter *waiter)
{
    rc_waiting *waiting = waiter->loop->waiting;
    uv_mutex_lock(&waiting->lock);
    if (waiter->is_woken)
        take(waiter->loop, waiter);
    uv_mutex_unlock(&waiting->lock);
}

/* ---- the list of waiting requests ---- */

void rc_waiting_enter(rc_waiter *waiter, const rc_waiter_facts *facts)
{
    rc_waiting *waiting = waiter->loop->waiting;
    waiter->is_waiting = true;
    uv_mutex_lock(&waiting->lock);
    waiter->facts = *facts;
    waiter->newer = NULL;
    waiter->older = waiting->newest;
    if (waiting->newest != NULL)
        waiting->newest->newer = waiter;
    else
        waiting->oldest = waiter;
    waiting->newest = waiter;
    uv_mutex_unlock(&waiting->lock);
}

void rc_waiting_leave(rc_waiter *waiter)
{
    rc_waiting *waiting = waiter->loop->waiting;
    waiter->is_waiting = false;
    uv_mutex_lock(&waiting->lock);
    if (waiter->older != NULL)
        waiter->older->newer = waiter->newer;
    else
        waiting->oldest = waiter->newer;
    if (waiter->newer != NULL)
        waiter->newer->older = waiter->older;
    else
        waiting->newest = waiter->older;
    uv_mutex_unlock(&waiting->lock);
}

/* Writes the targets that the call can use. Returns their number. */
static uint32_t list_targets(const rc_call *call, uint16_t targets[RC_WAITING_TARGETS_MAX])
{
    uint32_t count = 0;
    for (uint16_t i = 0; i < rc_plan_chain_count(call->plan) && count < RC_WAITING_TARGETS_MAX; i++)
        if ((call->needs & ~call->plan->entries[i].capabilities) == 0)
            targets[count++] = call->plan->entries[i].target;
    return count;
}

/* A request that was granted or refused stays in the list until its loop has noticed this; such a
 * request has no ticket any more and is left out. */
void rc_waiting_list(rc_waiting *waiting, uint32_t max_count,
                     void (*each)(void *ctx, const rc_waiting_row *row), void *ctx,
                     rc_waiting_sums *ret_sums)
{
    const rc_queue *queue = &waiting->queue;
    const uint32_t max_seen = 2 * max_count; /* Bounds the time for which the locks are held. */
    uint32_t count = 0;
    waiting->shared->lock(waiting->shared->lock_ctx);
    *ret_sums = (rc_waiting_sums){.count = queue->count,
                                  .max_count = queue->settings.max_waiting,
                                  .bytes = queue->bytes,
                                  .max_bytes = queue->settings.max_bytes};
    uv_mutex_lock(&waiting->lock);
    const rc_waiter *waiter = waiting->oldest;
    for (uint32_t i = 0; waiter != NULL && count < max_count && i < max_seen; i++) {
        const rc_call *call = waiter->facts.call;
        uint16_t targets[RC_WAITING_TARGETS_MAX];
        if (call->ticket != RC_QUEUE_NONE) {
            const rc_waiting_row row = {
                .facts = &waiter->facts,
                .start_by_ms = queue->entries[call->ticket].start_by_ms,
                .until_ms = queue->entries[call->ticket].leave_at_ms,
                .targets = targets,
                .target_count = list_targets(call, targets),
            };
            each(ctx, &row);
            count++;
        }
        waiter = waiter->newer;
    }
    uv_mutex_unlock(&waiting->lock);
    waiting->shared->unlock(waiting->shared->lock_ctx);
}

/* ---- life cycle ---- */

static void on_handle_closed(uv_handle_t *handle)
{
    rc_waiting_loop *loop = handle->data;
    if (--loop->open_handles == 0)
        loop->on_closed(loop->ctx);
}

bool rc_waiting_open(rc_waiting_loop *loop, uv_loop_t *uv_loop)
{
    rc_waiting *waiting = loop->waiting;
    if (uv_async_init(uv_loop, &loop->async, on_async) != 0)
        return false;
    (void)uv_timer_init(uv_loop, &loop->timer);
    loop->async.data = loop->timer.data = loop;
    loop->open_handles = 2;
    uv_mutex_lock(&waiting->lock);
    rc_waiting_loop **at = &waiting->loops;
    while (*at != NULL)
        at = &(*at)->next;
    *at = loop;
    uv_mutex_unlock(&waiting->lock);
    return true;
}

void rc_waiting_close(rc_waiting_loop *loop)
{
    rc_waiting *waiting = loop->waiting;
    uv_mutex_lock(&waiting->lock);
    rc_waiting_loop **at = &waiting->loops;
    while (*at != loop)
        at = &(*at)->next;
    const bool had_timer = waiting->loops == loop;
    *at = loop->next;
    if (had_timer)
        waiting->timer_at_ms = RC_UNLIMITED;
    if (had_timer && waiting->loops != NULL)
        (void)uv_async_send(&waiting->loops->async);
    uv_mutex_unlock(&waiting->lock);
    uv_close((uv_handle_t *)&loop->async, on_handle_closed);
    uv_close((uv_handle_t *)&loop->timer, on_handle_closed);
}

bool rc_waiting_init(rc_waiting *waiting, rc_shared *shared, const rc_alloc *alloc)
{
    const rc_queue_settings settings = {.max_waiting = 0};
    const rc_queue_owner owner = {.ctx = waiting, .wake = wake, .run_at = run_at};
    *waiting = (rc_waiting){
        .shared = shared, .alloc = *alloc, .run_at_ms = RC_UNLIMITED, .timer_at_ms = RC_UNLIMITED};
    if (uv_mutex_init(&waiting->lock) != 0)
        return false;
    rc_queue_init(&waiting->queue, &settings, NULL, 0);
    rc_shared_set_queue(shared, &waiting->queue, &owner);
    return true;
}

void rc_waiting_done(rc_waiting *waiting)
{
    if (waiting->memory != NULL)
        waiting->alloc.put(waiting->alloc.ctx, waiting->memory,
                           rc_queue_memory_bytes(waiting->queue.capacity));
    uv_mutex_destroy(&waiting->lock);
}

bool rc_waiting_set(rc_waiting *waiting, const rc_queue_settings *settings)
{
    const rc_alloc *alloc = &waiting->alloc;
    const uint32_t capacity = waiting->queue.capacity; /* Only this function changes it. */
    void *memory = NULL;
    if (settings->max_waiting > capacity)
        memory = alloc->get(alloc->ctx, rc_queue_memory_bytes(settings->max_waiting));
    void *old = NULL;
    waiting->shared->lock(waiting->shared->lock_ctx);
    rc_queue_set_settings(&waiting->queue, settings);
    if (memory != NULL) {
        old = waiting->memory;
        waiting->memory = memory;
        rc_queue_grow(&waiting->queue, memory, settings->max_waiting);
    }
    waiting->shared->unlock(waiting->shared->lock_ctx);
    if (old != NULL)
        alloc->put(alloc->ctx, old, rc_queue_memory_bytes(capacity));
    return memory != NULL || settings->max_waiting <= capacity;
}
