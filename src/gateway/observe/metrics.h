/* rc_metrics: what the gateway counts.
 *
 *   loop 0 ──► shard 0 ─┐
 *   loop 1 ──► shard 1 ─┼─ added up when somebody asks ──► metrics_page.h
 *   loop 2 ──► shard 2 ─┘
 *
 * Each thread that counts has a shard of its own and is the only one that writes to it: an addition
 * is a load and a store, without a lock. Whoever reads may be any thread.
 *
 * The rows are routes, targets and clients by their names, which come from the configuration. A row
 * is found or added when a configuration is loaded and is there for good: after a reload the same
 * name has the same numbers. Row 0 of each kind is "_other", for what has no row: more than
 * RC_METRICS_ROWS_MAX of a kind, and everything that the configuration does not name. So whatever
 * comes from outside, the page has a bound. */
#ifndef RC_GATEWAY_OBSERVE_METRICS_H
#define RC_GATEWAY_OBSERVE_METRICS_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/alloc.h>

#include "gateway/observe/metric.h"
#include "policy/quota.h"

#define RC_METRICS_ROWS_MAX 1024
#define RC_METRICS_PAIRS_MAX 512
#define RC_METRICS_SHARDS_MAX 80
/* A longer name is "_other". */
#define RC_METRICS_NAME_MAX 256
#define RC_METRICS_OTHER 0

typedef struct rc_metrics rc_metrics;
typedef struct rc_metrics_shard rc_metrics_shard;

/* shard_count: the threads that count, at most RC_METRICS_SHARDS_MAX. Gives; NULL: no memory.
 * alloc: copies; used by whoever adds rows. */
rc_metrics *rc_metrics_new(const rc_alloc *alloc, uint32_t shard_count);
/* Takes; also NULL. */
void rc_metrics_free(rc_metrics *metrics);

/* index: below the shard count. Views metrics. */
rc_metrics_shard *rc_metrics_shard_get(rc_metrics *metrics, uint32_t index);

/* The row of a name, which is added if it is new. RC_METRICS_OTHER: there is no room, no memory, or
 * the name is empty or too long. Any thread. rows: ROUTE, TARGET or CLIENT. name: copies. */
uint16_t rc_metrics_row(rc_metrics *metrics, rc_metric_rows rows, rc_str name);

/* The same, without adding it. */
uint16_t rc_metrics_find(rc_metrics *metrics, rc_metric_rows rows, rc_str name);

/* ---- counting, each by the shard's own thread; a row that does not exist is "_other" ---- */

/* Requests under way: one more (1) or one less (-1). */
void rc_metrics_in_flight(rc_metrics_shard *shard, int change);

/* How a request ended. */
typedef struct rc_metrics_request {
    uint16_t route;
    uint16_t client;
    uint32_t outcome; /* RC_METRIC_OUTCOME_... */
    rc_code code;     /* NONE: it went well */
    uint64_t duration_us;
} rc_metrics_request;
void rc_metrics_on_request(rc_metrics_shard *shard, const rc_metrics_request *request);

#define RC_METRICS_NO_TIME UINT64_MAX

/* How a try ended. */
typedef struct rc_metrics_attempt {
    uint16_t target;
    rc_code code; /* NONE: it worked */
    uint64_t duration_us;
    uint64_t first_byte_us; /* RC_METRICS_NO_TIME: none came */
} rc_metrics_attempt;
void rc_metrics_on_attempt(rc_metrics_shard *shard, const rc_metrics_attempt *attempt);

/* A try follows a failure, at a target, after a wait (0: none). */
void rc_metrics_on_retry(rc_metrics_shard *shard, uint16_t target, uint64_t wait_us);
/* Another target is asked; another key of the same one. */
void rc_metrics_on_fallback(rc_metrics_shard *shard, uint16_t from, uint16_t to);
void rc_metrics_on_credential_switch(rc_metrics_shard *shard, uint16_t target);

/* What a try has used. */
typedef struct rc_metrics_usage {
    uint16_t target;
    uint16_t client;
    uint64_t tokens_in;
    uint64_t tokens_out;
    bool is_estimated;
    uint64_t cost_nano_usd;
} rc_metrics_usage;
void rc_metrics_on_usage(rc_metrics_shard *shard, const rc_metrics_usage *usage);

/* A provider's own limit is nearly used up. */
void rc_metrics_on_quota(rc_metrics_shard *shard, uint16_t target, rc_quota_kind kind);

/* An event of a target's stream was not JSON and was not passed on. */
void rc_metrics_on_damaged_event(rc_metrics_shard *shard, uint16_t target);

void rc_metrics_on_reload(rc_metrics_shard *shard, bool is_loaded);
/* A callback took longer than 50 ms. */
void rc_metrics_on_stall(rc_metrics_shard *shard);

/* What this loop has open now. */
void rc_metrics_set_connections(rc_metrics_shard *shard, uint64_t count);
void rc_metrics_set_upstream(rc_metrics_shard *shard, uint64_t idle, uint64_t busy);
/* How often this loop has replaced a pooled connection since its start. */
void rc_metrics_set_redials(rc_metrics_shard *shard, uint64_t count);

/* ---- reading, any thread ---- */

/* How many rows of a kind there are, "_other" included. */
uint32_t rc_metrics_row_count(const rc_metrics *metrics, rc_metric_rows rows);
/* row: below the count. Views metrics. */
rc_str rc_metrics_row_name(const rc_metrics *metrics, rc_metric_rows rows, uint32_t row);

/* All shards together. index: of a histogram the bucket, RC_METRIC_BUCKETS for the sum; else the
 * place of the first word times the count of the second, plus the place of the second. */
uint64_t rc_metrics_sum(const rc_metrics *metrics, rc_metric metric, uint32_t row, uint32_t index);
/* How many there are of index. */
uint32_t rc_metrics_width(rc_metric metric);

/* Calls each with the pairs of targets that were counted. */
typedef void (*rc_metrics_pair_each)(void *ctx, uint32_t from, uint32_t to, uint64_t count);
void rc_metrics_pairs(const rc_metrics *metrics, rc_metrics_pair_each each, void *ctx);

#endif
