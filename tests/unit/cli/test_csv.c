/* Tests of rc_csv: cells that spreadsheets do not read as formulas, and terminals not as control
 * sequences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/csv.h"

static const struct {
    const char *text;
    const char *cell;
} texts[] = {
    {"plain", "\"plain\""},
    {"", "\"\""},
    {"a,b", "\"a,b\""},
    {"say \"x\"", "\"say \"\"x\"\"\""},
    {"=1+1", "\"'=1+1\""},
    {"+1", "\"'+1\""},
    {"-1", "\"'-1\""},
    {"@SUM(A1)", "\"'@SUM(A1)\""},
    {"  =1", "\"'  =1\""},
    {"\t=1", "\"'\\u{9}=1\""},
    {"\r\n@x", "\"'\\u{D}\\u{A}@x\""},
    {"\tx", "\"\\u{9}x\""},
    {"\xEF\xBC\x9D"
     "1",
     "\"'\xEF\xBC\x9D"
     "1\""},
    {"a=b", "\"a=b\""},
    {"two\nlines", "\"two\\u{A}lines\""},
    {"\x1b[31m", "\"\\u{1B}[31m\""},
    {"\xC2\x9B"
     "1m",
     "\"\\u{9B}1m\""},
    {"\xE2\x80\xAE"
     "x",
     "\"\\u{202E}x\""},
    {"\x7F", "\"\\u{7F}\""},
    {"bad \xFF end", "\"bad \xEF\xBF\xBD end\""},
    {"\xC3\xA9", "\"\xC3\xA9\""},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char scratch[128];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
        rc_csv_text(&buf, rc_str_c(texts[i].text));
        rc_buf_push_byte(&buf, '\0');
        assert_string_equal(scratch, texts[i].cell);
    }
}

static void test_lines(void **state)
{
    (void)state;
    char scratch[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
    rc_csv_text(&buf, RC_STR("a"));
    rc_csv_number(&buf, 7);
    rc_csv_empty(&buf);
    rc_csv_number(&buf, -7);
    rc_csv_end(&buf);
    rc_csv_empty(&buf);
    rc_csv_text(&buf, RC_STR("b"));
    rc_csv_empty(&buf);
    rc_csv_empty(&buf);
    rc_csv_end(&buf);
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(scratch, "\"a\",7,,-7\n\"\",\"b\",,\n");
}

/* If a cell does not fit, the buffer's status reports it. */
static void test_no_space(void **state)
{
    (void)state;
    char scratch[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
    rc_csv_text(&buf, RC_STR("longer than eight"));
    assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
