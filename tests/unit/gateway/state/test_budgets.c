/* Tests of the budgets of a gateway: the budgets that apply to an attempt, its estimated and actual
 * cost, reloads, restarts, failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "codec/datetime.h"
#include "config/config.h"
#include "config/prices/prices.h"
#include "dialect/usage_charge.h"
#include "gateway/state/budgets.h"
#include "support/fail_alloc.h"
#include "support/store_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOON INT64_C(1794830400000) /* 2026-11-16T12:00:00Z */
#define DAY_MS INT64_C(86400000)
#define BODY "{\"max_tokens\":1000,\"messages\":[{\"role\":\"user\",\"content\":\"abcd\"}]}"

static const char whole[] =
    "providers:\n"
    "  openai: {keys: [env:A]}\n"
    "  claude: {kind: anthropic, keys: [env:B]}\n"
    "routes:\n"
    "  - {model: \"gpt*\", chain: [{target: openai/gpt-4o}],"
    " budget_usd: 3, on_exceed: pause}\n"
    "  - {model: \"*\", chain: [{target: openai/gpt-4o-mini}]}\n"
    "clients:\n"
    "  - {name: app, token: env:T, budget_usd: 1, on_exceed: fail}\n"
    "  - {name: web, token: env:U}\n"
    "budgets:\n"
    "  - {name: all, limit_usd: 100}\n"
    "  - {name: claude, match: {target: \"claude/*\"}, per: day, limit_usd: 2, on_exceed: fail}\n"
    "  - {name: app-on-gpt, match: {client: app, route: \"gpt*\"}, per: total, limit_usd: 50}\n";

typedef struct fixture {
    fail_alloc memory;
    rc_alloc alloc;
    rc_prices prices;
    rc_config config;
    rc_budgets budgets;
    rc_budgets_snapshot snapshot;
} fixture;

static void parse(fixture *w, const char *text, rc_config *config)
{
    rc_config_faults faults;
    rc_alloc stdlib = rc_alloc_stdlib();
    (void)w;
    rc_config_faults_init(&faults);
    if (rc_config_parse(config, rc_str_c(text), &stdlib, &faults) != RC_OK)
        fail_msg("%u:%u: %s: %s", faults.list[0].line, faults.list[0].column, faults.list[0].path,
                 faults.list[0].message);
}

static int set_up(void **state)
{
    fixture *w = calloc(1, sizeof(*w));
    w->alloc = fail_alloc_of(&w->memory);
    rc_prices_init(&w->prices);
    parse(w, whole, &w->config);
    assert_int_equal(rc_budgets_init(&w->budgets, &w->alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &w->snapshot, NULL),
                     RC_OK);
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    fixture *w = *state;
    rc_budgets_snapshot_done(&w->snapshot);
    rc_budgets_snapshot_done(&w->snapshot);
    rc_budgets_done(&w->budgets);
    rc_config_done(&w->config);
    assert_int_equal(w->memory.live, 0);
    free(w);
    return 0;
}

static rc_budgets_attempt an_attempt(const fixture *w, size_t client, size_t route, size_t provider)
{
    return (rc_budgets_attempt){
        .client = client,
        .route = route,
        .target = provider == 0 ? RC_STR("openai/gpt-4o") : RC_STR("claude/claude-sonnet-4-5"),
        .provider = &w->config.providers[provider],
        .model = provider == 0 ? RC_STR("gpt-4o") : RC_STR("claude-sonnet-4-5"),
        .request = RC_STR(BODY),
    };
}

static void expect_rows(const fixture *w, const rc_budgets_attempt *attempt, const char *scopes)
{
    uint32_t rows[RC_LEDGER_BUDGETS_MAX];
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    uint32_t count = rc_budgets_rows(&w->snapshot, attempt, rows);
    for (uint32_t i = 0; i < count; i++) {
        rc_budgets_push_scope(&w->snapshot, rows[i], &buf);
        rc_buf_push(&buf, RC_STR(","));
    }
    rc_buf_push_byte(&buf, '\0');
    assert_string_equal(memory, scopes);
}

static void an_attempt_belongs_to_all_matching_budgets(void **state)
{
    const fixture *w = *state;
    rc_budgets_attempt attempt = an_attempt(w, 0, 0, 0);
    expect_rows(w, &attempt, "client app,route gpt*,budget all,budget app-on-gpt,");
    attempt = an_attempt(w, 0, 0, 1);
    expect_rows(w, &attempt, "client app,route gpt*,budget all,budget claude,budget app-on-gpt,");
    attempt = an_attempt(w, 1, 1, 0); /* neither the client nor the route has a budget */
    expect_rows(w, &attempt, "budget all,");
    attempt = an_attempt(w, SIZE_MAX, SIZE_MAX, 1); /* no client, and a model in the form
                                                     * PROVIDER/MODEL */
    expect_rows(w, &attempt, "budget all,budget claude,");
}

static void an_attempt_costs_its_price(void **state)
{
    const fixture *w = *state;
    rc_budgets_attempt attempt = an_attempt(w, 0, 0, 0);
    rc_charge charge = {.input = 1000, .output = 100, .is_measured = true};
    assert_int_equal(rc_budgets_cost(&w->snapshot, &attempt, &charge), 2500 + 1000);
    charge.is_measured = false;
    assert_int_equal(rc_budgets_cost(&w->snapshot, &attempt, &charge), 0);
    attempt = an_attempt(w, 0, 0, 1);
    charge = (rc_charge){.input = 200001, .output = 0, .is_measured = true};
    assert_int_equal(rc_budgets_cost(&w->snapshot, &attempt, &charge), 200001 * 6);
    attempt.model = RC_STR("claude-unheard-of");
    assert_int_equal(rc_budgets_cost(&w->snapshot, &attempt, &charge), 0);
}

static rc_ledger_state state_of(fixture *w, const char *scope, int64_t now)
{
    rc_ledger_state state;
    uint32_t row = rc_budgets_find(&w->snapshot, rc_str_c(scope));
    assert_int_not_equal(row, RC_LEDGER_NO_BUDGET);
    assert_true(rc_ledger_get_state(&w->budgets.ledger, row, now, &state));
    return state;
}

static void reservations_are_settled(void **state)
{
    fixture *w = *state;
    rc_ledger_reservation hold;
    rc_ledger_notices notices;
    rc_budgets_attempt attempt = an_attempt(w, 0, 0, 0);
    rc_ledger_decision decision =
        rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    /* 5 input tokens cost 12.5 and 1000 output tokens 10000 millionths of a dollar */
    assert_int_equal(hold.amount, 10013);
    assert_int_equal(state_of(w, "client app", NOON).held, 10013);
    assert_int_equal(state_of(w, "budget app-on-gpt", NOON).held, 10013);
    assert_int_equal(state_of(w, "budget claude", NOON).held, 0);
    rc_budgets_settle(&w->budgets, &hold, 4000, &notices);
    assert_int_equal(state_of(w, "client app", NOON).spent, 4000);
    assert_int_equal(state_of(w, "route gpt*", NOON).spent, 4000);

    /* Attempts are granted until the client's dollar is spent. */
    int granted = 0;
    while (rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices).verdict ==
           RC_LEDGER_GRANTED) {
        rc_budgets_settle(&w->budgets, &hold, 10013, &notices);
        granted++;
    }
    assert_int_equal(granted, (1000000 - 4000) / 10013);
    decision = rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices);
    assert_int_equal(decision.verdict, RC_LEDGER_REFUSED);
    assert_int_equal(decision.reason, RC_WHY_BUDGET_SPENT);
    assert_int_equal(decision.budget, rc_budgets_find(&w->snapshot, RC_STR("client app")));
    /* An operator raises the limit. */
    rc_budgets_raise(&w->budgets, decision.budget, 50000, NOON);
    decision = rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    rc_budgets_release(&w->budgets, &hold);
    assert_int_equal(state_of(w, "client app", NOON).held, 0);

    /* Without max_tokens the default number of output tokens is assumed. */
    attempt.request = RC_STR("{\"messages\":[]}");
    rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, NULL);
    assert_int_equal(hold.amount, RC_LEDGER_DEFAULT_OUTPUT_TOKENS * 10);
    rc_budgets_release(&w->budgets, &hold);
    assert_int_equal(rc_budgets_find(&w->snapshot, RC_STR("client nobody")), RC_LEDGER_NO_BUDGET);
    assert_int_equal(rc_budgets_find(&w->snapshot, RC_STR("client")), RC_LEDGER_NO_BUDGET);
    assert_int_equal(rc_budgets_find(&w->snapshot, RC_STR("client web")), RC_LEDGER_NO_BUDGET);
}

/* Without budgets nothing is reserved. */
static void without_budgets_everything_is_granted(void **state)
{
    fixture *w = *state;
    rc_config none;
    rc_budgets_snapshot snapshot;
    bool wakes;
    parse(w, "providers: {openai: {keys: [env:A]}}\n", &none);
    assert_int_equal(rc_budgets_load(&w->budgets, &none, &w->prices, NOON, &snapshot, &wakes),
                     RC_OK);
    rc_budgets_attempt attempt = {.client = SIZE_MAX,
                                  .route = SIZE_MAX,
                                  .target = RC_STR("openai/gpt-4o"),
                                  .provider = &none.providers[0],
                                  .model = RC_STR("gpt-4o")};
    rc_ledger_reservation hold;
    rc_ledger_decision decision =
        rc_budgets_reserve(&w->budgets, &snapshot, &attempt, NOON, &hold, NULL);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    assert_int_equal(hold.count, 0);
    rc_budget_info budget;
    assert_false(rc_budgets_at(&w->budgets, &snapshot, 0, NOON, &budget));
    rc_budgets_snapshot_done(&snapshot);
    rc_config_done(&none);
}

static void budgets_are_listed_and_found_by_scope(void **state)
{
    fixture *w = *state;
    static const char *const wanted[] = {"client app", "route gpt*", "budget all", "budget claude",
                                         "budget app-on-gpt"};
    rc_budget_info budget;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        char text[64];
        assert_true(rc_budgets_at(&w->budgets, &w->snapshot, i, NOON, &budget));
        snprintf(text, sizeof text, "%s %.*s", budget.kind, (int)budget.name.len, budget.name.ptr);
        assert_string_equal(text, wanted[i]);
        assert_int_equal(rc_budgets_find(&w->snapshot, rc_str_c(wanted[i])), budget.row);
    }
    assert_false(rc_budgets_at(&w->budgets, &w->snapshot, COUNT(wanted), NOON, &budget));
    assert_true(rc_budgets_at(&w->budgets, &w->snapshot, 3, NOON, &budget));
    assert_int_equal(budget.state.limit, 2000000);
    assert_int_equal(budget.state.renews_unix_ms, NOON + DAY_MS / 2);
    char memory[16];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_budgets_push_scope(&w->snapshot, RC_LEDGER_NO_BUDGET, &buf);
    assert_int_equal(rc_buf_get(&buf).len, 0);
}

/* After a reload, budgets of the same name continue, others begin or end, and attempts in flight
 * can be settled. */
static void a_reload_keeps_budgets_of_the_same_name(void **state)
{
    fixture *w = *state;
    rc_ledger_reservation hold;
    rc_ledger_notices notices;
    rc_budgets_attempt attempt = an_attempt(w, 0, 0, 0);
    rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices);
    rc_budgets_settle(&w->budgets, &hold, 7000, &notices);
    rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &notices);

    rc_config config;
    rc_budgets_snapshot snapshot;
    bool wakes = true;
    parse(w,
          "providers: {openai: {keys: [env:A]}}\n"
          "routes: [{model: \"gpt*\", chain: [{target: openai/gpt-4o}], budget_usd: 9}]\n"
          "clients: [{name: other, token: env:X, budget_usd: 1},"
          " {name: app, token: env:T, budget_usd: 2}]\n"
          "budgets: [{name: all, limit_usd: 100, per: day}]\n",
          &config);
    assert_int_equal(rc_budgets_load(&w->budgets, &config, &w->prices, NOON, &snapshot, &wakes),
                     RC_OK);
    assert_false(wakes);
    rc_budgets_snapshot old = w->snapshot;
    w->snapshot = snapshot;
    assert_int_equal(state_of(w, "client app", NOON).spent, 7000);
    assert_int_equal(state_of(w, "client app", NOON).limit, 2000000);
    assert_int_equal(state_of(w, "client app", NOON).held, hold.amount);
    assert_int_equal(state_of(w, "route gpt*", NOON).spent, 7000);
    assert_int_equal(state_of(w, "client other", NOON).spent, 0);
    assert_int_equal(state_of(w, "budget all", NOON).spent, 0); /* The period is now a day, so this
                                                                 * is another budget. */
    rc_budgets_settle(&w->budgets, &hold, 500, &notices);
    assert_int_equal(state_of(w, "client app", NOON).spent, 7500);
    assert_int_equal(state_of(w, "client app", NOON).held, 0);
    w->snapshot = old;
    rc_budgets_snapshot_done(&snapshot);
    rc_config_done(&config);
}

/* A higher limit wakes paused attempts. */
static void a_higher_limit_wakes_paused_attempts(void **state)
{
    fixture *w = *state;
    rc_ledger_reservation hold;
    rc_budgets_attempt attempt = an_attempt(w, 1, 0, 0);
    uint32_t route = rc_budgets_find(&w->snapshot, RC_STR("route gpt*"));
    rc_ledger_restore(&w->budgets.ledger, route, rc_ledger_day(NOON), 2999000, NOON);
    rc_ledger_decision decision =
        rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, NULL);
    assert_int_equal(decision.verdict, RC_LEDGER_WAIT);
    w->config.routes[0].budget_usd = 5000000;
    rc_budgets_snapshot snapshot;
    bool wakes = false;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &snapshot, &wakes),
                     RC_OK);
    assert_true(wakes);
    decision = rc_budgets_reserve(&w->budgets, &snapshot, &attempt, NOON, &hold, NULL);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    rc_budgets_release(&w->budgets, &hold);
    rc_budgets_snapshot_done(&snapshot);
}

/* ---- restarts ---- */

static void append(store_fixture *store, const char *client, const char *route, const char *target,
                   int64_t unix_ms, uint64_t cost)
{
    rc_record records[3];
    rc_id id = fixture_id(store, unix_ms);
    fixture_fill(records, &id, unix_ms);
    for (size_t i = 0; i < 3; i++) {
        records[i].client = rc_str_c(client);
        records[i].route = rc_str_c(route);
        records[i].unix_ms = unix_ms;
    }
    records[1].target = rc_str_c(target);
    records[1].cost_usd_micro = cost;
    assert_true(fixture_append(store, records, 3));
}

/* If a client names a target directly, the budgets of the routes that lead to the target apply. */
static void direct_targets_count_in_route_budgets(void **state)
{
    (void)state;
    static const char text[] =
        "providers:\n"
        "  openai: {keys: [env:A]}\n"
        "  claude: {kind: openai, keys: [env:B]}\n"
        "routes:\n"
        "  - {model: fast, chain: [{target: openai/mini}], budget_usd: 3}\n"
        "  - {model: safe, chain: [{target: claude/big}, {target: openai/mini}], budget_usd: 3,"
        " overflow_to: claude/huge}\n"
        "  - {model: \"gpt*\", chain: [{target: \"openai/*\"}], budget_usd: 3}\n"
        "  - {model: \"*\", chain: [{target: \"openai/*\"}], budget_usd: 3}\n"
        "budgets: [{name: slow, match: {route: safe}, limit_usd: 2},"
        " {name: loud, match: {target: openai/mini}, limit_usd: 2}]\n";
    static const struct {
        const char *target, *scopes;
    } rows[] = {
        {"openai/mini", "route fast,route safe,route *,budget slow,budget loud,"},
        {"openai/MINI", "route fast,route safe,route *,budget slow,budget loud,"},
        {"openai/gpt-5", "route gpt*,"},
        {"openai/o3", "route *,"},
        {"openai/", ""},
        {"claude/big", "route safe,budget slow,"},
        {"claude/huge", "route safe,budget slow,"},
        {"claude/gpt-5", ""},
    };
    fixture w = {.alloc = rc_alloc_stdlib()};
    store_fixture store;
    rc_prices_init(&w.prices);
    parse(&w, text, &w.config);
    assert_int_equal(rc_budgets_init(&w.budgets, &w.alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&w.budgets, &w.config, &w.prices, NOON, &w.snapshot, NULL),
                     RC_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const rc_budgets_attempt attempt = {SIZE_MAX, SIZE_MAX, .target = rc_str_c(rows[i].target),
                                            .provider =
                                                &w.config.providers[rows[i].target[0] == 'c']};
        expect_rows(&w, &attempt, rows[i].scopes);
    }
    fixture_init(&store); /* The same holds after a restart. */
    assert_true(fixture_open(&store, RC_STORE_WRITE));
    append(&store, "", "openai", "openai/mini", NOON, 1);
    append(&store, "", "claude", "claude/big", NOON, 20);
    append(&store, "", "fast", "openai/mini", NOON, 300);
    assert_true(rc_budgets_restore(&w.budgets, &w.snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(&w, "route fast", NOON).spent, 301);
    assert_int_equal(state_of(&w, "route safe", NOON).spent, 21);
    fixture_done(&store);
    rc_budgets_snapshot_done(&w.snapshot);
    rc_budgets_done(&w.budgets);
    rc_config_done(&w.config);
}

static void spending_is_restored_from_the_store(void **state)
{
    fixture *w = *state;
    store_fixture store;
    fixture_init(&store);
    assert_true(fixture_open(&store, RC_STORE_WRITE));
    append(&store, "app", "gpt*", "openai/gpt-4o", NOON, 1);
    append(&store, "app", "gpt*", "claude/claude-sonnet-4-5", NOON, 20);
    append(&store, "web", "gpt*", "openai/gpt-4o", NOON - DAY_MS, 300);
    append(&store, "web", "*", "claude/x", NOON - 2 * DAY_MS, 4000);
    append(&store, "app", "gpt*", "openai/gpt-4o", NOON - 31 * DAY_MS, 50000); /* in October */
    append(&store, "", "openai", "openai/gpt-4o", NOON, 600000);
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).spent, 21);
    assert_int_equal(state_of(w, "route gpt*", NOON).spent, 600321);
    assert_int_equal(state_of(w, "budget all", NOON).spent, 604321);
    assert_int_equal(state_of(w, "budget claude", NOON).spent, 20);
    assert_int_equal(state_of(w, "budget app-on-gpt", NOON).spent, 50021);

    /* After a reload, only new budgets are read from the store. */
    rc_ledger_reservation hold;
    rc_budgets_attempt attempt = an_attempt(w, 0, 0, 0);
    rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, NULL);
    rc_budgets_settle(&w->budgets, &hold, 1000, NULL);
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).spent, 1021);
    w->config.clients[1].budget_usd = 1000000;
    rc_budgets_snapshot snapshot;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &snapshot, NULL),
                     RC_OK);
    assert_true(rc_budgets_restore(&w->budgets, &snapshot, store.store, NOON, &store.fault));
    rc_budgets_snapshot_done(&w->snapshot);
    w->snapshot = snapshot;
    assert_int_equal(state_of(w, "client web", NOON).spent, 4300);
    assert_int_equal(state_of(w, "client app", NOON).spent, 1021);

    /* A budget that was removed and is added again is read from the store again. */
    w->config.clients[0].budget_usd = 0;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &snapshot, NULL),
                     RC_OK);
    rc_budgets_snapshot_done(&w->snapshot);
    w->config.clients[0].budget_usd = 1000000;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &w->snapshot, NULL),
                     RC_OK);
    rc_budgets_snapshot_done(&snapshot);
    assert_int_equal(state_of(w, "client app", NOON).spent, 0);
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).spent, 21);
    fixture_done(&store);
}

/* Raises a budget and saves the state, as an operator's action does. */
static void raise_budget(fixture *w, store_fixture *store, const char *scope, uint64_t more,
                         int64_t now)
{
    char name[RC_BUDGETS_RAISE_NAME_MAX];
    rc_saved_state saved;
    const uint32_t row = rc_budgets_find(&w->snapshot, rc_str_c(scope));
    assert_false(
        rc_budgets_get_raise(&w->budgets, &w->snapshot, RC_LEDGER_NO_BUDGET, now, name, &saved));
    (void)rc_budgets_raise(&w->budgets, row, more, now);
    assert_true(rc_budgets_get_raise(&w->budgets, &w->snapshot, row, now, name, &saved));
    const rc_batch batch = {.states = &saved, .state_count = 1};
    assert_true(rc_store_append(store->store, &batch, &store->fault));
}

/* Restarts the process at this time, with this configuration. */
static void restart(fixture *w, store_fixture *store, int64_t now)
{
    rc_budgets_snapshot_done(&w->snapshot);
    rc_budgets_done(&w->budgets);
    assert_int_equal(rc_budgets_init(&w->budgets, &w->alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, now, &w->snapshot, NULL),
                     RC_OK);
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store->store, now, &store->fault));
}

static void raises_are_restored_from_the_store(void **state)
{
    fixture *w = *state;
    store_fixture store;
    char name[RC_BUDGETS_RAISE_NAME_MAX];
    rc_saved_state saved;
    fixture_init(&store);
    assert_true(fixture_open(&store, RC_STORE_WRITE));
    assert_false(rc_budgets_get_raise(&w->budgets, &w->snapshot,
                                      rc_budgets_find(&w->snapshot, RC_STR("client app")), NOON,
                                      name, &saved));
    raise_budget(w, &store, "client app", 5000000000, NOON); /* an amount of more than 32 bits */
    raise_budget(w, &store, "client app", 7, NOON);
    raise_budget(w, &store, "budget claude", 8, NOON);
    raise_budget(w, &store, "budget app-on-gpt", 9, NOON);
    restart(w, &store, NOON + 1000);
    assert_int_equal(state_of(w, "client app", NOON).raised, 5000000007);
    assert_int_equal(state_of(w, "client app", NOON).limit, 5001000007);
    assert_int_equal(state_of(w, "budget claude", NOON).raised, 8);
    assert_int_equal(state_of(w, "budget app-on-gpt", NOON).raised, 9);
    assert_int_equal(state_of(w, "route gpt*", NOON).raised, 0);

    /* Restoring the state twice has no further effect; the next raise is added. */
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    raise_budget(w, &store, "client app", 3, NOON);
    restart(w, &store, NOON + 2000);
    assert_int_equal(state_of(w, "client app", NOON).raised, 5000000010);

    /* A raise ends with its period; for a budget that never renews, it does not end. */
    restart(w, &store, NOON + DAY_MS);
    assert_int_equal(state_of(w, "client app", NOON + DAY_MS).raised, 5000000010);
    assert_int_equal(state_of(w, "budget claude", NOON + DAY_MS).raised, 0);
    restart(w, &store, NOON + 31 * DAY_MS);
    assert_int_equal(state_of(w, "client app", NOON + 31 * DAY_MS).raised, 0);
    assert_int_equal(state_of(w, "budget app-on-gpt", NOON + 31 * DAY_MS).raised, 9);
    raise_budget(w, &store, "client app", 11, NOON + 31 * DAY_MS);
    restart(w, &store, NOON + 31 * DAY_MS + 1);
    assert_int_equal(state_of(w, "client app", NOON + 31 * DAY_MS + 1).raised, 11);
    fixture_done(&store);
}

/* Saved raises of a budget that no longer exists or has another period, and damaged ones, are
 * ignored. */
static void raises_of_other_budgets_are_ignored(void **state)
{
    fixture *w = *state;
    store_fixture store;
    fixture_init(&store);
    assert_true(fixture_open(&store, RC_STORE_WRITE));
    raise_budget(w, &store, "client app", 5, NOON);
    raise_budget(w, &store, "budget claude", 8, NOON);
    const rc_saved_state marks[] = {
        {RC_SAVED_STATE_BUDGET, RC_STR_INIT("total budget all"), 4, 0},
        {RC_SAVED_STATE_BUDGET, RC_STR_INIT("month client nobody"), 4,
         rc_ledger_window_end(RC_LEDGER_MONTH, NOON)},
        {RC_SAVED_STATE_BUDGET, RC_STR_INIT("month route gpt*"), RC_LEDGER_AMOUNT_MAX + 1,
         rc_ledger_window_end(RC_LEDGER_MONTH, NOON)},
        {RC_SAVED_STATE_TARGET, RC_STR_INIT("month budget all"), 1,
         rc_ledger_window_end(RC_LEDGER_MONTH, NOON)},
    };
    const rc_batch batch = {.states = marks, .state_count = COUNT(marks)};
    assert_true(rc_store_append(store.store, &batch, &store.fault));
    w->config.budgets[1].per = RC_LEDGER_MONTH;
    restart(w, &store, NOON);
    assert_int_equal(state_of(w, "budget claude", NOON).raised, 0);
    assert_int_equal(state_of(w, "budget all", NOON).raised, 0);
    assert_int_equal(state_of(w, "route gpt*", NOON).raised, 0);
    assert_int_equal(state_of(w, "client app", NOON).raised, 5);

    /* A raise is restored for a budget that was removed and is added again, like its spending. */
    rc_budgets_snapshot snapshot;
    w->config.clients[0].budget_usd = 0;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &snapshot, NULL),
                     RC_OK);
    rc_budgets_snapshot_done(&w->snapshot);
    w->snapshot = snapshot;
    w->config.clients[0].budget_usd = 1000000;
    assert_int_equal(rc_budgets_load(&w->budgets, &w->config, &w->prices, NOON, &snapshot, NULL),
                     RC_OK);
    rc_budgets_snapshot_done(&w->snapshot);
    w->snapshot = snapshot;
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).raised, 5);
    fixture_done(&store);
}

/* A store that cannot be read is reported, and is read again the next time. */
static void an_unreadable_store_is_reported(void **state)
{
    fixture *w = *state;
    store_fixture store;
    fixture_init(&store);
    assert_true(fixture_open(&store, RC_STORE_WRITE));
    append(&store, "app", "gpt*", "openai/gpt-4o", NOON, 77);
    sqlite3 *db = NULL;
    fixture_close(&store);
    assert_int_equal(sqlite3_open(store.path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "ALTER TABLE spend RENAME TO gone", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_true(fixture_open(&store, RC_STORE_READ));
    assert_false(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).spent, 0);
    fixture_close(&store);
    assert_int_equal(sqlite3_exec(db, "ALTER TABLE gone RENAME TO spend", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    assert_true(fixture_open(&store, RC_STORE_READ));
    assert_true(rc_budgets_restore(&w->budgets, &w->snapshot, store.store, NOON, &store.fault));
    assert_int_equal(state_of(w, "client app", NOON).spent, 77);
    fixture_done(&store);
}

/* If loading fails because no memory is available, nothing changes and no memory is lost. */
static void failing_allocations_change_nothing(void **state)
{
    fixture *w = *state;
    rc_config config;
    rc_budgets_snapshot snapshot;
    static char text[8192];
    int at = snprintf(text, sizeof text, "clients:\n");
    for (int i = 0; i < 40; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: c%d, token: env:T, budget_usd: 1}\n", i);
    parse(w, text, &config);
    rc_ledger_state before = state_of(w, "client app", NOON);
    for (size_t fail_at = 1;; fail_at++) {
        w->memory.calls = 0;
        w->memory.fail_at = fail_at;
        rc_status status = rc_budgets_load(&w->budgets, &config, &w->prices, NOON, &snapshot, NULL);
        if (status == RC_OK)
            break;
        assert_int_equal(status, RC_E_NOMEM);
        assert_int_equal(state_of(w, "client app", NOON).limit, before.limit);
        assert_true(fail_at < 100);
    }
    w->memory.fail_at = 0;
    rc_budgets_snapshot_done(&snapshot);
    rc_config_done(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_attempt_belongs_to_all_matching_budgets, set_up,
                                        tear_down),
        cmocka_unit_test(direct_targets_count_in_route_budgets),
        cmocka_unit_test_setup_teardown(an_attempt_costs_its_price, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reservations_are_settled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_budgets_everything_is_granted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(budgets_are_listed_and_found_by_scope, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reload_keeps_budgets_of_the_same_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_higher_limit_wakes_paused_attempts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(spending_is_restored_from_the_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(raises_are_restored_from_the_store, set_up, tear_down),
        cmocka_unit_test_setup_teardown(raises_of_other_budgets_are_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unreadable_store_is_reported, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failing_allocations_change_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
