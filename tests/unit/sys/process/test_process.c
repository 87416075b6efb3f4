/* Tests of running commands on the real system: exit status, output, input, deadlines. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>

#include <recourse/stdlib.h>

#include "support/real_sys.h"
#include "sys/process/process.h"

static rc_watch watch;
static rc_tty tty;
static rc_stdin input;
static rc_tail tail;
static rc_tail report;
static rc_outlet error_outlet;

static int set_up(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    real_reset();
    tty = (rc_tty){.calls = &real_calls, .fd = -1};
    rc_stdin_init(&input, &real_calls, &alloc, NULL, false);
    rc_sys_real.adopt_orphans();
    rc_outlet_init(&error_outlet, &real_calls, &alloc, STDERR_FILENO, 4096);
    int error = rc_watch_init(&watch, &real_calls);
    rc_watch_attach(&watch, &error_outlet);
    return error;
}

static int tear_down(void **state)
{
    (void)state;
    rc_stdin_done(&input);
    rc_watch_done(&watch);
    rc_outlet_done(&error_outlet);
    return 0;
}

/* Waits take no real time in this test, except waits of this length, which give a command its whole
 * grace period. */
#define LONG_MS 300000u

static rc_process_end run_with(const char *script, uint64_t budget_ms, uint64_t grace_ms)
{
    const char *const argv[] = {"sh", "-c", script, NULL};
    rc_process_options options = {
        .argv = argv,
        .input = &input,
        .error_outlet = &error_outlet,
        .tail = &tail,
        .report = &report,
        .deadline_at_ms = budget_ms > 0 ? watch.now_ms + budget_ms : RC_WATCH_NEVER,
        .grace_ms = grace_ms,
    };
    return rc_process_run(&watch, &tty, &options);
}

static rc_process_end run_for(const char *script)
{
    return run_with(script, 0, LONG_MS);
}

static void expect_tail(const char *want)
{
    rc_str got = rc_tail_get(&tail);
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

static void the_status_is_that_of_a_shell(void **state)
{
    (void)state;
    static const struct {
        const char *script;
        int status;
        int killed_by;
    } rows[] = {
        {"exit 0", 0, 0},
        {"exit 1", 1, 0},
        {"exit 143", 143, 0}, /* the command exited with this status and was not killed */
        {"exit 200", 200, 0},
        {"exit 255", 255, 0},
        {"kill -9 $$", 137, 9},
        {"kill -TERM $$", 143, SIGTERM},
        {"kill -HUP $$", 129, SIGHUP},
        {"kill -PIPE $$", 141, SIGPIPE}, /* the test ignores this signal itself */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rc_process_end end = run_for(rows[i].script);
        assert_int_equal(end.error, 0);
        assert_true(end.is_started);
        assert_int_equal(end.status, rows[i].status);
        assert_int_equal(end.killed_by, rows[i].killed_by);
        assert_int_equal(end.signal, 0);
    }
}

static void standard_error_is_copied_and_its_tail_kept(void **state)
{
    (void)state;
    run_for("echo one >&2; echo two >&2");
    expect_tail("one\ntwo\n");
    assert_int_equal(real.stderr_len, 8);
    assert_memory_equal(real.stderr_bytes, "one\ntwo\n", 8);
    run_for("exit 3");
    expect_tail("");
}

static void start_failures_have_their_own_status(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int status;
        int error;
    } rows[] = {
        {"/no/such/command", 127, ENOENT},
        {"no-such-command", 127, ENOENT},
        {"/dev/null/x", 127, ENOTDIR},
        {"/", 126, EACCES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const argv[] = {rows[i].name, NULL};
        rc_process_options options = {.argv = argv,
                                      .input = &input,
                                      .error_outlet = &error_outlet,
                                      .tail = &tail,
                                      .report = &report};
        size_t open_count = real_open_count();
        rc_process_end end = rc_process_run(&watch, &tty, &options);
        assert_false(end.is_started);
        assert_int_equal(end.status, rows[i].status);
        assert_int_equal(end.error, rows[i].error);
        assert_int_equal(real_open_count(), open_count);
    }
}

static void a_deadline_ends_the_command(void **state)
{
    (void)state;
    rc_process_end end = run_with("exec sleep 600", 1000, LONG_MS);
    assert_true(end.is_over_deadline);
    assert_int_equal(end.status, 143);
}

static void a_command_that_ignores_a_signal_is_killed(void **state)
{
    (void)state;
    static const char script[] = "trap '' TERM; kill -TERM $PPID; while :; do sleep 0.01; done";
    rc_process_end end = run_with(script, 0, 5000);
    assert_int_equal(end.signal, SIGTERM);
    assert_int_equal(end.status, 137);
    assert_false(end.is_over_deadline);
}

static void a_signal_is_passed_on(void **state)
{
    (void)state;
    rc_process_end end =
        run_for("trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.01; done");
    assert_int_equal(end.signal, SIGTERM);
    assert_int_equal(end.status, 5);
    end = run_for("trap 'exit 6' USR1; kill -USR1 $PPID; while :; do sleep 0.01; done");
    assert_int_equal(end.signal, 0);
    assert_int_equal(end.status, 6);
}

static void no_process_of_the_command_is_left(void **state)
{
    (void)state;
    siginfo_t info;
    run_for("sleep 600 & sleep 600 & (trap '' TERM; exec sleep 600) & exit 2");
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_child_outside_the_group_is_terminated(void **state)
{
    (void)state;
    siginfo_t info;
    /* With job control, every job has a process group of its own. */
    run_for("exec bash -c 'set -m; sleep 600 & (trap \"\" TERM; exec sleep 600) & exit 2'");
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void a_child_with_its_own_session_is_not_terminated(void **state)
{
    (void)state;
    siginfo_t info;
    run_for("setsid sh -c 'echo $$ >&2; exec sleep 600' 3>&- & "
            "until grep -q sleep /proc/$!/comm; do :; done");
    rc_str got = rc_tail_get(&tail);
    char digits[16] = "";
    assert_true(got.len > 1 && got.len < sizeof digits);
    memcpy(digits, got.ptr, got.len);
    pid_t pid = (pid_t)strtol(digits, NULL, 10);
    assert_true(pid > 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED), 0);
}

static void a_report_has_its_own_descriptor(void **state)
{
    (void)state;
    run_for("echo one >/dev/fd/$RECOURSE_REPORT_FD; echo two >/dev/fd/$RECOURSE_REPORT_FD; exit 1");
    expect_tail("");
    rc_str got = rc_tail_get(&report);
    assert_int_equal(got.len, 8);
    assert_memory_equal(got.ptr, "one\ntwo\n", 8);
    run_for("exit 1");
    assert_int_equal(rc_tail_get(&report).len, 0);
}

/* ---- the tail ---- */

static void the_tail_holds_the_last_bytes(void **state)
{
    (void)state;
    static char all[10 * RC_TAIL_BYTES];
    static const size_t sizes[] = {
        1, 7, 4096, RC_TAIL_BYTES - 1, RC_TAIL_BYTES, RC_TAIL_BYTES + 1, 3 * RC_TAIL_BYTES};
    for (size_t i = 0; i < sizeof all; i++)
        all[i] = (char)(i * 7 + i / 251);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        rc_tail_reset(&tail);
        for (size_t at = 0; at + sizes[s] <= sizeof all; at += sizes[s]) {
            rc_tail_push(&tail, rc_str_make(all + at, sizes[s]));
            size_t done = at + sizes[s];
            size_t want = done < RC_TAIL_BYTES ? done : RC_TAIL_BYTES;
            rc_str got = rc_tail_get(&tail);
            assert_int_equal(got.len, want);
            assert_memory_equal(got.ptr, all + done - want, want);
        }
    }
}

/* ---- standard input ---- */

static int kept_stdin = -1;

static void give_input(const char *text)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], text, strlen(text)), (ssize_t)strlen(text));
    close(fds[1]);
    kept_stdin = dup(STDIN_FILENO);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
}

static void take_input_back(void)
{
    dup2(kept_stdin, STDIN_FILENO);
    close(kept_stdin);
}

/* Reads the whole input in pieces, as a command would. */
static void expect_input(rc_stdin *in, const char *want)
{
    char got[64];
    size_t len = 0;
    while (!rc_stdin_is_over(in) && in->read_error == 0) {
        rc_str next = rc_stdin_next(in);
        if (next.len == 0) {
            rc_stdin_read(in);
            continue;
        }
        size_t part = next.len > 3 ? 3 : next.len;
        assert_true(len + part < sizeof got);
        memcpy(got + len, next.ptr, part);
        len += part;
        rc_stdin_consume(in, part);
    }
    got[len] = '\0';
    assert_string_equal(got, want);
}

static void a_pipe_is_replayed_from_memory_and_file(void **state)
{
    (void)state;
    static const rc_stdin_limits limits[] = {{100, 0}, {16, 0}, {0, 16}, {4, 100}};
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        rc_stdin in;
        give_input("0123456789abcdef");
        rc_stdin_init(&in, &real_calls, &alloc, &limits[i], true);
        assert_int_equal(in.kind, RC_STDIN_STREAM);
        for (int turn = 0; turn < 3; turn++) {
            expect_input(&in, "0123456789abcdef");
            assert_true(rc_stdin_rewind(&in));
        }
        rc_stdin_done(&in);
        take_input_back();
    }
}

static void an_input_over_the_limit_is_not_replayed(void **state)
{
    (void)state;
    static const rc_stdin_limits limits[] = {{15, 0}, {0, 15}, {0, 0}};
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        rc_stdin in;
        give_input("0123456789abcdef");
        rc_stdin_init(&in, &real_calls, &alloc, &limits[i], true);
        expect_input(&in, "0123456789abcdef");
        assert_false(rc_stdin_rewind(&in));
        assert_string_equal(in.replay_error, "the input is longer than the buffer for pipes");
        rc_stdin_done(&in);
        take_input_back();
    }
}

static void an_input_that_breaks_off_is_an_error(void **state)
{
    (void)state;
    static const rc_stdin_limits limits = {0, 100};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_stdin in;
    give_input("0123456789abcdef");
    rc_stdin_init(&in, &real_calls, &alloc, &limits, true);
    expect_input(&in, "0123456789abcdef");
    assert_true(rc_stdin_rewind(&in));
    real.fail_at = real.calls + 1;
    real.error = EIO;
    expect_input(&in, "");
    assert_int_equal(in.read_error, EIO);
    assert_false(rc_stdin_rewind(&in));
    rc_stdin_done(&in);
    take_input_back();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_status_is_that_of_a_shell),
        TEST(standard_error_is_copied_and_its_tail_kept),
        TEST(start_failures_have_their_own_status),
        TEST(a_deadline_ends_the_command),
        TEST(a_command_that_ignores_a_signal_is_killed),
        TEST(a_signal_is_passed_on),
        TEST(no_process_of_the_command_is_left),
        TEST(a_child_outside_the_group_is_terminated),
        TEST(a_child_with_its_own_session_is_not_terminated),
        TEST(a_report_has_its_own_descriptor),
        TEST(the_tail_holds_the_last_bytes),
        TEST(a_pipe_is_replayed_from_memory_and_file),
        TEST(an_input_over_the_limit_is_not_replayed),
        TEST(an_input_that_breaks_off_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
