/* rc_metrics: the counters of the gateway.
 *
 *   loop 0 ──► shard 0 ─┐
 *   loop 1 ──► shard 1 ─┼─ summed up when the page is rendered ──► metrics_page.h
 *   loop 2 ──► shard 2 ─┘
 *
 * Each counting thread is the only writer of its shard, so an addition needs no lock, only a load
 * and a store. Any thread may read the counters.
 *
 * Rows are routes, targets and clients by their configured names. A row is found or added when a
 * configuration is loaded and is never removed, so that the same name has the same counters after a
 * reload. Row 0 of each kind is "_other". Row 0 counts names beyond RC_METRICS_ROWS_MAX and names
 * that the configuration lacks, so that clients cannot make the page grow by inventing names. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_H
#define RC_GATEWAY_OBSERVE_METRICS_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/alloc.h>

#include "gateway/observe/metric.h"
#include "policy/admission/client_limits.h"
#include "policy/quota.h"

#define RC_METRICS_ROWS_MAX 1024
#define RC_METRICS_PAIRS_MAX 512
#define RC_METRICS_SHARDS_MAX 80
/* Names with more bytes count as "_other". */
#define RC_METRICS_NAME_MAX 256
#define RC_METRICS_OTHER 0

typedef struct rc_metrics rc_metrics;
typedef struct rc_metrics_shard rc_metrics_shard;

/* Makes the counters. shard_count: number of counting threads, at most RC_METRICS_SHARDS_MAX.
 * alloc: copies the struct; it is called by threads that add rows. Gives the counters to the
 * caller; NULL if memory runs out. */
rc_metrics *rc_metrics_new(const rc_alloc *alloc, uint32_t shard_count);
/* Frees the counters. metrics: takes; may be NULL. */
void rc_metrics_free(rc_metrics *metrics);

/* Returns the shard of a counting thread. index: below shard_count. The result views (points into)
 * metrics. */
rc_metrics_shard *rc_metrics_shard_get(rc_metrics *metrics, uint32_t index);

/* Finds or adds the row of a name. rows: RC_ROWS_ROUTE, RC_ROWS_TARGET or RC_ROWS_CLIENT. name:
 * copies the text. Returns RC_METRICS_OTHER if there are too many rows, memory runs out, or the
 * name is empty or too long. Any thread may call this function. */
uint16_t rc_metrics_row(rc_metrics *metrics, rc_metric_rows rows, rc_str name);

/* Finds the row of a name without adding a row. Returns RC_METRICS_OTHER if the name has no row. */
uint16_t rc_metrics_find(rc_metrics *metrics, rc_metric_rows rows, rc_str name);

/* ---- counting: only by the shard's own thread; an unknown row counts as "_other" ---- */

/* Changes the number of requests in progress. change: 1 or -1. */
void rc_metrics_in_flight(rc_metrics_shard *shard, int change);

/* Describes how a request ended. */
typedef struct rc_metrics_request {
    uint16_t route;
    uint16_t client;
    uint32_t outcome; /* RC_METRIC_OUTCOME_... */
    rc_code code;     /* RC_CODE_NONE for success */
    uint64_t duration_us;
} rc_metrics_request;
void rc_metrics_on_request(rc_metrics_shard *shard, const rc_metrics_request *request);

#define RC_METRICS_NO_TIME UINT64_MAX

/* Describes how an attempt ended. */
typedef struct rc_metrics_attempt {
    uint16_t target;
    rc_code code; /* RC_CODE_NONE for success */
    uint64_t duration_us;
    uint64_t first_byte_us; /* RC_METRICS_NO_TIME if no byte arrived. */
} rc_metrics_attempt;
void rc_metrics_on_attempt(rc_metrics_shard *shard, const rc_metrics_attempt *attempt);

/* Counts an attempt that follows a failed attempt. wait_us: the wait before the attempt; 0 if there
 * was none. */
void rc_metrics_on_retry(rc_metrics_shard *shard, uint16_t target, uint64_t wait_us);
/* Counts a translated attempt. client_api: index of the client's interface (rc_interface_at). */
void rc_metrics_on_translated(rc_metrics_shard *shard, uint16_t target, uint32_t client_api,
                              bool is_adapted);
/* Counts a fatal failure of a target after which the next target was used (fallback_on). */
void rc_metrics_on_masked(rc_metrics_shard *shard, uint16_t target, rc_code code);
/* Counts a request that a limit of its client refused. */
void rc_metrics_on_client_limited(rc_metrics_shard *shard, uint16_t client,
                                  rc_client_limit_kind kind);

/* rc_metrics_on_queued: counts a request that begins to wait in the queue. bytes: the memory that
 * its body occupies. rc_metrics_on_dequeued: counts the end of this wait. end:
 * RC_METRIC_WAIT_END_...; bytes: as for rc_metrics_on_queued. */
void rc_metrics_on_queued(rc_metrics_shard *shard, uint16_t route, uint32_t bytes);
void rc_metrics_on_dequeued(rc_metrics_shard *shard, uint16_t route, uint32_t end, uint32_t bytes,
                            uint64_t waited_us);
/* Counts a request that could not wait, because the queue was full. */
void rc_metrics_on_queue_full(rc_metrics_shard *shard, uint16_t route);

/* rc_metrics_on_fallback: counts a switch to another target. rc_metrics_on_credential_switch:
 * counts a switch to another key of the same target. */
void rc_metrics_on_fallback(rc_metrics_shard *shard, uint16_t from, uint16_t to);
void rc_metrics_on_credential_switch(rc_metrics_shard *shard, uint16_t target);

/* Tokens and cost of an attempt. */
typedef struct rc_metrics_usage {
    uint16_t target;
    uint16_t client;
    uint64_t tokens_in;
    uint64_t tokens_out;
    bool is_estimated;
    uint64_t cost_nano_usd;
} rc_metrics_usage;
void rc_metrics_on_usage(rc_metrics_shard *shard, const rc_metrics_usage *usage);

/* Counts a warning that a provider's limit is nearly used up. */
void rc_metrics_on_quota(rc_metrics_shard *shard, uint16_t target, rc_quota_kind kind);

/* Counts an event of a target's stream that was not JSON and was not passed on. */
void rc_metrics_on_damaged_event(rc_metrics_shard *shard, uint16_t target);

void rc_metrics_on_reload(rc_metrics_shard *shard, bool is_loaded);
/* Counts an iteration of the loop that took longer than RC_STALL_MS. */
void rc_metrics_on_stall(rc_metrics_shard *shard);

/* rc_metrics_set_connections: sets the number of open client connections of this loop.
 * rc_metrics_set_upstream: sets the number of open connections to providers, idle and in use. */
void rc_metrics_set_connections(rc_metrics_shard *shard, uint64_t count);
void rc_metrics_set_upstream(rc_metrics_shard *shard, uint64_t idle, uint64_t busy);
/* Sets how often this loop has replaced a pooled connection since it started. */
void rc_metrics_set_redials(rc_metrics_shard *shard, uint64_t count);

/* ---- reading: any thread ---- */

/* Returns the number of rows of the kind `rows` (routes, targets or clients), including the row
 * "_other". */
uint32_t rc_metrics_row_count(const rc_metrics *metrics, rc_metric_rows rows);
/* Returns the name of a row. row: below rc_metrics_row_count. The result views (points into)
 * metrics. */
rc_str rc_metrics_row_name(const rc_metrics *metrics, rc_metric_rows rows, uint32_t row);

/* Returns the sum of a cell over all shards. index: for a histogram the bucket, or
 * RC_METRIC_BUCKETS for the sum of durations. For other metrics it is i1 * n2 + i2, where i1 and i2
 * are the indexes of the two labels' values and n2 is the number of values of the second label. */
uint64_t rc_metrics_sum(const rc_metrics *metrics, rc_metric metric, uint32_t row, uint32_t index);
/* Returns the number of cells of a metric in one row; indexes are below this number. */
uint32_t rc_metrics_width(rc_metric metric);

/* Calls `each` for every pair of targets between which requests have switched. */
typedef void (*rc_metrics_pair_each)(void *ctx, uint32_t from, uint32_t to, uint64_t count);
void rc_metrics_pairs(const rc_metrics *metrics, rc_metrics_pair_each each, void *ctx);

#endif
