/* The table of a scenario's keys, and the reader of their values. Called by scenario_yaml.c. */
#include "sim/scenario_keys.h"

typedef enum key_kind {
    KEY_NUMBER,  /* uint32_t */
    KEY_LARGE,   /* uint64_t */
    KEY_MS,      /* uint32_t, a duration */
    KEY_LONG_MS, /* uint64_t, a duration */
    KEY_HINT_MS, /* int64_t, a duration */
    KEY_MILLI,   /* uint32_t, three decimals */
    KEY_FLAG,    /* bool */
    KEY_SPREAD,  /* rc_sim_spread */
    KEY_NAME,    /* char[RC_SIM_NAME_MAX] */
    KEY_ABOUT,   /* char[RC_SIM_ABOUT_MAX] */
    KEY_FAULT,   /* rc_sim_fault_kind */
    KEY_DIALECT, /* rc_sim_dialect */
    KEY_LOOP,    /* rc_sim_loop */
    KEY_HINTS,   /* rc_sim_hints */
    KEY_ANY_OF,  /* rc_sim_any_of */
    KEY_OTHER    /* read by scenario_yaml.c */
} key_kind;

typedef struct key_row {
    rc_sim_section section;
    const char *name;
    key_kind kind;
    size_t offset;
    uint64_t min;
    uint64_t max;
} key_row;

#define OTHER(section, name)              \
    {                                     \
        section, name, KEY_OTHER, 0, 0, 0 \
    }
#define ROW(section, name, kind, type, field, min, max)      \
    {                                                        \
        section, name, kind, offsetof(type, field), min, max \
    }
#define TOP(name, kind, field, min, max) \
    ROW(RC_SIM_AT_TOP, name, kind, rc_sim_scenario, field, min, max)
#define CLIENTS(name, kind, field, min, max) \
    ROW(RC_SIM_AT_CLIENTS, name, kind, rc_sim_clients, field, min, max)
#define SURGE(name, kind, field, min, max) \
    ROW(RC_SIM_AT_SURGE, name, kind, rc_sim_surge, field, min, max)
#define PROVIDER(name, kind, field, min, max) \
    ROW(RC_SIM_AT_PROVIDER, name, kind, rc_sim_provider, field, min, max)
#define LIMITS(name, kind, field) \
    ROW(RC_SIM_AT_LIMITS, name, kind, rc_sim_limits, field, 0, UINT32_MAX)
#define CAPACITY(name, kind, field, max) \
    ROW(RC_SIM_AT_CAPACITY, name, kind, rc_sim_capacity, field, 0, max)
#define PRICE(name, field) \
    ROW(RC_SIM_AT_PRICE, name, KEY_MILLI, rc_sim_provider, field, 0, 1000000000)
#define FAULT(name, kind, field, min, max) \
    ROW(RC_SIM_AT_FAULT, name, kind, rc_sim_fault, field, min, max)
#define SPREAD(name, field) \
    ROW(RC_SIM_AT_SPREAD, name, KEY_MS, rc_sim_spread, field, 0, RC_SIM_TOKENS_MAX)
#define POLICY(name, kind, field, max) \
    ROW(RC_SIM_AT_POLICY, name, kind, rc_sim_policy, field, 0, max)
#define BUDGET(name, kind, field, max) \
    ROW(RC_SIM_AT_BUDGET, name, kind, rc_retry_budget_settings, field, 0, max)
#define BREAKER(name, kind, field, min, max) \
    ROW(RC_SIM_AT_BREAKER, name, kind, rc_breaker_settings, field, min, max)

static const key_row rows[] = {
    TOP("name", KEY_NAME, name, 0, 0),
    TOP("about", KEY_ABOUT, about, 0, 0),
    TOP("seed", KEY_LARGE, seed, 0, INT64_MAX),
    TOP("duration_ms", KEY_LONG_MS, duration_ms, 1, RC_SIM_DURATION_MAX_MS),
    TOP("any_of", KEY_ANY_OF, any_of, 0, 0),
    OTHER(RC_SIM_AT_TOP, "clients"),
    OTHER(RC_SIM_AT_TOP, "providers"),
    OTHER(RC_SIM_AT_TOP, "policies"),

    CLIENTS("count", KEY_NUMBER, count, 1, RC_SIM_CLIENTS_MAX),
    CLIENTS("every_ms", KEY_MS, every_ms, 1, RC_SIM_DURATION_MAX_MS),
    CLIENTS("loop", KEY_LOOP, loop, 0, 0),
    OTHER(RC_SIM_AT_CLIENTS, "surge"),
    CLIENTS("processes", KEY_NUMBER, processes, 1, RC_SIM_PROCESSES_MAX),
    CLIENTS("greedy_pct", KEY_NUMBER, greedy_pct, 0, 99),
    CLIENTS("stream", KEY_FLAG, is_streaming, 0, 0),
    CLIENTS("tokens_in", KEY_SPREAD, tokens_in, 0, RC_SIM_TOKENS_MAX),
    CLIENTS("tokens_out", KEY_SPREAD, tokens_out, 0, RC_SIM_TOKENS_MAX),
    CLIENTS("deadline_ms", KEY_LONG_MS, deadline_ms, 1, RC_SIM_DEADLINE_MAX_MS),
    CLIENTS("first_token_wait_ms", KEY_LONG_MS, first_token_wait_ms, 0, RC_SIM_DEADLINE_MAX_MS),

    SURGE("from_ms", KEY_LONG_MS, from_ms, 0, RC_SIM_DURATION_MAX_MS),
    SURGE("until_ms", KEY_LONG_MS, until_ms, 1, RC_SIM_DURATION_MAX_MS),
    SURGE("pct", KEY_NUMBER, pct, 1, RC_SIM_SURGE_MAX_PCT),

    PROVIDER("name", KEY_NAME, name, 0, 0),
    PROVIDER("dialect", KEY_DIALECT, dialect, 0, 0),
    PROVIDER("first_token_ms", KEY_SPREAD, first_token_ms, 0, RC_SIM_DURATION_MAX_MS),
    PROVIDER("tokens_per_s", KEY_NUMBER, tokens_per_s, 0, RC_SIM_TOKENS_MAX),
    PROVIDER("fails_in_ms", KEY_MS, fails_in_ms, 0, RC_SIM_DURATION_MAX_MS),
    PROVIDER("keys", KEY_NUMBER, keys, 1, RC_SIM_KEYS_MAX),
    OTHER(RC_SIM_AT_PROVIDER, "keys_of"),
    PROVIDER("weight", KEY_NUMBER, weight, 1, RC_WEIGHT_MAX),
    OTHER(RC_SIM_AT_PROVIDER, "limits"),
    PROVIDER("hides_limits", KEY_FLAG, hides_limits, 0, 0),
    PROVIDER("hints", KEY_HINTS, hints, 0, 0),
    OTHER(RC_SIM_AT_PROVIDER, "capacity"),
    OTHER(RC_SIM_AT_PROVIDER, "price"),
    OTHER(RC_SIM_AT_PROVIDER, "faults"),

    LIMITS("requests_per_min", KEY_NUMBER, requests_per_min),
    LIMITS("tokens_per_min", KEY_NUMBER, tokens_per_min),
    ROW(RC_SIM_AT_LIMITS, "burst_ms", KEY_MS, rc_sim_limits, burst_ms, 1, RC_SIM_MINUTE_MS),
    LIMITS("concurrency", KEY_NUMBER, concurrency),
    ROW(RC_SIM_AT_LIMITS, "quota_requests", KEY_LARGE, rc_sim_limits, quota_requests, 0, INT64_MAX),

    CAPACITY("per_s", KEY_NUMBER, per_s, UINT32_MAX),
    CAPACITY("burst", KEY_NUMBER, burst, UINT32_MAX),
    CAPACITY("shed_cost_pct", KEY_NUMBER, shed_cost_pct, 100),
    CAPACITY("warm_up_ms", KEY_MS, warm_up_ms, RC_SIM_DURATION_MAX_MS),

    PRICE("input_usd_per_mtok", input_nano_usd),
    PRICE("output_usd_per_mtok", output_nano_usd),

    FAULT("kind", KEY_FAULT, kind, 0, 0),
    FAULT("from_ms", KEY_LONG_MS, from_ms, 0, RC_SIM_DURATION_MAX_MS),
    FAULT("until_ms", KEY_LONG_MS, until_ms, 0, RC_SIM_DURATION_MAX_MS),
    FAULT("share_pct", KEY_NUMBER, share_pct, 1, 100),
    FAULT("retry_after_ms", KEY_HINT_MS, retry_after_ms, 0, RC_SIM_DURATION_MAX_MS),
    FAULT("slow_pct", KEY_NUMBER, slow_pct, 1, RC_SIM_SLOW_MAX_PCT),
    FAULT("after_tokens", KEY_NUMBER, after_tokens, 0, RC_SIM_TOKENS_MAX),

    SPREAD("min", min),
    SPREAD("p50", p50),
    SPREAD("p90", p90),
    SPREAD("p99", p99),
    SPREAD("max", max),

    POLICY("name", KEY_NAME, name, 0),
    POLICY("about", KEY_ABOUT, about, 0),
    OTHER(RC_SIM_AT_POLICY, "policy"),
    OTHER(RC_SIM_AT_POLICY, "budget"),
    OTHER(RC_SIM_AT_POLICY, "breaker"),
    OTHER(RC_SIM_AT_POLICY, "wait"),
    OTHER(RC_SIM_AT_POLICY, "learn"),
    OTHER(RC_SIM_AT_POLICY, "failover"),
    POLICY("cooldown_ms", KEY_MS, settings.cooldown_ms, RC_SIM_DURATION_MAX_MS),
    POLICY("exhausted_ms", KEY_MS, settings.exhausted_ms, RC_SIM_DURATION_MAX_MS),

    BUDGET("ratio", KEY_MILLI, ratio_milli, 1000000),
    BUDGET("floor_per_s", KEY_NUMBER, floor_per_s, 1000000),
    BUDGET("burst", KEY_NUMBER, burst, 1000000),

    BREAKER("window_ms", KEY_MS, window_ms, 10, RC_SIM_DURATION_MAX_MS),
    BREAKER("min_calls", KEY_NUMBER, min_calls, 0, UINT32_MAX),
    BREAKER("failure_pct", KEY_NUMBER, failure_pct, 1, 100),
    BREAKER("open_ms", KEY_MS, open_ms, 1, RC_SIM_DURATION_MAX_MS),
    BREAKER("open_max_ms", KEY_MS, open_max_ms, 1, RC_SIM_DURATION_MAX_MS),
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

const char *rc_sim_key_at(rc_sim_section section, size_t index)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].section == section && index-- == 0)
            return rows[i].name;
    return NULL;
}

static const char *key_name_at(const void *ctx, size_t index)
{
    return rc_sim_key_at(*(const rc_sim_section *)ctx, index);
}

static const char *name_or_null(const char *name)
{
    return name[0] != '\0' ? name : NULL;
}

static const char *fault_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return name_or_null(rc_sim_fault_name((rc_sim_fault_kind)index));
}

static const char *dialect_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return name_or_null(rc_sim_dialect_name((rc_sim_dialect)index));
}

static const char *hints_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return name_or_null(rc_sim_hints_name((rc_sim_hints)index));
}

static const char *loop_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    static const char *const names[] = {"open", "closed", NULL};
    return index < 2 ? names[index] : NULL;
}

static const char *any_of_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    static const char *const names[] = {"off", "weight", "least-busy", "remaining", NULL};
    return index < 4 ? names[index] : NULL;
}

/* Returns whether `text` has ASCII or C1 control characters, which must not be written to terminals
 * and SVG files. */
static bool has_control(rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        bool is_c1 = byte == 0xC2 && i + 1 < text.len && (unsigned char)text.ptr[i + 1] < 0xA0;
        if (byte < 0x20 || byte == 0x7F || is_c1)
            return true;
    }
    return false;
}

static void read_text(const rc_yaml_node *node, char *field, size_t size, rc_config_faults *faults)
{
    rc_str text;
    if (!rc_yaml_text(node, faults, &text))
        return;
    if (text.len < size && !has_control(text)) {
        rc_sim_text_set(field, size, text);
        return;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "expected text in one line of at most ");
    rc_config_fault_append_u64(fault, size - 1);
    rc_config_fault_append(fault, " bytes");
}

/* Reads a distribution: a number for a constant, or a map of quantiles. A missing quantile equals
 * the next quantile in the direction of the median. */
static void read_spread(const rc_yaml_node *node, const key_row *row, rc_sim_spread *spread,
                        rc_config_faults *faults)
{
    uint64_t value;
    if (node->kind != RC_YAML_MAP) {
        if (rc_yaml_duration_ms(node, row->max, faults, &value))
            *spread = (rc_sim_spread){(uint32_t)value, (uint32_t)value, (uint32_t)value,
                                      (uint32_t)value, (uint32_t)value};
        return;
    }
    rc_sim_spread read = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    size_t before = faults->count;
    rc_sim_read_section(node, RC_SIM_AT_SPREAD, &read, faults);
    if (faults->count > before)
        return;
    if (read.p50 == UINT32_MAX) {
        rc_config_fault_append(rc_yaml_fault(faults, node), "p50 is missing");
        return;
    }
    read.min = read.min == UINT32_MAX ? read.p50 : read.min;
    read.p90 = read.p90 == UINT32_MAX ? read.p50 : read.p90;
    read.p99 = read.p99 == UINT32_MAX ? read.p90 : read.p99;
    read.max = read.max == UINT32_MAX ? read.p99 : read.max;
    if (read.min <= read.p50 && read.p50 <= read.p90 && read.p90 <= read.p99 &&
        read.p99 <= read.max && read.max <= row->max)
        *spread = read;
    else
        rc_config_fault_append(rc_yaml_fault(faults, node), "the quantiles must not decrease");
}

static bool read_ms(const rc_yaml_node *node, const key_row *row, rc_config_faults *faults,
                    uint64_t *ret_ms)
{
    uint64_t value_ms;
    if (!rc_yaml_duration_ms(node, row->max, faults, &value_ms))
        return false;
    if (value_ms >= row->min) {
        *ret_ms = value_ms;
        return true;
    }
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, "expected at least ");
    rc_config_fault_append_u64(fault, row->min);
    return false;
}

/* Reads a number or time of any integer type. Adds a fault and returns false if the value is
 * invalid. */
static bool read_number(const rc_yaml_node *node, const key_row *row, rc_config_faults *faults,
                        uint64_t *ret_value)
{
    if (row->kind == KEY_NUMBER || row->kind == KEY_LARGE)
        return rc_yaml_u64(node, row->min, row->max, faults, ret_value);
    if (row->kind == KEY_MILLI)
        return rc_yaml_decimal(node, 3, row->min, row->max, faults, ret_value);
    return read_ms(node, row, faults, ret_value);
}

static bool read_choice(const rc_yaml_node *node, const key_row *row, rc_config_faults *faults,
                        size_t *ret_index)
{
    rc_name_at names = row->kind == KEY_FAULT     ? fault_name_at
                       : row->kind == KEY_DIALECT ? dialect_name_at
                       : row->kind == KEY_HINTS   ? hints_name_at
                       : row->kind == KEY_ANY_OF  ? any_of_name_at
                                                  : loop_name_at;
    return rc_yaml_choice(node, names, NULL, faults, ret_index);
}

static void read_key(const rc_yaml_node *node, const key_row *row, void *fields,
                     rc_config_faults *faults)
{
    void *field = (char *)fields + row->offset;
    uint64_t value;
    size_t index;
    switch (row->kind) {
    case KEY_NUMBER:
    case KEY_MS:
    case KEY_MILLI:
        if (read_number(node, row, faults, &value))
            *(uint32_t *)field = (uint32_t)value;
        return;
    case KEY_LARGE:
    case KEY_LONG_MS:
        if (read_number(node, row, faults, &value))
            *(uint64_t *)field = value;
        return;
    case KEY_HINT_MS:
        if (read_number(node, row, faults, &value))
            *(int64_t *)field = (int64_t)value;
        return;
    case KEY_FLAG:
        (void)rc_yaml_bool(node, faults, field);
        return;
    case KEY_SPREAD:
        read_spread(node, row, field, faults);
        return;
    case KEY_NAME:
        read_text(node, field, RC_SIM_NAME_MAX, faults);
        return;
    case KEY_ABOUT:
        read_text(node, field, RC_SIM_ABOUT_MAX, faults);
        return;
    case KEY_FAULT:
        if (read_choice(node, row, faults, &index))
            *(rc_sim_fault_kind *)field = (rc_sim_fault_kind)index;
        return;
    case KEY_DIALECT:
        if (read_choice(node, row, faults, &index))
            *(rc_sim_dialect *)field = (rc_sim_dialect)index;
        return;
    case KEY_HINTS:
        if (read_choice(node, row, faults, &index))
            *(rc_sim_hints *)field = (rc_sim_hints)index;
        return;
    case KEY_LOOP:
        if (read_choice(node, row, faults, &index))
            *(rc_sim_loop *)field = (rc_sim_loop)index;
        return;
    case KEY_ANY_OF:
        if (read_choice(node, row, faults, &index))
            *(rc_sim_any_of *)field = (rc_sim_any_of)index;
        return;
    case KEY_OTHER:
        return;
    }
}

bool rc_sim_read_section(const rc_yaml_node *map, rc_sim_section section, void *fields,
                         rc_config_faults *faults)
{
    (void)rc_yaml_check_keys(map, key_name_at, &section, faults);
    if (map->kind != RC_YAML_MAP)
        return false;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const rc_yaml_node *node =
            rows[i].section == section ? rc_yaml_get(map, rc_str_c(rows[i].name)) : NULL;
        if (node != NULL)
            read_key(node, &rows[i], fields, faults);
    }
    return true;
}
