/* Renders GET /metrics: all of spec/metrics.def in Prometheus' text format, version 0.0.4.
 *
 * Each metric has its HELP and TYPE lines once, before its samples. No series appears twice. Names
 * are UTF-8 without control characters, escaped so that Prometheus and OpenMetrics can both read
 * them. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_PAGE_H
#define RC_GATEWAY_OBSERVE_METRICS_PAGE_H

#include "gateway/observe/metrics.h"

#define RC_METRICS_PAGE_TYPE "text/plain; version=0.0.4; charset=utf-8"

typedef struct rc_metrics_page rc_metrics_page;

/* The source of the metrics that no loop counts (RC_METRIC_COLLECTED). `collect` is called once for
 * each of these metrics, in the order of the table, and adds samples by rc_metrics_page_put. */
typedef struct rc_metrics_collector {
    void (*collect)(void *ctx, rc_metric metric, rc_metrics_page *page);
    void *ctx;
} rc_metrics_collector;

/* Adds a sample of the metric that `collect` was called for. first, second: the values of the
 * metric's labels; empty if the metric has no such label. value: an integer with the decimals of
 * the table. A sample is left out if its series was added before, a name has more than
 * RC_METRICS_NAME_MAX bytes, or the metric has RC_METRICS_ROWS_MAX samples already. */
void rc_metrics_page_put(rc_metrics_page *page, rc_str first, rc_str second, int64_t value);
/* As rc_metrics_page_put, for a metric with three labels. */
void rc_metrics_page_put3(rc_metrics_page *page, rc_str first, rc_str second, rc_str third,
                          int64_t value);

/* Appends the page and returns the buffer's status. collector: borrows during the call; if NULL,
 * the page has only counted metrics. */
rc_status rc_metrics_page_push(rc_buf *buf, rc_metrics *metrics,
                               const rc_metrics_collector *collector);

#endif
