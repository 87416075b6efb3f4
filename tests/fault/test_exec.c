/* recourse exec when every system call fails in turn, once and permanently: the command ends,
 * leaks no descriptor, memory or process, restores the terminal, and either returns the command's
 * status or reports the failure. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pty.h>

#include "cli/exec/exec.h"
#include "support/cli_faults.h"

/* The command leads to two attempts with a wait between them. It reads its standard input, which is
 * a pipe, writes to standard error, leaves a process behind, and ends when its input ends. */
#define COMMAND \
    "echo \"HTTP 429, retry after 1s\" >&2; sleep 600 >/dev/null 2>&1 & cat >/dev/null; exit 7"
#define INPUT "what the command reads"

static char folder[] = "/tmp/recourse-exec-XXXXXX";
static char events_path[sizeof folder + 16];

static void open_input(void)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0 || write(fds[1], INPUT, strlen(INPUT)) < 0)
        abort();
    close(fds[1]);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
}

static int run_scenario(void)
{
    const char *const argv[] = {"recourse", "exec", "--tries", "2",     "--events", events_path,
                                "--",       "sh",   "-c",      COMMAND, NULL};
    int fds[2];
    char number[16];
    open_input();
    /* An outer exec expects a report on this pipe. */
    if (pipe(fds) != 0)
        abort();
    snprintf(number, sizeof number, "%d", fds[1]);
    setenv("RECOURSE_REPORT_FD", number, 1);
    int result = run_command(argv, (int)(sizeof argv / sizeof *argv) - 1);
    unsetenv("RECOURSE_REPORT_FD");
    close(fds[0]);
    close(fds[1]); /* fails if the command has already closed the descriptor */
    return result;
}

/* Kills the remaining children of this process, which adopts orphans. The test must do this if each
 * kill() of the command failed. */
static void kill_children(void)
{
    char pids[4096];
    FILE *list = fopen("/proc/thread-self/children", "r");
    size_t got = list != NULL ? fread(pids, 1, sizeof pids - 1, list) : 0;
    char *at = pids;
    pids[got] = '\0';
    for (long pid = strtol(at, &at, 10); pid > 0; pid = strtol(at, &at, 10))
        kill((pid_t)pid, SIGKILL);
    if (list != NULL)
        fclose(list);
}

/* Reaps all children. Processes that the command has killed may not be reaped yet, and processes
 * that it has not killed would delay the end of the test. */
static void bury(void)
{
    siginfo_t info;
    do {
        if (real.is_for_good)
            kill_children();
    } while (waitid(P_ALL, 0, &info, WEXITED) == 0);
}

static bool is_expected(int result)
{
    bool is_ours = result == RC_EXIT_OS || result == RC_EXIT_IO || result == RC_EXIT_INTERNAL;
    if (!is_ours)
        return result == 7;
    /* If all calls fail, the command cannot write a message. */
    return real.is_for_good || strstr(real.stderr_bytes, "annot") != NULL ||
           strstr(real.stderr_bytes, "of memory") != NULL;
}

typedef struct state {
    size_t open_count;
    sigset_t mask;
} state;

static state look(void)
{
    state now = {.open_count = real_open_count()};
    sigprocmask(SIG_BLOCK, NULL, &now.mask);
    return now;
}

static bool is_same_mask(const state *before, const state *after)
{
    for (int signal = 1; signal < SIGRTMIN; signal++)
        if (sigismember(&before->mask, signal) != sigismember(&after->mask, signal))
            return false;
    return true;
}

/* Runs the scenario with its Nth call failing. Returns false if a resource was not released or the
 * failure was not reported. */
static bool is_good_with(int fail_at, bool is_for_good, int error)
{
    real_reset();
    memory = (fail_alloc){0};
    real.fail_at = fail_at;
    real.is_for_good = is_for_good;
    real.error = error;
    open_input();
    state before = look();
    int result = run_scenario();
    bury();
    state after = look();
    bool is_good = is_expected(result) && memory.live == 0 &&
                   before.open_count == after.open_count &&
                   (is_for_good || is_same_mask(&before, &after));
    if (!is_good)
        fprintf(stderr, "call %d of %d, %s, %s: status %d, %zu blocks, %zu -> %zu files: %s\n",
                fail_at, real.calls, is_for_good ? "for good" : "once", strerror(error), result,
                memory.live, before.open_count, after.open_count, real.stderr_bytes);
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    return is_good;
}

static void without_a_fault_it_runs_twice(void **unused)
{
    (void)unused;
    assert_true(is_good_with(0, false, 0));
    assert_non_null(strstr(real.stderr_bytes, "RateLimited: retrying (1/1) in 1s"));
    assert_non_null(strstr(real.stderr_bytes, "The attempts are used up"));
}

static void every_allocation_fails(void **unused)
{
    (void)unused;
    for (size_t at = 1;; at++) {
        real_reset();
        memory = (fail_alloc){.fail_at = at, .for_good = at % 2 == 0};
        int result = run_scenario();
        bury();
        assert_int_equal(memory.live, 0);
        assert_true(result == 7 || result == RC_EXIT_INTERNAL);
        if (memory.calls < at)
            return;
    }
}

/* ---- on a terminal ---- */

static bool is_terminal_as_before(const struct termios *before)
{
    struct termios now;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    bool is_same = tcgetattr(fd, &now) == 0 && now.c_lflag == before->c_lflag &&
                   now.c_cc[VMIN] == before->c_cc[VMIN];
    bool is_ours = tcgetpgrp(fd) == getpgrp();
    close(fd);
    if (real.is_for_good && real.has_failed_modes)
        is_same = true; /* nobody could */
    if (real.is_for_good)
        is_ours = true;
    if (!is_same || !is_ours)
        fprintf(stderr, "modes %s, foreground %s\n", is_same ? "kept" : "lost",
                is_ours ? "ours" : "lost");
    return is_same && is_ours;
}

static void mend_terminal(const struct termios *before)
{
    sigset_t set;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    sigemptyset(&set);
    sigaddset(&set, SIGTTOU);
    sigprocmask(SIG_BLOCK, &set, NULL);
    tcsetpgrp(fd, getpgrp());
    tcsetattr(fd, TCSANOW, before);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    close(fd);
}

/* Runs in a session of its own that has a terminal; gives the number of bad ends. */
static int count_bad_on_terminal(int error_fd)
{
    struct termios before;
    int bad = 0;
    dup2(error_fd, STDOUT_FILENO);
    if (tcgetattr(STDERR_FILENO, &before) != 0)
        return 1;
    for (int round = 0; round < 2; round++) {
        for (int at = 1; at < CALLS_MAX; at++) {
            bool is_good = is_good_with(at, round == 1, EIO);
            if (!is_good || !is_terminal_as_before(&before))
                bad++;
            mend_terminal(&before);
            if (real.calls < at)
                break;
        }
    }
    return bad;
}

static void the_terminal_comes_back_whatever_fails(void **unused)
{
    (void)unused;
    int master = -1;
    int status = 0;
    char shown[4096];
    setenv("TERM", "xterm", 1);
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t pid = forkpty(&master, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(count_bad_on_terminal(null) == 0 ? 0 : 1);
    ssize_t got = read(master, shown, sizeof shown);
    while (got > 0) {
        fwrite(shown, 1, (size_t)got, stderr);
        got = read(master, shown, sizeof shown);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(master);
    close(null);
}

static int make_folder(void **unused)
{
    (void)unused;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(events_path, sizeof events_path, "%s/events", folder);
    setenv("LANG", "C.UTF-8", 1);
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    unlink(events_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fault_it_runs_twice),
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(an_interrupted_call_changes_nothing),
        cmocka_unit_test(every_call_fails_for_good),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(the_terminal_comes_back_whatever_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
