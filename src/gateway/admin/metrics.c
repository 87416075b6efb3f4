/* Reads metrics such as the state of targets and keys from a snapshot of the admin interface.
 * Called by paths.c for GET /metrics. */
#include <recourse/version.h>

#include "gateway/admin/core.h"

static int64_t target_value(const rc_admin_target *target, rc_metric metric)
{
    const rc_admin_target_state now = rc_admin_target_state_of(target);
    switch ((int)metric) {
    case RC_METRIC_TARGET_COOLING:
        return target->cooling_ms < INT64_MAX ? (int64_t)target->cooling_ms : INT64_MAX;
    case RC_METRIC_TARGET_IN_FLIGHT:
        return target->in_flight;
    case RC_METRIC_BREAKER_STATE:
        return target->breaker;
    case RC_METRIC_TARGET_HEALTH:
        return target->health;
    case RC_METRIC_TARGET_ADMISSION:
        return target->admission;
    default:
        return now == RC_TARGET_UP || now == RC_TARGET_FULL;
    }
}

static void put_target(const rc_admin_target *target, rc_str model, int64_t value,
                       rc_metrics_page *page)
{
    char scratch[RC_METRICS_NAME_MAX];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof(scratch));
    rc_buf_push(&name, target->provider);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, model);
    if (rc_buf_status(&name) == RC_OK)
        rc_metrics_page_put(page, rc_buf_get(&name), RC_STR(""), value);
}

/* Whether the target is part of its provider's series for the model "*". */
static bool is_folded(const rc_admin_target *target)
{
    return target->is_unnamed || rc_str_eq(target->model, RC_STR("*"));
}

/* Writes the one series of a provider for all its models that the configuration does not name.
 * These models share a series, because clients can invent any number of names. Calls in flight are
 * summed up. All other values are taken from the first target that may be called now or, if there
 * is no such target, from the first target. */
static void put_folded(const rc_admin_snapshot *snapshot, size_t first, rc_metric metric,
                       rc_metrics_page *page)
{
    const rc_admin_target *shown = &snapshot->targets[first];
    int64_t in_flight = 0;
    for (size_t i = first; i < snapshot->target_count; i++) {
        const rc_admin_target *target = &snapshot->targets[i];
        if (!is_folded(target) || !rc_str_eq(target->provider, shown->provider))
            continue;
        in_flight += target->in_flight;
        if (!target_value(shown, RC_METRIC_TARGET_UP) && target_value(target, RC_METRIC_TARGET_UP))
            shown = target;
    }
    put_target(shown, RC_STR("*"),
               metric == RC_METRIC_TARGET_IN_FLIGHT ? in_flight : target_value(shown, metric),
               page);
}

/* Whether an earlier target of the same provider has already caused put_folded to write the
 * provider's series. */
static bool is_put(const rc_admin_snapshot *snapshot, size_t at)
{
    for (size_t i = at; i-- > 0;)
        if (is_folded(&snapshot->targets[i]) &&
            rc_str_eq(snapshot->targets[i].provider, snapshot->targets[at].provider))
            return true;
    return false;
}

static void put_targets(const rc_admin_snapshot *snapshot, rc_metric metric, rc_metrics_page *page)
{
    for (size_t i = 0; i < snapshot->target_count; i++) {
        const rc_admin_target *target = &snapshot->targets[i];
        if (!is_folded(target))
            put_target(target, target->model, target_value(target, metric), page);
        else if (!is_put(snapshot, i))
            put_folded(snapshot, i, metric, page);
    }
}

static void put_keys(const rc_admin_snapshot *snapshot, rc_metrics_page *page)
{
    for (size_t i = 0; i < snapshot->key_count; i++)
        rc_metrics_page_put(page, snapshot->keys[i].provider, snapshot->keys[i].id,
                            snapshot->keys[i].state);
}

static void put_quotas(const rc_admin_snapshot *snapshot, rc_metrics_page *page)
{
    const rc_metric_label *label = rc_metric_get(RC_METRIC_QUOTA_WARNINGS)->value_labels[0];
    for (size_t i = 0; i < snapshot->key_count; i++)
        for (uint32_t kind = 0; kind < RC_QUOTA_KIND_COUNT; kind++)
            if (snapshot->keys[i].quota_count > 0 && snapshot->keys[i].left_milli[kind] >= 0)
                rc_metrics_page_put(page, snapshot->keys[i].id, rc_str_c(label->values[kind]),
                                    snapshot->keys[i].left_milli[kind]);
}

static void put_learned_rows(const rc_admin_learned *rows, size_t count, rc_str credential,
                             rc_metric metric, rc_metrics_page *page)
{
    for (size_t i = 0; i < count; i++) {
        const rc_admin_learned *row = &rows[i];
        const rc_str kind = rc_str_c(row->kind);
        if (row->is_unnamed)
            continue;
        if (metric == RC_METRIC_LEARNED_RATE && row->rate_milli > 0)
            rc_metrics_page_put(page, row->target, credential, (int64_t)row->rate_milli);
        else if (metric == RC_METRIC_LEARNED_LIMIT && row->limit > 0)
            rc_metrics_page_put3(page, row->target, credential, kind, row->limit);
        else if (metric == RC_METRIC_LEARNED_LIMIT_REMAINING && row->limit > 0)
            rc_metrics_page_put3(page, row->target, credential, kind, row->remaining);
    }
}

static void put_learned(const rc_admin_snapshot *snapshot, rc_metric metric, rc_metrics_page *page)
{
    for (size_t i = 0; i < snapshot->key_count; i++)
        put_learned_rows(snapshot->keys[i].learned, snapshot->keys[i].learned_count,
                         snapshot->keys[i].id, metric, page);
    for (size_t i = 0; i < snapshot->target_count; i++)
        put_learned_rows(snapshot->targets[i].learned, snapshot->targets[i].learned_count,
                         RC_STR(""), metric, page);
}

static void put_repeats(const rc_admin_snapshot *snapshot, rc_metrics_page *page)
{
    for (size_t i = 0; i < snapshot->repeat_count; i++)
        rc_metrics_page_put(page, snapshot->repeats[i].client, RC_STR(""),
                            (int64_t)snapshot->repeats[i].count);
}

static void put(rc_metrics_page *page, int64_t value)
{
    rc_metrics_page_put(page, RC_STR(""), RC_STR(""), value);
}

/* Adds a metric of the store. Adds nothing if the audit is off. */
static bool put_store(const rc_admin_store *store, rc_metric metric, rc_metrics_page *page)
{
    int64_t value = 0;
    switch ((int)metric) {
    case RC_METRIC_STORE_QUEUED:
        value = (int64_t)store->queued;
        break;
    case RC_METRIC_STORE_KEPT:
        value = (int64_t)store->kept;
        break;
    case RC_METRIC_STORE_LOST:
        value = (int64_t)store->lost;
        break;
    case RC_METRIC_STORE_REFUSED:
        value = (int64_t)store->refused;
        break;
    case RC_METRIC_STORE_DOWN:
        value = store->is_down;
        break;
    default:
        return false;
    }
    if (store->is_on)
        put(page, value);
    return true;
}

static void collect(void *ctx, rc_metric metric, rc_metrics_page *page)
{
    const rc_admin_snapshot *snapshot = ctx;
    if (put_store(&snapshot->store, metric, page))
        return;
    switch ((int)metric) {
    case RC_METRIC_TARGET_UP:
    case RC_METRIC_TARGET_HEALTH:
    case RC_METRIC_TARGET_ADMISSION:
    case RC_METRIC_TARGET_COOLING:
    case RC_METRIC_TARGET_IN_FLIGHT:
    case RC_METRIC_BREAKER_STATE:
        put_targets(snapshot, metric, page);
        return;
    case RC_METRIC_CREDENTIAL_STATE:
        put_keys(snapshot, page);
        return;
    case RC_METRIC_QUOTA_LEFT:
        put_quotas(snapshot, page);
        return;
    case RC_METRIC_LEARNED_LIMIT:
    case RC_METRIC_LEARNED_LIMIT_REMAINING:
    case RC_METRIC_LEARNED_RATE:
        put_learned(snapshot, metric, page);
        return;
    case RC_METRIC_REPEATS:
        put_repeats(snapshot, page);
        return;
    case RC_METRIC_BUDGET_TOKENS:
        if (snapshot->retry_budget.is_on)
            put(page, snapshot->retry_budget.tokens);
        return;
    case RC_METRIC_CONFIG_SUCCESSFUL:
        put(page, !snapshot->config.is_refused);
        return;
    case RC_METRIC_CONFIG_TIME:
        put(page, snapshot->config.loaded_unix_ms);
        return;
    case RC_METRIC_LOG_DROPPED:
        put(page, (int64_t)snapshot->log_dropped);
        return;
    case RC_METRIC_START_TIME:
        put(page, snapshot->started_unix_ms);
        return;
    case RC_METRIC_BUILD:
        rc_metrics_page_put(page, rc_str_c(rc_version()), RC_STR(""), 1);
        return;
    default:
        return;
    }
}

rc_metrics_collector rc_admin_metrics_collector(const rc_admin_snapshot *snapshot)
{
    return (rc_metrics_collector){collect, (void *)(uintptr_t)snapshot};
}
