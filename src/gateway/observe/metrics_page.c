/* Renders the page of GET /metrics. Called by src/gateway/admin/paths.c and metrics.c. */
#include "gateway/observe/metrics_page.h"

#include <string.h>

#include "base/utf8.h"
#include "config/fault.h"

/* Number of slots of the hash set: a power of two, and twice the maximum number of series of a
 * metric. */
#define SLOTS (2 * RC_METRICS_ROWS_MAX)

struct rc_metrics_page {
    rc_buf *buf;
    rc_metrics *metrics;
    rc_metric metric;
    const rc_metric_info *info;
    bool has_head; /* The HELP and TYPE lines of the current metric are written. */
    uint32_t put_count;
    uint64_t series_hashes[SLOTS]; /* Hashes of the label values that were added. 0 marks a free
                                      slot. */
};

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_head(rc_metrics_page *page)
{
    static const char *const types[] = {" counter\n", " gauge\n", " histogram\n"};
    if (page->has_head)
        return;
    page->has_head = true;
    push(page->buf, "# HELP ");
    push(page->buf, page->info->name);
    push(page->buf, " ");
    push(page->buf, page->info->help);
    push(page->buf, "\n# TYPE ");
    push(page->buf, page->info->name);
    push(page->buf, types[page->info->type]);
}

/* ---- labels ---- */

/* Writes the labels of one sample. The braces are omitted if there is no label. */
typedef struct labels {
    rc_buf *buf;
    bool has_any;
} labels;

static void push_value(rc_buf *buf, rc_str text)
{
    size_t len;
    for (size_t at = 0; at < text.len; at += len) {
        char bytes[4];
        uint32_t cp = rc_utf8_decode(text, at, &len);
        if (rc_utf8_is_unsafe(cp))
            cp = RC_UTF8_REPLACEMENT;
        if (cp == '\\' || cp == '"')
            rc_buf_push_byte(buf, '\\');
        rc_buf_push(buf, rc_str_make(bytes, rc_utf8_encode(cp, bytes)));
    }
}

static void push_label(labels *l, const char *name, rc_str value)
{
    if (name == NULL)
        return;
    push(l->buf, l->has_any ? "," : "{");
    push(l->buf, name);
    push(l->buf, "=\"");
    push_value(l->buf, value);
    push(l->buf, "\"");
    l->has_any = true;
}

/* ---- values ---- */

static void push_number(rc_buf *buf, int64_t value, unsigned decimals)
{
    char scratch[RC_DECIMAL_CAPACITY];
    const uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0)
        rc_buf_push_byte(buf, '-');
    rc_buf_push(buf, rc_config_decimal(scratch, size, decimals));
}

static void end_sample(labels *l, int64_t value, unsigned decimals)
{
    push(l->buf, l->has_any ? "} " : " ");
    push_number(l->buf, value, decimals);
    rc_buf_push_byte(l->buf, '\n');
}

/* ---- counted metrics ---- */

/* Returns the name of a row. The row's name is "" for the metrics of the process, which have no row
 * label. */
static rc_str row_name(const rc_metrics_page *page, uint32_t row)
{
    return rc_metrics_row_name(page->metrics, page->info->rows, row);
}

static void push_cell(rc_metrics_page *page, uint32_t row, uint32_t index, uint64_t value)
{
    const rc_metric_info *info = page->info;
    const uint32_t count = info->value_labels[1]->count;
    const uint32_t indexes[2] = {index / count, index % count};
    push_head(page);
    push(page->buf, info->name);
    labels l = {.buf = page->buf};
    push_label(&l, info->row_labels[0], row_name(page, row));
    for (int i = 0; i < 2; i++)
        if (info->value_labels[i]->name != NULL)
            push_label(&l, info->value_labels[i]->name,
                       rc_str_c(info->value_labels[i]->values[indexes[i]]));
    end_sample(&l, (int64_t)value, info->decimals);
}

/* Writes the cells of a row. Cells with the value 0 are left out, except for the cells of the
 * process and the first cell of a named row. The first cell is written so that Prometheus can
 * compute a rate from 0 on. */
static void push_cells(rc_metrics_page *page, uint32_t row)
{
    const bool is_process = page->info->rows == RC_ROWS_PROCESS;
    const uint32_t width = rc_metrics_width(page->metric);
    for (uint32_t index = 0; index < width; index++) {
        const uint64_t value = rc_metrics_sum(page->metrics, page->metric, row, index);
        if (value != 0 || is_process || (index == 0 && row != RC_METRICS_OTHER))
            push_cell(page, row, index, value);
    }
}

static void begin_part(rc_metrics_page *page, const char *part, uint32_t row, labels *l)
{
    push_head(page);
    push(page->buf, page->info->name);
    push(page->buf, part);
    *l = (labels){.buf = page->buf};
    push_label(l, page->info->row_labels[0], row_name(page, row));
}

static void push_histogram(rc_metrics_page *page, uint32_t row)
{
    uint64_t buckets[RC_METRIC_BUCKETS];
    uint64_t total = 0;
    labels l;
    for (uint32_t i = 0; i < RC_METRIC_BUCKETS; i++)
        total += buckets[i] = rc_metrics_sum(page->metrics, page->metric, row, i);
    if (total == 0 && row == RC_METRICS_OTHER && page->info->rows != RC_ROWS_PROCESS)
        return;
    uint64_t below = 0;
    for (uint32_t i = 0; i < RC_METRIC_BUCKETS; i++) {
        char scratch[RC_DECIMAL_CAPACITY];
        below += buckets[i];
        begin_part(page, "_bucket", row, &l);
        push_label(&l, "le",
                   i + 1 < RC_METRIC_BUCKETS ? rc_config_decimal(scratch, rc_metric_bucket_us(i), 6)
                                             : RC_STR("+Inf"));
        end_sample(&l, (int64_t)below, 0);
    }
    begin_part(page, "_sum", row, &l);
    end_sample(&l, (int64_t)rc_metrics_sum(page->metrics, page->metric, row, RC_METRIC_BUCKETS), 6);
    begin_part(page, "_count", row, &l);
    end_sample(&l, (int64_t)total, 0);
}

static void push_pair(void *ctx, uint32_t from, uint32_t to, uint64_t count)
{
    rc_metrics_page *page = ctx;
    labels l = {.buf = page->buf};
    push_head(page);
    push(page->buf, page->info->name);
    push_label(&l, page->info->row_labels[0],
               rc_metrics_row_name(page->metrics, RC_ROWS_TARGET, from));
    push_label(&l, page->info->row_labels[1],
               rc_metrics_row_name(page->metrics, RC_ROWS_TARGET, to));
    end_sample(&l, (int64_t)count, 0);
}

static void push_stored(rc_metrics_page *page)
{
    if (page->info->rows == RC_ROWS_PAIR) {
        rc_metrics_pairs(page->metrics, push_pair, page);
        return;
    }
    const uint32_t count = rc_metrics_row_count(page->metrics, page->info->rows);
    for (uint32_t row = 0; row < count; row++) {
        if (page->info->type == RC_METRIC_HISTOGRAM)
            push_histogram(page, row);
        else
            push_cells(page, row);
    }
}

/* ---- collected metrics ---- */

static uint64_t hash_text(uint64_t hash, rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(1099511628211);
    /* The byte 0xFF, which never occurs in UTF-8, separates the two texts. */
    return (hash ^ 0xFF) * UINT64_C(1099511628211);
}

/* Adds a series to the hash set. shown: the label values as the page shows them, because names that
 * look the same are one series. Returns false if the series was added before. */
static bool add_series(rc_metrics_page *page, rc_str shown)
{
    uint64_t hash = hash_text(UINT64_C(14695981039346656037), shown);
    hash = hash != 0 ? hash : 1;
    for (size_t i = (size_t)hash % SLOTS;; i = (i + 1) % SLOTS) {
        if (page->series_hashes[i] == hash)
            return false;
        if (page->series_hashes[i] == 0) {
            page->series_hashes[i] = hash;
            return true;
        }
    }
}

void rc_metrics_page_put(rc_metrics_page *page, rc_str first, rc_str second, int64_t value)
{
    rc_metrics_page_put3(page, first, second, RC_STR(""), value);
}

void rc_metrics_page_put3(rc_metrics_page *page, rc_str first, rc_str second, rc_str third,
                          int64_t value)
{
    /* Space for three labels. A byte that is not valid UTF-8 is shown as three bytes. */
    char scratch[9 * RC_METRICS_NAME_MAX + 128];
    rc_buf shown;
    if (first.len > RC_METRICS_NAME_MAX || second.len > RC_METRICS_NAME_MAX ||
        third.len > RC_METRICS_NAME_MAX || page->put_count >= RC_METRICS_ROWS_MAX)
        return;
    rc_buf_init_fixed(&shown, scratch, sizeof(scratch));
    labels l = {.buf = &shown};
    push_label(&l, page->info->row_labels[0], first);
    push_label(&l, page->info->row_labels[1], second);
    push_label(&l, page->info->row_labels[2], third);
    if (rc_buf_status(&shown) != RC_OK || !add_series(page, rc_buf_get(&shown)))
        return;
    page->put_count++;
    push_head(page);
    push(page->buf, page->info->name);
    rc_buf_push(page->buf, rc_buf_get(&shown));
    l.buf = page->buf;
    end_sample(&l, value, page->info->decimals);
}

rc_status rc_metrics_page_push(rc_buf *buf, rc_metrics *metrics, const rc_metrics_collector *seen)
{
    rc_metrics_page page = {.buf = buf, .metrics = metrics};
    for (int metric = 0; metric < RC_METRIC_COUNT; metric++) {
        page.metric = (rc_metric)metric;
        page.info = rc_metric_get(page.metric);
        page.has_head = false;
        page.put_count = 0;
        if (page.info->rows != RC_ROWS_COLLECTED) {
            push_stored(&page);
        } else if (seen != NULL) {
            memset(page.series_hashes, 0, sizeof(page.series_hashes));
            seen->collect(seen->ctx, page.metric, &page);
        }
    }
    return rc_buf_status(buf);
}
