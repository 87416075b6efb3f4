/* Writes a snapshot as JSON. Called by paths.c, live.c, health_endpoints.c and
 * src/cli/serve/state.c. */
#include <recourse/taxonomy.h>
#include <recourse/version.h>

#include "codec/datetime.h"
#include "gateway/admin/core.h"
#include "store/record_json.h"
#include "json/writer.h"

typedef struct state {
    rc_json_writer w;
    const rc_admin_snapshot *snapshot;
} state;

static void put_text(state *s, const char *key, rc_str value)
{
    if (value.len > 0)
        rc_json_member_string(&s->w, rc_str_c(key), value);
}

static void put_number(state *s, const char *key, uint64_t value)
{
    rc_json_key(&s->w, rc_str_c(key));
    rc_json_u64(&s->w, value);
}

static void put_flag(state *s, const char *key, bool value)
{
    rc_json_member_bool(&s->w, rc_str_c(key), value);
}

static void put_time(state *s, const char *key, int64_t unix_ms)
{
    char scratch[40];
    rc_buf text;
    if (unix_ms <= 0)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_rfc3339_push(&text, unix_ms);
    rc_json_member_string(&s->w, rc_str_c(key), rc_buf_get(&text));
}

/* Writes the end of a remaining time: as a date for people and as remaining milliseconds for
 * programs. */
static void put_end(state *s, uint64_t left_ms)
{
    if (left_ms == 0 || left_ms > INT64_MAX / 2)
        return;
    put_time(s, "until", s->snapshot->now_unix_ms + (int64_t)left_ms);
    put_number(s, "remaining_ms", left_ms);
}

/* ---- parts ---- */

static void put_target_name(state *s, const rc_admin_target *target)
{
    /* Space for a provider's and a model's name with at most 1024 bytes each. */
    char scratch[2200];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof(scratch));
    rc_buf_push(&name, target->provider);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, target->model);
    put_text(s, "target", rc_buf_get(&name));
    put_text(s, "provider", target->provider);
    put_text(s, "model", target->model);
}

static void put_quota(state *s, const rc_admin_quota *quota)
{
    rc_json_object_begin(&s->w);
    put_text(s, "target", quota->target);
    put_text(s, "kind", quota->name);
    put_number(s, "remaining", quota->remaining);
    put_number(s, "limit", quota->limit);
    put_flag(s, "low", quota->is_low);
    if (quota->renews_unix_ms > s->snapshot->now_unix_ms)
        put_time(s, "renews", quota->renews_unix_ms);
    rc_json_object_end(&s->w);
}

static void put_quotas(state *s, const rc_admin_quota *quotas, size_t count)
{
    if (count == 0)
        return;
    rc_json_key(&s->w, RC_STR("quotas"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < count; i++)
        put_quota(s, &quotas[i]);
    rc_json_array_end(&s->w);
}

static void put_learned(state *s, const rc_admin_learned *rows, size_t count)
{
    if (count == 0)
        return;
    rc_json_key(&s->w, RC_STR("learned"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < count; i++) {
        const rc_admin_learned *row = &rows[i];
        rc_json_object_begin(&s->w);
        put_text(s, "target", row->target);
        put_text(s, "kind", rc_str_c(row->kind));
        if (row->limit > 0) {
            put_number(s, "limit", (uint64_t)row->limit);
            rc_json_key(&s->w, RC_STR("remaining"));
            rc_json_i64(&s->w, row->remaining);
            put_text(s, "returns", row->is_window ? RC_STR("at_once") : RC_STR("gradually"));
            if (row->full_ms > 0 && row->full_ms < INT64_MAX / 2)
                put_time(s, "full", s->snapshot->now_unix_ms + (int64_t)row->full_ms);
        } else {
            put_number(s, "calls_per_1000_s", row->rate_milli);
        }
        rc_json_object_end(&s->w);
    }
    rc_json_array_end(&s->w);
}

static void put_health(state *s, const rc_admin_target *target)
{
    const rc_admin_target_state now = rc_admin_target_state_of(target);
    put_text(s, "state", rc_str_c(rc_admin_target_state_name(now)));
    put_text(s, "health", rc_str_c(rc_health_state_name(target->health)));
    put_time(s, "since", target->since_unix_ms);
    put_text(s, "failed_with", rc_str_c(rc_code_name(target->failed_with)));
    put_time(s, "failed_at", target->failed_unix_ms);
    rc_json_key(&s->w, RC_STR("recent"));
    rc_json_object_begin(&s->w);
    put_number(s, "calls", target->recent.calls);
    put_number(s, "failed", target->recent.failed);
    rc_json_object_end(&s->w);
}

static void put_target(state *s, const rc_admin_target *target)
{
    const rc_admin_target_state now = rc_admin_target_state_of(target);
    rc_json_object_begin(&s->w);
    put_target_name(s, target);
    put_health(s, target);
    if (now == RC_TARGET_COOLING)
        put_end(s, target->cooling_ms);
    if (now == RC_TARGET_OPEN)
        put_end(s, target->open_ms);
    put_text(s, "why", rc_str_c(rc_code_name(target->cooling_code)));
    if (target->cooling_ms > 0)
        put_flag(s, "assumed", target->is_cooling_assumed);
    if (target->masked_count > 0) {
        rc_json_key(&s->w, RC_STR("masked"));
        rc_json_object_begin(&s->w);
        put_text(s, "code", rc_str_c(rc_code_name(target->masked_with)));
        put_number(s, "requests", target->masked_count);
        put_time(s, "since", target->masked_unix_ms);
        rc_json_object_end(&s->w);
    }
    put_text(s, "breaker", rc_str_c(rc_breaker_state_name(target->breaker)));
    put_flag(s, "out_of_service", target->is_out_of_service);
    put_number(s, "in_flight", target->in_flight);
    if (target->max_in_flight > 0)
        put_number(s, "max_in_flight", target->max_in_flight);
    put_number(s, "keys", target->keys);
    put_number(s, "usable_keys", target->usable_keys);
    put_text(s, "admission", rc_str_c(rc_admission_state_name(target->admission)));
    put_quotas(s, target->quotas, target->quota_count);
    put_learned(s, target->learned, target->learned_count);
    rc_json_object_end(&s->w);
}

static void put_key(state *s, const rc_admin_key *key)
{
    rc_json_object_begin(&s->w);
    put_text(s, "id", key->id);
    put_text(s, "provider", key->provider);
    put_text(s, "state", rc_str_c(rc_credential_state_name(key->state)));
    put_end(s, key->until_ms);
    if (key->limited_targets > 0)
        put_number(s, "limited_targets", key->limited_targets);
    put_quotas(s, key->quotas, key->quota_count);
    put_learned(s, key->learned, key->learned_count);
    rc_json_object_end(&s->w);
}

static void put_targets(state *s)
{
    rc_json_key(&s->w, RC_STR("targets"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->target_count; i++)
        put_target(s, &s->snapshot->targets[i]);
    rc_json_array_end(&s->w);
}

static void put_keys(state *s)
{
    rc_json_key(&s->w, RC_STR("keys"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->key_count; i++)
        put_key(s, &s->snapshot->keys[i]);
    rc_json_array_end(&s->w);
}

static void put_retry_budget(state *s)
{
    const rc_admin_retry_budget *budget = &s->snapshot->retry_budget;
    rc_json_key(&s->w, RC_STR("budget"));
    rc_json_object_begin(&s->w);
    put_flag(s, "on", budget->is_on);
    if (budget->is_on) {
        put_number(s, "tokens", budget->tokens);
        put_number(s, "burst", budget->burst);
        put_number(s, "ratio_milli", budget->ratio_milli);
        put_number(s, "floor_per_s", budget->floor_per_s);
    }
    rc_json_object_end(&s->w);
}

static void put_usd(state *s, const char *key, uint64_t micro)
{
    rc_record_json_usd(&s->w, rc_str_c(key), micro);
}

static void put_money_budget(state *s, const rc_admin_money_budget *spend)
{
    static const char *const pers[] = {"day", "month", "total"};
    static const char *const exceeds[] = {"warn", "pause", "fail"};
    const rc_ledger_state *is = &spend->state;
    rc_json_object_begin(&s->w);
    put_text(s, "scope", spend->scope);
    put_text(s, "per", rc_str_c(pers[is->rule.period]));
    put_text(s, "on_exceed", rc_str_c(exceeds[is->rule.on_exceed]));
    put_usd(s, "spent_usd", is->spent);
    put_usd(s, "held_usd", is->held);
    if (is->limit > 0)
        put_usd(s, "limit_usd", is->limit);
    if (is->raised > 0)
        put_usd(s, "raised_usd", is->raised);
    if (is->unpriced > 0)
        put_number(s, "unpriced_calls", is->unpriced);
    put_time(s, "renews", is->renews_unix_ms);
    put_flag(s, "awaited", is->has_waiters);
    put_flag(s, "refusing", is->is_refusing);
    rc_json_object_end(&s->w);
}

static void put_money_budgets(state *s)
{
    rc_json_key(&s->w, RC_STR("budgets"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->money_budget_count; i++)
        put_money_budget(s, &s->snapshot->money_budgets[i]);
    rc_json_array_end(&s->w);
}

static void put_limit(state *s, const char *name, uint64_t limit, const char *left_name,
                      uint64_t left, uint64_t refused)
{
    if (limit == 0)
        return;
    rc_json_key(&s->w, rc_str_c(name));
    rc_json_object_begin(&s->w);
    put_number(s, "limit", limit);
    put_number(s, left_name, left);
    put_number(s, "refused", refused);
    rc_json_object_end(&s->w);
}

static void put_clients(state *s)
{
    rc_json_key(&s->w, RC_STR("clients"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->client_count; i++) {
        const rc_admin_client *client = &s->snapshot->clients[i];
        rc_json_object_begin(&s->w);
        put_text(s, "name", client->name);
        put_limit(s, "rpm", client->rpm, "left", client->rpm_left, client->refused_rpm);
        put_limit(s, "tpm", client->tpm, "left", client->tpm_left, client->refused_tpm);
        put_limit(s, "max_in_flight", client->max_in_flight, "in_flight", client->in_flight,
                  client->refused_in_flight);
        rc_json_object_end(&s->w);
    }
    rc_json_array_end(&s->w);
}

static void put_config(state *s)
{
    const rc_admin_config *config = &s->snapshot->config;
    rc_json_key(&s->w, RC_STR("config"));
    rc_json_object_begin(&s->w);
    put_text(s, "file", config->file);
    put_number(s, "generation", config->generation);
    put_time(s, "loaded", config->loaded_unix_ms);
    put_flag(s, "last_reload_refused", config->is_refused);
    if (config->is_refused)
        put_text(s, "refusal", config->refusal);
    if (config->needs_restart_count > 0) {
        rc_json_key(&s->w, RC_STR("needs_restart"));
        rc_json_array_begin(&s->w);
        for (size_t i = 0; i < config->needs_restart_count; i++)
            rc_json_string(&s->w, config->needs_restart[i]);
        rc_json_array_end(&s->w);
    }
    rc_json_object_end(&s->w);
}

static void put_store(state *s)
{
    const rc_admin_store *store = &s->snapshot->store;
    rc_json_key(&s->w, RC_STR("store"));
    rc_json_object_begin(&s->w);
    put_flag(s, "on", store->is_on);
    if (store->is_on) {
        put_text(s, "kind", store->kind);
        put_flag(s, "down", store->is_down);
        if (store->is_down)
            put_text(s, "why", store->down_reason);
        put_number(s, "queued", store->queued);
        put_number(s, "kept", store->kept);
        put_number(s, "lost", store->lost);
        put_number(s, "refused", store->refused);
    }
    rc_json_object_end(&s->w);
}

static void put_repeats(state *s)
{
    rc_json_key(&s->w, RC_STR("repeats"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->repeat_count; i++) {
        const rc_admin_repeat *repeat = &s->snapshot->repeats[i];
        rc_json_object_begin(&s->w);
        put_text(s, "client", repeat->client);
        put_flag(s, "product", repeat->is_product);
        put_number(s, "requests", repeat->count);
        put_time(s, "last", repeat->last_unix_ms);
        put_text(s, "code", rc_str_c(rc_code_name(repeat->code)));
        rc_json_object_end(&s->w);
    }
    rc_json_array_end(&s->w);
}

static void put_waiter(state *s, const rc_admin_waiter *waiter)
{
    const int64_t now_unix_ms = s->snapshot->now_unix_ms;
    rc_json_object_begin(&s->w);
    put_text(s, "request_id", waiter->request_id);
    put_text(s, "client", waiter->client);
    put_text(s, "route", waiter->route);
    put_text(s, "model", waiter->model);
    rc_json_key(&s->w, RC_STR("targets"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < waiter->target_count; i++)
        rc_json_string(&s->w, waiter->targets[i]);
    rc_json_array_end(&s->w);
    put_time(s, "since", now_unix_ms - (int64_t)waiter->waited_ms);
    put_number(s, "waited_ms", waiter->waited_ms);
    if (!waiter->has_no_end) {
        put_time(s, "start_by", now_unix_ms + (int64_t)waiter->start_in_ms);
        put_end(s, waiter->until_ms);
    }
    rc_json_object_end(&s->w);
}

static void put_waiting(state *s)
{
    const rc_admin_queue *queue = &s->snapshot->queue;
    rc_json_key(&s->w, RC_STR("waiting"));
    rc_json_object_begin(&s->w);
    put_number(s, "requests", queue->count);
    put_number(s, "max_requests", queue->max_count);
    put_number(s, "bytes", queue->bytes);
    put_number(s, "max_bytes", queue->max_bytes);
    rc_json_key(&s->w, RC_STR("oldest"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < queue->waiter_count; i++)
        put_waiter(s, &queue->waiters[i]);
    rc_json_array_end(&s->w);
    rc_json_object_end(&s->w);
}

static void put_loops(state *s)
{
    rc_json_key(&s->w, RC_STR("loops"));
    rc_json_array_begin(&s->w);
    for (size_t i = 0; i < s->snapshot->loop_count; i++) {
        const rc_admin_loop *loop = &s->snapshot->loops[i];
        rc_json_object_begin(&s->w);
        put_number(s, "connections", loop->connections);
        put_number(s, "in_flight", loop->in_flight);
        put_number(s, "upstream_idle", loop->upstream_idle);
        put_number(s, "upstream_busy", loop->upstream_busy);
        put_number(s, "requests", loop->requests);
        put_number(s, "stalls", loop->stalls);
        rc_json_object_end(&s->w);
    }
    rc_json_array_end(&s->w);
}

static void put_process(state *s)
{
    const rc_admin_snapshot *snapshot = s->snapshot;
    const int64_t up_ms = snapshot->now_unix_ms - snapshot->started_unix_ms;
    put_text(s, "version", rc_str_c(rc_version()));
    put_time(s, "now", snapshot->now_unix_ms);
    put_time(s, "started", snapshot->started_unix_ms);
    put_number(s, "uptime_ms", up_ms > 0 ? (uint64_t)up_ms : 0);
    put_flag(s, "ready", snapshot->is_ready);
    put_flag(s, "draining", snapshot->is_draining);
    if (!snapshot->is_ready)
        put_text(s, "why_not_ready", snapshot->not_ready_reason);
    put_number(s, "log_dropped", snapshot->log_dropped);
}

/* ---- whole documents ---- */

static void begin(state *s, rc_buf *buf, const rc_admin_snapshot *snapshot)
{
    s->snapshot = snapshot;
    rc_json_writer_init(&s->w, buf, 0);
}

void rc_admin_push_ready(rc_buf *buf, const rc_admin_snapshot *snapshot)
{
    state s = {.snapshot = snapshot};
    rc_json_writer_init(&s.w, buf, 0);
    rc_json_object_begin(&s.w);
    put_flag(&s, "ready", snapshot->is_ready);
    put_text(&s, "why", snapshot->is_ready ? RC_STR("") : snapshot->not_ready_reason);
    rc_json_key(&s.w, RC_STR("targets"));
    rc_json_array_begin(&s.w);
    for (size_t i = 0; i < snapshot->target_count; i++) {
        const rc_admin_target *target = &snapshot->targets[i];
        if (target->is_unnamed)
            continue;
        rc_json_object_begin(&s.w);
        put_target_name(&s, target);
        put_health(&s, target);
        rc_json_object_end(&s.w);
    }
    rc_json_array_end(&s.w);
    rc_json_object_end(&s.w);
    rc_buf_push_byte(buf, '\n');
}

void rc_admin_push_target(rc_buf *buf, const rc_admin_snapshot *snapshot,
                          const rc_admin_target *target)
{
    state s;
    begin(&s, buf, snapshot);
    put_target(&s, target);
    rc_buf_push_byte(buf, '\n');
}

void rc_admin_push_key(rc_buf *buf, const rc_admin_snapshot *snapshot, const rc_admin_key *key)
{
    state s;
    begin(&s, buf, snapshot);
    put_key(&s, key);
    rc_buf_push_byte(buf, '\n');
}

void rc_admin_push_money_budget(rc_buf *buf, const rc_admin_snapshot *snapshot,
                                const rc_admin_money_budget *spend)
{
    state s;
    begin(&s, buf, snapshot);
    put_money_budget(&s, spend);
    rc_buf_push_byte(buf, '\n');
}

void rc_admin_push_state(rc_buf *buf, const rc_admin_snapshot *snapshot, rc_admin_part part)
{
    state s;
    const bool is_all = part == RC_ADMIN_PART_ALL;
    begin(&s, buf, snapshot);
    rc_json_object_begin(&s.w);
    if (is_all)
        put_process(&s);
    if (is_all || part == RC_ADMIN_PART_CONFIG)
        put_config(&s);
    if (is_all)
        put_store(&s);
    if (is_all || part == RC_ADMIN_PART_RETRY_BUDGET)
        put_retry_budget(&s);
    if (is_all || part == RC_ADMIN_PART_MONEY_BUDGETS)
        put_money_budgets(&s);
    if (is_all) {
        put_clients(&s);
        put_repeats(&s);
        put_waiting(&s);
        put_loops(&s);
    }
    if (is_all || part == RC_ADMIN_PART_TARGETS)
        put_targets(&s);
    if (is_all || part == RC_ADMIN_PART_KEYS)
        put_keys(&s);
    rc_json_object_end(&s.w);
    rc_buf_push_byte(buf, '\n');
}
