/* rc_metric: a row of spec/metrics.def. */
#ifndef RC_GATEWAY_OBSERVE_METRIC_H
#define RC_GATEWAY_OBSERVE_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "policy/code_set.h"

typedef enum rc_metric {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) RC_METRIC_##ID,
#define RC_METRIC_COLLECTED(ID, name, TYPE, unit, decimals, label, label2, help) RC_METRIC_##ID,
#include "spec/metrics.def"
    RC_METRIC_COUNT
} rc_metric;

/* The words of each label by their place, and how many there are: RC_METRIC_OUTCOME_FAILED,
 * RC_METRIC_OUTCOME_COUNT. */
enum {
#define RC_METRIC_LABEL(LABEL, label) RC_METRIC_##LABEL##_BEFORE = -1,
#define RC_METRIC_VALUE(LABEL, ID, word) RC_METRIC_##LABEL##_##ID,
#define RC_METRIC_LABEL_END(LABEL) RC_METRIC_##LABEL##_COUNT,
#include "spec/metrics.def"
    RC_METRIC_ONE_COUNT = 1,
    /* none, the codes in the order of their table, unknown */
    RC_METRIC_CODE_COUNT = RC_CODE_INDEX_COUNT + 2
};

typedef enum rc_metric_type {
    RC_METRIC_COUNTER = 0,
    RC_METRIC_GAUGE = 1,
    RC_METRIC_HISTOGRAM = 2
} rc_metric_type;

/* Of what there is one row each. */
typedef enum rc_metric_rows {
    RC_ROWS_PROCESS = 0,
    RC_ROWS_ROUTE = 1,
    RC_ROWS_TARGET = 2,
    RC_ROWS_CLIENT = 3,
    RC_ROWS_COUNT = 4,
    RC_ROWS_PAIR = RC_ROWS_COUNT,
    RC_ROWS_COLLECTED = RC_ROWS_COUNT + 1 /* nothing is kept: it is looked up */
} rc_metric_rows;

/* A label whose values are known. */
typedef struct rc_metric_label {
    const char *name;
    const char *const *values;
    uint32_t count;
} rc_metric_label;

typedef struct rc_metric_info {
    const char *name;
    rc_metric_type type;
    const char *unit; /* "", "seconds", "usd" */
    unsigned decimals;
    rc_metric_rows rows;
    const char *row_labels[2]; /* whose values are names; NULL: there is no more */
    const rc_metric_label
        *value_labels[2]; /* never NULL; one without a label has no name and one word */
    const char *help;
} rc_metric_info;

/* metric: below RC_METRIC_COUNT. */
const rc_metric_info *rc_metric_get(rc_metric metric);

#define RC_METRIC_CODE_END 1300
extern const uint8_t rc_metric_code_indexes[RC_METRIC_CODE_END];

/* The place of a code among the words of CODE. */
static inline uint32_t rc_metric_code_index(rc_code code)
{
    /* Codes are small numbers: class and place in it. */
    const uint32_t index = (size_t)code < RC_METRIC_CODE_END ? rc_metric_code_indexes[code] : 0;
    return index > 0 || code == RC_CODE_NONE ? index : RC_METRIC_CODE_COUNT - 1;
}

/* Buckets of a histogram: 1.25 ms and its doubles, and one for all that is longer. Those from 10 ms
 * to 81.92 s are the ones that OpenTelemetry's conventions name for calls of models. */
#define RC_METRIC_BUCKETS 19
#define RC_METRIC_BUCKET_US UINT64_C(1250)

/* The upper end of a bucket that is not the last. */
static inline uint64_t rc_metric_bucket_us(uint32_t bucket)
{
    return RC_METRIC_BUCKET_US << bucket;
}

/* The bucket of a duration. */
static inline uint32_t rc_metric_bucket_of(uint64_t us)
{
    const uint64_t last = RC_METRIC_BUCKET_US << (RC_METRIC_BUCKETS - 2);
    if (us > last)
        return RC_METRIC_BUCKETS - 1;
    /* How many of the first one, rounded up; then the power of two that holds as many. */
    const uint64_t units = (us + RC_METRIC_BUCKET_US - 1) / RC_METRIC_BUCKET_US;
    return units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);
}

/* Appends the tables of docs/metrics.md. */
void rc_metric_push_docs(rc_buf *buf);

#endif
