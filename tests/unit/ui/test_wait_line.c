/* Tests of rc_wait_line: the text of the countdown at every width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/wrap.h"
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

/* A sentence is shortened before it is left out; its full stop and control characters are not
 * shown. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_shows_the_parts_that_fit),
        cmocka_unit_test(the_line_shows_a_text_when_there_is_no_code),
        cmocka_unit_test(a_plain_line_has_the_same_content),
        cmocka_unit_test(the_line_never_exceeds_the_width),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
