/* What GET /metrics says: all of spec/metrics.def in Prometheus' text format, version 0.0.4.
 *
 * Each family has its HELP and TYPE once, in front of its samples; no series stands twice. Names
 * are UTF-8 without control characters, escaped as both Prometheus and OpenMetrics read them. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_PAGE_H
#define RC_GATEWAY_OBSERVE_METRICS_PAGE_H

#include "gateway/observe/metrics.h"

#define RC_METRICS_PAGE_TYPE "text/plain; version=0.0.4; charset=utf-8"

typedef struct rc_metrics_page rc_metrics_page;

/* Where the metrics come from that are not counted: look is called once for each of them, in the
 * order of the table, and puts what there is to say, or nothing. */
typedef struct rc_metrics_collector {
    void (*collect)(void *ctx, rc_metric metric, rc_metrics_page *page);
    void *ctx;
} rc_metrics_collector;

/* Adds a sample of the metric that look was called for. Names: the values of its labels, in order;
 * empty where it has none. value: in the table's decimals. A series that was put before, one whose
 * name is longer than RC_METRICS_NAME_MAX, and more than RC_METRICS_ROWS_MAX are left out. */
void rc_metrics_page_put(rc_metrics_page *page, rc_str first, rc_str second, int64_t value);

/* Appends the page. The buffer's status. seen: borrows; NULL for what is counted alone. */
rc_status rc_metrics_page_push(rc_buf *buf, rc_metrics *metrics,
                               const rc_metrics_collector *collector);

#endif
