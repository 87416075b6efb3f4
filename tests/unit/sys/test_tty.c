/* Tests of keys, and of a process without a terminal. Real terminals are tested in
 * tests/fault/test_exec.c and tests/e2e/exec.bats. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/real_sys.h"
#include "sys/tty.h"

static bool is_escape(const char *typed, size_t len)
{
    int fds[2];
    rc_tty tty = {.calls = &real_calls};
    real_reset();
    assert_int_equal(pipe(fds), 0);
    tty.fd = fds[0];
    assert_int_equal(write(fds[1], typed, len), (ssize_t)len);
    bool result = rc_tty_read_escape(&tty);
    assert_false(tty.is_closed);
    close(fds[0]);
    close(fds[1]);
    return result;
}

static void escape_is_a_lone_escape_byte(void **state)
{
    (void)state;
    static const struct {
        const char *typed;
        bool is_escape;
    } rows[] = {
        {"\x1b", true},    {"abc\x1b", true}, {"\x1b\x1b", true},
        {"\x1b[A", false}, {"\x1bOP", false}, {"\x1b[1;5C", false},
        {"a", false},      {"\r", false},     {"\xc3\xa9", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(is_escape(rows[i].typed, strlen(rows[i].typed)), rows[i].is_escape);
}

static char late[8]; /* bytes that arrive during the first poll */
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
        bool is_escape;
    } rows[] = {{"[A", false}, {"\x1b", true}, {"", true}};
    rc_sys_calls calls = rc_sys_real;
    calls.poll = poll_late;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int fds[2];
        assert_int_equal(pipe(fds), 0);
        rc_tty tty = {.calls = &calls, .fd = fds[0]};
        late_fd = fds[1];
        memcpy(late, rows[i].rest, strlen(rows[i].rest) + 1);
        assert_int_equal(write(fds[1], "\x1b", 1), 1);
        assert_int_equal(rc_tty_read_escape(&tty), rows[i].is_escape);
        close(fds[0]);
        close(fds[1]);
    }
}

static void a_closed_terminal_gives_no_keys(void **state)
{
    (void)state;
    static const struct {
        int error;
        bool is_closed;
    } rows[] = {{EINTR, false}, {EAGAIN, false}, {EIO, true}};
    rc_tty tty = {.calls = &real_calls, .fd = -1, .has_modes = true};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        real_reset();
        real.fail_at = 1;
        real.error = rows[i].error;
        assert_false(rc_tty_read_escape(&tty));
        assert_int_equal(tty.is_closed, rows[i].is_closed);
    }
    assert_false(rc_tty_keys_begin(&tty));
    rc_tty_keys_forget(&tty);
    assert_false(tty.is_closed);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    close(fds[1]);
    real_reset();
    tty.fd = fds[0];
    assert_false(rc_tty_read_escape(&tty));
    assert_true(tty.is_closed);
    close(fds[0]);
}

static void without_a_terminal_nothing_is_done(void **state)
{
    (void)state;
    rc_tty tty;
    real_reset();
    real.fail_at = 1; /* the call that opens the terminal */
    real.error = ENXIO;
    rc_tty_init(&tty, &real_calls);
    int calls = real.calls;
    assert_int_equal(tty.fd, -1);
    assert_false(rc_tty_is_ours(&tty));
    assert_false(rc_tty_keys_begin(&tty));
    rc_tty_give_foreground(&tty, 1);
    rc_tty_take_foreground(&tty);
    rc_tty_keys_end(&tty);
    rc_tty_done(&tty);
    assert_int_equal(real.calls, calls);
}

/* ---- the foreground group ---- */

enum {
    OURS = 100,
    ITS = 200,
    OTHER = 300
};
static pid_t holder;
static bool is_other_empty;
static int mode_sets;

static pid_t get_holder(int fd)
{
    (void)fd;
    return holder;
}

static int set_holder(int fd, pid_t group)
{
    (void)fd;
    holder = group;
    return 0;
}

static int probe_group(pid_t pid, int number)
{
    errno = ESRCH;
    return pid == -OTHER && number == 0 && !is_other_empty ? 0 : -1;
}

static int count_modes(int fd, int when, const struct termios *modes)
{
    (void)fd;
    (void)when;
    (void)modes;
    mode_sets++;
    return 0;
}

static int flush(int fd, int queue)
{
    (void)fd;
    (void)queue;
    return 0;
}

static rc_sys_calls fake_terminal(void)
{
    rc_sys_calls calls = rc_sys_real;
    calls.tcgetpgrp = get_holder;
    calls.tcsetpgrp = set_holder;
    calls.kill = probe_group;
    calls.tcsetattr = count_modes;
    calls.tcflush = flush;
    return calls;
}

static void the_foreground_is_taken_back_only_from_the_command(void **state)
{
    (void)state;
    static const struct {
        pid_t holder;
        bool is_other_empty;
        pid_t then;
    } rows[] = {
        {ITS, false, OURS}, {OTHER, false, OTHER}, {OTHER, true, OURS}, {OURS, false, OURS}};
    rc_sys_calls calls = fake_terminal();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rc_tty tty = {.calls = &calls, .fd = 9, .group = OURS};
        holder = OURS;
        assert_true(rc_tty_give_foreground(&tty, ITS));
        holder = rows[i].holder;
        is_other_empty = rows[i].is_other_empty;
        rc_tty_take_foreground(&tty);
        assert_int_equal(holder, rows[i].then);
        assert_int_equal(tty.foreground_group, rows[i].then == OURS ? 0 : ITS);
    }
}

static void the_foreground_is_passed_on_only_by_its_owner(void **state)
{
    (void)state;
    rc_sys_calls calls = fake_terminal();
    rc_tty tty = {.calls = &calls, .fd = 9, .group = OURS};
    holder = OTHER;
    assert_false(rc_tty_give_foreground(&tty, ITS));
    rc_tty_take_foreground(&tty);
    assert_int_equal(holder, OTHER);
}

static void modes_are_set_only_in_the_foreground(void **state)
{
    (void)state;
    rc_sys_calls calls = fake_terminal();
    rc_tty tty = {.calls = &calls, .fd = 9, .group = OURS, .has_modes = true};
    mode_sets = 0;
    holder = OTHER;
    rc_tty_restore(&tty);
    assert_false(rc_tty_keys_begin(&tty));
    assert_int_equal(mode_sets, 0);
    holder = OURS;
    rc_tty_restore(&tty);
    assert_int_equal(mode_sets, 1);
    assert_true(rc_tty_keys_begin(&tty));
    assert_true(rc_tty_keys_begin(&tty));
    assert_int_equal(mode_sets, 2);
    holder = OTHER;
    rc_tty_keys_end(&tty);
    assert_int_equal(mode_sets, 2);
    holder = OURS;
    assert_true(rc_tty_keys_begin(&tty));
    rc_tty_keys_forget(&tty);
    assert_int_equal(mode_sets, 3);
    assert_true(rc_tty_keys_begin(&tty));
    rc_tty_keys_end(&tty);
    assert_int_equal(mode_sets, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escape_is_a_lone_escape_byte),
        cmocka_unit_test(a_sequence_may_come_in_two_parts),
        cmocka_unit_test(a_closed_terminal_gives_no_keys),
        cmocka_unit_test(without_a_terminal_nothing_is_done),
        cmocka_unit_test(the_foreground_is_taken_back_only_from_the_command),
        cmocka_unit_test(the_foreground_is_passed_on_only_by_its_owner),
        cmocka_unit_test(modes_are_set_only_in_the_foreground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
