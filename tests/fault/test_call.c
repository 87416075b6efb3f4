/* recourse call when every system call and every allocation fails in turn, once and permanently:
 * the command ends, leaks no descriptor and no memory, and either prints the complete response or
 * reports the failure. */
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

#include "support/cli_faults.h"

#define ALLOCATIONS_MAX 5000
#define RESPONSE_MAX 4096

/* The configuration leads to two attempts with a wait between them. The store runs on a thread of
 * its own and has tests of its own. */
static const char config_text[] =
    "providers: {demo: {kind: demo}}\n"
    "audit: {durability: \"off\"}\n"
    "policies: {fast: {max_attempts: 3, backoff: fixed, base_ms: 1, jitter: none}}\n"
    "routes: [{model: m, policy: fast, chain: [{target: \"demo/503@1\"}]}]\n";

static char folder[] = "/tmp/recourse-call-XXXXXX";
static char config_path[sizeof folder + 16];
static char response_path[sizeof folder + 16];
static char whole[RESPONSE_MAX]; /* the response of a run without a failing call */

static void read_response(char text[RESPONSE_MAX])
{
    int fd = open(response_path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, RESPONSE_MAX - 1) : 0;
    text[got > 0 ? got : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* Runs the command with a file as its standard output, because the test compares the response. */
static int run_scenario(bool is_json, char text[RESPONSE_MAX])
{
    const char *const argv[] = {"recourse", "call", "--config", config_path,
                                "--model",  "m",    "hello",    is_json ? "--agent" : NULL,
                                NULL};
    int kept = dup(STDOUT_FILENO);
    int file = open(response_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    dup2(file, STDOUT_FILENO);
    close(file);
    int result = run_command(argv, is_json ? 8 : 7);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    read_response(text);
    return result;
}

static unsigned count_words(const char *text)
{
    unsigned words = 0;
    for (size_t i = 0; text[i] != '\0'; i++)
        words += text[i] != ' ' && text[i] != '\n' && (text[i + 1] == ' ' || text[i + 1] == '\n');
    return words;
}

/* Returns whether the result is allowed: with exit status 0 the response must be complete. If a
 * fault makes the second attempt fail, the response comes from a third attempt; the mock provider
 * then gives another text of the same length. */
static bool is_expected(int result, const char *text)
{
    if (result != 0)
        return result >= 64 && result <= 78;
    return strcmp(text, whole) == 0 || (strstr(real.stderr_bytes, "3 attempts") != NULL &&
                                        count_words(text) == count_words(whole));
}

/* Runs the scenario with its Nth call failing. Returns false if a resource was not released or the
 * failure was not reported. */
static bool is_good_with(int fail_at, bool is_for_good, int error)
{
    char text[RESPONSE_MAX];
    sigset_t mask;
    real_reset();
    memory = (fail_alloc){0};
    real.fail_at = fail_at;
    real.is_for_good = is_for_good;
    real.error = error;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    size_t before = real_open_count();
    int result = run_scenario(false, text);
    size_t after = real_open_count();
    bool is_good = is_expected(result, text) && memory.live == 0 && before == after;
    if (!is_good)
        fprintf(stderr, "call %d of %d, %s, %s: status %d, %zu blocks, %zu -> %zu files: %s [%s]\n",
                fail_at, real.calls, is_for_good ? "for good" : "once", strerror(error), result,
                memory.live, before, after, real.stderr_bytes, text);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return is_good;
}

static void without_a_fault_it_answers(void **unused)
{
    (void)unused;
    real_reset();
    assert_int_equal(run_scenario(false, whole), 0);
    assert_true(strlen(whole) > 10);
    assert_non_null(strstr(real.stderr_bytes, "overloaded: retrying (1/2) in 1ms"));
    assert_non_null(strstr(real.stderr_bytes, "2 attempts"));
}

static void fail_allocations(bool is_json)
{
    for (size_t at = 1; at < ALLOCATIONS_MAX; at++) {
        char text[RESPONSE_MAX];
        real_reset();
        memory = (fail_alloc){.fail_at = at, .for_good = at % 2 == 0};
        size_t before = real_open_count();
        int result = run_scenario(is_json, text);
        if (memory.live != 0 || memory.is_broken || before != real_open_count() ||
            (is_json ? result == 0 && strstr(text, "\"error\":false") == NULL
                     : !is_expected(result, text)))
            fail_msg("allocation %zu: status %d, %zu blocks: %s [%s]", at, result, memory.live,
                     real.stderr_bytes, text);
        if (memory.calls < at)
            return;
    }
    fail_msg("it never came to an end");
}

static void every_allocation_fails(void **unused)
{
    (void)unused;
    fail_allocations(false);
}

static void every_allocation_fails_for_a_program(void **unused)
{
    (void)unused;
    fail_allocations(true);
}

/* ---- on a terminal ---- */

static bool is_terminal_as_before(const struct termios *before)
{
    struct termios now;
    int fd = open("/dev/tty", O_RDWR | O_CLOEXEC);
    bool is_same = tcgetattr(fd, &now) == 0 && now.c_lflag == before->c_lflag &&
                   now.c_cc[VMIN] == before->c_cc[VMIN];
    close(fd);
    if (real.is_for_good && real.has_failed_modes)
        return true; /* the modes cannot be restored if tcsetattr always fails */
    if (!is_same)
        fprintf(stderr, "modes lost\n");
    return is_same;
}

/* Runs the scenarios in a session with a terminal of its own. Returns the number of runs with a
 * fault. */
static int count_bad_on_terminal(void)
{
    struct termios before;
    int bad = 0;
    if (tcgetattr(STDERR_FILENO, &before) != 0)
        return 1;
    for (int round = 0; round < 2; round++) {
        for (int at = 1; at < CALLS_MAX; at++) {
            bool is_good = is_good_with(at, round == 1, EIO);
            if (!is_good || !is_terminal_as_before(&before))
                bad++;
            tcsetattr(STDERR_FILENO, TCSANOW, &before);
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
    pid_t pid = forkpty(&master, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(count_bad_on_terminal() == 0 ? 0 : 1);
    ssize_t got = read(master, shown, sizeof shown);
    while (got > 0) {
        fwrite(shown, 1, (size_t)got, stderr);
        got = read(master, shown, sizeof shown);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    close(master);
}

static int make_folder(void **unused)
{
    (void)unused;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(config_path, sizeof config_path, "%s/c.yaml", folder);
    snprintf(response_path, sizeof response_path, "%s/answer", folder);
    FILE *file = fopen(config_path, "w");
    if (file == NULL || fputs(config_text, file) < 0 || fclose(file) != 0)
        return -1;
    setenv("LANG", "C.UTF-8", 1);
    setenv("TERM", "dumb", 1);
    signal(SIGPIPE, SIG_IGN); /* as main() does */
    return 0;
}

static int remove_folder(void **unused)
{
    (void)unused;
    unlink(config_path);
    unlink(response_path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_fault_it_answers),
        cmocka_unit_test(every_call_fails_once),
        cmocka_unit_test(an_interrupted_call_changes_nothing),
        cmocka_unit_test(every_call_fails_for_good),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(every_allocation_fails_for_a_program),
        cmocka_unit_test(the_terminal_comes_back_whatever_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
