/* Tests of rc_json_position_of: the lines and columns that an editor shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "json/reader.h"

static void expect_position(rc_str text, size_t offset, size_t line, size_t column)
{
    rc_json_position position = rc_json_position_of(text, offset);
    if (position.line != line || position.column != column)
        fail_msg("offset %zu: %zu:%zu, want %zu:%zu", offset, position.line, position.column, line,
                 column);
}

static void test_lines(void **state)
{
    (void)state;
    rc_str text = RC_STR("ab\ncd\r\nef\rgh\n\n\r\r\nx");
    static const size_t WANT[][2] = {
        {1, 1}, {1, 2}, {1, 3},         /* ab\n */
        {2, 1}, {2, 2}, {2, 3}, {2, 4}, /* cd\r\n */
        {3, 1}, {3, 2}, {3, 3},         /* ef\r */
        {4, 1}, {4, 2}, {4, 3},         /* gh\n */
        {5, 1},                         /* \n */
        {6, 1},                         /* \r */
        {7, 1}, {7, 2},                 /* \r\n */
        {8, 1}, {8, 2},                 /* x, and the end of the text */
    };
    assert_int_equal(sizeof WANT / sizeof *WANT, text.len + 1);
    for (size_t i = 0; i <= text.len; i++)
        expect_position(text, i, WANT[i][0], WANT[i][1]);
    expect_position(text, text.len + 100, 8, 2);
}

static void test_characters(void **state)
{
    (void)state;
    rc_str text = RC_STR("\xC3\xA9\xF0\x9F\x98\x80\xFFz\n\xE2\x82");
    expect_position(text, 0, 1, 1);
    expect_position(text, 1, 1, 1); /* an offset inside a character has the position of the
                                       character */
    expect_position(text, 2, 1, 2);
    expect_position(text, 5, 1, 2);
    expect_position(text, 6, 1, 3); /* an ill-formed byte counts as one column */
    expect_position(text, 7, 1, 4);
    expect_position(text, 8, 1, 5);
    expect_position(text, 9, 2, 1);
    expect_position(text, 10, 2, 1);
    expect_position(text, 11, 2, 2);
}

static void test_empty(void **state)
{
    (void)state;
    expect_position(RC_STR(""), 0, 1, 1);
    expect_position(rc_str_make(NULL, 0), 5, 1, 1);
    expect_position(RC_STR("\r"), 1, 2, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
