/* The state of a gateway for tests of the admin interface: three targets, two keys, and a record
 * of the operator's last action. */
#ifndef RC_TESTS_ADMIN_SOURCE_H
#define RC_TESTS_ADMIN_SOURCE_H

#include <stdio.h>
#include <string.h>

#include "gateway/admin/core.h"

#define FAKE_NOW INT64_C(1700000000000)

typedef struct fake_source {
    bool is_out[3];
    bool is_key_dead;
    bool is_ready;
    bool is_reload_refused;
    bool is_blind; /* reading the state fails */
    bool is_stuck; /* the operator's actions fail */
    int acts;
    rc_admin_action_kind kind;
    char action_text[256]; /* provider|model|key|reason|by of the latest action */
    uint64_t generation;
    uint64_t raised;
    rc_str needs_restart[2]; /* settings that a restart must apply */
    size_t needs_restart_count;
    size_t unnamed; /* number of models of provider claude that clients used and the configuration
                       does not name */
} fake_source;

static const char *const fake_names[3][2] = {
    {"openai", "gpt-4o"}, {"local", "meta/llama 3"}, {"claude", "*"}};

static inline bool fake_fill_snapshot(void *ctx, rc_arena *arena, rc_admin_snapshot *snapshot)
{
    const fake_source *fake = ctx;
    rc_admin_target *targets = rc_arena_get_array(arena, 3 + fake->unnamed, sizeof(*targets));
    rc_admin_key *keys = rc_arena_get_array(arena, 2, sizeof(*keys));
    rc_admin_loop *loops = rc_arena_get_array(arena, 2, sizeof(*loops));
    if (fake->is_blind || targets == NULL || keys == NULL || loops == NULL)
        return false;
    for (int i = 0; i < 3; i++)
        targets[i] = (rc_admin_target){.provider = rc_arena_dup(arena, rc_str_c(fake_names[i][0])),
                                       .model = rc_arena_dup(arena, rc_str_c(fake_names[i][1])),
                                       .is_out_of_service = fake->is_out[i],
                                       .in_flight = 2,
                                       .keys = 1,
                                       .usable_keys = 1};
    for (size_t i = 0; i < fake->unnamed; i++) {
        char name[64];
        const int len = snprintf(name, sizeof(name), "invented-%zu", i);
        targets[3 + i] = (rc_admin_target){
            .provider = rc_arena_dup(arena, RC_STR("claude")),
            .model = rc_arena_dup(arena, rc_str_make(name, (size_t)len)),
            .is_unnamed = true,
            .in_flight = 1,
            .cooling_ms = 1000,
        };
    }
    targets[0].health = RC_HEALTH_FAILING;
    targets[0].recent = (rc_health_share){.calls = 10, .failed = 9};
    targets[0].failed_unix_ms = INT64_C(1699999995000);
    targets[0].since_unix_ms = FAKE_NOW - 10000;
    targets[0].failed_with = RC_CODE_PROVIDER_5XX;
    targets[1].cooling_ms = 38000;
    targets[1].cooling_code = RC_CODE_RATE_LIMITED;
    keys[0] =
        (rc_admin_key){.id = rc_arena_dup(arena, RC_STR("openai/0")),
                       .provider = rc_arena_dup(arena, RC_STR("openai")),
                       .state = fake->is_key_dead ? RC_CREDENTIAL_DEAD : RC_CREDENTIAL_HEALTHY};
    keys[1] = (rc_admin_key){.id = rc_arena_dup(arena, RC_STR("claude/0")),
                             .provider = rc_arena_dup(arena, RC_STR("claude")),
                             .state = RC_CREDENTIAL_EXHAUSTED,
                             .until_ms = 60000};
    targets[0].admission = RC_ADMISSION_RECOVERING;
    rc_admin_learned *learned = rc_arena_get_array(arena, 3, sizeof(*learned));
    rc_admin_waiter *waiters = rc_arena_get_array(arena, 2, sizeof(*waiters));
    rc_str *waited_for = rc_arena_get_array(arena, 1, sizeof(*waited_for));
    if (learned == NULL || waiters == NULL || waited_for == NULL)
        return false;
    learned[0] = (rc_admin_learned){.target = RC_STR("openai/gpt-4o"),
                                    .kind = "tokens",
                                    .limit = 30000,
                                    .remaining = -20,
                                    .full_ms = 60000,
                                    .is_window = true};
    learned[1] =
        (rc_admin_learned){.target = RC_STR("openai/gpt-4o"), .kind = "rate", .rate_milli = 2500};
    learned[2] = (rc_admin_learned){
        .target = RC_STR("openai/invented"), .kind = "requests", .limit = 7, .is_unnamed = true};
    keys[0].learned = learned;
    keys[0].learned_count = 3;
    waited_for[0] = RC_STR("openai/gpt-4o");
    waiters[0] = (rc_admin_waiter){.request_id = RC_STR("req_1"),
                                   .client = RC_STR("app"),
                                   .route = RC_STR("gpt*"),
                                   .model = RC_STR("gpt-4o"),
                                   .targets = waited_for,
                                   .target_count = 1,
                                   .waited_ms = 2000,
                                   .start_in_ms = 3000,
                                   .until_ms = 4000};
    waiters[1] = (rc_admin_waiter){.request_id = RC_STR("req_2"),
                                   .route = RC_STR("gpt*"),
                                   .model = RC_STR("gpt-4o"),
                                   .has_no_end = true};
    rc_admin_money_budget *money_budgets = rc_arena_get_array(arena, 2, sizeof(*money_budgets));
    if (money_budgets == NULL)
        return false;
    money_budgets[0] =
        (rc_admin_money_budget){.scope = rc_arena_dup(arena, RC_STR("client app")),
                                .state = {.rule = {5000000, RC_LEDGER_MONTH, RC_LEDGER_FAIL},
                                          .limit = 5000000 + fake->raised,
                                          .spent = 4200000,
                                          .held = 30000,
                                          .raised = fake->raised,
                                          .renews_unix_ms = FAKE_NOW + 86400000}};
    money_budgets[1] =
        (rc_admin_money_budget){.scope = rc_arena_dup(arena, RC_STR("budget all")),
                                .state = {.rule = {0, RC_LEDGER_TOTAL, RC_LEDGER_WARN}}};
    loops[1] = (rc_admin_loop){3, 2, 1, 2, 99, 1};
    *snapshot = (rc_admin_snapshot){
        .now_unix_ms = FAKE_NOW,
        .started_unix_ms = FAKE_NOW - 5000,
        .is_ready = fake->is_ready,
        .not_ready_reason = RC_STR("draining"),
        .log_dropped = 4,
        .retry_budget = {true, 77, 100, 200, 10},
        .store = {.is_on = true, .kind = RC_STR("sqlite"), .queued = 1, .kept = 10},
        .config = {.file = RC_STR("recourse.yaml"),
                   .generation = fake->generation,
                   .loaded_unix_ms = FAKE_NOW - 4000,
                   .is_refused = fake->is_reload_refused,
                   .refusal = RC_STR("recourse.yaml:3:5: routs: unknown key"),
                   .needs_restart = fake->needs_restart,
                   .needs_restart_count = fake->needs_restart_count},
        .targets = targets,
        .target_count = 3 + fake->unnamed,
        .keys = keys,
        .key_count = 2,
        .money_budgets = money_budgets,
        .money_budget_count = 2,
        .queue = {.count = 2,
                  .max_count = 10,
                  .bytes = 300,
                  .max_bytes = 4000,
                  .waiters = waiters,
                  .waiter_count = 2},
        .loops = loops,
        .loop_count = 2,
    };
    return rc_arena_status(arena) == RC_OK;
}

static inline int fake_find(const rc_admin_action *action)
{
    for (int i = 0; i < 3; i++)
        if (rc_str_eq(action->provider, rc_str_c(fake_names[i][0])) &&
            rc_str_eq(action->model, rc_str_c(fake_names[i][1])))
            return i;
    return -1;
}

static inline void fake_act(void *ctx, const rc_admin_action *action, rc_admin_outcome *outcome)
{
    fake_source *fake = ctx;
    const bool is_target = action->provider.len > 0;
    const int at = is_target ? fake_find(action) : 0;
    fake->acts++;
    fake->kind = action->kind;
    snprintf(fake->action_text, sizeof(fake->action_text), "%.*s|%.*s|%.*s|%.*s|%.*s",
             (int)action->provider.len, action->provider.ptr, (int)action->model.len,
             action->model.ptr, (int)action->key.len, action->key.ptr, (int)action->reason.len,
             action->reason.ptr, (int)action->peer.len, action->peer.ptr);
    outcome->kind = RC_ADMIN_DONE;
    if (action->kind == RC_ADMIN_BUDGET_RAISE) {
        if (rc_str_eq(action->budget, RC_STR("client app")))
            fake->raised += action->usd_micro;
        else
            outcome->kind = RC_ADMIN_NOT_FOUND;
        return;
    }
    if (fake->is_stuck) {
        outcome->kind = RC_ADMIN_FAILED;
        snprintf(outcome->text, sizeof(outcome->text), "A loop does not answer.");
    } else if (at < 0 || (action->key.len > 0 && !rc_str_eq(action->key, RC_STR("openai/0")))) {
        outcome->kind = RC_ADMIN_NOT_FOUND;
    } else if (is_target) {
        fake->is_out[at] = action->kind == RC_ADMIN_TARGET_OUT;
    } else if (action->kind == RC_ADMIN_KEY_REVIVE) {
        fake->is_key_dead = false;
    } else if (action->kind == RC_ADMIN_RELOAD && fake->is_reload_refused) {
        outcome->kind = RC_ADMIN_REFUSED;
        snprintf(outcome->text, sizeof(outcome->text), "recourse.yaml:3:5: routs: unknown key");
    } else if (action->kind == RC_ADMIN_RELOAD) {
        fake->generation++;
    }
}

static inline rc_admin_source fake_source_of(fake_source *fake)
{
    return (rc_admin_source){fake_fill_snapshot, fake_act, fake};
}

#endif
