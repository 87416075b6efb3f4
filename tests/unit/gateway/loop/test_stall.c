/* Tests of callbacks that block an event loop for too long, from a timer and from another thread's
 * message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "gateway/loop/stall.h"

#define LONG_US 80000
#define NEVER_MS ((uint64_t)3600 * 1000)

static uv_loop_t loop;
static rc_stall stall;
static int stalls;
static uint64_t longest_ms;
static bool is_closed;

static void on_stall(void *ctx, uint64_t took_ms)
{
    assert_ptr_equal(ctx, &loop);
    stalls++;
    if (took_ms > longest_ms)
        longest_ms = took_ms;
}

static void on_closed(void *ctx)
{
    (void)ctx;
    is_closed = true;
}

static void start(uint64_t limit_ms)
{
    stalls = 0;
    longest_ms = 0;
    is_closed = false;
    assert_int_equal(uv_loop_init(&loop), 0);
    rc_stall_init(&stall, &loop, limit_ms, on_stall, &loop);
}

static void end(void)
{
    rc_stall_close(&stall, on_closed);
    uv_run(&loop, UV_RUN_DEFAULT);
    assert_true(is_closed);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void on_timer(uv_timer_t *timer)
{
    usleep(LONG_US);
    uv_close((uv_handle_t *)timer, NULL);
}

static void on_message(uv_async_t *message)
{
    usleep(LONG_US);
    uv_close((uv_handle_t *)message, NULL);
}

static void run_both(void)
{
    uv_timer_t timer;
    uv_async_t message;
    uv_timer_init(&loop, &timer);
    uv_timer_start(&timer, on_timer, 0, 0);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_async_init(&loop, &message, on_message);
    uv_async_send(&message);
    uv_run(&loop, UV_RUN_DEFAULT);
}

static void a_long_callback_is_a_stall(void **state)
{
    (void)state;
    start(RC_STALL_MS);
    run_both();
    assert_true(stalls >= 2);
    assert_true(longest_ms > RC_STALL_MS);
    end();
}

/* With a higher limit, the same callbacks are not reported. */
static void a_short_callback_is_no_stall(void **state)
{
    (void)state;
    start(NEVER_MS);
    run_both();
    assert_int_equal(stalls, 0);
    end();
}

/* A loop without other work ends in spite of the check, and a sleeping loop is not reported. */
static void the_check_does_not_keep_the_loop_alive(void **state)
{
    (void)state;
    start(NEVER_MS);
    uv_run(&loop, UV_RUN_DEFAULT);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_callback_is_a_stall),
        cmocka_unit_test(a_short_callback_is_no_stall),
        cmocka_unit_test(the_check_does_not_keep_the_loop_alive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
