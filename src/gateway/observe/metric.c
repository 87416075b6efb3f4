/* rc_metric: the table of spec/metrics.def and its documentation. Called by metrics_rows.c and
 * metrics_page.c; test_metrics_page.c compares docs/metrics.md with it. */
#include "gateway/observe/metric.h"

#include "base/str.h"

/* Arrays with the values of each label. */
#define RC_METRIC_LABEL(LABEL, label) static const char *const values_##LABEL[] = {
#define RC_METRIC_VALUE(LABEL, ID, word) word,
#define RC_METRIC_LABEL_END(LABEL) \
    }                              \
    ;
/* clang-format off */
#include "spec/metrics.def"
/* clang-format on */

static const char *const values_CODE[] = {
    "none",
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    name,
#include "spec/errors.def"
    "unknown",
};
_Static_assert(sizeof(values_CODE) / sizeof(values_CODE[0]) == RC_METRIC_CODE_COUNT, "all codes");

#define RC_METRIC_LABEL(LABEL, label) \
    static const rc_metric_label label_##LABEL = {label, values_##LABEL, RC_METRIC_##LABEL##_COUNT};
#include "spec/metrics.def"
static const rc_metric_label label_CODE = {"code", values_CODE, RC_METRIC_CODE_COUNT};
static const rc_metric_label label_ONE = {NULL, NULL, RC_METRIC_ONE_COUNT};

/* The labels of each kind of row (RC_ROWS_...). The values of these labels are names of rows. */
#define NAMES_PROCESS NULL, NULL, NULL
#define NAMES_ROUTE "route", NULL, NULL
#define NAMES_TARGET "target", NULL, NULL
#define NAMES_CLIENT "client", NULL, NULL
#define NAMES_PAIR "from", "to", NULL
#define NAME_OR_NULL(text) (sizeof(text) > 1 ? (text) : NULL)

static const rc_metric_info metrics[] = {
#define RC_METRIC(ID, text, TYPE, base, places, ROWS, LABEL, LABEL2, help_text) \
    {.name = (text),                                                            \
     .type = RC_METRIC_##TYPE,                                                  \
     .unit = (base),                                                            \
     .decimals = (places),                                                      \
     .rows = RC_ROWS_##ROWS,                                                    \
     .row_labels = {NAMES_##ROWS},                                              \
     .value_labels = {&label_##LABEL, &label_##LABEL2},                         \
     .help = (help_text)},
#define RC_METRIC_COLLECTED(ID, text, TYPE, base, places, label, label2, label3, help_text) \
    {.name = (text),                                                                        \
     .type = RC_METRIC_##TYPE,                                                              \
     .unit = (base),                                                                        \
     .decimals = (places),                                                                  \
     .rows = RC_ROWS_COLLECTED,                                                             \
     .row_labels = {NAME_OR_NULL(label), NAME_OR_NULL(label2), NAME_OR_NULL(label3)},       \
     .value_labels = {&label_ONE, &label_ONE},                                              \
     .help = (help_text)},
#include "spec/metrics.def"
};

const rc_metric_info *rc_metric_get(rc_metric metric)
{
    return &metrics[metric];
}

const uint8_t rc_metric_code_indexes[RC_METRIC_CODE_END] = {
#define RC_CODE(number, CLASS, ID, name, CATEGORY, DOMAIN, RETRYABLE, http, exit, EVENT, ACTION, \
                detail, message)                                                                 \
    [number] = RC_CODE_INDEX_##ID + 1,
#include "spec/errors.def"
};
_Static_assert(RC_METRIC_CODE_COUNT <= UINT8_MAX, "an index fits in a byte");

/* ---- documentation ---- */

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static const char *type_name(rc_metric_type type)
{
    static const char *const names[] = {"counter", "gauge", "histogram"};
    return names[type];
}

static void push_label(rc_buf *buf, const char *name, bool *is_first)
{
    if (name == NULL)
        return;
    push(buf, *is_first ? "`" : ", `");
    push(buf, name);
    push(buf, "`");
    *is_first = false;
}

static void push_metric(rc_buf *buf, const rc_metric_info *info)
{
    bool is_first = true;
    push(buf, "| `");
    push(buf, info->name);
    push(buf, "` | ");
    push(buf, type_name(info->type));
    push(buf, " | ");
    for (int i = 0; i < 3; i++)
        push_label(buf, info->row_labels[i], &is_first);
    for (int i = 0; i < 2; i++)
        push_label(buf, info->value_labels[i]->name, &is_first);
    push(buf, " | ");
    push(buf, info->help);
    push(buf, " |\n");
}

static void push_values(rc_buf *buf, const rc_metric_label *label)
{
    push(buf, "| `");
    push(buf, label->name);
    push(buf, "` | ");
    for (uint32_t i = 0; i < label->count; i++) {
        push(buf, i > 0 ? ", `" : "`");
        push(buf, label->values[i]);
        push(buf, "`");
    }
    push(buf, " |\n");
}

void rc_metric_push_docs(rc_buf *buf)
{
    push(buf, "| metric | type | labels | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < RC_METRIC_COUNT; i++)
        push_metric(buf, &metrics[i]);
    push(buf, "\n| label | values |\n|---|---|\n");
#define RC_METRIC_LABEL(LABEL, label) push_values(buf, &label_##LABEL);
#include "spec/metrics.def"
}
