/* Tests of readable numbers and of scales. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sim/output/chart.h"

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
    {RC_UNIT_PERCENT, 99999, "99.99%"}, /* not rounded to 100 % */
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
            /* The last step is necessary: the greatest value is above the previous tick. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_shown_in_readable_form),
        cmocka_unit_test(ticks_are_exact),
        cmocka_unit_test(a_scale_ends_on_a_tick_and_holds_its_values),
        cmocka_unit_test(time_steps_are_usual_units),
        cmocka_unit_test(the_logarithmic_axis_is_even_in_decades),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
