/* Tests of the terminal of a waiting command: its line, Esc, signals and resizes. Real terminals
 * are tested in tests/fault and tests/e2e/exec.bats. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "sys/console.h"

enum {
    OURS = 100,
    OTHER = 200
};

static rc_sys_calls calls;
static pid_t holder;
static int columns;
static int keys[2];   /* the two ends of the keyboard: the terminal's and the user's */
static int screen[2]; /* the two ends of the screen, which is also standard error */
static rc_watch watch;
static rc_tty tty;
static rc_outlet err;
static rc_console console;

static pid_t get_holder(int fd)
{
    (void)fd;
    return holder;
}

static int get_columns(int fd)
{
    (void)fd;
    return columns;
}

static int set_modes(int fd, int when, const struct termios *modes)
{
    (void)fd;
    (void)when;
    (void)modes;
    return 0;
}

static int flush(int fd, int queue)
{
    (void)fd;
    (void)queue;
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    calls = rc_sys_real;
    calls.tcgetpgrp = get_holder;
    calls.tcsetattr = set_modes;
    calls.tcflush = flush;
    calls.columns = get_columns;
    holder = OURS;
    columns = 0;
    if (pipe(keys) != 0 || pipe(screen) != 0 || rc_watch_init(&watch, &calls) != 0)
        return -1;
    calls.set_nonblocking(screen[0]);
    tty = (rc_tty){.calls = &calls, .fd = keys[0], .group = OURS, .has_modes = true};
    rc_outlet_init(&err, &calls, &alloc, screen[1], 4096);
    rc_watch_attach(&watch, &err);
    console = (rc_console){.watch = &watch,
                           .tty = &tty,
                           .err = &err,
                           .line = {.is_live = true, .width = 80},
                           .wants_keys = true};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_console_end(&console);
    rc_outlet_done(&err);
    rc_watch_done(&watch);
    for (int i = 0; i < 2; i++) {
        close(keys[i]);
        close(screen[i]);
    }
    return 0;
}

static void expect_screen(const char *want)
{
    char got[256] = "";
    ssize_t len = read(screen[0], got, sizeof got - 1);
    assert_int_equal(len > 0 ? (size_t)len : 0, strlen(want));
    assert_string_equal(got, want);
}

static rc_wake poll_once(void)
{
    return rc_console_poll(&console, watch.now_ms);
}

static void the_line_is_redrawn_and_removed(void **state)
{
    (void)state;
    rc_outlet_push(&err, RC_STR("unfinished"));
    rc_console_check(&console);
    rc_console_draw(&console, RC_STR("one"));
    rc_console_draw(&console, RC_STR("two"));
    rc_console_clear(&console);
    rc_console_clear(&console);
    expect_screen("unfinished\n\rone\x1b[K\rtwo\x1b[K\r\x1b[K");
}

static void nothing_is_drawn_in_the_background(void **state)
{
    (void)state;
    holder = OTHER;
    rc_console_check(&console);
    assert_false(rc_console_is_live(&console));
    assert_false(console.has_keys);
    rc_console_draw(&console, RC_STR("one"));
    rc_console_clear(&console);
    expect_screen("");
}

static void escape_is_read_while_keys_are_wanted(void **state)
{
    (void)state;
    rc_console_check(&console);
    assert_true(console.has_keys);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    assert_int_equal(write(keys[1], "a", 1), 1);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    assert_int_equal(write(keys[1], "\x1b", 1), 1);
    assert_int_equal(poll_once(), RC_WAKE_ESCAPE);
    rc_console_end(&console);
    rc_console_check(&console);
    assert_int_equal(write(keys[1], "\x1b", 1), 1);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
}

/* When the process continues after a stop, it reads keys again, because the shell may have set
 * other modes. */
static void a_closed_terminal_gives_no_keys_until_continued(void **state)
{
    (void)state;
    rc_console_check(&console);
    close(keys[1]);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    rc_console_check(&console);
    assert_false(console.has_keys);
    raise(SIGCONT);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    assert_true(console.has_keys);
    keys[1] = dup(keys[0]);
}

static void an_end_signal_ends_the_wait(void **state)
{
    (void)state;
    raise(SIGUSR1);
    raise(SIGWINCH);
    raise(SIGTERM);
    assert_int_equal(poll_once(), RC_WAKE_SIGNAL);
    assert_int_equal(watch.end_signal, SIGTERM);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
}

static void a_resize_changes_a_width_that_is_not_fixed(void **state)
{
    (void)state;
    assert_int_equal(rc_status_line_columns(&console.line), 79);
    columns = 40;
    raise(SIGWINCH);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    assert_int_equal(rc_status_line_columns(&console.line), 39);
    console.is_width_fixed = true;
    columns = 20;
    raise(SIGWINCH);
    assert_int_equal(poll_once(), RC_WAKE_NONE);
    assert_int_equal(rc_status_line_columns(&console.line), 39);
}

static int fail_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    (void)fds;
    (void)count;
    (void)timeout_ms;
    errno = ENOMEM;
    return -1;
}

static ssize_t fail_read(int fd, void *buf, size_t size)
{
    (void)fd;
    (void)buf;
    (void)size;
    errno = EIO;
    return -1;
}

static void a_failed_wait_is_reported(void **state)
{
    (void)state;
    calls.poll = fail_poll;
    assert_int_equal(poll_once(), RC_WAKE_FAILED);
    calls.poll = rc_sys_real.poll;
    calls.read = fail_read;
    raise(SIGUSR1);
    assert_int_equal(poll_once(), RC_WAKE_FAILED);
    calls.read = rc_sys_real.read;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_line_is_redrawn_and_removed),
        TEST(nothing_is_drawn_in_the_background),
        TEST(escape_is_read_while_keys_are_wanted),
        TEST(a_closed_terminal_gives_no_keys_until_continued),
        TEST(an_end_signal_ends_the_wait),
        TEST(a_resize_changes_a_width_that_is_not_fixed),
        TEST(a_failed_wait_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
