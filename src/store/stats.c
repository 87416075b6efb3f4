/* Adds up operations and attempts in groups. Called by the SQLite store. The audit commands and the
 * admin API read the sums. */
#include "store/stats.h"

#include <string.h>

#define HOUR_MS INT64_C(3600000)
#define SLOTS (RC_STATS_GROUPS_MAX * 2)
/* Key of the group "other", which collects the samples without a group of their own. No name, code
 * or hour has this key. */
#define OTHER_KEY INT64_MIN
/* Number of kinds of groups. One slot per kind is reserved for the group "other". */
#define KINDS 7
#define NAMED (RC_STATS_BY_TARGET | RC_STATS_BY_CLIENT | RC_STATS_BY_MODEL | RC_STATS_BY_ROUTE)
/* Size of the array of pointers to groups. */
#define GROUPS_BYTES (RC_STATS_GROUPS_MAX * sizeof(void *))

static rc_stats_group *new_group(rc_stats *stats, uint32_t by, int64_t key)
{
    rc_stats_group *group = stats->alloc.get(stats->alloc.ctx, sizeof(*group));
    if (group == NULL)
        return NULL;
    memset(group, 0, sizeof(*group));
    group->by = by;
    group->key = key;
    group->is_other = key == OTHER_KEY;
    return group;
}

rc_status rc_stats_init(rc_stats *stats, uint32_t by, bool is_of_attempts, const rc_alloc *alloc)
{
    memset(stats, 0, sizeof(*stats));
    stats->alloc = *alloc;
    stats->by = by;
    stats->is_of_attempts = is_of_attempts;
    stats->span_ms = HOUR_MS;
    stats->total = new_group(stats, 0, 0);
    stats->groups = alloc->get(alloc->ctx, GROUPS_BYTES);
    return stats->total != NULL && stats->groups != NULL ? RC_OK : RC_E_NOMEM;
}

void rc_stats_done(rc_stats *stats)
{
    const rc_alloc *alloc = &stats->alloc;
    for (size_t i = 0; i < stats->count; i++)
        alloc->put(alloc->ctx, stats->groups[i], sizeof(rc_stats_group));
    if (stats->groups != NULL)
        alloc->put(alloc->ctx, stats->groups, GROUPS_BYTES);
    if (stats->total != NULL)
        alloc->put(alloc->ctx, stats->total, sizeof(rc_stats_group));
    stats->groups = NULL;
    stats->total = NULL;
    stats->count = stats->name_count = 0;
}

static size_t slot_of(uint32_t by, int64_t key)
{
    uint64_t mixed = ((uint64_t)key ^ (uint64_t)by << 56) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) % SLOTS;
}

static bool has_space(const rc_stats *stats, uint32_t by, int64_t key)
{
    if (key == OTHER_KEY)
        return stats->count < RC_STATS_GROUPS_MAX;
    const size_t others = stats->count - stats->name_count;
    return (by & NAMED) != 0 ? stats->name_count < RC_STATS_NAMES_MAX
                             : others < RC_STATS_GROUPS_MAX - RC_STATS_NAMES_MAX - KINDS;
}

static rc_stats_group *find(rc_stats *stats, uint32_t by, int64_t key)
{
    size_t slot = slot_of(by, key);
    for (; stats->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        rc_stats_group *group = stats->groups[stats->slots[slot] - 1];
        if (group->by == by && group->key == key)
            return group;
    }
    if (!has_space(stats, by, key))
        return NULL;
    rc_stats_group *group = new_group(stats, by, key);
    if (group == NULL) {
        stats->is_out_of_memory = true;
        return NULL;
    }
    stats->groups[stats->count++] = group;
    stats->name_count += (by & NAMED) != 0 ? 1 : 0;
    stats->slots[slot] = (uint16_t)stats->count;
    return group;
}

size_t rc_stats_class_index(int64_t error_class)
{
    return error_class >= 0 && error_class < RC_STATS_CLASSES - 1 ? (size_t)error_class
                                                                  : RC_STATS_CLASSES - 1;
}

rc_error_class rc_stats_class_at(size_t index)
{
    return index < RC_STATS_CLASSES - 1 ? (rc_error_class)index : RC_CLASS_UNKNOWN;
}

static void count_in(rc_stats_group *group, const rc_stats_sample *sample)
{
    group->count++;
    group->attempts += sample->attempts;
    group->tokens_in += sample->tokens_in;
    group->tokens_out += sample->tokens_out;
    group->cost_usd_micro += sample->cost_usd_micro;
    group->estimated_usd_micro += sample->estimated_usd_micro;
    group->unpriced += sample->is_unpriced ? 1 : 0;
    group->estimated += sample->is_estimated ? 1 : 0;
    group->wasted += sample->wasted;
    group->faltered += sample->has_faltered ? 1 : 0;
    group->recovered += sample->has_recovered ? 1 : 0;
    if (sample->latency_ms >= 0)
        rc_histogram_add(&group->latency, (uint64_t)sample->latency_ms);
    if (sample->first_byte_ms >= 0)
        rc_histogram_add(&group->first_byte, (uint64_t)sample->first_byte_ms);
    switch (sample->outcome) {
    case RC_OUTCOME_SUCCEEDED:
        group->succeeded++;
        break;
    case RC_OUTCOME_FAILED:
        group->failed++;
        group->classes[rc_stats_class_index(sample->error_class)]++;
        break;
    case RC_OUTCOME_CANCELLED:
        group->cancelled++;
        break;
    case RC_OUTCOME_OPEN:
    case RC_OUTCOME_NOTICE:
        group->open++;
        break;
    }
}

/* Returns the key's group, or the kind's group "other" if there is no space. Returns NULL if memory
 * runs out. */
static rc_stats_group *find_or_other(rc_stats *stats, uint32_t by, int64_t key)
{
    rc_stats_group *group = find(stats, by, key);
    if (group == NULL && !stats->is_out_of_memory)
        group = find(stats, by, OTHER_KEY);
    return group;
}

static void add_to(rc_stats *stats, uint32_t by, int64_t key, const rc_stats_sample *sample)
{
    if ((stats->by & by) == 0)
        return;
    rc_stats_group *group = find_or_other(stats, by, key);
    if (group != NULL)
        count_in(group, sample);
}

rc_status rc_stats_add(rc_stats *stats, const rc_stats_sample *sample)
{
    if (stats->first_unix_ms == 0)
        stats->first_unix_ms = sample->unix_ms;
    stats->last_unix_ms = sample->unix_ms;
    count_in(stats->total, sample);
    add_to(stats, RC_STATS_BY_TARGET, sample->target, sample);
    add_to(stats, RC_STATS_BY_CLASS, sample->error_class, sample);
    add_to(stats, RC_STATS_BY_CODE, sample->code, sample);
    add_to(stats, RC_STATS_BY_HOUR, sample->unix_ms / stats->span_ms * stats->span_ms, sample);
    add_to(stats, RC_STATS_BY_CLIENT, sample->client, sample);
    add_to(stats, RC_STATS_BY_MODEL, sample->model, sample);
    add_to(stats, RC_STATS_BY_ROUTE, sample->route, sample);
    return stats->is_out_of_memory ? RC_E_NOMEM : RC_OK;
}
