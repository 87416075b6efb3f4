/* The memory layout of rc_metrics: the position of each metric's cells within a row, as constants
 * generated from spec/metrics.def. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_CELLS_H
#define RC_GATEWAY_OBSERVE_METRICS_CELLS_H

#include "gateway/observe/metrics.h"

/* RC_CELLS_...: number of cells of a metric for one combination of label values. A histogram has a
 * cell for each bucket and one for the sum of all durations. The number of durations has no cell of
 * its own; it is computed as the sum of the buckets, so that it always agrees with them. */
#define RC_CELLS_COUNTER 1
#define RC_CELLS_GAUGE 1
#define RC_CELLS_HISTOGRAM (RC_METRIC_BUCKETS + 1)
#define RC_CELLS_WIDTH(TYPE, LABEL, LABEL2) \
    (RC_CELLS_##TYPE * RC_METRIC_##LABEL##_COUNT * RC_METRIC_##LABEL2##_COUNT)

/* The position of each metric's first cell in each kind of row, such as RC_CELL_ROUTE_REQUESTS. A
 * metric that does not belong to this kind of row has width 0. */
#define RC_CELLS_OF(KIND, ID, TYPE, ROWS, LABEL, LABEL2) \
    RC_CELL_##KIND##_##ID,                               \
        RC_CELL_END_##KIND##_##ID =                      \
            RC_CELL_##KIND##_##ID - 1 +                  \
            (RC_ROWS_##ROWS == RC_ROWS_##KIND ? RC_CELLS_WIDTH(TYPE, LABEL, LABEL2) : 0),

enum {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) \
    RC_CELLS_OF(PROCESS, ID, TYPE, ROWS, LABEL, LABEL2)
#include "spec/metrics.def"
    RC_CELLS_PROCESS
};

enum {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) \
    RC_CELLS_OF(ROUTE, ID, TYPE, ROWS, LABEL, LABEL2)
#include "spec/metrics.def"
    RC_CELLS_ROUTE
};

enum {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) \
    RC_CELLS_OF(TARGET, ID, TYPE, ROWS, LABEL, LABEL2)
#include "spec/metrics.def"
    RC_CELLS_TARGET
};

enum {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) \
    RC_CELLS_OF(CLIENT, ID, TYPE, ROWS, LABEL, LABEL2)
#include "spec/metrics.def"
    RC_CELLS_CLIENT
};

/* A shard's cells of a row fill whole cache lines, so that two loops never write to the same
 * line. */
#define RC_CELLS_LINE 8
#define RC_CELLS_STRIDE(KIND) \
    ((RC_CELLS_##KIND + RC_CELLS_LINE - 1) / RC_CELLS_LINE * RC_CELLS_LINE)

typedef _Atomic uint64_t rc_cell;

/* A row, in one allocation: this struct, the name, and the cells of each shard. */
typedef struct rc_metrics_line {
    size_t bytes;
    rc_cell *cells; /* The cells of all shards, aligned to a cache line. */
    rc_str name;    /* NUL-terminated. */
} rc_metrics_line;

#define RC_METRICS_PAIR_KEY(from, to) (((uint32_t)(from) + 1) << 16 | ((uint32_t)(to) + 1))

typedef struct rc_metrics_pair {
    _Atomic uint32_t key; /* RC_METRICS_PAIR_KEY of the two rows. 0 if the slot is free. */
    rc_cell count;
} rc_metrics_pair;

struct rc_metrics_shard {
    rc_metrics *metrics;
    rc_cell *process; /* The shard's cells of the process row. */
    /* Position of the shard's first cell among the cells of a row, for each kind of row. */
    uint32_t at[RC_ROWS_COUNT];
};

struct rc_metrics {
    rc_alloc alloc;
    uint32_t shard_count;
    uv_mutex_t lock; /* Serialises the adding of rows. */
    _Atomic uint32_t row_counts[RC_ROWS_COUNT];
    /* Unused slots point to the row "_other", so that counting needs no bounds check. */
    _Atomic(rc_metrics_line *) rows[RC_ROWS_COUNT][RC_METRICS_ROWS_MAX];
    rc_metrics_pair pairs[RC_METRICS_PAIRS_MAX];
    rc_metrics_shard shards[RC_METRICS_SHARDS_MAX];
};

#endif
