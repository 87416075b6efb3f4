/* Keys, and a process that has no terminal. What a real terminal does is in tests/fault/test_exec.c
 * and tests/e2e/exec.bats. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/real_sys.h"
#include "sys/tty.h"

static rc_key key_of(const char *typed, size_t len)
{
    int fds[2];
    rc_tty tty = {.calls = &real_calls};
    real_reset();
    assert_int_equal(pipe(fds), 0);
    tty.fd = fds[0];
    assert_int_equal(write(fds[1], typed, len), (ssize_t)len);
    rc_key key = rc_tty_key(&tty);
    close(fds[0]);
    close(fds[1]);
    return key;
}

static void escape_is_what_nothing_follows(void **state)
{
    (void)state;
    static const struct {
        const char *typed;
        rc_key key;
    } rows[] = {
        {"\x1b", RC_KEY_ESCAPE}, {"abc\x1b", RC_KEY_ESCAPE}, {"\x1b\x1b", RC_KEY_ESCAPE},
        {"\x1b[A", RC_KEY_NONE}, {"\x1bOP", RC_KEY_NONE},    {"\x1b[1;5C", RC_KEY_NONE},
        {"a", RC_KEY_NONE},      {"\r", RC_KEY_NONE},        {"\xc3\xa9", RC_KEY_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(key_of(rows[i].typed, strlen(rows[i].typed)), rows[i].key);
}

static char late[8]; /* what comes while the first poll waits */
static int late_fd;

static int poll_late(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    size_t len = strlen(late);
    if (len > 0 && write(late_fd, late, len) < 0)
        return -1;
    late[0] = '\0';
    return poll(fds, count, timeout_ms);
}

static void a_sequence_may_come_in_two_parts(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        rc_key key;
    } rows[] = {{"[A", RC_KEY_NONE}, {"\x1b", RC_KEY_ESCAPE}, {"", RC_KEY_ESCAPE}};
    rc_sys_calls calls = rc_sys_real;
    calls.poll = poll_late;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fds[2];
        assert_int_equal(pipe(fds), 0);
        rc_tty tty = {.calls = &calls, .fd = fds[0]};
        late_fd = fds[1];
        memcpy(late, rows[i].rest, strlen(rows[i].rest) + 1);
        assert_int_equal(write(fds[1], "\x1b", 1), 1);
        assert_int_equal(rc_tty_key(&tty), rows[i].key);
        close(fds[0]);
        close(fds[1]);
    }
}

static void a_terminal_that_has_gone_gives_no_keys(void **state)
{
    (void)state;
    static const struct {
        int error;
        rc_key key;
    } rows[] = {{EIO, RC_KEY_GONE}, {EINTR, RC_KEY_NONE}, {EAGAIN, RC_KEY_NONE}};
    rc_tty tty = {.calls = &real_calls, .fd = -1};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        real_reset();
        real.fail_at = 1;
        real.error = rows[i].error;
        assert_int_equal(rc_tty_key(&tty), rows[i].key);
    }
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    close(fds[1]);
    real_reset();
    tty.fd = fds[0];
    assert_int_equal(rc_tty_key(&tty), RC_KEY_GONE);
    close(fds[0]);
}

static void without_a_terminal_nothing_is_done(void **state)
{
    (void)state;
    rc_tty tty;
    real_reset();
    real.fail_at = 1; /* opening it */
    real.error = ENXIO;
    rc_tty_init(&tty, &real_calls);
    int calls = real.calls;
    assert_int_equal(tty.fd, -1);
    assert_false(rc_tty_is_ours(&tty));
    assert_false(rc_tty_keys_begin(&tty));
    rc_tty_give(&tty, 1);
    rc_tty_take(&tty);
    rc_tty_keys_end(&tty);
    rc_tty_done(&tty);
    assert_int_equal(real.calls, calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_is_what_nothing_follows),
        cmocka_unit_test(a_sequence_may_come_in_two_parts),
        cmocka_unit_test(a_terminal_that_has_gone_gives_no_keys),
        cmocka_unit_test(without_a_terminal_nothing_is_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
