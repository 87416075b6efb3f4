/* Tests of the table of policies and of the verdict below it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "cli/simulate/simulate.h"
#include "render/wrap.h"
#include "sim/output/measure.h"
#include "support/sim_results.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct page {
    rc_buf buf;
    char *text;
};

/* Writes the table and the verdict as NUL-terminated text, which page_done frees. */
static void make_page(struct page *page, const rc_sim_result *result, unsigned width,
                      bool has_colour, bool has_utf8)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_panel_style style = {.width = width, .has_colour = has_colour, .has_utf8 = has_utf8};
    rc_buf_init(&page->buf, &alloc, (size_t)1 << 20);
    assert_int_equal(rc_simulate_push_table(&page->buf, result, &style, &alloc), RC_OK);
    rc_buf_push_byte(&page->buf, '\n');
    rc_simulate_push_verdict(&page->buf, result, &style);
    assert_int_equal(rc_buf_push_byte(&page->buf, '\0'), RC_OK);
    page->text = page->buf.ptr;
}

static void expect_inside(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in:\n%s", part, text);
}

static void expect_absent(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" is in:\n%s", part, text);
}

static rc_sim_result *new_result(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = sim_result(&alloc);
    assert_non_null(result);
    return result;
}

static void the_table_marks_the_best(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    struct page page;
    make_page(&page, result, 200, false, true);
    expect_inside(page.text, "recourse      90.0%*");
    expect_inside(page.text, "openai-sdk    88.3% ");
    expect_inside(page.text, "none          83.3% ");
    expect_inside(page.text, " never ");
    expect_inside(page.text, " 0 ms*");
    rc_buf_done(&page.buf);

    /* Two values with the same text are equal, so both are marked as the best. */
    result->policies[1].success_milli_pct = result->policies[0].success_milli_pct + 1;
    make_page(&page, result, 200, false, true);
    expect_inside(page.text, "recourse      90.0%*");
    expect_inside(page.text, "openai-sdk    90.0%*");
    expect_inside(page.text, "even    success: 90.0%; openai-sdk 90.0%");
    rc_buf_done(&page.buf);

    /* If all values are equal, none is marked as the best. */
    for (size_t i = 0; i < 3; i++)
        result->policies[i].success_milli_pct = 50000;
    make_page(&page, result, 200, false, true);
    expect_absent(page.text, "50.0%*");
    rc_buf_done(&page.buf);
    rc_sim_result_free(result);
}

/* Checks that lines have at most width columns and no trailing space. */
static void check_lines(const char *text, unsigned width, bool has_utf8)
{
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        assert_non_null(end);
        const rc_str line = rc_str_make(text, (size_t)(end - text));
        if (rc_visible_width(line, has_utf8) > width)
            fail_msg("wider than %u: %.*s", width, (int)line.len, line.ptr);
        assert_true(line.len == 0 || line.ptr[line.len - 1] != ' ');
        text = end + 1;
    }
}

static void every_width_shows_every_measure(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    for (unsigned width = RC_WIDTH_MIN; width <= 200; width++) {
        struct page page;
        make_page(&page, result, width, false, width % 2 == 0);
        check_lines(page.text, width, width % 2 == 0);
        static const char *const parts[] = {"90.0%*", "p90",     "p99",     "request", "wasted",
                                            "peak",   "at once", "recover", "1000 ok", "ahead"};
        for (size_t i = 0; i < COUNT(parts); i++)
            expect_inside(page.text, parts[i]);
        /* No response was cut off, so the column of cut responses, which has only zeros, is left
         * out. */
        expect_absent(page.text, "answers");
        rc_buf_done(&page.buf);
    }
    rc_sim_result_free(result);
}

static size_t strip_sequences(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        if (*from != '\033') {
            *to++ = *from++;
            continue;
        }
        assert_int_equal(from[1], '[');
        from += strcspn(from, "m") + 1;
    }
    *to = '\0';
    return (size_t)(to - text);
}

static void colour_adds_only_escape_sequences(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    struct page plain, coloured;
    make_page(&plain, result, 80, false, true);
    make_page(&coloured, result, 80, true, true);
    assert_null(strchr(plain.text, '\033'));
    assert_non_null(strstr(coloured.text, "\033[1;32m90.0%*\033[0m"));
    strip_sequences(coloured.text);
    assert_string_equal(plain.text, coloured.text);
    rc_buf_done(&plain.buf);
    rc_buf_done(&coloured.buf);
    rc_sim_result_free(result);
}

static void control_characters_in_a_name_are_made_visible(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    memcpy(result->policies[1].name, "a\033[31m\nb\xff", 10);
    struct page page;
    make_page(&page, result, 120, false, true);
    assert_null(strchr(page.text, '\033'));
    expect_inside(page.text, "a\\u{1B}[31m b\xEF\xBF\xBD");
    rc_buf_done(&page.buf);
    rc_sim_result_free(result);
}

/* ---- verdict ---- */

static void the_verdict_lists_measures_where_recourse_is_behind(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    struct page page;
    make_page(&page, result, 200, false, true);
    expect_inside(page.text, "recourse against the best of the others\n");
    expect_inside(page.text, "  ahead   success: 90.0%; openai-sdk 88.3%\n");
    expect_inside(page.text, "  behind  calls per request: 1.02; none 1.00\n");
    expect_inside(page.text,
                  "  behind  added latency, p99: 2.00 s; none 0 ms, of the 83.3% that it "
                  "delivers\n");
    expect_inside(page.text, "  even    time to recover: 700 ms; openai-sdk 700 ms\n");
    expect_absent(page.text,
                  "refused at once:"); /* the verdict leaves out measures that are neither
                                                     good nor bad */
    rc_buf_done(&page.buf);

    result->policies[0].recovery_ms = RC_SIM_NO_FAULT;
    make_page(&page, result, 200, false, true);
    expect_absent(page.text, "time to recover:");
    rc_buf_done(&page.buf);
    rc_sim_result_free(result);
}

static void a_verdict_needs_both_sides(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    struct page page;
    result->policies[0].is_ours = false;
    make_page(&page, result, 80, false, true);
    expect_absent(page.text, "against");
    rc_buf_done(&page.buf);
    for (size_t i = 0; i < 3; i++)
        result->policies[i].is_ours = true;
    make_page(&page, result, 80, false, true);
    expect_absent(page.text, "against");
    rc_buf_done(&page.buf);
    rc_sim_result_free(result);
}

static void a_missing_value_is_a_dash(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = rc_sim_result_new(&alloc, 2, 1);
    assert_non_null(result);
    memcpy(result->policies[0].name, "a", 2);
    memcpy(result->policies[1].name, "b", 2);
    result->policies[0].is_ours = true;
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        const rc_measure *measure = rc_measure_at(i);
        const int64_t value = measure->get(&result->policies[0]);
        assert_true(value == RC_MEASURE_NONE || value == 0);
        assert_int_equal(rc_measure_best(measure, result), RC_MEASURE_NONE);
    }
    struct page page;
    make_page(&page, result, 80, false, true);
    assert_null(strchr(page.text, '*'));
    rc_buf_done(&page.buf);
    rc_sim_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_marks_the_best),
        cmocka_unit_test(every_width_shows_every_measure),
        cmocka_unit_test(colour_adds_only_escape_sequences),
        cmocka_unit_test(control_characters_in_a_name_are_made_visible),
        cmocka_unit_test(the_verdict_lists_measures_where_recourse_is_behind),
        cmocka_unit_test(a_verdict_needs_both_sides),
        cmocka_unit_test(a_missing_value_is_a_dash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
