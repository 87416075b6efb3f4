/* The admin interface of a gateway: reads its state and carries out an operator's actions. Called
 * by src/cli/serve/admin.c and reload.c. */
#include "base/str.h"
#include "gateway/admin/quota.h"
#include "gateway/admin/waiting.h"
#include "gateway/gateway_private.h"
#include "gateway/observe/log_line.h"
#include "gateway/observe/metrics.h"
#include "store/writer.h"
#include "sys/clock.h"
#include "sys/entropy.h"

#define TEXT_MAX_BYTES 640

/* ---- reading the state ---- */

static rc_str dup_part(rc_arena *arena, const char *name, size_t from, size_t to)
{
    return rc_arena_dup(arena, rc_str_make(name + from, to - from));
}

/* Reads the targets of the newest configuration. The caller holds both of the hub's locks. */
static void read_targets(const rc_hub *hub, rc_arena *arena, uint64_t now_ms,
                         rc_admin_quotas *quotas, rc_admin_snapshot *view)
{
    const uint32_t generation = rc_hub_generation(hub);
    rc_admin_target *targets = rc_arena_get_array(arena, hub->target_count + 1, sizeof *targets);
    if (targets == NULL)
        return;
    for (uint32_t i = 0; i < hub->target_count; i++) {
        const rc_hub_target *row = &hub->targets[i];
        if (row->generation != generation)
            continue;
        rc_admin_target *target = &targets[view->target_count++];
        target->provider = dup_part(arena, row->name, 0, row->provider_len);
        target->model = dup_part(arena, row->name, row->provider_len + 1u, row->name_len);
        target->is_unnamed = row->is_client_named;
        rc_admin_fill_target(&hub->shared, (uint16_t)i, now_ms, target);
        rc_admin_fill_health(&row->health, view->now_unix_ms, target);
        rc_admin_quotas_of_target(quotas, (uint16_t)i, target);
        rc_admin_learned_of_target(hub, arena, (uint16_t)i, now_ms, target);
    }
    view->targets = targets;
}

/* Whether the current configuration still lists the credential in hub row `row`. */
static bool is_current(const rc_snapshot *snapshot, uint32_t row)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++) {
        const rc_snapshot_provider *provider = &snapshot->providers[i];
        if (row >= provider->first_key && row < provider->first_key + provider->config->key_count)
            return true;
    }
    return false;
}

/* Reads the keys of the newest configuration. The caller holds both of the hub's locks. */
static void read_keys(const rc_hub *hub, rc_arena *arena, uint64_t now_ms, rc_admin_quotas *quotas,
                      rc_admin_snapshot *view)
{
    rc_admin_key *keys = rc_arena_get_array(arena, hub->credential_count + 1, sizeof *keys);
    if (keys == NULL)
        return;
    for (uint32_t i = 0; i < hub->credential_count; i++) {
        const rc_hub_credential *row = &hub->credentials[i];
        if (!is_current(hub->snapshot, i))
            continue;
        rc_admin_key *key = &keys[view->key_count++];
        key->id = dup_part(arena, row->name, 0, row->name_len);
        key->provider = dup_part(arena, row->name, 0, row->provider_len);
        rc_admin_fill_key(&hub->shared, (uint16_t)i, now_ms, key);
        rc_admin_quotas_of_key(quotas, (uint16_t)i, key);
        rc_admin_learned_of_key(hub, arena, (uint16_t)i, now_ms, key);
    }
    view->keys = keys;
}

static void read_store(rc_hub *hub, rc_arena *arena, rc_admin_store *store)
{
    if (hub->writer == NULL)
        return;
    const rc_writer_counts counts = rc_writer_count(hub->writer);
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
    const rc_report *why = rc_writer_why(hub->writer);
    store->down_reason = rc_arena_dup(arena, rc_report_detail(why));
    rc_report_free(why);
}

static void read_loops(const rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *view)
{
    rc_admin_loop *loops = rc_arena_get_array(arena, gateway->count + 1, sizeof *loops);
    if (loops == NULL)
        return;
    for (uint32_t i = 0; i < gateway->count; i++) {
        const rc_loop_stats *stats = &gateway->workers[i].stats;
        loops[i] = (rc_admin_loop){
            .connections = atomic_load(&stats->connections),
            .in_flight = atomic_load(&stats->in_flight),
            .upstream_idle = atomic_load(&stats->upstream_idle),
            .upstream_busy = atomic_load(&stats->upstream_busy),
            .requests = atomic_load(&stats->requests),
            .stalls = atomic_load(&stats->stalls),
        };
    }
    view->loops = loops;
    view->loop_count = gateway->count;
}

/* Reads the budgets of the current snapshot. */
static void read_budgets(rc_hub *hub, rc_arena *arena, rc_admin_snapshot *view)
{
    rc_snapshot *snapshot = rc_hub_take_snapshot(hub);
    rc_budget_info budget;
    size_t count = 0;
    if (snapshot == NULL)
        return;
    while (rc_budgets_at(&hub->budgets, &snapshot->budgets, count, view->now_unix_ms, &budget))
        count++;
    rc_admin_money_budget *spends = rc_arena_get_array(arena, count + 1, sizeof *spends);
    for (size_t i = 0; spends != NULL && i < count; i++) {
        rc_buf scope;
        if (!rc_budgets_at(&hub->budgets, &snapshot->budgets, i, view->now_unix_ms, &budget))
            break;
        const size_t size = strlen(budget.kind) + 1 + budget.name.len;
        char *scratch = rc_arena_get_unset(arena, size);
        if (scratch == NULL)
            break;
        rc_buf_init_fixed(&scope, scratch, size);
        rc_buf_push(&scope, rc_str_c(budget.kind));
        rc_buf_push_byte(&scope, ' ');
        rc_buf_push(&scope, budget.name);
        spends[view->money_budget_count++] =
            (rc_admin_money_budget){.scope = rc_buf_get(&scope), .state = budget.state};
    }
    view->money_budgets = spends;
    rc_snapshot_release(snapshot);
}

static void read_clients(rc_hub *hub, rc_arena *arena, uint64_t now_ms, rc_admin_snapshot *view)
{
    size_t count = rc_client_table_list(&hub->client_limits, NULL, 0, now_ms);
    rc_client_info *list = rc_arena_get_array(arena, count + 1, sizeof *list);
    rc_admin_client *clients = rc_arena_get_array(arena, count + 1, sizeof *clients);
    if (list == NULL || clients == NULL)
        return;
    const size_t found = rc_client_table_list(&hub->client_limits, list, count, now_ms);
    count = found < count ? found : count;
    for (size_t i = 0; i < count; i++)
        clients[i] = (rc_admin_client){
            .name = rc_arena_dup(arena, list[i].name),
            .rpm = list[i].requests.limit,
            .rpm_left = list[i].requests.remaining,
            .tpm = list[i].tokens.limit,
            .tpm_left = list[i].tokens.remaining,
            .max_in_flight = list[i].max_in_flight,
            .in_flight = list[i].in_flight,
            .refused_rpm = list[i].refused[RC_CLIENT_LIMIT_REQUESTS],
            .refused_tpm = list[i].refused[RC_CLIENT_LIMIT_TOKENS],
            .refused_in_flight = list[i].refused[RC_CLIENT_LIMIT_IN_FLIGHT],
        };
    view->clients = clients;
    view->client_count = count;
}

static void read_repeats(rc_hub *hub, rc_arena *arena, rc_admin_snapshot *view)
{
    rc_repeats_client list[RC_REPEATS_NAMES];
    const uint32_t count = rc_repeats_list(&hub->repeats, list);
    rc_admin_repeat *repeats = rc_arena_get_array(arena, count + 1u, sizeof *repeats);
    for (uint32_t i = 0; repeats != NULL && i < count; i++)
        repeats[i] = (rc_admin_repeat){
            .client = rc_arena_dup(arena, rc_str_make(list[i].name, list[i].len)),
            .is_product = list[i].is_product,
            .count = list[i].count,
            .last_unix_ms = list[i].last_unix_ms,
            .code = list[i].code,
        };
    view->repeats = repeats;
    view->repeat_count = repeats != NULL ? count : 0;
}

bool rc_gateway_read(rc_gateway *gateway, rc_arena *arena, rc_admin_snapshot *ret_snapshot)
{
    rc_hub *hub = &gateway->hub;
    const uint64_t now_ms = uv_now(gateway->settings.uv_loop);
    rc_admin_quotas quotas;
    ret_snapshot->now_unix_ms = rc_clock_unix_ms(gateway->settings.calls);
    ret_snapshot->config.generation = rc_hub_generation(hub);
    uv_mutex_lock(&hub->lock);
    ret_snapshot->config.file = rc_arena_dup(arena, rc_str_c(hub->snapshot->input.file));
    rc_admin_quotas_init(&quotas, hub, arena, ret_snapshot->now_unix_ms);
    uv_mutex_lock(&hub->shared_lock);
    read_keys(hub, arena, now_ms, &quotas, ret_snapshot);
    read_targets(hub, arena, now_ms, &quotas, ret_snapshot);
    rc_admin_fill_retry_budget(&hub->shared.retry_budget, now_ms, &ret_snapshot->retry_budget);
    uv_mutex_unlock(&hub->shared_lock);
    uv_mutex_unlock(&hub->lock);
    rc_admin_read_queue(hub, arena, now_ms, &ret_snapshot->queue);
    read_budgets(hub, arena, ret_snapshot);
    read_clients(hub, arena, now_ms, ret_snapshot);
    read_repeats(hub, arena, ret_snapshot);
    read_store(hub, arena, &ret_snapshot->store);
    read_loops(gateway, arena, ret_snapshot);
    const bool can_serve = rc_hub_can_serve(hub, now_ms);
    ret_snapshot->is_ready = !ret_snapshot->store.is_down && can_serve;
    if (ret_snapshot->store.is_down)
        ret_snapshot->not_ready_reason = RC_STR("the audit store is unavailable");
    else if (!can_serve)
        ret_snapshot->not_ready_reason = RC_STR(RC_ADMIN_NO_ROUTE);
    return rc_arena_status(arena) == RC_OK;
}

/* ---- actions ---- */

static void set_outcome(rc_admin_outcome *outcome, rc_admin_outcome_kind kind, const char *text)
{
    outcome->kind = kind;
    const size_t len = strlen(text);
    const size_t kept = len < sizeof outcome->text ? len : sizeof outcome->text - 1;
    memcpy(outcome->text, text, kept);
    outcome->text[kept] = '\0';
}

/* Writes one audit record about an operator's action. states: the states that the store saves
 * together with the record; they are restored after a restart. */
static void record_action(rc_gateway *gateway, const rc_admin_action *action, rc_str summary,
                          const rc_saved_state *states, size_t state_count)
{
    const rc_sys_calls *calls = gateway->settings.calls;
    char memory[1024];
    uint8_t entropy[10] = {0};
    rc_buf text;
    rc_id_maker maker = {0};
    rc_record record;
    if (gateway->hub.writer == NULL)
        return;
    (void)rc_entropy_get(calls, entropy, sizeof entropy);
    const int64_t now_unix_ms = rc_clock_unix_ms(calls);
    const rc_id id = rc_id_make(&maker, now_unix_ms, entropy);
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, summary);
    rc_buf_push(&text, RC_STR(" by "));
    rc_buf_push(&text, action->peer.len > 0 ? action->peer : RC_STR("unix"));
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
        .records = &record, .record_count = 1, .states = states, .state_count = state_count};
    (void)rc_writer_submit(gateway->hub.writer, &batch, NULL, NULL);
}

static void act_on_row(rc_gateway *gateway, const rc_admin_action *action, uint16_t row,
                       rc_str name, rc_admin_outcome *outcome)
{
    rc_shared *shared = &gateway->hub.shared;
    const bool is_out = action->kind == RC_ADMIN_TARGET_OUT;
    if (action->kind == RC_ADMIN_TARGET_CLEAR) {
        const uint64_t now_ms = uv_now(gateway->settings.uv_loop);
        rc_hub_saved_states states;
        rc_hub_clear_saved(&gateway->hub, row, RC_NO_TARGET, now_ms, &states);
        rc_shared_clear_target(shared, row, now_ms);
        record_action(gateway, action, RC_STR("cooldown and breaker cleared"), states.states,
                      states.count);
        set_outcome(outcome, RC_ADMIN_DONE, "the cooldown is over and the breaker is closed");
        return;
    }
    const rc_saved_state saved = {
        .kind = RC_SAVED_STATE_TARGET, .name = name, .value = is_out ? 1 : 0};
    rc_hub_set_service(&gateway->hub, row, !is_out, rc_clock_unix_ms(gateway->settings.calls));
    record_action(gateway, action,
                  is_out ? RC_STR("taken out of service") : RC_STR("put into service"), &saved, 1);
    set_outcome(outcome, RC_ADMIN_DONE,
                is_out ? "the target is out of service" : "the target is in service");
}

static void act_on_target(rc_gateway *gateway, const rc_admin_action *action,
                          rc_admin_outcome *outcome)
{
    rc_hub *hub = &gateway->hub;
    char scratch[RC_METRICS_NAME_MAX * 5];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof scratch);
    rc_buf_push(&name, action->provider);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, action->model);
    const uint16_t row =
        rc_buf_status(&name) == RC_OK ? rc_hub_take_target(hub, rc_buf_get(&name)) : RC_NO_TARGET;
    if (row == RC_NO_TARGET) {
        set_outcome(outcome, RC_ADMIN_NOT_FOUND, "the gateway has no target of this name");
        return;
    }
    act_on_row(gateway, action, row, rc_buf_get(&name), outcome);
    rc_shared_run_queue(&hub->shared, uv_now(gateway->settings.uv_loop), 0);
    rc_hub_release_target(hub, row, uv_now(gateway->settings.uv_loop));
}

static void revive_key(rc_gateway *gateway, const rc_admin_action *action,
                       rc_admin_outcome *outcome)
{
    rc_hub *hub = &gateway->hub;
    const uint16_t row = rc_hub_find_credential(hub, action->key);
    rc_hub_saved_states states;
    if (row == RC_NO_TARGET) {
        set_outcome(outcome, RC_ADMIN_NOT_FOUND, "the gateway has no key of this id");
        return;
    }
    rc_hub_clear_saved(hub, RC_NO_TARGET, row, uv_now(gateway->settings.uv_loop), &states);
    rc_shared_revive_credential(&hub->shared, row);
    rc_shared_run_queue(&hub->shared, uv_now(gateway->settings.uv_loop), 0);
    record_action(gateway, action, RC_STR("key revived"), states.states, states.count);
    set_outcome(outcome, RC_ADMIN_DONE, "the key is healthy again");
}

static void raise_budget(rc_gateway *gateway, const rc_admin_action *action,
                         rc_admin_outcome *outcome)
{
    rc_hub *hub = &gateway->hub;
    rc_snapshot *snapshot = rc_hub_take_snapshot(hub);
    const int64_t now_unix_ms = rc_clock_unix_ms(gateway->settings.calls);
    char scratch[TEXT_MAX_BYTES];
    char name[RC_BUDGETS_RAISE_NAME_MAX];
    rc_buf text;
    rc_saved_state saved;
    const uint32_t row = snapshot != NULL ? rc_budgets_find(&snapshot->budgets, action->budget)
                                          : RC_LEDGER_NO_BUDGET;
    if (row == RC_LEDGER_NO_BUDGET) {
        rc_snapshot_release(snapshot);
        set_outcome(outcome, RC_ADMIN_NOT_FOUND, "the gateway has no budget of this name");
        return;
    }
    /* Requests that wait for this budget are not woken here, because a timer of each request checks
     * the budget again. */
    (void)rc_budgets_raise(&hub->budgets, row, action->usd_micro, now_unix_ms);
    const bool is_saved =
        rc_budgets_get_raise(&hub->budgets, &snapshot->budgets, row, now_unix_ms, name, &saved);
    rc_snapshot_release(snapshot);
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_ledger_push_scope(&text, action->budget);
    rc_buf_push(&text, RC_STR(" raised by "));
    rc_ledger_push_usd(&text, action->usd_micro);
    record_action(gateway, action, rc_buf_get(&text), &saved, is_saved ? 1 : 0);
    set_outcome(outcome, RC_ADMIN_DONE, "the limit is higher now");
}

void rc_gateway_record_reload(rc_gateway *gateway, const rc_admin_action *action, rc_str why)
{
    char scratch[TEXT_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (why.len > 0) {
        rc_buf_push(&text, RC_STR("configuration refused ("));
        rc_log_push_clean(&text, why);
        rc_buf_push(&text, RC_STR("); the previous configuration stays in use. Requested"));
    } else {
        rc_buf_push(&text, RC_STR("configuration reloaded, generation "));
        rc_buf_push_u64(&text, rc_hub_generation(&gateway->hub));
        rc_buf_push(&text, RC_STR(","));
    }
    record_action(gateway, action, rc_buf_get(&text), NULL, 0);
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
    case RC_ADMIN_BUDGET_RAISE:
        raise_budget(gateway, action, ret_outcome);
        return;
    case RC_ADMIN_RELOAD:
    case RC_ADMIN_DRAIN:
        set_outcome(ret_outcome, RC_ADMIN_FAILED, "only recourse serve can do this");
        return;
    }
}
