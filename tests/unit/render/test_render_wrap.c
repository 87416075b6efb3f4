/* Tests of visible text and wrapping: the representation of each character, the line breaks, and
 * that no line is too wide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "render/wrap.h"
#include "support/often.h"
#include "support/random_report.h"
#include "support/render_cases.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void expect_visible(const char *text, bool has_utf8, const char *expected)
{
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_visible_push(&buf, rc_str_c(text), has_utf8);
    rc_str out = rc_buf_get(&buf);
    if (!rc_str_eq(out, rc_str_c(expected)))
        fail_msg("\"%s\": got \"%.*s\", want \"%s\"", text, (int)out.len, out.ptr, expected);
}

static void test_visible(void **state)
{
    (void)state;
    expect_visible("plain text ~", true, "plain text ~");
    expect_visible("\x1b[31m", true, "\\u{1B}[31m");
    expect_visible("\x07\x08\x0b\x7f", true, "\\u{7}\\u{8}\\u{B}\\u{7F}");
    expect_visible("a\rb", true, "a\\u{D}b");
    expect_visible("a\nb", true, "a b");
    expect_visible("a\tb", true, "a    b");
    expect_visible("\xc2\x9b", true, "\\u{9B}");                            /* CSI, one of the C1
                                                                               control characters */
    expect_visible("\xe2\x80\xae\xe2\x81\xa6", true, "\\u{202E}\\u{2066}"); /* controls of the
                                                                               writing direction */
    expect_visible("\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", true, "\\u{200B}\\u{FEFF}\\u{AD}");
    expect_visible("\xf3\xa0\x81\x81", true, "\\u{E0041}"); /* a tag character */
    expect_visible("é日🎉", true, "é日🎉");
    expect_visible("é日🎉", false, "\\u{E9}\\u{65E5}\\u{1F389}");
    expect_visible("⚠️👍🏽", true,
                   "⚠👍"); /* variation selectors and skin tones are hidden */
    expect_visible("", true, "");
    expect_visible("\xff", true, "\xef\xbf\xbd"); /* ill-formed bytes are replaced */
}

static void test_width_agrees_with_output(void **state)
{
    (void)state;
    for (uint32_t cp = 1; cp < 0x110000; cp += cp < 0x3000 ? 1 : 7) {
        if (cp >= 0xD800 && cp < 0xE000)
            continue;
        for (int has_utf8 = 0; has_utf8 < 2; has_utf8++) {
            char memory[32];
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory, sizeof memory);
            rc_visible_push_char(&buf, cp, has_utf8);
            rc_str out = rc_buf_get(&buf);
            unsigned width = 0;
            size_t len;
            for (size_t at = 0; at < out.len; at += len) {
                uint32_t shown = rc_utf8_decode(out, at, &len);
                assert_false(check_is_unsafe(shown));
                width += rc_utf8_width(shown);
            }
            if (width != rc_visible_char_width(cp, has_utf8) || width > RC_VISIBLE_CHAR_WIDTH_MAX)
                fail_msg("U+%04X: %u columns, said %u", cp, width,
                         rc_visible_char_width(cp, has_utf8));
        }
    }
}

static void expect_lines(const char *text, unsigned width, const char *const *lines, size_t count)
{
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, rc_str_c(text), true);
    for (size_t i = 0; i < count; i++) {
        if (!rc_wrap_next(&wrap, width, &line))
            fail_msg("\"%s\": %zu lines, want %zu", text, i, count);
        if (!rc_str_eq(line.text, rc_str_c(lines[i])))
            fail_msg("\"%s\": line %zu is \"%.*s\", want \"%s\"", text, i, (int)line.text.len,
                     line.text.ptr, lines[i]);
        assert_int_equal(line.width, rc_visible_width(line.text, true));
    }
    if (rc_wrap_next(&wrap, width, &line))
        fail_msg("\"%s\": more than %zu lines: \"%.*s\"", text, count, (int)line.text.len,
                 line.text.ptr);
}

#define EXPECT_LINES(text, width, ...)                    \
    do {                                                  \
        static const char *const LINES[] = {__VA_ARGS__}; \
        expect_lines(text, width, LINES, COUNT(LINES));   \
    } while (0)

static void test_lines(void **state)
{
    (void)state;
    expect_lines("", 10, NULL, 0);
    EXPECT_LINES("short", 10, "short");
    EXPECT_LINES("exactly 10", 10, "exactly 10");
    EXPECT_LINES("exactly 10 and more", 10, "exactly 10", "and more");
    EXPECT_LINES("one two three four", 10, "one two", "three four");
    EXPECT_LINES("one     two three", 10, "one", "two three");
    EXPECT_LINES("abcdefghijklmnopqrstuvwxyz", 10, "abcdefghij", "klmnopqrst", "uvwxyz");
    EXPECT_LINES("ab abcdefghijklm", 10, "ab", "abcdefghij", "klm");
    EXPECT_LINES("a\nb", 10, "a", "b");
    EXPECT_LINES("a\r\nb\r\n", 10, "a", "b");
    EXPECT_LINES("a\n\nb\n", 10, "a", "", "b");
    EXPECT_LINES("\n", 10, "");
    EXPECT_LINES("  indented more", 10, "  indented", "more");
    EXPECT_LINES("1234567890   \nnext", 10, "1234567890", "next");
    EXPECT_LINES("1234567890\r\nnext", 10, "1234567890", "next");
    EXPECT_LINES("             x", 10, "          ", "x");
    EXPECT_LINES("日本語日本語日本語", 10, "日本語日本", "語日本語");
    EXPECT_LINES("abc日本語日本語", 10, "abc日本語", "日本語");
    EXPECT_LINES("日本語abcdefgh", 10, "日本語", "abcdefgh");
    EXPECT_LINES("123456789e\xcc\x81 x", 10, "123456789e\xcc\x81", "x"); /* combining marks stay
                                                                            with their character */
    EXPECT_LINES("\x07\x07\x07", 10, "\x07\x07", "\x07"); /* escapes are never split */
}

/* Checks that every line fits and is not empty, and that only spaces and line ends are dropped. */
static void check_wrap(rc_str text, unsigned width, bool has_utf8)
{
    rc_wrap wrap;
    rc_wrap_line line;
    rc_wrap_init(&wrap, text, has_utf8);
    size_t kept = 0;
    size_t before = 0;
    while (rc_wrap_next(&wrap, width, &line)) {
        assert_true(line.width <= width);
        assert_int_equal(line.width, rc_visible_width(line.text, has_utf8));
        assert_true(wrap.at > before);
        for (const char *c = text.ptr + before; c < text.ptr + wrap.at; c++) {
            bool is_shown = c >= line.text.ptr && c < line.text.ptr + line.text.len;
            if (!is_shown && *c != ' ' && *c != '\n' && *c != '\r')
                fail_msg("a character is lost");
        }
        kept += line.text.len;
        before = wrap.at;
    }
    assert_int_equal(before, text.len);
    assert_true(kept <= text.len);
}

static void test_only_white_space_is_dropped(void **state)
{
    (void)state;
    uint64_t seed = 42;
    char memory[4096];
    for (int i = 0; i < OFTEN(20000); i++) {
        rc_str text = random_text(&seed, memory);
        unsigned width = 10 + (unsigned)random_below(&seed, 100);
        check_wrap(text, width, i % 2 == 0);
    }
    for (unsigned width = 10; width <= 200; width++) {
        check_wrap(rc_str_c(CASE_NASTY), width, true);
        check_wrap(rc_str_c(CASE_NASTY), width, false);
    }
}

static void expect_cut(const char *text, unsigned max, bool has_utf8, const char *expected,
                       unsigned columns)
{
    char memory[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    unsigned used = rc_visible_push_cut(&buf, rc_str_c(text), max, has_utf8);
    assert_true(rc_str_eq(rc_buf_get(&buf), rc_str_c(expected)));
    assert_int_equal(used, columns);
}

static void test_cut(void **state)
{
    (void)state;
    expect_cut("abcdef", 6, true, "abcdef", 6);
    expect_cut("abcdef", 5, true, "abcd…", 5);
    expect_cut("abcdef", 5, false, "ab...", 5);
    expect_cut("日本語", 5, true, "日本…", 5);
    expect_cut("日本語", 4, true, "日…", 3);
    expect_cut("abcdef", 1, true, "…", 1);
    expect_cut("abcdef", 0, true, "", 0);
    expect_cut("abcdef", 2, false, "", 0);
}

/* When the buffer is full, the rest of a long text is not processed. */
static void test_full_buffer(void **state)
{
    (void)state;
    char memory[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_visible_push(&buf, RC_STR("longer than eight bytes"), true);
    assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_get(&buf).len, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visible),
        cmocka_unit_test(test_width_agrees_with_output),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_only_white_space_is_dropped),
        cmocka_unit_test(test_full_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
