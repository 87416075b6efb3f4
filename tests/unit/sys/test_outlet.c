/* Tests of outlets: writes never block, messages are queued completely or not at all, and errors
 * are recorded. */
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
#include "sys/outlet.h"

#define QUEUE_BYTES ((size_t)1 << 16)
/* More bytes than a pipe can contain. */
#define FILLING ((size_t)1 << 20)

static char filling[FILLING];
static rc_outlet outlet;
static int fds[2];

static int set_up(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    real_reset();
    signal(SIGPIPE, SIG_IGN);
    if (pipe(fds) != 0)
        return -1;
    /* The real system calls are used: the pipe is reopened, so writes to it do not block. */
    rc_outlet_init(&outlet, &rc_sys_real, &alloc, fds[1], QUEUE_BYTES);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_outlet_done(&outlet);
    close(fds[0]);
    close(fds[1]);
    return 0;
}

static void fill(void)
{
    size_t put = rc_outlet_write(&outlet, rc_str_make(filling, sizeof filling));
    assert_true(put > 0);
    assert_true(put < sizeof filling);
    assert_int_equal(rc_outlet_write(&outlet, RC_STR("x")), 0);
}

static size_t empty(char *ret_last)
{
    static char space[FILLING];
    rc_sys_real.set_nonblocking(fds[0]);
    size_t len = 0;
    ssize_t got = read(fds[0], space, sizeof space);
    for (; got > 0; got = read(fds[0], space + len, sizeof space - len))
        len += (size_t)got;
    memcpy(ret_last, space + (len > 3 ? len - 3 : 0), len > 3 ? 3 : len);
    return len;
}

static void queued_bytes_wait_for_a_reader_in_order(void **state)
{
    (void)state;
    char last[4] = "";
    fill();
    assert_true(rc_outlet_push(&outlet, RC_STR("a")));
    assert_true(rc_outlet_push(&outlet, RC_STR("b")));
    assert_false(rc_outlet_is_empty(&outlet));
    assert_int_equal(rc_outlet_poll(&outlet).fd, outlet.fd);
    /* A write does not overtake bytes that are queued. */
    empty(last);
    assert_int_equal(rc_outlet_write(&outlet, RC_STR("c")), 0);
    rc_outlet_step(&outlet);
    assert_true(rc_outlet_is_empty(&outlet));
    assert_int_equal(rc_outlet_write(&outlet, RC_STR("c")), 1);
    assert_int_equal(empty(last), 3);
    assert_string_equal(last, "abc");
    assert_int_equal(rc_outlet_poll(&outlet).fd, -1);
    outlet.is_awaited = true;
    assert_int_equal(rc_outlet_poll(&outlet).fd, outlet.fd);
}

static void the_shared_descriptor_stays_blocking(void **state)
{
    (void)state;
    assert_int_not_equal(outlet.fd, fds[1]);
    assert_int_equal(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    assert_int_not_equal(fcntl(outlet.fd, F_GETFL) & O_NONBLOCK, 0);
    assert_int_not_equal(fcntl(outlet.fd, F_GETFD) & FD_CLOEXEC, 0);
}

static void the_queue_is_limited(void **state)
{
    (void)state;
    fill();
    assert_true(rc_outlet_push(&outlet, rc_str_make(filling, QUEUE_BYTES)));
    assert_false(rc_outlet_push(&outlet, RC_STR("x")));
    assert_int_equal(outlet.error, 0);
    char last[4];
    empty(last);
    rc_outlet_step(&outlet);
    assert_true(rc_outlet_push(&outlet, RC_STR("x")));
    empty(last);
    rc_outlet_step(&outlet);
    /* A push that can never fit does not affect later ones. */
    assert_false(rc_outlet_push(&outlet, rc_str_make(filling, QUEUE_BYTES + 1)));
    assert_true(rc_outlet_push(&outlet, RC_STR("x")));
}

static void a_closed_reader_is_reported_once(void **state)
{
    (void)state;
    close(fds[0]);
    assert_true(rc_outlet_push(&outlet, RC_STR("x")));
    assert_int_equal(outlet.error, EPIPE);
    assert_true(rc_outlet_is_empty(&outlet));
    assert_true(rc_outlet_push(&outlet, RC_STR("x")));
    assert_int_equal(rc_outlet_write(&outlet, RC_STR("abc")), 3);
    assert_int_equal(rc_outlet_poll(&outlet).fd, -1);
    fds[0] = dup(fds[1]);
}

static void an_incomplete_line_is_ended(void **state)
{
    (void)state;
    char last[4] = "";
    rc_outlet_begin_line(&outlet);
    rc_outlet_write(&outlet, RC_STR("a"));
    rc_outlet_begin_line(&outlet);
    rc_outlet_begin_line(&outlet);
    rc_outlet_push(&outlet, RC_STR("b"));
    assert_int_equal(empty(last), 3);
    assert_string_equal(last, "a\nb");
}

/* A file is not reopened, because a reopened file would be written from its beginning. */
static void a_file_is_not_opened_again(void **state)
{
    (void)state;
    char path[] = "/tmp/recourse-outlet-XXXXXX";
    char got[8] = "";
    rc_alloc alloc = rc_alloc_stdlib();
    rc_outlet file;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "ab", 2), 2);
    rc_outlet_init(&file, &rc_sys_real, &alloc, fd, QUEUE_BYTES);
    assert_int_equal(file.fd, fd);
    assert_true(rc_outlet_push(&file, RC_STR("cd")));
    assert_int_equal(write(fd, "ef", 2), 2);
    assert_int_equal(rc_outlet_done(&file), 0);
    assert_int_equal(pread(fd, got, sizeof got, 0), 6);
    assert_string_equal(got, "abcdef");
    close(fd);
    unlink(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queued_bytes_wait_for_a_reader_in_order),
        TEST(the_shared_descriptor_stays_blocking),
        TEST(the_queue_is_limited),
        TEST(a_closed_reader_is_reported_once),
        TEST(an_incomplete_line_is_ended),
        TEST(a_file_is_not_opened_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
