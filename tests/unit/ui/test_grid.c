/* Tests of rc_grid: tables that fit the terminal, whatever their content is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "render/wrap.h"
#include "support/fail_alloc.h"
#include "ui/grid.h"

static const rc_grid_column columns[] = {
    {.title = "name", .min = 6, .usual = 10},
    {.title = "count", .is_right = true, .usual = 5},
    {.title = "note", .min = 4, .rank = 1, .usual = 12},
    {.title = "cost", .is_right = true, .rank = 2, .usual = 6},
};

static const char *const rows[][4] = {
    {"alpha", "1", "a note of some length", "$1.00"},
    {"a longer name than that", "12345", "", "$0.01"},
    {"", "0", "\x1b[31mred", ""},
};

static rc_status fill(rc_grid *grid, const rc_panel_style *style, const rc_alloc *alloc)
{
    rc_grid_init(grid, columns, 4, style, alloc);
    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 4; c++) {
            rc_buf_push(&grid->text, rc_str_c(rows[r][c]));
            rc_grid_cell(grid, c == 1 ? RC_TONE_BAD : RC_TONE_PLAIN);
        }
    rc_buf_push(&grid->text, RC_STR("a line between, as long as it likes to be, to the end"));
    rc_grid_line(grid, RC_TONE_STRONG);
    return RC_OK;
}

static size_t render(unsigned width, bool has_colour, char *scratch, size_t size)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_panel_style style = {.width = width, .has_colour = has_colour, .has_utf8 = true};
    rc_grid grid;
    rc_buf out;
    rc_buf_init_fixed(&out, scratch, size - 1);
    fill(&grid, &style, &alloc);
    assert_int_equal(rc_grid_push(&grid, &out), RC_OK);
    rc_grid_done(&grid);
    const size_t len = rc_buf_get(&out).len;
    scratch[len] = '\0';
    return len;
}

static void test_wide(void **state)
{
    (void)state;
    char scratch[4096];
    render(100, false, scratch, sizeof(scratch));
    assert_string_equal(scratch, "name                     count  note                    cost\n"
                                 "alpha                        1  a note of some length  $1.00\n"
                                 "a longer name than that  12345                         $0.01\n"
                                 "                             0  \\u{1B}[31mred\n"
                                 "a line between, as long as it likes to be, to the end\n");
}

/* Columns are narrowed first, then hidden. No line ends with a space or is wider than the
 * terminal. */
static void test_every_width(void **state)
{
    (void)state;
    for (unsigned width = 100; width >= 20; width--) {
        char scratch[4096];
        render(width, false, scratch, sizeof(scratch));
        for (char *line = scratch; *line != '\0';) {
            char *end = strchr(line, '\n');
            assert_non_null(end);
            const rc_str text = rc_str_make(line, (size_t)(end - line));
            assert_true(rc_visible_width(text, true) <= width);
            assert_true(text.len == 0 || text.ptr[text.len - 1] != ' ');
            line = end + 1;
        }
        assert_true((strstr(scratch, "cost") == NULL) == (width < 6 + 5 + 4 + 5 + 3 * 2));
        assert_non_null(strstr(scratch, "count"));
        assert_non_null(strstr(scratch, "name"));
    }
}

static void test_cells_cannot_send_colours(void **state)
{
    (void)state;
    char scratch[4096];
    render(100, true, scratch, sizeof(scratch));
    assert_non_null(strstr(scratch, "\033[31m1\033[0m"));
    assert_non_null(strstr(scratch, "\033[2mname "));
    assert_null(strstr(scratch, "\033[31mred"));
    size_t begun = 0;
    size_t ended = 0;
    for (const char *at = scratch; (at = strchr(at, '\033')) != NULL; at++)
        *(strncmp(at, "\033[0m", 4) == 0 ? &ended : &begun) += 1;
    assert_int_equal(begun, ended);
}

static void test_rows_printed_one_by_one(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_panel_style style = {.width = 60};
    char scratch[2048];
    rc_grid grid;
    rc_buf out;
    rc_buf_init_fixed(&out, scratch, sizeof(scratch) - 1);
    rc_grid_init(&grid, columns, 4, &style, &alloc);
    rc_grid_fix(&grid);
    rc_grid_push_titles(&grid, &out);
    for (size_t r = 0; r < 2; r++) {
        for (size_t c = 0; c < 4; c++) {
            rc_buf_push(&grid.text, rc_str_c(rows[r][c]));
            rc_grid_cell(&grid, RC_TONE_PLAIN);
        }
        assert_int_equal(rc_grid_push_rows(&grid, &out), RC_OK);
    }
    assert_true(rc_grid_shows(&grid, 3));
    rc_grid_done(&grid);
    scratch[rc_buf_get(&out).len] = '\0';
    assert_string_equal(scratch, "name        count  note            cost\n"
                                 "alpha           1  a note of...   $1.00\n"
                                 "a longe...  12345                 $0.01\n");
}

/* The best value is marked, and columns that do not fit continue below. */
static void test_folded(void **state)
{
    (void)state;
    static const rc_grid_column folded[] = {
        {.title = "policy", .min = 6},
        {.title = "success", .is_right = true, .has_mark = true},
        {.title = "p50", .title_above = "added", .is_right = true, .has_mark = true},
        {.title = "calls", .is_right = true},
    };
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_panel_style style = {.width = 26};
    char scratch[2048];
    rc_grid grid;
    rc_buf out;
    rc_buf_init_fixed(&out, scratch, sizeof(scratch) - 1);
    rc_grid_init(&grid, folded, 4, &style, &alloc);
    static const char *const values[][4] = {{"a-long-policy", "90%", "1 s", "7"},
                                            {"b", "100%", "2 s", "12"}};
    for (size_t r = 0; r < 2; r++)
        for (size_t c = 0; c < 4; c++) {
            rc_buf_push(&grid.text, rc_str_c(values[r][c]));
            rc_grid_cell(&grid,
                         (r == 1 && c == 1) || (r == 0 && c == 2) ? RC_TONE_BEST : RC_TONE_PLAIN);
        }
    assert_int_equal(rc_grid_push_folded(&grid, &out), RC_OK);
    rc_grid_done(&grid);
    scratch[rc_buf_get(&out).len] = '\0';
    assert_string_equal(scratch, "                    added\n"
                                 "policy    success     p50\n"
                                 "a-lon...      90%     1 s*\n"
                                 "b            100%*    2 s\n"
                                 "\n"
                                 "policy    calls\n"
                                 "a-lon...      7\n"
                                 "b            12\n");
}

/* A grid without titles has only rows and blank lines. */
static void test_blank_lines(void **state)
{
    (void)state;
    static const rc_grid_column untitled[] = {{.title = ""}, {.title = ""}};
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_panel_style style = {.width = 26};
    char scratch[256];
    rc_grid grid;
    rc_buf out;
    rc_buf_init_fixed(&out, scratch, sizeof(scratch) - 1);
    rc_grid_init(&grid, untitled, 2, &style, &alloc);
    for (size_t i = 0; i < 4; i++) {
        rc_buf_push_byte(&grid.text, (char)('a' + i));
        rc_grid_cell(&grid, RC_TONE_PLAIN);
        if (i == 1)
            rc_grid_line(&grid, RC_TONE_PLAIN);
    }
    assert_int_equal(rc_grid_push(&grid, &out), RC_OK);
    rc_grid_done(&grid);
    scratch[rc_buf_get(&out).len] = '\0';
    assert_string_equal(scratch, "a  b\n\nc  d\n");
}

static void test_no_memory(void **state)
{
    (void)state;
    const rc_panel_style style = {.width = 60};
    for (size_t n = 1; n <= 4; n++) {
        fail_alloc failing = {.fail_at = n, .for_good = true};
        const rc_alloc alloc = fail_alloc_of(&failing);
        char scratch[2048];
        rc_grid grid;
        rc_buf out;
        rc_buf_init_fixed(&out, scratch, sizeof(scratch));
        fill(&grid, &style, &alloc);
        const rc_status status = rc_grid_push(&grid, &out);
        assert_true(status == RC_OK || status == RC_E_NOMEM);
        assert_true(n > 2 || status == RC_E_NOMEM);
        if (status != RC_OK)
            assert_int_equal(rc_buf_get(&out).len, 0);
        rc_grid_done(&grid);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_every_width),
        cmocka_unit_test(test_cells_cannot_send_colours),
        cmocka_unit_test(test_rows_printed_one_by_one),
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_blank_lines),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
