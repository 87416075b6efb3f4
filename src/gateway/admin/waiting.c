/* Copies the waiting requests and the learned rate limits into a snapshot. Called by
 * gateway_admin.c. */
#include "gateway/admin/waiting.h"

#include <string.h>

#include "gateway/state/hub.h"

/* ---- waiting requests ---- */

typedef struct reading {
    rc_arena *arena;
    rc_admin_waiter *waiters;
    uint16_t (*targets)[RC_WAITING_TARGETS_MAX];
    size_t count;
    uint64_t now_ms;
} reading;

static uint64_t ms_until(uint64_t until_ms, uint64_t now_ms)
{
    return until_ms > now_ms ? until_ms - now_ms : 0;
}

/* Copies one row. Called under the lock of rc_shared, so the names of targets are looked up
 * later. */
static void copy(void *ctx, const rc_waiting_row *row)
{
    reading *r = ctx;
    const rc_waiter_facts *facts = row->facts;
    memcpy(r->targets[r->count], row->targets, row->target_count * sizeof *row->targets);
    r->waiters[r->count++] = (rc_admin_waiter){
        .request_id = rc_arena_dup(r->arena, facts->request_id),
        .client = rc_arena_dup(r->arena, facts->client),
        .route = rc_arena_dup(r->arena, facts->route),
        .model = rc_arena_dup(r->arena, facts->model),
        .target_count = row->target_count,
        .waited_ms = ms_until(r->now_ms, facts->from_ms),
        .start_in_ms = ms_until(row->start_by_ms, r->now_ms),
        .until_ms = ms_until(row->until_ms, r->now_ms),
        .has_no_end = row->until_ms >= RC_UNLIMITED - 1,
    };
}

/* Sets the names of the targets. The caller holds hub->lock. */
static void name_targets(const rc_hub *hub, rc_arena *arena, const uint16_t *targets,
                         rc_admin_waiter *waiter)
{
    rc_str *names = rc_arena_get_array(arena, waiter->target_count + 1, sizeof *names);
    size_t count = 0;
    for (size_t i = 0; names != NULL && i < waiter->target_count; i++) {
        if (targets[i] >= hub->target_count)
            continue;
        const rc_hub_target *row = &hub->targets[targets[i]];
        names[count++] = rc_arena_dup(arena, rc_str_make(row->name, row->name_len));
    }
    waiter->targets = names;
    waiter->target_count = count;
}

void rc_admin_read_queue(rc_hub *hub, rc_arena *arena, uint64_t now_ms, rc_admin_queue *ret_queue)
{
    rc_waiting_sums sums;
    reading r = {
        .arena = arena,
        .waiters = rc_arena_get_array(arena, RC_ADMIN_WAITERS_MAX, sizeof *r.waiters),
        .targets = rc_arena_get_array(arena, RC_ADMIN_WAITERS_MAX, sizeof *r.targets),
        .now_ms = now_ms,
    };
    if (r.waiters == NULL || r.targets == NULL)
        return;
    rc_waiting_list(&hub->waiting, RC_ADMIN_WAITERS_MAX, copy, &r, &sums);
    uv_mutex_lock(&hub->lock);
    for (size_t i = 0; i < r.count; i++)
        name_targets(hub, arena, r.targets[i], &r.waiters[i]);
    uv_mutex_unlock(&hub->lock);
    *ret_queue = (rc_admin_queue){
        .count = sums.count,
        .max_count = sums.max_count,
        .bytes = sums.bytes,
        .max_bytes = sums.max_bytes,
        .waiters = r.waiters,
        .waiter_count = r.count,
    };
}

/* ---- learned limits ---- */

typedef struct learned_list {
    const rc_hub *hub;
    rc_arena *arena;
    uint64_t now_ms;
    uint32_t count;
    rc_admin_learned rows[RC_ADMIN_LEARNED_MAX];
} learned_list;

static void add(learned_list *list, uint32_t target, rc_admin_learned row)
{
    const rc_hub_target *named = &list->hub->targets[target];
    if (list->count == RC_ADMIN_LEARNED_MAX)
        return;
    row.target = rc_arena_dup(list->arena, rc_str_make(named->name, named->name_len));
    row.is_unnamed = named->is_client_named;
    list->rows[list->count++] = row;
}

static void add_rate(learned_list *list, uint32_t target, const rc_pacer *pacer)
{
    if (pacer->rate_milli > 0)
        add(list, target, (rc_admin_learned){.kind = "rate", .rate_milli = pacer->rate_milli});
}

static void add_limits(learned_list *list, uint32_t target, const rc_rate_limits *limits)
{
    static const char *const kinds[RC_LIMIT_AXES] = {"requests", "tokens", "input_tokens",
                                                     "output_tokens"};
    for (uint32_t axis = 0; axis < RC_LIMIT_AXES; axis++) {
        rc_limit_view view;
        if (!rc_rate_limits_view(limits, (rc_limit_axis)axis, list->now_ms, &view))
            continue;
        add(list, target,
            (rc_admin_learned){.kind = kinds[axis],
                               .limit = view.limit,
                               .remaining = view.remaining,
                               .full_ms = ms_until(view.full_at_ms, list->now_ms),
                               .is_window = view.is_window});
    }
    add_rate(list, target, &limits->pacer);
}

static const rc_admin_learned *finish(const learned_list *list, size_t *ret_count)
{
    rc_admin_learned *rows =
        list->count > 0 ? rc_arena_get_array(list->arena, list->count, sizeof *rows) : NULL;
    *ret_count = rows != NULL ? list->count : 0;
    if (rows != NULL)
        memcpy(rows, list->rows, list->count * sizeof *rows);
    return rows;
}

void rc_admin_learned_of_key(const rc_hub *hub, rc_arena *arena, uint16_t credential,
                             uint64_t now_ms, rc_admin_key *ret_key)
{
    learned_list list = {.hub = hub, .arena = arena, .now_ms = now_ms};
    for (uint32_t i = 0; i < hub->target_count; i++) {
        const rc_target *target = &hub->shared.targets[i];
        const uint32_t first = target->first_credential;
        if (target->learned != NULL && credential >= first &&
            credential < first + target->credential_count)
            add_limits(&list, i, &target->learned[credential - first]);
    }
    ret_key->learned = finish(&list, &ret_key->learned_count);
}

void rc_admin_learned_of_target(const rc_hub *hub, rc_arena *arena, uint16_t target,
                                uint64_t now_ms, rc_admin_target *ret_target)
{
    learned_list list = {.hub = hub, .arena = arena, .now_ms = now_ms};
    const rc_target *row = &hub->shared.targets[target];
    if (row->learned != NULL && row->credential_count == 0)
        add_limits(&list, target, row->learned);
    add_rate(&list, target, &row->admission.pacer);
    ret_target->learned = finish(&list, &ret_target->learned_count);
}
