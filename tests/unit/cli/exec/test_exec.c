/* recourse exec: the countdown line at every width, and usage errors. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/run_cli.h"
#include "ui/wait_line.h"

static void expect_line(const rc_wait_line *line, const char *want)
{
    char scratch[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof scratch - 1);
    rc_wait_line_push(&buf, line);
    scratch[rc_buf_get(&buf).len] = '\0';
    assert_string_equal(scratch, want);
}

static void the_line_shows_the_parts_that_fit(void **state)
{
    (void)state;
    rc_wait_line line = {.retry = 2,
                         .max_retries = 3,
                         .left_ms = 3001,
                         .code = RC_CODE_RATE_LIMITED,
                         .has_keys = true,
                         .has_utf8 = true,
                         .width = 79};
    expect_line(&line, "Retrying (2/3) in 4s… (esc to cancel)  RateLimited");
    line.width = 50;
    expect_line(&line, "Retrying (2/3) in 4s… (esc to cancel)  RateLimited");
    line.width = 49;
    expect_line(&line, "Retrying (2/3) in 4s… (esc to cancel)");
    line.width = 36;
    expect_line(&line, "Retrying (2/3) in 4s… (esc)");
    line.width = 26;
    expect_line(&line, "Retrying (2/3) in 4s…");
    line.width = 10;
    expect_line(&line, "Retrying (");
    line.width = 79;
    line.has_keys = false;
    expect_line(&line, "Retrying (2/3) in 4s…  RateLimited");
    line.has_utf8 = false;
    line.left_ms = 65000;
    expect_line(&line, "Retrying (2/3) in 1m 5s...  RateLimited");
    line.left_ms = 0;
    expect_line(&line, "Retrying (2/3) in 0s...  RateLimited");
}

/* A sentence is cut before it is left out; its full stop and control characters are not shown. */
static void the_line_shows_a_text_when_there_is_no_code(void **state)
{
    (void)state;
    rc_wait_line line = {.retry = 1,
                         .max_retries = 5,
                         .left_ms = 4000,
                         .reason = RC_STR("The provider is limiting the rate of requests."),
                         .has_keys = true,
                         .has_utf8 = true,
                         .width = 99};
    expect_line(&line, "Retrying (1/5) in 4s… (esc to cancel)  "
                       "The provider is limiting the rate of requests");
    line.width = 79;
    expect_line(&line, "Retrying (1/5) in 4s… (esc to cancel)  "
                       "The provider is limiting the rate of re…");
    line.width = 55;
    expect_line(&line, "Retrying (1/5) in 4s… (esc to cancel)  The provider is…");
    line.width = 54;
    expect_line(&line, "Retrying (1/5) in 4s… (esc to cancel)");
    line.width = 99;
    line.reason = RC_STR("a\x1b[31mb");
    expect_line(&line, "Retrying (1/5) in 4s… (esc to cancel)  a\\u{1B}[31mb");
}

static void a_plain_line_has_the_same_content(void **state)
{
    (void)state;
    char scratch[256];
    rc_buf buf;
    rc_wait_line line = {
        .retry = 1, .max_retries = 5, .left_ms = 800, .code = RC_CODE_RATE_LIMITED};
    rc_buf_init_fixed(&buf, scratch, sizeof scratch);
    rc_wait_line_push_plain(&buf, "exec", &line);
    line.reason = RC_STR("It is slow.");
    rc_wait_line_push_plain(&buf, "call", &line);
    line.code = RC_CODE_NONE;
    line.reason = RC_STR("");
    rc_wait_line_push_plain(&buf, "call", &line);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(scratch, "recourse exec: RateLimited: retrying (1/5) in 800ms\n"
                                 "recourse call: It is slow: retrying (1/5) in 800ms\n"
                                 "recourse call: retrying (1/5) in 800ms\n");
}

static void the_line_never_exceeds_the_width(void **state)
{
    (void)state;
    for (unsigned width = 1; width < 100; width++) {
        for (int bits = 0; bits < 8; bits++) {
            char scratch[256];
            rc_buf buf;
            rc_wait_line line = {.retry = UINT32_MAX,
                                 .max_retries = UINT32_MAX,
                                 .left_ms = 86400000,
                                 .code = RC_CODE_CONNECTION_FAILED,
                                 .has_keys = (bits & 1) != 0,
                                 .has_utf8 = (bits & 2) != 0,
                                 .reason = (bits & 4) != 0 ? RC_STR("words, words, words and words")
                                                           : RC_STR(""),
                                 .width = width};
            rc_buf_init_fixed(&buf, scratch, sizeof scratch);
            rc_wait_line_push(&buf, &line);
            assert_int_equal(rc_buf_status(&buf), RC_OK);
            size_t columns = 0;
            rc_str text = rc_buf_get(&buf);
            for (size_t i = 0; i < text.len; i++)
                columns += ((unsigned char)text.ptr[i] & 0xC0) != 0x80 ? 1 : 0;
            assert_true(columns <= width);
        }
    }
}

static void usage_errors_are_named_and_nothing_is_run(void **state)
{
    (void)state;
    static const struct {
        const char *args[ARGS_MAX];
        const char *said;
    } rows[] = {
        {{"exec"}, "name the command that is to be run, behind --"},
        {{"exec", "--"}, "name the command"},
        {{"exec", "--", ""}, "name the command"},
        {{"exec", "--quiet"}, "name the command"},
        {{"exec", "--tries", "0", "x"}, "--tries is a whole number from 1 to 1000, not \"0\""},
        {{"exec", "--budget", "soon", "x"}, "--budget is a duration such as 30s, 5m or 1h30m"},
        {{"exec", "--budget", "0", "x"}, "not \"0\""},
        {{"exec", "--budget", "-5s", "x"}, "not \"-5s\""},
        {{"exec", "--budget", "876601h", "x"}, "--budget is 876600h (100 years) at most, not"},
        {{"exec", "--plicy", "none", "x"}, "unknown option --plicy; did you mean --policy?"},
        {{"exec", "-x", "y"}, "unknown option -x"},
        {{"exec", "--quiet=yes", "x"}, "--quiet takes no value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_reset("");
        memory = (fail_alloc){0};
        assert_int_equal(run(rows[i].args), RC_EXIT_USAGE);
        assert_int_equal(fake.out.len, 0);
        if (strstr(fake.err.text, rows[i].said) == NULL)
            fail_msg("\"%s\" is not in: %s", rows[i].said, fake.err.text);
    }
}

static void help_after_the_command_belongs_to_the_command(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"exec", "--help", "x"};
    fake_reset("");
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_non_null(strstr(fake.out.text, "Usage: recourse exec [OPTION]... -- COMMAND [ARG]..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_shows_the_parts_that_fit),
        cmocka_unit_test(the_line_shows_a_text_when_there_is_no_code),
        cmocka_unit_test(a_plain_line_has_the_same_content),
        cmocka_unit_test(the_line_never_exceeds_the_width),
        cmocka_unit_test(usage_errors_are_named_and_nothing_is_run),
        cmocka_unit_test(help_after_the_command_belongs_to_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
