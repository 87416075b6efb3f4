/* rc_histogram: how often which time occurred, in a fixed space.
 *
 * Exact below 128 ms; above that each power of two is cut into 64 steps, so that a value is given
 * back at most 1.6 % too high. Whole numbers all through: the same values give the same bytes. */
#ifndef RC_BASE_HISTOGRAM_H
#define RC_BASE_HISTOGRAM_H

#include <stdint.h>

#define RC_HISTOGRAM_STEPS 64
#define RC_HISTOGRAM_CELLS (RC_HISTOGRAM_STEPS * 28)

typedef struct rc_histogram {
    uint64_t count;
    uint64_t sum_ms;
    uint64_t max_ms;                    /* exact */
    uint32_t cells[RC_HISTOGRAM_CELLS]; /* what is too large for the last cell is in it */
} rc_histogram;

/* All zero is an empty histogram. */
void rc_histogram_add(rc_histogram *histogram, uint64_t value_ms);

/* The value that `permille` of all values are at or below: 990 is p99, 1000 the largest. 0 for an
 * empty one. Never above max_ms. */
uint64_t rc_histogram_at(const rc_histogram *histogram, uint32_t permille);

/* The largest value that belongs to a cell: with the cells' counts, a cumulative curve. cell <
 * RC_HISTOGRAM_CELLS. */
uint64_t rc_histogram_cell_ms(uint32_t cell);

#endif
