/* Renders GET /metrics: all of spec/metrics.def in Prometheus' text format, version 0.0.4.
 *
 * Each metric has its HELP and TYPE once, before its samples; no series appears twice. Names are
 * UTF-8 without control characters, escaped so that Prometheus and OpenMetrics can both read
 * them. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_PAGE_H
#define RC_GATEWAY_OBSERVE_METRICS_PAGE_H

#include "gateway/observe/metrics.h"

#define RC_METRICS_PAGE_TYPE "text/plain; version=0.0.4; charset=utf-8"

typedef struct rc_metrics_page rc_metrics_page;

/* The source of metrics that are not counted: collect is called once for each of them, in the order
 * of the table, and adds samples with rc_metrics_page_put. */
typedef struct rc_metrics_collector {
    void (*collect)(void *ctx, rc_metric metric, rc_metrics_page *page);
    void *ctx;
} rc_metrics_collector;

/* Adds a sample of the metric that collect was called for. first, second: the values of its labels;
 * empty where it has none. value: in the table's decimals. Left out: a series that was added
 * before, names longer than RC_METRICS_NAME_MAX, and samples beyond RC_METRICS_ROWS_MAX. */
void rc_metrics_page_put(rc_metrics_page *page, rc_str first, rc_str second, int64_t value);

/* Appends the page and returns the buffer's status. collector: borrows; NULL: counted metrics
 * only. */
rc_status rc_metrics_page_push(rc_buf *buf, rc_metrics *metrics,
                               const rc_metrics_collector *collector);

#endif
