/* rc_metrics: counts events. Called by loops and exchanges; rows and sums are in metrics_rows.c. */
#include "gateway/observe/metrics_cells.h"

/* Returns the shard's cells of a row. No lock is needed, because rows are complete when they are
 * published and are never removed. */
static inline rc_cell *cells_of(const rc_metrics_shard *shard, rc_metric_rows rows, uint16_t row)
{
    const size_t index = row < RC_METRICS_ROWS_MAX ? row : RC_METRICS_OTHER;
    const rc_metrics_line *line =
        atomic_load_explicit(&shard->metrics->rows[rows][index], memory_order_acquire);
    return line->cells + shard->at[rows];
}

/* Adds to a cell. An atomic addition is not needed, because only one thread writes to each cell. */
static inline void add(rc_cell *cell, uint64_t count)
{
    const uint64_t old = atomic_load_explicit(cell, memory_order_relaxed);
    atomic_store_explicit(cell, old + count, memory_order_relaxed);
}

static inline void set(rc_cell *cell, uint64_t value)
{
    atomic_store_explicit(cell, value, memory_order_relaxed);
}

static inline void observe(rc_cell *cells, uint64_t us)
{
    add(&cells[rc_metric_bucket_of(us)], 1);
    add(&cells[RC_METRIC_BUCKETS], us);
}

void rc_metrics_in_flight(rc_metrics_shard *shard, int change)
{
    add(&shard->process[RC_CELL_PROCESS_IN_FLIGHT], (uint64_t)(int64_t)change);
}

void rc_metrics_on_request(rc_metrics_shard *shard, const rc_metrics_request *request)
{
    rc_cell *route = cells_of(shard, RC_ROWS_ROUTE, request->route);
    rc_cell *client = cells_of(shard, RC_ROWS_CLIENT, request->client);
    const uint32_t outcome =
        request->outcome < RC_METRIC_OUTCOME_COUNT ? request->outcome : RC_METRIC_OUTCOME_FAILED;
    add(&route[RC_CELL_ROUTE_REQUESTS + outcome * RC_METRIC_CODE_COUNT +
               rc_metric_code_index(request->code)],
        1);
    observe(&route[RC_CELL_ROUTE_REQUEST_DURATION], request->duration_us);
    add(&client[RC_CELL_CLIENT_CLIENT_REQUESTS + outcome], 1);
}

void rc_metrics_on_attempt(rc_metrics_shard *shard, const rc_metrics_attempt *attempt)
{
    rc_cell *target = cells_of(shard, RC_ROWS_TARGET, attempt->target);
    add(&target[RC_CELL_TARGET_ATTEMPTS + rc_metric_code_index(attempt->code)], 1);
    observe(&target[RC_CELL_TARGET_ATTEMPT_DURATION], attempt->duration_us);
    if (attempt->first_byte_us != RC_METRICS_NO_TIME)
        observe(&target[RC_CELL_TARGET_FIRST_BYTE], attempt->first_byte_us);
}

void rc_metrics_on_retry(rc_metrics_shard *shard, uint16_t target, uint64_t wait_us)
{
    add(&cells_of(shard, RC_ROWS_TARGET, target)[RC_CELL_TARGET_RETRIES], 1);
    if (wait_us > 0)
        observe(&shard->process[RC_CELL_PROCESS_WAITS], wait_us);
}

void rc_metrics_on_queued(rc_metrics_shard *shard, uint16_t route, uint32_t bytes)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_ROUTE, route);
    add(&cells[RC_CELL_ROUTE_QUEUE_WAITING], 1);
    add(&cells[RC_CELL_ROUTE_QUEUE_BYTES], bytes);
}

void rc_metrics_on_dequeued(rc_metrics_shard *shard, uint16_t route, uint32_t end, uint32_t bytes,
                            uint64_t waited_us)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_ROUTE, route);
    const uint32_t index = end < RC_METRIC_WAIT_END_COUNT ? end : RC_METRIC_WAIT_END_STOPPED;
    add(&cells[RC_CELL_ROUTE_QUEUE_WAITING], UINT64_MAX);
    add(&cells[RC_CELL_ROUTE_QUEUE_BYTES], 0 - (uint64_t)bytes);
    add(&cells[RC_CELL_ROUTE_QUEUE_WAITS + index], 1);
    observe(&cells[RC_CELL_ROUTE_QUEUE_WAIT], waited_us);
}

void rc_metrics_on_queue_full(rc_metrics_shard *shard, uint16_t route)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_ROUTE, route);
    add(&cells[RC_CELL_ROUTE_QUEUE_WAITS + RC_METRIC_WAIT_END_FULL], 1);
}

void rc_metrics_on_masked(rc_metrics_shard *shard, uint16_t target, rc_code code)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_TARGET, target);
    add(&cells[RC_CELL_TARGET_MASKED + rc_metric_code_index(code)], 1);
}

void rc_metrics_on_translated(rc_metrics_shard *shard, uint16_t target, uint32_t client_api,
                              bool is_adapted)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_TARGET, target);
    const uint32_t fit = is_adapted ? RC_METRIC_FIT_ADAPTED : RC_METRIC_FIT_EXACT;
    add(&cells[RC_CELL_TARGET_TRANSLATED + client_api * RC_METRIC_FIT_COUNT + fit], 1);
}

void rc_metrics_on_credential_switch(rc_metrics_shard *shard, uint16_t target)
{
    add(&cells_of(shard, RC_ROWS_TARGET, target)[RC_CELL_TARGET_CREDENTIAL_SWITCHES], 1);
}

void rc_metrics_on_usage(rc_metrics_shard *shard, const rc_metrics_usage *usage)
{
    rc_cell *target = cells_of(shard, RC_ROWS_TARGET, usage->target);
    rc_cell *tokens = &target[RC_CELL_TARGET_TOKENS];
    const uint32_t kind = usage->is_estimated ? RC_METRIC_KIND_ESTIMATED : RC_METRIC_KIND_MEASURED;
    add(&tokens[RC_METRIC_DIRECTION_INPUT * RC_METRIC_KIND_COUNT + kind], usage->tokens_in);
    add(&tokens[RC_METRIC_DIRECTION_OUTPUT * RC_METRIC_KIND_COUNT + kind], usage->tokens_out);
    add(&target[RC_CELL_TARGET_COST], usage->cost_nano_usd);
    add(&cells_of(shard, RC_ROWS_CLIENT, usage->client)[RC_CELL_CLIENT_CLIENT_COST],
        usage->cost_nano_usd);
}

_Static_assert((int)RC_METRIC_LIMIT_COUNT == (int)RC_QUOTA_KIND_COUNT &&
                   (int)RC_METRIC_LIMIT_OUTPUT_TOKENS == (int)RC_QUOTA_OUTPUT_TOKENS,
               "one value per kind, in the same order");

void rc_metrics_on_quota(rc_metrics_shard *shard, uint16_t target, rc_quota_kind kind)
{
    const uint32_t index = kind < RC_QUOTA_KIND_COUNT ? kind : RC_QUOTA_OTHER;
    add(&cells_of(shard, RC_ROWS_TARGET, target)[RC_CELL_TARGET_QUOTA_WARNINGS + index], 1);
}

void rc_metrics_on_client_limited(rc_metrics_shard *shard, uint16_t client,
                                  rc_client_limit_kind kind)
{
    rc_cell *cells = cells_of(shard, RC_ROWS_CLIENT, client);
    if (kind != RC_CLIENT_LIMIT_NONE)
        add(&cells[RC_CELL_CLIENT_CLIENT_LIMITED + (uint32_t)kind - 1], 1);
}

void rc_metrics_on_reload(rc_metrics_shard *shard, bool is_loaded)
{
    const uint32_t result = is_loaded ? RC_METRIC_RESULT_LOADED : RC_METRIC_RESULT_REFUSED;
    add(&shard->process[RC_CELL_PROCESS_RELOADS + result], 1);
}

void rc_metrics_on_damaged_event(rc_metrics_shard *shard, uint16_t target)
{
    add(&cells_of(shard, RC_ROWS_TARGET, target)[RC_CELL_TARGET_DAMAGED_EVENTS], 1);
}

void rc_metrics_on_stall(rc_metrics_shard *shard)
{
    add(&shard->process[RC_CELL_PROCESS_LOOP_STALL], 1);
}

void rc_metrics_set_connections(rc_metrics_shard *shard, uint64_t count)
{
    set(&shard->process[RC_CELL_PROCESS_CONNECTIONS], count);
}

void rc_metrics_set_upstream(rc_metrics_shard *shard, uint64_t idle, uint64_t busy)
{
    rc_cell *cells = &shard->process[RC_CELL_PROCESS_UPSTREAM_CONNECTIONS];
    set(&cells[RC_METRIC_STATE_IDLE], idle);
    set(&cells[RC_METRIC_STATE_BUSY], busy);
}

void rc_metrics_set_redials(rc_metrics_shard *shard, uint64_t count)
{
    set(&shard->process[RC_CELL_PROCESS_UPSTREAM_REDIALS], count);
}

/* ---- switches between pairs of targets: rare, so that all threads share one table ---- */

/* Returns the slot of a pair, which `key` identifies. A new key gets a free slot. If no slot is
 * free, the key is counted in slot 0, which belongs to the pair of "_other" with "_other". */
static rc_metrics_pair *slot_of(rc_metrics *metrics, uint32_t key)
{
    const uint32_t start = key * UINT32_C(2654435761) % RC_METRICS_PAIRS_MAX;
    const bool is_other = key == RC_METRICS_PAIR_KEY(RC_METRICS_OTHER, RC_METRICS_OTHER);
    for (uint32_t i = 0; !is_other && i < RC_METRICS_PAIRS_MAX; i++) {
        rc_metrics_pair *pair = &metrics->pairs[(start + i) % RC_METRICS_PAIRS_MAX];
        uint32_t seen = atomic_load_explicit(&pair->key, memory_order_relaxed);
        /* Another thread may claim the free slot at the same time, perhaps for the same pair. */
        if (seen == 0 && atomic_compare_exchange_strong_explicit(
                             &pair->key, &seen, key, memory_order_relaxed, memory_order_relaxed))
            return pair;
        if (seen == key)
            return pair;
    }
    return &metrics->pairs[0];
}

void rc_metrics_on_fallback(rc_metrics_shard *shard, uint16_t from, uint16_t to)
{
    rc_metrics *metrics = shard->metrics;
    const uint32_t count =
        atomic_load_explicit(&metrics->row_counts[RC_ROWS_TARGET], memory_order_relaxed);
    rc_metrics_pair *pair =
        slot_of(metrics, RC_METRICS_PAIR_KEY(from < count ? from : RC_METRICS_OTHER,
                                             to < count ? to : RC_METRICS_OTHER));
    atomic_fetch_add_explicit(&pair->count, 1, memory_order_relaxed);
}

void rc_metrics_pairs(const rc_metrics *metrics, rc_metrics_pair_each each, void *ctx)
{
    for (uint32_t i = 0; i < RC_METRICS_PAIRS_MAX; i++) {
        const rc_metrics_pair *pair = &metrics->pairs[i];
        const uint32_t key = atomic_load_explicit(&pair->key, memory_order_relaxed);
        const uint64_t count = atomic_load_explicit(&pair->count, memory_order_relaxed);
        if (key != 0 && count > 0)
            each(ctx, (key >> 16) - 1, (key & 0xFFFF) - 1, count);
    }
}
