/* rc_metric: the metrics of spec/metrics.def as an enum and a table. */
#ifndef RC_GATEWAY_OBSERVE_METRIC_H
#define RC_GATEWAY_OBSERVE_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "policy/code_set.h"

typedef enum rc_metric {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) RC_METRIC_##ID,
#define RC_METRIC_COLLECTED(ID, name, TYPE, unit, decimals, label, label2, label3, help) \
    RC_METRIC_##ID,
#include "spec/metrics.def"
    RC_METRIC_COUNT
} rc_metric;

/* The index of each value of each label, such as RC_METRIC_OUTCOME_FAILED, and the number of
 * values, such as RC_METRIC_OUTCOME_COUNT. */
enum {
#define RC_METRIC_LABEL(LABEL, label) RC_METRIC_##LABEL##_BEFORE = -1,
#define RC_METRIC_VALUE(LABEL, ID, word) RC_METRIC_##LABEL##_##ID,
#define RC_METRIC_LABEL_END(LABEL) RC_METRIC_##LABEL##_COUNT,
#include "spec/metrics.def"
    RC_METRIC_ONE_COUNT = 1,
    /* The values of the label "code" are "none", the codes in the order of their table, and
     * "unknown". */
    RC_METRIC_CODE_COUNT = RC_CODE_INDEX_COUNT + 2
};

typedef enum rc_metric_type {
    RC_METRIC_COUNTER = 0,
    RC_METRIC_GAUGE = 1,
    RC_METRIC_HISTOGRAM = 2
} rc_metric_type;

/* The kind of object that a metric describes. A metric has one row for each object of its kind. */
typedef enum rc_metric_rows {
    RC_ROWS_PROCESS = 0,
    RC_ROWS_ROUTE = 1,
    RC_ROWS_TARGET = 2,
    RC_ROWS_CLIENT = 3,
    RC_ROWS_COUNT = 4,
    RC_ROWS_PAIR = RC_ROWS_COUNT,
    RC_ROWS_COLLECTED = RC_ROWS_COUNT + 1 /* No counter is stored; rc_metrics_collector reads the
                                           * value when the page is rendered. */
} rc_metric_rows;

/* A label with a fixed set of values. */
typedef struct rc_metric_label {
    const char *name;
    const char *const *values;
    uint32_t count;
} rc_metric_label;

typedef struct rc_metric_info {
    const char *name;
    rc_metric_type type;
    const char *unit; /* Unit of the values: "", "seconds" or "usd". */
    unsigned decimals;
    rc_metric_rows rows;
    const char *row_labels[3]; /* Labels whose values are the names of rows. NULL if the metric has
                                * fewer such labels. */
    const rc_metric_label
        *value_labels[2]; /* Labels with fixed values. Never NULL: a missing label is an entry
                             without name and with one value. */
    const char *help;
} rc_metric_info;

/* Returns the table row of a metric. metric: below RC_METRIC_COUNT. */
const rc_metric_info *rc_metric_get(rc_metric metric);

#define RC_METRIC_CODE_END 1300
extern const uint8_t rc_metric_code_indexes[RC_METRIC_CODE_END];

/* Returns the index of a code among the values of the label "code". */
static inline uint32_t rc_metric_code_index(rc_code code)
{
    /* A code's number consists of its class and an index in the class, so it is small enough to be
     * an array index. */
    const uint32_t index = (size_t)code < RC_METRIC_CODE_END ? rc_metric_code_indexes[code] : 0;
    return index > 0 || code == RC_CODE_NONE ? index : RC_METRIC_CODE_COUNT - 1;
}

/* Number of buckets of a histogram. The first bucket ends at 1.25 ms, each next bucket at twice the
 * time, and the last bucket has all longer durations. The bounds from 10 ms to 81.92 s are the ones
 * that OpenTelemetry's conventions for generative AI define. */
#define RC_METRIC_BUCKETS 19
#define RC_METRIC_BUCKET_US UINT64_C(1250)

/* Returns the upper bound of a bucket. bucket: must not be the last bucket. */
static inline uint64_t rc_metric_bucket_us(uint32_t bucket)
{
    return RC_METRIC_BUCKET_US << bucket;
}

/* Returns the bucket of a duration. */
static inline uint32_t rc_metric_bucket_of(uint64_t us)
{
    const uint64_t last = RC_METRIC_BUCKET_US << (RC_METRIC_BUCKETS - 2);
    if (us > last)
        return RC_METRIC_BUCKETS - 1;
    /* `units` is the duration in units of the first bucket, rounded up. The bucket is the exponent
     * of the smallest power of two that is not below `units`. */
    const uint64_t units = (us + RC_METRIC_BUCKET_US - 1) / RC_METRIC_BUCKET_US;
    return units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);
}

/* Appends the tables of docs/metrics.md. */
void rc_metric_push_docs(rc_buf *buf);

#endif
