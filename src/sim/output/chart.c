/* Scales and axis positions of charts. Called by the SVG and terminal renderers. */
#include "sim/output/chart.h"

static int64_t round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

rc_chart_scale rc_chart_scale_make(int64_t highest, unsigned steps)
{
    static const int64_t factors[] = {2, 5, 10};
    const int64_t most = highest > 0 ? highest : 1;
    int64_t power = 1;
    int64_t step = 1;
    while (round_up(most, step) / step > (int64_t)steps) {
        for (size_t i = 0; i < 3 && round_up(most, step) / step > (int64_t)steps; i++)
            step = power * factors[i];
        power = step;
    }
    return (rc_chart_scale){.top = round_up(most, step), .step = step};
}

static int64_t highest_of(const int64_t *values, size_t count, int64_t highest)
{
    for (size_t i = 0; values != NULL && i < count; i++)
        if (values[i] != RC_CHART_GAP && values[i] > highest)
            highest = values[i];
    return highest;
}

rc_chart_scale rc_chart_scale_of(const rc_chart *chart, unsigned steps)
{
    int64_t highest = chart->top;
    if (highest == 0) {
        highest = highest_of(chart->reference, chart->step_count, 0);
        for (size_t i = 0; i < chart->panel_count; i++)
            highest = highest_of(chart->panels[i].values, chart->step_count, highest);
    }
    return rc_chart_scale_make(highest, steps);
}

int64_t rc_chart_rows_highest(const rc_chart_rows *rows)
{
    int64_t highest = rows->reference;
    for (size_t i = 0; i < rows->row_count; i++) {
        int64_t sum = 0;
        for (size_t j = 0; j < rows->part_count; j++) {
            const int64_t part = rows->rows[i].parts[j];
            sum = rows->is_points ? part : sum + part;
        }
        highest = sum > highest ? sum : highest;
    }
    return highest;
}

uint64_t rc_chart_time_step(uint64_t length_ms, unsigned steps)
{
    static const uint64_t seconds[] = {1,   2,   5,   10,   15,   30,   60,   120,
                                       300, 600, 900, 1800, 3600, 7200, 14400};
    const size_t count = sizeof(seconds) / sizeof(seconds[0]);
    for (size_t i = 0; i < count; i++)
        if (length_ms / (seconds[i] * 1000) <= steps)
            return seconds[i] * 1000;
    return seconds[count - 1] * 1000;
}

#define LOG_FROM_MS 10

unsigned rc_chart_decades(int64_t highest_ms)
{
    unsigned decades = 2;
    for (int64_t end = LOG_FROM_MS * 100; end < highest_ms && decades < 12; end *= 10)
        decades++;
    return decades;
}

/* Returns the binary logarithm in units of 1/65536. Computed without floating point, whose results
 * may differ between machines. */
static int64_t log2_of(uint64_t value)
{
    int64_t whole = 0;
    while (value >> whole > 1)
        whole++;
    /* The mantissa has 31 fractional bits. Each squaring gives one more bit of the logarithm's
     * fraction. */
    uint64_t mantissa = whole > 31 ? value >> (whole - 31) : value << (31 - whole);
    int64_t result = whole << 16;
    for (int bit = 15; bit >= 0; bit--) {
        mantissa = (mantissa * mantissa) >> 31;
        if (mantissa >> 32 != 0) {
            result += INT64_C(1) << bit;
            mantissa >>= 1;
        }
    }
    return result;
}

int64_t rc_chart_log_position(int64_t value_ms, unsigned decades, int64_t length)
{
    if (value_ms <= LOG_FROM_MS)
        return 0;
    const int64_t from = log2_of(LOG_FROM_MS);
    /* A decade is a factor of 10, so its length is log2(10). The start of the axis is also
     * log2(10), because the axis starts at 10 ms. */
    const int64_t decade = from;
    const int64_t position = (log2_of((uint64_t)value_ms) - from) * length / (decade * decades);
    return position < length ? position : length;
}
