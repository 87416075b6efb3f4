/* rc_histogram: a histogram of durations, with a fixed size in memory.
 *
 * Values below 128 ms are counted exactly. Above 128 ms each power of two is divided into 64 steps,
 * so that a quantile is at most 1.6 % too high. All arithmetic uses integers, so that the same
 * values always give the same histogram. */
#ifndef RC_BASE_HISTOGRAM_H
#define RC_BASE_HISTOGRAM_H

#include <stdint.h>

#define RC_HISTOGRAM_STEPS 64
#define RC_HISTOGRAM_CELLS (RC_HISTOGRAM_STEPS * 28)

typedef struct rc_histogram {
    uint64_t count;
    uint64_t sum_ms;
    uint64_t max_ms;                    /* the exact maximum of all values */
    uint32_t cells[RC_HISTOGRAM_CELLS]; /* number of values per cell; the last cell also counts all
                                           larger values */
} rc_histogram;

/* Adds one value. A zeroed struct is an empty histogram. */
void rc_histogram_add(rc_histogram *histogram, uint64_t value_ms);

/* Returns a quantile: the value that `permille` thousandths of all values do not exceed. 990 is the
 * p99, 1000 the maximum. The result is never above max_ms, and 0 for an empty histogram. */
uint64_t rc_histogram_at(const rc_histogram *histogram, uint32_t permille);

/* Returns the largest value that a cell counts, for drawing a cumulative distribution. `cell` must
 * be below RC_HISTOGRAM_CELLS. */
uint64_t rc_histogram_cell_ms(uint32_t cell);

#endif
