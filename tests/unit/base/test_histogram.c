/* Tests of rc_histogram: exact percentiles of small values, approximate ones of large values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/histogram.h"

static void small_values_are_exact(void **state)
{
    (void)state;
    static rc_histogram histogram;
    memset(&histogram, 0, sizeof histogram);
    assert_int_equal(rc_histogram_at(&histogram, 500), 0);
    for (uint64_t value = 1; value <= 100; value++)
        rc_histogram_add(&histogram, value);
    assert_int_equal(rc_histogram_at(&histogram, 10), 1);
    assert_int_equal(rc_histogram_at(&histogram, 500), 50);
    assert_int_equal(rc_histogram_at(&histogram, 990), 99);
    assert_int_equal(rc_histogram_at(&histogram, 1000), 100);
    assert_int_equal(histogram.sum_ms, 5050);
}

static void every_value_is_close_to_its_cell(void **state)
{
    (void)state;
    static rc_histogram histogram;
    for (uint64_t value = 0; value < (UINT64_C(1) << 30); value += value / 97 + 1) {
        memset(&histogram, 0, sizeof histogram);
        rc_histogram_add(&histogram, value);
        uint32_t cell = 0;
        while (histogram.cells[cell] == 0)
            cell++;
        uint64_t top = rc_histogram_cell_ms(cell);
        assert_true(top >= value);
        assert_true(top - value <= value / 64);
        assert_true(cell == 0 || rc_histogram_cell_ms(cell - 1) < value);
        assert_int_equal(rc_histogram_at(&histogram, 500), value);
    }
}

static void the_last_cell_counts_larger_values(void **state)
{
    (void)state;
    static rc_histogram histogram;
    memset(&histogram, 0, sizeof histogram);
    rc_histogram_add(&histogram, UINT64_MAX);
    assert_int_equal(histogram.cells[RC_HISTOGRAM_CELLS - 1], 1);
    assert_true(rc_histogram_at(&histogram, 1000) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(every_value_is_close_to_its_cell),
        cmocka_unit_test(the_last_cell_counts_larger_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
