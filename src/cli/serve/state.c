/* Writes the current state to the log (SIGUSR1): the content of GET /admin/v1/state, for users
 * without access to the admin API. Called by signals.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/serve/log.h"
#include "codec/datetime.h"
#include "codec/duration.h"
#include "gateway/admin/core.h"
#include "sys/clock.h"

/* Limit of the state as text, below the size of the log sink's buffer. */
#define STATE_MAX_BYTES ((size_t)192 << 10)
#define LINE_BYTES 512

/* ---- human format ---- */

typedef struct line {
    rc_serve_run *run;
    rc_buf text;
    char scratch[LINE_BYTES];
} line;

static void begin(line *l, rc_str text)
{
    rc_buf_init_fixed(&l->text, l->scratch, sizeof l->scratch);
    rc_buf_push(&l->text, text);
}

static void push(line *l, const char *text)
{
    rc_cli_text(&l->text, text);
}

static void push_number(line *l, uint64_t number, const char *suffix)
{
    rc_buf_push_u64(&l->text, number);
    push(l, suffix);
}

static void push_left(line *l, uint64_t left_ms)
{
    if (left_ms == 0 || left_ms > INT64_MAX / 2)
        return;
    push(l, ", ");
    rc_duration_push(&l->text, (int64_t)left_ms);
    push(l, " left");
}

static void end(line *l)
{
    rc_serve_log_note(l->run, RC_LOG_EVENT_STATE, rc_buf_get(&l->text));
}

static void show_process(line *l, const rc_admin_snapshot *s)
{
    const int64_t up_ms = s->now_unix_ms - s->started_unix_ms;
    begin(l, RC_STR("up "));
    rc_duration_push(&l->text, up_ms > 0 ? up_ms : 0);
    push(l, s->is_ready ? ", ready" : ", not ready: ");
    rc_buf_push(&l->text, s->is_ready ? RC_STR("") : s->not_ready_reason);
    push(l, ", ");
    push_number(l, s->log_dropped, " log lines lost");
    end(l);
}

static void show_config(line *l, const rc_admin_config *config)
{
    begin(l, RC_STR("configuration "));
    rc_buf_push(&l->text, config->file.len > 0 ? config->file : RC_STR("from the environment"));
    push(l, ", generation ");
    rc_buf_push_u64(&l->text, config->generation);
    for (size_t i = 0; i < config->needs_restart_count; i++) {
        push(l, i == 0 ? "; needs a restart: " : ", ");
        rc_buf_push(&l->text, config->needs_restart[i]);
    }
    end(l);
    if (!config->is_refused)
        return;
    begin(l, RC_STR("the latest configuration was rejected: "));
    rc_buf_push(&l->text, rc_str_slice(config->refusal, 0, LINE_BYTES / 2));
    end(l);
}

static void show_store(line *l, const rc_admin_store *store)
{
    if (!store->is_on) {
        begin(l, RC_STR("the audit is off"));
        end(l);
        return;
    }
    begin(l, RC_STR("audit: "));
    if (store->is_down) {
        push(l, "unavailable (");
        rc_buf_push(&l->text, rc_str_slice(store->down_reason, 0, LINE_BYTES / 2));
        push(l, "), ");
    }
    push_number(l, store->kept, " records, ");
    push_number(l, store->queued, " queued, ");
    push_number(l, store->lost, " lost, ");
    push_number(l, store->refused, " refused");
    end(l);
}

static void show_money(line *l, const rc_admin_snapshot *s)
{
    if (s->retry_budget.is_on) {
        begin(l, RC_STR("retry budget: "));
        push_number(l, s->retry_budget.tokens, " of ");
        rc_buf_push_u64(&l->text, s->retry_budget.burst);
        end(l);
    }
    for (size_t i = 0; i < s->money_budget_count; i++) {
        const rc_ledger_state *state = &s->money_budgets[i].state;
        begin(l, RC_STR("budget of "));
        rc_buf_push(&l->text, rc_str_slice(s->money_budgets[i].scope, 0, LINE_BYTES / 2));
        push(l, ": ");
        rc_ledger_push_usd(&l->text, state->spent);
        push(l, " of ");
        rc_ledger_push_usd(&l->text, state->limit);
        push(l, " spent, ");
        rc_ledger_push_usd(&l->text, state->held);
        push(l, " reserved");
        if (state->renews_unix_ms > 0) {
            push(l, ", renews ");
            rc_rfc3339_push(&l->text, state->renews_unix_ms);
        }
        push(l, state->has_waiters ? "; requests are waiting for this budget" : "");
        end(l);
    }
}

static void show_loops(line *l, const rc_admin_snapshot *s)
{
    for (size_t i = 0; i < s->loop_count; i++) {
        const rc_admin_loop *loop = &s->loops[i];
        begin(l, RC_STR("loop "));
        push_number(l, i + 1, ": ");
        push_number(l, loop->connections, " connections, ");
        push_number(l, loop->in_flight, " requests in flight, ");
        push_number(l, loop->upstream_busy, " busy and ");
        push_number(l, loop->upstream_idle, " idle connections to providers, ");
        push_number(l, loop->requests, " requests, ");
        push_number(l, loop->stalls, " stalls");
        end(l);
    }
}

static void show_target(line *l, const rc_admin_target *target)
{
    const rc_admin_target_state state = rc_admin_target_state_of(target);
    begin(l, RC_STR("target "));
    rc_buf_push(&l->text, rc_str_slice(target->provider, 0, LINE_BYTES / 8));
    push(l, "/");
    rc_buf_push(&l->text, rc_str_slice(target->model, 0, LINE_BYTES / 4));
    push(l, ": ");
    push(l, rc_admin_target_state_name(state));
    if (state == RC_TARGET_COOLING)
        push_left(l, target->cooling_ms);
    if (state == RC_TARGET_OPEN)
        push_left(l, target->open_ms);
    if (target->cooling_code != RC_CODE_NONE) {
        push(l, ", ");
        push(l, rc_code_name(target->cooling_code));
    }
    push(l, "; breaker ");
    push(l, rc_breaker_state_name(target->breaker));
    push(l, "; ");
    push_number(l, target->in_flight, " in flight");
    if (target->keys > 0) {
        push(l, "; ");
        push_number(l, target->usable_keys, " of ");
        push_number(l, target->keys, " keys usable");
    }
    end(l);
}

/* Appends the key's quota with the smallest remaining share. */
static void show_lowest(line *l, const rc_admin_key *key)
{
    if (key->quota_count == 0)
        return;
    const rc_admin_quota *lowest = &key->quotas[0];
    push(l, "; ");
    push_number(l, lowest->remaining, " of ");
    push_number(l, lowest->limit, " ");
    rc_buf_push(&l->text, lowest->name);
    push(l, " left at ");
    rc_buf_push(&l->text, rc_str_slice(lowest->target, 0, LINE_BYTES / 4));
}

static void show_key(line *l, const rc_admin_key *key)
{
    begin(l, RC_STR("key "));
    rc_buf_push(&l->text, rc_str_slice(key->id, 0, LINE_BYTES / 4));
    push(l, ": ");
    push(l, rc_credential_state_name(key->state));
    push_left(l, key->until_ms);
    if (key->limited_targets > 0) {
        push(l, "; limited at ");
        push_number(l, key->limited_targets, " targets");
    }
    show_lowest(l, key);
    end(l);
}

static void show_lines(rc_serve_run *run, const rc_admin_snapshot *s)
{
    line l = {.run = run};
    show_process(&l, s);
    show_config(&l, &s->config);
    show_store(&l, &s->store);
    show_money(&l, s);
    show_loops(&l, s);
    for (size_t i = 0; i < s->target_count; i++)
        show_target(&l, &s->targets[i]);
    for (size_t i = 0; i < s->key_count; i++)
        show_key(&l, &s->keys[i]);
}

/* ---- JSON ---- */

static void show_json(rc_serve_run *run, const rc_admin_snapshot *snapshot)
{
    rc_buf state;
    rc_buf text;
    rc_buf_init(&state, &run->cli->alloc, STATE_MAX_BYTES);
    rc_buf_init(&text, &run->cli->alloc, STATE_MAX_BYTES);
    rc_admin_push_state(&state, snapshot, RC_ADMIN_PART_ALL);
    if (rc_buf_status(&state) == RC_OK &&
        rc_log_push_json(&text, snapshot->now_unix_ms, RC_LOG_EVENT_STATE, "state",
                         rc_str_trim(rc_buf_get(&state))) == RC_OK)
        rc_serve_log_line(run, rc_buf_get(&text));
    else
        rc_serve_log_event(
            run, RC_LOG_EVENT_STATE,
            RC_STR("the state is too large for the log; GET /admin/v1/state has it"));
    rc_buf_done(&state);
    rc_buf_done(&text);
}

/* Returns a copy of foreign text without secrets. */
static rc_str clean(rc_arena *arena, rc_str text)
{
    char scratch[RC_LOG_CLEAN_MAX];
    rc_buf out;
    rc_buf_init_fixed(&out, scratch, sizeof scratch);
    rc_log_push_clean(&out, text);
    return rc_arena_dup(arena, rc_buf_get(&out));
}

/* Removes secrets from the texts that clients and other programs provide, such as model names. */
static void clean_all(rc_arena *arena, rc_admin_snapshot *snapshot)
{
    rc_admin_target *targets =
        rc_arena_get_array(arena, snapshot->target_count + 1, sizeof *targets);
    for (size_t i = 0; targets != NULL && i < snapshot->target_count; i++) {
        targets[i] = snapshot->targets[i];
        targets[i].model = clean(arena, targets[i].model);
    }
    snapshot->targets = targets;
    snapshot->config.refusal = clean(arena, snapshot->config.refusal);
    snapshot->store.down_reason = clean(arena, snapshot->store.down_reason);
}

void rc_serve_log_state(rc_serve_run *run)
{
    rc_arena arena;
    rc_admin_snapshot snapshot = {0};
    rc_arena_init(&arena, &run->cli->alloc, RC_ADMIN_ARENA_MAX);
    const bool is_read = rc_serve_read_state(run, &arena, &snapshot);
    if (is_read)
        clean_all(&arena, &snapshot);
    if (!is_read || rc_arena_status(&arena) != RC_OK)
        rc_serve_log_event(run, RC_LOG_EVENT_STATE,
                           RC_STR("out of memory while writing the state"));
    else if (rc_serve_log_is_json(run))
        show_json(run, &snapshot);
    else
        show_lines(run, &snapshot);
    rc_arena_done(&arena);
}
