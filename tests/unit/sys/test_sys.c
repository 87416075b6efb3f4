/* Tests of the table of system calls: short reads and writes, interruptions and failures at every
 * call. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "support/fake_sys.h"

/* clock.c is included because it is not part of the library that tests are linked with. */
#include "sys/clock.c"
#include "sys/entropy.c"
#include "sys/file.c"
#include "sys/terminal.c"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT "0123456789abcdefghijklmnopqrstuvwxyz"

static rc_buf buf;

static int set_up(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    fake_reset(TEXT);
    rc_buf_init(&buf, &alloc, 1024);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rc_buf_done(&buf);
    return 0;
}

static void expect_text(rc_str got, const char *want)
{
    assert_int_equal(got.len, strlen(want));
    assert_memory_equal(got.ptr, want, got.len);
}

/* ---- reading ---- */

static void reads_in_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= sizeof(TEXT); piece++) {
        fake_reset(TEXT);
        fake.piece = piece;
        rc_buf_reset(&buf);
        assert_int_equal(rc_file_read(&fake_calls, "x", &buf), 0);
        expect_text(rc_buf_get(&buf), TEXT);
        assert_int_equal(fake.open_count, 0);
    }
}

static void reads_nothing_from_an_empty_file(void **state)
{
    (void)state;
    fake_reset("");
    assert_int_equal(rc_file_read(&fake_calls, "x", &buf), 0);
    assert_int_equal(rc_buf_get(&buf).len, 0);
}

static void an_interrupted_call_is_made_again(void **state)
{
    (void)state;
    for (int at = 1; at <= 8; at++) {
        fake_reset(TEXT);
        rc_buf_reset(&buf);
        fake.piece = 9;
        fake.fail_at = at;
        fake.error = EINTR;
        assert_int_equal(rc_file_read(&fake_calls, "x", &buf), 0);
        expect_text(rc_buf_get(&buf), TEXT);
        assert_int_equal(rc_fd_write(&fake_calls, 1, RC_STR(TEXT)), 0);
        expect_text(rc_str_make(fake.out.text, fake.out.len), TEXT);
    }
}

/* The calls are: open, four reads with text, one read at the end, and close, whose failure loses no
 * data. */
static void a_failing_call_returns_its_errno_and_closes_all_files(void **state)
{
    (void)state;
    static const int errors[] = {EIO, EACCES, ENOENT, EISDIR, EAGAIN};
    for (size_t i = 0; i < COUNT(errors); i++) {
        for (int at = 1; at <= 6; at++) {
            fake_reset(TEXT);
            rc_buf_reset(&buf);
            fake.piece = 10;
            fake.fail_at = at;
            fake.is_for_good = at % 2 == 0;
            fake.error = errors[i];
            assert_int_equal(rc_file_read(&fake_calls, "x", &buf), errors[i]);
            assert_int_equal(fake.open_count, 0);
        }
    }
}

static void a_failing_close_after_reading_loses_nothing(void **state)
{
    (void)state;
    fake.piece = 10;
    fake.fail_at = 7;
    fake.error = EIO;
    assert_int_equal(rc_file_read(&fake_calls, "x", &buf), 0);
    assert_int_equal(fake.calls, 7);
    expect_text(rc_buf_get(&buf), TEXT);
}

static void a_missing_file_returns_its_errno(void **state)
{
    (void)state;
    fake.path = "there";
    assert_int_equal(rc_file_read(&fake_calls, "not-there", &buf), ENOENT);
    assert_string_equal(rc_sys_error_text(ENOENT), "No such file or directory");
    assert_string_equal(rc_sys_error_text(-5), "unknown error");
    assert_string_equal(rc_sys_error_text(RC_FILE_TOO_LARGE), "too large");
    assert_string_equal(rc_sys_error_text(RC_FILE_NO_MEMORY), "no memory");
}

static void the_buffer_limit_is_exact(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    const size_t len = strlen(TEXT);
    for (size_t max = 1; max <= len; max++) {
        rc_buf_done(&buf);
        rc_buf_init(&buf, &alloc, max);
        fake_reset(TEXT);
        fake.piece = 3;
        assert_int_equal(rc_file_read(&fake_calls, "x", &buf), max < len ? RC_FILE_TOO_LARGE : 0);
        assert_true(rc_buf_get(&buf).len <= max);
        assert_int_equal(fake.open_count, 0);
    }
}

static void *no_memory(void *ctx, size_t size)
{
    (void)ctx;
    (void)size;
    return NULL;
}

static void out_of_memory_returns_its_error(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    alloc.get = no_memory;
    rc_buf_done(&buf);
    rc_buf_init(&buf, &alloc, 1024);
    assert_int_equal(rc_file_read(&fake_calls, "x", &buf), RC_FILE_NO_MEMORY);
    assert_int_equal(fake.open_count, 0);
}

/* ---- writing ---- */

static void writes_in_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t piece = 1; piece <= sizeof(TEXT); piece++) {
        fake_reset("");
        fake.piece = piece;
        assert_int_equal(rc_fd_write(&fake_calls, 1, RC_STR(TEXT)), 0);
        expect_text(rc_str_make(fake.out.text, fake.out.len), TEXT);
    }
}

static void writing_nothing_calls_nothing(void **state)
{
    (void)state;
    assert_int_equal(rc_fd_write(&fake_calls, 1, RC_STR("")), 0);
    assert_int_equal(fake.calls, 0);
}

static void a_failing_write_returns_its_errno(void **state)
{
    (void)state;
    static const int errors[] = {ENOSPC, EIO, EPIPE, EBADF};
    for (size_t i = 0; i < COUNT(errors); i++) {
        for (int at = 1; at <= 4; at++) {
            fake_reset("");
            fake.piece = 10;
            fake.fail_at = at;
            fake.error = errors[i];
            assert_int_equal(rc_fd_write(&fake_calls, 1, RC_STR(TEXT)), errors[i]);
            assert_int_equal(fake.out.len, 10 * (size_t)(at - 1));
        }
    }
}

static ssize_t write_nothing(int fd, const void *bytes, size_t size)
{
    (void)fd;
    (void)bytes;
    (void)size;
    return 0;
}

static void a_write_of_no_bytes_is_an_error(void **state)
{
    (void)state;
    rc_sys_calls calls = fake_calls;
    calls.write = write_nothing;
    assert_int_equal(rc_fd_write(&calls, 1, RC_STR(TEXT)), EIO);
}

static void closing_reports_an_error_of_an_earlier_write(void **state)
{
    (void)state;
    static const int errors[][2] = {{ENOSPC, ENOSPC}, {EIO, EIO}, {EINTR, 0}};
    assert_int_equal(rc_fd_close(&fake_calls, 1), 0);
    for (size_t i = 0; i < COUNT(errors); i++) {
        fake_reset("");
        fake.fail_at = 1;
        fake.error = errors[i][0];
        assert_int_equal(rc_fd_close(&fake_calls, 1), errors[i][1]);
        assert_int_equal(fake.calls, 1);
    }
}

/* ---- the terminal ---- */

static void utf8_depends_on_the_first_set_locale_variable(void **state)
{
    (void)state;
    static const struct {
        const char *all, *ctype, *lang;
        bool is_utf8;
    } rows[] = {
        {NULL, NULL, NULL, false},
        {NULL, NULL, "C", false},
        {NULL, NULL, "C.UTF-8", true},
        {NULL, NULL, "en_GB.utf8", true},
        {NULL, NULL, "de_DE.Utf-8@euro", true},
        {NULL, NULL, "en_GB.ISO-8859-1", false},
        {NULL, NULL, "en_GB.UTF-88", false},
        {NULL, NULL, "UTF-8", false},
        {NULL, NULL, "", false},
        {NULL, "C", "C.UTF-8", false},
        {NULL, "", "C.UTF-8", true},
        {NULL, "C.UTF-8", "C", true},
        {"C", "C.UTF-8", "C.UTF-8", false},
        {"", "C.UTF-8", "C", true},
        {"C.UTF-8", "C", "C", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fake_reset("");
        fake_env("LC_ALL", rows[i].all);
        fake_env("LC_CTYPE", rows[i].ctype);
        fake_env("LANG", rows[i].lang);
        assert_int_equal(rc_terminal_get(&fake_calls, 1).has_utf8, rows[i].is_utf8);
    }
}

static void colour_needs_a_capable_terminal_and_no_NO_COLOR(void **state)
{
    (void)state;
    static const struct {
        bool is_tty;
        const char *term, *no_color;
        bool has_colour;
    } rows[] = {
        {true, "xterm-256color", NULL, true},
        {false, "xterm-256color", NULL, false},
        {true, "dumb", NULL, false},
        {true, NULL, NULL, false},
        {true, "", NULL, false},
        {true, "xterm", "1", false},
        {true, "xterm", "0", false},
        {true, "xterm", "", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fake_reset("");
        fake.is_tty[1] = rows[i].is_tty;
        fake_env("TERM", rows[i].term);
        fake_env("NO_COLOR", rows[i].no_color);
        rc_terminal terminal = rc_terminal_get(&fake_calls, 1);
        assert_int_equal(terminal.has_colour, rows[i].has_colour);
        assert_int_equal(terminal.is_tty, rows[i].is_tty);
        assert_false(rc_terminal_get(&fake_calls, 2).is_tty);
    }
}

static void the_width_is_configured_measured_or_80(void **state)
{
    (void)state;
    static const struct {
        const char *columns;
        bool is_tty;
        int measured;
        unsigned width;
    } rows[] = {
        {NULL, false, 120, 80},  {NULL, true, 120, 120},
        {NULL, true, 0, 80},     {NULL, true, -1, 80},
        {"60", true, 120, 60},   {"60", false, 120, 60},
        {"0", true, 120, 120},   {"", true, 120, 120},
        {"12x", true, 120, 120}, {"-5", false, 120, 80},
        {" 60", false, 0, 80},   {"9999", false, 0, 9999},
        {"10000", false, 0, 80}, {"99999999999999999999", false, 0, 80},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        fake_reset("");
        fake.is_tty[1] = rows[i].is_tty;
        fake.columns = rows[i].measured;
        fake_env("COLUMNS", rows[i].columns);
        assert_int_equal(rc_terminal_get(&fake_calls, 1).width, rows[i].width);
    }
}

/* ---- clock and entropy ---- */

static void the_clock_is_in_milliseconds(void **state)
{
    (void)state;
    assert_int_equal(rc_clock_unix_ms(&fake_calls), INT64_C(1794790923456));
    assert_int_equal(rc_clock_utc_offset_s(&fake_calls, INT64_C(1794790923456)), 3600);
    fake.fail_at = 2;
    fake.error = EINVAL;
    assert_int_equal(rc_clock_unix_ms(&fake_calls), 0);
}

static void entropy_fills_all_bytes_or_fails(void **state)
{
    (void)state;
    uint8_t bytes[10];
    for (size_t piece = 0; piece <= sizeof(bytes); piece++) {
        fake_reset("");
        fake.piece = piece;
        memset(bytes, 0, sizeof(bytes));
        assert_true(rc_entropy_get(&fake_calls, bytes, sizeof(bytes)));
        for (size_t i = 0; i < sizeof(bytes); i++)
            assert_int_equal(bytes[i], 0x5A);
    }
    for (int at = 1; at <= 5; at++) {
        fake_reset("");
        fake.piece = 2;
        fake.fail_at = at;
        fake.error = at % 2 == 0 ? EINTR : ENOSYS;
        assert_int_equal(rc_entropy_get(&fake_calls, bytes, sizeof(bytes)), at % 2 == 0);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_in_pieces_of_any_size),
        TEST(reads_nothing_from_an_empty_file),
        TEST(an_interrupted_call_is_made_again),
        TEST(a_failing_call_returns_its_errno_and_closes_all_files),
        TEST(a_failing_close_after_reading_loses_nothing),
        TEST(a_missing_file_returns_its_errno),
        TEST(the_buffer_limit_is_exact),
        TEST(out_of_memory_returns_its_error),
        TEST(writes_in_pieces_of_any_size),
        TEST(writing_nothing_calls_nothing),
        TEST(a_failing_write_returns_its_errno),
        TEST(a_write_of_no_bytes_is_an_error),
        TEST(closing_reports_an_error_of_an_earlier_write),
        TEST(utf8_depends_on_the_first_set_locale_variable),
        TEST(colour_needs_a_capable_terminal_and_no_NO_COLOR),
        TEST(the_width_is_configured_measured_or_80),
        TEST(the_clock_is_in_milliseconds),
        TEST(entropy_fills_all_bytes_or_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
