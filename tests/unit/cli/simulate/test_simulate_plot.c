/* Tests of the terminal charts: all lines fit, each kind of terminal gets the characters it
 * supports, and the charts show the measured values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "cli/simulate/plot.h"
#include "render/wrap.h"
#include "support/sim_results.h"

#define WIDTH_MIN 30u
#define LINES_MAX 128
#define ROWS 4

/* Draws a result as NUL-terminated text; the caller frees it with rc_buf_done. */
static void draw(rc_buf *buf, const rc_sim_result *result, const rc_panel_style *style)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_chart_set set;
    assert_int_equal(rc_chart_set_make(&set, result, rc_simulate_plot_steps(style), &alloc), RC_OK);
    rc_buf_init(buf, &alloc, (size_t)4 << 20);
    rc_simulate_plot_push(buf, &set, RC_STR("outage"), style);
    assert_int_equal(rc_buf_push_byte(buf, '\0'), RC_OK);
    rc_chart_set_done(&set);
}

static rc_sim_result *new_result(void)
{
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = sim_result(&alloc);
    assert_non_null(result);
    return result;
}

/* Splits a drawing into NUL-terminated lines. */
static size_t split(char *text, char *lines[LINES_MAX])
{
    size_t count = 0;
    while (*text != '\0') {
        char *end = strchr(text, '\n');
        assert_non_null(end);
        assert_true(count < LINES_MAX);
        *end = '\0';
        lines[count++] = text;
        text = end + 1;
    }
    return count;
}

static void lines_fit_every_terminal(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    for (unsigned width = WIDTH_MIN; width <= 400; width += width < 100 ? 1 : 37) {
        for (int has_utf8 = 0; has_utf8 <= 1; has_utf8++) {
            rc_buf buf;
            char *lines[LINES_MAX];
            const rc_panel_style style = {.width = width, .has_utf8 = has_utf8 == 1};
            draw(&buf, result, &style);
            assert_null(strchr(buf.ptr, '\033'));
            const size_t count = split(buf.ptr, lines);
            assert_true(count > 3 * (ROWS + 2));
            for (size_t i = 0; i < count; i++) {
                const rc_str line = rc_str_c(lines[i]);
                assert_true(rc_visible_width(line, style.has_utf8) <= width);
                assert_true(line.len == 0 || line.ptr[line.len - 1] != ' ');
            }
            rc_buf_done(&buf);
        }
    }
    rc_sim_result_free(result);
}

static void without_utf8_the_charts_are_ascii(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf buf;
    const rc_panel_style style = {.width = 80, .has_colour = true};
    draw(&buf, result, &style);
    for (const char *at = buf.ptr; *at != '\0'; at++)
        assert_true((*at >= ' ' && *at < 0x7F) || *at == '\n' || *at == '\033');
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void colour_adds_only_escape_sequences(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf plain, coloured;
    rc_panel_style style = {.width = 100, .has_utf8 = true};
    draw(&plain, result, &style);
    style.has_colour = true;
    draw(&coloured, result, &style);
    assert_non_null(strstr(coloured.ptr, "\033[36mrecourse\033[0m"));
    char *to = coloured.ptr;
    for (const char *from = coloured.ptr; *from != '\0';) {
        if (*from != '\033')
            *to++ = *from++;
        else
            from += strcspn(from, "m") + 1;
    }
    *to = '\0';
    assert_string_equal(plain.ptr, coloured.ptr);
    rc_buf_done(&plain);
    rc_buf_done(&coloured);
    rc_sim_result_free(result);
}

/* In 80 columns without UTF-8, a chart has 31 columns for the time from 0 to 60 s, after a margin
 * of 8 columns. The outage lasts from 20 to 30 s. */
static void the_charts_show_the_measured_values(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    rc_buf buf;
    char *lines[LINES_MAX];
    const rc_panel_style style = {.width = 80};
    draw(&buf, result, &style);
    assert_true(split(buf.ptr, lines) > 10);
    assert_memory_equal(lines[1], "recourse ", 9);
    assert_non_null(strstr(lines[1], "90.0%"));
    assert_non_null(strstr(lines[1], "peak 110/s"));
    /* The top row is filled before and after the outage and empty during it. In the outage, four of
     * ten requests succeed. */
    assert_memory_equal(lines[2], "   100%|##########     ################", 39);
    assert_memory_equal(lines[5], "       |###############################", 39);
    assert_memory_equal(lines[6], "      0+----------=====----------------", 39);
    /* The second policy makes three times the calls during the outage. */
    assert_memory_equal(lines[7], "openai-sdk", 10);
    const char *load = strchr(lines[8] + 8, '|');
    assert_non_null(load);
    assert_string_equal(load, "|          %%%%%");
    load = strchr(lines[11] + 8, '|');
    assert_non_null(load);
    assert_string_equal(load, "|###############################");
    assert_non_null(strstr(lines[3 * (ROWS + 2) + 1], "30 s"));
    assert_string_equal(lines[3 * (ROWS + 2) + 2],
                        "= outage   % more calls than incoming requests");
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

/* A value of a few calls is still visible. */
static void a_small_value_is_still_drawn(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    for (uint32_t i = 0; i < SIM_TENTHS; i++) {
        result->policies[0].buckets[i].calls = i < SIM_TENTHS / 2 ? 0 : 1;
        result->policies[1].buckets[i].calls = 10000;
    }
    rc_buf buf;
    char *lines[LINES_MAX];
    const rc_panel_style style = {.width = 80};
    draw(&buf, result, &style);
    split(buf.ptr, lines);
    const char *load = strchr(lines[5] + 8, '|');
    assert_non_null(load);
    assert_memory_equal(load + 1, "               ", 15);
    assert_memory_equal(load + 17, "...............", 15);
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void control_characters_in_a_name_are_made_visible(void **state)
{
    (void)state;
    rc_sim_result *result = new_result();
    memcpy(result->policies[1].name, "a\033[31m\nb", 9);
    rc_buf buf;
    const rc_panel_style style = {.width = 80, .has_utf8 = true};
    draw(&buf, result, &style);
    assert_null(strchr(buf.ptr, '\033'));
    assert_non_null(strstr(buf.ptr, "a\\u{1B}[31m b "));
    rc_buf_done(&buf);
    rc_sim_result_free(result);
}

static void an_empty_result_is_drawn_too(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = rc_sim_result_new(&alloc, 1, 1);
    assert_non_null(result);
    for (unsigned width = WIDTH_MIN; width < 120; width += 11) {
        rc_buf buf;
        const rc_panel_style style = {.width = width, .has_colour = true, .has_utf8 = true};
        draw(&buf, result, &style);
        rc_buf_done(&buf);
    }
    rc_sim_result_free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_fit_every_terminal),
        cmocka_unit_test(without_utf8_the_charts_are_ascii),
        cmocka_unit_test(colour_adds_only_escape_sequences),
        cmocka_unit_test(the_charts_show_the_measured_values),
        cmocka_unit_test(a_small_value_is_still_drawn),
        cmocka_unit_test(control_characters_in_a_name_are_made_visible),
        cmocka_unit_test(an_empty_result_is_drawn_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
