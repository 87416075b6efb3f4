/* The gateway as an operator sees it, and what an operator does to it. */
#include "base/str.h"
#include "gateway/admin_quota.h"
#include "gateway/gateway_private.h"
#include "gateway/log_line.h"
#include "sys/clock.h"
#include "sys/entropy.h"

#define TEXT_MAX_BYTES 640

/* ---- looking ---- */

static rc_str dup_part(rc_arena *arena, const char *name, size_t from, size_t to)
{
    return rc_arena_dup(arena, rc_str_make(name + from, to - from));
}

/* Locked. Targets that the configuration no longer names are left out. */
static void look_targets(const rc_gate_world *world, rc_arena *arena, uint64_t now_ms,
                         rc_admin_quotas *quotas, rc_admin_snapshot *snapshot)
{
    const uint32_t edition = rc_gate_world_edition(world);
    rc_admin_target *targets = rc_arena_get_array(arena, world->target_count + 1, sizeof *targets);
    if (targets == NULL)
        return;
    for (uint32_t i = 0; i < world->target_count; i++) {
        const rc_world_target *row = &world->targets[i];
        if (row->edition != edition)
            continue;
        rc_admin_target *target = &targets[snapshot->target_count++];
        target->provider = dup_part(arena, row->name, 0, row->provider_len);
        target->model = dup_part(arena, row->name, row->provider_len + 1u, row->name_len);
        target->is_unnamed = row->is_guest;
        rc_admin_look_target(&world->shared, (uint16_t)i, now_ms, target);
        rc_admin_look_health(&row->health, snapshot->now_unix_ms, target);
        rc_admin_quotas_of_target(quotas, (uint16_t)i, target);
    }
    snapshot->targets = targets;
}

/* Is it one of the present list of its provider? */
static bool is_current(const rc_gate_plans *plans, uint32_t row)
{
    for (size_t i = 0; i < plans->config->provider_count; i++) {
        const rc_gate_provider *provider = &plans->providers[i];
        if (row >= provider->first_key && row < provider->first_key + provider->config->key_count)
            return true;
    }
    return false;
}

/* Locked. */
static void look_keys(const rc_gate_world *world, rc_arena *arena, uint64_t now_ms,
                      rc_admin_quotas *quotas, rc_admin_snapshot *snapshot)
{
    rc_admin_key *keys = rc_arena_get_array(arena, world->credential_count + 1, sizeof *keys);
    if (keys == NULL)
        return;
    for (uint32_t i = 0; i < world->credential_count; i++) {
        const rc_world_credential *row = &world->credentials[i];
        if (!is_current(world->plans, i))
            continue;
        rc_admin_key *key = &keys[snapshot->key_count++];
        key->id = dup_part(arena, row->name, 0, row->name_len);
        key->provider = dup_part(arena, row->name, 0, row->provider_len);
        rc_admin_look_key(&world->shared, (uint16_t)i, now_ms, key);
        rc_admin_quotas_of_key(quotas, (uint16_t)i, key);
    }
    snapshot->keys = keys;
}

static void look_store(rc_gate_world *world, rc_arena *arena, rc_admin_store *store)
{
    if (world->writer == NULL)
        return;
    const rc_writer_counts counts = rc_writer_count(world->writer);
    *store = (rc_admin_store){
        .is_on = true,
        .is_down = counts.is_down,
        .kind = RC_STR("sqlite"),
        .queued = counts.queued,
        .kept = counts.kept,
        .lost = counts.lost,
        .refused = counts.refused,
    };
    if (!counts.is_down)
        return;
    const rc_report *why = rc_writer_why(world->writer);
    store->why = rc_arena_dup(arena, rc_report_detail(why));
    rc_report_free(why);
}

static void look_loops(const rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *snapshot)
{
    rc_admin_loop *loops = rc_arena_get_array(arena, gateway->count + 1, sizeof *loops);
    if (loops == NULL)
        return;
    for (uint32_t i = 0; i < gateway->count; i++) {
        const rc_gate_pulse *pulse = &gateway->members[i].pulse;
        loops[i] = (rc_admin_loop){
            .connections = atomic_load(&pulse->connections),
            .in_flight = atomic_load(&pulse->in_flight),
            .upstream_idle = atomic_load(&pulse->upstream_idle),
            .upstream_busy = atomic_load(&pulse->upstream_busy),
            .requests = atomic_load(&pulse->requests),
            .stalls = atomic_load(&pulse->stalls),
        };
    }
    snapshot->loops = loops;
    snapshot->loop_count = gateway->count;
}

/* Budgets of the newest edition; there are few. */
static void look_spends(rc_gate_world *world, rc_arena *arena, rc_admin_snapshot *snapshot)
{
    rc_gate_plans *plans = rc_gate_world_plans(world);
    rc_purse_budget budget;
    size_t count = 0;
    if (plans == NULL)
        return;
    while (rc_purse_budget_at(&world->purse, &plans->money, count, snapshot->now_unix_ms, &budget))
        count++;
    rc_admin_spend *spends = rc_arena_get_array(arena, count + 1, sizeof *spends);
    for (size_t i = 0; spends != NULL && i < count; i++) {
        rc_buf scope;
        if (!rc_purse_budget_at(&world->purse, &plans->money, i, snapshot->now_unix_ms, &budget))
            break;
        const size_t size = strlen(budget.kind) + 1 + budget.name.len;
        char *room = rc_arena_get_unset(arena, size);
        if (room == NULL)
            break;
        rc_buf_init_fixed(&scope, room, size);
        rc_buf_push(&scope, rc_str_c(budget.kind));
        rc_buf_push_byte(&scope, ' ');
        rc_buf_push(&scope, budget.name);
        spends[snapshot->spend_count++] =
            (rc_admin_spend){.scope = rc_buf_get(&scope), .state = budget.state};
    }
    snapshot->spends = spends;
    rc_gate_plans_drop(plans);
}

static void look_repeats(rc_gate_world *world, rc_arena *arena, rc_admin_snapshot *snapshot)
{
    rc_repeats_client list[RC_REPEATS_NAMES];
    const uint32_t count = rc_repeats_look(&world->repeats, list);
    rc_admin_repeat *repeats = rc_arena_get_array(arena, count + 1u, sizeof *repeats);
    for (uint32_t i = 0; repeats != NULL && i < count; i++)
        repeats[i] = (rc_admin_repeat){
            .client = rc_arena_dup(arena, rc_str_make(list[i].name, list[i].len)),
            .is_product = list[i].is_product,
            .count = list[i].count,
            .last_unix_ms = list[i].last_unix_ms,
            .code = list[i].code,
        };
    snapshot->repeats = repeats;
    snapshot->repeat_count = repeats != NULL ? count : 0;
}

bool rc_gateway_look(rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *ret_snapshot)
{
    rc_gate_world *world = &gateway->world;
    const uint64_t now_ms = uv_now(gateway->settings.loop);
    rc_admin_quotas quotas;
    ret_snapshot->now_unix_ms = rc_clock_unix_ms(gateway->settings.calls);
    ret_snapshot->config.generation = rc_gate_world_edition(world);
    uv_mutex_lock(&world->lock);
    ret_snapshot->config.file = rc_arena_dup(arena, rc_str_c(world->plans->given.file));
    rc_admin_quotas_init(&quotas, world, arena, ret_snapshot->now_unix_ms);
    uv_mutex_lock(&world->shared_lock);
    look_keys(world, arena, now_ms, &quotas, ret_snapshot);
    look_targets(world, arena, now_ms, &quotas, ret_snapshot);
    rc_admin_look_budget(&world->shared.budget, now_ms, &ret_snapshot->budget);
    uv_mutex_unlock(&world->shared_lock);
    uv_mutex_unlock(&world->lock);
    look_spends(world, arena, ret_snapshot);
    look_repeats(world, arena, ret_snapshot);
    look_store(world, arena, &ret_snapshot->store);
    look_loops(gateway, arena, ret_snapshot);
    const bool can_serve = rc_gate_world_can_serve(world, now_ms);
    ret_snapshot->is_ready = !ret_snapshot->store.is_down && can_serve;
    if (ret_snapshot->store.is_down)
        ret_snapshot->why_not = RC_STR("the audit cannot be kept");
    else if (!can_serve)
        ret_snapshot->why_not = RC_STR(RC_ADMIN_NO_ROUTE);
    return rc_arena_status(arena) == RC_OK;
}

/* ---- doing ---- */

static void say(rc_admin_outcome *outcome, rc_admin_outcome_kind kind, const char *text)
{
    outcome->kind = kind;
    const size_t len = strlen(text);
    const size_t kept = len < sizeof outcome->text ? len : sizeof outcome->text - 1;
    memcpy(outcome->text, text, kept);
    outcome->text[kept] = '\0';
}

/* What an operator did is one record, with the marks of what must outlast a restart. */
static void keep(rc_gateway *gateway, const rc_admin_action *action, rc_str what,
                 const rc_store_mark *marks, size_t mark_count)
{
    const rc_sys_calls *calls = gateway->settings.calls;
    char memory[1024];
    uint8_t chance[10] = {0};
    rc_buf text;
    rc_id_maker maker = {0};
    rc_record record;
    if (gateway->world.writer == NULL)
        return;
    (void)rc_entropy_get(calls, chance, sizeof chance);
    const int64_t now_unix_ms = rc_clock_unix_ms(calls);
    const rc_id id = rc_id_make(&maker, now_unix_ms, chance);
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, what);
    rc_buf_push(&text, RC_STR(" by "));
    rc_buf_push(&text, action->by.len > 0 ? action->by : RC_STR("unix"));
    if (action->reason.len > 0) {
        rc_buf_push(&text, RC_STR(": "));
        rc_buf_push(&text, action->reason);
    }
    rc_record_init(&record, RC_RECORD_SERVICE);
    record.operation_id = rc_str_make(id.text, RC_ID_LEN);
    record.unix_ms = now_unix_ms;
    record.provider = action->provider;
    record.model = action->model;
    record.credential = action->key;
    record.text = rc_buf_get(&text);
    const rc_batch batch = {
        .records = &record, .record_count = 1, .marks = marks, .mark_count = mark_count};
    (void)rc_writer_submit(gateway->world.writer, &batch, NULL, NULL);
}

static void act_on_row(rc_gateway *gateway, const rc_admin_action *action, uint16_t row,
                       rc_str name, rc_admin_outcome *outcome)
{
    rc_shared *shared = &gateway->world.shared;
    const bool is_out = action->kind == RC_ADMIN_TARGET_OUT;
    if (action->kind == RC_ADMIN_TARGET_CLEAR) {
        const uint64_t now_ms = uv_now(gateway->settings.loop);
        rc_world_marks marks;
        rc_gate_world_forget(&gateway->world, row, RC_NO_TARGET, now_ms, &marks);
        rc_shared_clear_target(shared, row, now_ms);
        keep(gateway, action, RC_STR("cooldown and breaker cleared"), marks.marks, marks.count);
        say(outcome, RC_ADMIN_DONE, "its cooldown is over and its breaker closed");
        return;
    }
    const rc_store_mark mark = {
        .kind = RC_STORE_MARK_TARGET, .name = name, .state = is_out ? 1 : 0};
    rc_gate_world_set_service(&gateway->world, row, !is_out,
                              rc_clock_unix_ms(gateway->settings.calls));
    keep(gateway, action, is_out ? RC_STR("taken out of service") : RC_STR("put into service"),
         &mark, 1);
    say(outcome, RC_ADMIN_DONE, is_out ? "it is out of service" : "it is in service");
}

static void act_on_target(rc_gateway *gateway, const rc_admin_action *action,
                          rc_admin_outcome *outcome)
{
    rc_gate_world *world = &gateway->world;
    char room[RC_METRICS_NAME_MAX * 5];
    rc_buf name;
    rc_buf_init_fixed(&name, room, sizeof room);
    rc_buf_push(&name, action->provider);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, action->model);
    const uint16_t row = rc_buf_status(&name) == RC_OK
                             ? rc_gate_world_take_target(world, rc_buf_get(&name))
                             : RC_NO_TARGET;
    if (row == RC_NO_TARGET) {
        say(outcome, RC_ADMIN_NO_SUCH, "there is no such target");
        return;
    }
    act_on_row(gateway, action, row, rc_buf_get(&name), outcome);
    rc_gate_world_leave(world, row, uv_now(gateway->settings.loop));
}

static void revive_key(rc_gateway *gateway, const rc_admin_action *action,
                       rc_admin_outcome *outcome)
{
    rc_gate_world *world = &gateway->world;
    const uint16_t row = rc_gate_world_find_credential(world, action->key);
    rc_world_marks marks;
    if (row == RC_NO_TARGET) {
        say(outcome, RC_ADMIN_NO_SUCH, "there is no such key");
        return;
    }
    rc_gate_world_forget(world, RC_NO_TARGET, row, uv_now(gateway->settings.loop), &marks);
    rc_shared_revive_credential(&world->shared, row);
    keep(gateway, action, RC_STR("key revived"), marks.marks, marks.count);
    say(outcome, RC_ADMIN_DONE, "it is healthy again");
}

static void raise_budget(rc_gateway *gateway, const rc_admin_action *action,
                         rc_admin_outcome *outcome)
{
    rc_gate_world *world = &gateway->world;
    rc_gate_plans *plans = rc_gate_world_plans(world);
    const int64_t now_unix_ms = rc_clock_unix_ms(gateway->settings.calls);
    char room[TEXT_MAX_BYTES];
    char name[RC_PURSE_MARK_MAX];
    rc_buf text;
    rc_store_mark mark;
    const uint32_t row =
        plans != NULL ? rc_purse_find(&plans->money, action->spend) : RC_SPEND_NO_ROW;
    if (row == RC_SPEND_NO_ROW) {
        rc_gate_plans_drop(plans);
        say(outcome, RC_ADMIN_NO_SUCH, "there is no such budget");
        return;
    }
    /* Who is paused asks again by itself. */
    (void)rc_purse_raise(&world->purse, row, action->usd_micro, now_unix_ms);
    const bool is_marked =
        rc_purse_mark(&world->purse, &plans->money, row, now_unix_ms, name, &mark);
    rc_gate_plans_drop(plans);
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_spend_push_scope(&text, action->spend);
    rc_buf_push(&text, RC_STR(" raised by "));
    rc_spend_push_usd(&text, action->usd_micro);
    keep(gateway, action, rc_buf_get(&text), &mark, is_marked ? 1 : 0);
    say(outcome, RC_ADMIN_DONE, "more may be spent");
}

void rc_gateway_keep_reload(rc_gateway *gateway, const rc_admin_action *action, rc_str why)
{
    char room[TEXT_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    if (why.len > 0) {
        rc_buf_push(&text, RC_STR("configuration refused ("));
        rc_log_push_clean(&text, why);
        rc_buf_push(&text, RC_STR("), the old one goes on; asked for"));
    } else {
        rc_buf_push(&text, RC_STR("configuration read again, edition "));
        rc_buf_push_u64(&text, rc_gate_world_edition(&gateway->world));
        rc_buf_push(&text, RC_STR(","));
    }
    keep(gateway, action, rc_buf_get(&text), NULL, 0);
}

void rc_gateway_act(rc_gateway *gateway, const rc_admin_action *action,
                    rc_admin_outcome *ret_outcome)
{
    switch (action->kind) {
    case RC_ADMIN_TARGET_OUT:
    case RC_ADMIN_TARGET_IN:
    case RC_ADMIN_TARGET_CLEAR:
        act_on_target(gateway, action, ret_outcome);
        return;
    case RC_ADMIN_KEY_REVIVE:
        revive_key(gateway, action, ret_outcome);
        return;
    case RC_ADMIN_SPEND_RAISE:
        raise_budget(gateway, action, ret_outcome);
        return;
    case RC_ADMIN_RELOAD:
    case RC_ADMIN_DRAIN:
        say(ret_outcome, RC_ADMIN_FAILED, "only the process can do that");
        return;
    }
}
