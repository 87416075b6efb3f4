/* rc_stall: measures the time that an event loop's callbacks take. Used by loop.c. */
#include "gateway/loop/stall.h"

static void check(rc_stall *stall, const uv_loop_t *loop)
{
    const uint64_t now_ms = uv_hrtime() / 1000000;
    const uint64_t since_ms = uv_now(loop);
    if (now_ms > since_ms && now_ms - since_ms > stall->limit_ms)
        stall->on_stall(stall->ctx, now_ms - since_ms);
}

/* Called by libuv after the callbacks of timers and of pending work. */
static void on_before_sleep(uv_prepare_t *handle)
{
    check(handle->data, handle->loop);
}

/* Called by libuv after the callbacks of sockets and of wake-ups by other threads. */
static void on_after_work(uv_check_t *handle)
{
    check(handle->data, handle->loop);
}

void rc_stall_init(rc_stall *stall, uv_loop_t *loop, uint64_t limit_ms,
                   void (*on_stall)(void *ctx, uint64_t took_ms), void *ctx)
{
    *stall = (rc_stall){.limit_ms = limit_ms, .on_stall = on_stall, .ctx = ctx, .open_handles = 2};
    /* libuv documents that these calls never fail. */
    (void)uv_prepare_init(loop, &stall->before_sleep);
    (void)uv_check_init(loop, &stall->after_work);
    stall->before_sleep.data = stall;
    stall->after_work.data = stall;
    (void)uv_prepare_start(&stall->before_sleep, on_before_sleep);
    (void)uv_check_start(&stall->after_work, on_after_work);
    uv_unref((uv_handle_t *)&stall->before_sleep);
    uv_unref((uv_handle_t *)&stall->after_work);
}

static void on_handle_closed(uv_handle_t *handle)
{
    rc_stall *stall = handle->data;
    if (--stall->open_handles == 0 && stall->on_closed != NULL)
        stall->on_closed(stall->ctx);
}

void rc_stall_close(rc_stall *stall, void (*on_closed)(void *ctx))
{
    stall->on_closed = on_closed;
    uv_close((uv_handle_t *)&stall->before_sleep, on_handle_closed);
    uv_close((uv_handle_t *)&stall->after_work, on_handle_closed);
}
