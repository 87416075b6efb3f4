/* rc_metrics: adds and finds rows and computes sums. Called by gateway.c, hub.c, runtime.c,
 * snapshot.c and metrics_page.c. */
#include <string.h>

#include "base/utf8.h"
#include "gateway/observe/metrics_cells.h"

#define LINE_BYTES (RC_CELLS_LINE * sizeof(rc_cell))

static const uint32_t strides[RC_ROWS_COUNT] = {
    [RC_ROWS_PROCESS] = RC_CELLS_STRIDE(PROCESS),
    [RC_ROWS_ROUTE] = RC_CELLS_STRIDE(ROUTE),
    [RC_ROWS_TARGET] = RC_CELLS_STRIDE(TARGET),
    [RC_ROWS_CLIENT] = RC_CELLS_STRIDE(CLIENT),
};

/* The first cell of each metric in a row of its kind. */
#define RC_CELL_PAIR_FALLBACKS 0
static const uint32_t first_cells[RC_METRIC_COUNT] = {
#define RC_METRIC(ID, name, TYPE, unit, decimals, ROWS, LABEL, LABEL2, help) \
    [RC_METRIC_##ID] = RC_CELL_##ROWS##_##ID,
#include "spec/metrics.def"
};

/* ---- names ---- */

/* Returns the name as the page shows it, so that names that look the same share a row. Invalid
 * UTF-8 and control characters become U+FFFD. Returns an empty text if the name is too long. */
static rc_str clean_name(rc_str name, char scratch[RC_METRICS_NAME_MAX])
{
    size_t used = 0;
    size_t len;
    for (size_t at = 0; at < name.len; at += len) {
        char bytes[4];
        uint32_t cp = rc_utf8_decode(name, at, &len);
        if (rc_utf8_is_unsafe(cp))
            cp = RC_UTF8_REPLACEMENT;
        const size_t size = rc_utf8_encode(cp, bytes);
        if (used + size > RC_METRICS_NAME_MAX)
            return rc_str_make(NULL, 0);
        memcpy(scratch + used, bytes, size);
        used += size;
    }
    return rc_str_make(scratch, used);
}

static rc_metrics_line *line_at(const rc_metrics *metrics, rc_metric_rows rows, uint32_t row)
{
    return atomic_load_explicit(&metrics->rows[rows][row], memory_order_acquire);
}

static uint32_t count_of(const rc_metrics *metrics, rc_metric_rows rows)
{
    return atomic_load_explicit(&metrics->row_counts[rows], memory_order_acquire);
}

static uint16_t find(const rc_metrics *metrics, rc_metric_rows rows, rc_str name)
{
    const uint32_t count = count_of(metrics, rows);
    for (uint32_t row = 1; row < count; row++)
        if (rc_str_eq(line_at(metrics, rows, row)->name, name))
            return (uint16_t)row;
    return RC_METRICS_OTHER;
}

/* ---- rows ---- */

static rc_metrics_line *line_new(const rc_metrics *metrics, rc_metric_rows rows, rc_str name)
{
    const size_t cells = (size_t)strides[rows] * metrics->shard_count * sizeof(rc_cell);
    const size_t head = sizeof(rc_metrics_line) + name.len + 1;
    const size_t bytes = head + LINE_BYTES + cells;
    rc_metrics_line *line = metrics->alloc.get(metrics->alloc.ctx, bytes);
    if (line == NULL)
        return NULL;
    memset(line, 0, bytes);
    char *text = (char *)(line + 1);
    memcpy(text, name.ptr, name.len);
    line->bytes = bytes;
    line->name = rc_str_make(text, name.len);
    char *begin = (char *)line + head;
    begin += (LINE_BYTES - (uintptr_t)begin % LINE_BYTES) % LINE_BYTES;
    line->cells = (rc_cell *)(void *)begin;
    return line;
}

/* Appends a row. Returns RC_METRICS_OTHER if there is no free row or no memory. The count is
 * published after the row, so that readers see only complete rows. */
static uint16_t append(rc_metrics *metrics, rc_metric_rows rows, rc_str name)
{
    const uint32_t count = count_of(metrics, rows);
    if (count >= RC_METRICS_ROWS_MAX)
        return RC_METRICS_OTHER;
    rc_metrics_line *line = line_new(metrics, rows, name);
    if (line == NULL)
        return RC_METRICS_OTHER;
    atomic_store_explicit(&metrics->rows[rows][count], line, memory_order_release);
    atomic_store_explicit(&metrics->row_counts[rows], count + 1, memory_order_release);
    return (uint16_t)count;
}

uint16_t rc_metrics_find(rc_metrics *metrics, rc_metric_rows rows, rc_str name)
{
    char scratch[RC_METRICS_NAME_MAX];
    const rc_str clean = clean_name(name, scratch);
    return clean.len > 0 ? find(metrics, rows, clean) : RC_METRICS_OTHER;
}

uint16_t rc_metrics_row(rc_metrics *metrics, rc_metric_rows rows, rc_str name)
{
    char scratch[RC_METRICS_NAME_MAX];
    const rc_str clean = clean_name(name, scratch);
    /* The name "_other" always has row 0. */
    if (clean.len == 0 || rc_str_eq(clean, line_at(metrics, rows, RC_METRICS_OTHER)->name))
        return RC_METRICS_OTHER;
    uv_mutex_lock(&metrics->lock);
    uint16_t row = find(metrics, rows, clean);
    if (row == RC_METRICS_OTHER)
        row = append(metrics, rows, clean);
    uv_mutex_unlock(&metrics->lock);
    return row;
}

/* ---- life cycle ---- */

/* Adds row 0 of each kind and lets all unused entries of `rows` point to it. */
static bool add_first_rows(rc_metrics *metrics)
{
    for (int rows = 0; rows < RC_ROWS_COUNT; rows++) {
        append(metrics, (rc_metric_rows)rows, RC_STR("_other"));
        if (count_of(metrics, (rc_metric_rows)rows) != 1)
            return false;
        for (uint32_t row = 1; row < RC_METRICS_ROWS_MAX; row++)
            metrics->rows[rows][row] = line_at(metrics, (rc_metric_rows)rows, 0);
    }
    for (uint32_t i = 0; i < metrics->shard_count; i++)
        metrics->shards[i].process =
            line_at(metrics, RC_ROWS_PROCESS, 0)->cells + metrics->shards[i].at[RC_ROWS_PROCESS];
    return true;
}

rc_metrics *rc_metrics_new(const rc_alloc *alloc, uint32_t shard_count)
{
    if (shard_count == 0 || shard_count > RC_METRICS_SHARDS_MAX)
        return NULL;
    rc_metrics *metrics = alloc->get(alloc->ctx, sizeof(*metrics));
    if (metrics == NULL)
        return NULL;
    memset(metrics, 0, sizeof(*metrics));
    metrics->alloc = *alloc;
    metrics->shard_count = shard_count;
    metrics->pairs[0].key = RC_METRICS_PAIR_KEY(RC_METRICS_OTHER, RC_METRICS_OTHER);
    for (uint32_t i = 0; i < shard_count; i++) {
        metrics->shards[i].metrics = metrics;
        for (int rows = 0; rows < RC_ROWS_COUNT; rows++)
            metrics->shards[i].at[rows] = i * strides[rows];
    }
    if (uv_mutex_init(&metrics->lock) != 0) {
        alloc->put(alloc->ctx, metrics, sizeof(*metrics));
        return NULL;
    }
    if (!add_first_rows(metrics)) {
        rc_metrics_free(metrics);
        return NULL;
    }
    return metrics;
}

void rc_metrics_free(rc_metrics *metrics)
{
    if (metrics == NULL)
        return;
    const rc_alloc alloc = metrics->alloc;
    for (int rows = 0; rows < RC_ROWS_COUNT; rows++)
        for (uint32_t row = 0; row < count_of(metrics, (rc_metric_rows)rows); row++) {
            rc_metrics_line *line = line_at(metrics, (rc_metric_rows)rows, row);
            alloc.put(alloc.ctx, line, line->bytes);
        }
    uv_mutex_destroy(&metrics->lock);
    alloc.put(alloc.ctx, metrics, sizeof(*metrics));
}

rc_metrics_shard *rc_metrics_shard_get(rc_metrics *metrics, uint32_t index)
{
    return &metrics->shards[index];
}

/* ---- reading ---- */

uint32_t rc_metrics_row_count(const rc_metrics *metrics, rc_metric_rows rows)
{
    return count_of(metrics, rows);
}

rc_str rc_metrics_row_name(const rc_metrics *metrics, rc_metric_rows rows, uint32_t row)
{
    return line_at(metrics, rows, row)->name;
}

uint32_t rc_metrics_width(rc_metric metric)
{
    const rc_metric_info *info = rc_metric_get(metric);
    return info->type == RC_METRIC_HISTOGRAM
               ? RC_METRIC_BUCKETS + 1
               : info->value_labels[0]->count * info->value_labels[1]->count;
}

uint64_t rc_metrics_sum(const rc_metrics *metrics, rc_metric metric, uint32_t row, uint32_t index)
{
    const rc_metric_rows rows = rc_metric_get(metric)->rows;
    const rc_cell *cells = line_at(metrics, rows, row)->cells + first_cells[metric] + index;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < metrics->shard_count; i++)
        sum += atomic_load_explicit(&cells[(size_t)i * strides[rows]], memory_order_relaxed);
    return sum;
}
