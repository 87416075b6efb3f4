/* Tests of the wait of commands: signals, queues of outlets, a libuv loop, and a clock that
 * advances. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <uv.h>

#include <recourse/stdlib.h>

#include "support/real_sys.h"
#include "sys/watch.h"

#define QUEUE_BYTES ((size_t)1 << 16)
/* More bytes than a pipe can contain. */
#define FILLING ((size_t)1 << 20)

static char filling[FILLING];
static rc_watch watch;
static rc_outlet outlet;
static int fds[2];

/* The real system calls are used: the pipe is reopened, so writes to it do not block. */
static int set_up(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    if (pipe(fds) != 0 || rc_watch_init(&watch, &rc_sys_real) != 0)
        return -1;
    rc_sys_real.set_nonblocking(fds[0]);
    rc_outlet_init(&outlet, &rc_sys_real, &alloc, fds[1], QUEUE_BYTES);
    rc_watch_attach(&watch, &outlet);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_outlet_done(&outlet);
    rc_watch_done(&watch);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

/* ---- outlets ---- */

static void fill_queue(void)
{
    assert_true(rc_outlet_write(&outlet, rc_str_make(filling, sizeof filling)) < sizeof filling);
    assert_true(rc_outlet_push(&outlet, RC_STR("xyz")));
}

/* Reads the bytes in the pipe; returns whether they end with "xyz". */
static bool read_all(void)
{
    static char space[FILLING];
    size_t len = 0;
    ssize_t got = read(fds[0], space, sizeof space);
    for (; got > 0; got = read(fds[0], space + len, sizeof space - len))
        len += (size_t)got;
    return len >= 3 && memcmp(space + len - 3, "xyz", 3) == 0;
}

static void a_poll_writes_the_queue(void **state)
{
    (void)state;
    fill_queue();
    assert_int_equal(rc_watch_poll(&watch, NULL, 0, 0), 0);
    assert_false(rc_outlet_is_empty(&outlet));
    assert_false(read_all());
    assert_int_equal(rc_watch_poll(&watch, NULL, 0, RC_WATCH_NEVER), 0);
    assert_true(rc_outlet_is_empty(&outlet));
    assert_true(read_all());
}

static void a_flush_ends_with_the_queue_or_a_signal(void **state)
{
    (void)state;
    fill_queue();
    raise(SIGUSR1);
    raise(SIGTERM);
    assert_int_equal(rc_watch_flush(&watch, false), SIGTERM);
    assert_false(rc_outlet_is_empty(&outlet));
    const uint64_t before_ms = watch.now_ms;
    assert_int_equal(rc_watch_flush(&watch, true), 0);
    assert_true(watch.now_ms >= before_ms + 500);
    read_all();
    assert_int_equal(rc_watch_flush(&watch, false), 0);
    assert_true(read_all());
}

/* ---- a libuv loop ---- */

static void on_timer(uv_timer_t *timer)
{
    *(int *)timer->data += 1;
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    int *count = poll->data;
    assert_int_equal(status, 0);
    assert_int_equal(events, UV_READABLE);
    *count += 10;
    (void)uv_poll_stop(poll);
}

static void start_poll(uv_timer_t *timer)
{
    (void)uv_poll_start(timer->data, UV_READABLE, on_readable);
}

static void a_loop_runs_inside_the_poll(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_timer_t timer;
    uv_poll_t readable;
    int count = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_timer_init(&loop, &timer), 0);
    assert_int_equal(uv_poll_init(&loop, &readable, fds[0]), 0);
    watch.loop = &loop;
    /* A loop without work does not shorten a wait. */
    const uint64_t before_ms = watch.now_ms;
    assert_int_equal(rc_watch_poll(&watch, NULL, 0, before_ms + 20), 0);
    assert_true(watch.now_ms >= before_ms + 20);
    /* A timer of the loop ends a wait. */
    timer.data = &count;
    (void)uv_timer_start(&timer, on_timer, 1, 0);
    while (count == 0)
        assert_int_equal(rc_watch_poll(&watch, NULL, 0, RC_WATCH_NEVER), 0);
    assert_int_equal(count, 1);
    /* A callback adds a descriptor, for which the next poll waits. */
    timer.data = &readable;
    readable.data = &count;
    (void)uv_timer_start(&timer, start_poll, 1, 0);
    assert_int_equal(write(fds[1], "x", 1), 1);
    while (count == 1)
        assert_int_equal(rc_watch_poll(&watch, NULL, 0, RC_WATCH_NEVER), 0);
    assert_int_equal(count, 11);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_close((uv_handle_t *)&readable, NULL);
    while (uv_loop_alive(&loop))
        assert_int_equal(rc_watch_poll(&watch, NULL, 0, RC_WATCH_NEVER), 0);
    assert_int_equal(uv_loop_close(&loop), 0);
}

static void a_signal_ends_the_wait_of_a_loop(void **state)
{
    (void)state;
    uv_loop_t loop;
    uv_timer_t timer;
    int count = 0;
    assert_int_equal(uv_loop_init(&loop), 0);
    assert_int_equal(uv_timer_init(&loop, &timer), 0);
    timer.data = &count;
    (void)uv_timer_start(&timer, on_timer, 3600000, 0);
    watch.loop = &loop;
    raise(SIGTERM);
    struct pollfd fd = {.fd = watch.signal_fd, .events = POLLIN};
    while (fd.revents == 0)
        assert_int_equal(rc_watch_poll(&watch, &fd, 1, RC_WATCH_NEVER), 0);
    assert_int_equal(rc_watch_signal(&watch), SIGTERM);
    assert_int_equal(count, 0);
    uv_close((uv_handle_t *)&timer, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&loop), 0);
}

/* ---- the clock ---- */

static int fail_clock(struct timespec *ret_time)
{
    (void)ret_time;
    return -1;
}

static void a_wait_ends_although_the_clock_stands_still(void **state)
{
    (void)state;
    rc_sys_calls calls = rc_sys_real;
    calls.clock_monotonic = fail_clock;
    watch.calls = &calls;
    const uint64_t until_ms = watch.now_ms + 20;
    while (watch.now_ms < until_ms)
        assert_int_equal(rc_watch_poll(&watch, NULL, 0, until_ms), 0);
    watch.calls = &rc_sys_real;
}

/* ---- signals ---- */

static void a_repeated_signal_within_a_second_is_dropped(void **state)
{
    (void)state;
    raise(SIGTERM);
    assert_int_equal(rc_watch_signal(&watch), SIGTERM);
    raise(SIGTERM);
    assert_int_equal(rc_watch_signal(&watch), 0);
    raise(SIGINT);
    assert_int_equal(rc_watch_signal(&watch), SIGINT);
    watch.now_ms += 999;
    raise(SIGINT);
    assert_int_equal(rc_watch_signal(&watch), 0);
    watch.now_ms += 1;
    raise(SIGINT);
    assert_int_equal(rc_watch_signal(&watch), SIGINT);
    /* Signals that are only forwarded are returned each time they arrive. */
    for (int turn = 0; turn < 2; turn++) {
        raise(SIGUSR1);
        assert_int_equal(rc_watch_signal(&watch), SIGUSR1);
    }
}

static void every_terminating_signal_is_read(void **state)
{
    (void)state;
    static const int others[] = {SIGKILL, SIGSTOP, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGABRT,
                                 SIGTRAP, SIGSYS,  SIGPIPE, SIGTTIN, SIGTTOU, SIGURG};
    for (int number = 1; number <= SIGRTMAX; number++) {
        bool is_other = number > 31 && number < SIGRTMIN;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other = is_other || number == others[i];
        if (is_other)
            continue;
        raise(number);
        assert_int_equal(rc_watch_signal(&watch), number);
        assert_false(rc_signal_is_end(number) && rc_signal_is_message(number));
    }
    assert_true(rc_signal_is_end(SIGALRM));
    assert_true(rc_signal_is_message(SIGRTMIN));
    assert_false(rc_signal_is_end(SIGXFSZ) || rc_signal_is_message(SIGXFSZ));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_poll_writes_the_queue),
        TEST(a_flush_ends_with_the_queue_or_a_signal),
        TEST(a_loop_runs_inside_the_poll),
        TEST(a_signal_ends_the_wait_of_a_loop),
        TEST(a_wait_ends_although_the_clock_stands_still),
        TEST(a_repeated_signal_within_a_second_is_dropped),
        TEST(every_terminating_signal_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
