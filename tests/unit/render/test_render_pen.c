/* Tests of lines of toned text: columns, tab stops, colours, wrapping; and of the symbols. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/pen.h"

typedef struct page {
    char text[1024];
    rc_buf buf;
    rc_pen pen;
} page;

static rc_pen *begin(page *p, unsigned width, bool has_colour, bool has_utf8)
{
    const rc_panel_style style = {.width = width, .has_colour = has_colour, .has_utf8 = has_utf8};
    memset(p->text, 0, sizeof p->text);
    rc_buf_init_fixed(&p->buf, p->text, sizeof p->text - 1);
    rc_pen_init(&p->pen, &style, &p->buf);
    return &p->pen;
}

static void no_line_ends_in_spaces(void **state)
{
    (void)state;
    page p;
    rc_pen *pen = begin(&p, 40, false, true);
    rc_pen_text(pen, RC_TONE_PLAIN, RC_STR("a"));
    rc_pen_to(pen, 4);
    rc_pen_text(pen, RC_TONE_PLAIN, RC_STR("b"));
    rc_pen_to(pen, 2); /* the pen is already after this column */
    rc_pen_skip(pen, 10);
    assert_int_equal(pen->column, 15);
    rc_pen_end_line(pen);
    rc_pen_text(pen, RC_TONE_PLAIN, RC_STR("c"));
    rc_pen_end_line(pen);
    assert_string_equal(p.text, "a   b\nc\n");
}

static void a_sequence_is_written_where_the_tone_changes(void **state)
{
    (void)state;
    page p;
    rc_pen *pen = begin(&p, 40, true, true);
    rc_pen_text(pen, RC_TONE_BAD, RC_STR("a"));
    rc_pen_text(pen, RC_TONE_BAD, RC_STR("b"));
    rc_pen_skip(pen, 1);
    rc_pen_text(pen, RC_TONE_PLAIN, RC_STR("c"));
    rc_pen_text(pen, RC_TONE_GOOD, RC_STR(""));
    rc_pen_text(pen, RC_TONE_FAINT, RC_STR("d"));
    rc_pen_end_line(pen);
    rc_pen_end_line(pen);
    assert_string_equal(p.text, "\x1b[31mab\x1b[0m c\x1b[2md\x1b[0m\n\n");
}

static void every_tone_but_plain_has_a_sequence_within_the_limit(void **state)
{
    (void)state;
    for (rc_tone tone = RC_TONE_PLAIN; tone <= RC_TONE_OUTAGE; tone++) {
        char scratch[32];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof scratch);
        rc_tone_begin(&buf, tone, false);
        rc_tone_end(&buf, tone, false);
        assert_int_equal(rc_buf_get(&buf).len, 0);
        rc_tone_begin(&buf, tone, true);
        assert_int_equal(rc_buf_get(&buf).len > 0, tone != RC_TONE_PLAIN);
        assert_true(rc_buf_get(&buf).len <= RC_TONE_BYTES_MAX);
    }
}

static void control_characters_are_made_visible_and_long_texts_cut(void **state)
{
    (void)state;
    page p;
    rc_pen *pen = begin(&p, 40, true, true);
    rc_pen_text(pen, RC_TONE_PLAIN, RC_STR("\x1b[31m\n"));
    rc_pen_cut(pen, RC_TONE_PLAIN, RC_STR("abcdef"), 4);
    assert_int_equal(pen->column, 15);
    rc_pen_end_line(pen);
    assert_string_equal(p.text, "\\u{1B}[31m abc…\n");
}

static void wrapped_text_continues_at_its_indent(void **state)
{
    (void)state;
    page p;
    rc_pen *pen = begin(&p, 20, true, true);
    rc_pen_text(pen, RC_TONE_FAINT, RC_STR("label"));
    rc_pen_to(pen, 8);
    rc_pen_wrap(pen, RC_TONE_GOOD, 8, RC_STR("one two three four"));
    rc_pen_wrap(pen, RC_TONE_GOOD, 8, RC_STR(""));
    assert_string_equal(p.text, "\x1b[2mlabel\x1b[0m   \x1b[32mone two\x1b[0m\n"
                                "        \x1b[32mthree four\x1b[0m\n\n");
}

static void the_rest_of_a_text_ends_at_the_line_limit(void **state)
{
    (void)state;
    page p;
    rc_wrap wrap;
    rc_pen *pen = begin(&p, 12, false, true);
    rc_wrap_init(&wrap, RC_STR("one two three four five six"), true);
    assert_false(rc_pen_wrap_rest(pen, RC_TONE_PLAIN, 2, &wrap, 1));
    assert_true(rc_pen_wrap_rest(pen, RC_TONE_PLAIN, 2, &wrap, 2));
    assert_true(rc_pen_wrap_rest(pen, RC_TONE_PLAIN, 2, &wrap, 2));
    assert_string_equal(p.text, "  one two\n  three four\n  five six\n");
}

/* Even a very narrow terminal gets lines, each of which has space for any character. */
static void an_indent_wider_than_the_terminal_is_no_failure(void **state)
{
    (void)state;
    page p;
    rc_pen *pen = begin(&p, 10, false, false);
    rc_pen_to(pen, 15);
    rc_pen_wrap(pen, RC_TONE_PLAIN, 15, RC_STR("0123456789 \xf0\x9f\x98\x80"));
    assert_string_equal(p.text, "               0123456789\n               \\u{1F600}\n");
}

static void symbols_are_as_wide_in_ascii_or_part_of_a_text(void **state)
{
    (void)state;
    for (rc_symbol symbol = RC_SYMBOL_GOOD; symbol <= RC_SYMBOL_SHADE; symbol++) {
        const rc_str utf8 = rc_symbol_text(symbol, true);
        const rc_str ascii = rc_symbol_text(symbol, false);
        const bool is_in_text = symbol >= RC_SYMBOL_ARROW && symbol <= RC_SYMBOL_TWIG;
        for (size_t i = 0; i < ascii.len; i++)
            assert_true((unsigned char)ascii.ptr[i] < 0x7F);
        assert_true(is_in_text || rc_visible_width(utf8, true) == 1);
        assert_true(is_in_text || ascii.len == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_ends_in_spaces),
        cmocka_unit_test(a_sequence_is_written_where_the_tone_changes),
        cmocka_unit_test(every_tone_but_plain_has_a_sequence_within_the_limit),
        cmocka_unit_test(control_characters_are_made_visible_and_long_texts_cut),
        cmocka_unit_test(wrapped_text_continues_at_its_indent),
        cmocka_unit_test(the_rest_of_a_text_ends_at_the_line_limit),
        cmocka_unit_test(an_indent_wider_than_the_terminal_is_no_failure),
        cmocka_unit_test(symbols_are_as_wide_in_ascii_or_part_of_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
