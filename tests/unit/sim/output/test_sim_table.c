/* Readable numbers, scales, the table of policies and the verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "render/wrap.h"
#include "sim/output/chart.h"
#include "sim/output/table.h"
#include "support/sim_results.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- numbers ---- */

static const struct shown {
    rc_chart_unit unit;
    int64_t value;
    const char *text;
} values[] = {
    {RC_UNIT_PERCENT, 0, "0%"},
    {RC_UNIT_PERCENT, 1, "<0.1%"},
    {RC_UNIT_PERCENT, 49, "<0.1%"},
    {RC_UNIT_PERCENT, 50, "0.1%"},
    {RC_UNIT_PERCENT, 74649, "74.6%"},
    {RC_UNIT_PERCENT, 98999, "99.0%"},
    {RC_UNIT_PERCENT, 99000, "99.00%"},
    {RC_UNIT_PERCENT, 99999, "99.99%"}, /* Not rounded to 100%. */
    {RC_UNIT_PERCENT, 100000, "100%"},
    {RC_UNIT_PERCENT, RC_CHART_GAP, "-"},
    {RC_UNIT_RATE, 0, "0/s"},
    {RC_UNIT_RATE, 1500, "1.5/s"},
    {RC_UNIT_RATE, 412000, "412/s"},
    {RC_UNIT_RATE, 9999000, "9999/s"},
    {RC_UNIT_RATE, 12345000, "12.3 k/s"},
    {RC_UNIT_RATE, 999600000, "1.00 M/s"},
    {RC_UNIT_MS, 0, "0 ms"},
    {RC_UNIT_MS, 999, "999 ms"},
    {RC_UNIT_MS, 1000, "1.00 s"},
    {RC_UNIT_MS, 9994, "9.99 s"},
    {RC_UNIT_MS, 9995, "10.0 s"},
    {RC_UNIT_MS, 59949, "59.9 s"},
    {RC_UNIT_MS, 59950, "1 m 00 s"},
    {RC_UNIT_MS, 125000, "2 m 05 s"},
    {RC_UNIT_MS, 3599499, "59 m 59 s"},
    {RC_UNIT_MS, 3599500, "1 h 00 m"},
    {RC_UNIT_MS, 7500000, "2 h 05 m"},
    {RC_UNIT_RATIO, 1000, "1.00"},
    {RC_UNIT_RATIO, 1204, "1.20"},
    {RC_UNIT_RATIO, 12345, "12.3"},
    {RC_UNIT_COUNT, 0, "0"},
    {RC_UNIT_COUNT, 9999, "9999"},
    {RC_UNIT_COUNT, 28712, "28.7 k"},
    {RC_UNIT_COUNT, 1234567, "1.23 M"},
    {RC_UNIT_USD, 0, "$0.00"},
    {RC_UNIT_USD, 2050, "$0.0021"},
    {RC_UNIT_USD, 2050000, "$2.05"},
    {RC_UNIT_USD, 123456789, "$123"},
};

static void values_are_shown_in_readable_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        char scratch[64];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
        rc_chart_push_value(&buf, values[i].unit, values[i].value);
        rc_buf_push_byte(&buf, '\0');
        assert_int_equal(rc_buf_status(&buf), RC_OK);
        assert_string_equal(scratch, values[i].text);
    }
}

static const struct shown ticks[] = {
    {RC_UNIT_PERCENT, 0, "0%"},
    {RC_UNIT_PERCENT, 12500, "12.5%"},
    {RC_UNIT_RATE, 0, "0"},
    {RC_UNIT_RATE, 200, "0.2/s"},
    {RC_UNIT_RATE, 500000, "500/s"},
    {RC_UNIT_RATE, 1500000, "1.5k/s"},
    {RC_UNIT_RATE, 2000000000, "2M/s"},
    {RC_UNIT_MS, 100, "100 ms"},
    {RC_UNIT_MS, 10000, "10 s"},
    {RC_UNIT_MS, 1500, "1.5 s"},
    {RC_UNIT_RATIO, 1500, "1.5"},
    {RC_UNIT_RATIO, 2000, "2"},
    {RC_UNIT_COUNT, 2500, "2.5k"},
    {RC_UNIT_USD, 500000, "$0.5"},
};

static void ticks_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ticks); i++) {
        char scratch[64];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
        rc_chart_push_tick(&buf, ticks[i].unit, ticks[i].value);
        rc_buf_push_byte(&buf, '\0');
        assert_string_equal(scratch, ticks[i].text);
    }
}

/* ---- scales ---- */

static bool is_round(int64_t step)
{
    while (step % 10 == 0)
        step /= 10;
    return step == 1 || step == 2 || step == 5;
}

static void a_scale_ends_on_a_tick_and_holds_its_values(void **state)
{
    (void)state;
    for (int64_t highest = 0; highest < 1000000; highest += 1 + highest / 7) {
        for (unsigned steps = 1; steps <= 8; steps++) {
            const rc_chart_scale scale = rc_chart_scale_make(highest, steps);
            assert_true(is_round(scale.step));
            assert_int_equal(scale.top % scale.step, 0);
            assert_true(scale.top >= highest && scale.top > 0);
            assert_true(scale.top / scale.step <= (int64_t)steps);
            /* The last step is needed: the value is above the previous tick. */
            assert_true(highest == 0 || scale.top - scale.step < highest);
        }
    }
}

static void time_steps_are_usual_units(void **state)
{
    (void)state;
    assert_int_equal(rc_chart_time_step(4000, 4), 1000);
    assert_int_equal(rc_chart_time_step(60000, 4), 15000);
    assert_int_equal(rc_chart_time_step(150000, 5), 30000);
    assert_int_equal(rc_chart_time_step(600000, 5), 120000);
    assert_int_equal(rc_chart_time_step(3600000, 4), 900000);
    for (uint64_t length = 1000; length < 14400000; length += 7777)
        assert_true(length / rc_chart_time_step(length, 5) <= 5);
}

static void the_logarithmic_axis_is_even_in_decades(void **state)
{
    (void)state;
    assert_int_equal(rc_chart_decades(0), 2);
    assert_int_equal(rc_chart_decades(1000), 2);
    assert_int_equal(rc_chart_decades(1001), 3);
    assert_int_equal(rc_chart_decades(3600000), 6);
    assert_int_equal(rc_chart_log_position(0, 4, 10000), 0);
    assert_int_equal(rc_chart_log_position(10, 4, 10000), 0);
    for (int64_t decade = 1, value = 100; decade <= 4; decade++, value *= 10)
        assert_in_range(rc_chart_log_position(value, 4, 10000) + 2, decade * 2500,
                        decade * 2500 + 4);
    int64_t before = 0;
    for (int64_t value = 1; value < 200000; value++) {
        const int64_t position = rc_chart_log_position(value, 4, 10000);
        assert_true(position >= before && position <= 10000);
        before = position;
    }
}

/* ---- table ---- */

struct page {
    rc_buf buf;
    char *text;
};

/* Makes the table and the verdict as NUL-terminated text; page_done frees it. */
static void make_page(struct page *page, const rc_sim_result *result, unsigned width,
                      bool has_colour, bool has_utf8)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_table_style style = {.width = width, .has_colour = has_colour, .has_utf8 = has_utf8};
    rc_buf_init(&page->buf, &alloc, (size_t)1 << 20);
    rc_table_push(&page->buf, result, &style);
    rc_buf_push_byte(&page->buf, '\n');
    rc_table_push_verdict(&page->buf, result, &style);
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

    /* Values with the same text are equal: both are the best. */
    result->policies[1].success_milli_pct = result->policies[0].success_milli_pct + 1;
    make_page(&page, result, 200, false, true);
    expect_inside(page.text, "recourse      90.0%*");
    expect_inside(page.text, "openai-sdk    90.0%*");
    expect_inside(page.text, "even    success: 90.0%; openai-sdk 90.0%");
    rc_buf_done(&page.buf);

    /* If all values are equal, none is marked. */
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
    for (unsigned width = RC_TABLE_WIDTH_MIN; width <= 200; width++) {
        struct page page;
        make_page(&page, result, width, false, width % 2 == 0);
        check_lines(page.text, width, width % 2 == 0);
        static const char *const parts[] = {"90.0%*", "p90",     "p99",     "request", "wasted",
                                            "peak",   "at once", "recover", "1000 ok", "ahead"};
        for (size_t i = 0; i < COUNT(parts); i++)
            expect_inside(page.text, parts[i]);
        /* No response was cut: the column of zeros is left out. */
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
    assert_non_null(strstr(coloured.text, "\033[1;32m90.0%\033[0m"));
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
    expect_absent(page.text, "refused at once:"); /* A neutral measure. */
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
        cmocka_unit_test(values_are_shown_in_readable_form),
        cmocka_unit_test(ticks_are_exact),
        cmocka_unit_test(a_scale_ends_on_a_tick_and_holds_its_values),
        cmocka_unit_test(time_steps_are_usual_units),
        cmocka_unit_test(the_logarithmic_axis_is_even_in_decades),
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
