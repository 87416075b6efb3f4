/* Tests of reading secrets: only from regular files, without blocking, and without leaving a copy
 * in memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "config/secret_load.h"
#include "sys/file.h"

#define SECRET "key-Zq7wm3xTnB-Zq7wm3xTnB-Zq7wm3xTnB"
#define STUCK_S 60 /* seconds after which an alarm ends the test program, because a read blocks */

static char folder[128];

static void path_of(const char *name, char ret_path[256])
{
    snprintf(ret_path, 256, "%s/%s", folder, name);
}

static void put_file(const char *name, const char *text, size_t size)
{
    char path[256];
    path_of(name, path);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    if (size > 0)
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
    assert_int_equal(close(fd), 0);
}

/* Loads a secret into text. Returns the reason for a refusal, or NULL. */
static const char *load(const char *path, char text[RC_SECRET_TOKEN_MAX])
{
    rc_buf scratch;
    char memory[RC_SECRET_TOKEN_MAX];
    rc_buf_init_fixed(&scratch, memory, sizeof memory);
    const rc_secret_ref ref = {.kind = RC_SECRET_FILE, .name = rc_str_c(path)};
    alarm(STUCK_S);
    const char *why = rc_secret_load(&rc_sys_real, &ref, &scratch);
    alarm(0);
    const rc_str got = rc_buf_get(&scratch);
    assert_true(got.len < RC_SECRET_TOKEN_MAX);
    memcpy(text, got.ptr, got.len);
    text[got.len] = '\0';
    return why;
}

static const char *load_name(const char *name, char text[RC_SECRET_TOKEN_MAX])
{
    char path[256];
    path_of(name, path);
    return load(path, text);
}

static int set_up(void **state)
{
    (void)state;
    const char *place = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.90s/recourse-secret-XXXXXX", place != NULL ? place : "/tmp");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"file", "link", "data", "pipe", "sub", "socket", "huge"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256];
        path_of(names[i], path);
        if (unlink(path) != 0)
            rmdir(path);
    }
    return rmdir(folder);
}

/* Kubernetes provides a secret as a link to a link to a file. */
static void files_and_links_are_read(void **state)
{
    (void)state;
    char path[256];
    char text[RC_SECRET_TOKEN_MAX];
    put_file("file", SECRET "\n", 0);
    path_of("data", path);
    assert_int_equal(symlink("file", path), 0);
    path_of("link", path);
    assert_int_equal(symlink("data", path), 0);
    assert_null(load_name("file", text));
    assert_string_equal(text, SECRET "\n");
    assert_null(load_name("link", text));
    assert_string_equal(text, SECRET "\n");
    path_of("file", path);
    const int fd = open(path, O_RDONLY);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    assert_null(load(path, text));
    assert_string_equal(text, SECRET "\n");
    close(fd);
}

/* A pipe is refused without waiting for it or reading it: a pipe without a writer, with a writer
 * that sends nothing, and through a link. */
static void a_pipe_is_refused_without_blocking(void **state)
{
    (void)state;
    char path[256];
    char text[RC_SECRET_TOKEN_MAX];
    char other[256];
    path_of("pipe", path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_non_null(strstr(load(path, text), "a pipe"));
    const int writer = open(path, O_RDWR | O_NONBLOCK);
    assert_non_null(load(path, text));
    path_of("link", other);
    assert_int_equal(symlink("pipe", other), 0);
    assert_non_null(load(other, text));
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    snprintf(other, sizeof other, "/proc/self/fd/%d", fds[0]);
    assert_non_null(load(other, text));
    close(fds[0]);
    close(fds[1]);
    close(writer);
}

static void special_files_are_refused(void **state)
{
    (void)state;
    char path[256];
    char text[RC_SECRET_TOKEN_MAX];
    path_of("sub", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_non_null(load(path, text));
    assert_non_null(load("/dev/zero", text));
    assert_non_null(load("/dev/tty", text));
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    path_of("socket", path);
    snprintf(address.sun_path, sizeof address.sun_path, "%.100s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_non_null(load(path, text));
    close(fd);
    assert_string_equal(load_name("missing", text), "cannot be read");
}

static void a_huge_file_is_refused(void **state)
{
    (void)state;
    char text[RC_SECRET_TOKEN_MAX];
    put_file("huge", SECRET, (size_t)1 << 40);
    assert_string_equal(load_name("huge", text), "is too large for a secret");
    assert_string_equal(text, "");
}

/* ---- memory ---- */

static const char *read_into; /* buffer of the latest read call */

static ssize_t noting_read(int fd, void *buf, size_t size)
{
    read_into = buf;
    return read(fd, buf, size);
}

/* Reads memory of a function's stack frame after its return. No call since then has used stack at
 * this depth. */
__attribute__((no_sanitize("address"))) static bool is_still_there(const volatile char *at)
{
    size_t same = 0;
    while (same < sizeof SECRET - 1 && at[same] == SECRET[same])
        same++;
    return same == sizeof SECRET - 1;
}

static void no_copy_stays_on_the_stack(void **state)
{
    (void)state;
    rc_sys_calls calls = rc_sys_real;
    calls.read = noting_read;
    char path[256];
    path_of("file", path);
    put_file("file", SECRET "\n", 0);
    /* 0: the secret is read; 1: the secret does not fit; 2: rc_file_read, the function for other
     * files, reads it. */
    for (int way = 0; way < 3; way++) {
        char memory[256];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, way == 1 ? 8 : sizeof memory);
        const int error =
            way == 2 ? rc_file_read(&calls, path, &buf) : rc_file_read_regular(&calls, path, &buf);
        const bool stays = is_still_there(read_into);
        assert_int_equal(error, way == 1 ? RC_FILE_TOO_LARGE : 0);
        assert_false(stays);
        if (way != 1)
            assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR(SECRET "\n")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_and_links_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pipe_is_refused_without_blocking, set_up, tear_down),
        cmocka_unit_test_setup_teardown(special_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_huge_file_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_copy_stays_on_the_stack, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
