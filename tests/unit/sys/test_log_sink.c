/* Tests of the log sink: files, pipes, full disks. Lines that are not written are counted, and
 * callers never block. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include <recourse/stdlib.h>

#include "support/fail_alloc.h"
#include "sys/file.h"
#include "sys/log_sink.h"

#define PATIENCE 20000

static char folder[64];
static char path[128];
static rc_sys_calls calls;
static rc_log_sink *sink;
static _Atomic int write_error;  /* errno of each write; 0: writes succeed */
static _Atomic int write_most;   /* maximum number of bytes of one write; 0: no limit */
static _Atomic uint64_t noticed; /* number of lines that were reported as dropped */
static char text[1 << 20];

static ssize_t write_or_fail(int fd, const void *buf, size_t size)
{
    const int most = write_most;
    if (write_error != 0) {
        errno = write_error;
        return -1;
    }
    return write(fd, buf, most > 0 && size > (size_t)most ? (size_t)most : size);
}

static size_t format_dropped(void *ctx, uint64_t count, char *space, size_t size)
{
    (void)ctx;
    noticed += count;
    return (size_t)snprintf(space, size, "missing %u\n", (unsigned)count);
}

static void wait_a_moment(void)
{
    usleep(500);
}

#define UNTIL(condition)                         \
    do {                                         \
        int turns_left = PATIENCE;               \
        while (!(condition) && turns_left-- > 0) \
            wait_a_moment();                     \
        assert_true(condition);                  \
    } while (0)

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/recourse-log-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/log", folder);
    calls = rc_sys_real;
    calls.write = write_or_fail;
    write_error = 0;
    write_most = 0;
    noticed = 0;
    sink = NULL;
    return 0;
}

static int tear_down(void **state)
{
    char moved[160];
    (void)state;
    snprintf(moved, sizeof(moved), "%s.1", path);
    unlink(moved);
    unlink(path);
    return rmdir(folder);
}

static int start(const char *where, size_t max_bytes)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_log_sink_settings settings = {&calls, where, max_bytes, format_dropped, NULL};
    return rc_log_sink_start(&settings, &alloc, &sink);
}

static const char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    const size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    return text;
}

static void push(const char *line)
{
    rc_log_sink_push(sink, rc_str_c(line));
}

static void lines_are_written_in_order(void **state)
{
    (void)state;
    struct stat info;
    assert_int_equal(start(path, 0), 0);
    write_most = 3;
    push("one\n");
    push("two\n");
    push("");
    UNTIL(rc_log_sink_count(sink).written == 2);
    push("three\n");
    rc_log_sink_stop(sink);
    assert_string_equal(read_file(path), "one\ntwo\nthree\n");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    /* A later run appends to the file. */
    assert_int_equal(start(path, 0), 0);
    push("four\n");
    rc_log_sink_stop(sink);
    assert_string_equal(read_file(path), "one\ntwo\nthree\nfour\n");
    rc_log_sink_stop(NULL);
}

static void lines_lost_on_a_full_disk_are_counted_in_a_notice(void **state)
{
    (void)state;
    assert_int_equal(start(path, 0), 0);
    push("before\n");
    UNTIL(rc_log_sink_count(sink).written == 1);
    write_error = ENOSPC;
    push("lost\n");
    UNTIL(rc_log_sink_count(sink).dropped == 1);
    push("lost too\n");
    UNTIL(rc_log_sink_count(sink).dropped == 2);
    write_error = 0;
    push("after\n");
    UNTIL(rc_log_sink_count(sink).written == 2);
    rc_log_sink_stop(sink);
    assert_string_equal(read_file(path), "before\nmissing 2\nafter\n");
}

/* Writes fail after this number of bytes, in the middle of a line. */
static _Atomic int bytes_left;
static ssize_t write_some(int fd, const void *buf, size_t size)
{
    const int left = bytes_left;
    if (left == 0) {
        errno = ENOSPC;
        return -1;
    }
    const size_t most = left > 0 && size > (size_t)left ? (size_t)left : size;
    const ssize_t wrote = write(fd, buf, most);
    if (left > 0)
        bytes_left = left - (int)wrote;
    return wrote;
}

static void a_cut_line_is_ended_before_the_next(void **state)
{
    (void)state;
    calls.write = write_some;
    bytes_left = 6;
    assert_int_equal(start(path, 0), 0);
    push("one\ntwo\n");
    UNTIL(bytes_left == 0 && rc_log_sink_count(sink).written == 1);
    bytes_left = -1;
    push("three\n");
    UNTIL(rc_log_sink_count(sink).written == 2);
    rc_log_sink_stop(sink);
    assert_string_equal(read_file(path), "one\ntw\nthree\n");
}

/* Writes until the pipe accepts no more bytes. */
static void fill_pipe(void)
{
    const int writer = open(path, O_WRONLY | O_NONBLOCK);
    static const char piece[512];
    assert_true(writer >= 0);
    while (write(writer, piece, sizeof(piece)) > 0)
        continue;
    while (write(writer, piece, 1) > 0)
        continue;
    close(writer);
}

static void a_full_pipe_does_not_block_callers(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    assert_int_equal(start(path, 100), 0);
    fill_pipe();
    /* After some lines, both buffers of the sink are full. */
    for (int i = 0; i < 100; i++) {
        push("a line of twenty b.\n");
        wait_a_moment();
    }
    assert_int_equal(rc_log_sink_count(sink).written, 0);
    const uint64_t dropped = rc_log_sink_count(sink).dropped;
    assert_true(dropped >= 90 && dropped < 100);
    /* When the pipe is read again, a line reports the number of dropped lines. */
    while (read(reader, text, sizeof(text)) > 0)
        continue;
    UNTIL(rc_log_sink_count(sink).written + dropped == 100);
    push("the last\n");
    UNTIL(noticed == dropped);
    UNTIL(rc_log_sink_count(sink).written + dropped == 101);
    /* The sink stops although nobody reads the pipe, and does not wait for lines that cannot be
     * written. */
    fill_pipe();
    push("never\n");
    rc_log_sink_stop(sink);
    ssize_t got;
    while ((got = read(reader, text, sizeof(text))) > 0)
        assert_null(memmem(text, (size_t)got, "never", 5));
    close(reader);
}

static void a_file_that_was_moved_is_opened_again(void **state)
{
    (void)state;
    char moved[160];
    snprintf(moved, sizeof(moved), "%s.1", path);
    assert_int_equal(start(path, 0), 0);
    push("old\n");
    UNTIL(rc_log_sink_count(sink).written == 1);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(rc_log_sink_reopen(sink), 0);
    /* Reopening twice before a line is written leaks no descriptor. */
    assert_int_equal(rc_log_sink_reopen(sink), 0);
    push("new\n");
    UNTIL(rc_log_sink_count(sink).written == 2);
    assert_string_equal(read_file(moved), "old\n");
    assert_string_equal(read_file(path), "new\n");
    /* If the file cannot be opened, the sink continues to use the old one. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(rc_log_sink_reopen(sink), EISDIR);
    push("kept\n");
    UNTIL(rc_log_sink_count(sink).written == 3);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rc_log_sink_reopen(sink), 0);
    rc_log_sink_stop(sink);
}

static void lines_go_to_the_new_file_after_a_move(void **state)
{
    (void)state;
    char other[160];
    snprintf(other, sizeof(other), "%s.2", path);
    assert_int_equal(start(path, 0), 0);
    push("here\n");
    UNTIL(rc_log_sink_count(sink).written == 1);
    assert_int_equal(rc_log_sink_move(sink, path), 0);
    assert_int_equal(rc_log_sink_move(sink, "/nowhere/at/all"), ENOENT);
    char long_path[5000];
    memset(long_path, 'x', sizeof(long_path) - 1);
    long_path[sizeof(long_path) - 1] = '\0';
    assert_int_equal(rc_log_sink_move(sink, long_path), ENAMETOOLONG);
    push("still here\n");
    UNTIL(rc_log_sink_count(sink).written == 2);
    assert_int_equal(rc_log_sink_move(sink, other), 0);
    push("there\n");
    UNTIL(rc_log_sink_count(sink).written == 3);
    assert_string_equal(read_file(path), "here\nstill here\n");
    assert_string_equal(read_file(other), "there\n");

    /* A reopen uses the new name from now on. */
    assert_int_equal(unlink(other), 0);
    assert_int_equal(rc_log_sink_reopen(sink), 0);
    push("anew\n");
    UNTIL(rc_log_sink_count(sink).written == 4);
    assert_string_equal(read_file(other), "anew\n");

    /* The sink changes to standard error, which it must not close, and back before a line is
     * written. */
    const int kept = dup(2);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 2);
    close(fd);
    assert_int_equal(rc_log_sink_move(sink, NULL), 0);
    push("talk\n");
    UNTIL(rc_log_sink_count(sink).written == 5);
    assert_int_equal(rc_log_sink_move(sink, other), 0);
    assert_int_equal(rc_log_sink_move(sink, NULL), 0);
    assert_int_equal(rc_log_sink_move(sink, other), 0);
    assert_int_equal(rc_log_sink_move(sink, NULL), 0);
    rc_log_sink_stop(sink);
    (void)!write(2, "open\n", 5);
    dup2(kept, 2);
    close(kept);
    assert_string_equal(read_file(path), "talk\nopen\n");
    assert_int_equal(unlink(other), 0);
}

static void standard_error_is_shared(void **state)
{
    (void)state;
    const int kept = dup(2);
    /* lines are appended to a file */
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, 2);
    close(fd);
    (void)!write(2, "first\n", 6);
    assert_int_equal(start(NULL, 0), 0);
    push("second\n");
    assert_int_equal(rc_log_sink_reopen(sink), 0);
    rc_log_sink_stop(sink);
    (void)!write(2, "third\n", 6);
    /* a pipe: the descriptors of other writers stay blocking */
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], 2);
    assert_int_equal(start(NULL, 0), 0);
    push("by pipe\n");
    rc_log_sink_stop(sink);
    const int flags = fcntl(2, F_GETFL);
    const ssize_t got = read(ends[0], text, sizeof(text));
    dup2(kept, 2);
    close(kept);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(got, 8);
    assert_memory_equal(text, "by pipe\n", 8);
    assert_int_equal(flags & O_NONBLOCK, 0);
    assert_string_equal(read_file(path), "first\nsecond\nthird\n");
}

static void a_failed_start_returns_the_errno(void **state)
{
    (void)state;
    static char longest[5000];
    memset(longest, 'p', sizeof(longest) - 1);
    assert_int_equal(start("/nowhere/at/all/log", 0), ENOENT);
    assert_int_equal(start(folder, 0), EISDIR);
    assert_int_equal(start(longest, 0), ENAMETOOLONG);
    assert_null(sink);
    for (size_t fail_at = 1; fail_at <= 4; fail_at++) {
        fail_alloc memory = {.fail_at = fail_at};
        const rc_alloc alloc = fail_alloc_of(&memory);
        const rc_log_sink_settings settings = {&calls, path, 100, NULL, NULL};
        const int error = rc_log_sink_start(&settings, &alloc, &sink);
        assert_int_equal(error, fail_at <= 3 ? RC_FILE_NO_MEMORY : 0);
        if (error == 0) {
            push("a line that is much longer than the hundred bytes that there are in all for the "
                 "lines that wait to be written\n");
            assert_int_equal(rc_log_sink_count(sink).dropped, 1);
            rc_log_sink_stop(sink);
        }
        assert_int_equal(memory.live, 0);
    }
}

#define THREADS 4
#define LINES 2000

static void *push_many(void *ctx)
{
    char line[64];
    for (int i = 0; i < LINES; i++) {
        snprintf(line, sizeof(line), "%d %d\n", (int)(intptr_t)ctx, i);
        push(line);
    }
    return NULL;
}

static void threads_write_whole_lines(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    int next[THREADS] = {0};
    assert_int_equal(start(path, 1 << 20), 0);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, push_many, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    UNTIL(rc_log_sink_count(sink).written == (uint64_t)THREADS * LINES);
    rc_log_sink_stop(sink);
    read_file(path);
    for (char *at = text; *at != '\0'; at = strchr(at, '\n') + 1) {
        const long thread_index = strtol(at, &at, 10);
        assert_int_equal(strtol(at, NULL, 10), next[thread_index]);
        next[thread_index]++;
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(next[i], LINES);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lines_are_written_in_order),
        TEST(lines_lost_on_a_full_disk_are_counted_in_a_notice),
        TEST(a_cut_line_is_ended_before_the_next),
        TEST(a_full_pipe_does_not_block_callers),
        TEST(a_file_that_was_moved_is_opened_again),
        TEST(lines_go_to_the_new_file_after_a_move),
        TEST(standard_error_is_shared),
        TEST(a_failed_start_returns_the_errno),
        TEST(threads_write_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
