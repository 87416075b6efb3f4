/* Tests of rc_status_line: the bytes that draw and erase a line in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sys/status_line.h"

static char scratch[256];

static const char *drawn(rc_status_line *line, const char *text)
{
    rc_buf buf;
    memset(scratch, 0, sizeof scratch);
    rc_buf_init_fixed(&buf, scratch, sizeof scratch - 1);
    rc_status_line_draw(line, &buf, rc_str_c(text));
    return scratch;
}

static const char *erased(rc_status_line *line)
{
    rc_buf buf;
    memset(scratch, 0, sizeof scratch);
    rc_buf_init_fixed(&buf, scratch, sizeof scratch - 1);
    rc_status_line_erase(line, &buf);
    return scratch;
}

static void a_line_is_drawn_in_place_and_erased_once(void **state)
{
    (void)state;
    const rc_terminal terminal = {.can_redraw = true, .width = 20};
    rc_status_line line;
    rc_status_line_init(&line, &terminal);
    assert_string_equal(erased(&line), "");
    assert_string_equal(drawn(&line, "10%"), "\r10%\x1b[K");
    assert_string_equal(drawn(&line, "20%"), "\r20%\x1b[K");
    assert_string_equal(erased(&line), "\r\x1b[K");
    assert_string_equal(erased(&line), "");
}

static void the_last_column_stays_free(void **state)
{
    (void)state;
    const rc_terminal terminal = {.can_redraw = true, .width = 8};
    rc_status_line line;
    rc_status_line_init(&line, &terminal);
    assert_string_equal(drawn(&line, "1234567"), "\r1234567\x1b[K");
    assert_string_equal(drawn(&line, "12345678"), "\r1234567\x1b[K");
    line.width = 6;
    assert_string_equal(drawn(&line, "12345678"), "\r12345\x1b[K");
    line.width = 0;
    assert_string_equal(drawn(&line, "12"), "\r1\x1b[K");
}

static void a_wide_character_is_shown_whole_or_not_at_all(void **state)
{
    (void)state;
    const rc_terminal terminal = {.can_redraw = true, .width = 5};
    rc_status_line line;
    rc_status_line_init(&line, &terminal);
    assert_string_equal(drawn(&line, "━\xe6\x97\xa5x"), "\r━\xe6\x97\xa5x\x1b[K");
    line.width = 3;
    assert_string_equal(drawn(&line, "━\xe6\x97\xa5x"), "\r━\x1b[K");
}

static void without_redraw_support_no_line_is_shown(void **state)
{
    (void)state;
    const rc_terminal terminal = {.is_tty = true, .width = 80};
    rc_status_line line;
    rc_status_line_init(&line, &terminal);
    assert_string_equal(drawn(&line, "10%"), "");
    assert_string_equal(erased(&line), "");
}

static void a_long_text_needs_no_more_than_the_extra_bytes(void **state)
{
    (void)state;
    const rc_terminal terminal = {.can_redraw = true, .width = 80};
    char small[4 + RC_STATUS_LINE_EXTRA];
    rc_buf buf;
    rc_status_line line;
    rc_status_line_init(&line, &terminal);
    rc_buf_init_fixed(&buf, small, sizeof small);
    rc_status_line_draw(&line, &buf, RC_STR("1234"));
    assert_int_equal(rc_buf_status(&buf), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_drawn_in_place_and_erased_once),
        cmocka_unit_test(the_last_column_stays_free),
        cmocka_unit_test(a_wide_character_is_shown_whole_or_not_at_all),
        cmocka_unit_test(without_redraw_support_no_line_is_shown),
        cmocka_unit_test(a_long_text_needs_no_more_than_the_extra_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
