/* Histogram of durations. Used by the simulator's tally and the store's statistics. */
#include "base/histogram.h"

/* Returns the cell of a value. Values below 2 * RC_HISTOGRAM_STEPS have one cell per millisecond;
 * larger values have RC_HISTOGRAM_STEPS cells per power of two. */
static uint32_t cell_of(uint64_t value_ms)
{
    if (value_ms < 2 * RC_HISTOGRAM_STEPS)
        return (uint32_t)value_ms;
    uint32_t power = 63 - (uint32_t)__builtin_clzll(value_ms);
    uint32_t shift = power - 6;
    uint64_t cell =
        (uint64_t)(shift + 1) * RC_HISTOGRAM_STEPS + ((value_ms >> shift) - RC_HISTOGRAM_STEPS);
    return cell < RC_HISTOGRAM_CELLS ? (uint32_t)cell : RC_HISTOGRAM_CELLS - 1;
}

uint64_t rc_histogram_cell_ms(uint32_t cell)
{
    if (cell < 2 * RC_HISTOGRAM_STEPS)
        return cell;
    uint32_t shift = cell / RC_HISTOGRAM_STEPS - 1;
    uint64_t step = cell % RC_HISTOGRAM_STEPS + RC_HISTOGRAM_STEPS;
    return ((step + 1) << shift) - 1;
}

void rc_histogram_add(rc_histogram *histogram, uint64_t value_ms)
{
    histogram->count++;
    histogram->sum_ms += value_ms;
    if (value_ms > histogram->max_ms)
        histogram->max_ms = value_ms;
    histogram->cells[cell_of(value_ms)]++;
}

uint64_t rc_histogram_at(const rc_histogram *histogram, uint32_t permille)
{
    if (permille >= 1000)
        return histogram->max_ms;
    uint64_t wanted = (histogram->count * permille + 999) / 1000;
    uint64_t cumulative = 0;
    for (uint32_t cell = 0; cell < RC_HISTOGRAM_CELLS; cell++) {
        cumulative += histogram->cells[cell];
        if (cumulative >= wanted && cumulative > 0) {
            uint64_t value_ms = rc_histogram_cell_ms(cell);
            return value_ms < histogram->max_ms ? value_ms : histogram->max_ms;
        }
    }
    return histogram->max_ms;
}
